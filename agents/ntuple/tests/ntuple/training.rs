//! Trainings: budgets, faults, statistics, and parameters that change over a training.

use super::support::*;
use agent_ntuple::starts::{Middle, Restarts};
use agent_ntuple_network::Memory;
use runner_core::{Probability, forward_game};
use runner_laws::doubles::OverGame;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

pub const NETWORK: &str = "0134 012 25!";

/// The simplest update scheme.
pub const PLAIN: UpdateScheme = UpdateScheme::Forward { lambda: 0.0, horizon: 0 };

pub fn game() -> Game2048 {
    game_2048(2, 3)
}

pub fn td(lookups: usize) -> Td {
    Td::new(Schedule::Constant(0.1), lookups)
}

pub fn tc(lookups: usize) -> Tc {
    Tc::new(Schedule::Constant(1.0), 0.0, lookups)
}

/// Restarts on a board of 2 x 3 cells, where a game has about 20 moves at first.
pub fn restarts() -> [Restarts; 5] {
    let middle = Middle { longer_than: Some(15), ..Middle::default() };
    [
        Restarts::Middle(middle),
        Restarts::Middle(Middle { longer_than_mean: Some(0.8), fresh: 0.5, ..Middle::default() }),
        Restarts::Middle(Middle { longer_than_later: Some(3), ..middle }),
        Restarts::Middle(Middle { entrances: Schedule::Constant(0.5), ..middle }),
        Restarts::Carousel,
    ]
}

pub fn with_restarts(game: &impl Game, restarts: Restarts) -> BareLearner<Td> {
    let board = board_of(game);
    let stages = Stages::read("8 16 32", &board).unwrap();
    let network = Network::read(NETWORK, &board).unwrap().with_stages(Some(stages));
    let learner = BareLearner::with_network(ValueFunction::Afterstates, game, network, td);
    BareLearner { restarts, ..learner }
}

/// Trains on a number of threads and returns the progress of this training.
fn train_on(
    threads: usize,
    learner: &mut BareLearner<Td>,
    game: &impl Game,
    budget: TrainingBudget,
) -> TrainingProgress {
    let before = learner.state.progress();
    let host = TestThreads(threads);
    let session = TrainingSession { budget, ..training(&host) };
    learner.train_in(&session, game, PLAIN).unwrap().since(&before)
}

#[test]
fn budget_of_moves_is_exact() {
    let game = game();
    for threads in [1, 2, 3] {
        let mut learner = BareLearner::new(&game, NETWORK, td);
        for budget in [0, 1, 2, 3, 7, 100, 767, 768, 769, 1500, 20_000, 1] {
            assert_eq!(train_on(threads, &mut learner, &game, moves(budget)).moves, budget);
        }
    }
}

#[test]
fn budget_of_games_is_exact() {
    let game = LoggedGame::new(game());
    for threads in [1, 2, 3] {
        let mut learner = BareLearner::new(&game, NETWORK, td);
        for budget in [0, 1, 2, 3, 7, 100, 1] {
            assert_eq!(train_on(threads, &mut learner, &game, episodes(budget)).episodes, budget);
        }
        // Unfinished games count towards the budget of the next training.
        for budget in [1, 2, 0, 5, 1, 20] {
            train_on(threads, &mut learner, &game, moves(5));
            let done = train_on(threads, &mut learner, &game, episodes(budget));
            assert_eq!(done.episodes, budget, "{threads} threads");
        }
        // Every game that began was finished and counted.
        train_on(threads, &mut learner, &game, episodes(100));
        let begun = |event: &&Event| matches!(event, Event::Started(..));
        let begun = game.events().iter().filter(begun).count() as u64;
        assert_eq!(learner.state.history.common.next_game, begun);
        assert_eq!(learner.state.progress().episodes, begun);
    }
}

#[test]
fn one_thread_plays_two_games_in_turn_and_several_play_one_each() {
    for (threads, expected) in [(1, 2), (2, 2), (4, 4)] {
        let game = LoggedGame::new(game());
        let mut learner = BareLearner::new(&game, NETWORK, td);
        let begun = || {
            let is_start = |event: &Event| matches!(event, Event::Started(..));
            game.events().into_iter().filter(is_start).count() as u64
        };
        train_on(threads, &mut learner, &game, moves(0));
        let mut games = begun();
        assert_eq!(games, expected, "{threads} threads");
        // Unfinished games continue on any number of threads, and each one is finished once.
        for threads in [2, 4, 1, 3] {
            train_on(threads, &mut learner, &game, moves(50));
        }
        train_on(1, &mut learner, &game, episodes(20));
        games += begun();
        assert_eq!(learner.state.history.common.next_game, games);
        assert_eq!(learner.state.progress().episodes, games);
    }
}

#[test]
fn the_first_limit_ends_a_training() {
    let game = game();
    let mut learner = BareLearner::new(&game, NETWORK, td);
    let mut train = |threads, moves, episodes, time| {
        train_on(threads, &mut learner, &game, TrainingBudget { moves, episodes, time })
    };
    assert_eq!(train(1, Some(1_000_000), Some(10), None).episodes, 10);
    assert_eq!(train(1, Some(100), Some(1_000_000), None).moves, 100);
    let limit = Duration::from_millis(300);
    let done = train(2, None, None, Some(limit));
    assert!(done.elapsed >= limit && done.moves > 0);
    assert_eq!(train(2, None, None, Some(Duration::ZERO)).moves, 0);
}

#[test]
fn a_training_without_a_budget_ends_when_the_report_asks_to_stop() {
    let game = game();
    let mut learner = BareLearner::new(&game, NETWORK, td);
    let reports = AtomicU64::new(0);
    let report = |progress: &TrainingProgress| {
        assert!(progress.moves > 0);
        match reports.fetch_add(1, Relaxed) {
            0 => Control::Continue,
            _ => Control::Stop,
        }
    };
    let session = TrainingSession { report: &report, ..training(&TestThreads(2)) };
    let done = learner.train_in(&session, &game, PLAIN).unwrap();
    assert_eq!(reports.load(Relaxed), 2);
    assert!(done.elapsed >= Duration::from_millis(200), "reports come every 100 ms");
    assert!(done.episodes > 0 && done.window > 0 && done.mean > 0.0);
}

/// A game whose rules fail after 5,000 moves.
struct FailingGame {
    game: Game2048,
    spawns: AtomicU64,
}

impl FailingGame {
    fn of(game: Game2048) -> Self {
        Self { game, spawns: AtomicU64::new(0) }
    }
}

impl Game for FailingGame {
    forward_game!(|this| this.game;
        description, start, successors, outcomes, write, write_afterstate, parse
    );

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        if self.spawns.fetch_add(1, Relaxed) == 5000 {
            Fault::new("the rules have failed").raise();
        }
        self.game.spawn(afterstate, random)
    }
}

#[test]
fn a_fault_of_the_game_ends_the_training_on_all_threads() {
    let failing = FailingGame::of(game());
    let mut learner = BareLearner::new(&failing, NETWORK, td);
    let fault = learner.train_in(&training(&TestThreads(2)), &failing, PLAIN).unwrap_err();
    assert_eq!(fault, Fault::new("the rules have failed"));
    // The learner can be trained again, with new games.
    assert_eq!(train_on(1, &mut learner, &failing.game, episodes(3)).episodes, 3);
}

#[test]
fn a_training_ends_though_all_games_are_over_at_their_start() {
    let over = OverGame(game());
    for restarts in [Restarts::None, Restarts::Carousel] {
        let mut learner = with_restarts(&over, restarts);
        let failed = learner.train_in(&session(moves(1000)), &over, PLAIN).unwrap_err();
        assert!(failed.0.contains("games in a row were over at their start: no legal"), "{failed}");
        assert_eq!(learner.train(&over, PLAIN, episodes(100)).moves, 0);
    }
}

/// Trains, and compares the statistics of the last thousand games with their final boards.
/// `points` returns the part of the score that a tile on the final board contributes.
fn statistics_describe_the_last_games<G: Game>(game: G, points: impl Fn(u64) -> u64) {
    let game = LoggedGame::new(game);
    let mut learner = BareLearner::new(&game, NETWORK, td);
    let done = learner.train(&game, PLAIN, episodes(1200));
    let ends = game.events().into_iter().filter_map(|event| match event {
        Event::Ended(state) => Some(game.write(state)),
        _ => None,
    });
    let tiles_of = |text: String| -> Vec<u64> {
        let board = text.split(' ').next().unwrap();
        board.split([',', '/']).map(|tile| tile.parse().unwrap()).collect()
    };
    let ends: Vec<Vec<u64>> = ends.skip(200).map(tiles_of).collect();
    let sum: u64 = ends.iter().flatten().map(|&tile| points(tile)).sum();
    let greatest: Vec<u64> = ends.iter().map(|tiles| *tiles.iter().max().unwrap()).collect();
    assert_eq!((done.episodes, done.window), (1200, 1000));
    assert_eq!(done.mean, sum as f64 / 1000.0);
    assert_eq!(Some(done.max_tile()), greatest.iter().copied().max());
    for &tile in &game.description().tiles {
        let ended = done.ended.iter().find(|&&(found, _)| found == tile).map_or(0, |e| e.1);
        assert_eq!(greatest.iter().filter(|&&found| found == tile).count() as u64, ended);
    }
}

#[test]
fn progress_describes_the_last_thousand_games() {
    // If no 4 is spawned, a tile 2^k was merged from 2s: (k - 1) 2^k points.
    let four = Probability::new(0.0).unwrap();
    let config = game_2048::Config { rows: 2, cols: 3, four, ..Default::default() };
    let merged = |tile: u64| tile * u64::from(tile.max(2).ilog2() - 1);
    statistics_describe_the_last_games(Game2048::new(config).unwrap(), merged);
    // Rewards of chance outcomes count, too.
    let points = |tile: u64| if tile < 3 { 0 } else { 3u64.pow((tile / 3).ilog2() + 1) };
    statistics_describe_the_last_games(threes(2, 3), points);
}

#[test]
fn two_threads_learn_as_much_as_one() {
    // The means of single trainings were observed to differ by at most 10%, with any number of
    // threads; means of six differ less. Threads that corrupted each other's weights would
    // learn next to nothing.
    let game = game_2048(3, 3);
    let [one, two] = [1, 2].map(|threads| {
        let means = (0..6).map(|k| {
            let mut learner = BareLearner::new(&game, "shape:331 shape:322 shape:33", td);
            learner.state.history.common.next_game = 1_000_000 * k;
            train_on(threads, &mut learner, &game, episodes(2000));
            learner.state.progress().mean
        });
        means.sum::<f64>() / 6.0
    });
    assert!((two / one - 1.0).abs() < 0.25, "{one} and {two}");
}

#[test]
fn optimism_is_the_initial_value_of_every_position() {
    let setting = setting(4, 4);
    for (network, expected) in
        [("0123", 320_000.0), ("4-22", 320_000.0), ("17x4 012", 320_000.0), ("0123", 0.0f32)]
    {
        let learner: TcNtuple =
            setting.read(&format!("network: \"{network}\", optimism: {expected:?}")).unwrap();
        for value in setting.values(&learner) {
            assert!((value - expected).abs() <= 1e-6 * expected, "{value}");
        }
    }
}

#[test]
fn warm_up_is_td_and_leaves_the_memory_empty() {
    let game = game();
    let plan = moves(768 * 10);
    let half = moves(768 * 5);
    let warm_tc = |n| Tc::new(Schedule::Constant(1.0), 0.5, n);
    let mut learner = BareLearner::new(&game, NETWORK, warm_tc);
    let mut plain = BareLearner::new(&game, NETWORK, td);
    learner.train_part(&game, PLAIN, half, plan);
    plain.train_part(&game, PLAIN, half, plan);
    assert_eq!(learner.bits().0, plain.bits().0);
    assert!(learner.records.iter().all(|record| record.memory.word(0) == 0));
    // Then it is TC that starts with these weights.
    let mut later = BareLearner::new(&game, NETWORK, tc);
    for (record, learned) in later.records.iter().zip(plain.records.iter()) {
        record.weight.set(learned.weight.get());
    }
    later.state = plain.state;
    learner.train_part(&game, PLAIN, half, plan);
    later.train_part(&game, PLAIN, half, plan);
    assert_eq!(learner.bits(), later.bits());
    assert!(learner.records.iter().any(|record| record.memory.word(0) != 0));
}

/// Schedules depend on the share of the plan that is done. Without a plan a warm-up would never
/// end.
#[test]
fn schedules_and_warm_up_need_a_plan() {
    let setting = setting(2, 3);
    for (parameters, is_planned) in [
        ("warm_up: 0.5", true),
        ("beta: [(0.0, 1.0), (0.5, 0.1)]", true),
        ("beta: (from: 1.0, to: 0.1)", true),
        // A schedule of one step is constant.
        ("beta: [(0.0, 0.5)]", false),
        ("", false),
    ] {
        let train = |plan: TrainingBudget| {
            let parameters = format!("network: \"{NETWORK}\", {parameters}");
            let learner: TcNtuple = setting.read(&parameters).unwrap();
            let session = TrainingSession { plan, ..session(moves(10)) };
            learner.train(&setting.game, &session).map(|progress| progress.moves)
        };
        assert_eq!(train(moves(100)), Ok(10));
        let without = train(TrainingBudget::default());
        if is_planned {
            refused(without, &["moves, episodes or a time"]);
        } else {
            assert_eq!(without, Ok(10));
        }
    }
}

#[test]
fn a_training_ends_where_all_values_are_nan() {
    for learns in [ValueFunction::Afterstates, ValueFunction::States] {
        let mut learner = BareLearner::of(learns, &game(), NETWORK, td);
        learner.records.iter().for_each(|record| record.weight.set(f32::NAN));
        refused(learner.train_in(&session(moves(100)), &game(), PLAIN), &["diverged"]);
    }
}
