//! The parameters, as a spec gives them.

use crate::depth::DepthPolicy;
use crate::options::{MAX_PLIES, SearchOptions};
use runner_core::{BuildError, Description, Spec, TimeLimit, parameters};
use runner_spec::quantity;

parameters! {
    /// The parameters of [`Expectimax`](crate::Expectimax).
    pub struct Config {
        /// Static evaluation at the leaves
        pub value: Option<Spec> = None,
            value().like("tc-ntuple(model: \"FILE\")").unset("`rows` on a board");
        /// Value for positions unlike those of the training of `value`, where `value` can tell them
        pub unfamiliar: Option<Spec> = None, value().unset("`rows` on a board");
        /// Value of a solved game: positions with an exact value are not searched further
        pub exact: Option<Spec> = None, value().like("exact(model: \"FILE\")");
        /// Search depth; with `time`, the maximum depth
        pub depth: Option<u8> = None,
            range(1..=MAX_PLIES).unit("plies").unset("3; with `time`, 32");
        /// Depth by distinct tiles: their number on the board minus this number, but at least
        /// `depth` plies
        pub distinct: Option<u8> = None, range(0..=16);
        /// Time limit for a move, with iterative deepening
        pub time: Option<TimeLimit> = None;
        /// Evaluate positions reached with a lower probability statically; with several threads,
        /// moves are then reproducible only with `table: "none"`
        pub min_probability: f64 = 0.0, range(0.0..1.0);
        /// Size of the transposition table in bytes, for each thread that plays games
        pub table: String = "16M".to_owned(), size_or_none(1024);
        /// Threads that search one move
        pub threads: usize = 1, threads();
    }
}

/// The search depth where neither `depth` nor `time` is given.
const DEFAULT_DEPTH: u8 = 3;

impl Config {
    /// Returns the options of the search, or an error that names a parameter. All agents that play
    /// at once share `host_threads` threads and `memory` bytes.
    pub fn options(
        &self,
        game: &Description,
        host_threads: usize,
        memory: u64,
    ) -> Result<SearchOptions, BuildError> {
        let agents = (host_threads / self.threads).max(1);
        Ok(SearchOptions {
            depth: self.read_depth(game)?,
            time: self.time.as_ref().map(TimeLimit::get),
            min_probability: self.min_probability,
            table_bytes: self.read_table(memory, agents)?,
            threads: self.threads,
        })
    }

    fn read_depth(&self, game: &Description) -> Result<DepthPolicy, BuildError> {
        let default = if self.time.is_some() { MAX_PLIES } else { DEFAULT_DEPTH };
        let min = self.depth.unwrap_or(default);
        let Some(distinct) = self.distinct else { return Ok(DepthPolicy::fixed(min)) };
        match &game.geometry {
            Some(board) => Ok(DepthPolicy::by_distinct(min, distinct, board)),
            None => Err(BuildError::of("distinct", "the game has no board")),
        }
    }

    /// Returns the size of the transposition table in bytes, or `None` for no table. `agents`
    /// tables of this size, 1 or more, must fit the memory.
    fn read_table(&self, memory: u64, agents: usize) -> Result<Option<usize>, BuildError> {
        if self.table == "none" {
            return Ok(None);
        }
        let refuse = |message: String| BuildError::of("table", message);
        let bytes = quantity::bytes(&self.table).map_err(refuse)?;
        let max = memory / agents as u64;
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
}
