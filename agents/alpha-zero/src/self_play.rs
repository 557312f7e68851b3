//! Games by tree search, many at a time, whose leaves the network evaluates together.

use crate::config::Options;
use crate::estimator::{Buffers, Estimator, priors};
use crate::replay::Sample;
use agent_mcts::evaluation::Evaluator;
use agent_mcts::search::{Search, SearchTree, Worker};
use agent_mcts::tree::Edge;
use agent_mcts::{SearchOptions, SearchStats};
use runner_core::{Game, Random, Start, State, Successors};
use std::sync::{Mutex, PoisonError};

/// Games whose leaves are evaluated together. It does not depend on the number of threads, and
/// so neither do the games.
const TOGETHER: usize = 16;

/// A game that has ended.
#[derive(Clone, Debug)]
pub struct Finished {
    /// The score.
    pub score: f64,
    /// The last position.
    pub last: State,
    /// The positions of the game.
    pub samples: Vec<Sample>,
}

/// A game in progress.
struct Lane {
    random: Random,
    state: State,
    score: f64,
    /// The positions so far; `target` holds the score that the game had there.
    samples: Vec<Sample>,
    successors: Successors,
    tree: SearchTree,
    worker: Worker,
    is_over: bool,
}

/// Games that are played in step, and the buffers of their evaluation.
#[derive(Default)]
struct Group {
    lanes: Vec<Lane>,
    buffers: Buffers,
}

/// The simulators: all games in progress.
#[derive(Default)]
pub struct Simulators {
    groups: Vec<Mutex<Group>>,
}

impl Simulators {
    /// Begins games until as many are in progress as the options say, and at most `most`. `next`
    /// returns the random stream of the next game.
    pub fn fill<G: Game>(
        &mut self,
        game: &G,
        options: &Options,
        most: usize,
        mut next: impl FnMut() -> Random,
    ) {
        let groups = options.simulators.div_ceil(TOGETHER);
        self.groups.resize_with(groups, Mutex::default);
        let groups = self.groups.iter_mut();
        let groups = groups.map(|group| group.get_mut().unwrap_or_else(PoisonError::into_inner));
        let mut groups: Vec<&mut Group> = groups.collect();
        let in_progress: usize = groups.iter().map(|group| group.lanes.len()).sum();
        for _ in in_progress..most.min(options.simulators) {
            let smallest = groups.iter_mut().min_by_key(|group| group.lanes.len());
            let group = smallest.expect("there is at least one simulator");
            group.lanes.push(Lane::begin(game, next()));
        }
    }

    /// Makes a move in every game, and returns the games that have ended, and the number of moves.
    pub fn advance<G: Game>(
        &mut self,
        game: &G,
        estimator: &Estimator,
        options: &SearchOptions,
        host: &dyn runner_core::Host,
    ) -> (Vec<Finished>, u64) {
        let groups = &self.groups;
        host.for_each(groups.len(), &|number| {
            let mut group = groups[number].lock().unwrap_or_else(PoisonError::into_inner);
            group.advance(game, estimator, options);
        });
        let (mut finished, mut moves) = (Vec::new(), 0);
        for group in &mut self.groups {
            let group = group.get_mut().unwrap_or_else(PoisonError::into_inner);
            let (over, going): (Vec<_>, Vec<_>) =
                std::mem::take(&mut group.lanes).into_iter().partition(|lane| lane.is_over);
            moves += going.len() as u64;
            group.lanes = going;
            finished.extend(over.into_iter().map(Lane::end));
        }
        (finished, moves)
    }
}

impl Lane {
    fn begin<G: Game>(game: &G, mut random: Random) -> Self {
        let Start { state, score } = Start::new(game, game.start(random.word()));
        Self {
            score,
            random,
            state,
            samples: Vec::new(),
            successors: Successors::new(),
            tree: SearchTree::new(0),
            worker: Worker::default(),
            is_over: false,
        }
    }

    /// Returns the finished game: the target of a position is the return after it.
    fn end(self) -> Finished {
        let Self { score, state, mut samples, .. } = self;
        samples
            .iter_mut()
            .for_each(|sample| sample.target = (score - f64::from(sample.target)) as f32);
        Finished { score, last: state, samples }
    }
}

impl Group {
    /// Makes a move in every game that has not ended.
    fn advance<G: Game>(&mut self, game: &G, estimator: &Estimator, options: &SearchOptions) {
        let Self { lanes, buffers } = self;
        for lane in &mut *lanes {
            game.successors(lane.state, &mut lane.successors);
            lane.is_over = lane.successors.is_empty();
        }
        let evaluator = Evaluator::new(Some(estimator), None, options);
        let search = Search::new(game, options, evaluator);
        let mut active: Vec<&mut Lane> = lanes.iter_mut().filter(|lane| !lane.is_over).collect();
        for lane in &mut active {
            // A single legal action needs no search, but its position is a sample too.
            lane.tree = SearchTree::new(options.tree_bytes());
            lane.tree.tree.plant(lane.state);
            lane.tree.stats = SearchStats::default();
        }
        let simulations = options.budget.simulations.unwrap_or(1);
        // The first simulation evaluates the root.
        for _ in 0..=simulations {
            for lane in &mut active {
                search.collect(&mut lane.tree, &mut lane.worker, 1, &mut lane.random);
            }
            evaluate(game, estimator, &mut active, buffers);
            for lane in &mut active {
                search.absorb(&mut lane.tree, &mut lane.worker);
            }
        }
        for lane in active {
            lane.make_move(game);
        }
    }
}

impl Lane {
    /// Takes the most visited action, and keeps the position with the distribution of visits.
    fn make_move<G: Game>(&mut self, game: &G) {
        let tree = &self.tree.tree;
        let edges = tree.edges_of(tree.node(tree.root()));
        let actions = game.description().actions.len();
        let total: u32 = edges.iter().map(|edge| edge.visits).sum();
        let mut policy = vec![0.0; actions];
        for edge in edges {
            // A search of one simulation has no visits.
            policy[edge.action.index()] =
                if total > 0 { edge.visits as f32 / total as f32 } else { edge.prior };
        }
        // Of equals the first one.
        let better = |a: &Edge, b: &Edge| (a.visits, a.mean) >= (b.visits, b.mean);
        let best = edges.iter().reduce(|best, next| if better(best, next) { best } else { next });
        let action = best.map_or(self.successors[0].action, |edge| edge.action);
        let chosen = *self.successors.of(action).unwrap_or(&self.successors[0]);
        self.samples.push(Sample { state: self.state, policy, target: self.score as f32 });
        self.score += f64::from(chosen.reward);
        self.state = game.spawn(chosen.afterstate, self.random.word());
        if game.has_chance_rewards() {
            self.score += f64::from(game.chance_reward(Some(chosen.afterstate), self.state));
        }
    }
}

/// Evaluates the leaves of all games together.
fn evaluate<G: Game>(
    game: &G,
    estimator: &Estimator,
    lanes: &mut [&mut Lane],
    buffers: &mut Buffers,
) {
    for lane in &mut *lanes {
        for leaf in lane.worker.batch.leaves_mut() {
            game.successors(leaf.state, &mut leaf.successors);
            leaf.value = 0.0;
        }
    }
    let leaves = lanes.iter().flat_map(|lane| lane.worker.batch.leaves());
    let going = leaves.filter(|leaf| !leaf.successors.is_empty());
    let states: Vec<State> = going.map(|leaf| leaf.state).collect();
    let mut outputs = estimator.outputs(states.into_iter(), buffers);
    for lane in &mut *lanes {
        let batch = &mut lane.worker.batch;
        let mut own = std::mem::take(&mut batch.priors);
        for leaf in batch.leaves_mut().iter_mut().filter(|leaf| !leaf.successors.is_empty()) {
            let output = outputs.next().expect("one for each leaf");
            leaf.value = estimator.points(output).into();
            priors(output, &leaf.successors, &mut own);
        }
        batch.priors = own;
    }
}
