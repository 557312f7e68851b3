//! The parameters, as a spec gives them.

use crate::options::{
    Backup, Budget, Chance, Choice, FirstPlay, Growth, Rule, Scale, SearchOptions, Selection,
    Widening,
};
use runner_core::{
    BuildError, Description, Parameters, Spec, TimeLimit, Value, ValueScale, parameters, words,
};
use runner_spec::quantity;

parameters! {
    /// The parameters of [`Mcts`](crate::Mcts).
    pub struct Config {
        /// Evaluation of the leaves
        pub value: Option<Spec> = None,
            value().like("tc-ntuple(model: \"FILE\")").unset("None: playouts");
        /// Random games at each leaf, whose mean score is its value
        pub playouts: Option<u32> = None, range(0..=100_000).unset("1; with `value`, 0");
        /// With `value` and `playouts`: weight of the playouts in the value of a leaf
        pub mix: Option<f64> = None, range(0.0..=1.0).unset("0.5");
        /// Simulations for a move
        pub simulations: Option<u64> = None,
            range(1..=1_000_000_000u64).unset("1000, if neither `nodes` nor `time` is given");
        /// Nodes that a move adds to the tree; the search also ends after 16 `expand_after`
        /// simulations for each of them
        pub nodes: Option<u64> = None, range(1..=1_000_000_000u64);
        /// Time limit for a move
        pub time: Option<TimeLimit> = None;
        /// Rule that selects an action in the tree
        pub select: Option<Rule> = None,
            any::<Rule>().unset("`\"puct\"` with priors, otherwise `\"uct\"`");
        /// Weight of exploration, in units of `scale`
        pub exploration: Option<f64> = None,
            range(0.0..=MAX_NUMBER).unset("2; with `value`, 0.5; with `positions`, 8");
        /// Unit of exploration: the standard deviation of a position's returns, the range of the
        /// action values in the tree, or one point
        pub scale: Scale = Scale::Deviation;
        /// Urgency of an action without visits: infinite, by the mean return of the position, by
        /// 0, or by the value's estimate of the action
        pub first_play: Option<FirstPlay> = None,
            any::<FirstPlay>().unset(
                "`\"estimate\"` with `value`; `\"parent\"` with priors only; otherwise `\"try-all\"`",
            );
        /// With `first_play: "parent"`: subtracted from the urgency, in units of `scale`
        pub first_play_reduction: Option<f64> = None, range(0.0..=MAX_NUMBER).unset("0");
        /// Value whose action priors guide the search; if it has none, they are the softmax of
        /// its action values
        pub prior: Option<Spec> = None,
            value().unset("that of `value`, if it has priors; otherwise uniform");
        /// Temperature of that softmax, as a share of the difference between the best and the
        /// worst action
        pub prior_temperature: Option<f64> = None, range(1.0 / MAX_NUMBER..=MAX_NUMBER).unset("0.2");
        /// Value of a position in the tree: the mean return of its simulations, or the value of
        /// its best action
        pub backup: Option<Backup> = None,
            any::<Backup>().unset(
                "`\"max\"` with `positions`, or with a `value` that estimates actions and no \
                 playouts; otherwise `\"mean\"`",
            );
        /// Evaluations of a position before its actions are added to the tree: the mean of few
        /// playouts says little
        pub expand_after: Option<u32> = None, range(1..=1_000_000).unset("16; with `value`, 1");
        /// In place of `expand_after`: positions that a simulation adds to the tree before its
        /// playout. A position then has one node, and the search of a small game becomes exact
        pub positions: Option<u32> = None,
            range(1..=1_000_000).unset("with playouts alone, 8 on boards of up to 6 cells; otherwise none");
        /// Chance events: a node for each outcome, or one for all outcomes of an action
        pub chance: ChanceNodes = ChanceNodes::Closed;
        /// Exponent of progressive widening: a chance node with n visits has at most
        /// `widening_factor` n^`widening` outcomes
        pub widening: Option<f64> = None, above(0.0).up_to(1.0).unset("None: all outcomes");
        /// Factor of progressive widening
        pub widening_factor: Option<f64> = None, range(1.0 / MAX_NUMBER..=MAX_NUMBER).unset("1");
        /// Action that is taken: the most visited, or that with the largest mean return
        pub choice: Option<Choice> = None,
            any::<Choice>().unset("`\"visits\"`; with `positions`, `\"value\"`");
        /// Keep the part of the tree below the new position from move to move. With "open" that
        /// part was searched for all outcomes, not for the one that came
        pub keep: Option<bool> = None,
            any::<bool>().unset("true; with `chance: \"open\"`, false");
        /// Maximum size of the tree in bytes, for each thread that plays games; a full tree is
        /// searched on, but does not grow. With `keep`, half of it is for the copy that the next
        /// move makes
        pub memory: String = "64M".to_owned(),
            size(1).form("a size that holds one node and more");
        /// Leaves that a thread evaluates at a time; those that wait count as visits
        pub batch: Option<usize> = None, range(1..=4096).unset("32; with `value`, 8");
        /// Threads that search one move
        pub threads: usize = 1, threads();
        /// What several threads search: one tree, or a tree each, with a share of the budget and
        /// of the memory. Only the second is reproducible
        pub parallel: Option<Parallel> = None,
            any::<Parallel>().unset("`\"tree\"` with a `value` that has priors; otherwise `\"root\"`");
    }
}

words! {
    /// The representation of chance events; see [`Chance`].
    #[derive(Copy)]
    pub enum ChanceNodes {
        /// A node for each outcome.
        Closed = "closed",
        /// One node for all outcomes of an action.
        Open = "open",
    }
}

words! {
    /// What several threads search.
    #[derive(Copy)]
    pub enum Parallel {
        /// One tree.
        Tree = "tree",
        /// A tree each.
        Root = "root",
    }
}

/// The number of simulations where no limit is given.
const DEFAULT_SIMULATIONS: u64 = 1000;

/// The largest number of cells of a board whose positions a tree soon holds. On 2 x 4 cells it gains
/// from 10,000 simulations on, on 3 x 3 not yet.
const SMALL_BOARD: usize = 6;

/// The default of `positions` on such a board.
const DEFAULT_POSITIONS: u32 = 8;

/// The largest number of a parameter. Products and quotients with scores stay finite.
const MAX_NUMBER: f64 = 1e6;

impl Config {
    /// Returns the options of the search, or the parameter that is wrong. The threads of the
    /// host and its memory, in bytes, are shared by all agents that play at once.
    pub fn options(
        &self,
        game: &Description,
        value: Option<&dyn Value>,
        has_prior: bool,
        (host_threads, memory): (usize, u64),
    ) -> Result<SearchOptions, BuildError> {
        let has_priors = has_prior || value.is_some_and(Value::has_priors);
        self.check()?;
        let chance = self.read_chance()?;
        let positions = self.read_positions(game, value.is_some() || has_prior, chance)?;
        let default = match (value, positions) {
            (Some(_), _) => SearchOptions::by_value(DEFAULT_SIMULATIONS),
            (None, Some(_)) => SearchOptions::of_small_game(DEFAULT_SIMULATIONS),
            (None, None) => SearchOptions::simulations(DEFAULT_SIMULATIONS),
        };
        let growth = match positions {
            Some(positions) => Growth::Before(positions),
            None => self.expand_after.map_or(default.growth, Growth::After),
        };
        let batch = self.batch.unwrap_or(default.batch);
        let keep = self.keep.unwrap_or(chance != Chance::Open);
        // Threads with one tree take turns, which takes longer than to evaluate a leaf, unless a
        // network does it.
        let tree_per_thread = match &self.parallel {
            Some(parallel) => *parallel == Parallel::Root,
            None => !value.is_some_and(Value::has_priors),
        };
        let mut options = SearchOptions {
            budget: self.budget(),
            selection: self.read_selection(value, has_priors, default.selection.exploration)?,
            backup: self.backup(value, default.backup),
            growth,
            chance,
            choice: self.choice.unwrap_or(default.choice),
            playouts: self.read_playouts(value)?,
            mix: self.read_mix(value.is_some())?,
            prior_temperature: self.read_prior_temperature(has_prior)?,
            batch,
            keep,
            memory: 0,
            threads: self.threads,
            tree_per_thread,
        };
        let agents = (host_threads / self.threads).max(1);
        options.memory = self.read_memory(game, &options, memory / agents as u64)?;
        Ok(options)
    }

    fn budget(&self) -> Budget {
        let Self { simulations, nodes, .. } = *self;
        let time = self.time.as_ref().map(TimeLimit::get);
        let default = Some(DEFAULT_SIMULATIONS).filter(|_| nodes.is_none() && time.is_none());
        Budget { simulations: simulations.or(default), nodes, time }
    }

    fn read_selection(
        &self,
        value: Option<&dyn Value>,
        has_priors: bool,
        exploration: f64,
    ) -> Result<Selection, BuildError> {
        let default = if has_priors { Rule::Puct } else { Rule::Uct };
        let rule = self.select.unwrap_or(default);
        if self.prior.is_some() && rule == Rule::Uct {
            return Err(BuildError::of("prior", "has no effect with `select: \"uct\"`"));
        }
        let has_estimates = value.is_some_and(|value| !value.has_priors());
        let default = match (has_estimates, has_priors) {
            (true, _) => FirstPlay::Estimate,
            (false, true) => FirstPlay::Parent,
            (false, false) => FirstPlay::TryAll,
        };
        let first_play = self.first_play.unwrap_or(default);
        if first_play == FirstPlay::Estimate && !has_estimates {
            let message = "a `value` that estimates actions is needed for \"estimate\"";
            return Err(BuildError::of("first_play", message));
        }
        if self.first_play_reduction.is_some() && first_play != FirstPlay::Parent {
            let message = "has an effect with `first_play: \"parent\"` only";
            return Err(BuildError::of("first_play_reduction", message));
        }
        let exploration = self.exploration.unwrap_or(exploration);
        let first_play_reduction = self.first_play_reduction.unwrap_or(0.0);
        Ok(Selection { rule, exploration, first_play, first_play_reduction, scale: self.scale })
    }

    fn read_chance(&self) -> Result<Chance, BuildError> {
        let open = self.chance == ChanceNodes::Open;
        let Some(exponent) = self.widening else {
            return match (self.widening_factor, open) {
                (Some(_), _) => {
                    let message = "has no effect without `widening`";
                    Err(BuildError::of("widening_factor", message))
                }
                (None, true) => Ok(Chance::Open),
                (None, false) => Ok(Chance::Closed { widening: None }),
            };
        };
        if open {
            let message = "has no effect with `chance: \"open\"`, which has no chance nodes";
            return Err(BuildError::of("widening", message));
        }
        let factor = self.widening_factor.unwrap_or(1.0);
        Ok(Chance::Closed { widening: Some(Widening { exponent, factor }) })
    }

    fn read_playouts(&self, value: Option<&dyn Value>) -> Result<u32, BuildError> {
        let playouts = self.playouts.unwrap_or(u32::from(value.is_none()));
        match value {
            None if playouts == 0 => {
                let message = "0 is too few without a `value`: 1 to 100000 are allowed";
                Err(BuildError::of("playouts", message))
            }
            Some(value) if playouts > 0 && value.scale() != ValueScale::Points => {
                let message = "playouts score points and `value` is a rating, so they cannot be \
                               mixed: use a learned `value`, or `playouts: 0`";
                Err(BuildError::of("playouts", message))
            }
            _ => Ok(playouts),
        }
    }

    fn read_mix(&self, has_value: bool) -> Result<f64, BuildError> {
        let both = has_value && self.playouts.unwrap_or(0) > 0;
        match self.mix {
            Some(_) if !both => {
                Err(BuildError::of("mix", "has an effect with both `value` and `playouts` only"))
            }
            mix => Ok(mix.unwrap_or(0.5)),
        }
    }

    fn backup(&self, value: Option<&dyn Value>, default: Backup) -> Backup {
        // The best of several actions is overestimated by the noise of their playouts.
        let estimates_actions = value.is_some_and(|value| !value.has_priors());
        let has_playouts = self.playouts.unwrap_or(0) > 0;
        let default = if estimates_actions && !has_playouts { Backup::Max } else { default };
        self.backup.unwrap_or(default)
    }

    fn read_positions(
        &self,
        game: &Description,
        is_guided: bool,
        chance: Chance,
    ) -> Result<Option<u32>, BuildError> {
        let obstacle = match (is_guided, chance, self.expand_after) {
            (true, ..) => "`value` and `prior`",
            (_, Chance::Open, _) => "`chance: \"open\"`",
            (_, Chance::Closed { widening: Some(_) }, _) => "`widening`",
            (_, _, Some(_)) => "`expand_after`",
            _ => {
                let is_small =
                    game.geometry.as_ref().is_some_and(|board| board.cells() <= SMALL_BOARD);
                return Ok(self.positions.or(is_small.then_some(DEFAULT_POSITIONS)));
            }
        };
        match self.positions {
            Some(_) => {
                Err(BuildError::of("positions", format!("cannot be combined with {obstacle}")))
            }
            None => Ok(None),
        }
    }

    fn read_prior_temperature(&self, has_prior: bool) -> Result<f64, BuildError> {
        match self.prior_temperature {
            Some(_) if !has_prior => {
                Err(BuildError::of("prior_temperature", "has no effect without `prior`"))
            }
            temperature => Ok(temperature.unwrap_or(0.2)),
        }
    }

    /// Returns the size of all trees in bytes. It must hold the roots of all trees, and be
    /// at most `most`.
    fn read_memory(
        &self,
        game: &Description,
        options: &SearchOptions,
        most: u64,
    ) -> Result<usize, BuildError> {
        let refuse = |message: String| Err(BuildError::of("memory", message));
        let bytes = match quantity::bytes(&self.memory) {
            Ok(bytes) => bytes,
            Err(error) => return refuse(error),
        };
        let least = options.min_memory(game.actions.len()) as u64;
        if bytes < least {
            return refuse(format!(
                "{bytes} bytes hold no node: {least} bytes at least are needed, \"{}k\"",
                least.div_ceil(1024)
            ));
        }
        match usize::try_from(bytes) {
            Ok(fits) if bytes <= most => Ok(fits),
            _ => refuse(format!(
                "{} for each thread that plays is more memory than there is: \"{}M\" at most",
                self.memory,
                most >> 20
            )),
        }
    }
}
