//! The options of the command line and of configuration files: both accept the same names,
//! forms and ranges, and errors name the place and the allowed values.

use crate::harness::place::Place;
use crate::harness::run;
use crate::harness::transcript::assert_snapshot;
use std::fs;

#[test]
fn commands_without_a_player_use_the_strongest_one() {
    let place = Place::new();
    let think = |game: &str, state: &str| {
        let ran = place.sh(format!("think --game {game} --state {state} --json")).success();
        (ran.json()["agent"].as_str().unwrap().to_owned(), ran.err)
    };
    let board = "2,4,8,16/0,0,0,0/0,0,0,0/2,0,0,0";
    let (agent, note) = think("2048", board);
    assert!(agent.contains("value: trained"), "{agent}");
    assert!(note.contains("the trained network that comes with the program"), "{note}");
    let (agent, note) = think("'2048(rows: 2, cols: 2)'", "2,4/0,0");
    assert!(!agent.contains("trained"), "{agent}");
    assert!(note.contains("no trained network comes with the program"), "{note}");
    let refused = place.sh("eval --game '2048(rows: 3, cols: 3)' --agent trained");
    assert!(refused.error().contains("no trained network comes with the program for `2048("));
}

/// Every command that plays a game takes `--game`, and says which it plays where nothing names one.
#[test]
fn the_game_is_2048_where_nothing_names_one() {
    let place = Place::new();
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = format!("serve --port {}", port.local_addr().unwrap().port());
    let tune = "tune --agent rows --parameter empty:-9..999 --out c.ron --games 1 --generations 1";
    for (code, line) in [
        (0, "--agent random --games 2 --json"),
        (0, "eval --agent random --games 2 --json"),
        (0, "train --agent td-ntuple --moves 9 --model a.model --json"),
        (0, "tournament --agent random --games 2 --json"),
        (0, "compare --a rows --b random --json"),
        (0, &format!("{tune} --evaluate-games 1 --json")),
        (0, "think --agent random --json"),
        (0, "perft --depth 1 --json"),
        (0, "play --stdio"),
        (1, "watch"),
        (1, "play"),
        (1, &taken),
        (2, "solve"),
    ] {
        let ran = place.sh(line);
        assert_eq!(ran.code, Some(code), "{line}: {ran:?}");
        let notes = ran.err.matches("note: the game is 2048; --game names another\n").count();
        assert_eq!(notes, 1, "{line}: {ran:?}");
        assert!(ran.out.is_empty() || ran.out.contains("2048"), "{line}: {ran:?}");
    }
    // A model, a folder or a file says what the game is.
    place.done("train --game '2048(rows: 2, cols: 3)' --agent td-ntuple --moves 9 --model b.model");
    place.done("tournament --game '2048(rows: 2, cols: 3)' --agent random --games 2 --out t");
    for line in [
        "eval --agent b.model --games 2",
        "train --resume --model b.model --moves 9",
        "tournament --out t --resume --agent random greedy --games 2",
        "think --agent b.model",
    ] {
        let ran = place.done(line);
        assert!(!ran.err.contains("the game is"), "{line}: {ran:?}");
    }
    let refused = place.sh("train --model b.model --for 2s");
    assert!(refused.error().contains("b.model exists already: --resume continues"), "{refused:?}");
    assert_eq!(refused.code, Some(2));
}

#[test]
fn flags_take_precedence_over_the_configuration_file() {
    let place = Place::new();
    let file = "// A run in a moment.\n(game: 2048(rows: 2, cols: 3), agent: greedy, games: 7, \
                seed: 9, threads: 1, json: true)\n";
    fs::write(place.path("small.ron"), file).unwrap();
    let of_file = place.done("eval --config small.ron").json();
    assert_eq!((&of_file["games"], &of_file["seed"]), (&7.into(), &9.into()), "{of_file}");
    assert!(of_file["game"].as_str().unwrap().contains("cols: 3"), "{of_file}");
    let flags = "--games 5 --agent random --game '2048(rows: 2, cols: 2)'";
    let of_flags = place.done(format!("eval --config small.ron {flags}")).json();
    assert_eq!((&of_flags["games"], &of_flags["seed"]), (&5.into(), &9.into()), "{of_flags}");
    assert_eq!(of_flags["agent"], "random", "{of_flags}");
    assert!(of_flags["game"].as_str().unwrap().contains("cols: 2"), "{of_flags}");
}

/// Required options, positional ones and lists too, and a flag with a name of several words.
#[test]
fn every_command_takes_a_configuration_file() {
    let place = Place::new();
    let succeed = |file: &str, line: &str| {
        fs::write(place.path("a.ron"), file).unwrap();
        place.done(format!("{line} --config a.ron")).out
    };
    let game = "game: 2048(rows: 2, cols: 2)";
    let compared = format!("({game}, a: random, b: greedy, games: 8, json: true)");
    fs::write(place.path("a.ron"), compared).unwrap();
    assert_eq!(place.sh("compare --config a.ron").json()["games"], 8);
    let played = format!("({game}, agent: random, games: 3, move_limit: 2, records: \"a.rec\")");
    succeed(&played, "eval");
    assert!(succeed("(file: \"a.rec\", game_number: 1)", "replay show").contains("game 1:"));
    let part =
        format!("({game}, agent: [random, greedy], games: 2, rounds: \"1..=2\", out: \"-p\")");
    succeed(&part, "tournament");
    succeed("(parts: [\"-p\"], out: \"-w\")", "tournament merge");
    assert!(place.path("-w").exists());
    // A typed option takes precedence over one that it excludes, and a limit over all limits.
    let train = format!("({game}, agent: td-ntuple, model: \"m\", moves: 9G, force: true)");
    succeed(&train, "train --episodes 5");
    succeed(&train, "train --episodes 9 --resume");
    let tune = format!(
        "({game}, agent: rows, parameter: [\"empty:-2k..2k\", \"merges\"], out: \"c.ron\", \
         games: 10, generations: 2, evaluate_games: \"5\", json: true)"
    );
    let tuned = succeed(&tune, "tune --games 5");
    assert!(tuned.contains("\"games\":60") && tuned.contains("\"lower\":-2000.0"), "{tuned}");
}

#[test]
fn help_fits_a_terminal() {
    let place = Place::new();
    let short = run::<&str>(&[]);
    assert!(short.code == Some(2) && short.err.lines().count() < 24, "{}", short.err);
    let version = run(&["--version"]);
    assert!(version.code == Some(0) && version.out.starts_with("runner "), "{version:?}");
    let help = place.transcript("--help");
    let others = ["eval", "train", "tune", "tournament", "tournament merge", "solve"];
    let others: String = others.iter().map(|name| place.sh(format!("{name} --help")).out).collect();
    for line in [&short.err, &help, &others].iter().flat_map(|text| text.lines()) {
        assert!(line.chars().count() <= 80, "{line}");
    }
    assert_snapshot!(short.err + &help);
}

/// Common flags may stand before or behind a command. Flags of `run` before another command
/// are refused, because that command would ignore them.
#[test]
fn no_flag_is_ignored() {
    let place = Place::new();
    for line in [
        "--plugin-path . plugins list",
        "plugins list --plugin-path .",
        "plugins --plugin-path . list",
    ] {
        place.done(line);
    }
    // Of a player that does not learn, --for limits the games.
    let played = place.json("--game '2048(rows: 2, cols: 2)' --agent random --games 1G --for 1s");
    assert!(played["seconds"].as_f64().unwrap() < 10.0, "{played}");
}

#[test]
fn a_file_is_the_player_of_its_model() {
    let place = Place::new();
    let learner = "td-ntuple(network: \"0123\")";
    place.done(format!("train --game 2048 --agent '{learner}' --moves 100 --model a.model"));
    // The file of a model is its player, and knows its game.
    let of_file = place.json("eval --agent a.model --games 4");
    let player = "'td-ntuple(model: \"a.model\")'";
    let named = place.json(format!("eval --game 2048 --agent {player} --games 4"));
    assert_eq!((&of_file["agent"], &of_file["score"]), (&named["agent"], &named["score"]));
    place.json("tournament --game 2048 --agent random a=a.model --games 1");
    let compared = place.sh("compare --game 2048 --a a.model --b random --games 8 --json");
    assert_eq!((compared.code, &compared.json()["games"]), (Some(3), &8.into()));
    place.json("think --agent a.model");
    let thought = place.json("think --agent a.model --state EDC1BA9187611111 --form hex");
    assert_eq!(thought["state"], "EDC1BA9187611111");
}
