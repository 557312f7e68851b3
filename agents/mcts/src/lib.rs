//! `mcts`: Monte Carlo tree search for any game, with random playouts or any value at the leaves.
//!
//! ```text
//! mcts(simulations: 1000)
//! mcts(time: "10ms", value: tc-ntuple(model: "a.model"))
//! mcts(simulations: 1000, value: tc-ntuple(model: "a.model"), prior: rows)
//! ```
//!
//! The tree alternates between positions, where the most urgent action is selected, and chance
//! nodes, where an outcome is drawn. A simulation goes from the root to a leaf, a position whose
//! actions are not in the tree yet, and evaluates it. Its return (the rewards on the way and the
//! estimate of the rest) is added to the statistics of all positions and actions on its path.
//!
//! Scores have no bound, so exploration has a unit: the standard deviation of the returns, by
//! default ([`Scale`]). Scores in points and in thousands of points then give the same choices.
//!
//! A policy network implements [`Value::evaluate_states`], which gets many leaves at a
//! time and returns their values and priors.
//!
//! `search` has the simulations, `selection` the choice of an action in the tree, `evaluation` the
//! leaves, and `tree` the memory of the tree.
#![forbid(unsafe_code)]

mod config;
pub mod evaluation;
pub mod leaves;
pub mod options;
pub mod search;
pub mod selection;
pub mod tree;

pub use config::Config;
pub use options::{Backup, Budget, FirstPlay, Growth, Rule, Scale, SearchOptions, Selection};
pub use search::SearchStats;

use evaluation::Evaluator;
use runner_core::{
    Action, Agent, AgentPlugin, Analysis, BuildContext, BuildError, Description, Game, Host,
    Plugin, Random, Seed, Spec, State, Turn, Value, locked,
};
use search::{Search, SearchTree, Worker};
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tree::Edge;

/// An agent that chooses actions by tree search, with playouts or a value of type `V`.
pub struct Mcts<V = Arc<dyn Value>> {
    /// Evaluates leaves; `None` for playouts.
    value: Option<V>,
    /// Gives priors; `None` for those of `value`, if it has any.
    prior: Option<V>,
    options: SearchOptions,
    host: Arc<dyn Host>,
    /// A tree for each thread.
    trees: Vec<SearchTree>,
    workers: Vec<Worker>,
    /// The last action in this game. The next search keeps the subtrees below it. `None` if it
    /// begins with new trees.
    last: Option<Action>,
}

#[derive(Clone, PartialEq, Debug)]
pub struct SearchResult {
    /// The action to take, or `None` if there is no legal action.
    pub best: Option<Action>,
    pub actions: Vec<ActionResult>,
    pub stats: SearchStats,
    /// Number of nodes of all trees, with those of the kept subtrees.
    pub nodes: u64,
    pub bytes: u64,
}

/// An action of the root, in all trees together.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ActionResult {
    pub action: Action,
    /// Number of simulations that began with it, with those of the kept subtrees.
    pub visits: u64,
    /// Mean return; `None` if there is neither a visit nor an estimate.
    pub value: Option<f64>,
    pub prior: f32,
}

impl<V: Value> Mcts<V> {
    /// Creates an agent that evaluates leaves by a value, if there is one, and by playouts.
    /// Priors are those of `prior`, or else the value's own.
    ///
    /// # Panics
    ///
    /// If there are no threads.
    pub fn with_options(
        value: Option<V>,
        prior: Option<V>,
        options: SearchOptions,
        host: Arc<dyn Host>,
    ) -> Self {
        assert!(options.threads > 0);
        let trees = (0..options.threads).map(|_| SearchTree::new(&options)).collect();
        let workers = (0..options.threads).map(|_| Worker::default()).collect();
        Self { value, prior, options, host, trees, workers, last: None }
    }

    pub fn search<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> SearchResult {
        let began = Instant::now();
        let Self { value, prior, options, host, trees, workers, .. } = self;
        let evaluator = Evaluator::new(value.as_ref(), prior.as_ref(), options);
        let search = Search::new(game, options, evaluator);
        // Each thread draws from one stream for its root and from another for its simulations.
        let stream = |number: usize| Random::stream(Seed(turn.random), number as u64);
        for (thread, (tree, worker)) in trees.iter_mut().zip(&mut *workers).enumerate() {
            search.set_root(tree, worker, self.last, turn.state, &mut stream(thread));
        }
        let threads = trees.len();
        let trees_and_workers: Vec<_> = trees.iter_mut().zip(workers).map(Mutex::new).collect();
        let work = |thread: usize| {
            let (tree, worker) = &mut *locked(&trees_and_workers[thread]);
            let budget = options.budget.share(thread as u64, threads as u64);
            search.work(tree, worker, &mut stream(threads + thread), budget, began);
        };
        match threads {
            1 => work(0),
            _ => host.for_each(threads, &work),
        }
        self.result(turn)
    }

    fn result(&self, turn: &Turn<'_>) -> SearchResult {
        let actions: Vec<_> =
            turn.successors.iter().map(|s| self.action_result(s.action)).collect();
        let mut stats = SearchStats::default();
        self.trees.iter().for_each(|tree| stats.add(tree.stats));
        SearchResult {
            best: best_action(&actions, self.options.growth),
            actions,
            stats,
            nodes: self.trees.iter().map(|tree| tree.tree.nodes() as u64).sum(),
            bytes: self.trees.iter().map(|tree| tree.tree.bytes() as u64).sum(),
        }
    }
}

/// Minimum number of visits of a position in the line.
const LINE_VISITS: u32 = 10;

impl<V> Mcts<V> {
    fn action_result(&self, action: Action) -> ActionResult {
        let mut result = ActionResult { action, visits: 0, value: None, prior: 0.0 };
        let (mut sum, mut weights) = (0.0, 0.0);
        for SearchTree { tree, .. } in &self.trees {
            let edges = tree.edges_of(tree.node(tree.root()));
            let Some(edge) = edges.iter().find(|edge| edge.action == action) else { continue };
            result.visits += u64::from(edge.visits);
            result.prior = edge.prior;
            sum += edge.weight() * edge.mean;
            weights += edge.weight();
        }
        result.value = (weights > 0.0).then(|| sum / weights);
        result
    }

    /// Returns the actions that the simulations of the first tree took most often, beginning with
    /// `choice`. Each is followed by its most frequent chance outcome. There are at most `depth` +
    /// 1 steps, because positions may repeat.
    fn line(&self, description: &Description, choice: Option<Action>, depth: u64) -> Vec<String> {
        let tree = &self.trees[0].tree;
        let mut edges = tree.edges_of(tree.node(tree.root()));
        let mut action = choice;
        let mut steps = Vec::new();
        let result = |edge: &Edge| ActionResult {
            action: edge.action,
            visits: edge.visits.into(),
            value: edge.value(),
            prior: edge.prior,
        };
        for _ in 0..=depth {
            let Some(edge) = edges.iter().find(|edge| Some(edge.action) == action) else { break };
            let links = tree.links(edge).map(|link| tree.link(link));
            let most_visited = links.max_by_key(|link| link.visits);
            let next = most_visited.map(|link| tree.node(link.node));
            let Some(next) = next.filter(|next| next.visits >= LINE_VISITS) else {
                steps.push(description.step(edge.action, None));
                break;
            };
            edges = tree.edges_of(next);
            let results: Vec<_> = edges.iter().map(result).collect();
            action = best_action(&results, self.options.growth);
            let outcome = action.map(|_| (edge.afterstate, next.state));
            steps.push(description.step(edge.action, outcome));
        }
        steps
    }
}

/// Returns the most visited action, and of equally visited ones the one with the largest value.
/// With [`Growth::Before`] the tree soon holds the game and its values are exact, so the value
/// alone decides.
fn best_action(actions: &[ActionResult], growth: Growth) -> Option<Action> {
    let value = |result: &ActionResult| result.value.unwrap_or(f64::NEG_INFINITY);
    let by_visits = matches!(growth, Growth::After(_));
    let mut best = actions.first()?;
    for next in actions {
        let is_better = if by_visits && next.visits != best.visits {
            next.visits > best.visits
        } else {
            value(next) > value(best)
        };
        if is_better {
            best = next;
        }
    }
    Some(best.action)
}

impl<V: Value + Clone> Clone for Mcts<V> {
    fn clone(&self) -> Self {
        let (value, prior) = (self.value.clone(), self.prior.clone());
        Self::with_options(value, prior, self.options.clone(), self.host.clone())
    }
}

impl<V: Value + Clone> Agent for Mcts<V> {
    fn begin<G: Game>(&mut self, _: &G, _: State) {
        self.trees.iter_mut().for_each(|tree| tree.tree.clear());
        self.last = None;
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        let action = if let [only] = &**turn.successors {
            for tree in &mut self.trees {
                tree.advance(self.last, turn.state);
            }
            Some(only.action)
        } else {
            self.search(game, turn).best
        };
        self.last = action;
        action
    }

    fn threads(&self) -> usize {
        self.options.threads
    }

    fn analyse<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Analysis {
        // An analysis does not depend on earlier ones.
        self.last = None;
        let SearchResult { best, actions, stats, nodes, bytes } = self.search(game, turn);
        let description = game.description();
        let mut visits = Vec::new();
        for result in &actions {
            let name = description.action_name(result.action);
            visits.push(format!("{name} {}", result.visits));
        }
        let mut facts = vec![
            ("visits".to_owned(), visits.join(", ").as_str().into()),
            ("simulations".to_owned(), stats.simulations.into()),
            ("leaves".to_owned(), stats.leaves.into()),
            ("nodes".to_owned(), nodes.into()),
            ("depth".to_owned(), stats.depth.into()),
            ("tree bytes".to_owned(), bytes.into()),
        ];
        if stats.full > 0 {
            facts.push(("leaves outside the full tree".to_owned(), stats.full.into()));
        }
        let line = self.line(description, best, stats.depth);
        if line.len() > 1 {
            facts.push(("line".to_owned(), line.join("; ").as_str().into()));
        }
        let value = |result: &ActionResult| Some((result.action, result.value? as f32));
        Analysis { choice: best, action_values: actions.iter().filter_map(value).collect(), facts }
    }
}

impl Plugin for Mcts {
    const NAME: &'static str = "mcts";
    const ABOUT: &'static str = "Monte Carlo tree search, with playouts or any value";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = Config;
}

impl AgentPlugin for Mcts {
    fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let build = |parameter: &str, spec: &Option<Spec>| {
            let value = spec.as_ref().map(|spec| context.host.value(spec)).transpose();
            value.map_err(|error| BuildError::of(parameter, error))
        };
        let value = build("value", &config.value)?;
        let prior = build("prior", &config.prior)?;
        let host = context.host;
        let (threads, memory) = (host.threads(), host.memory());
        let options =
            config.options(context.game, value.as_deref(), prior.is_some(), threads, memory)?;
        Ok(Self::with_options(value, prior, options, host.clone()))
    }
}
