//! Where training games begin: restarts, entrances of stages, positions of the session.

use super::support::*;
use super::training::{NETWORK, PLAIN, game, restarts, td, with_restarts};
use agent_ntuple::starts::{Middle, Restarts};

/// Restarts that continue no game.
fn never() -> Middle {
    Middle { longer_than: Some(1_000_000), ..Middle::default() }
}

fn trained(restarts: Restarts, budget: TrainingBudget) -> TrainingProgress {
    with_restarts(&game(), restarts).train(&game(), PLAIN, budget)
}

#[test]
fn games_at_entrances_take_the_place_of_a_share_of_whole_games() {
    let figures = [0.0, 0.25, 0.99].map(|share| {
        let middle = Middle { entrances: Schedule::Constant(share), ..never() };
        let done = trained(Restarts::Middle(middle), moves(40_000));
        (done.episodes as f64, done.figure("restarts").unwrap_or(0.0))
    });
    let [(_, none), (whole, quarter), (few, all)] = figures;
    assert_eq!(none, 0.0);
    assert!((2.5..3.5).contains(&(whole / quarter)), "{figures:?}");
    // Whole games begin anyway until one of them has entered the second stage.
    assert!(few < 60.0 && all > 1000.0, "{figures:?}");
    // The share follows its schedule.
    let middle = Middle { entrances: Schedule::steps(&[(0.0, 0.0), (0.5, 0.9)]), ..never() };
    let mut learner = with_restarts(&game(), Restarts::Middle(middle));
    let half = learner.train_part(&game(), PLAIN, moves(20_000), moves(40_000));
    assert_eq!(half.figure("restarts"), None);
    let whole = learner.train_part(&game(), PLAIN, moves(20_000), moves(40_000));
    assert!(whole.figure("restarts").unwrap() > 500.0, "{whole:?}");
}

#[test]
fn restarts_after_games_of_any_length_leave_whole_games() {
    let middle = Middle { longer_than_mean: Some(1e-300), ..Middle::default() };
    assert_eq!(trained(Restarts::Middle(middle), episodes(20)).episodes, 20);
}

#[test]
fn only_whole_games_are_counted() {
    for restarts in restarts() {
        let game = LoggedGame::new(game());
        let mut learner = with_restarts(&game, restarts);
        let done = learner.train(&game, PLAIN, episodes(100));
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
fn games_that_are_not_long_enough_are_not_continued() {
    let game = game();
    let mut none = with_restarts(&game, Restarts::None);
    none.train(&game, PLAIN, moves(5000));
    for (middle, is_equal) in
        [(never(), true), (Middle { longer_than: Some(1), fresh: 1.0, ..never() }, false)]
    {
        let mut learner = with_restarts(&game, Restarts::Middle(middle));
        let done = learner.train(&game, PLAIN, moves(5000));
        assert_eq!(done.figure("restarts"), None);
        assert!(!is_equal || learner.bits() == none.bits());
    }
}

#[test]
fn later_stages_have_their_own_length() {
    let game = game();
    let restarts = |longer_than, longer_than_later| {
        let longer_than = Some(longer_than);
        let middle = Middle { longer_than, longer_than_later, ..Middle::default() };
        // Some games have made a 16 in their middle, and some have not.
        let board = board_of(&game);
        let stages = Stages::read("16", &board).unwrap();
        let network = Network::read(NETWORK, &board).unwrap().with_stages(Some(stages));
        let learner = BareLearner::with_network(ValueFunction::Afterstates, &game, network, td);
        let mut learner = BareLearner { restarts: Restarts::Middle(middle), ..learner };
        let restarts = learner.train(&game, PLAIN, moves(5000)).figure("restarts");
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
fn a_restart_is_in_the_middle_of_the_game_before() {
    let game = LoggedGame::new(game());
    let mut successors = Successors::new();
    let middle = Middle { longer_than: Some(10), ..Middle::default() };
    let mut learner = with_restarts(&game, Restarts::Middle(middle));
    // Whole games one after the other, each with its restarts: one game at a time.
    let mut restarts = 0;
    for _ in 0..50 {
        learner.train(&game, PLAIN, episodes(1));
        let number = learner.state.history.common.next_game;
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
                        let begin = path[moves / 2];
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

#[test]
fn games_begin_at_the_positions_of_the_session_with_their_scores() {
    let game = LoggedGame::new(game());
    let start = |text: &str, score| Start { state: game.parse(text).unwrap(), score };
    let starts = [start("2,4,8/2,0,0", 10_000.0), start("32,16,8/2,0,0", 20_000.0)];
    let mut learner = BareLearner::new(&game, NETWORK, td);
    let session = TrainingSession { starts: &starts, ..session(episodes(400)) };
    let done = learner.train_in(&session, &game, PLAIN).unwrap();
    assert_eq!((done.episodes, learner.state.history.common.next_game), (400, 400));
    assert!(!game.events().iter().any(|event| matches!(event, Event::Started(..))));
    // Both positions are used about equally often, and rewards are a few hundred points.
    assert!((14_000.0..17_000.0).contains(&done.mean), "{}", done.mean);
}

#[test]
fn start_positions_of_later_stages_are_the_first_entrances() {
    let start = |text: &str, score| Start { state: game().parse(text).unwrap(), score };
    let starts = [start("2,4,4/2,0,0", 10_000.0), start("32,16,8/2,0,0", 20_000.0)];
    let trained_from = |starts: &[Start]| {
        let game = LoggedGame::new(game());
        let middle = Middle { entrances: Schedule::Constant(0.5), ..never() };
        let mut learner = with_restarts(&game, Restarts::Middle(middle));
        let session = TrainingSession { starts, ..session(episodes(400)) };
        let done = learner.train_in(&session, &game, PLAIN).unwrap();
        let begun = |event: &&Event| matches!(event, Event::Started(..));
        assert!((250.0..600.0).contains(&done.figure("restarts").unwrap()), "{done:?}");
        (done.mean, game.events().iter().filter(begun).count())
    };
    let (mean, begun_by_rules) = trained_from(&starts);
    assert!((10_000.0..11_000.0).contains(&mean), "{mean}");
    assert_eq!(begun_by_rules, 0);
    let (mean, begun_by_rules) = trained_from(&starts[1..]);
    assert!(mean < 1000.0, "{mean}");
    assert_eq!(begun_by_rules, 400);
}

#[test]
fn a_terminal_start_position_is_refused() {
    let game = game();
    let starts = [Start { state: game.parse("2,4,2/4,2,4").unwrap(), score: 0.0 }];
    let mut learner = BareLearner::new(&game, NETWORK, td);
    let session = TrainingSession { starts: &starts, ..session(moves(10)) };
    let fault = learner.train_in(&session, &game, PLAIN).unwrap_err();
    assert!(fault.0.contains("2,4,2/4,2,4"), "{fault}");
}
