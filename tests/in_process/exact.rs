//! The exact solver and the player of its tables: held against the plainest value
//! iteration, against each other, and against luck.

use agent_expectimax::{Expectimax, SearchOptions};
use game_2048::{Config, Game2048};
use game_reference::Scattered;
use runner::evaluation::{Limits, Plan, play};
use runner::player::NamedPlayer;
use runner::threads::{Services, Threads};
use runner_core::{
    Action, Afterstate, Control, Description, Game, Host, Outcome, Outcomes, Random, Seed,
    SingleThread, State, Successors, TextError, Turn, Value,
};
use runner_plugin::{LoadedGame, Registry, TableGame};
use runner_solver::{Means, Progress, Question, Solution, SolveError, save, solve};
use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// Solved values: the game, how many states it has of which one stands for all its
/// images, and the expected score of the best play.
const VALUES: &str = include_str!("exact.txt");

/// Enough for whatever is solved here.
const MEMORY: u64 = 4 << 30;

fn registry() -> Arc<Registry> {
    let mut registry = Registry::new();
    for root in runner_plugins::plugins() {
        registry.link(root);
    }
    registry.link(pig::plugin());
    Arc::new(registry)
}

fn loaded(registry: &Registry, spec: &str) -> LoadedGame {
    registry.game(&spec.parse().unwrap()).unwrap()
}

fn means(host: &dyn Host) -> Means<'_> {
    Means { host, memory: MEMORY, report: &|_| Control::Continue }
}

/// The solution as the program finds it: over tables, if the game has them.
fn solution(game: &LoadedGame, question: &Question, host: &dyn Host) -> Solution {
    let means = means(host);
    match TableGame::over(&game.rules) {
        Some(table) => solve(&table, question, &means),
        None => solve(&*game.rules, question, &means),
    }
    .unwrap()
}

fn value_of<G: Game>(game: &G) -> f64 {
    solve(game, &Question::default(), &means(&SingleThread)).unwrap().value.unwrap()
}

#[track_caller]
fn same(found: f64, expected: f64) {
    assert!((found - expected).abs() <= 1e-9 * expected.abs(), "{found}, and {expected} is right");
}

/// With which probability chance gives what on the way to the state of which number.
type Chance = (f64, f64, usize);

/// The value of every state that can be reached from some, by the definition of a
/// value, again and again until none changes: no symmetry, no layers.
fn plain_values<G: Game>(game: &G, from: impl Iterator<Item = State>) -> HashMap<State, f64> {
    let mut states: Vec<State> = Vec::new();
    let mut numbers: HashMap<State, usize> = HashMap::new();
    let mut number = |state: State, states: &mut Vec<State>| {
        *numbers.entry(state).or_insert_with(|| {
            states.push(state);
            states.len() - 1
        })
    };
    from.for_each(|state| {
        number(state, &mut states);
    });
    // Of each state, of each action: the reward, and all that chance can do.
    let mut follows: Vec<Vec<(f64, Vec<Chance>)>> = Vec::new();
    let mut successors = Successors::new();
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    while let Some(&state) = states.get(follows.len()) {
        game.successors(state, &mut successors);
        let actions = successors.iter().map(|successor| {
            game.outcomes(successor.afterstate, &mut outcomes);
            let given = |to| f64::from(game.chance_reward(Some(successor.afterstate), to));
            let next = outcomes.iter().map(|outcome| {
                let number = number(outcome.state, &mut states);
                (outcome.probability, given(outcome.state), number)
            });
            (f64::from(successor.reward), next.collect())
        });
        follows.push(actions.collect());
    }
    let mut values = vec![0.0; states.len()];
    loop {
        let mut change: f64 = 0.0;
        for (state, actions) in follows.iter().enumerate().rev() {
            let earned = actions.iter().map(|(reward, next)| {
                reward + next.iter().map(|(p, given, to)| p * (given + values[*to])).sum::<f64>()
            });
            let value = earned.reduce(f64::max).unwrap_or(0.0);
            change = change.max((value - values[state]).abs());
            values[state] = value;
        }
        if change < 1e-12 {
            return states.into_iter().zip(values).collect();
        }
    }
}

/// The expected score by [`plain_values`]; the starts are the game's, the rules may
/// be a slow reference's.
fn plain_value<G: Game, R: Game>(game: &G, rules: &R) -> f64 {
    let starts = game.starts().unwrap();
    let values = plain_values(rules, starts.iter().map(|start| start.state));
    let from = |start: &Outcome| f64::from(game.chance_reward(None, start.state));
    starts.iter().map(|start| start.probability * (from(start) + values[&start.state])).sum()
}

/// The lines of the file of values up to a number of states.
fn values_on_file(states: u64) -> Vec<(&'static str, u64, f64)> {
    let lines = VALUES.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let read = |line: &'static str| {
        let [game, states, value] = line.split(" | ").collect::<Vec<_>>()[..] else {
            panic!("three columns are expected: {line}");
        };
        (game, states.parse().unwrap(), value.parse().unwrap())
    };
    lines.map(read).filter(|&(_, count, _)| count <= states).collect()
}

#[test]
fn values_are_those_of_the_plainest_iteration() {
    let registry = registry();
    let small = values_on_file(60_000);
    assert!(small.len() >= 8, "{small:?}");
    for (spec, states, value) in small {
        let game = loaded(&registry, spec);
        let solved = solution(&game, &Question::default(), &SingleThread);
        println!("{spec} | {} | {}", solved.states, solved.value.unwrap());
        assert_eq!(solved.states, states, "{spec}");
        same(solved.value.unwrap(), value);
        match TableGame::over(&game.rules) {
            Some(table) => same(plain_value(&table, &table), value),
            None => same(plain_value(&*game.rules, &*game.rules), value),
        }
    }
}

/// The rules are told a second time here, so that no error in them is on both sides.
#[test]
fn values_are_those_of_the_slow_references() {
    let game = Game2048::new(Config { rows: 2, cols: 2, ..Config::default() }).unwrap();
    let doubled = |a, b| (a == b).then_some(2 * a);
    let slow = Scattered::of(&game, doubled, &[(2, 0.9), (4, 0.1)]);
    same(value_of(&game), plain_value(&game, &slow));

    let config = game_1024::Config { rows: 2, cols: 2, ..Default::default() };
    let game = game_1024::Game1024::new(config).unwrap();
    let slow = Scattered::of(&game, doubled, &[(1, 0.9), (2, 0.1)]);
    same(value_of(&game), plain_value(&game, &slow));

    let config = game_2584::Config { rows: 2, cols: 2, ..Default::default() };
    let game = game_2584::Game2584::new(config).unwrap();
    let neighbours = |a: u64, b: u64| {
        let sequence = [1, 1, 2, 3, 5, 8, 13, 21, 34, 55, 89, 144, 233];
        let are_two = |two: &[u64]| two == [a.min(b), a.max(b)];
        sequence.windows(2).any(are_two).then_some(a + b)
    };
    let slow = Scattered::of(&game, neighbours, &[(1, 0.75), (3, 0.25)]);
    same(value_of(&game), plain_value(&game, &slow));
}

/// A game that tells less of itself.
struct Silent<G> {
    game: G,
    description: Description,
    tells_layers: bool,
}

impl<G: Game> Silent<G> {
    fn without_layers(game: G) -> Self {
        let description = game.description().clone();
        Self { game, description, tells_layers: false }
    }

    fn without_symmetry(game: G) -> Self {
        let description = Description { geometry: None, ..game.description().clone() };
        Self { game, description, tells_layers: true }
    }
}

impl<G: Game> Game for Silent<G> {
    fn description(&self) -> &Description {
        &self.description
    }
    fn start(&self, random: u64) -> State {
        self.game.start(random)
    }
    fn starts(&self) -> Option<Vec<Outcome>> {
        self.game.starts()
    }
    fn successors(&self, state: State, out: &mut Successors) {
        self.game.successors(state, out);
    }
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        self.game.outcomes(afterstate, out);
    }
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
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
    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        self.game.chance_reward(from, to)
    }
    fn has_chance_rewards(&self) -> bool {
        self.game.has_chance_rewards()
    }
    fn layer(&self, state: State) -> Option<u64> {
        self.game.layer(state).filter(|_| self.tells_layers)
    }
    fn transform(&self, state: State, symmetry: usize) -> State {
        self.game.transform(state, symmetry)
    }
    fn transform_afterstate(&self, afterstate: Afterstate, symmetry: usize) -> Afterstate {
        self.game.transform_afterstate(afterstate, symmetry)
    }
}

fn small_2048() -> Game2048 {
    Game2048::new(Config { rows: 2, cols: 3, ..Config::default() }).unwrap()
}

fn small_threes() -> game_threes::Threes {
    let config = game_threes::Config {
        rows: 2,
        cols: 3,
        bag: 1,
        bonus: false,
        ..game_threes::Config::default()
    };
    game_threes::Threes::new(config).unwrap()
}

#[test]
fn symmetry_and_layers_save_work_and_change_nothing() {
    fn hold<G: Game>(new: fn() -> G) {
        let expected = value_of(&new());
        same(value_of(&Silent::without_layers(new())), expected);
        same(value_of(&Silent::without_symmetry(new())), expected);
    }
    hold(small_2048);
    hold(small_threes);
}

#[test]
fn every_bit_is_the_same_on_any_number_of_threads() {
    let registry = registry();
    let folder = tempfile::tempdir().unwrap();
    for spec in ["2048(rows: 2, cols: 3)", "threes(rows: 2, cols: 3, bag: 1, bonus: false)"] {
        let game = loaded(&registry, spec);
        let told = |threads: usize| {
            let threads = Threads::new(Some(threads)).unwrap();
            let host = Services::new(&threads, &registry, &game);
            let asked = game.rules.starts().unwrap()[0].state;
            let question = Question { state: Some(asked), worths: true };
            let solved = solution(&game, &question, &host);
            let path = folder.path().join("table");
            save(&path, spec, &[], solved.worths.as_ref().unwrap()).unwrap();
            let answer = solved.answer.unwrap();
            let numbers = (solved.states, solved.value.map(f64::to_bits), answer.value.to_bits());
            (numbers, answer.action, std::fs::read(&path).unwrap())
        };
        let one = told(1);
        for threads in [2, 3, 5] {
            assert!(told(threads) == one, "{spec} on {threads} threads");
        }
    }
}

#[test]
fn a_state_has_its_value_and_its_best_action() {
    let game = small_2048();
    let state = game.parse("2,0,2/4,0,0").unwrap();
    let question = Question { state: Some(state), worths: false };
    let answer = solve(&game, &question, &means(&SingleThread)).unwrap().answer.unwrap();
    let values = plain_values(&game, [state].into_iter());
    same(answer.value, values[&state]);
    let mut successors = Successors::new();
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    game.successors(state, &mut successors);
    let chosen = successors.of(answer.action.unwrap()).unwrap();
    game.outcomes(chosen.afterstate, &mut outcomes);
    let mean: f64 = outcomes.iter().map(|o| o.probability * values[&o.state]).sum();
    same(f64::from(chosen.reward) + mean, answer.value);

    let over = game.parse("2,4,2/4,2,4").unwrap();
    let question = Question { state: Some(over), worths: false };
    let answer = solve(&game, &question, &means(&SingleThread)).unwrap().answer.unwrap();
    assert_eq!((answer.value, answer.action), (0.0, None));
}

/// A walk over so many places, whose rules can be wrong in ways of interest.
struct Walk {
    description: Description,
    wrong: Wrong,
}

#[derive(Clone, Copy, PartialEq)]
enum Wrong {
    /// One of three steps goes back, all earn: the walk never has to end.
    EarnsForEver,
    /// Its layers fall.
    LayersFall,
    /// It lists no starts.
    NoStarts,
    /// The reward is no number.
    NoNumber,
    /// Nothing: a walk forward that earns 1 a step.
    Nothing,
}

impl Walk {
    const PLACES: u64 = 500;

    fn new(wrong: Wrong) -> Self {
        let description = Description {
            actions: vec!["go".into(), "back".into()],
            max_outcomes: 1,
            tiles: Vec::new(),
            goal: None,
            geometry: None,
        };
        Self { description, wrong }
    }
}

impl Game for Walk {
    fn description(&self) -> &Description {
        &self.description
    }
    fn start(&self, _: u64) -> State {
        State::default()
    }
    fn starts(&self) -> Option<Vec<Outcome>> {
        let start = Outcome { state: State::default(), probability: 1.0 };
        (self.wrong != Wrong::NoStarts).then(|| vec![start])
    }
    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        if state.lo < Self::PLACES {
            let reward = if self.wrong == Wrong::NoNumber { f32::NAN } else { 1.0 };
            out.push(Action(0), Afterstate::new(state.lo + 1, 0), reward);
            if self.wrong == Wrong::EarnsForEver && state.lo > 0 {
                out.push(Action(1), Afterstate::new(state.lo - 1, 0), 1.0);
            }
        }
    }
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        out.push(1.0, self.spawn(afterstate, 0));
    }
    fn spawn(&self, afterstate: Afterstate, _: u64) -> State {
        State::new(afterstate.lo, 0)
    }
    fn layer(&self, state: State) -> Option<u64> {
        match self.wrong {
            Wrong::LayersFall => Some(Self::PLACES - state.lo),
            Wrong::EarnsForEver | Wrong::NoNumber => None,
            _ => Some(state.lo),
        }
    }
    fn write(&self, state: State) -> String {
        state.lo.to_string()
    }
    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        afterstate.lo.to_string()
    }
    fn parse(&self, text: &str) -> Result<State, TextError> {
        let place = text.parse().map_err(|error| TextError::new(0, error))?;
        Ok(State::new(place, 0))
    }
}

#[test]
fn a_game_that_cannot_be_solved_says_why() {
    let ask = |wrong| solve(&Walk::new(wrong), &Question::default(), &means(&SingleThread));
    let right = ask(Wrong::Nothing).unwrap();
    assert_eq!((right.states, right.value), (Walk::PLACES + 1, Some(Walk::PLACES as f64)));

    let error = ask(Wrong::EarnsForEver).unwrap_err();
    assert!(matches!(error, SolveError::Unsettled { states: 501, .. }), "{error}");
    let error = ask(Wrong::LayersFall).unwrap_err().to_string();
    assert!(error.contains("layer 500 becomes `1`, and chance makes of that `1`"), "{error}");
    let error = ask(Wrong::NoNumber).unwrap_err().to_string();
    assert!(error.contains("`500`") || error.contains("`499`"), "{error}");
    assert_eq!(ask(Wrong::NoStarts).unwrap_err(), SolveError::NoStarts);

    // From a state that is given, it can be.
    let question = Question { state: Some(State::new(490, 0)), worths: false };
    let solved = solve(&Walk::new(Wrong::NoStarts), &question, &means(&SingleThread)).unwrap();
    assert_eq!((solved.states, solved.value), (11, None));
    assert_eq!(solved.answer.unwrap().value, 10.0);
}

#[test]
fn a_game_that_is_too_large_is_told_of_before_it_is_felt() {
    let game = Game2048::new(Config::default()).unwrap();
    let means = Means { memory: 8 << 20, ..means(&SingleThread) };
    let error = solve(&game, &Question::default(), &means).unwrap_err();
    let SolveError::TooLarge { states, layer, needed, limit } = error else { panic!("{error}") };
    assert!(states > 10_000 && layer.is_some_and(|layer| layer > 10), "{error}");
    assert!(limit == 8 << 20 && (limit..2 * limit).contains(&needed), "{error}");
    let hidden = Silent::without_layers(game);
    let error = solve(&hidden, &Question::default(), &means).unwrap_err();
    let SolveError::TooLarge { states, layer: None, .. } = error else { panic!("{error}") };
    assert!(states > 10_000, "{error}");
}

#[test]
fn a_solve_stops_when_it_is_told_to() {
    let reports = AtomicU64::new(0);
    let report = |progress: Progress| {
        reports.fetch_add(1, Ordering::Relaxed);
        match progress {
            Progress::Valued { .. } => Control::Stop,
            _ => Control::Continue,
        }
    };
    let means = Means { report: &report, ..means(&SingleThread) };
    let stopped = solve(&small_2048(), &Question::default(), &means).unwrap_err();
    assert_eq!(stopped, SolveError::Interrupted);
    assert!(reports.load(Ordering::Relaxed) > 10);
}

/// The best player's mean score of so many games is the game's value: within what
/// is exceeded once in a thousand such tests, but the seed is fixed.
fn plays_as_well_as_it_can_be_played(spec: &str, games: u64, folder: &Path) {
    let registry = registry();
    let game = loaded(&registry, spec);
    let threads = Threads::new(Some(2)).unwrap();
    let services = Services::new(&threads, &registry, &game);
    let solved = solution(&game, &Question { state: None, worths: true }, &services);
    let path = folder.join("table");
    save(&path, &game.spec.to_string(), &[], solved.worths.as_ref().unwrap()).unwrap();
    let player = format!("exact(model: {:?})", path.to_str().unwrap()).parse().unwrap();
    let player = NamedPlayer::build(&registry, &player, &game, &services).unwrap();
    let plan = Plan {
        game: &game,
        games,
        seed: Seed(1),
        threads: &threads,
        time: None,
        limits: Limits::default(),
    };
    let played = play(&plan, &player.player, None).unwrap();
    assert_eq!(played.faults, 0, "{spec}: {:?}", played.fault_messages);
    let scores: Vec<f64> = played.results.games().iter().map(|game| game.score).collect();
    assert_eq!(scores.len() as u64, games);
    let mean = scores.iter().sum::<f64>() / games as f64;
    let variance = scores.iter().map(|s| (s - mean).powi(2)).sum::<f64>() / (games - 1) as f64;
    let error = (variance / games as f64).sqrt();
    let value = solved.value.unwrap();
    println!("{spec}: mean {mean:.3} +- {error:.3}, value {value:.3}");
    assert!((mean - value).abs() < 3.29 * error, "{spec}: {mean} +- {error}, and not {value}");
}

#[test]
fn the_exact_player_earns_what_was_solved() {
    let folder = tempfile::tempdir().unwrap();
    for spec in [
        "2048(rows: 2, cols: 3)",
        "threes(rows: 2, cols: 3, bag: 1, bonus: false)",
        "1024(rows: 2, cols: 3, blocked: [1])",
        "2584(rows: 2, cols: 2)",
        "pig(target: 30)",
    ] {
        plays_as_well_as_it_can_be_played(spec, 20_000, folder.path());
    }
}

/// What an agent chooses by in a position, and what a solve says of that.
#[test]
fn a_search_of_exact_worths_is_exact_at_any_depth() {
    let folder = tempfile::tempdir().unwrap();
    let registry = registry();
    for spec in ["2048(rows: 2, cols: 3)", "threes(rows: 2, cols: 3, bag: 1, bonus: false)"] {
        let game = loaded(&registry, spec);
        let threads = Threads::new(Some(2)).unwrap();
        let services = Services::new(&threads, &registry, &game);
        let solved = solution(&game, &Question { state: None, worths: true }, &services);
        let path = folder.path().join("table");
        save(&path, &game.spec.to_string(), &[], solved.worths.as_ref().unwrap()).unwrap();
        let exact = format!("exact(model: {:?})", path.to_str().unwrap());
        let exact = services.value(&exact.parse().unwrap()).unwrap();
        // One that knows nothing, and asks the one that does.
        let asks = |plies| {
            let nothing: Arc<dyn Value> = Arc::new(Nothing);
            let options = SearchOptions::plies(plies);
            Expectimax::with_options(nothing, options, Arc::new(SingleThread))
                .with_exact(exact.clone())
        };
        let by_leaves = |plies| {
            Expectimax::with_options(
                exact.clone(),
                SearchOptions::plies(plies),
                Arc::new(SingleThread),
            )
        };
        let mut random = Random::from_word(7);
        let mut successors = Successors::new();
        for _ in 0..20 {
            let mut state = game.rules.start(random.word());
            for _ in 0..random.below(30) {
                game.rules.successors(state, &mut successors);
                if successors.is_empty() {
                    break;
                }
                let chosen = successors[random.below(successors.len() as u32) as usize];
                state = game.rules.spawn(chosen.afterstate, random.word());
            }
            game.rules.successors(state, &mut successors);
            if successors.is_empty() {
                continue;
            }
            let turn = Turn { state, successors: &successors, random: 0 };
            let worths = |mut player: Expectimax| -> Vec<f32> {
                let found = player.search(&*game.rules, &turn);
                found.action_values.into_iter().map(|(_, worth)| worth).collect()
            };
            let expected = worths(by_leaves(1));
            for plies in 1..=4 {
                for found in [worths(by_leaves(plies)), worths(asks(plies))] {
                    for (found, expected) in found.iter().zip(&expected) {
                        assert!((found - expected).abs() < 0.01, "{spec}: {found} {expected}");
                    }
                }
            }
        }
    }
}

/// A value that knows nothing.
struct Nothing;

impl Value for Nothing {
    fn evaluate(&self, _: &[Afterstate], values: &mut [f32]) {
        values.fill(-1e6);
    }
}

/// What takes minutes: `cargo test --release --test in_process -- --ignored`.
#[test]
#[ignore = "long"]
fn the_exact_player_earns_what_was_solved_in_many_games() {
    let folder = tempfile::tempdir().unwrap();
    for spec in [
        "2048(rows: 2, cols: 3)",
        "threes(rows: 2, cols: 3, bag: 1, bonus: false)",
        "2048(rows: 3, cols: 3)",
    ] {
        plays_as_well_as_it_can_be_played(spec, 100_000, folder.path());
    }
}

#[test]
#[ignore = "long"]
fn all_values_on_file_are_found() {
    let registry = registry();
    for (spec, states, value) in values_on_file(u64::MAX) {
        let game = loaded(&registry, spec);
        for threads in [1, 2] {
            let threads = Threads::new(Some(threads)).unwrap();
            let host = Services::new(&threads, &registry, &game);
            let solved = solution(&game, &Question::default(), &host);
            assert_eq!(solved.states, states, "{spec}");
            same(solved.value.unwrap(), value);
        }
    }
}
