//! `expectimax`: expectimax search for any game, with any value as static evaluation.
//!
//! ```text
//! expectimax(depth: 3, value: tc-ntuple(model: "a.model"))
//! expectimax(time: "10ms", value: tc-ntuple(model: "a.model"))
//! expectimax(depth: 3, distinct: 2, min_probability: 0.0001)
//! ```
//!
//! Depth is counted as by Yeh and others (*Multi-Stage Temporal Difference Learning for 2048-like
//! Games*, 2016): one ply is the best action by reward and value of its afterstate, two plies
//! expand one chance node, and so on.
#![forbid(unsafe_code)]

mod config;
pub mod depth;
mod last_ply;
mod leaf_batch;
pub mod options;
mod other_lines;
mod parallel;
pub mod scratch;
pub mod search;
pub mod transposition;
mod unfamiliar;

pub use config::Config;
pub use options::{MAX_PLIES, SearchOptions};
pub use scratch::SearchStats;

use depth::Deepening;
use last_ply::LastPly;
use runner_core::rows::RowTables;
use runner_core::{
    Action, Agent, AgentPlugin, Analysis, BuildContext, BuildError, Fault, Game, Host, MAX_ACTIONS,
    Plugin, State, Successor, Turn, Value, ValueScale, value_facts,
};
use scratch::Scratch;
use search::Search;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use transposition::TranspositionTable;
use unfamiliar::{DEFAULT, Unfamiliar};

pub struct Expectimax<V = Arc<dyn Value>> {
    value: V,
    exact: Option<Arc<dyn Value>>,
    /// The search of positions of which the estimates of `value` are guesses.
    unfamiliar: Option<Unfamiliar<Expectimax>>,
    /// The tables of the last ply, if game and value have tables. All clones share them.
    last_ply: Arc<OnceLock<Option<LastPly>>>,
    options: SearchOptions,
    host: Arc<dyn Host>,
    table: Option<TranspositionTable>,
    scratch: Vec<Scratch>,
    /// Number of searches since the table was empty: its low bits are the age of their entries.
    age: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult {
    /// The action to take: the best at the depth of `plies`. If the time limit expired during the
    /// next depth, which begins with that action, it is the best of those that were searched there.
    /// `None` if there is no legal action.
    pub best: Option<Action>,
    /// The legal actions with their values at the depth of `plies`, or one ply deeper where the time
    /// limit allowed it.
    pub action_values: Vec<(Action, f32)>,
    /// The depth that was searched completely, in plies.
    pub plies: u8,
    pub stats: SearchStats,
}

impl<V: Value> Expectimax<V> {
    /// Creates an agent that searches with these options. Searches on several threads use
    /// those of the host.
    ///
    /// # Panics
    ///
    /// Raises a [`Fault`] if the transposition table cannot be allocated.
    pub fn with_options(value: V, options: SearchOptions, host: Arc<dyn Host>) -> Self {
        let scratch = (0..options.threads).map(|_| Scratch::default()).collect();
        let table = options.table_bytes.map(|bytes| {
            TranspositionTable::new(bytes).unwrap_or_else(|| {
                let message = format!(
                    "cannot allocate {bytes} bytes for the transposition table: lower `table`"
                );
                Fault::new(message).raise()
            })
        });
        let (exact, unfamiliar, last_ply) = (None, None, Arc::default());
        Self { value, exact, unfamiliar, last_ply, options, host, table, scratch, age: 0 }
    }

    pub fn with_exact(self, exact: Arc<dyn Value>) -> Self {
        Self { exact: Some(exact), ..self }
    }

    /// Prepares the last ply by tables, which needs a value without rewards and no exact
    /// values.
    fn prepare_last_ply(&self, game: &RowTables) -> Option<LastPly> {
        let value = self.value.tables()?;
        let has_rewards = self.value.scale().reward_weight() != 0.0;
        (!has_rewards && self.exact.is_none()).then(|| LastPly::new(game, value))
    }

    /// Returns the last ply by tables for this game, and prepares it at the first call.
    fn last_ply<'a, G: Game>(
        &self,
        game: &G,
        prepared: &'a OnceLock<Option<LastPly>>,
    ) -> Option<&'a LastPly> {
        let tables = game.tables()?;
        let last_ply = prepared.get_or_init(|| self.prepare_last_ply(tables));
        last_ply.as_ref().filter(|last_ply| last_ply.is_of(tables))
    }

    pub fn search<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> SearchResult {
        let mut deepening = self.options.time.map(Deepening::within);
        self.age += 1;
        let count = turn.successors.len();
        let prepared = self.last_ply.clone();
        let last_ply = self.last_ply(game, &prepared);
        let mut values = [0.0; MAX_ACTIONS];
        let max_plies = if count == 0 { 0 } else { self.options.depth.of(turn.state) };
        let (mut best, mut completed) = (None, 0);
        let mut stats = SearchStats::default();
        // A search with a deadline deepens iteratively.
        let min_plies = if deepening.is_some() { 1 } else { max_plies.max(1) };
        for plies in min_plies..=max_plies {
            let is_parallel = self.options.threads > 1 && plies > 2;
            // One thread has compared some of the actions after half of a depth, several have none.
            let share = if is_parallel { 1.0 } else { 0.5 };
            if deepening.as_ref().is_some_and(|deepening| !deepening.next_fits(share)) {
                break;
            }
            let aborted = AtomicBool::new(false);
            let mut search = Search::new(game, &self.value, &aborted);
            search.exact = self.exact.as_deref();
            search.last_ply = last_ply;
            search.min_probability = self.options.min_probability;
            search.table = self.table.as_ref().filter(|_| gains_by_table(plies, last_ply));
            search.age = self.age as u8;
            search.first = best;
            // The first ply has no deadline, because there must be an answer.
            let limited = deepening.as_ref().filter(|_| plies > 1);
            search.deadline = limited.and_then(Deepening::deadline);
            // The values of the last depth order the moves of this one.
            let mut deeper = values;
            let deeper_values = &mut deeper[..count];
            let max_outcomes = game.description().max_outcomes;
            self.scratch.iter_mut().for_each(|scratch| scratch.prepare(plies, max_outcomes));
            let found = if is_parallel {
                let (host, scratch) = (&*self.host, &mut self.scratch);
                parallel::search_root(&search, host, scratch, turn.successors, plies, deeper_values)
            } else {
                search.search_root(&mut self.scratch[0], turn.successors, plies, deeper_values)
            };
            let mut iteration = SearchStats::default();
            self.scratch.iter().for_each(|scratch| iteration.add(scratch.stats));
            stats.add(iteration);
            (values, best) = (deeper, found.or(best));
            if aborted.load(Relaxed) {
                break;
            }
            completed = plies;
            if let Some(deepening) = &mut deepening {
                deepening.add(deepening.start.elapsed());
            }
            // Without leaves, a deeper search finds the same.
            if iteration.leaves == 0 && iteration.hits == 0 && plies > 1 {
                break;
            }
        }
        let best = best.map(|k| turn.successors[k].action);
        let action_values =
            turn.successors.iter().zip(values).map(|(s, value)| (s.action, value)).collect();
        SearchResult { best, action_values, plies: completed, stats }
    }

    /// Returns the line of the last search, which had this depth. Its table answers most of it.
    fn line<G: Game>(&mut self, game: &G, choice: Successor, plies: u8) -> String {
        let prepared = self.last_ply.clone();
        let aborted = AtomicBool::new(false);
        let mut search = Search::new(game, &self.value, &aborted);
        search.exact = self.exact.as_deref();
        search.last_ply = self.last_ply(game, &prepared);
        search.min_probability = self.options.min_probability;
        search.table = self.table.as_ref().filter(|_| gains_by_table(plies, search.last_ply));
        search.age = self.age as u8;
        self.scratch[0].prepare(plies, game.description().max_outcomes);
        search.line(&mut self.scratch[0], choice, plies)
    }
}

/// Returns true if a search to this depth is faster with a transposition table. Positions rarely repeat
/// within two plies, where lookups cost a seventh of the time. Within three they often do, but then the
/// last ply by tables is as cheap as a lookup.
fn gains_by_table(plies: u8, last_ply: Option<&LastPly>) -> bool {
    plies > if last_ply.is_some() { 3 } else { 2 }
}

impl<V: Value + Clone> Clone for Expectimax<V> {
    fn clone(&self) -> Self {
        let copy = Self::with_options(self.value.clone(), self.options.clone(), self.host.clone());
        let (exact, last_ply) = (self.exact.clone(), self.last_ply.clone());
        Self { exact, unfamiliar: self.unfamiliar.clone(), last_ply, ..copy }
    }
}

impl<V: Value + Clone> Agent for Expectimax<V> {
    fn begin<G: Game>(&mut self, game: &G, _: State) {
        self.unfamiliar.iter_mut().for_each(Unfamiliar::begin);
        // Otherwise the tables would be made at the first move, within its time limit.
        self.last_ply(game, &self.last_ply);
        if self.age > 0 && self.options.has_path_dependent_entries() {
            self.table.iter_mut().for_each(TranspositionTable::clear);
            self.age = 0;
        }
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        match &**turn.successors {
            [only] => Some(only.action),
            _ => match Unfamiliar::of(&mut self.unfamiliar, &self.value, turn) {
                Some(unfamiliar) => unfamiliar.search(game, turn.state).act(game, turn),
                None => self.search(game, turn).best,
            },
        }
    }

    fn threads(&self) -> usize {
        self.options.threads
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        if let Some(unfamiliar) = Unfamiliar::of(&mut self.unfamiliar, &self.value, turn) {
            return unfamiliar.analyse(game, turn);
        }
        let SearchResult { best, action_values, plies, stats } = self.search(game, turn);
        let mut facts = vec![
            ("plies".to_owned(), u64::from(plies).into()),
            ("nodes".to_owned(), stats.nodes.into()),
            ("table hits".to_owned(), stats.hits.into()),
            ("leaves".to_owned(), stats.leaves.into()),
        ];
        facts.extend(value_facts(&self.value, turn, best));
        if plies > 1
            && let Some(first) = best.and_then(|best| turn.successors.of(best))
        {
            facts.push(("line".to_owned(), self.line(game, *first, plies).as_str().into()));
        }
        Analysis { choice: best, action_values, facts }
    }
}

impl Plugin for Expectimax {
    const NAME: &'static str = "expectimax";
    const ABOUT: &'static str = "expectimax search over any value";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl AgentPlugin for Expectimax {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let host = context.host;
        let options = config.options(context.game, host.threads(), host.memory())?;
        let value = context.value_or_default(DEFAULT, "mcts", "value", config.value.as_ref())?;
        let exact = match &config.exact {
            Some(spec) => Some(context.afterstate_value("exact", spec)?),
            None => None,
        };
        if exact.as_ref().is_some_and(|exact| exact.scale() != ValueScale::Points) {
            let message = "has no effect: a rating is never the exact value of a position; use \
                           the value of a solved game, as in `exact(model: \"FILE\")`";
            return Err(BuildError::of("exact", message));
        }
        if exact.as_ref().is_some_and(|exact| exact.scale() != value.scale()) {
            let message = "its exact values are in points and `value` is a rating: use a learned \
                           `value`, or `exact` itself";
            return Err(BuildError::of("exact", message));
        }
        let named = config.unfamiliar.as_ref();
        let may_guess = value.is_guess(&[]).is_some();
        let unfamiliar = if named.is_some() || may_guess {
            Some(Unfamiliar::new(named, &options, context, Expectimax::with_options)?)
        } else {
            None
        };
        let agent = Self::with_options(value, options, host.clone());
        Ok(Self { exact, unfamiliar, ..agent })
    }
}
