//! Proxies and exports in one process, with plugins that are linked in. Also run under
//! Miri: `cargo +nightly miri test -p runner-plugin --test in_process`.

mod grasping;
mod odd;
mod services;

use pig::Pig;
use runner_core::wrappers::Limited;
use runner_core::{
    Action, Afterstate, Agent, Control, Episode, Fault, Game, GamePlugin, GreedyPolicy, Learner,
    Outcomes, Playout, Pulse, Random, Seed, SingleThread, Start, State, Successors,
    TrainingProgress, TrainingSession, Turn, Value, catch, play,
};
use runner_plugin::{DynAgent, DynValue};
use services::{LoadedGame, Plugins, TestHost};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use test_working::Without;

/// Returns the test plugins and those of this file, linked in.
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

#[derive(Clone)]
struct First;

impl Agent for First {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        turn.successors.first().map(|first| first.action)
    }
}

#[test]
fn a_loaded_game_is_the_game_that_is_compiled_in() {
    let (plugins, rules) = (plugins(), Pig::alone(pig::Config::default()).unwrap());
    let loaded = game(&plugins, "pig");
    assert_eq!(loaded.rules.description(), rules.description());
    let mut lists = [Successors::new(), Successors::new()];
    let bound = rules.description().max_outcomes;
    let mut outcomes = [Outcomes::with_capacity(bound), Outcomes::with_capacity(bound)];
    let mut state = rules.start(1);
    for step in 0..40 {
        rules.successors(state, &mut lists[0]);
        loaded.rules.successors(state, &mut lists[1]);
        assert_eq!(lists[0][..], lists[1][..]);
        let Some(chosen) = lists[0].first() else { break };
        assert_eq!(
            rules.successor(state, chosen.action),
            loaded.rules.successor(state, chosen.action)
        );
        rules.outcomes(chosen.afterstate, &mut outcomes[0]);
        loaded.rules.outcomes(chosen.afterstate, &mut outcomes[1]);
        assert_eq!(outcomes[0][..], outcomes[1][..]);
        let next = rules.spawn(chosen.afterstate, step);
        assert_eq!(next, loaded.rules.spawn(chosen.afterstate, step));
        let from = Some(chosen.afterstate);
        assert_eq!(rules.chance_reward(from, next), loaded.rules.chance_reward(from, next));
        let text = rules.write(next);
        assert_eq!(loaded.rules.write(next), text);
        assert_eq!(loaded.rules.parse(&text), Ok(next));
        assert_eq!(
            rules.write_afterstate(chosen.afterstate),
            loaded.rules.write_afterstate(chosen.afterstate)
        );
        assert_eq!(rules.max_tile(next), loaded.rules.max_tile(next));
        state = next;
    }
    assert_eq!(loaded.rules.starts(), rules.starts());
    let played = |game: &dyn Game| {
        let mut results = [Playout::default(); 3];
        game.playouts(&[state; 3], 5, &mut results);
        results
    };
    assert_eq!(played(&*loaded.rules), played(&rules));
    assert!(loaded.rules.parse("no position").is_err());
}

#[test]
fn a_game_that_wraps_a_game_plays_by_its_own_rules() {
    let plugins = plugins();
    let wrapped = game(&plugins, "without(game: faulty, action: 1)");
    assert_eq!(wrapped.spec.to_string(), "without(game: faulty, action: 1)");
    let mut list = Successors::new();
    wrapped.rules.successors(wrapped.rules.start(2), &mut list);
    assert_eq!(list.iter().map(|s| s.action).collect::<Vec<_>>(), [Action(0)]);
    let refused = plugins.game(&"without(game: nothing)".parse().unwrap()).unwrap_err();
    assert!(refused.to_string().contains("nothing"), "{refused}");
}

/// The agents and values of the plugin were built for the inner game, and get another one at play.
#[test]
fn loaded_agents_and_values_play_the_game_that_they_are_given() {
    let plugins = plugins();
    let inner = game(&plugins, "faulty");
    // `policy` prefers the larger step, action 1.
    let mut plain = GreedyPolicy(value(&plugins, "policy", &inner));
    let mut turn_list = Successors::new();
    let state = State::new(0, 1);
    inner.rules.successors(state, &mut turn_list);
    let turn = Turn { state, successors: &turn_list, random: 0 };
    assert_eq!(plain.act(&*inner.rules, &turn), Some(Action(1)));

    let forbidding = Without::new(inner.rules.clone(), Action(0));
    let (mut priors, mut values) = ([9.0; 2], [9.0]);
    let policy = &plain.0;
    policy.evaluate_states(&*inner.rules, &[state], &mut priors, &mut values);
    assert_eq!(priors, [1.0, 0.0]);
    policy.evaluate_states(&forbidding, &[state], &mut priors, &mut values);
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
    for (game, expected) in [(&forbidding as &dyn Game, 2), (&*inner.rules as &dyn Game, 1)] {
        let report = |_: &TrainingProgress| Control::Continue;
        let starts = [Start { state: State::new(0, 1), score: 0.0 }];
        let session =
            TrainingSession { starts: &starts, ..TrainingSession::new(&SingleThread, &report) };
        assert_eq!(learner.train(&game, &session).unwrap().mean, f64::from(expected));
    }
}

#[test]
fn an_agent_that_wraps_agents_and_values_lets_them_decide() {
    let plugins = plugins();
    let game = game(&plugins, "faulty");
    let mut first_and_best = agent(&plugins, "alternate(agents: [faulty-agent, policy])", &game);
    for mut player in [first_and_best.clone(), first_and_best.clone()] {
        player.begin(&*game.rules, State::new(0, 1));
        let mut list = Successors::new();
        game.rules.successors(State::new(0, 1), &mut list);
        let turn = Turn { state: State::new(0, 1), successors: &list, random: 1 };
        let choices: Vec<_> = (0..4).map(|_| player.act(&*game.rules, &turn)).collect();
        assert_eq!(choices, [0, 1, 0, 1].map(|action| Some(Action(action))));
        let analysis = player.analyse(&*game.rules, &turn);
        assert_eq!(analysis.choice, Some(Action(0)));
    }
    let played = episode(&*game.rules, &mut first_and_best, 1);
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
    let plain = value(&plugins, "faulty-value", &game);
    assert!(!plain.has_priors());
    // A value without priors gives the value of the best action and uniform priors, and none
    // for a terminal state.
    let states = [State::new(0, 1), State::new(20, 1)];
    let (mut priors, mut values) = ([9.0; 4], [9.0; 2]);
    plain.evaluate_states(&*game.rules, &states, &mut priors, &mut values);
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
        match progress.moves {
            4 => Control::Stop,
            _ => Control::Continue,
        }
    };
    let session =
        TrainingSession { starts: &starts, ..TrainingSession::new(&SingleThread, &report) };
    let done = learner.train(&*game.rules, &session).unwrap();
    assert_eq!((done.moves, done.mean, done.figure("loss")), (4, 31.0, Some(0.5)));
    assert_eq!(*reported.lock().unwrap(), [0.0, 10.0, 20.0, 30.0].map(Some));
    assert_eq!(learner.progress(), done);
    // A session that has no starts.
    let session = TrainingSession::new(&SingleThread, &report);
    assert_eq!(learner.train(&*game.rules, &session).unwrap().moves, 4);
}

/// A panic of the program in a callback becomes a fault of the call that needed it.
#[test]
fn panics_of_the_program_in_callbacks_are_faults() {
    let plugins = plugins();
    let game = game(&plugins, "faulty");
    let learner = value(&plugins, "starter", &game);
    let report = |_: &TrainingProgress| -> Control { panic!("the report went wrong") };
    let starts = [Start::default()];
    let session =
        TrainingSession { starts: &starts, ..TrainingSession::new(&SingleThread, &report) };
    let fault = learner.train(&*game.rules, &session).unwrap_err();
    assert!(fault.0.contains("the program panicked: the report went wrong"), "{fault}");

    let build = |spec: &str, host| plugins.agent(&spec.parse().unwrap(), &game, &host);
    let broken = || TestHost::broken(&plugins, &game);
    for (spec, expected) in [
        (r#"needs(what: "threads")"#, "threads went wrong"),
        (r#"needs(what: "memory")"#, "memory went wrong"),
        (r#"needs(what: "for_each")"#, "for_each went wrong"),
        (r#"needs(what: "value")"#, "value went wrong"),
        (r#"needs(what: "agent")"#, "agent went wrong"),
        (r#"needs(what: "game")"#, "game went wrong"),
    ] {
        let fault = build(spec, broken()).err().expect("the service panics").to_string();
        assert!(fault.contains("the program panicked") && fault.contains(expected), "{fault}");
        assert!(build(spec, TestHost::shared(&plugins, &game)).is_ok(), "{spec}");
    }
}

#[test]
fn what_a_wrong_game_returns_is_a_fault_that_names_it_and_the_call() {
    let plugins = plugins();
    // A position of a doomed game, in the middle of the walk.
    let state = State::new(12, 4);
    let mut list = Successors::new();
    let mut outcomes = Outcomes::with_capacity(2);
    for (at, call) in
        [("nan_reward", "successors"), ("nan_outcomes", "outcomes"), ("reserved_spawn", "spawn")]
    {
        let game = game(&plugins, &format!("faulty(at: {at})"));
        let after = Afterstate::new(12, 4);
        let fault = catch(|| match call {
            "successors" => game.rules.successors(state, &mut list),
            "outcomes" => game.rules.outcomes(after, &mut outcomes),
            _ => drop(game.rules.spawn(after, 1)),
        });
        let Err(Fault(message)) = fault else { panic!("{at} passes") };
        assert!(message.contains("game `faulty`") && message.contains(call), "{message}");
    }
}

#[test]
fn estimates_that_are_not_finite_are_faults_that_name_the_value_and_the_call() {
    let plugins = plugins();
    let game = game(&plugins, "faulty");
    let (state, mut list) = (State::new(0, 1), Successors::new());
    game.rules.successors(state, &mut list);
    let (after, mut values) = ([Afterstate::new(1, 1); 5], [0.0; 5]);
    for (at, number) in [("nan", "NaN"), ("infinite", "inf")] {
        let value = value(&plugins, &format!("faulty-value(at: {at})"), &game);
        let mut estimate = |call| match call {
            "evaluate" => value.evaluate(&after, &mut values),
            "action_values" => value.action_values(&*game.rules, state, &list, &mut values[..2]),
            _ => value.evaluate_states(&*game.rules, &[state], &mut [0.0; 2], &mut values[..1]),
        };
        for call in ["evaluate", "action_values", "evaluate_states"] {
            let Err(Fault(message)) = catch(|| estimate(call)) else { panic!("{call} passes") };
            let expected = format!("value `faulty-value`: `{call}` returned the value {number}");
            assert_eq!(message, expected);
        }
    }
}

/// The defaults of these methods ask for one image at a time, so a list crosses in one call only
/// if the game's own method is called.
#[test]
fn lists_of_positions_become_canonical_on_the_side_of_the_game() {
    let plugins = plugins();
    let build = |at: &str| game(&plugins, &format!("faulty(at: {at})")).rules;
    let (mut states, mut afterstates) = ([State::default()], [Afterstate::default()]);
    let of_states = catch(|| build("canonical_states").canonical_states(&mut states));
    let of_afterstates =
        catch(|| build("canonical_afterstates").canonical_afterstates(&mut afterstates));
    for (fault, expected) in [(of_states, "states"), (of_afterstates, "afterstates")] {
        let Err(Fault(message)) = fault else { panic!("the {expected} pass") };
        let expected = format!("game `faulty` panicked: the canonical {expected} went wrong");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn faults_of_agents_values_and_learners_name_them() {
    let plugins = plugins();
    let game = game(&plugins, "faulty");
    let mut list = Successors::new();
    game.rules.successors(State::new(0, 1), &mut list);
    let turn = Turn { state: State::new(0, 1), successors: &list, random: 0 };
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
    let (loaded, linked) = (game(&plugins, "pig"), Pig::alone(pig::Config::default()).unwrap());
    let state = linked.start(1);
    let mut list = Successors::new();
    linked.successors(state, &mut list);
    let turn = Turn { state, successors: &list, random: 0 };
    for game in [&*loaded.rules as &dyn Game, &linked] {
        let Err(Fault(message)) = catch(|| keeping.act(&game, &turn)) else { panic!("it is kept") };
        assert!(
            message.contains("refused: what is borrowed for a call cannot be kept"),
            "{message}"
        );
    }
}

/// Whatever safe code does with borrowed lists, games, hosts and sessions leaves memory whole.
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
        // Room for as many as the game declares, and for more.
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
        let session =
            TrainingSession { starts: &starts, ..TrainingSession::new(&SingleThread, &report) };
        assert_eq!(learner.train(&*own.rules, &session).unwrap().moves, 8);
    }
    // Everything that they were built for is gone.
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
