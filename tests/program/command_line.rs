//! The command line by its contract: results, exit codes, JSON fields, pipes, interrupts and
//! full disks. Its options are tested in `options`.

use crate::harness::place::Place;
#[cfg(target_os = "linux")]
use crate::harness::signals::{await_listening, interrupt};
use crate::harness::transcript::{assert_snapshot, timeless};
use crate::harness::{fields, finish, ran};
use serde_json::Value;
use std::fs;
#[cfg(target_os = "linux")]
use std::io::{BufRead, BufReader, Write};
use std::process::Stdio;
use std::time::Duration;

/// A small game and its player.
const SMALL: &str = "eval --game '2048(rows: 2, cols: 2)' --agent greedy";

/// Returns the result of an evaluation without the fields that depend on the time.
#[track_caller]
fn eval(place: &Place, more: &str) -> Value {
    without_time(place.json(format!("{SMALL} {more}")))
}

fn without_time(mut result: Value) -> Value {
    let fields = result.as_object_mut().unwrap();
    for time in ["seconds", "moves_per_second", "threads"] {
        assert!(fields.remove(time).is_some_and(|value| value.is_number()), "{time}");
    }
    result
}

/// Scripts depend on these fields.
#[test]
fn the_json_of_an_evaluation_has_the_fields_of_the_contract() {
    let place = Place::new();
    let played = place.done(format!("{SMALL} --games 50 --json"));
    assert_eq!((played.err.as_str(), played.out.lines().count()), ("", 1), "{played:?}");
    let result = played.json();
    assert_eq!(
        fields(&result),
        "agent faults game games interrupted moves moves_per_second score seconds seed threads tiles"
    );
    assert_eq!(fields(&result["score"]), "ci95 max mean median min p10 p90");
    let tiles = result["tiles"].as_array().unwrap();
    for tile in tiles {
        assert_eq!(fields(tile), "ci95 ended rate reached tile");
        assert_eq!(tile["rate"].as_f64(), tile["reached"].as_f64().map(|n| n / 50.0), "{tile}");
    }
    let ended: u64 = tiles.iter().filter_map(|tile| tile["ended"].as_u64()).sum();
    assert_eq!(ended, 50, "every game ended with one tile");
    assert_eq!((&result["games"], &result["faults"]), (&50.into(), &0.into()));
    // The resolved spec has the defaults and is accepted again.
    let game = result["game"].as_str().unwrap();
    assert!(game.starts_with("2048(rows: 2, cols: 2, four: 0.1"), "{game}");
    let again = place.json(format!("eval --game '{game}' --agent greedy --games 50"));
    assert_eq!(without_time(again), without_time(result.clone()));
}

#[test]
fn results_depend_on_the_seed_and_not_on_the_threads() {
    let place = Place::new();
    let play =
        |seed, threads| eval(&place, &format!("--games 300 --seed {seed} --threads {threads}"));
    let one = play(5, 1);
    for threads in [2, 3, 7] {
        assert_eq!(play(5, threads), one, "{threads} threads");
    }
    assert_ne!(play(6, 1)["score"], one["score"]);
}

/// Recording does not change the games, and the file is enough to replay them.
#[test]
fn recorded_games_are_verified_and_damaged_files_refused() {
    let place = Place::new();
    let recorded = eval(&place, "--games 60 --seed 3 --records games.rec");
    assert_eq!(recorded, eval(&place, "--games 60 --seed 3"));
    let mut told = place.transcript(
        "replay verify games.rec
        replay show games.rec --game-number 60
        replay verify none.rec",
    );
    assert!(place.done("replay show games.rec --game-number 59").out.contains("\ngame 59: "));
    let whole = fs::read(place.path("games.rec")).unwrap();
    fs::write(place.path("games.rec"), &whole[..20]).unwrap();
    told += &place.transcript("replay verify games.rec");
    assert_snapshot!(told);
}

#[cfg(unix)]
#[test]
fn a_full_disk_keeps_the_games_written_so_far() {
    let place = Place::new();
    fs::write(place.path("games.rec"), "of an earlier run").unwrap();
    // More than one buffer of games, and less than two.
    let line = format!("{SMALL} --games 20k --force --records games.rec");
    let failed = place.on_full_disk(200, &line);
    assert_eq!((failed.code, failed.out.as_str()), (Some(1), ""), "{failed:?}");
    let error = failed.only_line("error: cannot write ");
    let (_, kept) = error.split_once("it has the first ").expect("games are kept");
    let kept = kept.strip_suffix(" games").expect("games are kept");
    let expected = format!("after {kept} complete games: the run that wrote it did not finish");
    let verified = place.sh("replay verify games.rec");
    assert!(verified.code == Some(1) && verified.error().contains(&expected), "{verified:?}");
    // Its games are used, with a note, and continued.
    let exported = place.done("replay export games.rec");
    assert_eq!(exported.out.lines().count().to_string(), kept);
    assert!(exported.err.contains(&expected), "{exported:?}");
    place.done(format!("{SMALL} --games 20k --resume --records games.rec"));
    assert!(place.done("replay verify games.rec").out.contains("20,000 games"));
}

#[test]
fn a_closed_standard_output_is_a_silent_success() {
    let place = Place::new();
    place.done(format!("{SMALL} --games 500 --records games.rec"));
    let perft = "perft --game 2048 --depth 1 --state 2,0,0,0/0,0,0,0/0,0,0,0/0,0,0,2";
    for line in [
        "replay show games.rec",
        "replay verify games.rec",
        perft,
        &format!("{perft} --json"),
        "plugins list",
        "plugins list --json",
        "completions bash",
        "guide",
        &format!("{SMALL} --games 3"),
        &format!("{SMALL} --games 3 --json"),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let ran = ran(place.line(line).stdout(writer).stderr(Stdio::piped()));
        assert_eq!((ran.code, ran.err.as_str()), (Some(0), ""), "{line}");
    }
}

#[test]
fn shells_complete_the_names_of_games_players_presets_and_models() {
    let place = Place::new();
    fs::write(place.path("tc-mine.model"), "").unwrap();
    fs::write(place.path("tc-other.txt"), "").unwrap();
    let completed = |shell: &str, words: &[&str]| {
        let mut command = place.line("--");
        command.env("RUNNER_COMPLETE", shell);
        command.env("_CLAP_COMPLETE_INDEX", (words.len() - 1).to_string());
        let done = ran(command.args(words));
        assert_eq!((done.code, &*done.err), (Some(0), ""), "{done:?}");
        done.out.lines().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(completed("bash", &["runner", "eval", "--game", "thr"]), ["threes"]);
    let players = completed("bash", &["runner", "eval", "-g", "threes", "-a", "tc-"]);
    for expected in ["tc-ntuple", "'tc-ntuple(preset: \"efficient\")'", "tc-mine.model"] {
        assert!(players.iter().any(|word| word == expected), "{expected}: {players:?}");
    }
    assert!(!players.iter().any(|word| word.contains("txt")), "{players:?}");
    // A quotation mark that was typed does not hide them, and some shells quote by themselves.
    let quoted = completed("bash", &["runner", "eval", "--agent", "'tc-ntuple(pre"]);
    assert_eq!(quoted[0], "'tc-ntuple(preset: \"delayed-tc-2017\")'", "{quoted:?}");
    let plain = completed("fish", &["runner", "eval", "--agent", "tc-ntuple(preset: \"eff"]);
    assert!(plain[0].starts_with("tc-ntuple(preset: \"efficient\")\t"), "{plain:?}");
    let preset = ["runner", "plugins", "show", "tc-ntuple", "--preset", "effi"];
    assert_eq!(completed("bash", &preset), ["efficient", "efficient-threes"]);
    assert_eq!(completed("bash", &["runner", "plugins", "show", "expec"]), ["expectimax"]);
}

#[test]
fn the_networks_that_come_with_the_program_are_described() {
    let place = Place::new();
    let described = place.done("model info trained").out;
    let games = described.lines().filter(|line| line.starts_with("game  ")).count();
    assert_eq!(games, 2, "{described}");
    let shown = place.done("plugins show trained").out;
    assert!(shown.contains("\n  2048, ") && shown.contains("\n  threes, "), "{shown}");
    assert!(shown.contains("\n  1024, the network of 2048\n"), "{shown}");
    // A file of that name comes first.
    fs::write(place.path("trained"), "no model").unwrap();
    assert!(place.sh("model info trained").error().contains("trained"), "{shown}");
}

#[test]
fn each_command_has_a_manual_page_with_examples() {
    let place = Place::new();
    place.done("man --out pages");
    let page = fs::read_to_string(place.path("pages/runner-plugins-new.1")).unwrap();
    assert!(page.contains(".SH EXAMPLES\n.nf\nrunner plugins new game my\\-game"), "{page}");
    let program = fs::read_to_string(place.path("pages/runner.1")).unwrap();
    assert!(program.contains("runner\\-conform(1)"), "{program}");
}

#[test]
fn a_closed_standard_error_does_not_change_the_exit_code() {
    for (line, code) in [("eval --game chess --agent greedy", 2), ("watch", 1)] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let status = Place::new().line(line).stderr(writer).status().unwrap();
        assert_eq!(status.code(), Some(code), "{line}");
    }
}

/// Interrupts an evaluation after 300 ms and returns its result.
#[cfg(target_os = "linux")]
#[track_caller]
fn interrupted(place: &Place, more: &str) -> crate::harness::Ran {
    interrupt_evaluation(place, SMALL, more)
}

#[cfg(target_os = "linux")]
fn interrupt_evaluation(place: &Place, line: &str, more: &str) -> crate::harness::Ran {
    let child = place.start(format!("{line} --games 100G --threads 2 {more}"));
    await_listening(&child, || true);
    std::thread::sleep(Duration::from_millis(300));
    interrupt(&child);
    let stopped = finish(child);
    assert_eq!(stopped.code, Some(130), "{stopped:?}");
    stopped
}

#[cfg(target_os = "linux")]
#[test]
fn the_second_interrupt_ends_a_run_at_once() {
    let deep = r#"expectimax(depth: 20, value: rows, table: "none")"#;
    let mut child = Place::new().start(format!("eval --game 2048 --agent '{deep}' --games 2"));
    await_listening(&child, || true);
    interrupt(&child);
    let errors = BufReader::new(child.stderr.take().unwrap());
    let note = errors.lines().map(Result::unwrap).find(|line| line.contains("Ctrl-C again"));
    assert!(note.is_some(), "the run ended");
    interrupt(&child);
    assert_eq!(child.wait().unwrap().code(), Some(130));
}

#[cfg(target_os = "linux")]
#[test]
fn the_first_interrupt_ends_the_reading_of_a_pipe_without_a_writer() {
    let place = Place::new();
    place.shell("mkfifo pipe").success();
    for (command, more) in [
        ("train", "'td-ntuple(network: \"0123\")' --model a.model --starts"),
        ("eval", "greedy --starts"),
    ] {
        let line = format!("{command} --game '2048(rows: 2, cols: 2)' --agent {more} pipe");
        let child = place.start(line);
        await_listening(&child, || true);
        interrupt(&child);
        let stopped = finish(child);
        assert_eq!(stopped.code, Some(130), "{stopped:?}");
        let line = stopped.err.lines().last().unwrap();
        assert!(line.starts_with("interrupted: "), "{stopped:?}");
        assert!(line.ends_with("pipe was not read to its end"), "{stopped:?}");
        assert_eq!(place.names(), ["pipe"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn positions_are_read_from_a_pipe_once() {
    let place = Place::new();
    for line in [
        "eval --agent greedy --games 5",
        "train --agent 'td-ntuple(network: \"0123\")' --moves 100",
    ] {
        let (reader, mut writer) = std::io::pipe().unwrap();
        writer.write_all(b"2,2/0,0\n2,4/0,0\n").unwrap();
        drop(writer);
        let game = "--game '2048(rows: 2, cols: 2)' --starts /dev/stdin";
        ran(place.line(format!("{line} {game}")).stdin(reader)).success();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_evaluation_prints_the_finished_games() {
    let place = Place::new();
    let stopped = interrupted(&place, "--json");
    assert!(stopped.json()["games"].as_u64().unwrap() > 0, "{stopped:?}");
    let line = stopped.only_line("interrupted: ");
    assert!(line.contains("the same command plays them all"), "{line}");
    let table = interrupted(&place, "");
    assert!(table.out.contains("mean score"), "{table:?}");
    // Long games are under way: of an agent, and of a value, whose games are played together.
    for player in ["expectimax(depth: 4)", "rows"] {
        let line = format!("eval --game '2048(rows: 5, cols: 5)' --agent '{player}'");
        let stopped = interrupt_evaluation(&place, &line, "");
        let line = stopped.only_line("interrupted: ");
        assert!(line.contains(" given up by the interrupt"), "{line}");
    }
}

/// Long games are given up soon after the time is over, and are listed as far as they were played.
#[test]
fn games_end_when_their_time_is_over() {
    let place = Place::new();
    let line = "eval --game '2048(rows: 5, cols: 5)' --agent 'expectimax(depth: 3)' --for 2s";
    let ended = place.done(format!("{line} --json"));
    let seconds = ended.json()["seconds"].as_f64().unwrap();
    // A game takes minutes.
    assert!((2.0..20.0).contains(&seconds), "{ended:?}");
    assert!(ended.err.contains(" given up when the time was over"), "{ended:?}");
    let listed = place.done(line).out;
    let game = listed.lines().find(|line| line.starts_with("game 0: ")).expect("it is listed");
    assert!(game.contains(" points in ") && game.contains(" moves, largest tile "), "{game}");
    assert!(game.ends_with(", given up") && !listed.contains("median"), "{listed}");
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_shows_the_board_of_a_game_under_way() {
    use crate::harness::terminal::on_terminal;
    if crate::harness::is_missing("script") {
        return;
    }
    let words =
        "--game '2048(rows: 5, cols: 5)' --agent 'expectimax(depth: 3)' --for 3s --threads 1";
    for (lines, has_board) in [(24, true), (5, false)] {
        let (code, out) = on_terminal(80, lines, words, "");
        assert_eq!(code, Some(0), "{out}");
        assert!(
            out.contains("0 of 1,000 games, ") && out.contains(" moves/s, largest tile "),
            "{out}"
        );
        // Empty cells side by side.
        let shown = out.contains("     .     .");
        assert_eq!(shown, has_board, "{lines} lines: {out}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupted_recording_is_complete() {
    let place = Place::new();
    let stopped = interrupted(&place, "--json --records games.rec");
    assert!(stopped.err.contains("the games so far are in games.rec"), "{stopped:?}");
    assert!(stopped.continuation().ends_with("--resume"), "{stopped:?}");
    let games = stopped.json()["games"].as_u64().unwrap();
    // Their number is written with commas.
    let verified = place.done("replay verify games.rec").out.replace(',', "");
    assert!(verified.contains(&format!("{games} games of ")), "{games} games: {verified}");
}

#[test]
fn think_reports_action_values_and_facts() {
    let place = Place::new();
    let think = "think --game 2048 --state 0,2,4,0/0,0,0,0/0,2,0,0/0,0,0,0 --agent";
    let report = place.json(format!("{think} 'expectimax(depth: 2)'"));
    let values = report["values"].as_array().unwrap();
    assert_eq!(values.len(), 4, "{report}");
    let value = |of: &Value| of["value"].as_f64().unwrap();
    let chosen = values.iter().find(|value| value["action"] == report["action"]).unwrap();
    assert!(values.iter().all(|other| value(other) <= value(chosen)), "{report}");
    assert_eq!(report["facts"]["plies"], 2);
    // The line begins with the choice and the likeliest tile.
    let line = report["facts"]["line"].as_str().unwrap().to_owned();
    let (first, second) = line.split_once("; ").unwrap();
    let (action, tile) = first.split_once(' ').unwrap();
    assert_eq!(report["action"], action);
    assert!(tile.starts_with("2@"), "{line}");
    assert!(["up", "right", "down", "left"].contains(&second), "{line}");
    // Chances of tiles are known of a player whose games were recorded, and not of this search.
    assert_eq!(report["chances"].as_array().unwrap().len(), 0);
    let report = place.json(format!("{think} trained"));
    let [first, second] = &report["chances"].as_array().unwrap()[..] else { panic!("{report}") };
    assert!(first["tile"].as_u64() < second["tile"].as_u64(), "{report}");
    let [likelier, other] = [first, second].map(|chance| chance["chance"].as_f64().unwrap());
    assert!(1.0 > likelier && likelier > other && other > 0.0, "{report}");
    let shown = place.done(format!("{think} trained")).out;
    assert!(shown.contains(&format!("chance of {}", first["tile"])), "{shown}");
    // A value is a player. An agent without action values reports its action.
    let report = place.json(format!("{think} rows"));
    assert_eq!(report["values"].as_array().unwrap().len(), 4);
    assert_snapshot!(timeless(&place.transcript(&format!(
        "{think} greedy
        think --game '2048(rows: 2, cols: 2)' --agent rows --state 2,4/4,2"
    ))));
}

#[test]
fn results_of_games_are_in_the_document_on_request() {
    let place = Place::new();
    let result = eval(&place, "--games 5 --scores");
    let games = result["scores"].as_array().unwrap();
    let numbers: Vec<_> = games.iter().map(|game| game["number"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [0, 1, 2, 3, 4]);
    let sum: f64 = games.iter().map(|game| game["score"].as_f64().unwrap()).sum();
    assert_eq!(result["score"]["mean"], sum / 5.0);
    assert_eq!(result["interrupted"], false);
    assert!(eval(&place, "--games 5")["scores"].is_null());
}
