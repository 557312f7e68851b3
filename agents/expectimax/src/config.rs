//! The parameters, as they are written in a spec.

use crate::depth::Depth;
use crate::search::{Cuts, MAX_PLIES};
use runner_core::{BuildError, Description, Parameter, Spec};
use runner_spec::quantity;
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The parameters.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// What positions are worth where the search ends.
    pub value: Option<Spec>,
    /// Who is asked first.
    pub exact: Option<Spec>,
    /// How many plies to look ahead; within a time, at most so many.
    pub depth: Option<u8>,
    /// Different tiles less this number, if that is deeper.
    pub distinct: Option<u8>,
    /// Less deep where there is room.
    pub empty: Vec<(u8, u8)>,
    /// The time for a move.
    pub time: Option<String>,
    /// What comes about less often is not looked into further.
    pub min_probability: f64,
    /// In so many plies chance does what is rare.
    pub full_plies: Option<u8>,
    /// The size of the table.
    pub table: String,
    /// Whether images of a position are one.
    pub canonical: bool,
    /// Whether the table may answer with what was found deeper.
    pub deeper: bool,
    /// Whether to leave what cannot matter.
    pub prune: bool,
    /// So many threads for one move.
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

/// So deep, where nothing else is said.
const DEPTH: u8 = 3;

impl Config {
    /// The parameters in words.
    pub fn parameters() -> Vec<Parameter> {
        let parameter = Parameter::new;
        vec![
            parameter(
                "value",
                "a value, as in `tc-ntuple(model: \"FILE\")`",
                "`rows` on a board",
                "what positions are worth where the search ends",
            ),
            parameter(
                "exact",
                "a value, as in `exact(model: \"FILE\")`",
                "None",
                "asked first for what it knows for certain: there the search ends",
            ),
            parameter(
                "depth",
                "1 to 32",
                "3; with a time, 32",
                "how many plies to look ahead; within a time, at most so many",
            ),
            parameter(
                "distinct",
                "0 to 16",
                "None",
                "look as many plies ahead as there are different tiles, less this, if that is more",
            ),
            parameter(
                "empty",
                "a list of pairs, as in [(7, 1), (4, 2)]",
                "[]",
                "with more than 7 empty cells 1 ply, with more than 4 only 2",
            ),
            parameter("time", "\"1ms\" and more", "None", "the time for a move"),
            parameter(
                "min_probability",
                "0 up to 1",
                "0",
                "what comes about less often is not looked into further",
            ),
            parameter(
                "full_plies",
                "0 to 32",
                "all",
                "in so many plies rare tiles enter, in those behind only the likely ones",
            ),
            parameter(
                "table",
                "\"1k\" and more, or \"none\"",
                "\"16M\"",
                "the size of the table of positions in bytes, for each thread that plays",
            ),
            parameter(
                "canonical",
                "true or false",
                "false",
                "whether the table takes the images of a position for one: right for values that do",
            ),
            parameter(
                "deeper",
                "true or false",
                "false",
                "whether the table may answer with what a deeper search found",
            ),
            parameter(
                "prune",
                "true or false",
                "false",
                "whether to leave what cannot matter, for values that are ratings: the worths \
                 of all actions but the best are then bounds",
            ),
            parameter("threads", "1 to 256", "1", "how many threads think about one move"),
        ]
    }

    /// How deep to look.
    pub fn read_depth(&self, game: &Description) -> Result<Depth, BuildError> {
        let allowed = 1..=MAX_PLIES;
        let least = match (self.depth, &self.time) {
            (Some(depth), _) if !allowed.contains(&depth) => {
                let message = format!("{depth} plies: 1 to {MAX_PLIES} are allowed");
                return Err(BuildError::of("depth", message));
            }
            (Some(depth), _) => depth,
            (None, Some(_)) => MAX_PLIES,
            (None, None) => DEPTH,
        };
        if self.distinct.is_none() && self.empty.is_empty() {
            return Ok(Depth::always(least));
        }
        let (parameter, of) = match self.distinct {
            Some(_) => ("distinct", "tiles"),
            None => ("empty", "empty cells"),
        };
        let Some(board) = &game.geometry else {
            return Err(BuildError::of(
                parameter,
                format!("the game has no board whose {of} count"),
            ));
        };
        if self.distinct.is_some_and(|less| less > 16) {
            return Err(BuildError::of("distinct", "0 to 16 are allowed"));
        }
        if let Some((_, plies)) = self.empty.iter().find(|(_, plies)| !allowed.contains(plies)) {
            let message = format!("{plies} plies: 1 to {MAX_PLIES} are allowed");
            return Err(BuildError::of("empty", message));
        }
        let cells = board.cells();
        if let Some((more_than, _)) = self.empty.iter().find(|(n, _)| usize::from(*n) >= cells) {
            let message = format!(
                "more than {more_than} empty cells: the board has {cells}, and 0 to {} are allowed",
                cells - 1
            );
            return Err(BuildError::of("empty", message));
        }
        Ok(Depth::by_board(least, self.distinct, self.empty.clone(), board))
    }

    /// The time for a move.
    pub fn read_time(&self) -> Result<Option<Duration>, BuildError> {
        let Some(text) = &self.time else { return Ok(None) };
        let time = quantity::duration(text).map_err(|error| BuildError::of("time", error))?;
        match time >= Duration::from_millis(1) {
            true => Ok(Some(time)),
            false => Err(BuildError::of("time", "1ms at least is needed")),
        }
    }

    /// What is left out.
    pub fn read_cuts(&self) -> Result<Cuts, BuildError> {
        if !(0.0..1.0).contains(&self.min_probability) {
            let message = "a probability from 0 up to, not with, 1 is allowed";
            return Err(BuildError::of("min_probability", message));
        }
        let full_plies = self.full_plies.unwrap_or(MAX_PLIES);
        if full_plies > MAX_PLIES {
            return Err(BuildError::of("full_plies", format!("0 to {MAX_PLIES} are allowed")));
        }
        Ok(Cuts { min_probability: self.min_probability, full_plies })
    }

    /// How many bytes the table has, if there is one. As many threads may play, each
    /// with its own.
    pub fn read_table(&self, memory: u64, players: usize) -> Result<Option<usize>, BuildError> {
        if self.table == "none" {
            return Ok(None);
        }
        let refuse = |message: String| BuildError::of("table", message);
        let bytes = quantity::bytes(&self.table)
            .map_err(|error| refuse(format!("{error}; \"none\" is allowed too")))?;
        if bytes < 1024 {
            return Err(refuse("\"1k\" at least, or \"none\", is allowed".to_owned()));
        }
        let most = memory / players.max(1) as u64;
        match usize::try_from(bytes) {
            Ok(fits) if bytes <= most => Ok(Some(fits)),
            _ => Err(refuse(format!(
                "{} for each of {players} threads that play is more memory than there is: \"{}M\" \
                 at most, or \"none\", is allowed",
                self.table,
                most >> 20
            ))),
        }
    }

    /// How many threads think about one move.
    pub fn read_threads(&self) -> Result<usize, BuildError> {
        match self.threads {
            1..=256 => Ok(self.threads),
            _ => Err(BuildError::of("threads", "1 to 256 are allowed")),
        }
    }
}
