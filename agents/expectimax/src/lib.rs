//! `expectimax`: looks ahead, over any game and any value.
//!
//! ```text
//! expectimax(depth: 3, value: tc-ntuple(model: "a.model"))
//! expectimax(time: "10ms", value: tc-ntuple(model: "a.model"))
//! expectimax(depth: 3, distinct: 2, min_probability: 0.0001)
//! ```
//!
//! Depth counts as the papers do: one ply is the best of the actions by the value of
//! their afterstates, two plies look through one move of chance, and so on.
//! [`search`] is the recursion, [`table`] what it remembers, [`depth`] how deep it
//! goes; this file puts them together as a player.
#![forbid(unsafe_code)]

mod config;
pub mod depth;
mod lines;
mod parallel;
pub mod search;
pub mod table;

pub use config::Config;

use depth::Depth;
use lines::LastPly;
use runner_core::rows::RowTables;
use runner_core::{
    Action, Agent, AgentPlugin, Analysis, BuildContext, BuildError, Fault, Game, Host, MAX_ACTIONS,
    Parameter, Plugin, State, Turn, Value, best_action,
};
use search::{Cuts, Scratch, Search, Work};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use table::Table;

/// How to search.
#[derive(Clone, PartialEq, Debug)]
pub struct Manner {
    /// How deep to look; within a time, at most so deep.
    pub depth: Depth,
    /// The time for a move: looks one ply ahead, then two, until the time is over.
    pub time: Option<Duration>,
    /// What is left out.
    pub cuts: Cuts,
    /// The size of the table, if there is to be one.
    pub table: Option<usize>,
    /// Whether images of a position are one.
    pub canonical: bool,
    /// Whether the table may answer with what was found deeper.
    pub deeper: bool,
    /// Whether to leave what cannot matter.
    pub prune: bool,
    /// How many threads think about one move.
    pub threads: usize,
}

impl Manner {
    /// So deep, with everything else as it is by default.
    pub fn plies(plies: u8) -> Self {
        Self {
            depth: Depth::always(plies),
            time: None,
            cuts: Cuts::default(),
            table: Some(16 << 20),
            canonical: false,
            deeper: false,
            prune: false,
            threads: 1,
        }
    }

    /// Whether what is in the table, left there by another game, can change what is
    /// found in this one.
    fn remembers(&self) -> bool {
        self.deeper || self.cuts.min_probability > 0.0
    }
}

/// The player.
pub struct Expectimax<V = Arc<dyn Value>> {
    value: V,
    exact: Option<Arc<dyn Value>>,
    /// The last ply, if game and value are told as tables, found out by the first search
    /// of all copies.
    last_ply: Arc<OnceLock<Option<LastPly>>>,
    manner: Manner,
    host: Arc<dyn Host>,
    table: Option<Table>,
    /// One for each thread.
    scratch: Vec<Scratch>,
    age: u8,
}

/// What a search found.
#[derive(Clone, PartialEq, Debug)]
pub struct Found {
    /// The legal actions, each with its worth.
    pub worths: Vec<(Action, f32)>,
    /// How deep it looked.
    pub plies: u8,
    /// What that took.
    pub work: Work,
}

impl Found {
    /// The action to take.
    pub fn best_action(&self) -> Option<Action> {
        best_action(self.worths.iter().copied())
    }
}

impl<V: Value> Expectimax<V> {
    /// A player that searches in this manner; the host's threads help.
    pub fn over(value: V, manner: Manner, host: Arc<dyn Host>) -> Self {
        let scratch = (0..manner.threads).map(|_| Scratch::default()).collect();
        let table = manner.table.map(|bytes| {
            let none = || Fault::new(format!("no memory for a table of {bytes} bytes")).raise();
            Table::new(bytes).unwrap_or_else(none)
        });
        Self { value, exact: None, last_ply: Arc::default(), manner, host, table, scratch, age: 0 }
    }

    /// The same player that asks a value first what it knows for certain.
    pub fn that_asks(self, exact: Arc<dyn Value>) -> Self {
        Self { exact: Some(exact), ..self }
    }

    /// The last ply, where rewards do not count and nobody else is to be asked.
    fn make_last_ply(&self, game: &RowTables) -> Option<LastPly> {
        let value = self.value.line_values()?;
        let counts = self.value.scale().reward_weight() != 0.0 || self.exact.is_some();
        (!counts).then(|| LastPly::new(game, value))
    }

    /// The last ply by tables in this game, made where that was not done yet.
    fn last_ply_of<'a, G: Game>(
        &self,
        game: &G,
        made: &'a OnceLock<Option<LastPly>>,
    ) -> Option<&'a LastPly> {
        let tables = game.row_tables()?;
        let last_ply = made.get_or_init(|| self.make_last_ply(tables));
        last_ply.as_ref().filter(|last_ply| last_ply.is_of(tables))
    }

    /// Looks ahead from a position.
    pub fn search<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Found {
        let began = Instant::now();
        self.age = self.age.wrapping_add(1);
        let count = turn.successors.len();
        let last_ply = self.last_ply.clone();
        let last_ply = self.last_ply_of(game, &last_ply);
        let mut worths = [0.0; MAX_ACTIONS];
        let wanted = self.manner.depth.of(turn.state);
        let mut work = Work::default();
        let mut done = 0;
        // Where it matters what is looked into first, a glance at all comes before.
        let (in_time, glances) = (self.manner.time.is_some(), self.manner.prune);
        let counts = |plies: &u8| in_time || *plies == wanted || glances && *plies == 1;
        for plies in (1..=wanted).filter(counts) {
            // The first ply is always finished, for there must be an answer; and a time
            // beyond what clocks count has no end.
            let time = self.manner.time.filter(|_| plies > 1);
            let deadline = time.and_then(|time| began.checked_add(time));
            let given_up = AtomicBool::new(false);
            let mut search = Search::new(game, &self.value, &given_up);
            search.exact = self.exact.as_deref();
            search.last_ply = last_ply;
            search.cuts = self.manner.cuts;
            // Two plies hardly ever come to a position twice, and asking costs a seventh;
            // three often do, but then the last ply by tables costs no more than asking.
            let without = if last_ply.is_some() { 3 } else { 2 };
            search.table = self.table.as_ref().filter(|_| plies > without);
            search.canonical = self.manner.canonical;
            search.deeper = self.manner.deeper;
            search.prune = self.manner.prune;
            search.age = self.age;
            search.deadline = deadline;
            // What was best so far comes first.
            let mut next = worths;
            let outcomes = game.description().max_outcomes;
            self.scratch.iter_mut().for_each(|scratch| scratch.prepare(plies, outcomes));
            if self.manner.threads > 1 && plies > 2 {
                let host = &*self.host;
                parallel::worths(
                    &search,
                    host,
                    &mut self.scratch,
                    turn.successors,
                    plies,
                    &mut next,
                );
            } else {
                let scratch = &mut self.scratch[0];
                search.worths(scratch, turn.successors, plies, &mut next[..count]);
            }
            let mut here = Work::default();
            self.scratch.iter().for_each(|scratch| here.add(scratch.work));
            work.add(here);
            if given_up.load(Relaxed) {
                break;
            }
            (worths, done) = (next, plies);
            // With no position left to estimate, deeper is the same again.
            if here.leaves == 0 && here.hits == 0 && plies > 1 {
                break;
            }
        }
        let worths = turn.successors.iter().zip(worths).map(|(s, worth)| (s.action, worth));
        Found { worths: worths.collect(), plies: done, work }
    }
}

impl<V: Value + Clone> Clone for Expectimax<V> {
    fn clone(&self) -> Self {
        let copy = Self::over(self.value.clone(), self.manner.clone(), self.host.clone());
        Self { exact: self.exact.clone(), last_ply: self.last_ply.clone(), ..copy }
    }
}

impl<V: Value + Clone> Agent for Expectimax<V> {
    fn begin<G: Game>(&mut self, game: &G, _: State) {
        // Else the first move would have to wait for the tables.
        self.last_ply_of(game, &self.last_ply);
        if let Some(table) = &self.table
            && self.manner.remembers()
        {
            table.clear();
        }
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        match &**turn.successors {
            [only] => Some(only.action),
            _ => self.search(game, turn).best_action(),
        }
    }

    fn threads(&self) -> usize {
        self.manner.threads
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        let found = self.search(game, turn);
        let Work { nodes, leaves, hits, cut } = found.work;
        let facts = [
            ("plies", u64::from(found.plies)),
            ("positions", nodes),
            ("of these known from the table", hits),
            ("of these left before their end", cut),
            ("positions estimated", leaves),
        ];
        let facts = facts.map(|(name, count)| (name.to_owned(), count.into()));
        Analysis { choice: found.best_action(), action_values: found.worths, facts: facts.into() }
    }
}

impl Plugin for Expectimax {
    const NAME: &'static str = "expectimax";
    const ABOUT: &'static str = "looks ahead and takes the action that is best in the mean";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;

    fn parameters() -> Vec<Parameter> {
        Config::parameters()
    }
}

impl AgentPlugin for Expectimax {
    fn new(config: Config, site: &BuildContext<'_>) -> Result<Self, BuildError> {
        let threads = config.read_threads()?;
        let players = (site.host.threads() / threads).max(1);
        let manner = Manner {
            depth: config.read_depth(site.game)?,
            time: config.read_time()?,
            cuts: config.read_cuts()?,
            table: config.read_table(site.host.memory(), players)?,
            canonical: config.canonical,
            deeper: config.deeper,
            prune: config.prune,
            threads,
        };
        let value = site.value_or_default("rows", "value", config.value.as_ref())?;
        let exact = config.exact.as_ref().map(|exact| site.afterstate_value("exact", exact));
        let exact = exact.transpose()?;
        if exact.as_ref().is_some_and(|exact| exact.scale() != value.scale()) {
            let message = "what it knows is counted in points, and `value` is a rating: one that \
                           learned, or `exact` itself, goes with it";
            return Err(BuildError::of("exact", message));
        }
        let player = Self::over(value, manner, site.host.clone());
        Ok(Self { exact, ..player })
    }
}
