//! Calls across the boundary in one process, with plugins that are linked in. Also run under Miri:
//! `cargo +nightly miri test -p runner-plugin --test in_process`.
//!
//! The game `faulty` is a walk from 0 to 20: `State::new(walked, random)`. Actions 0 and 1 walk 1
//! and 2 steps and earn as many points. If 4 divides `random`, the fault `at` occurs from 10 on.

mod grasping;
mod odd;
mod services;

use pig::Pig;
use runner_core::wrappers::Limited;
use runner_core::{
    Action, Afterstate, Agent, Control, Episode, Fault, Game, GamePlugin, GreedyPolicy, Learner,
    Outcomes, Playout, Pulse, Random, Seed, SingleThread, Start, State, Successor, Successors,
    TrainingProgress, TrainingSession, Turn, Value, catch, play,
};
use runner_plugin::{DynAgent, DynValue};
use services::{LoadedGame, Plugins, TestHost};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use test_working::Without;

/// A start of `faulty` whose game has no fault.
const START: State = State::new(0, 1);

/// Returns the plugins of `tests/plugins` and of the module `odd`.
fn plugins() -> Plugins {
    let roots = [pig::plugin(), test_faulty::plugin(), test_working::plugin(), odd::plugin()];
    Plugins::linked(roots)
}

fn game(plugins: &Plugins, spec: &str) -> LoadedGame {
    plugins.game(&spec.parse().unwrap()).unwrap()
}

fn agent(plugins: &Plugins, spec: &str, game: &LoadedGame) -> DynAgent {
    plugins.agent(&spec.parse().unwrap(), game, &TestHost::shared(plugins, game)).unwrap()
}

fn value(plugins: &Plugins, spec: &str, game: &LoadedGame) -> DynValue {
    plugins.value(&spec.parse().unwrap(), game, &TestHost::shared(plugins, game)).unwrap()
}

fn episode<G: Game, A: Agent>(game: &G, agent: &mut A, number: u64) -> Episode {
    let mut random = Random::stream(Seed(7), number);
    play(game, &mut Limited::to_moves(agent, 100), &mut random, &AtomicBool::new(false))
}

fn successors(game: &dyn Game, state: State) -> Successors {
    let mut list = Successors::new();
    game.successors(state, &mut list);
    list
}

fn session_with<'a>(
    starts: &'a [Start],
    report: &'a (dyn Fn(&TrainingProgress) -> Control + Sync),
) -> TrainingSession<'a> {
    TrainingSession { starts, ..TrainingSession::new(&SingleThread, report) }
}

#[derive(Clone)]
struct First;

impl Agent for First {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        turn.successors.first().map(|first| first.action)
    }
}

#[test]
fn a_loaded_game_is_the_game_that_is_compiled_in() {
    let rules = Pig::alone(pig::Config::default()).unwrap();
    let loaded = game(&plugins(), "pig").rules;
    assert_eq!(loaded.description(), rules.description());
    let outcomes = |game: &dyn Game, afterstate| {
        let mut list = Outcomes::with_capacity(rules.description().max_outcomes);
        game.outcomes(afterstate, &mut list);
        list
    };
    let mut state = rules.start(1);
    for random in 0..40 {
        let legal = successors(&rules, state);
        assert_eq!(legal[..], successors(&*loaded, state)[..]);
        let Some(&Successor { action, afterstate, .. }) = legal.first() else { break };
        assert_eq!(rules.successor(state, action), loaded.successor(state, action));
        assert_eq!(outcomes(&rules, afterstate)[..], outcomes(&*loaded, afterstate)[..]);
        let next = rules.spawn(afterstate, random);
        assert_eq!(next, loaded.spawn(afterstate, random));
        let from = Some(afterstate);
        assert_eq!(rules.chance_reward(from, next), loaded.chance_reward(from, next));
        let text = rules.write(next);
        assert_eq!(loaded.write(next), text);
        assert_eq!(loaded.parse(&text), Ok(next));
        assert_eq!(rules.write_afterstate(afterstate), loaded.write_afterstate(afterstate));
        assert_eq!(rules.max_tile(next), loaded.max_tile(next));
        state = next;
    }
    assert_eq!(loaded.starts(), rules.starts());
    let played = |game: &dyn Game| {
        let mut results = [Playout::default(); 3];
        game.playouts(&[state; 3], 5, &mut results);
        results
    };
    assert_eq!(played(&*loaded), played(&rules));
    assert!(loaded.parse("no position").is_err());
}

#[test]
fn a_game_that_wraps_a_game_plays_by_its_own_rules() {
    let plugins = plugins();
    let wrapped = game(&plugins, "without(game: faulty, action: 1)");
    assert_eq!(wrapped.spec.to_string(), "without(game: faulty, action: 1)");
    let list = successors(&*wrapped.rules, wrapped.rules.start(2));
    assert_eq!(list.iter().map(|s| s.action).collect::<Vec<_>>(), [Action(0)]);
    let refused = plugins.game(&"without(game: nothing)".parse().unwrap()).unwrap_err();
    assert!(refused.to_string().contains("nothing"), "{refused}");
}

/// The agents and values are built for the inner game, and then play another one.
#[test]
fn loaded_agents_and_values_play_the_game_that_they_are_given() {
    let plugins = plugins();
    let inner = game(&plugins, "faulty");
    // `policy` prefers the larger step, action 1.
    let mut greedy = GreedyPolicy(value(&plugins, "policy", &inner));
    let legal = successors(&*inner.rules, START);
    let turn = Turn { state: START, successors: &legal, random: 0 };
    assert_eq!(greedy.act(&*inner.rules, &turn), Some(Action(1)));

    let forbidding = Without::new(inner.rules.clone(), Action(0));
    let policy = &greedy.0;
    let mut priors = [9.0; 2];
    policy.evaluate_states(&*inner.rules, &[START], &mut priors, &mut [9.0]);
    assert_eq!(priors, [1.0, 0.0]);
    policy.evaluate_states(&forbidding, &[START], &mut priors, &mut [9.0]);
    assert_eq!(priors, [0.0, 1.0], "the wrapped game has no action 0");

    // The agent asks its game for the legal actions.
    let mut asking = agent(&plugins, "asking", &inner);
    assert_eq!(asking.act(&*inner.rules, &turn), Some(Action(0)));
    assert_eq!(asking.act(&forbidding, &turn), Some(Action(1)));
    let other = game(&plugins, "without(game: faulty, action: 0)");
    assert_eq!(asking.act(&*other.rules, &turn), Some(Action(1)), "a loaded game of another spec");
    let expected = episode(&forbidding, &mut First, 3);
    assert_eq!(asking.play(&forbidding, Seed(7), 3, &Pulse::default()), Ok(expected));

    // So does a learner.
    let learner = value(&plugins, "starter", &inner);
    let report = |_: &TrainingProgress| Control::Continue;
    let starts = [Start { state: START, score: 0.0 }];
    let session = session_with(&starts, &report);
    // Its mean is the reward of the first legal action.
    assert_eq!(learner.train(&forbidding, &session).unwrap().mean, 2.0);
    assert_eq!(learner.train(&*inner.rules, &session).unwrap().mean, 1.0);
}

#[test]
fn an_agent_that_wraps_agents_and_values_lets_them_decide() {
    let plugins = plugins();
    let game = game(&plugins, "faulty");
    // `faulty-agent` takes the first action, and `policy` the last.
    let mut alternating = agent(&plugins, "alternate(agents: [faulty-agent, policy])", &game);
    let legal = successors(&*game.rules, START);
    let turn = Turn { state: START, successors: &legal, random: 1 };
    // A clone begins its game with the first agent again.
    for mut player in [alternating.clone(), alternating.clone()] {
        player.begin(&*game.rules, START);
        let choices: Vec<_> = (0..4).map(|_| player.act(&*game.rules, &turn)).collect();
        assert_eq!(choices, [0, 1, 0, 1].map(|action| Some(Action(action))));
        let analysis = player.analyse(&*game.rules, &turn);
        assert_eq!(analysis.choice, Some(Action(0)));
    }
    let played = episode(&*game.rules, &mut alternating, 1);
    assert!(played.finished && played.moves > 0);
    let host = TestHost::shared(&plugins, &game);
    let built = plugins.agent(&"alternate(agents: [missing])".parse().unwrap(), &game, &host);
    let refused = built.err().expect("there is no such agent").to_string();
    assert!(refused.contains("missing"), "{refused}");
}

#[test]
fn priors_cross_the_boundary() {
    let plugins = plugins();
    let game = game(&plugins, "faulty");
    let policy = value(&plugins, "policy", &game);
    assert!(policy.has_priors());
    let without = value(&plugins, "faulty-value", &game);
    assert!(!without.has_priors());
    // The value of a state is then that of its best action, and the priors are uniform. A terminal
    // state has the value and the priors 0.
    let states = [START, State::new(20, 1)];
    let (mut priors, mut values) = ([9.0; 4], [9.0; 2]);
    without.evaluate_states(&*game.rules, &states, &mut priors, &mut values);
    assert_eq!((priors, values), ([0.5, 0.5, 0.0, 0.0], [2.0, 0.0]));
}

#[test]
fn starts_and_progress_cross_the_boundary() {
    let plugins = plugins();
    let game = game(&plugins, "faulty");
    let learner = value(&plugins, "starter", &game);
    let starts: Vec<Start> =
        (0..5).map(|n| Start { state: State::new(n, 1), score: 10.0 * n as f64 }).collect();
    let reported = std::sync::Mutex::new(Vec::new());
    let report = |progress: &TrainingProgress| {
        reported.lock().unwrap().push(progress.figure("score"));
        if progress.moves == 4 { Control::Stop } else { Control::Continue }
    };
    let session = session_with(&starts, &report);
    let done = learner.train(&*game.rules, &session).unwrap();
    assert_eq!((done.moves, done.mean, done.figure("loss")), (4, 31.0, Some(0.5)));
    assert_eq!(*reported.lock().unwrap(), [0.0, 10.0, 20.0, 30.0].map(Some));
    assert_eq!(learner.progress(), done);
    let without_starts = TrainingSession::new(&SingleThread, &report);
    assert_eq!(learner.train(&*game.rules, &without_starts).unwrap().moves, 4);
}

/// A panic of the program in a callback becomes a fault of the call that needed it.
#[test]
fn panics_of_the_program_in_callbacks_are_faults() {
    let plugins = plugins();
    let game = game(&plugins, "faulty");
    let learner = value(&plugins, "starter", &game);
    let report = |_: &TrainingProgress| -> Control { panic!("the report went wrong") };
    let starts = [Start::default()];
    let session = session_with(&starts, &report);
    let fault = learner.train(&*game.rules, &session).unwrap_err();
    assert!(fault.0.contains("the program panicked: the report went wrong"), "{fault}");

    for service in ["threads", "memory", "for_each", "value", "agent", "game"] {
        let spec = format!("needs(what: \"{service}\")").parse().unwrap();
        let broken = TestHost::broken(&plugins, &game);
        let fault = plugins.agent(&spec, &game, &broken).err().expect("the service panics");
        let expected = format!("the program panicked: {service} went wrong");
        assert!(fault.to_string().contains(&expected), "{fault}");
        let working = TestHost::shared(&plugins, &game);
        assert!(plugins.agent(&spec, &game, &working).is_ok(), "{service}");
    }
}

#[test]
fn what_a_wrong_game_returns_is_a_fault_that_names_it_and_the_call() {
    let plugins = plugins();
    // A position of `faulty` at which the fault occurs.
    let (state, afterstate) = (State::new(12, 4), Afterstate::new(12, 4));
    for (at, call) in
        [("nan_reward", "successors"), ("nan_outcomes", "outcomes"), ("reserved_spawn", "spawn")]
    {
        let faulty = game(&plugins, &format!("faulty(at: {at})")).rules;
        let result = catch(|| match call {
            "successors" => _ = successors(&*faulty, state),
            "outcomes" => faulty.outcomes(afterstate, &mut Outcomes::with_capacity(2)),
            _ => _ = faulty.spawn(afterstate, 1),
        });
        let Err(Fault(message)) = result else { panic!("{at} passes") };
        assert!(message.contains("game `faulty`") && message.contains(call), "{message}");
    }
}

#[test]
fn estimates_that_are_not_finite_are_faults_that_name_the_value_and_the_call() {
    let plugins = plugins();
    let game = game(&plugins, "faulty");
    let legal = successors(&*game.rules, START);
    for (at, number) in [("nan", "NaN"), ("infinite", "inf")] {
        let value = value(&plugins, &format!("faulty-value(at: {at})"), &game);
        let estimate = |call| match call {
            "evaluate" => value.evaluate(&[Afterstate::new(1, 1); 5], &mut [0.0; 5]),
            "action_values" => value.action_values(&*game.rules, START, &legal, &mut [0.0; 2]),
            _ => value.evaluate_states(&*game.rules, &[START], &mut [0.0; 2], &mut [0.0]),
        };
        for call in ["evaluate", "action_values", "evaluate_states"] {
            let Err(Fault(message)) = catch(|| estimate(call)) else { panic!("{call} passes") };
            let expected = format!("value `faulty-value`: `{call}` returned the value {number}");
            assert_eq!(message, expected);
        }
    }
}

/// The defaults of these methods would call the game for each image of each position. The methods
/// of this game panic, which shows that they are called.
#[test]
fn lists_of_positions_become_canonical_on_the_side_of_the_game() {
    let plugins = plugins();
    let build = |at: &str| game(&plugins, &format!("faulty(at: {at})")).rules;
    let of_states = catch(|| build("canonical_states").canonical_states(&mut [State::default()]));
    let of_afterstates = catch(|| {
        build("canonical_afterstates").canonical_afterstates(&mut [Afterstate::default()]);
    });
    for (result, positions) in [(of_states, "states"), (of_afterstates, "afterstates")] {
        let Err(Fault(message)) = result else { panic!("the {positions} pass") };
        let expected = format!("game `faulty` panicked: the canonical {positions} went wrong");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn faults_of_agents_values_and_learners_name_them() {
    let plugins = plugins();
    let game = game(&plugins, "faulty");
    let legal = successors(&*game.rules, START);
    let turn = Turn { state: START, successors: &legal, random: 0 };
    for (at, expected) in [("act", "the decision went wrong"), ("task", "task 2 went wrong")] {
        let mut agent = agent(&plugins, &format!("faulty-agent(at: {at})"), &game);
        let fault = catch(|| agent.act(&*game.rules, &turn)).unwrap_err();
        assert!(fault.0.contains(expected), "{fault}");
    }
    let value = value(&plugins, "faulty-value(at: evaluate)", &game);
    let many: Vec<_> = (0..2000).map(|n| Afterstate::new(n, 0)).collect();
    let fault = catch(|| value.evaluate(&many, &mut vec![0.0; many.len()])).unwrap_err();
    assert!(fault.0.contains("value `faulty-value` panicked: the estimate went wrong"), "{fault}");
    let Fault(message) = value.load(&[]).unwrap_err();
    assert!(message.contains("value `faulty-value` does not learn"), "{message}");
}

#[test]
fn a_game_that_is_borrowed_for_a_call_cannot_be_kept() {
    let plugins = plugins();
    let own = game(&plugins, "faulty");
    let mut keeping = agent(&plugins, "keeping", &own);
    let (loaded, local) = (game(&plugins, "pig"), Pig::alone(pig::Config::default()).unwrap());
    let state = local.start(1);
    let legal = successors(&local, state);
    let turn = Turn { state, successors: &legal, random: 0 };
    for game in [&*loaded.rules as &dyn Game, &local] {
        let Err(Fault(message)) = catch(|| keeping.act(&game, &turn)) else { panic!("it is kept") };
        assert!(
            message.contains("refused: what is borrowed for a call cannot be kept"),
            "{message}"
        );
    }
}

/// What safe code can do with borrowed lists, games, hosts and sessions is sound: Miri finds no
/// wrong access to memory.
#[test]
fn what_is_lent_may_be_exchanged_kept_and_sent_to_threads() {
    {
        let plugins = plugins();
        let own = game(&plugins, "grasping");
        let mut grasping = agent(&plugins, "grasping-agent", &own);
        let pig = game(&plugins, "pig");
        for number in 0..3 {
            let played = episode(&*own.rules, &mut grasping, number);
            assert_eq!((played.score, played.last.lo), (played.moves as f64, 5));
            episode(&*pig.rules, &mut grasping, number);
        }
        let mut list = Successors::new();
        for _ in 0..3 {
            own.rules.successors(State::new(1, 0), &mut list);
            assert_eq!(list.len(), 1);
        }
        // The game declares at most 2 outcomes.
        for capacity in [2, 9] {
            let mut outcomes = Outcomes::with_capacity(capacity);
            own.rules.outcomes(Afterstate::new(1, 0), &mut outcomes);
            assert_eq!((outcomes.len(), outcomes.capacity()), (2, capacity));
        }
        let mut states = [State::new(1, 0), State::new(2, 0)];
        own.rules.canonical_states(&mut states);
        let mut results = [Playout::default(); 2];
        own.rules.playouts(&states, 1, &mut results);
        assert_eq!(results.map(|result| result.last.lo), [1, 2]);

        let learner = value(&plugins, "grasping-learner", &own);
        let mut values = [0.0; 3];
        learner.evaluate(&[Afterstate::default(); 3], &mut values);
        assert_eq!(values, [1.0; 3]);
        let starts = [Start::default(); 4];
        let report = |_: &TrainingProgress| Control::Continue;
        let session = session_with(&starts, &report);
        assert_eq!(learner.train(&*own.rules, &session).unwrap().moves, 8);
    }
    // The plugins are gone, and the hosts that they kept still work.
    let kept = std::mem::take(&mut *grasping::KEPT.lock().unwrap());
    assert!(kept.len() >= 3);
    for host in kept {
        let memory = std::thread::spawn(move || host.memory()).join().unwrap();
        assert_eq!(memory, 1 << 30);
    }
}

#[test]
fn a_loaded_game_is_shared_and_outlives_its_plugins() {
    let rules = {
        let plugins = plugins();
        let agent = agent(&plugins, "asking", &game(&plugins, "faulty"));
        drop(agent.clone());
        game(&plugins, "without(game: faulty, action: 0)").rules
    };
    let clone: Arc<dyn Game> = rules.clone();
    drop(rules);
    assert!(clone.start(2).hi == 1);
}
