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
//!
//! `search` has the recursion. `parallel` divides a search among threads, `leaf_batch` and
//! `last_ply` make the leaves cheap, and `unfamiliar` replaces a value where it guesses.
#![forbid(unsafe_code)]

mod config;
pub mod depth;
mod last_ply;
mod leaf_batch;
pub mod options;
mod other_lines;
mod parallel;
mod rank_set;
pub mod scratch;
pub mod search;
pub mod transposition;
mod unfamiliar;

pub use config::Config;
pub use options::{MAX_PLIES, SearchOptions};
pub use scratch::SearchStats;

use depth::Deepening;
use last_ply::LastPly;
use runner_core::{
    Action, Agent, AgentPlugin, Analysis, BuildContext, BuildError, Fault, Game, Host, MAX_ACTIONS,
    Plugin, State, Successor, Turn, Value, ValueScale, value_facts,
};
use scratch::Scratch;
use search::{NodePath, Search};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use transposition::TranspositionTable;
use unfamiliar::{DEFAULT, Unfamiliar};

/// An agent that chooses actions by expectimax search with a value of type `V`.
pub struct Expectimax<V = Arc<dyn Value>> {
    searcher: Searcher<V>,
    /// Replaces the agent at positions where the estimates of its value are guesses.
    unfamiliar: Option<Unfamiliar>,
    host: Arc<dyn Host>,
    /// The buffers of each thread.
    scratches: Vec<Scratch>,
}

/// The value, options and tables of all searches of an agent.
struct Searcher<V> {
    value: V,
    exact: Option<Arc<dyn Value>>,
    /// The tables of the last ply, prepared for a game when it begins; `None` in it if game or
    /// value has no tables. All clones of an agent share them.
    last_ply: Arc<OnceLock<Option<LastPly>>>,
    options: SearchOptions,
    table: Option<TranspositionTable>,
    /// Number of searches since the table was empty. Its low 8 bits are the age of new entries.
    age: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult {
    /// The action to take, or `None` if there is no legal action. It is the best action at the
    /// depth `plies`. If the time limit expired during the next depth, it is the best of the
    /// actions that were searched at that depth. The best action of the depth before is searched
    /// first.
    pub best: Option<Action>,
    /// The legal actions with their values at the depth `plies`, or one ply deeper if the time
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
        let scratches = (0..options.threads).map(|_| Scratch::default()).collect();
        let table = options.table_bytes.map(|bytes| {
            TranspositionTable::new(bytes).unwrap_or_else(|| {
                let message = format!(
                    "cannot allocate {bytes} bytes for the transposition table: lower `table`"
                );
                Fault::new(message).raise()
            })
        });
        let last_ply = Arc::default();
        let searcher = Searcher { value, exact: None, last_ply, options, table, age: 0 };
        Self { searcher, unfamiliar: None, host, scratches }
    }

    pub fn with_exact(mut self, exact: Arc<dyn Value>) -> Self {
        self.searcher.exact = Some(exact);
        self
    }

    pub fn search<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> SearchResult {
        let options = &self.searcher.options;
        let mut deepening = options.time.map(Deepening::within);
        let threads = options.threads;
        let count = turn.successors.len();
        let max_plies = if count == 0 { 0 } else { options.depth.of(turn.state) };
        // A search with a time limit deepens iteratively.
        let min_plies = if deepening.is_some() { 1 } else { max_plies.max(1) };
        self.searcher.age += 1;
        let mut values = [0.0; MAX_ACTIONS];
        let (mut best_number, mut completed) = (None, 0);
        let mut stats = SearchStats::default();
        for plies in min_plies..=max_plies {
            let is_parallel = threads > 1 && plies > 2;
            // One thread has compared some of the actions after half of a depth, several have none.
            let share = if is_parallel { 1.0 } else { 0.5 };
            if deepening.as_ref().is_some_and(|deepening| !deepening.next_fits(share)) {
                break;
            }
            let aborted = AtomicBool::new(false);
            let mut search = self.searcher.new_search(game, plies, &aborted);
            search.first = best_number;
            // The first ply has no deadline, because there must be an answer.
            let limited = deepening.as_ref().filter(|_| plies > 1);
            search.deadline = limited.and_then(Deepening::deadline);
            for scratch in &mut self.scratches {
                scratch.prepare(plies, game.description().max_outcomes);
            }
            // The values of the depth before order the actions, and are replaced.
            let (successors, values) = (turn.successors, &mut values[..count]);
            let found = if is_parallel {
                let (host, scratches) = (&*self.host, &mut self.scratches);
                parallel::search_root(&search, host, scratches, successors, plies, values)
            } else {
                let path = NodePath::of_root(plies);
                search.search_root(&mut self.scratches[0], successors, path, values)
            };
            best_number = found.or(best_number);
            let mut stats_of_depth = SearchStats::default();
            for scratch in &self.scratches {
                stats_of_depth.add(scratch.stats);
            }
            stats.add(stats_of_depth);
            if aborted.load(Relaxed) {
                break;
            }
            completed = plies;
            if let Some(deepening) = &mut deepening {
                deepening.add_depth(deepening.start.elapsed());
            }
            // Without leaves, a deeper search finds the same.
            if stats_of_depth.leaves == 0 && stats_of_depth.hits == 0 && plies > 1 {
                break;
            }
        }
        let best = best_number.map(|k| turn.successors[k].action);
        let actions = turn.successors.iter().map(|successor| successor.action);
        SearchResult { best, action_values: actions.zip(values).collect(), plies: completed, stats }
    }

    /// Returns the line of the last search, which had this depth and chose `choice`. Its table
    /// entries answer most of this search.
    fn line<G: Game>(&mut self, game: &G, choice: Successor, plies: u8) -> String {
        let aborted = AtomicBool::new(false);
        let search = self.searcher.new_search(game, plies, &aborted);
        let scratch = &mut self.scratches[0];
        scratch.prepare(plies, game.description().max_outcomes);
        search.line(scratch, choice, plies)
    }
}

impl<V: Value> Searcher<V> {
    /// Creates a search to this depth without a deadline.
    fn new_search<'a, G: Game>(
        &'a self,
        game: &'a G,
        plies: u8,
        aborted: &'a AtomicBool,
    ) -> Search<'a, G, V> {
        let last_ply = self.last_ply(game);
        let mut search = Search::new(game, &self.value, aborted);
        search.exact = self.exact.as_deref();
        search.last_ply = last_ply;
        search.min_probability = self.options.min_probability;
        search.table = self.table.as_ref().filter(|_| gains_by_table(plies, last_ply));
        search.age = self.age as u8;
        search
    }

    /// Returns the last ply by tables, if it was prepared for this game. The first call prepares
    /// it.
    fn last_ply<G: Game>(&self, game: &G) -> Option<&LastPly> {
        let tables = game.tables()?;
        let last_ply = self.last_ply.get_or_init(|| {
            let value = self.value.tables()?;
            // The tables hold neither rewards nor exact values.
            let uses_rewards = self.value.scale().reward_weight() != 0.0;
            (!uses_rewards && self.exact.is_none()).then(|| LastPly::new(tables, value))
        });
        last_ply.as_ref().filter(|last_ply| last_ply.is_of(tables))
    }
}

/// Returns true if a search to this depth is faster with a transposition table. Positions rarely
/// repeat within two plies, where lookups cost a seventh of the time. Within three they often do,
/// but then the last ply by tables is as cheap as a lookup.
fn gains_by_table(plies: u8, last_ply: Option<&LastPly>) -> bool {
    plies > if last_ply.is_some() { 3 } else { 2 }
}

impl<V: Value + Clone> Clone for Expectimax<V> {
    fn clone(&self) -> Self {
        let Searcher { value, exact, last_ply, options, .. } = &self.searcher;
        let mut copy = Self::with_options(value.clone(), options.clone(), self.host.clone());
        copy.searcher.exact = exact.clone();
        copy.searcher.last_ply = last_ply.clone();
        copy.unfamiliar = self.unfamiliar.clone();
        copy
    }
}

impl<V: Value + Clone> Agent for Expectimax<V> {
    fn begin<G: Game>(&mut self, game: &G, _: State) {
        if let Some(unfamiliar) = &mut self.unfamiliar {
            unfamiliar.has_begun_game = false;
        }
        let searcher = &mut self.searcher;
        // Prepares the tables now. The first move would do so within its time limit.
        searcher.last_ply(game);
        if searcher.age > 0 && searcher.options.has_path_dependent_entries() {
            searcher.table.iter_mut().for_each(TranspositionTable::clear);
            searcher.age = 0;
        }
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        if let [only] = &**turn.successors {
            return Some(only.action);
        }
        match self.unfamiliar_agent(game, turn) {
            Some((_, agent)) => agent.act(game, turn),
            None => self.search(game, turn).best,
        }
    }

    fn threads(&self) -> usize {
        self.searcher.options.threads
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        if let Some((name, agent)) = self.unfamiliar_agent(game, turn) {
            let mut analysis = agent.analyse(game, turn);
            let reason = format!("{name}: unfamiliar position");
            analysis.facts.insert(0, ("value".to_owned(), reason.as_str().into()));
            return analysis;
        }
        let SearchResult { best, action_values, plies, stats } = self.search(game, turn);
        let mut facts = vec![
            ("plies".to_owned(), u64::from(plies).into()),
            ("nodes".to_owned(), stats.nodes.into()),
            ("table hits".to_owned(), stats.hits.into()),
            ("leaves".to_owned(), stats.leaves.into()),
        ];
        facts.extend(value_facts(&self.searcher.value, turn, best));
        if plies > 1
            && let Some(choice) = best.and_then(|best| turn.successors.of(best))
        {
            facts.push(("line".to_owned(), self.line(game, *choice, plies).as_str().into()));
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
        let exact = config.exact.as_ref();
        let exact = exact.map(|spec| context.afterstate_value("exact", spec)).transpose()?;
        if let Some(exact) = &exact {
            if exact.scale() != ValueScale::Points {
                let message = "has no effect: a rating is never the exact value of a position; \
                               use the value of a solved game, as in `exact(model: \"FILE\")`";
                return Err(BuildError::of("exact", message));
            }
            if value.scale() != ValueScale::Points {
                let message = "its exact values are in points and `value` is a rating: use a \
                               learned `value`, or `exact` itself";
                return Err(BuildError::of("exact", message));
            }
        }
        // A value that can tell its guesses answers for any list, also for an empty one.
        let can_tell_guesses = value.is_guess(&[]).is_some();
        let spec = config.unfamiliar.as_ref();
        let is_needed = spec.is_some() || can_tell_guesses;
        let unfamiliar = is_needed.then(|| Unfamiliar::new(spec, context)).transpose()?;
        let mut agent = Self::with_options(value, options, host.clone());
        agent.searcher.exact = exact;
        agent.unfamiliar = unfamiliar;
        Ok(agent)
    }
}
