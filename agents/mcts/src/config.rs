//! The parameters, as a spec gives them.

use crate::checks::{above_zero, choice, in_range, number};
use crate::options::{
    Backup, Budget, Chance, Choice, DEFAULT_EXPLORATION, FirstPlay, Rule, Scale, SearchOptions,
    Selection, Widening,
};
use runner_core::{BuildError, Description, Parameter, Spec, Value, ValueScale};
use runner_spec::quantity;
use serde::{Deserialize, Serialize};

/// The parameters of [`Mcts`](crate::Mcts).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Config {
    /// Evaluation of the leaves.
    pub value: Option<Spec>,
    /// Random games at each leaf.
    pub playouts: Option<u32>,
    /// Weight of the playouts where there is a value too.
    pub mix: Option<f64>,
    /// Limit of simulations of a move.
    pub simulations: Option<u64>,
    /// Limit of nodes that are added in a move.
    pub nodes: Option<u64>,
    /// Time limit of a move.
    pub time: Option<String>,
    /// The rule of selection.
    pub select: Option<String>,
    /// Weight of exploration.
    pub exploration: Option<f64>,
    /// Unit of exploration.
    pub scale: String,
    /// Urgency of an action without visits.
    pub first_play: Option<String>,
    /// Reduction of that urgency.
    pub first_play_reduction: Option<f64>,
    /// A value whose priors are used.
    pub prior: Option<Spec>,
    /// Temperature of priors from action values.
    pub prior_temperature: Option<f64>,
    /// Value of a position from those of its actions.
    pub backup: Option<String>,
    /// Evaluations of a position before its actions are added to the tree.
    pub expand_after: Option<u32>,
    /// Representation of chance events.
    pub chance: String,
    /// Exponent of progressive widening.
    pub widening: Option<f64>,
    /// Factor of progressive widening.
    pub widening_factor: Option<f64>,
    /// Which action is taken in the end.
    pub choice: String,
    /// Keeps the tree from move to move; `None` does so with a node for each outcome.
    pub keep: Option<bool>,
    /// Maximum size of the tree.
    pub memory: String,
    /// Leaves that are evaluated at a time.
    pub batch: Option<usize>,
    /// Number of threads for one move.
    pub threads: usize,
    /// How the threads share the work.
    pub parallel: Option<String>,
}

impl Default for Config {
    fn default() -> Self {
        Self {
            value: None,
            playouts: None,
            mix: None,
            simulations: None,
            nodes: None,
            time: None,
            select: None,
            exploration: None,
            scale: "deviation".to_owned(),
            first_play: None,
            first_play_reduction: None,
            prior: None,
            prior_temperature: None,
            backup: None,
            expand_after: None,
            chance: "closed".to_owned(),
            widening: None,
            widening_factor: None,
            choice: "visits".to_owned(),
            keep: None,
            memory: "64M".to_owned(),
            batch: None,
            threads: 1,
            parallel: None,
        }
    }
}

/// The number of simulations where no limit is given.
const DEFAULT_SIMULATIONS: u64 = 1000;

const MAX_SIMULATIONS: u64 = 1_000_000_000;
const MAX_PLAYOUTS: u32 = 100_000;
const MAX_EXPAND_AFTER: u32 = 1_000_000;
const MAX_BATCH: usize = 4096;
const MAX_THREADS: usize = 256;

impl Config {
    /// Returns the parameters with their help.
    pub fn parameters() -> Vec<Parameter> {
        let parameter = Parameter::new;
        vec![
            parameter(
                "value",
                "a value, as in `tc-ntuple(model: \"FILE\")`",
                "None: playouts",
                "Evaluation of the leaves",
            ),
            parameter(
                "playouts",
                "0 to 100000",
                "1; with `value`, 0",
                "Random games at each leaf, whose mean score is its value",
            ),
            parameter(
                "mix",
                "0 to 1",
                "0.5",
                "With `value` and `playouts`: weight of the playouts in the value of a leaf",
            ),
            parameter(
                "simulations",
                "1 to 1000000000",
                "1000, if neither `nodes` nor `time` is given",
                "Simulations for a move",
            ),
            parameter(
                "nodes",
                "1 to 1000000000",
                "None",
                "Nodes that a move adds to the tree; the search also ends after 16 `expand_after` \
                 simulations for each of them",
            ),
            parameter("time", quantity::TIME_LIMITS, "None", "Time limit for a move"),
            parameter(
                "select",
                "\"uct\" or \"puct\"",
                "`\"puct\"` with priors, otherwise `\"uct\"`",
                "Rule that selects an action in the tree",
            ),
            parameter(
                "exploration",
                "0 and more",
                "2; with `value`, 0.5",
                "Weight of exploration, in units of `scale`",
            ),
            parameter(
                "scale",
                "\"deviation\", \"range\" or \"points\"",
                "\"deviation\"",
                "Unit of exploration: the standard deviation of a position's returns, the range \
                 of the action values in the tree, or one point",
            ),
            parameter(
                "first_play",
                "\"try-all\", \"parent\", \"zero\" or \"estimate\"",
                "`\"estimate\"` with `value`; `\"parent\"` with priors only; otherwise `\"try-all\"`",
                "Urgency of an action without visits: infinite, by the mean return of the \
                 position, by 0, or by the value's estimate of the action",
            ),
            parameter(
                "first_play_reduction",
                "0 and more",
                "0",
                "With `first_play: \"parent\"`: subtracted from the urgency, in units of `scale`",
            ),
            parameter(
                "prior",
                "a value",
                "that of `value`, if it has priors; otherwise uniform",
                "Value whose action priors guide the search; if it has none, they are the \
                 softmax of its action values",
            ),
            parameter(
                "prior_temperature",
                "above 0",
                "0.2",
                "Temperature of that softmax, as a share of the difference between the best and \
                 the worst action",
            ),
            parameter(
                "backup",
                "\"mean\" or \"max\"",
                "`\"max\"` with a `value` that estimates actions and no playouts; otherwise `\"mean\"`",
                "Value of a position in the tree: the mean return of its simulations, or the value \
                 of its best action",
            ),
            parameter(
                "expand_after",
                "1 to 1000000",
                "16; with `value`, 1",
                "Evaluations of a position before its actions are added to the tree: the mean of few \
                 playouts says little",
            ),
            parameter(
                "chance",
                "\"closed\" or \"open\"",
                "\"closed\"",
                "Chance events: a node for each outcome, or one for all outcomes of an action",
            ),
            parameter(
                "widening",
                "above 0, at most 1",
                "None: all outcomes",
                "Exponent of progressive widening: a chance node with n visits has at most \
                 `widening_factor` n^`widening` outcomes",
            ),
            parameter("widening_factor", "above 0", "1", "Factor of progressive widening"),
            parameter(
                "choice",
                "\"visits\" or \"value\"",
                "\"visits\"",
                "Action that is taken: the most visited, or that with the largest mean return",
            ),
            parameter(
                "keep",
                "true or false",
                "true; with `chance: \"open\"`, false",
                "Keep the part of the tree below the new position from move to move. With \"open\" \
                 that part was searched for all outcomes, not for the one that came",
            ),
            parameter(
                "memory",
                "a size that holds one node and more",
                "\"64M\"",
                "Maximum size of the tree in bytes, for each thread that plays games; a full \
                 tree is searched on, but does not grow. With `keep`, half of it is for the copy \
                 that the next move makes",
            ),
            parameter(
                "batch",
                "1 to 4096",
                "32; with `value`, 8",
                "Leaves that a thread evaluates at a time; those that wait count as visits",
            ),
            parameter("threads", "1 to 256", "1", "Threads that search one move"),
            parameter(
                "parallel",
                "\"tree\" or \"root\"",
                "`\"tree\"` with a `value` that has priors; otherwise `\"root\"`",
                "What several threads search: one tree, or a tree each, with a share of the \
                 budget and of the memory. Only the second is reproducible",
            ),
        ]
    }

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
        let threads = in_range("threads", self.threads, 1, MAX_THREADS)?;
        let chance = self.read_chance()?;
        let default = match value {
            Some(_) => SearchOptions::by_value(DEFAULT_SIMULATIONS),
            None => SearchOptions::simulations(DEFAULT_SIMULATIONS),
        };
        let expand_after = self.expand_after.unwrap_or(default.expand_after);
        let batch = self.batch.unwrap_or(default.batch);
        let keep = self.keep.unwrap_or(chance != Chance::Open);
        // Threads with one tree take turns, which takes longer than to evaluate a leaf, unless a
        // network does it.
        let tree_per_thread = match &self.parallel {
            Some(name) => choice("parallel", name, &[("tree", false), ("root", true)])?,
            None => !value.is_some_and(Value::has_priors),
        };
        let mut options = SearchOptions {
            budget: self.read_budget()?,
            selection: self.read_selection(value, has_priors)?,
            backup: self.read_backup(value)?,
            expand_after: in_range("expand_after", expand_after, 1, MAX_EXPAND_AFTER)?,
            chance,
            choice: choice(
                "choice",
                &self.choice,
                &[("visits", Choice::Visits), ("value", Choice::Value)],
            )?,
            playouts: self.read_playouts(value)?,
            mix: self.read_mix(value.is_some())?,
            prior_temperature: self.read_prior_temperature(has_prior)?,
            batch: in_range("batch", batch, 1, MAX_BATCH)?,
            keep,
            memory: 0,
            threads,
            tree_per_thread,
        };
        let agents = (host_threads / threads).max(1);
        options.memory = self.read_memory(game, &options, memory / agents as u64)?;
        Ok(options)
    }

    fn read_budget(&self) -> Result<Budget, BuildError> {
        let count = |name, limit: Option<u64>| {
            limit.map(|limit| in_range(name, limit, 1, MAX_SIMULATIONS)).transpose()
        };
        let time = self.time.as_deref().map(quantity::time_limit).transpose();
        let time = time.map_err(|error| BuildError::of("time", error))?;
        let nodes = count("nodes", self.nodes)?;
        let default = Some(DEFAULT_SIMULATIONS).filter(|_| nodes.is_none() && time.is_none());
        Ok(Budget { simulations: count("simulations", self.simulations)?.or(default), nodes, time })
    }

    fn read_selection(
        &self,
        value: Option<&dyn Value>,
        has_priors: bool,
    ) -> Result<Selection, BuildError> {
        let rule = match &self.select {
            Some(name) => choice("select", name, &[("uct", Rule::Uct), ("puct", Rule::Puct)])?,
            None if has_priors => Rule::Puct,
            None => Rule::Uct,
        };
        let reduction = number("first_play_reduction", self.first_play_reduction.unwrap_or(0.0))?;
        if self.prior.is_some() && rule == Rule::Uct {
            return Err(BuildError::of("prior", "has no effect with `select: \"uct\"`"));
        }
        let has_estimates = value.is_some_and(|value| !value.has_priors());
        let names = [
            ("try-all", FirstPlay::TryAll),
            ("parent", FirstPlay::Parent { reduction }),
            ("zero", FirstPlay::Zero),
            ("estimate", FirstPlay::Estimate),
        ];
        let first_play = match &self.first_play {
            Some(name) => choice("first_play", name, &names)?,
            None if has_estimates => FirstPlay::Estimate,
            None if has_priors => FirstPlay::Parent { reduction },
            None => FirstPlay::TryAll,
        };
        if first_play == FirstPlay::Estimate && !has_estimates {
            let message = "a `value` that estimates actions is needed for \"estimate\"";
            return Err(BuildError::of("first_play", message));
        }
        let is_parent = matches!(first_play, FirstPlay::Parent { .. });
        if self.first_play_reduction.is_some() && !is_parent {
            let message = "has an effect with `first_play: \"parent\"` only";
            return Err(BuildError::of("first_play_reduction", message));
        }
        let scales =
            [("deviation", Scale::Deviation), ("range", Scale::Range), ("points", Scale::Points)];
        let scale = choice("scale", &self.scale, &scales)?;
        // Estimates vary less than the scores of playouts.
        let default = match value {
            Some(_) => DEFAULT_EXPLORATION / 4.0,
            None => DEFAULT_EXPLORATION,
        };
        let exploration = number("exploration", self.exploration.unwrap_or(default))?;
        Ok(Selection { rule, exploration, first_play, scale })
    }

    fn read_chance(&self) -> Result<Chance, BuildError> {
        let open = choice("chance", &self.chance, &[("closed", false), ("open", true)])?;
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
        if !(exponent > 0.0 && exponent <= 1.0) {
            let message = format!("{exponent} is not above 0 and at most 1");
            return Err(BuildError::of("widening", message));
        }
        let factor = above_zero("widening_factor", self.widening_factor.unwrap_or(1.0))?;
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
            _ => in_range("playouts", playouts, 0, MAX_PLAYOUTS),
        }
    }

    fn read_mix(&self, has_value: bool) -> Result<f64, BuildError> {
        let both = has_value && self.playouts.unwrap_or(0) > 0;
        match self.mix {
            Some(_) if !both => {
                Err(BuildError::of("mix", "has an effect with both `value` and `playouts` only"))
            }
            Some(mix) if !(0.0..=1.0).contains(&mix) => {
                Err(BuildError::of("mix", format!("{mix} is not from 0 to 1")))
            }
            mix => Ok(mix.unwrap_or(0.5)),
        }
    }

    fn read_backup(&self, value: Option<&dyn Value>) -> Result<Backup, BuildError> {
        // The best of several actions is overestimated by the noise of their playouts.
        let estimates_actions = value.is_some_and(|value| !value.has_priors());
        let has_playouts = self.playouts.unwrap_or(0) > 0;
        match &self.backup {
            Some(name) => choice("backup", name, &[("mean", Backup::Mean), ("max", Backup::Max)]),
            None if estimates_actions && !has_playouts => Ok(Backup::Max),
            None => Ok(Backup::Mean),
        }
    }

    fn read_prior_temperature(&self, has_prior: bool) -> Result<f64, BuildError> {
        match self.prior_temperature {
            Some(_) if !has_prior => {
                Err(BuildError::of("prior_temperature", "has no effect without `prior`"))
            }
            Some(temperature) => above_zero("prior_temperature", temperature),
            None => Ok(0.2),
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
