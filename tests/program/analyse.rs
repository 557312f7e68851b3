//! Tests of `runner analyse`: a recorded game in the opinion of a player.

use crate::harness::place::Place;
use serde_json::Value;
use std::fs;

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
    let other = place.json(&analyse);
    assert!(other["matches"].as_u64().unwrap() < moves(&other));
    let worst: Vec<_> = other["worst"].as_array().unwrap().iter().flat_map(Value::as_u64).collect();
    let loss = |number: u64| other["moves"][number as usize - 1]["loss"].as_f64().unwrap();
    assert_eq!(worst.len(), 10);
    let largest = (1..=moves(&other)).map(loss).fold(0.0, f64::max);
    assert_eq!(loss(worst[0]), largest);
    assert!(worst.is_sorted_by(|&a, &b| loss(a) >= loss(b)));
    let text = place.done(&analyse).out;
    assert!(text.contains("matches") && text.contains("position"), "{text}");
    assert!(text.contains("unit of losses  rating, not points"), "{text}");
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
fn luck_is_that_of_the_evaluation_of_the_same_game() {
    let place = Place::new();
    let game = "--game '2048(rows: 2, cols: 3)'";
    place.done(format!("solve {game} --out table"));
    let exact = "'exact(model: \"table\")'";
    let eval = format!("eval {game} --agent greedy --games 3");
    let evaluated = place.json(format!("{eval} --luck {exact} --scores"));
    place.done(format!("{eval} --records a.rec"));
    for number in 0..3 {
        let analyse = format!("analyse a.rec --agent {exact} --game-number {number}");
        let analysed = place.json(analyse)["luck"]["total"].as_f64().unwrap();
        let luck = evaluated["scores"][number]["luck"].as_f64().unwrap();
        assert!((analysed - luck).abs() < 1e-6 * luck.abs().max(1.0), "{analysed} {luck}");
    }
}

#[test]
fn grades_are_those_of_a_judge_that_expects_points() {
    let place = Place::new();
    let game = "--game '2048(rows: 2, cols: 3)'";
    place.done(format!("solve {game} --out table"));
    let exact = "'exact(model: \"table\")'";
    for (agent, is_perfect) in [(exact, true), ("random", false)] {
        place.done(format!("eval {game} --agent {agent} --games 1 --records a.rec --force"));
        let report = place.json(format!("analyse a.rec --agent {exact}"));
        assert_eq!(report["accuracy"].as_f64() == Some(100.0), is_perfect, "{report}");
        let grades = report["grades"].as_object().unwrap();
        assert_eq!(grades.values().filter_map(Value::as_u64).sum::<u64>(), moves(&report));
    }
    let text = place.done(format!("analyse a.rec --agent {exact}")).out;
    for word in ["accuracy", "inaccuracies", "blunders", "grade"] {
        assert!(text.contains(word), "{text}");
    }
}

#[test]
fn games_as_text_are_read_and_refused_at_their_line() {
    let place = Place::new();
    let start = "0,0,0,0/0,0,0,0/0,0,0,0/2,2,0,0";
    let boards = [start, "2,0,0,0/0,0,0,0/0,0,0,0/4,0,0,0", "0,0,0,4/0,0,0,0/2,0,0,0/4,0,0,0"];
    let analyse = |lines: &str| {
        fs::write(place.path("game.txt"), lines).unwrap();
        "analyse game.txt --game 2048 --agent rows"
    };
    let of_boards = place.json(analyse(&format!("# a game\n\n{}\n", boards.join("\n"))));
    let of_moves = place.json(analyse(&format!("\u{feff}{start}\nleft 2@1,1\nD 4@1,4")));
    let of_both = place.json(analyse(&format!("{start}\nleft {}\n{}", boards[1], boards[2])));
    assert_eq!((&of_boards, &of_boards), (&of_moves, &of_both));
    let actions = of_moves["moves"].as_array().unwrap().iter().map(|made| made["action"].clone());
    assert_eq!(actions.collect::<Vec<_>>(), ["left", "down"]);
    assert_eq!((moves(&of_moves), of_moves["score"].as_f64()), (2, Some(4.0)));
    // The chances of large tiles are those of the player that judges.
    assert!(of_moves["moves"][0]["chances"].is_null());
    let by_trained = place.json("analyse game.txt --game 2048 --agent trained");
    let chances = by_trained["moves"][0]["chances"].as_array().unwrap();
    assert!(chances.len() == 2 && chances[0]["chance"].as_f64() > Some(0.0), "{chances:?}");
    for (lines, words) in [
        (format!("{start}\n{}", boards[2]), ["line 2", "no move and new tile lead here"]),
        (format!("{start}\n{start}"), ["line 2", "no move and new tile lead here"]),
        (format!("{start}\n\nleft 8@1,1"), ["line 3", "no 8 can enter in row 1, column 1"]),
        (format!("{start}\nleft 2@4,1"), ["line 2", "no 2 can enter"]),
        (format!("{start}\nleft 2@9,1"), ["line 2", "there is no row 9"]),
        (format!("{start}\nleft 2@x"), ["line 2", "`2@x` is no tile"]),
        (format!("{start}\ndown 2@1,1"), ["line 2", "`down` is not legal"]),
        (format!("{start}\nleap 2@1,1"), ["line 2", "each line is a position, or a move"]),
        ("2,3".to_owned(), ["line 1", "the position is not one of 2048"]),
        ("# nothing".to_owned(), ["game.txt", "there is no game in it"]),
    ] {
        let ran = place.sh(analyse(&lines));
        let message = ran.error();
        assert_eq!(ran.code, Some(2), "{message}");
        assert!(words.iter().all(|word| message.contains(word)), "{lines}: {message}");
    }
}
