//! The exit codes of all commands: one table in the help and in the guide.

use crate::harness::place::Place;
use std::collections::BTreeSet;
use std::fs;

/// What fails in a folder with recorded games, a damaged record and a model: each command with a
/// line that is done, lines that are typed wrong, and one that fails.
const LINES: &[(i32, &str)] = &[
    (0, "--agent random --games 1"),
    (2, "--agent nobody"),
    (2, "--agent missing.model"),
    (2, "--agent 'tc-ntuple(model: \"missing.model\")' --games 1"),
    (0, "train --game 2048 --agent td-ntuple --moves 1 --model new.model"),
    (2, "train --agent td-ntuple --model other.model --resume"),
    (2, "train --from missing.model --moves 1"),
    (2, "train --agent td-ntuple --moves 1 --starts missing.txt --model other.model"),
    (2, "train --agent td-ntuple --moves 1 --model a.model"),
    (1, "train --from damaged.model --moves 1"),
    (0, "eval --agent random --games 1"),
    (2, "eval --agent random --games none"),
    (2, "eval --agent random --starts missing.txt"),
    (2, "eval --agent random --starts empty.txt"),
    (2, "eval --config missing.ron"),
    (0, "tournament --agent random --games 1"),
    (2, "tournament missing.ron"),
    (2, "tournament --agent nobody"),
    (0, "compare --game '2048(rows: 2, cols: 2)' --a rows --b random --margin 50%"),
    (2, "compare --a rows"),
    (2, "compare --a missing.model --b random"),
    (2, "compare --a rows --b random --starts missing.txt"),
    (3, "compare --game '2048(rows: 2, cols: 2)' --a random --b random --games 8"),
    (1, "watch"),
    (2, "watch --replay missing.rec"),
    (1, "watch --replay damaged.rec"),
    (2, "serve --port many"),
    (2, "serve --agent nobody"),
    (0, "play --stdio"),
    (1, "play"),
    (2, "play --state 3"),
    (0, "think --agent random"),
    (2, "think --agent random --state 3"),
    (2, "think --agent missing.model"),
    (0, "solve --game '2048(rows: 2, cols: 2)'"),
    (2, "solve"),
    (1, "solve --game '2048(rows: 2, cols: 3)' --memory 1K"),
    (0, "plugins list"),
    (2, "plugins list --plugin-path missing.so"),
    (0, "plugins show rows"),
    (2, "plugins show nothing"),
    (2, "plugins doctor nothing"),
    (0, "plugins doctor random"),
    (0, "plugins new process a-player"),
    (2, "plugins new process a-player"),
    (0, "model info a.model"),
    (2, "model info missing.model"),
    (1, "model info damaged.model"),
    (0, "model verify a.model"),
    (2, "model verify missing.model"),
    (1, "model verify damaged.model"),
    (0, "model average mean.model a.model a.model"),
    (2, "model average new-mean.model a.model missing.model"),
    (0, "model fold a.model folded.model"),
    (2, "model fold missing.model new-folded.model"),
    (0, "model convert a.model a.w"),
    (2, "model convert missing.model new.w"),
    (2, "experiment missing.ron"),
    (
        0,
        "tune --agent rows --parameter empty:-9..999 --out c.ron --games 1 --generations 1 --evaluate-games 1",
    ),
    (2, "tune --agent rows --parameter nothing --out d.ron"),
    (2, "tune --agent missing.model --out d.ron"),
    (0, "tournament --agent random --games 2 --rounds 1..=2 --out part"),
    (2, "tournament --agent random --games 2 --rounds 2..=3 --out other"),
    (0, "tournament merge part --out merged"),
    (2, "tournament merge missing --out new"),
    (0, "plot scores merged --out a.svg"),
    (2, "plot scores missing --out a.svg"),
    (0, "plot rates merged --out b.svg"),
    (2, "plot rates missing --out b.svg"),
    (2, "plot curve missing.jsonl --out c.svg"),
    (1, "plot curve damaged.rec --out c.svg"),
    (0, "plot tournament merged --out d.svg"),
    (2, "plot tournament missing --out d.svg"),
    (0, "analyse a.rec --agent random"),
    (2, "analyse missing.rec --agent random"),
    (2, "analyse a.rec --agent missing.model"),
    (2, "analyse a.rec --agent random --game-number 9"),
    (1, "analyse damaged.rec --agent random"),
    (0, "replay verify a.rec"),
    (2, "replay verify missing.rec"),
    (1, "replay verify damaged.rec"),
    (0, "replay show a.rec"),
    (2, "replay show missing.rec"),
    (2, "replay show a.rec --game-number 9"),
    (0, "replay export a.rec"),
    (2, "replay export missing.rec"),
    (0, "eval --game '2048(rows: 2, cols: 2)' --agent random --games 9 --records a.rec --resume"),
    (2, "eval --agent random --records missing.rec --resume"),
    (0, "perft --depth 1"),
    (2, "perft --game nothing --depth 1"),
    (0, "conform right.jsonl"),
    (1, "conform a.rec"),
    (2, "conform missing.jsonl"),
    (2, "conform --game 2048 --steps 0 -- true"),
    (2, "eval --agent random --games 0"),
    (0, "guide"),
    (0, "completions bash"),
    (2, "completions nothing"),
    (0, "man --out pages"),
    (2, "man"),
];

/// Commands that need long inputs for a line that is done; it is part of other tests.
const NOT_DONE: [&str; 4] = ["watch", "serve", "experiment", "plot curve"];

#[test]
fn every_command_ends_with_the_codes_of_the_table() {
    let place = Place::new();
    place.done("eval --game '2048(rows: 2, cols: 2)' --agent random --games 1 --records a.rec");
    place.done(
        "train --game 2048 --agent 'td-ntuple(network: \"0123 01\")' --moves 1 --model a.model",
    );
    for (whole, damaged) in [("a.rec", "damaged.rec"), ("a.model", "damaged.model")] {
        let mut bytes = fs::read(place.path(whole)).unwrap();
        let middle = bytes.len() / 2;
        bytes.truncate(middle);
        fs::write(place.path(damaged), bytes).unwrap();
    }
    fs::write(place.path("empty.txt"), "").unwrap();
    let rows = ["0,2,0,0/0,0,0,0/0,0,0,0/0,2,0,0", "0,0,0,2/0,0,0,0/0,0,0,0/0,2,0,2"];
    let right = format!(r#"{{"state": "{}", "action": "right", "next": "{}"}}"#, rows[0], rows[1]);
    fs::write(place.path("right.jsonl"), right).unwrap();
    let mut wrong = Vec::new();
    for &(code, line) in LINES {
        let ran = place.sh(line);
        if ran.code != Some(code) {
            wrong.push(format!("{code} is wanted: {line}: {ran:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // No command is left out: each has a page of the manual.
    let pages = place.names_in("pages");
    let names = pages.iter().map(|page| page.trim_end_matches(".1").replace('-', " "));
    let commands: BTreeSet<String> =
        names.filter_map(|name| name.strip_prefix("runner ").map(str::to_owned)).collect();
    let groups =
        |name: &&String| commands.iter().any(|other| other.starts_with(&format!("{name} ")));
    let ends = |code: i32, name: &str| {
        LINES.iter().any(|(of, line)| {
            *of == code && (*line == name || line.starts_with(&format!("{name} ")))
        })
    };
    for name in commands.iter().filter(|name| !groups(name)) {
        assert!(ends(0, name) || NOT_DONE.contains(&name.as_str()), "{name} is not done");
        assert!(ends(2, name) || name == "guide", "{name} is not typed wrong");
    }
}

#[test]
fn the_table_of_exit_codes_is_the_same_in_the_help_and_in_the_guide() {
    let place = Place::new();
    let help = place.done("--help").out;
    let (_, table) = help.split_once("\nExit codes:\n").expect("the help has the table");
    let rows = table.lines().take_while(|line| !line.is_empty());
    let of_help: Vec<_> =
        rows.map(|line| line.split_whitespace().collect::<Vec<_>>().join(" ")).collect();
    let guide = include_str!("../../framework/guide/src/reference/configuration.md");
    let (_, table) = guide.split_once("## Exit codes").expect("the guide has the table");
    let rows = table.lines().filter_map(|line| line.strip_prefix("| "));
    let rows = rows.filter(|row| row.starts_with(|c: char| c.is_ascii_digit()));
    let of_guide: Vec<_> = rows.map(|row| row.replace(" |", "")).collect();
    assert_eq!(of_help, of_guide);
}
