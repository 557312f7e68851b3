//! Trainings: budgets, starts, interruption and resumption, and rules that change over a
//! training. One file, because every file here is a program that is linked separately.

#[allow(dead_code)] // Other tests use the rest.
mod bare_learner;

use agent_ntuple::averaging::Passed;
use agent_ntuple::learners::autostep::Autostep;
use agent_ntuple::learners::tc::{Accumulate, Tc, TcMemory, TcWide, WarmUp};
use agent_ntuple::learners::td::Td;
use agent_ntuple::rule::Rule;
use agent_ntuple::schedule::{Schedule, ScheduleParameter};
use agent_ntuple::starts::{Carousel, Length, Middle, Restarts};
use agent_ntuple::trainer::TrainingState;
use agent_ntuple::update::{Backward, Delayed, Forward, MeanReturn, NStep, UpdateScheme};
use agent_ntuple::{AutostepConfig, AutostepNtuple, TcConfig, TcNtuple, TdConfig, TdNtuple};
use agent_ntuple_network::memory::Region;
use agent_ntuple_network::{Memory, Network, Stages, ValueFunction};
use bare_learner::{BareLearner, Event, LoggedGame, SEED, Threads, episodes, moves};
use game_2048::Game2048;
use game_threes::Threes;
use runner_core::{
    Afterstate, BuildContext, CollectedStarts, Control, Fault, Game, Host, Learner, LearnerPlugin,
    Probability, Random, Seed, SingleThread, Spec, Start, State, Successors, TrainingBudget,
    TrainingProgress, TrainingSession, Value, ValuePlugin, forward_game,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Duration;

const NETWORK: &str = "0134 012 25!";

fn game() -> Game2048 {
    game_2048(2, 3)
}

fn game_2048(rows: usize, cols: usize) -> Game2048 {
    Game2048::new(game_2048::Config { rows, cols, ..Default::default() }).unwrap()
}

fn td(lookups: usize) -> Td {
    Td::new(Schedule::Constant(0.1), lookups)
}

fn tc(lookups: usize) -> Tc {
    Tc::new(Schedule::Constant(1.0), Accumulate::Error, None, lookups)
}

/// The simplest update scheme.
const PLAIN: Forward = Forward { lambda: 0.0, horizon: 0 };

/// Returns the progress without the time, which differs between equal runs.
fn without_time(progress: TrainingProgress) -> TrainingProgress {
    TrainingProgress { elapsed: Duration::ZERO, ..progress }
}

fn parts_equal_whole<R: Rule>(rule: impl Fn(usize) -> R + Copy, scheme: &dyn UpdateScheme<R>) {
    for learns in [ValueFunction::Afterstates, ValueFunction::States, ValueFunction::Actions] {
        parts_of_function(learns, rule, scheme);
    }
}

fn parts_of_function<R: Rule>(
    learns: ValueFunction,
    rule: impl Fn(usize) -> R + Copy,
    scheme: &dyn UpdateScheme<R>,
) {
    let game = game();
    let cuts = [1, 1, 2, 3, 5, 100, 100, 255, 767, 768, 769, 0, 1000, 13, 1215];
    let all = cuts.iter().sum();
    let mut whole = BareLearner::of(learns, &game, NETWORK, rule);
    let done = whole.train_part(&game, scheme, moves(all), moves(all));
    assert!(done.episodes > 10);
    let mut parts = BareLearner::of(learns, &game, NETWORK, rule);
    let mut so_far = 0;
    for part in cuts {
        let done = parts.train_part(&game, scheme, moves(part), moves(all));
        so_far += part;
        assert_eq!(done.moves, so_far);
        assert_eq!(done, parts.state.progress());
    }
    assert_eq!(without_time(parts.state.progress()), without_time(done));
    assert_eq!(parts.bits(), whole.bits());
    assert_eq!(parts.state.next_game(), whole.state.next_game());
}

#[test]
fn interrupting_a_training_anywhere_changes_nothing() {
    parts_equal_whole(td, &PLAIN);
    parts_equal_whole(tc, &Forward { lambda: 0.5, horizon: 3 });
    parts_equal_whole(tc, &Delayed { lambda: 0.5, horizon: 3 });
    parts_equal_whole(td, &NStep { steps: 3 });
    parts_equal_whole(td, &MeanReturn);
    parts_equal_whole(td, &Backward { lambda: 0.0 });
    parts_equal_whole(tc, &Backward { lambda: 0.5 });
    parts_equal_whole(|n| TcWide::new(Schedule::Constant(1.0), Accumulate::Error, n), &PLAIN);
    parts_equal_whole(|lookups| Autostep::new(0.1, 0.0001, 1.0, lookups), &PLAIN);
}

#[test]
fn interrupting_a_training_with_a_schedule_changes_nothing() {
    let mut steps = [(0.0, 0.0); 8];
    steps[..2].copy_from_slice(&[(0.0, 1.0), (0.5, 0.1)]);
    parts_equal_whole(|n| Td::new(Schedule::Steps(steps, 2), n), &PLAIN);
    parts_equal_whole(|n| Tc::new(Schedule::Anneal(1.0, 0.01), Accumulate::Error, None, n), &PLAIN);
    let warm_up = Some(WarmUp { share: 0.5, alpha: 0.1 });
    parts_equal_whole(|n| Tc::new(Schedule::Constant(1.0), Accumulate::Error, warm_up, n), &PLAIN);
}

/// Restarts on a board of 2 x 3 cells, where a game has about 20 moves at first.
fn restarts() -> [Restarts; 6] {
    let middle = Middle { longer_than: Length::Moves(15), ..Middle::default() };
    [
        Restarts::Middle(middle),
        Restarts::Middle(Middle { longer_than: Length::OfMean(0.8), fresh: 0.5, ..middle }),
        Restarts::Middle(Middle { longer_than_later: Some(3), ..middle }),
        Restarts::Middle(Middle { entrances: Schedule::Constant(0.5), ..middle }),
        Restarts::Carousel(Carousel::default()),
        Restarts::Carousel(Carousel { keep: 2, cut: true, fresh: 0.5 }),
    ]
}

fn with_restarts(game: &impl Game, restarts: Restarts) -> BareLearner<Td> {
    let board = game.description().geometry.clone().unwrap();
    let stages = Stages::read("8 16 32", &board).unwrap();
    let network = Network::read(NETWORK, &board).unwrap().with_stages(Some(stages));
    let learner = BareLearner::with_network(ValueFunction::Afterstates, game, network, td);
    BareLearner { restarts, ..learner }
}

#[test]
fn interrupting_a_training_with_restarts_changes_nothing() {
    let game = game();
    for restarts in restarts() {
        let mut whole = with_restarts(&game, restarts);
        let done = whole.train(&game, &PLAIN, moves(20_000));
        let mut parts = with_restarts(&game, restarts);
        for part in [1, 1, 2, 100, 767, 768, 769, 0, 7592, 10_000] {
            parts.train(&game, &PLAIN, moves(part));
        }
        assert_eq!(without_time(parts.state.progress()), without_time(done));
        assert_eq!(parts.bits(), whole.bits());
    }
}

#[test]
fn interrupting_a_training_with_averaging_changes_nothing() {
    let game = game();
    let with_average = || {
        let learner = BareLearner::new(&game, NETWORK, td);
        let average = Region::new(learner.lookup.weights()).unwrap();
        BareLearner { average: Some((average, Passed::default())), ..learner }
    };
    let mut plain = BareLearner::new(&game, NETWORK, td);
    plain.train_part(&game, &PLAIN, moves(20_000), moves(20_000));
    let mut whole = with_average();
    whole.train_part(&game, &PLAIN, moves(20_000), moves(20_000));
    // The games are the same, and the mean is close to the last weights, but not equal.
    assert_eq!(without_time(whole.state.progress()), without_time(plain.state.progress()));
    assert_ne!(whole.bits(), plain.bits());
    let mut parts = with_average();
    for part in [1, 1, 2, 100, 767, 768, 769, 0, 7592, 10_000] {
        parts.train_part(&game, &PLAIN, moves(part), moves(20_000));
    }
    assert_eq!(parts.bits(), whole.bits());
}

#[test]
fn a_carousel_begins_whole_games_after_a_share_of_its_rounds() {
    let game = game();
    let episodes = [0.01, 0.25, 1.0].map(|fresh| {
        let carousel = Carousel { keep: 20, fresh, ..Carousel::default() };
        let mut learner = with_restarts(&game, Restarts::Carousel(carousel));
        learner.train(&game, &PLAIN, moves(40_000)).episodes
    });
    // Whole games begin anyway until one of them has entered the second stage.
    assert!(episodes[0] < 60, "{episodes:?}");
    assert!(episodes[1] > 100 && 2 * episodes[1] < episodes[2], "{episodes:?}");
}

#[test]
fn games_at_entrances_take_the_place_of_a_share_of_whole_games() {
    let game = game();
    let figures = [0.0, 0.25, 0.99].map(|share| {
        let entrances = Schedule::Constant(share);
        let middle =
            Middle { longer_than: Length::Moves(1_000_000), entrances, ..Middle::default() };
        let mut learner = with_restarts(&game, Restarts::Middle(middle));
        let done = learner.train(&game, &PLAIN, moves(40_000));
        (done.episodes as f64, done.figure("restarts").unwrap())
    });
    let [(_, none), (whole, quarter), (few, all)] = figures;
    assert_eq!(none, 0.0);
    assert!((2.5..3.5).contains(&(whole / quarter)), "{figures:?}");
    // Whole games begin anyway until one of them has entered the second stage.
    assert!(few < 60.0 && all > 1000.0, "{figures:?}");
}

#[test]
fn the_share_of_games_at_entrances_follows_its_schedule() {
    let game = game();
    let mut steps = [(0.0, 0.0); 8];
    steps[1] = (0.5, 0.9);
    let entrances = Schedule::Steps(steps, 2);
    let middle = Middle { longer_than: Length::Moves(1_000_000), entrances, ..Middle::default() };
    let mut learner = with_restarts(&game, Restarts::Middle(middle));
    let half = learner.train_part(&game, &PLAIN, moves(20_000), moves(40_000));
    assert_eq!(half.figure("restarts"), Some(0.0));
    let whole = learner.train_part(&game, &PLAIN, moves(20_000), moves(40_000));
    assert!(whole.figure("restarts").unwrap() > 500.0, "{whole:?}");
}

#[test]
fn restarts_after_games_of_any_length_leave_whole_games() {
    let game = game();
    for at in [0.1, 0.9] {
        let middle = Middle { longer_than: Length::OfMean(1e-300), at, ..Middle::default() };
        let mut learner = with_restarts(&game, Restarts::Middle(middle));
        assert_eq!(learner.train(&game, &PLAIN, episodes(20)).episodes, 20);
    }
}

#[test]
fn only_whole_games_are_counted() {
    for restarts in restarts() {
        let game = LoggedGame::new(game());
        let mut learner = with_restarts(&game, restarts);
        let done = learner.train(&game, &PLAIN, episodes(100));
        let events = game.events();
        let count = |is: fn(&Event) -> bool| events.iter().filter(|event| is(event)).count() as f64;
        let begun = count(|event| matches!(event, Event::Started(..)));
        // The trainer asks for the max tile, which logs this event, after whole games only.
        let ended = count(|event| matches!(event, Event::Ended(..)));
        let restarted = done.figure("restarts").unwrap();
        assert!(restarted > 10.0, "{restarts:?}: {done:?}");
        assert_eq!((done.episodes, done.window), (100, 100));
        assert_eq!((begun, ended), (100.0, 100.0), "{restarts:?}");
        for stage in ["entered stage 1", "entered stage 2", "entered stage 3"] {
            assert!(done.figure(stage).unwrap() > 0.0, "{done:?}");
        }
    }
}

#[test]
fn games_that_were_cut_are_in_no_mean() {
    let game = LoggedGame::new(game());
    // Some games end before the next stage; the others are cut where they enter it.
    let start = Start { state: game.parse("16,2,4/4,8,0").unwrap(), score: 0.0 };
    let report = |_: &TrainingProgress| Control::Continue;
    let session = TrainingSession {
        budget: episodes(200),
        seed: SEED,
        starts: &[start],
        ..TrainingSession::new(&SingleThread, &report)
    };
    let carousel = Carousel { cut: true, ..Carousel::default() };
    let mut learner = with_restarts(&game, Restarts::Carousel(carousel));
    let done = learner.train_in(&session, &game, &PLAIN).unwrap();
    let events = game.events();
    // The trainer asks for the max tile of each game whose score counts, which logs this event.
    let counted = events.iter().filter(|event| matches!(event, Event::Ended(_))).count();
    assert_eq!((done.episodes, done.window), (200, counted as u64));
    assert!(20 < done.window && done.window < 180, "{done:?}");
    let cut = done.figure("entered stage 3").unwrap();
    assert_eq!(done.episodes - done.window, cut as u64);
}

#[test]
fn games_that_are_not_long_enough_are_not_continued() {
    let game = game();
    let none = with_restarts(&game, Restarts::None);
    let middle = Middle { longer_than: Length::Moves(1_000_000), ..Middle::default() };
    for middle in [middle, Middle { longer_than: Length::Moves(1), fresh: 1.0, ..middle }] {
        let mut learner = with_restarts(&game, Restarts::Middle(middle));
        let done = learner.train(&game, &PLAIN, moves(5000));
        assert_eq!(done.figure("restarts"), Some(0.0));
    }
    let mut learner = with_restarts(&game, Restarts::Middle(middle));
    let mut none = none;
    learner.train(&game, &PLAIN, moves(5000));
    none.train(&game, &PLAIN, moves(5000));
    assert_eq!(learner.bits(), none.bits());
}

#[test]
fn later_stages_have_their_own_length() {
    let game = game();
    let restarts = |longer_than, longer_than_later| {
        // The first 8 comes at about this share of a game.
        let longer_than = Length::Moves(longer_than);
        let middle = Middle { longer_than, longer_than_later, at: 0.2, ..Middle::default() };
        let mut learner = with_restarts(&game, Restarts::Middle(middle));
        let restarts = learner.train(&game, &PLAIN, moves(5000)).figure("restarts");
        (restarts.unwrap(), learner.bits())
    };
    let (in_all, _) = restarts(3, None);
    let (in_later, _) = restarts(1_000_000, Some(3));
    let (in_first, _) = restarts(3, Some(1_000_000));
    assert!(in_first > 0.0 && in_later > 0.0, "{in_first} {in_later}");
    assert!(in_first < in_all && in_later < in_all, "{in_first} {in_later} {in_all}");
    assert_eq!(restarts(15, Some(15)), restarts(15, None));
}

#[test]
fn a_restart_is_at_its_share_of_the_game_before() {
    let game = LoggedGame::new(game());
    let mut successors = Successors::new();
    for at in [0.25, 0.5, 0.9] {
        let middle = Middle { longer_than: Length::Moves(10), at, ..Middle::default() };
        let mut learner = with_restarts(&game, Restarts::Middle(middle));
        // Whole games one after the other, each with its restarts: one game at a time.
        let mut restarts = 0;
        for _ in 0..50 {
            learner.train(&game, &PLAIN, episodes(1));
            let number = learner.state.next_game();
            let mut streams = (0..number).rev().map(|game| Random::training_stream(SEED, game));
            let events = game.events();
            let (mut random, mut path) = (None::<Random>, Vec::new());
            for event in events {
                match event {
                    Event::Started(word, state) => {
                        let begins = |random: &Random| random.clone().word() == word;
                        let mut stream = streams.find(begins).expect("a game of the training");
                        stream.word();
                        (random, path) = (Some(stream), vec![state]);
                    }
                    Event::Moved(afterstate, word, next) => {
                        let expected = random.as_mut().unwrap().word();
                        if expected != word {
                            // The game has ended, and the next one draws from its own stream.
                            let moves = path.len() - 1;
                            assert!(moves > 10, "a game of {moves} moves is not continued");
                            let begin = path[(moves as f64 * at) as usize];
                            game.successors(begin, &mut successors);
                            assert!(successors.iter().any(|s| s.afterstate == afterstate));
                            let next_stream = (0..number)
                                .map(|game| Random::training_stream(SEED, game))
                                .find(|random| random.clone().word() == word);
                            let mut stream = next_stream.expect("a game of the training");
                            stream.word();
                            (random, path) = (Some(stream), vec![begin]);
                            restarts += 1;
                        }
                        path.push(next);
                    }
                    Event::Ended(_) => {}
                }
            }
        }
        assert!(restarts > 20);
        let counted = learner.state.progress().figure("restarts");
        assert_eq!(counted, Some(f64::from(restarts)));
    }
}

#[test]
fn entrances_of_stages_are_collected_for_the_session() {
    let game = game();
    let mut learner = with_restarts(&game, Restarts::None);
    let collected = CollectedStarts::new(50);
    let report = |_: &TrainingProgress| Control::Continue;
    let session = TrainingSession {
        budget: episodes(300),
        seed: SEED,
        collected: Some(&collected),
        ..TrainingSession::new(&SingleThread, &report)
    };
    let done = learner.train_in(&session, &game, &PLAIN).unwrap();
    let taken = collected.take();
    let labels: Vec<&str> = taken.iter().map(|(label, _)| label.as_str()).collect();
    assert_eq!(labels, ["stage 1", "stage 2", "stage 3"]);
    for (number, (label, starts)) in taken.iter().enumerate() {
        assert_eq!(
            done.figure(&format!("entered {label}")).unwrap().min(50.0) as usize,
            starts.len()
        );
        for start in starts {
            let tile = game.max_tile(start.state).unwrap();
            assert_eq!(tile, 8 << number, "{label}: {}", game.write(start.state));
            assert!(start.score > 0.0);
        }
    }
}

fn train_on(
    threads: usize,
    learner: &mut BareLearner<Td>,
    game: &impl Game,
    budget: TrainingBudget,
) -> TrainingProgress {
    let (host, plan) = (Threads(threads), TrainingBudget::default());
    let report = |_: &TrainingProgress| Control::Continue;
    let session =
        TrainingSession { budget, plan, seed: SEED, ..TrainingSession::new(&host, &report) };
    let before = learner.state.progress();
    learner.train_in(&session, game, &PLAIN).unwrap().since(&before)
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
        assert_eq!(learner.state.next_game(), begun);
        assert_eq!(learner.state.progress().episodes, begun);
    }
}

#[test]
fn the_first_limit_ends_a_training() {
    let game = game();
    let mut learner = BareLearner::new(&game, NETWORK, td);
    let both = |moves, episodes| TrainingBudget { moves, episodes, time: None };
    let done = train_on(1, &mut learner, &game, both(Some(1_000_000), Some(10)));
    assert_eq!(done.episodes, 10);
    let done = train_on(1, &mut learner, &game, both(Some(100), Some(1_000_000)));
    assert_eq!(done.moves, 100);
    let limit = Duration::from_millis(300);
    let time = Some(limit);
    let done =
        train_on(2, &mut learner, &game, TrainingBudget { time, ..TrainingBudget::default() });
    assert!(done.elapsed >= limit && done.moves > 0);
    let time = Some(Duration::ZERO);
    let done =
        train_on(2, &mut learner, &game, TrainingBudget { time, ..TrainingBudget::default() });
    assert_eq!(done.moves, 0);
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
    let (budget, plan) = (TrainingBudget::default(), TrainingBudget::default());
    let session =
        TrainingSession { budget, plan, seed: SEED, ..TrainingSession::new(&Threads(2), &report) };
    let done = learner.train_in(&session, &game, &PLAIN).unwrap();
    assert_eq!(reports.load(Relaxed), 2);
    assert!(done.elapsed >= Duration::from_millis(200), "reports come every 100 ms");
    assert!(done.episodes > 0 && done.window > 0 && done.mean > 0.0);
}

#[test]
fn games_begin_at_the_positions_of_the_session_with_their_scores() {
    let game = LoggedGame::new(game());
    let start = |text: &str, score| Start { state: game.parse(text).unwrap(), score };
    let starts = [start("2,4,8/2,0,0", 10_000.0), start("32,16,8/2,0,0", 20_000.0)];
    let mut learner = BareLearner::new(&game, NETWORK, td);
    let report = |_: &TrainingProgress| Control::Continue;
    let host = Threads(1);
    let session = TrainingSession {
        budget: episodes(400),
        seed: SEED,
        starts: &starts,
        ..TrainingSession::new(&host, &report)
    };
    let done = learner.train_in(&session, &game, &PLAIN).unwrap();
    assert_eq!((done.episodes, learner.state.next_game()), (400, 400));
    assert!(!game.events().iter().any(|event| matches!(event, Event::Started(..))));
    // Both positions are used about equally often, and rewards are a few hundred points.
    assert!((14_000.0..17_000.0).contains(&done.mean), "{}", done.mean);
}

#[test]
fn a_terminal_start_position_is_refused() {
    let game = game();
    let starts = [Start { state: game.parse("2,4,2/4,2,4").unwrap(), score: 0.0 }];
    let mut learner = BareLearner::new(&game, NETWORK, td);
    let report = |_: &TrainingProgress| Control::Continue;
    let session = TrainingSession {
        budget: moves(10),
        starts: &starts,
        ..TrainingSession::new(&SingleThread, &report)
    };
    let fault = learner.train_in(&session, &game, &PLAIN).unwrap_err();
    assert!(fault.0.contains("2,4,2/4,2,4"), "{fault}");
}

struct FailingGame {
    game: Game2048,
    spawns: AtomicU64,
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
    let failing = FailingGame { game: game(), spawns: AtomicU64::new(0) };
    let mut learner = BareLearner::new(&failing, NETWORK, td);
    let report = |_: &TrainingProgress| Control::Continue;
    let (budget, plan) = (TrainingBudget::default(), TrainingBudget::default());
    let session =
        TrainingSession { budget, plan, seed: SEED, ..TrainingSession::new(&Threads(2), &report) };
    let fault = learner.train_in(&session, &failing, &PLAIN).unwrap_err();
    assert_eq!(fault, Fault::new("the rules have failed"));
    // The learner can be trained again, with new games.
    assert_eq!(train_on(1, &mut learner, &failing.game, episodes(3)).episodes, 3);
}

/// Trains, and compares the statistics of the last thousand games with their final boards.
/// `points` returns the part of the score that a tile on the final board contributes.
fn statistics_describe_the_last_games<G: Game>(game: G, points: impl Fn(u64) -> u64) {
    let game = LoggedGame::new(game);
    let mut learner = BareLearner::new(&game, NETWORK, td);
    let done = learner.train(&game, &PLAIN, episodes(1200));
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
    let config = game_threes::Config { rows: 2, cols: 3, ..Default::default() };
    let points = |tile: u64| if tile < 3 { 0 } else { 3u64.pow((tile / 3).ilog2() + 1) };
    statistics_describe_the_last_games(Threes::new(config).unwrap(), points);
}

fn with_context<T>(game: &impl Game, build: impl FnOnce(&BuildContext<'_>) -> T) -> T {
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    build(&BuildContext { game: game.description(), game_spec: "a game of the tests", host: &host })
}

fn learner<P: ValuePlugin>(game: &impl Game, config: P::Config) -> P {
    with_context(game, |context| P::new(config, context)).unwrap_or_else(|error| panic!("{error}"))
}

fn train<L: Learner>(learner: &L, game: &impl Game, budget: TrainingBudget) -> TrainingProgress {
    let report = |_: &TrainingProgress| Control::Continue;
    let plan = TrainingBudget::default();
    let session = TrainingSession {
        budget,
        plan,
        seed: SEED,
        ..TrainingSession::new(&SingleThread, &report)
    };
    learner.train(game, &session).unwrap()
}

fn positions(game: &impl Game) -> Vec<Afterstate> {
    let mut random = Random::stream(Seed(3), 0);
    let mut successors = Successors::new();
    let mut positions = Vec::new();
    while positions.len() < 500 {
        let mut state = game.start(random.word());
        loop {
            game.successors(state, &mut successors);
            let Some(count) = std::num::NonZero::new(successors.len() as u32) else { break };
            let chosen = successors[random.below(count.get()) as usize].afterstate;
            positions.push(chosen);
            state = game.spawn(chosen, random.word());
        }
    }
    positions
}

fn values(value: &impl Value, positions: &[Afterstate]) -> Vec<f32> {
    let mut values = vec![0.0; positions.len()];
    value.evaluate(positions, &mut values);
    values
}

fn saving_keeps_the_training<P: LearnerPlugin>(config: impl Fn() -> P::Config) {
    let game = LoggedGame::new(game());
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.model");
    let first: P = learner(&game, config());
    let done = train(&first, &game, moves(5000));
    first.save(&path, "checkpoint").unwrap();
    let second: P = learner(&game, config());
    second.load(&[&path]).unwrap();
    let positions = positions(&game);
    assert_eq!(values(&second, &positions), values(&first, &positions));
    let of = |progress: TrainingProgress| (progress.moves, progress.episodes, progress.elapsed);
    assert_eq!(of(second.progress()), of(done.clone()));
    // Training resumes with a new game, although three were unfinished.
    game.events();
    let more = train(&second, &game, episodes(4));
    assert_eq!(more.episodes, done.episodes + 4);
    let mut started = game.events().into_iter().filter_map(|event| match event {
        Event::Started(word, _) => Some(word),
        _ => None,
    });
    let stream = |game: u64| Random::training_stream(SEED, game).word();
    let begun = started.next().unwrap();
    let next = (0..10_000).find(|&game| stream(game) == begun).unwrap();
    assert!(next >= done.episodes, "{next} after {}", done.episodes);
    assert_eq!(started.collect::<Vec<_>>(), (next + 1..next + 4).map(stream).collect::<Vec<_>>());
    // The memory of the rule was saved: two learners that load the file train equally.
    let third: P = learner(&game, config());
    third.load(&[&path]).unwrap();
    train(&third, &game, episodes(4));
    assert_eq!(values(&third, &positions), values(&second, &positions));
    // A learner with the `model` parameter evaluates and does not train.
    let spec: Spec = format!("{}(model: {:?})", P::NAME, path.to_str().unwrap()).parse().unwrap();
    let evaluator: P = learner(&game, spec.read().unwrap());
    assert_eq!(values(&evaluator, &positions), values(&first, &positions));
    let report = |_: &TrainingProgress| Control::Continue;
    let (budget, plan) = (moves(1), TrainingBudget::default());
    let session = TrainingSession {
        budget,
        plan,
        seed: SEED,
        ..TrainingSession::new(&SingleThread, &report)
    };
    assert!(evaluator.train(&game, &session).is_err());
}

#[test]
fn a_saved_training_is_resumed_with_all_its_state() {
    let network = Some(NETWORK.to_owned());
    let config = TcConfig { network, lambda: Some(0.5), ..TcConfig::default() };
    saving_keeps_the_training::<TcNtuple>(|| config.clone());
    saving_keeps_the_training::<TcNtuple>(|| TcConfig { wide: true, ..config.clone() });
    let network = Some(NETWORK.to_owned());
    let config = TdConfig { network, update: Some("delayed".to_owned()), ..TdConfig::default() };
    saving_keeps_the_training::<TdNtuple>(|| config.clone());
    let network = Some(NETWORK.to_owned());
    let config = AutostepConfig { network, ..AutostepConfig::default() };
    saving_keeps_the_training::<AutostepNtuple>(|| config.clone());
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
            learner.state = TrainingState::default();
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
    let game = game_2048(4, 4);
    let positions = positions(&game);
    for network in ["0123", "4-22", "17x4 012"] {
        let network = Some(network.to_owned());
        let config = TcConfig { network, optimism: Some(320_000.0), ..TcConfig::default() };
        let learner: TcNtuple = learner(&game, config);
        for value in values(&learner, &positions) {
            assert!((value / 320_000.0 - 1.0).abs() < 1e-6, "{value}");
        }
    }
    let config = TcConfig { network: Some("0123".to_owned()), ..TcConfig::default() };
    let learner: TcNtuple = learner(&game, config);
    assert!(values(&learner, &positions).iter().all(|&value| value == 0.0));
}

#[test]
fn warm_up_is_td_and_leaves_the_memory_empty() {
    let game = game();
    let plan = moves(768 * 10);
    let (half, warm_up) = (moves(768 * 5), Some(WarmUp { share: 0.5, alpha: 0.1 }));
    let warm_tc = |n| Tc::new(Schedule::Constant(1.0), Accumulate::Error, warm_up, n);
    let mut learner = BareLearner::new(&game, NETWORK, warm_tc);
    let mut plain = BareLearner::new(&game, NETWORK, td);
    learner.train_part(&game, &PLAIN, half, plan);
    plain.train_part(&game, &PLAIN, half, plan);
    assert_eq!(learner.bits().0, plain.bits().0);
    assert!(learner.memory.iter().all(|memory: &TcMemory| memory.word(0) == 0));
    // Then it is TC that starts with these weights.
    let mut later = BareLearner::new(&game, NETWORK, tc);
    for (weight, learned) in later.weights.iter().zip(plain.weights.iter()) {
        weight.set(learned.get());
    }
    later.state = plain.state;
    learner.train_part(&game, &PLAIN, half, plan);
    later.train_part(&game, &PLAIN, half, plan);
    assert_eq!(learner.bits(), later.bits());
    assert!(learner.memory.iter().any(|memory: &TcMemory| memory.word(0) != 0));
}

/// Schedules depend on the share of the plan that is done. Without a plan a warm-up would never
/// end.
#[test]
fn schedules_and_warm_up_need_a_plan() {
    let game = game();
    let report = |_: &TrainingProgress| Control::Continue;
    let train = |config: TcConfig, plan: TrainingBudget| {
        let learner: TcNtuple =
            learner(&game, TcConfig { network: Some(NETWORK.to_owned()), ..config });
        let session = TrainingSession {
            budget: moves(10),
            plan,
            seed: SEED,
            ..TrainingSession::new(&SingleThread, &report)
        };
        learner.train(&game, &session).map(|progress| progress.moves).map_err(|fault| fault.0)
    };
    let plain = TcConfig::default;
    for planned in [
        TcConfig { warm_up: 0.5, ..plain() },
        TcConfig { beta: Some(ScheduleParameter::Steps(vec![(0.0, 1.0), (0.5, 0.1)])), ..plain() },
        TcConfig {
            beta: Some(ScheduleParameter::Anneal { from: 1.0, to: 0.1 }),
            wide: true,
            ..plain()
        },
    ] {
        let refused = train(planned.clone(), TrainingBudget::default()).unwrap_err();
        assert!(refused.contains("moves, episodes or a time"), "{refused}");
        assert_eq!(train(planned, moves(100)), Ok(10));
    }
    assert_eq!(train(plain(), TrainingBudget::default()), Ok(10));
    // A schedule of one step is constant.
    assert_eq!(
        train(
            TcConfig { beta: Some(ScheduleParameter::Steps(vec![(0.0, 0.5)])), ..plain() },
            TrainingBudget::default()
        ),
        Ok(10)
    );
}

#[test]
fn autostep_has_no_lambda() {
    let game = game();
    let refused = |lambda| {
        let network = Some(NETWORK.to_owned());
        let config = AutostepConfig { network, lambda: Some(lambda), ..AutostepConfig::default() };
        with_context(&game, |context| AutostepNtuple::new(config, context)).err()
    };
    assert_eq!(refused(0.0), None);
    for wrong in [0.5, -0.5, f32::NAN] {
        let error = refused(wrong).expect("it is wrong");
        assert_eq!(error.parameter.as_deref(), Some("lambda"));
    }
}

#[test]
fn accumulate_is_refused_where_it_has_no_effect() {
    let game = game();
    let build = |config: TcConfig| with_context(&game, |context| TcNtuple::new(config, context));
    let decayed = TcConfig { accumulate: Accumulate::DecayedError, ..TcConfig::default() };
    let delayed =
        TcConfig { update: Some("delayed".to_owned()), lambda: Some(0.5), ..decayed.clone() };
    for config in [decayed.clone(), delayed] {
        let error = build(config).err().expect("it has no effect");
        assert_eq!(error.parameter.as_deref(), Some("accumulate"));
        assert!(error.message.contains("no effect"), "{error}");
    }
    let online = TcConfig { update: Some("forward".to_owned()), lambda: Some(0.5), ..decayed };
    assert!(build(online).is_ok());
}

#[test]
fn a_training_ends_where_all_values_are_nan() {
    for learns in [ValueFunction::Afterstates, ValueFunction::States] {
        let mut learner = BareLearner::of(learns, &game(), NETWORK, td);
        learner.weights.iter().for_each(|weight| weight.set(f32::NAN));
        let report = |_: &TrainingProgress| Control::Continue;
        let budget = moves(100);
        let session = TrainingSession { budget, ..TrainingSession::new(&SingleThread, &report) };
        let fault = learner.train_in(&session, &game(), &PLAIN).unwrap_err();
        assert!(fault.0.contains("diverged"), "{fault}");
    }
}

#[test]
fn exploration_and_discount_are_parameters_of_a_training() {
    let (game, positions) = (game(), positions(&game()));
    let values = |parameters: &str| {
        let config = format!("td-ntuple(network: \"0134 012\", {parameters})");
        let config = config.parse::<Spec>().unwrap().read().unwrap();
        let learner: TdNtuple = learner(&game, config);
        let moves = train(&learner, &game, moves(3000)).moves;
        assert_eq!(moves, 3000, "{parameters}");
        let mut values = vec![0.0; positions.len()];
        learner.evaluate(&positions, &mut values);
        values
    };
    let default = values("");
    assert_eq!(values("discount: 1.0, explore: greedy"), default);
    assert_eq!(values("explore: epsilon(0.0)"), values("explore: epsilon(0.0)"));
    for other in ["discount: 0.9", "explore: epsilon(0.1)", "explore: softmax(50.0)"] {
        assert_ne!(values(other), default, "{other}");
    }
    let read =
        |parameters: &str| format!("td-ntuple({parameters})").parse::<Spec>().unwrap().read();
    for wrong in ["discount: 0.0", "discount: 1.5", "explore: softmax(0.0)", "explore: epsilon(2)"]
    {
        assert!(read(wrong).is_err(), "{wrong}");
    }
    for (wrong, parameter) in [("discount: 0.9", "discount"), ("explore: epsilon(0.5)", "explore")]
    {
        let config = TdConfig { learns: ValueFunction::Actions, ..read(wrong).unwrap() };
        let built = with_context(&game, |context| TdNtuple::new(config, context));
        assert_eq!(built.err().unwrap().parameter.as_deref(), Some(parameter));
    }
}
