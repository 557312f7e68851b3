//! Programs that follow the protocol.

use super::*;
use runner_core::{Action, Successors, Turn};
use std::fs;

/// Takes the first legal action if the turn's number for the program is even, or else the last.
struct FirstOrLast;

impl Agent for FirstOrLast {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        let successor = if (turn.random >> 11).is_multiple_of(2) {
            turn.successors.first()
        } else {
            turn.successors.last()
        };
        successor.map(|successor| successor.action)
    }
}

/// The branch of a script that plays as [`FirstOrLast`].
const FIRST_OR_LAST: &str = r#"
    *'"type":"turn"'*)
        random=${line#*'"random":'}; random=${random%%,*}
        case $random in
        *[02468]) index=${line#*'"index":'};;
        *) index=${line##*'"index":'};;
        esac
        echo "{\"action\":${index%%,*}}";;"#;

#[test]
fn program_and_the_same_policy_in_rust_play_the_same_games() {
    let mut program = agent(&script(&[READY, FIRST_OR_LAST]));
    let mut copy = program.clone();
    for number in 0..6 {
        let expected = play_game(&mut FirstOrLast, number);
        assert!(expected.as_ref().unwrap().finished);
        assert_eq!(play_game(&mut program, number), expected);
        // Another program plays the same game, whatever it played before.
        assert_eq!(play_game(&mut copy, 5 - number), play_game(&mut FirstOrLast, 5 - number));
    }
}

#[test]
fn actions_are_answered_by_name_too() {
    let by_name = r#"
    *'"type":"turn"'*) name=${line#*'"action":"'}; echo "{\"action\":\"${name%%\"*}\"}";;"#;
    let (mut by_name, mut by_index) =
        (agent(&script(&[READY, by_name])), agent(&script(&[READY, FIRST])));
    assert_eq!(play_game(&mut by_name, 1), play_game(&mut by_index, 1));
}

#[test]
fn null_ends_the_game() {
    let stops = r#"*'"type":"turn"'*) echo '{"action":null}';;"#;
    let episode = play_game(&mut agent(&script(&[READY, stops])), 1).unwrap();
    assert_eq!((episode.moves, episode.finished), (0, false));
}

#[test]
fn values_and_information_of_the_program_are_its_analysis() {
    let thinks = r#"*'"type":"turn"'*)
        echo '{"action":"left","values":{"left":12.5,"up":-3},"info":"depth 7"}';;"#;
    let game = game();
    let state = game.parse("0,2,0/0,2,0").unwrap();
    let mut successors = Successors::new();
    game.successors(state, &mut successors);
    let turn = Turn { state, successors: &successors, random: 0 };
    let analysis = agent(&script(&[READY, thinks])).analyse(&game, &turn);
    assert_eq!(analysis.choice, Some(Action(3)));
    assert_eq!(analysis.action_values, [(Action(0), -3.0), (Action(3), 12.5)]);
    let facts: Vec<_> = analysis.facts.iter().map(|(name, fact)| (&**name, fact.clone())).collect();
    assert_eq!(facts, [("unit", "points to come".into()), ("info", "depth 7".into())]);
}

#[test]
fn one_program_plays_many_games_and_sees_their_begin_and_end() {
    let folder = tempfile::tempdir().unwrap();
    let log = folder.path().join("log");
    let logs = format!("echo start >>{0}\n{1}", log.display(), script(&[READY, FIRST]))
        .replace("do case", &format!("do echo \"${{line%%,*}}\" >>{}; case", log.display()));
    let mut program = agent(&logs);
    for number in 0..3 {
        play_game(&mut program, number).unwrap();
    }
    drop(program);
    let log = fs::read_to_string(log).unwrap();
    let count = |word: &str| log.lines().filter(|line| line.contains(word)).count();
    let counts = ["start", "hello", "begin", "end"].map(count);
    assert_eq!(counts, [1, 1, 3, 3], "{log}");
}

#[test]
fn program_that_ends_after_a_game_is_started_again() {
    let ends = r#"*'"type":"end"'*) exit 0;;"#;
    let mut program = agent(&script(&[READY, FIRST, ends]));
    let mut stays = agent(&script(&[READY, FIRST]));
    for number in 0..4 {
        assert_eq!(play_game(&mut program, number), play_game(&mut stays, number));
    }
}

#[test]
fn wrong_parameters_are_refused_by_name() {
    let refused = |change: fn(&mut Config), parameter: &str, part: &str| {
        let mut config = Config { command: vec!["/bin/sh".into()], ..Config::default() };
        change(&mut config);
        let error = build(config).err().expect(parameter);
        assert_eq!(error.parameter.as_deref(), Some(parameter), "{error}");
        assert!(error.message.contains(part), "{error}");
    };
    refused(|config| config.command.clear(), "command", "a program is needed");
    refused(|config| config.command = vec!["no-such-program".into()], "command", "PATH");
    refused(|config| config.command = vec![String::new()], "command", "PATH");
    refused(|config| config.command = vec!["./no/such".into()], "command", "no file ./no/such");
    refused(|config| config.command = vec!["./Cargo.toml".into()], "command", "not executable");
}
