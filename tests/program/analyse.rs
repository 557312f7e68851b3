//! Tests of `runner analyse` and `runner think --states`: many positions in the opinion of a player.

use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use serde_json::Value;
use std::fs;

/// Reads positions of 3 x 3 cells.
const THINK: &str = "think --game '2048(rows: 3, cols: 3)' --agent";

/// Returns a folder with recorded games of 3 x 3 cells by `agent`.
fn recorded(agent: &str) -> Place {
    let place = Place::new();
    let game = "2048(rows: 3, cols: 3)";
    place.done(format!("eval --game '{game}' --games 3 --agent '{agent}' --records a.rec"));
    place
}

fn moves(report: &Value) -> u64 {
    report["moves"].as_array().unwrap().len() as u64
}

#[test]
fn player_agrees_with_its_own_moves_and_not_with_random_ones() {
    let agent = "expectimax(depth: 2)";
    let analyse = format!("analyse a.rec --agent '{agent}'");
    let own = recorded(agent).json(&analyse);
    assert!(moves(&own) > 20);
    assert_eq!((own["matches"].as_u64().unwrap(), &own["mean_loss"]), (moves(&own), &0.0.into()));
    assert_eq!(own["worst"].as_array().unwrap().len(), 0);

    let place = recorded("random");
    let other = place.json(format!("{analyse} --mistakes 3"));
    assert!(other["matches"].as_u64().unwrap() < moves(&other));
    let worst: Vec<_> = other["worst"].as_array().unwrap().iter().flat_map(Value::as_u64).collect();
    let loss = |number: u64| other["moves"][number as usize - 1]["loss"].as_f64().unwrap();
    assert_eq!(worst.len(), 3);
    let largest = (1..=moves(&other)).map(loss).fold(0.0, f64::max);
    assert_eq!(loss(worst[0]), largest);
    assert!(worst.is_sorted_by(|&a, &b| loss(a) >= loss(b)));
    let text = place.done(&analyse).out;
    assert!(text.contains("matches") && text.contains("position"), "{text}");
    assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
}

#[test]
fn result_does_not_depend_on_threads_and_names_the_game() {
    let place = recorded("random");
    let report = |threads: u32, number: u32| {
        let more = format!("--threads {threads} --game-number {number}");
        place.json(format!("analyse a.rec --agent 'expectimax(depth: 1)' {more}"))
    };
    assert_eq!(report(1, 2), report(2, 2));
    assert_eq!(report(1, 2)["number"], 2);
    assert_ne!(report(1, 2)["moves"], report(1, 1)["moves"]);
}

#[test]
fn player_without_values_is_compared_by_its_choices() {
    let place = recorded("random");
    let report = place.json("analyse a.rec --agent greedy-merges");
    assert!(report["matches"].as_u64().unwrap() < moves(&report));
    assert!(!report["worst"].as_array().unwrap().is_empty());
    // There is no column of losses, and what to do for them is said.
    let text = place.done("analyse a.rec --agent greedy-merges").out;
    let header = text.lines().find(|line| line.contains("position")).unwrap();
    assert!(header.contains("made") && !header.contains("loss"), "{text}");
    assert!(text.contains("gives no values") && text.contains("--agent 'expectimax"), "{text}");
    assert!(!place.done("analyse a.rec --agent rows").out.contains("gives no values"));
}

#[test]
fn wrong_input_is_refused() {
    let place = recorded("random");
    assert_snapshot!(place.transcript(
        "analyse --agent greedy
        analyse a.rec --agent tc-ntuple
        analyse b.rec --agent greedy
        analyse a.rec --agent greedy --game-number 9
        replay show a.rec --game-number 9"
    ));
}

#[test]
fn choices_of_a_file_of_positions_are_those_of_single_ones() {
    let place = Place::new();
    let states = ["2,4,8/0,0,4/2,2,64", "2,0,0/0,0,0/0,4,0", "2,4,2/4,2,4/2,4,2"];
    let lines = format!("# positions\n\"{}\"\n\n{}\n{}", states[0], states[1], states[2]);
    fs::write(place.path("p.txt"), lines).unwrap();
    let think = format!("{THINK} 'expectimax(depth: 2)'");
    let many = place.json(format!("{think} --states p.txt"));
    for (k, state) in states.into_iter().enumerate() {
        let one = place.json(format!("{think} --state {state}"));
        for field in ["state", "action", "values"] {
            assert_eq!(many["positions"][k][field], one[field]);
        }
    }
    let csv = place.sh(format!("{think} --states p.txt"));
    let lines: Vec<_> = csv.out.lines().collect();
    assert_eq!(lines[0], "position,choice,up,right,down,left");
    assert!(lines[1].starts_with(&format!("\"{}\",", states[0])), "{csv:?}");
    assert_eq!(lines[3], format!("\"{}\",,,,,", states[2]), "the end of a game");
}

#[test]
fn positions_are_read_from_every_form_of_csv() {
    let place = Place::new();
    let rows = |text: &str| -> Vec<String> {
        fs::write(place.path("p.csv"), text).unwrap();
        let analysed = place.done(format!("{THINK} rows --states p.csv"));
        analysed.out.lines().skip(1).map(str::to_owned).collect()
    };
    let expected = rows("2,4,8/0,0,4/2,2,64\n2,0,0/0,0,0/0,4,0\n");
    assert_eq!(expected.len(), 2);
    let header = "position,choice,up,right,down,left\n";
    for text in [
        "\u{feff}2,4,8/0,0,4/2,2,64\r\n2,0,0/0,0,0/0,4,0\r\n",
        // The output of the command itself.
        &format!("{header}{}\n", expected.join("\n")),
        &format!("{}\n", expected.join("\n")),
        "id,State\n1,\"2,4,8/0,0,4/2,2,64\"\n2,\"2,0,0/0,0,0/0,4,0\"\n",
        "2,4,8,0,0,4,2,2,64\n2,0,0,0,0,0,0,4,0\n",
        "\"2\",\"4\",\"8\",\"\",\"0\",\"4\",\"2\",\"2\",\"64\"\n2,,,,,,,4,\n",
        "\u{feff}a,b,c,d,e,f,g,h,i\n2;4;8;0;0;4;2;2;64\n2\t0\t0\t0\t0\t0\t0\t4\t0\n",
        // A header of one column, above positions without quotes.
        "position\n2,4,8/0,0,4/2,2,64\n\"2,0,0/0,0,0/0,4,0\"\n",
        // Separators within quotes.
        "note,position\n\"a; b\",\"2,4,8/0,0,4/2,2,64\"\n\"a\tb\",\"2,0,0/0,0,0/0,4,0\"\n",
    ] {
        assert_eq!(rows(text), expected, "{text}");
    }
    // The rest of the text follows the tiles.
    let tiles = "1,2,0,3,0,0,0,0,0,0,3,0,0,0,0,0,next=2 bag=3,3,4";
    fs::write(place.path("t.csv"), tiles.replace("bag=3,3,4", "\"bag=3,3,4\"")).unwrap();
    let report = place.json("think --game threes --agent rows --states t.csv");
    let text = "1,2,0,3/0,0,0,0/0,0,3,0/0,0,0,0 next=2 bag=3,3,4";
    assert_eq!(report["positions"][0]["state"], text);
}

#[test]
fn lines_without_a_position_are_reported_and_the_others_analysed() {
    let place = Place::new();
    // In the last line a number stands before the tiles, the last of which is empty.
    let lines = "2,4,8/0,0,4/2,2,64\n2,4/x\n\n2,0,0/0,0,0/0,4,0\nnonsense\n7,2,4,8,0,0,4,2,2,\n";
    fs::write(place.path("p.csv"), lines).unwrap();
    let think = format!("{THINK} rows --states p.csv");
    let told = place.printed(&place.sh(&think));
    let json = place.sh(format!("{think} --json"));
    assert_eq!(json.code, Some(1));
    let json = json.json();
    let refused = json["refused"].as_array().unwrap();
    let numbers: Vec<_> = refused.iter().map(|line| line["line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [2, 5, 6]);
    assert_eq!(json["positions"].as_array().unwrap().len(), 2);
    // Games do not begin from a file with such lines.
    let eval = "eval --game '2048(rows: 3, cols: 3)' --agent random --games 2 --starts p.csv";
    assert_snapshot!(told + &place.transcript(eval));
}

#[test]
fn files_that_are_no_positions_are_refused_with_what_is_accepted() {
    let place = Place::new();
    let think = format!("{THINK} rows --states");
    let mut told = place.transcript(&format!("{think} no-file.csv"));
    let mut refused = |bytes: &[u8]| {
        fs::write(place.path("p.csv"), bytes).unwrap();
        let refused = place.sh(format!("{think} p.csv"));
        assert_eq!(refused.code, Some(1), "{refused:?}");
        told += &refused.err;
    };
    let position = "2,4,8/0,0,4/2,2,64";
    let utf16: Vec<_> = format!("\u{feff}{position}").encode_utf16().collect();
    for encode in [u16::to_le_bytes, u16::to_be_bytes] {
        let marked: Vec<u8> = utf16.iter().copied().flat_map(encode).collect();
        refused(&marked);
        refused(&marked[2..]);
    }
    refused(&[format!("{position}\n").as_bytes(), b"position f\xfcr sp\xe4ter"].concat());
    // A position over two lines, and positions without the quotes that they need.
    refused(b"position,choice\n\"2,4,8/0,0,4/\n2,2,64\",up\n");
    refused(format!("position,choice\n{position},up\n").as_bytes());
    refused(b"# nothing\n");
    assert_snapshot!(told);
}

#[test]
fn random_numbers_are_those_of_the_position() {
    let place = Place::new();
    let states = ["2,4,8/0,0,4/2,2,64", "2,0,0/0,0,0/0,4,0"];
    let values =
        |more: &str| place.json(format!("{THINK} 'mcts(simulations: 50)' --threads 1 {more}"));
    fs::write(place.path("p.csv"), [states[0], states[1], states[0]].join("\n")).unwrap();
    let many = values("--states p.csv")["positions"].clone();
    for (line, state) in [(0, states[0]), (1, states[1]), (2, states[0])] {
        assert_eq!(many[line]["values"], values(&format!("--state {state}"))["values"], "{line}");
    }
    let other = values(&format!("--state {} --seed 7", states[0]));
    assert_ne!(many[0]["values"], other["values"]);
}
