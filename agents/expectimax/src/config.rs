//! The parameters, as a spec gives them.

use crate::depth::DepthPolicy;
use crate::options::{ForwardPruning, MAX_PLIES, SearchOptions};
use runner_core::{BuildError, Description, Parameter, Spec};
use runner_spec::quantity;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The parameters of [`Expectimax`](crate::Expectimax).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Static evaluation.
    pub value: Option<Spec>,
    /// A value whose exact values end the search.
    pub exact: Option<Spec>,
    /// Search depth in plies; with `time`, the maximum depth.
    pub depth: Option<u8>,
    /// Subtracted from the number of distinct tiles on the board to give the depth in plies,
    /// which is at least `depth`.
    pub distinct: Option<u8>,
    /// Pairs of a number of empty cells and the depth if the board has more.
    pub empty: Vec<(u8, u8)>,
    /// Time limit for a move.
    pub time: Option<String>,
    /// Positions reached with a lower probability are evaluated statically.
    pub min_probability: f64,
    /// Number of plies in which rare tiles are considered.
    pub full_plies: Option<u8>,
    /// Size of the transposition table.
    pub table: String,
    /// Keeps one table entry for all symmetric images of a position.
    pub canonical: bool,
    /// Accepts table entries of a deeper search.
    pub deeper: bool,
    /// Prunes with value bounds.
    pub prune: bool,
    /// Number of threads for one move.
    pub threads: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            value: None,
            exact: None,
            depth: None,
            distinct: None,
            empty: vec![],
            time: None,
            min_probability: 0.0,
            full_plies: None,
            table: "16M".to_owned(),
            canonical: false,
            deeper: false,
            prune: false,
            threads: 1,
        }
    }
}

/// The search depth where neither `depth` nor `time` is given.
const DEFAULT_DEPTH: u8 = 3;

/// Maximum number of threads for one move.
const MAX_THREADS: usize = 256;

/// Maximum value of `distinct`.
const MAX_DISTINCT: u8 = 16;

impl Config {
    /// Returns the parameters with their help.
    pub fn parameters() -> Vec<Parameter> {
        let parameter = Parameter::new;
        vec![
            parameter(
                "value",
                "a value, as in `tc-ntuple(model: \"FILE\")`",
                "`rows` on a board",
                "Static evaluation at the leaves",
            ),
            parameter(
                "exact",
                "a value, as in `exact(model: \"FILE\")`",
                "None",
                "Value of a solved game: positions with an exact value are not searched further",
            ),
            parameter(
                "depth",
                "1 to 32 plies",
                "3; with `time`, 32",
                "Search depth; with `time`, the maximum depth",
            ),
            parameter(
                "distinct",
                "0 to 16",
                "None",
                "Depth by distinct tiles: their number on the board minus this number, but at \
                 least `depth` plies",
            ),
            parameter(
                "empty",
                "a list of (empty cells, plies), as in [(7, 1), (4, 2)]",
                "[]",
                "Depth by empty cells: the first pair with fewer empty cells than the board sets \
                 the depth; without one, `depth` and `distinct` do",
            ),
            parameter(
                "time",
                quantity::TIME_LIMITS,
                "None",
                "Time limit for a move, with iterative deepening",
            ),
            parameter(
                "min_probability",
                "0 up to, but not including, 1",
                "0",
                "Evaluate positions reached with a lower probability statically; with several \
                 threads, moves are then reproducible only with `table: \"none\"`",
            ),
            parameter(
                "full_plies",
                "0 to 32 plies",
                "all",
                "Number of plies, from the root on, in which rare tiles are considered; a tile is \
                 rare if it is less than half as likely as the most likely one",
            ),
            parameter(
                "table",
                "\"1k\" and more, or \"none\"",
                "\"16M\"",
                "Size of the transposition table in bytes, for each thread that plays games",
            ),
            parameter(
                "canonical",
                "true or false",
                "false",
                "Keep one table entry for all symmetric images of a position; needs a value \
                 that is equal for them",
            ),
            parameter(
                "deeper",
                "true or false",
                "false",
                "Accept table entries of a deeper search; with several threads, moves are then \
                 not reproducible",
            ),
            parameter(
                "prune",
                "true or false",
                "false",
                "Prune with value bounds; needs a value with a bounded scale. The values of all \
                 actions but the best are then upper bounds",
            ),
            parameter("threads", "1 to 256", "1", "Threads that search one move"),
        ]
    }

    /// Returns the options of the search, or the parameter that is wrong. `host_threads`
    /// and `memory`, in bytes, are shared by all agents that play at once.
    pub fn options(
        &self,
        game: &Description,
        host_threads: usize,
        memory: u64,
    ) -> Result<SearchOptions, BuildError> {
        let threads = self.read_threads()?;
        let agents = (host_threads / threads).max(1);
        Ok(SearchOptions {
            depth: self.read_depth(game)?,
            time: self.read_time()?,
            forward_pruning: self.read_forward_pruning()?,
            table_bytes: self.read_table(memory, agents)?,
            canonical: self.canonical,
            deeper: self.deeper,
            prune: self.prune,
            threads,
        })
    }

    fn read_depth(&self, game: &Description) -> Result<DepthPolicy, BuildError> {
        let min = match (self.depth, &self.time) {
            (Some(depth), _) => check_plies("depth", depth)?,
            (None, Some(_)) => MAX_PLIES,
            (None, None) => DEFAULT_DEPTH,
        };
        if self.distinct.is_none() && self.empty.is_empty() {
            return Ok(DepthPolicy::fixed(min));
        }
        let parameter = if self.distinct.is_some() { "distinct" } else { "empty" };
        let Some(board) = &game.geometry else {
            return Err(BuildError::of(parameter, "the game has no board"));
        };
        if let Some(distinct) = self.distinct.filter(|&distinct| distinct > MAX_DISTINCT) {
            let message = format!("{distinct} is not from 0 to {MAX_DISTINCT}");
            return Err(BuildError::of("distinct", message));
        }
        let cells = board.cells();
        for &(more_than, plies) in &self.empty {
            check_plies("empty", plies)?;
            if usize::from(more_than) >= cells {
                let message = format!(
                    "{more_than} empty cells are not from 0 to {}: the board has {cells} cells",
                    cells - 1
                );
                return Err(BuildError::of("empty", message));
            }
        }
        Ok(DepthPolicy::by_board(min, self.distinct, self.empty.clone(), board))
    }

    fn read_time(&self) -> Result<Option<Duration>, BuildError> {
        let time = self.time.as_deref().map(quantity::time_limit).transpose();
        time.map_err(|error| BuildError::of("time", error))
    }

    fn read_forward_pruning(&self) -> Result<ForwardPruning, BuildError> {
        let min_probability = self.min_probability;
        if !(0.0..1.0).contains(&min_probability) {
            let message = format!("{min_probability} is not from 0 up to, but not including, 1");
            return Err(BuildError::of("min_probability", message));
        }
        let full_plies = self.full_plies.unwrap_or(MAX_PLIES);
        if full_plies > MAX_PLIES {
            let message = format!("{full_plies} is not from 0 to {MAX_PLIES} plies");
            return Err(BuildError::of("full_plies", message));
        }
        Ok(ForwardPruning { min_probability, full_plies })
    }

    /// Returns the size of the transposition table in bytes. `agents` tables of this size must
    /// fit the memory.
    fn read_table(&self, memory: u64, agents: usize) -> Result<Option<usize>, BuildError> {
        if self.table == "none" {
            return Ok(None);
        }
        let refuse = |message: String| BuildError::of("table", message);
        let bytes = quantity::bytes(&self.table)
            .map_err(|error| refuse(format!("{error}, or \"none\" for no table")))?;
        if bytes < 1024 {
            return Err(refuse(format!(
                "{bytes} bytes are too few: \"1k\" at least, or \"none\" for no table"
            )));
        }
        let max = memory / agents.max(1) as u64;
        match usize::try_from(bytes) {
            Ok(fits) if bytes <= max => Ok(Some(fits)),
            _ => Err(refuse(format!(
                "{} for each of {agents} threads that play is more memory than there is: \
                 \"{}M\" at most, or \"none\" for no table",
                self.table,
                max >> 20
            ))),
        }
    }

    fn read_threads(&self) -> Result<usize, BuildError> {
        match self.threads {
            1..=MAX_THREADS => Ok(self.threads),
            wrong => {
                let message = format!("{wrong} is not from 1 to {MAX_THREADS}");
                Err(BuildError::of("threads", message))
            }
        }
    }
}

/// Refuses a depth that is out of range.
fn check_plies(parameter: &str, plies: u8) -> Result<u8, BuildError> {
    match plies {
        1..=MAX_PLIES => Ok(plies),
        _ => Err(BuildError::of(parameter, format!("{plies} is not from 1 to {MAX_PLIES} plies"))),
    }
}
