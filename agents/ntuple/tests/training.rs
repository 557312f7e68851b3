//! Trainings: their budgets, how they are cut and gone on with, and what changes
//! in their course.

#[allow(dead_code)] // Other tests use what this one does not.
mod pupil;

use agent_ntuple::credit::{Backward, Credit, Delayed, Forward, MeanReturn, NStep};
use agent_ntuple::learned::Learns;
use agent_ntuple::rule::{Accumulate, Autostep, Memory, Rule, Tc, TcMemory, TcWide, Td, WarmUp};
use agent_ntuple::schedule::{Schedule, Written};
use agent_ntuple::trainer::Life;
use agent_ntuple::{
    AutostepConfig, AutostepNtuple, History, TcConfig, TcNtuple, TdConfig, TdNtuple,
};
use game_2048::Game2048;
use game_threes::Threes;
use pupil::{Event, Pupil, SEED, Threads, Watched, episodes, moves};
use runner_core::{
    Afterstate, BuildContext, Control, Fault, Game, Host, Learner, LearnerPlugin, Outcomes,
    Probability, Random, Seed, SingleThread, Spec, State, Successors, TextError, TrainingBudget,
    TrainingProgress, TrainingSession, Value, ValuePlugin,
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

/// The way of learning that needs the least.
const PLAIN: Forward = Forward { lambda: 0.0, horizon: 0 };

/// What is the same in two runs: all but the time.
fn timeless(progress: TrainingProgress) -> TrainingProgress {
    TrainingProgress { elapsed: Duration::ZERO, ..progress }
}

/// Trains in one call and in many, and compares.
fn cut<R: Rule>(rule: impl Fn(usize) -> R + Copy, credit: &dyn Credit<R>) {
    for learns in [Learns::Afterstates, Learns::States, Learns::Actions] {
        cut_learning(learns, rule, credit);
    }
}

fn cut_learning<R: Rule>(learns: Learns, rule: impl Fn(usize) -> R + Copy, credit: &dyn Credit<R>) {
    let game = game();
    let cuts = [1, 1, 2, 3, 5, 100, 100, 255, 767, 768, 769, 0, 1000, 13, 1215];
    let all = cuts.iter().sum();
    let mut whole = Pupil::of(learns, &game, NETWORK, rule);
    let done = whole.train_by(&game, credit, moves(all), moves(all));
    assert!(done.episodes > 10);
    let mut pieces = Pupil::of(learns, &game, NETWORK, rule);
    let mut so_far = 0;
    for piece in cuts {
        let done = pieces.train_by(&game, credit, moves(piece), moves(all));
        so_far += piece;
        assert_eq!(done.moves, so_far);
        assert_eq!(done, pieces.life.progress());
    }
    assert_eq!(timeless(pieces.life.progress()), timeless(done));
    assert_eq!(pieces.bits(), whole.bits());
    assert_eq!(pieces.life.next_game(), whole.life.next_game());
}

#[test]
fn a_training_may_be_cut_anywhere() {
    cut(td, &PLAIN);
    cut(tc, &Forward { lambda: 0.5, horizon: 3 });
    cut(tc, &Delayed { lambda: 0.5, horizon: 3 });
    cut(td, &NStep { steps: 3 });
    cut(td, &MeanReturn);
    cut(td, &Backward);
    cut(|n| TcWide::new(Schedule::Constant(1.0), Accumulate::Error, n), &PLAIN);
    cut(|lookups| Autostep::new(0.1, 0.0001, 1.0, lookups), &PLAIN);
}

#[test]
fn a_training_whose_step_size_changes_may_be_cut_anywhere() {
    let mut steps = [(0.0, 0.0); 8];
    steps[..2].copy_from_slice(&[(0.0, 1.0), (0.5, 0.1)]);
    cut(|n| Td::new(Schedule::Steps(steps, 2), n), &PLAIN);
    cut(|n| Tc::new(Schedule::Anneal(1.0, 0.01), Accumulate::Error, None, n), &PLAIN);
    let warm_up = Some(WarmUp { share: 0.5, alpha: 0.1 });
    cut(|n| Tc::new(Schedule::Constant(1.0), Accumulate::Error, warm_up, n), &PLAIN);
}

/// Trains on so many threads.
fn train_on(
    threads: usize,
    pupil: &mut Pupil<Td>,
    game: &impl Game,
    budget: TrainingBudget,
) -> TrainingProgress {
    let (host, plan) = (Threads(threads), TrainingBudget::default());
    let report = |_: &TrainingProgress| Control::Continue;
    let session =
        TrainingSession { budget, plan, seed: SEED, ..TrainingSession::new(&host, &report) };
    let before = pupil.life.progress();
    pupil.attend(game, &PLAIN, &session).unwrap().since(&before)
}

#[test]
fn a_budget_of_moves_is_kept_to_the_move() {
    let game = game();
    for threads in [1, 2, 3] {
        let mut pupil = Pupil::new(&game, NETWORK, td);
        for budget in [0, 1, 2, 3, 7, 100, 767, 768, 769, 1500, 20_000, 1] {
            assert_eq!(train_on(threads, &mut pupil, &game, moves(budget)).moves, budget);
        }
    }
}

#[test]
fn a_budget_of_games_is_kept_to_the_game() {
    let game = Watched::new(game());
    for threads in [1, 2, 3] {
        let mut pupil = Pupil::new(&game, NETWORK, td);
        for budget in [0, 1, 2, 3, 7, 100, 1] {
            assert_eq!(train_on(threads, &mut pupil, &game, episodes(budget)).episodes, budget);
        }
        // Games that are under way are among those that are asked for.
        for budget in [1, 2, 0, 5, 1, 20] {
            train_on(threads, &mut pupil, &game, moves(5));
            let done = train_on(threads, &mut pupil, &game, episodes(budget));
            assert_eq!(done.episodes, budget, "{threads} threads");
        }
        // None was forgotten, none begun for nothing.
        train_on(threads, &mut pupil, &game, episodes(100));
        let begun = |event: &&Event| matches!(event, Event::Started(..));
        let begun = game.events().iter().filter(begun).count() as u64;
        assert_eq!(pupil.life.next_game(), begun);
        assert_eq!(pupil.life.progress().episodes, begun);
    }
}

#[test]
fn whatever_limit_comes_first_ends_a_training() {
    let game = game();
    let mut pupil = Pupil::new(&game, NETWORK, td);
    let both = |moves, episodes| TrainingBudget { moves, episodes, time: None };
    let done = train_on(1, &mut pupil, &game, both(Some(1_000_000), Some(10)));
    assert_eq!(done.episodes, 10);
    let done = train_on(1, &mut pupil, &game, both(Some(100), Some(1_000_000)));
    assert_eq!(done.moves, 100);
    let time = Some(Duration::from_millis(30));
    let done = train_on(2, &mut pupil, &game, TrainingBudget { time, ..TrainingBudget::default() });
    assert!(done.elapsed >= Duration::from_millis(30) && done.moves > 0);
    let time = Some(Duration::ZERO);
    let done = train_on(2, &mut pupil, &game, TrainingBudget { time, ..TrainingBudget::default() });
    assert_eq!(done.moves, 0);
}

#[test]
fn a_training_without_a_limit_ends_when_it_is_told_to() {
    let game = game();
    let mut pupil = Pupil::new(&game, NETWORK, td);
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
    let done = pupil.attend(&game, &PLAIN, &session).unwrap();
    assert_eq!(reports.load(Relaxed), 2);
    assert!(done.elapsed >= Duration::from_millis(200), "reports come ten times a second");
    assert!(done.episodes > 0 && done.window > 0 && done.mean > 0.0);
}

/// A game whose rules fail after a while.
struct Broken {
    game: Game2048,
    spawns: AtomicU64,
}

impl Game for Broken {
    fn description(&self) -> &runner_core::Description {
        self.game.description()
    }

    fn start(&self, random: u64) -> State {
        self.game.start(random)
    }

    fn successors(&self, state: State, out: &mut Successors) {
        self.game.successors(state, out);
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        self.game.outcomes(afterstate, out);
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        if self.spawns.fetch_add(1, Relaxed) == 5000 {
            Fault::new("the rules have failed").raise();
        }
        self.game.spawn(afterstate, random)
    }

    fn write(&self, state: State) -> String {
        self.game.write(state)
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        self.game.write_afterstate(afterstate)
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        self.game.parse(text)
    }
}

#[test]
fn a_fault_of_the_game_ends_a_training_on_all_threads() {
    let broken = Broken { game: game(), spawns: AtomicU64::new(0) };
    let mut pupil = Pupil::new(&broken, NETWORK, td);
    let report = |_: &TrainingProgress| Control::Continue;
    let (budget, plan) = (TrainingBudget::default(), TrainingBudget::default());
    let session =
        TrainingSession { budget, plan, seed: SEED, ..TrainingSession::new(&Threads(2), &report) };
    let fault = pupil.attend(&broken, &PLAIN, &session).unwrap_err();
    assert_eq!(fault, Fault::new("the rules have failed"));
    // It can be gone on with, with games of its own.
    assert_eq!(train_on(1, &mut pupil, &broken.game, episodes(3)).episodes, 3);
}

/// Trains, and holds what is told of the last thousand games against the boards on
/// which they ended: `points` is what a tile there has brought in.
fn tells_of_the_last_games<G: Game>(game: G, points: impl Fn(u64) -> u64) {
    let game = Watched::new(game);
    let mut pupil = Pupil::new(&game, NETWORK, td);
    let done = pupil.train(&game, &PLAIN, episodes(1200));
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
    assert_eq!(Some(&done.max_tile), greatest.iter().max());
    for (tile, ended) in game.description().tiles.iter().zip(done.ended) {
        assert_eq!(greatest.iter().filter(|&found| found == tile).count(), ended as usize);
    }
}

#[test]
fn a_learner_tells_how_its_last_thousand_games_ended() {
    // Without 4s that enter, a tile 2^k has been merged from 2s: (k - 1) 2^k points.
    let four = Probability::new(0.0).unwrap();
    let config = game_2048::Config { rows: 2, cols: 3, four, ..Default::default() };
    let merged = |tile: u64| tile * u64::from(tile.max(2).ilog2() - 1);
    tells_of_the_last_games(Game2048::new(config).unwrap(), merged);
    // Points that chance gives are counted with the others.
    let config = game_threes::Config { rows: 2, cols: 3, ..Default::default() };
    let worth = |tile: u64| if tile < 3 { 0 } else { 3u64.pow((tile / 3).ilog2() + 1) };
    tells_of_the_last_games(Threes::new(config).unwrap(), worth);
}

/// Where a learner is built for this game.
fn with_site<T>(game: &impl Game, build: impl FnOnce(&BuildContext<'_>) -> T) -> T {
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    build(&BuildContext { game: game.description(), game_spec: "a game of the tests", host: &host })
}

fn learner<P: ValuePlugin>(game: &impl Game, config: P::Config) -> P {
    with_site(game, |site| P::new(config, site)).unwrap_or_else(|error| panic!("{error}"))
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

/// Some positions of a game, of early and late play.
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

/// Trains, saves, loads, and goes on.
fn is_kept_and_gone_on_with<P: LearnerPlugin>(config: impl Fn() -> P::Config) {
    let game = Watched::new(game());
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
    // The next game is one that nobody has seen: three were under way.
    game.events();
    let more = train(&second, &game, episodes(4));
    assert_eq!(more.episodes, done.episodes + 4);
    let mut started = game.events().into_iter().filter_map(|event| match event {
        Event::Started(word, _) => Some(word),
        _ => None,
    });
    let stream = |game: u64| Random::stream(SEED, game).word();
    let begun = started.next().unwrap();
    let next = (0..10_000).find(|&game| stream(game) == begun).unwrap();
    assert!(next >= done.episodes, "{next} after {}", done.episodes);
    assert_eq!(started.collect::<Vec<_>>(), (next + 1..next + 4).map(stream).collect::<Vec<_>>());
    // What the rule remembers was kept: two that load the same go on alike.
    let third: P = learner(&game, config());
    third.load(&[&path]).unwrap();
    train(&third, &game, episodes(4));
    assert_eq!(values(&third, &positions), values(&second, &positions));
    // What is built to play a model plays it, and does not train.
    let spec: Spec = format!("{}(model: {:?})", P::NAME, path.to_str().unwrap()).parse().unwrap();
    let player: P = learner(&game, spec.read().unwrap());
    assert_eq!(values(&player, &positions), values(&first, &positions));
    let report = |_: &TrainingProgress| Control::Continue;
    let (budget, plan) = (moves(1), TrainingBudget::default());
    let session = TrainingSession {
        budget,
        plan,
        seed: SEED,
        ..TrainingSession::new(&SingleThread, &report)
    };
    assert!(player.train(&game, &session).is_err());
}

#[test]
fn a_training_is_kept_in_a_file_and_gone_on_with() {
    let network = Some(NETWORK.to_owned());
    let config = TcConfig { network, lambda: 0.5, ..TcConfig::default() };
    is_kept_and_gone_on_with::<TcNtuple>(|| config.clone());
    is_kept_and_gone_on_with::<TcNtuple>(|| TcConfig { wide: true, ..config.clone() });
    let network = Some(NETWORK.to_owned());
    let config = TdConfig { network, update: "delayed".to_owned(), ..TdConfig::default() };
    is_kept_and_gone_on_with::<TdNtuple>(|| config.clone());
    let network = Some(NETWORK.to_owned());
    let config = AutostepConfig { network, ..AutostepConfig::default() };
    is_kept_and_gone_on_with::<AutostepNtuple>(|| config.clone());
}

#[test]
fn two_threads_learn_as_one_does() {
    // One training's mean was seen to lie within a tenth of that of others, with any
    // number of threads; the mean of six lies closer. Threads that spoil each other's
    // weights learn next to nothing.
    let game = game_2048(3, 3);
    let [one, two] = [1, 2].map(|threads| {
        let means = (0..6).map(|k| {
            let mut pupil = Pupil::new(&game, "shape:331 shape:322 shape:33", td);
            let history = History { next_game: 1_000_000 * k, ..History::default() };
            pupil.life = Life::restored(&history);
            train_on(threads, &mut pupil, &game, episodes(2000));
            pupil.life.progress().mean
        });
        means.sum::<f64>() / 6.0
    });
    assert!((two / one - 1.0).abs() < 0.25, "{one} and {two}");
}

#[test]
fn an_optimist_thinks_every_position_worth_the_same_at_first() {
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
    let realist: TcNtuple = learner(&game, config);
    assert!(values(&realist, &positions).iter().all(|&value| value == 0.0));
}

#[test]
fn a_warm_up_is_td_and_leaves_no_memory() {
    let game = game();
    let plan = moves(768 * 10);
    let (half, warm_up) = (moves(768 * 5), Some(WarmUp { share: 0.5, alpha: 0.1 }));
    let warm = |n| Tc::new(Schedule::Constant(1.0), Accumulate::Error, warm_up, n);
    let mut pupil = Pupil::new(&game, NETWORK, warm);
    let mut plain = Pupil::new(&game, NETWORK, td);
    pupil.train_by(&game, &PLAIN, half, plan);
    plain.train_by(&game, &PLAIN, half, plan);
    assert_eq!(pupil.bits().0, plain.bits().0);
    assert!(pupil.memory.iter().all(|memory: &TcMemory| memory.word(0) == 0));
    // From then on it is TC, as if it had begun with these weights.
    let mut later = Pupil::new(&game, NETWORK, tc);
    for (weight, learned) in later.weights.iter().zip(plain.weights.iter()) {
        weight.set(learned.get());
    }
    later.life = plain.life;
    pupil.train_by(&game, &PLAIN, half, plan);
    later.train_by(&game, &PLAIN, half, plan);
    assert_eq!(pupil.bits(), later.bits());
    assert!(pupil.memory.iter().any(|memory: &TcMemory| memory.word(0) != 0));
}

/// What the rules in a training go by is the share that is done of a whole: without
/// a plan a warm-up would never end.
#[test]
fn what_changes_in_the_course_of_a_training_needs_a_plan() {
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
        TcConfig { beta: Some(Written::Steps(vec![(0.0, 1.0), (0.5, 0.1)])), ..plain() },
        TcConfig { beta: Some(Written::Anneal { from: 1.0, to: 0.1 }), wide: true, ..plain() },
    ] {
        let refused = train(planned.clone(), TrainingBudget::default()).unwrap_err();
        assert!(refused.contains("moves, episodes or a time"), "{refused}");
        assert_eq!(train(planned, moves(100)), Ok(10));
    }
    assert_eq!(train(plain(), TrainingBudget::default()), Ok(10));
    // One step from the beginning on is the same throughout.
    assert_eq!(
        train(
            TcConfig { beta: Some(Written::Steps(vec![(0.0, 0.5)])), ..plain() },
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
        let config = AutostepConfig { network, lambda, ..AutostepConfig::default() };
        with_site(&game, |site| AutostepNtuple::new(config, site)).err()
    };
    assert_eq!(refused(0.0), None);
    for wrong in [0.5, -0.5, f32::NAN] {
        let error = refused(wrong).expect("it makes no sense");
        assert_eq!(error.parameter.as_deref(), Some("lambda"));
        assert!(error.message.contains("0 is allowed"), "{error}");
    }
}
