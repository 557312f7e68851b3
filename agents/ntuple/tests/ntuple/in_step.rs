//! Two threads that train in step: each has half of the tables.

use super::support::*;
use super::training::{PLAIN, restarts, td};
use agent_ntuple_network::memory::Entries;
use agent_ntuple_network::{PartOfLookup, WeightIndex, sum};
use std::collections::HashSet;

/// Tables that two threads can share out, on a board of 3 x 3 cells.
const NETWORK: &str = "0134 0145 012 empty";

/// Number of games that two threads play in step.
const GAMES: usize = 16;
/// Number of games of a group, whose values the threads exchange together.
const GROUP: usize = 8;

fn learner<R: Rule>(rule: impl FnOnce(usize) -> R) -> BareLearner<R> {
    BareLearner::new(&game_2048(3, 3), NETWORK, rule)
}

fn train<R: Rule>(
    learner: &mut BareLearner<R>,
    game: &impl Game,
    scheme: UpdateScheme,
    budget: TrainingBudget,
) -> TrainingProgress {
    let plan = moves(1_000_000);
    let session = TrainingSession { budget, plan, ..training(&TestThreads(2)) };
    learner.train_in(&session, game, scheme).unwrap()
}

#[test]
fn parts_of_a_lookup_have_all_weights_and_no_table_in_common() {
    for (network, lookups) in [
        ("4x6", [16, 16]),
        ("8x6", [32, 32]),
        ("0145 012", [8, 8]),
        ("0145 empty", [0, 0]),
        ("0145", [0, 0]),
        ("012456 0123 empty distinct", [10, 8]),
    ] {
        let game = game_2048(4, 4);
        let lookup = BareLearner::new(&game, network, td).lookup;
        let Some(parts) = lookup.parts() else {
            assert_eq!(lookups, [0, 0], "{network}");
            continue;
        };
        assert_eq!(parts.each_ref().map(|part| part.numbers.len()), lookups, "{network}");
        let mut random = Random::stream(Seed(1), 0);
        let mut seen = [HashSet::new(), HashSet::new()];
        for _ in 0..2000 {
            let position = Afterstate::new(random.word() & random.word(), 0);
            let mut whole = vec![WeightIndex::default(); lookup.per_position()];
            lookup.indices(position, &mut whole);
            let mut joined = vec![None; whole.len()];
            for (part, seen) in parts.iter().zip(&mut seen) {
                let mut indices = vec![WeightIndex::default(); part.lookup.per_position()];
                part.lookup.indices(position, &mut indices);
                for (&position, &index) in part.numbers.iter().zip(&indices) {
                    assert!(joined[position].replace(index).is_none());
                    seen.insert(index.index());
                }
            }
            assert_eq!(joined, whole.into_iter().map(Some).collect::<Vec<_>>());
        }
        assert!(seen[0].is_disjoint(&seen[1]), "{network}");
    }
}

#[test]
fn the_same_seed_gives_the_same_weights() {
    fn check<R: Rule>(build: impl Fn() -> BareLearner<R>, scheme: UpdateScheme) {
        let [first, second] = [(); 2].map(|()| {
            let mut learner = build();
            let done = train(&mut learner, &game_2048(3, 3), scheme, moves(20_000));
            assert_eq!(done.moves, 20_000);
            (learner.bits(), done.episodes, done.mean, learner.state.history.common.next_game)
        });
        assert!(first == second);
    }
    let tc = |n| Tc::new(Schedule::Anneal { from: 1.0, to: 0.1 }, 0.0, n);
    check(|| learner(td), PLAIN);
    check(|| learner(tc), UpdateScheme::Forward { lambda: 0.5, horizon: 3 });
    check(|| learner(tc), UpdateScheme::Delayed { lambda: 0.5, horizon: 3 });
    for restarts in restarts() {
        let game = game_2048(3, 3);
        let board = board_of(&game);
        let stages = Stages::read("8 16 32", &board).unwrap();
        let network = Network::read(NETWORK, &board).unwrap().with_stages(Some(stages));
        let build = || {
            let network = network.clone();
            let learner = BareLearner::with_network(ValueFunction::Afterstates, &game, network, td);
            BareLearner { restarts, ..learner }
        };
        check(build, PLAIN);
    }
}

#[test]
fn interrupting_a_training_after_a_batch_changes_nothing() {
    let game = game_2048(3, 3);
    let delayed = UpdateScheme::Delayed { lambda: 0.5, horizon: 3 };
    let tc = |n| Tc::new(Schedule::Anneal { from: 1.0, to: 0.1 }, 0.0, n);
    let mut whole = learner(tc);
    let done = train(&mut whole, &game, delayed, moves(768 * 20));
    let mut interrupted = learner(tc);
    for batches in [1, 0, 2, 7, 10] {
        train(&mut interrupted, &game, delayed, moves(768 * batches));
    }
    assert_eq!(interrupted.state.progress().episodes, done.episodes);
    assert_eq!(interrupted.bits(), whole.bits());
}

/// A game of the reference.
struct Played {
    random: Random,
    state: State,
    successors: Successors,
    /// The value of each afterstate by each half of the tables.
    values: Vec<[f32; 2]>,
    last: Option<Afterstate>,
    /// The value of `last` by each half of the tables.
    last_value: [f32; 2],
}

/// The reference is the algorithm on one thread. Groups of games move in turn. The values of a
/// group are taken before the group ahead of it moves.
#[test]
fn two_threads_do_what_one_would_do_in_the_same_order() {
    let game = game_2048(3, 3);
    let expected = learner(td);
    let parts = expected.lookup.parts().unwrap();
    let indices = |part: &PartOfLookup, afterstate: Afterstate| {
        let mut indices = vec![WeightIndex::default(); part.lookup.per_position()];
        part.lookup.indices(afterstate, &mut indices);
        indices
    };
    let values = |afterstate: Afterstate| {
        parts
            .each_ref()
            .map(|part| sum(Entries::new(&expected.records), &indices(part, afterstate)))
    };
    let mut begun = 0;
    let mut begin = || {
        let mut random = Random::training_stream(SEED, begun);
        begun += 1;
        let state = game.start(random.word());
        let mut successors = Successors::new();
        game.successors(state, &mut successors);
        Played { random, state, successors, values: vec![], last: None, last_value: [0.0; 2] }
    };
    let mut games: Vec<Played> = (0..GAMES).map(|_| begin()).collect();
    let take_values = |game: &mut Played| {
        game.values = game.successors.iter().map(|s| values(s.afterstate)).collect();
        game.last_value = game.last.map_or([0.0; 2], values);
    };
    // Whole batches of moves. No values that were taken are left at the end of a batch.
    let (batches, mut next) = (6, 0);
    for _ in 0..batches {
        let mut left = 768;
        let place = |k: usize| k % GAMES;
        let mut group = next..next + GROUP.min(left);
        group.clone().for_each(|k| take_values(&mut games[place(k)]));
        while left > 0 {
            let ahead = group.end..group.end + GROUP.min(left - group.len());
            ahead.clone().for_each(|k| take_values(&mut games[place(k)]));
            for k in group {
                let played = &mut games[place(k)];
                let mut best: Option<(usize, f32)> = None;
                for (k, s) in played.successors.iter().enumerate() {
                    let [a, b] = played.values[k];
                    let total = s.reward + (a + b);
                    if best.is_none_or(|(_, value)| total > value) {
                        best = Some((k, total));
                    }
                }
                if let Some(last) = played.last {
                    let [a, b] = played.last_value;
                    let error = best.map_or(0.0, |(_, total)| total) - (a + b);
                    for part in &parts {
                        let records = Entries::new(&expected.records);
                        expected.rule.update(records, &indices(part, last), error, 1.0);
                    }
                }
                let Some((best, _)) = best else {
                    *played = begin();
                    continue;
                };
                left -= 1;
                let afterstate = played.successors[best].afterstate;
                played.last = Some(afterstate);
                played.state = game.spawn(afterstate, played.random.word());
                game.successors(played.state, &mut played.successors);
            }
            group = ahead;
        }
        next = place(group.start);
    }
    let mut trained = learner(td);
    let done = train(&mut trained, &game, PLAIN, moves(768 * batches));
    assert!(done.episodes > 20);
    assert_eq!(trained.bits(), expected.bits());
}
