//! Games by tree search, many at a time, whose leaves the network evaluates together.

use super::config::AlphaZeroConfig;
use super::estimator::{Estimator, priors};
use super::replay::Sample;
use crate::Buffers;
use agent_mcts::SearchOptions;
use agent_mcts::evaluation::Evaluator;
use agent_mcts::search::{Search, SearchTree, Worker};
use runner_core::{Game, GameInProgress, State, locked, unpoisoned};
use runner_learning::Run;
use std::sync::Mutex;

/// Games whose leaves are evaluated together. It does not depend on the number of threads, and
/// so neither do the games.
const TOGETHER: usize = 16;

#[derive(Clone, Debug)]
pub struct Finished {
    pub score: f64,
    pub last: State,
    pub samples: Vec<Sample>,
}

/// A game in progress with the search of its next move.
struct SearchedGame {
    playing: GameInProgress,
    /// The positions so far; `target` holds the score that the game had there.
    samples: Vec<Sample>,
    tree: SearchTree,
    worker: Worker,
    is_over: bool,
}

/// Games that are played in step, and the buffers of their evaluation.
#[derive(Default)]
struct Group {
    games: Vec<SearchedGame>,
    buffers: Buffers,
}

/// The simulators: all games in progress.
#[derive(Default)]
pub struct Simulators {
    groups: Vec<Mutex<Group>>,
}

impl Simulators {
    /// Begins games until as many are in progress as the configuration says, and at most `most`.
    pub fn fill<G: Game>(
        &mut self,
        game: &G,
        config: &AlphaZeroConfig,
        options: &SearchOptions,
        most: usize,
        run: &Run<'_>,
    ) {
        self.groups.resize_with(config.simulators.div_ceil(TOGETHER), Mutex::default);
        let mut groups: Vec<&mut Group> =
            self.groups.iter_mut().map(|group| unpoisoned(group.get_mut())).collect();
        let in_progress: usize = groups.iter().map(|group| group.games.len()).sum();
        for _ in in_progress..most.min(config.simulators) {
            let smallest = groups.iter_mut().min_by_key(|group| group.games.len());
            let group = smallest.expect("there is at least one simulator");
            group.games.push(SearchedGame::begin(game, options, run));
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
            locked(&groups[number]).advance(game, estimator, options);
        });
        let (mut finished, mut moves) = (Vec::new(), 0);
        for group in &mut self.groups {
            let group = unpoisoned(group.get_mut());
            let (over, going): (Vec<_>, Vec<_>) =
                std::mem::take(&mut group.games).into_iter().partition(|game| game.is_over);
            moves += going.len() as u64;
            group.games = going;
            finished.extend(over.into_iter().map(SearchedGame::end));
        }
        (finished, moves)
    }
}

impl SearchedGame {
    fn begin<G: Game>(game: &G, options: &SearchOptions, run: &Run<'_>) -> Self {
        Self {
            playing: run.begin(game, run.claim_games(1).start),
            samples: Vec::new(),
            tree: SearchTree::new(options),
            worker: Worker::default(),
            is_over: false,
        }
    }

    /// Returns the finished game: the target of a position is the return after it.
    fn end(self) -> Finished {
        let Self { playing: GameInProgress { score, state, .. }, mut samples, .. } = self;
        for sample in &mut samples {
            sample.target = (score - f64::from(sample.target)) as f32;
        }
        Finished { score, last: state, samples }
    }

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
        let best = edges.iter().reduce(|best, next| {
            if (best.visits, best.mean) >= (next.visits, next.mean) { best } else { next }
        });
        let playing = &mut self.playing;
        let action = best.map_or(playing.successors[0].action, |edge| edge.action);
        let chosen = *playing.successors.of(action).unwrap_or(&playing.successors[0]);
        let target = playing.score as f32;
        self.samples.push(Sample { state: playing.state, policy, target });
        playing.apply(game, chosen);
    }
}

impl Group {
    /// Makes a move in every game that has not ended.
    fn advance<G: Game>(&mut self, game: &G, estimator: &Estimator, options: &SearchOptions) {
        let Self { games, buffers } = self;
        for searched in &mut *games {
            searched.is_over = !searched.playing.list_actions(game);
        }
        let evaluator = Evaluator::new(Some(estimator), None, options);
        let search = Search::new(game, options, evaluator);
        let mut active: Vec<&mut SearchedGame> =
            games.iter_mut().filter(|searched| !searched.is_over).collect();
        for searched in &mut active {
            // A single legal action needs no search, but its position is a sample too.
            searched.tree.plant(searched.playing.state);
        }
        let simulations = options.budget.simulations.unwrap_or(1);
        // The first simulation evaluates the root.
        for _ in 0..=simulations {
            for searched in &mut active {
                let SearchedGame { playing, tree, worker, .. } = &mut **searched;
                search.collect(tree, worker, 1, &mut playing.random);
            }
            evaluate(game, estimator, &mut active, buffers);
            for searched in &mut active {
                search.absorb(&mut searched.tree, &mut searched.worker);
            }
        }
        for searched in active {
            searched.make_move(game);
        }
    }
}

fn evaluate<G: Game>(
    game: &G,
    estimator: &Estimator,
    games: &mut [&mut SearchedGame],
    buffers: &mut Buffers,
) {
    for searched in &mut *games {
        for leaf in searched.worker.batch.leaves_mut() {
            game.successors(leaf.state, &mut leaf.successors);
            leaf.value = 0.0;
        }
    }
    let leaves = games.iter().flat_map(|searched| searched.worker.batch.nonterminal());
    let mut outputs = estimator.outputs(leaves.map(|leaf| leaf.state), buffers);
    for searched in &mut *games {
        let batch = &mut searched.worker.batch;
        let mut own = std::mem::take(&mut batch.priors);
        for leaf in batch.nonterminal_mut() {
            let output = outputs.next().expect("one for each leaf");
            leaf.value = estimator.points(output).into();
            priors(output, &leaf.successors, &mut own);
        }
        batch.priors = own;
    }
}
