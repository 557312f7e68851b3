//! The parameters, as a spec gives them.

use crate::options::{Backup, Budget, FirstPlay, Growth, Rule, SearchOptions, Selection};
use runner_core::{BuildError, Description, Spec, TimeLimit, Value, parameters};
use runner_spec::quantity;

parameters! {
    /// The parameters of [`Mcts`](crate::Mcts).
    pub struct Config {
        /// Evaluation of the leaves
        pub value: Option<Spec> = None,
            value().like("tc-ntuple(model: \"FILE\")").unset("None: playouts");
        /// Without `value`: random games at each leaf, whose mean score is its value
        pub playouts: Option<u32> = None, range(1..=100_000).unset("1");
        /// Simulations for a move
        pub simulations: Option<u64> = None,
            range(1..=1_000_000_000u64).unset("1000, if `time` is not given");
        /// Time limit for a move
        pub time: Option<TimeLimit> = None;
        /// Weight of exploration, in units of the standard deviation of a position's returns
        pub exploration: Option<f64> = None,
            range(0.0..=1e6).unset("2; with `value`, 0.5; with `positions`, 8");
        /// Value whose action priors guide the search; if it has none, they are the softmax of
        /// its action values
        pub prior: Option<Spec> = None,
            value().unset("that of `value`, if it has priors; otherwise uniform");
        /// Value of a position in the tree: the mean return of its simulations, or the value of
        /// its best action
        pub backup: Option<Backup> = None,
            any::<Backup>().unset(
                "`\"max\"` with `positions`, or with a `value` that estimates actions; otherwise \
                 `\"mean\"`",
            );
        /// Evaluations of a position before its actions are added to the tree: the mean of few
        /// playouts says little
        pub expand_after: Option<u32> = None, range(1..=1_000_000).unset("16; with `value`, 1");
        /// In place of `expand_after`: positions that a simulation adds to the tree before its
        /// playout. A position then has one node, and the search of a small game becomes exact
        pub positions: Option<u32> = None,
            range(1..=1_000_000).unset("with playouts alone, 8 on boards of up to 6 cells; otherwise none");
        /// Maximum size of the tree in bytes, for each thread that plays games; a full tree is
        /// searched on, but does not grow. Half of it is for the copy that the next move makes
        pub memory: String = "64M".to_owned(),
            size(1).form("a size that holds one node and more");
        /// Leaves that a thread evaluates at a time; those that wait count as visits
        pub batch: Option<usize> = None, range(1..=4096).unset("32; with `value`, 8");
        /// Threads that search one move: a tree each, with a share of `simulations` and of `memory`
        pub threads: usize = 1, threads();
    }
}

/// The number of simulations if neither `simulations` nor `time` is given.
const DEFAULT_SIMULATIONS: u64 = 1000;

/// Maximum number of cells of boards on which `positions` is the default, because a tree soon
/// holds all positions. On 2 x 4 cells, `positions` helps only with 10,000 simulations or more; on
/// 3 x 3 cells, it does not help with as many either.
const SMALL_BOARD: usize = 6;

/// The default of `positions` on such a board.
const DEFAULT_POSITIONS: u32 = 8;

impl Config {
    /// Returns the options of the search, or an error that names a parameter. `value` is that of
    /// the parameter; `has_prior` is true if `prior` is given. All agents that play at once share
    /// `host_threads` threads and `memory` bytes.
    pub fn options(
        &self,
        game: &Description,
        value: Option<&dyn Value>,
        has_prior: bool,
        host_threads: usize,
        memory: u64,
    ) -> Result<SearchOptions, BuildError> {
        let value_has_priors = value.is_some_and(Value::has_priors);
        let estimates_actions = value.is_some() && !value_has_priors;
        let has_priors = has_prior || value_has_priors;
        if value.is_some() && self.playouts.is_some() {
            return Err(BuildError::of(
                "playouts",
                "has no effect with `value`, which replaces them",
            ));
        }
        let positions = self.read_positions(game, value.is_some() || has_prior)?;
        let default = if value.is_some() {
            SearchOptions::by_value(DEFAULT_SIMULATIONS)
        } else if positions.is_some() {
            // Also if `positions` is given on a large board: it is meant for small games.
            SearchOptions::of_small_game(DEFAULT_SIMULATIONS)
        } else {
            SearchOptions::simulations(DEFAULT_SIMULATIONS)
        };
        let growth = match positions {
            Some(positions) => Growth::Before(positions),
            None => self.expand_after.map_or(default.growth, Growth::After),
        };
        let time = self.time.as_ref().map(TimeLimit::get);
        let simulations =
            self.simulations.or_else(|| time.is_none().then_some(DEFAULT_SIMULATIONS));
        let is_guided = estimates_actions || has_priors;
        let selection = Selection {
            rule: if has_priors { Rule::Puct } else { Rule::Uct },
            exploration: self.exploration.unwrap_or(default.selection.exploration),
            first_play: if is_guided { FirstPlay::Parent } else { FirstPlay::TryAll },
            ..default.selection
        };
        let backup = if estimates_actions { Backup::Max } else { default.backup };
        let mut options = SearchOptions {
            budget: Budget { simulations, time },
            selection,
            backup: self.backup.unwrap_or(backup),
            growth,
            playouts: self.playouts.unwrap_or(1),
            batch: self.batch.unwrap_or(default.batch),
            // Set below, because its minimum depends on the other options.
            memory: 0,
            threads: self.threads,
        };
        let agents = (host_threads / self.threads).max(1);
        options.memory = self.read_memory(game, &options, memory / agents as u64)?;
        Ok(options)
    }

    /// Returns the number of positions that a simulation adds, or `None` if positions are added by
    /// `expand_after`. `is_guided` is true if there is a value or a prior.
    fn read_positions(
        &self,
        game: &Description,
        is_guided: bool,
    ) -> Result<Option<u32>, BuildError> {
        let obstacle = if is_guided {
            Some("`value` and `prior`")
        } else {
            self.expand_after.map(|_| "`expand_after`")
        };
        if let Some(obstacle) = obstacle {
            if self.positions.is_some() {
                let message = format!("cannot be combined with {obstacle}");
                return Err(BuildError::of("positions", message));
            }
            return Ok(None);
        }
        let is_small = game.geometry.as_ref().is_some_and(|board| board.cells() <= SMALL_BOARD);
        Ok(self.positions.or(is_small.then_some(DEFAULT_POSITIONS)))
    }

    /// Returns the size of all trees in bytes. It must hold the roots of all trees, and be at most
    /// `max` bytes.
    fn read_memory(
        &self,
        game: &Description,
        options: &SearchOptions,
        max: u64,
    ) -> Result<usize, BuildError> {
        let refuse = |message: String| BuildError::of("memory", message);
        let bytes = quantity::bytes(&self.memory).map_err(refuse)?;
        let least = options.min_memory(game.actions.len()) as u64;
        if bytes < least {
            return Err(refuse(format!(
                "{bytes} bytes hold no node: {least} bytes at least are needed, \"{}k\"",
                least.div_ceil(1024)
            )));
        }
        match usize::try_from(bytes) {
            Ok(fits) if bytes <= max => Ok(fits),
            _ => Err(refuse(format!(
                "{} for each thread that plays is more memory than there is: \"{}M\" at most",
                self.memory,
                max >> 20
            ))),
        }
    }
}
