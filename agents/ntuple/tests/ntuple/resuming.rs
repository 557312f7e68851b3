//! Trainings that are interrupted or saved continue as if nothing had happened.

use super::support::*;
use super::training::{NETWORK, PLAIN, game, restarts, tc, td, with_restarts};
use agent_ntuple::averaging::Average;
use agent_ntuple_network::Initial;
use std::time::Duration;

/// Returns the progress without the time, which differs between equal runs.
fn without_time(progress: TrainingProgress) -> TrainingProgress {
    TrainingProgress { elapsed: Duration::ZERO, ..progress }
}

/// Asserts that a training of about 5000 moves for each round and the same training in parts are
/// equal.
fn parts_equal_whole<R: Rule>(
    build: impl Fn() -> BareLearner<R>,
    scheme: UpdateScheme,
    rounds: usize,
) -> BareLearner<R> {
    let game = game();
    let parts = [1, 1, 2, 3, 5, 100, 100, 255, 767, 768, 769, 0, 1000, 13, 1215].repeat(rounds);
    let all = moves(parts.iter().sum());
    let mut whole = build();
    let done = whole.train_part(&game, scheme, all, all);
    assert!(done.episodes > 10);
    let (mut interrupted, mut so_far) = (build(), 0);
    for part in parts {
        let done = interrupted.train_part(&game, scheme, moves(part), all);
        so_far += part;
        assert_eq!(done.moves, so_far);
        assert_eq!(done, interrupted.state.progress());
    }
    assert_eq!(without_time(interrupted.state.progress()), without_time(done));
    assert_eq!(interrupted.bits(), whole.bits());
    assert_eq!(interrupted.state.history.common.next_game, whole.state.history.common.next_game);
    whole
}

#[test]
fn interrupting_a_training_anywhere_changes_nothing() {
    fn check<R: Rule>(rule: impl Fn(usize) -> R + Copy, scheme: UpdateScheme) {
        for learns in [ValueFunction::Afterstates, ValueFunction::States, ValueFunction::Actions] {
            parts_equal_whole(|| BareLearner::of(learns, &game(), NETWORK, rule), scheme, 1);
        }
    }
    check(td, PLAIN);
    check(tc, UpdateScheme::Forward { lambda: 0.5, horizon: 3 });
    check(tc, UpdateScheme::Delayed { lambda: 0.5, horizon: 3 });
    check(td, UpdateScheme::NStep { steps: 3 });
    check(td, UpdateScheme::MeanReturn);
    check(td, UpdateScheme::Backward { lambda: 0.0 });
    check(tc, UpdateScheme::Backward { lambda: 0.5 });
    check(|lookups| Autostep::new(0.1, 0.0001, 1.0, lookups), PLAIN);
    check(|n| Td::new(Schedule::steps(&[(0.0, 1.0), (0.5, 0.1)]), n), PLAIN);
    check(|n| Tc::new(Schedule::Anneal { from: 1.0, to: 0.01 }, 0.0, n), PLAIN);
    check(|n| Tc::new(Schedule::Constant(1.0), 0.5, n), PLAIN);
}

#[test]
fn interrupting_a_training_with_restarts_changes_nothing() {
    for restarts in restarts() {
        parts_equal_whole(|| with_restarts(&game(), restarts), PLAIN, 4);
    }
}

#[test]
fn interrupting_a_training_with_averaging_changes_nothing() {
    let build = || BareLearner::new(&game(), NETWORK, td);
    let plain = parts_equal_whole(build, PLAIN, 4);
    let with_average = || {
        let learner = build();
        let initial = Initial::new(0.0, learner.inheritance, &learner.lookup);
        let average = Average::new(0.5, learner.lookup.weights(), initial).unwrap();
        BareLearner { average: Some(average), ..learner }
    };
    let whole = parts_equal_whole(with_average, PLAIN, 4);
    // The games are the same, and the mean is close to the last weights, but not equal.
    assert_eq!(without_time(whole.state.progress()), without_time(plain.state.progress()));
    assert_ne!(whole.bits(), plain.bits());
}

#[test]
fn a_loaded_training_continues_with_a_new_game() {
    let setting = Fixture { game: LoggedGame::new(game()), spec: "2048".to_owned() };
    let game = &setting.game;
    let parameters = format!("network: \"{NETWORK}\", lambda: 0.5");
    let [first, second] = [(); 2].map(|()| setting.read::<TcNtuple>(&parameters).unwrap());
    let done = first.train(game, &session(moves(5000))).unwrap();
    second.load_bytes(&saved(&first, "checkpoint"), "a.model").unwrap();
    assert_eq!(second.progress().elapsed, done.elapsed);
    // Two games were unfinished.
    game.events();
    let more = second.train(game, &session(episodes(4))).unwrap();
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
}
