//! Tests of `runner analyse` and `runner think --states`: many positions in the opinion of a player.

use crate::harness::place::Place;
use crate::harness::transcript::assert_snapshot;
use crate::harness::{Ran, expect_json, expect_usage_error};
use serde_json::Value;
use std::fs;

/// Returns a folder with recorded games of 3 x 3 cells by `agent`.
fn recorded(agent: &str) -> Place {
    let place = Place::new();
    let eval = ["eval", "--game", "2048(rows: 3, cols: 3)", "--games", "3", "--json"];
    expect_json(&place.run(&[&eval[..], &["--agent", agent, "--records", "a.rec"]].concat()));
    place
}

fn analyse(place: &Place, agent: &str, more: &[&str]) -> Ran {
    place.run(&[&["analyse", "a.rec", "--agent", agent], more].concat())
}

fn moves(report: &Value) -> u64 {
    report["moves"].as_array().unwrap().len() as u64
}

#[test]
fn player_agrees_with_its_own_moves_and_not_with_random_ones() {
    let agent = "expectimax(depth: 2)";
    let own = expect_json(&analyse(&recorded(agent), agent, &["--json"]));
    assert!(moves(&own) > 20);
    assert_eq!((own["matches"].as_u64().unwrap(), &own["mean_loss"]), (moves(&own), &0.0.into()));
    assert_eq!(own["worst"].as_array().unwrap().len(), 0);

    let place = recorded("random");
    let other = expect_json(&analyse(&place, agent, &["--json", "--mistakes", "3"]));
    assert!(other["matches"].as_u64().unwrap() < moves(&other));
    let worst: Vec<_> = other["worst"].as_array().unwrap().iter().flat_map(Value::as_u64).collect();
    let loss = |number: u64| other["moves"][number as usize - 1]["loss"].as_f64().unwrap();
    assert_eq!(worst.len(), 3);
    let largest = (1..=moves(&other)).map(loss).fold(0.0, f64::max);
    assert_eq!(loss(worst[0]), largest);
    assert!(worst.is_sorted_by(|&a, &b| loss(a) >= loss(b)));
    let text = analyse(&place, agent, &[]);
    assert!(text.out.contains("matches") && text.out.contains("position"), "{text:?}");
    assert!(text.out.lines().all(|line| line.chars().count() <= 80), "{}", text.out);
}

#[test]
fn result_does_not_depend_on_threads_and_names_the_game() {
    let place = recorded("random");
    let report = |threads, number| {
        let more = ["--json", "--threads", threads, "--game-number", number];
        expect_json(&analyse(&place, "expectimax(depth: 1)", &more))
    };
    assert_eq!(report("1", "2"), report("2", "2"));
    assert_eq!(report("1", "2")["number"], 2);
    assert_ne!(report("1", "2")["moves"], report("1", "1")["moves"]);
}

#[test]
fn player_without_values_is_compared_by_its_choices() {
    let place = recorded("random");
    let report = expect_json(&analyse(&place, "greedy-merges", &["--json"]));
    assert!(report["matches"].as_u64().unwrap() < moves(&report));
    assert!(!report["worst"].as_array().unwrap().is_empty());
    // There is no column of losses, and what to do for them is said.
    let text = analyse(&place, "greedy-merges", &[]).out;
    let header = text.lines().find(|line| line.contains("position")).unwrap();
    assert!(header.contains("made") && !header.contains("loss"), "{text}");
    assert!(text.contains("gives no values") && text.contains("--agent 'expectimax"), "{text}");
    assert!(!analyse(&place, "rows", &[]).out.contains("gives no values"));
}

#[test]
fn wrong_input_is_refused() {
    let place = recorded("random");
    assert_snapshot!(place.transcript(
        "analyse --agent greedy
        analyse a.rec
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
    let think = ["think", "--game", "2048(rows: 3, cols: 3)", "--agent", "expectimax(depth: 2)"];
    let many = expect_json(&place.run(&[&think[..], &["--states", "p.txt", "--json"]].concat()));
    for (k, state) in states.into_iter().enumerate() {
        let one = expect_json(&place.run(&[&think[..], &["--state", state, "--json"]].concat()));
        for field in ["state", "action", "values"] {
            assert_eq!(many["positions"][k][field], one[field]);
        }
    }
    let csv = place.run(&[&think[..], &["--states", "p.txt"]].concat());
    let lines: Vec<_> = csv.out.lines().collect();
    assert_eq!(lines[0], "position,choice,up,right,down,left");
    assert!(lines[1].starts_with(&format!("\"{}\",", states[0])), "{csv:?}");
    assert_eq!(lines[3], format!("\"{}\",,,,,", states[2]), "the end of a game");

    let missing = place.run(&[&think[..], &["--states", "q.txt"]].concat());
    assert!(missing.code == Some(1) && missing.error().contains("q.txt"), "{missing:?}");
    fs::write(place.path("q.txt"), "# nothing\n").unwrap();
    let empty = place.run(&[&think[..], &["--states", "q.txt"]].concat());
    assert!(empty.code == Some(1) && empty.error().contains("no positions"), "{empty:?}");
}

/// Returns the rows of `think --states` for a file of this text.
fn rows(place: &Place, text: &str) -> Vec<String> {
    fs::write(place.path("p.csv"), text).unwrap();
    let think = ["think", "--game", "2048(rows: 3, cols: 3)", "--agent", "rows", "--states"];
    let analysed = place.run(&[&think[..], &["p.csv"]].concat()).success();
    analysed.out.lines().skip(1).map(str::to_owned).collect()
}

#[test]
fn positions_are_read_from_every_form_of_csv() {
    let place = Place::new();
    let expected = rows(&place, "2,4,8/0,0,4/2,2,64\n2,0,0/0,0,0/0,4,0\n");
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
        assert_eq!(rows(&place, text), expected, "{text}");
    }
    // The rest of the text follows the tiles.
    let tiles = "1,2,0,3,0,0,0,0,0,0,3,0,0,0,0,0,next=2 bag=3,3,4";
    let text = "1,2,0,3/0,0,0,0/0,0,3,0/0,0,0,0 next=2 bag=3,3,4";
    fs::write(place.path("t.csv"), tiles.replace("bag=3,3,4", "\"bag=3,3,4\"")).unwrap();
    let think = ["think", "--game", "threes", "--agent", "rows", "--states", "t.csv", "--json"];
    let report = expect_json(&place.run(&think));
    assert_eq!(report["positions"][0]["state"], text);
}

#[test]
fn lines_without_a_position_are_reported_and_the_others_analysed() {
    let place = Place::new();
    // In the last line a number stands before the tiles, the last of which is empty.
    let lines = "2,4,8/0,0,4/2,2,64\n2,4/x\n\n2,0,0/0,0,0/0,4,0\nnonsense\n7,2,4,8,0,0,4,2,2,\n";
    fs::write(place.path("p.csv"), lines).unwrap();
    let think = ["think", "--game", "2048(rows: 3, cols: 3)", "--agent", "rows"];
    let think = [&think[..], &["--states", "p.csv"]].concat();
    let analysed = place.run(&think);
    assert_snapshot!(place.printed(&analysed));
    let json = place.run(&[&think[..], &["--json"]].concat());
    assert_eq!(json.code, Some(1));
    let lines: Vec<_> = json.json()["refused"].as_array().unwrap().clone();
    let numbers: Vec<_> = lines.iter().map(|line| line["line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [2, 5, 6]);
    assert_eq!(json.json()["positions"].as_array().unwrap().len(), 2);
    // Games do not begin from a file with such lines.
    let eval = ["eval", "--game", "2048(rows: 3, cols: 3)", "--agent", "random", "--games", "2"];
    let refused = place.run(&[&eval[..], &["--starts", "p.csv"]].concat());
    expect_usage_error(&refused, &["p.csv, line 2"]);
}

#[test]
fn files_that_are_no_positions_are_refused_with_what_is_accepted() {
    let place = Place::new();
    let think = ["think", "--game", "2048(rows: 3, cols: 3)", "--agent", "rows"];
    let refused = |bytes: &[u8]| {
        fs::write(place.path("p.csv"), bytes).unwrap();
        let refused = place.run(&[&think[..], &["--states", "p.csv"]].concat());
        assert_eq!(refused.code, Some(1), "{refused:?}");
        refused.err
    };
    let position = "2,4,8/0,0,4/2,2,64";
    let utf16: Vec<_> = format!("\u{feff}{position}").encode_utf16().collect();
    let mut told = String::new();
    for encode in [u16::to_le_bytes, u16::to_be_bytes] {
        let marked: Vec<u8> = utf16.iter().copied().flat_map(encode).collect();
        told += &(refused(&marked) + &refused(&marked[2..]));
    }
    told += &refused(&[format!("{position}\n").as_bytes(), b"position f\xfcr sp\xe4ter"].concat());
    // A position over two lines, and positions without the quotes that they need.
    told += &refused(b"position,choice\n\"2,4,8/0,0,4/\n2,2,64\",up\n");
    told += &refused(format!("position,choice\n{position},up\n").as_bytes());
    assert_snapshot!(told);
}

#[test]
fn random_numbers_are_those_of_the_position() {
    let place = Place::new();
    let states = ["2,4,8/0,0,4/2,2,64", "2,0,0/0,0,0/0,4,0"];
    let think = ["think", "--game", "2048(rows: 3, cols: 3)", "--json", "--threads", "1"];
    let think = [&think[..], &["--agent", "mcts(simulations: 50)"]].concat();
    let values = |words: &[&str]| expect_json(&place.run(&[&think[..], words].concat()));
    fs::write(place.path("p.csv"), [states[0], states[1], states[0]].join("\n")).unwrap();
    let many = values(&["--states", "p.csv"])["positions"].clone();
    for (line, state) in [(0, states[0]), (1, states[1]), (2, states[0])] {
        assert_eq!(many[line]["values"], values(&["--state", state])["values"], "{line}");
    }
    assert_ne!(many[0]["values"], values(&["--state", states[0], "--seed", "7"])["values"]);
}
