//! Every game with every agent and value, and the equality of loaded and statically
//! linked games, agents and values, move by move.

use agent_baselines::Greedy;
use agent_baselines::heuristics::{Rows, RowsConfig};
use agent_ntuple::TdNtuple;
use game_2048::{Config, Game2048};
use runner_core::{
    Agent, BuildContext, Control, Episode, Game, GreedyPolicy, Host, Learner, Playout, Pulse,
    Random, Seed, SingleThread, Spec, TrainingBudget, TrainingProgress, TrainingSession, Value,
    ValuePlugin, catch, play_interleaved,
};
use runner_laws::Effort;
use runner_play::evaluation::{Limits, Plan, play};
use runner_play::failure::Failure;
use runner_play::player::NamedPlayer;
use runner_play::registry::{LoadedGame, Registry, SearchPath, library_name};
use runner_play::threads::{Services, Threads};
use runner_plugin::{DynAgent, Origin, PluginKind};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Returns a registry with all plugins of this repository and a game without a board,
/// linked statically.
pub fn linked() -> Arc<Registry> {
    let mut registry = Registry::new();
    for root in runner_plugins::plugins() {
        registry.link(root);
    }
    registry.link(pig::plugin());
    assert!(registry.problems().is_empty(), "{:?}", registry.problems());
    Arc::new(registry)
}

/// Returns a registry with 2048 and the greedy agent, loaded from libraries.
fn loaded() -> Arc<Registry> {
    let mut registry = Registry::new();
    // Cargo puts the libraries of dependencies into the folder of the test binary.
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    for name in ["runner-plugin-games", "runner-plugin-players"] {
        registry.load_file(&deps.join(library_name(name)));
    }
    assert!(registry.problems().is_empty(), "{:?}", registry.problems());
    Arc::new(registry)
}

pub fn game(registry: &Registry, spec: &str) -> LoadedGame {
    registry.game(&spec.parse().unwrap()).unwrap()
}

/// Plans eight games, each with a maximum number of moves.
fn few_games<'a>(game: &'a LoadedGame, threads: &'a Threads, moves: Option<u64>) -> Plan<'a> {
    let limits = Limits { moves, time: None };
    Plan { limits, ..Plan::new(game, 8, Seed(1), threads) }
}

fn names(registry: &Registry, kind: PluginKind) -> Vec<String> {
    let plugins = registry.plugins().into_iter();
    plugins.filter(|plugin| plugin.kind == kind).map(|plugin| plugin.name).collect()
}

#[test]
fn every_agent_and_value_plays_every_game() {
    let registry = linked();
    let threads = Threads::new(Some(2)).unwrap();
    let games = names(&registry, PluginKind::Game);
    let players =
        [names(&registry, PluginKind::Agent), names(&registry, PluginKind::Value)].concat();
    assert!(games.contains(&"pig".into()) && players.contains(&"random".into()));
    // Values that estimate states or actions instead of afterstates.
    let others = [r#"tc-ntuple(learns: "states")"#, r#"td-ntuple(learns: "actions")"#];
    let players = [players, others.map(str::to_owned).to_vec()].concat();
    for name in &games {
        let game = game(&registry, name);
        let services = Services::new(&threads, &registry, &game);
        // These need the table of a solved game, and a program: they have tests of their own.
        let apart = ["exact", "process"];
        for player in players.iter().filter(|name| !apart.contains(&name.as_str())) {
            let spec = match player.as_str() {
                // More search runs the same code for longer.
                "expectimax" => "expectimax(depth: 2)",
                "mcts" => "mcts(simulations: 8)",
                "alpha-zero" => "alpha-zero(simulations: 4)",
                "pure-monte-carlo" => "pure-monte-carlo(playouts: 2)",
                name => name,
            };
            let spec = spec.parse().unwrap();
            let player = match NamedPlayer::build(&registry, &spec, &game, &services) {
                Ok(player) => player,
                // It has networks for some games.
                Err(Failure::Usage { message, .. }) if spec.name() == "trained" => {
                    assert!(message.contains("no trained network"), "{spec} on {name}: {message}");
                    continue;
                }
                // A value that reads a board may reject a game without one, but no other.
                Err(Failure::Usage { message, .. })
                    if game.rules.description().geometry.is_none() =>
                {
                    assert!(message.contains("board"), "{spec} on {name}: {message}");
                    continue;
                }
                Err(failure) => panic!("{spec} on {name}: {failure:?}"),
            };
            // `random` rarely finishes a game of Pig, which requires holding at the target.
            let plan = few_games(&game, &threads, Some(5_000));
            let played = play(&plan, &player, None, &AtomicBool::new(false), &mut |_| {}).unwrap();
            assert_eq!(played.faults.first(), None, "{spec} on {name}");
            assert_eq!(played.results.games().len(), 8, "{spec} on {name}");
        }
    }
}

#[test]
fn laws_hold_for_loaded_games() {
    let effort = Effort { games: 30, positions: 300, words: 300_000, ..Effort::default() };
    let registry = linked();
    for name in names(&registry, PluginKind::Game) {
        let game = game(&registry, &name);
        runner_laws::check(&*game.rules, &effort).unwrap_or_else(|v| panic!("{name}: {v}"));
        if let Some(table) = game.rules.with_tables() {
            runner_laws::check(&table, &effort)
                .unwrap_or_else(|v| panic!("{name}, own tables: {v}"));
        }
    }
}

fn here<G: Game, A: Agent>(game: &G, agent: &mut A, number: u64) -> Episode {
    let mut random = Random::stream(Seed(7), number);
    runner_core::play(game, agent, &mut random, &AtomicBool::new(false))
}

fn greedy(registry: &Arc<Registry>, game: &LoadedGame) -> DynAgent {
    let threads = Threads::new(Some(1)).unwrap();
    let services = Services::new(&threads, registry, game);
    registry.agent(&"greedy".parse().unwrap(), game, &services.share()).unwrap().0
}

#[test]
fn loaded_game_and_agent_play_like_the_linked_ones() {
    for (rows, cols) in [(4, 4), (3, 4), (5, 5)] {
        let config = Config { rows, cols, ..Config::default() };
        let rules = Game2048::new(config).unwrap();
        let spec = format!("2048(rows: {rows}, cols: {cols})");
        for registry in [linked(), loaded()] {
            let game = game(&registry, &spec);
            let mut agent = greedy(&registry, &game);
            for number in 0..50 {
                let expected = here(&rules, &mut Greedy, number);
                let stop = Pulse::default();
                assert_eq!(agent.play(&*game.rules, Seed(7), number, &stop).unwrap(), expected);
                assert_eq!(here(&*game.rules, &mut agent, number), expected);
                if let Some(table) = game.rules.with_tables() {
                    let played = agent.play(&table, Seed(7), number, &stop).unwrap();
                    assert_eq!(played, expected, "{spec}, game {number}, in the library");
                    assert_eq!(here(&table, &mut agent, number), expected, "own tables");
                }
            }
            let start = rules.start(3);
            let played = |game: &dyn Game| {
                let mut results = [Playout::default(); 20];
                game.playouts(&[start; 20], 5, &mut results);
                results
            };
            assert_eq!(played(&*game.rules), played(&rules));
        }
    }
}

#[test]
fn loaded_learner_of_states_or_actions_plays_like_the_linked_one() {
    let (spec, registry) = ("2048(rows: 2, cols: 3)", linked());
    let rules = Game2048::new(Config { rows: 2, cols: 3, ..Config::default() }).unwrap();
    let game = game(&registry, spec);
    let threads = Threads::new(Some(1)).unwrap();
    let services = Services::new(&threads, &registry, &game);
    let budget = TrainingBudget { moves: Some(20_000), ..TrainingBudget::default() };
    let report = |_: &TrainingProgress| Control::Continue;
    let session = TrainingSession {
        budget,
        plan: budget,
        seed: Seed(1),
        ..TrainingSession::new(&SingleThread, &report)
    };
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    let context = BuildContext { game: rules.description(), game_spec: spec, host: &host };
    for learns in ["states", "actions"] {
        let words: Spec = format!("td-ntuple(learns: \"{learns}\")").parse().unwrap();
        let expected = TdNtuple::new(words.read().unwrap(), &context).unwrap();
        let found = registry.value(&words, &game, &services.share()).unwrap().0;
        let untrained = here(&rules, &mut GreedyPolicy(&expected), 0);
        let done = expected.train(&rules, &session).unwrap();
        assert_eq!(found.train(&*game.rules, &session).unwrap().mean, done.mean);
        assert!(found.estimates_actions());
        let games = 0..50;
        for number in games.clone() {
            let there = here(&*game.rules, &mut GreedyPolicy(&found), number);
            assert_eq!(there, here(&rules, &mut GreedyPolicy(&expected), number), "{learns}");
        }
        assert_ne!(
            here(&rules, &mut GreedyPolicy(&expected), 0),
            untrained,
            "training changed nothing"
        );
        // Several games at once, as in an evaluation.
        let mut next = games.map(|k| (k, Random::stream(Seed(7), k)));
        let done = |number, episode| {
            assert_eq!(episode, here(&rules, &mut GreedyPolicy(&expected), number), "{learns}");
        };
        let never = AtomicBool::new(false);
        play_interleaved(&*game.rules, &GreedyPolicy(found), 8, || next.next(), done, &never);
        // It does not estimate afterstates.
        let mut value = [0.0];
        let fault = catch(|| expected.evaluate(&[Default::default()], &mut value)).unwrap_err();
        assert!(fault.0.contains("estimates no afterstates"), "{fault}");
    }
}

#[test]
fn line_values_of_a_loaded_value_are_complete() {
    let registry = linked();
    let threads = Threads::new(Some(1)).unwrap();
    let host: Arc<dyn Host> = Arc::new(SingleThread);
    for (rows, cols) in [(4, 4), (3, 4), (5, 5)] {
        let rules = Game2048::new(Config { rows, cols, ..Config::default() }).unwrap();
        let spec = format!("2048(rows: {rows}, cols: {cols})");
        let context = BuildContext { game: rules.description(), game_spec: &spec, host: &host };
        let expected = Rows::new(RowsConfig::default(), &context).unwrap();
        let game = game(&registry, &spec);
        let services = Services::new(&threads, &registry, &game);
        let found = registry.value(&"rows".parse().unwrap(), &game, &services.share()).unwrap().0;
        assert_eq!(found.tables(), expected.tables(), "{spec}");
        assert_eq!(found.tables().is_some(), rows < 5);
        // A copy has them too.
        assert_eq!(found.clone().tables(), expected.tables());
    }
}

#[test]
fn agent_reports_the_threads_that_it_needs() {
    let registry = linked();
    let threads = Threads::new(Some(2)).unwrap();
    let game = game(&registry, "2048(rows: 2, cols: 3)");
    let services = Services::new(&threads, &registry, &game);
    let mut results = Vec::new();
    for (spec, needs) in [("expectimax(depth: 3)", 1), ("expectimax(depth: 3, threads: 2)", 2)] {
        let player =
            NamedPlayer::build(&registry, &spec.parse().unwrap(), &game, &services).unwrap();
        assert_eq!(player.player.threads(), needs);
        let plan = few_games(&game, &threads, None);
        let played = play(&plan, &player, None, &AtomicBool::new(false), &mut |_| {}).unwrap();
        assert_eq!(played.faults.first(), None);
        let games = played.results.games().iter().map(|game| (game.number, game.score as u64));
        results.push(games.collect::<BTreeMap<_, _>>());
    }
    assert_eq!(results[0], results[1], "the games depend on the number of threads");
}

#[test]
fn loaded_library_replaces_the_linked_plugin() {
    let mut registry = Registry::new();
    for root in runner_plugins::plugins() {
        registry.link(root);
    }
    let file: PathBuf =
        std::env::current_exe().unwrap().with_file_name(library_name("runner-plugin-games"));
    registry.load_file(&file);
    assert!(registry.problems().is_empty(), "{:?}", registry.problems());
    let origin = |name: &str| {
        let plugins = registry.plugins().into_iter();
        plugins.filter(|p| p.name == name).map(|p| p.origin.to_string()).collect::<Vec<_>>()
    };
    assert_eq!(origin("2048"), [file.display().to_string()]);
    assert_eq!(origin("greedy"), ["built in"]);
}

/// After an update, the folder has libraries of crates that exist no longer.
#[test]
fn only_libraries_of_linked_crates_are_loaded_from_the_folder_of_the_build() {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let folder = tempfile::tempdir().unwrap();
    let games = library_name("runner-plugin-games");
    let copy = |from: &str, to: &str| {
        std::fs::copy(deps.join(from), folder.path().join(to)).unwrap();
    };
    copy(&games, &games);
    copy(&library_name("test-rival"), &library_name("runner-plugin-old"));
    let mut registry = Registry::new();
    for root in runner_plugins::plugins() {
        registry.link(root);
    }
    let build = Some(folder.path().to_owned());
    registry.search(&SearchPath { build, ..SearchPath::default() });
    assert!(registry.problems().is_empty(), "{:?}", registry.problems());
    let loaded = registry.plugins().into_iter().filter(|plugin| plugin.origin != Origin::Linked);
    let loaded: Vec<_> = loaded.map(|plugin| plugin.name).collect();
    assert_eq!(loaded, ["1024", "2048", "threes"]);
}
