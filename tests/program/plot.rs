//! Tests of `runner plot`: charts of the files that other commands write.

use crate::harness::expect_usage_error;
use crate::harness::place::Place;
use std::fs;

/// Writes the document of an evaluation with its scores.
#[track_caller]
fn evaluate(place: &Place, agent: &str, file: &str) {
    let eval = ["eval", "--game", "2048", "--games", "30", "--json", "--scores", "--agent", agent];
    let played = place.run(&eval);
    assert_eq!(played.code, Some(0), "{played:?}");
    fs::write(place.path(file), played.out).unwrap();
}

/// Runs `plot`, and returns the chart.
#[track_caller]
fn plot(place: &Place, words: &[&str], out: &str) -> String {
    let plotted = place.run(&[&["plot"], words, &["--out", out]].concat());
    assert_eq!(plotted.code, Some(0), "{plotted:?}");
    String::from_utf8_lossy(&fs::read(place.path(out)).unwrap()).into_owned()
}

#[test]
fn evaluations_are_drawn_with_their_names() {
    let place = Place::new();
    evaluate(&place, "random", "random.json");
    evaluate(&place, "greedy", "greedy.json");
    for (kind, axis) in [("scores", "score"), ("rates", "tile"), ("tournament", "time per move")] {
        let out = format!("{kind}.svg");
        let svg = plot(&place, &[kind, "random.json", "greedy.json"], &out);
        for part in ["<svg", axis, "random", "greedy"] {
            assert!(svg.contains(part), "{kind}: {part}: {svg}");
        }
    }
    let titled = plot(&place, &["rates", "greedy.json", "--title", "Figure 1"], "titled.svg");
    assert!(titled.contains("Figure 1") && titled.contains("128"), "{titled}");
    let png = plot(&place, &["scores", "greedy.json"], "scores.png");
    assert!(png.contains("PNG"), "{png}");
}

#[test]
fn tournament_is_drawn_from_its_folder() {
    let place = Place::new();
    let words = ["tournament", "--games", "2048(rows: 3, cols: 3)", "threes", "--agents", "random"];
    let played = place.run(&[&words[..], &["greedy", "--rounds", "4", "--out", "t"]].concat());
    assert_eq!(played.code, Some(0), "{played:?}");
    for kind in ["scores", "rates", "tournament"] {
        let svg = plot(&place, &[kind, "t"], &format!("{kind}.svg"));
        // With several games, each player is named with its game.
        assert!(svg.contains("random, threes") && svg.contains("greedy, 2048"), "{kind}: {svg}");
    }
}

#[test]
fn changed_line_of_a_tournament_is_named_and_not_drawn() {
    let place = Place::new();
    let words = ["tournament", "--games", "2048(rows: 3, cols: 3)", "--agents", "random", "greedy"];
    let played = place.run(&[&words[..], &["--rounds", "4", "--out", "t"]].concat());
    assert_eq!(played.code, Some(0), "{played:?}");
    let text = place.text("t/results.jsonl");
    let third = text.lines().nth(2).unwrap();
    let (edited, doubled) =
        (third.replacen("\"score\":", "\"score\":9", 1), format!("{third}\n{third}"));
    for (line, whys) in [
        (edited.as_str(), ["line 3", "checksum mismatch"]),
        ("{\"game\":\"2048\",\"agent\":\"random\",\"score\":7}", ["line 3", "checksum"]),
        (&doubled, ["is there twice", "remove"]),
    ] {
        fs::write(place.path("t/results.jsonl"), text.replacen(third, line, 1)).unwrap();
        let refused = place.run(&["plot", "scores", "t", "--out", "a.svg"]);
        assert_eq!(refused.code, Some(1), "{refused:?}");
        for why in ["results.jsonl", whys[0], whys[1]] {
            assert!(refused.error().contains(why), "{why}: {refused:?}");
        }
        assert!(!place.path("a.svg").exists());
    }
    // An incomplete last line belongs to a tournament that runs.
    fs::write(place.path("t/results.jsonl"), format!("{text}{{\"game\":\"20")).unwrap();
    plot(&place, &["scores", "t"], "a.svg");
}

#[test]
fn evaluations_of_an_experiment_are_drawn_from_its_folder() {
    let place = Place::new();
    let experiment = r#"(
        title: "Two rates",
        game: 2048(rows: 2, cols: 2),
        seeds: 2,
        evaluations: [(name: "1-ply", games: 20)],
        configurations: [(name: "slow", agent: td-ntuple, moves: 20k)],
    )"#;
    fs::write(place.path("e.ron"), experiment).unwrap();
    let done = place.run(&["experiment", "e.ron", "--out", "e"]);
    assert_eq!(done.code, Some(0), "{done:?}");
    for kind in ["rates", "tournament"] {
        let svg = plot(&place, &[kind, "e"], &format!("{kind}.svg"));
        assert!(svg.contains("slow, 1-ply, seed 1") && svg.contains("seed 2"), "{kind}: {svg}");
    }
    let scores = place.run(&["plot", "scores", "e", "--out", "a.svg"]);
    assert!(scores.code == Some(1) && scores.error().contains("scores of its games"), "{scores:?}");
    let text = place.text("e/results.jsonl");
    let edited = text.replacen("\"moves\":", "\"moves\":1", 1);
    fs::write(place.path("e/results.jsonl"), edited).unwrap();
    let refused = place.run(&["plot", "rates", "e", "--out", "a.svg"]);
    assert!(refused.code == Some(1) && refused.error().contains("line 1"), "{refused:?}");
    assert!(refused.error().contains("checksum mismatch"), "{refused:?}");
    assert!(!place.path("a.svg").exists());
}

#[test]
fn curves_of_several_trainings_are_drawn() {
    let place = Place::new();
    for (seed, model) in [("1", "a.model"), ("2", "b.model")] {
        let train = ["train", "--game", "2048(rows: 2, cols: 2)", "--agent", "td-ntuple"];
        let words = ["--moves", "500k", "--seed", seed, "--model", model];
        let trained = place.run(&[&train[..], &words].concat());
        assert_eq!(trained.code, Some(0), "{trained:?}");
    }
    let svg = plot(&place, &["curve", "a.model.curve.jsonl", "b.model.curve.jsonl"], "two.svg");
    assert!(svg.contains("mean score") && svg.contains("moves"), "{svg}");
    let missing = place.run(&["plot", "curve", "c.jsonl", "--out", "c.svg"]);
    assert!(missing.code == Some(1) && missing.error().contains("c.jsonl"), "{missing:?}");
}

#[test]
fn wrong_files_are_refused_with_the_reason() {
    let place = Place::new();
    evaluate(&place, "random", "a.json");
    let run = |words: &[&str]| place.run(&[&["plot"], words].concat());
    expect_usage_error(&run(&["rates", "a.json", "--out", "a.jpg"]), &[".svg or .png"]);
    fs::write(place.path("old.svg"), "kept").unwrap();
    expect_usage_error(&run(&["rates", "a.json", "--out", "old.svg"]), &["--force"]);
    assert_eq!(place.text("old.svg"), "kept");
    plot(&place, &["rates", "a.json", "--force"], "old.svg");
    let plain =
        place.run(&["eval", "--game", "2048", "--agent", "random", "--games", "2", "--json"]);
    fs::write(place.path("plain.json"), plain.out).unwrap();
    let lacking = run(&["scores", "plain.json", "--out", "b.svg"]);
    assert!(lacking.code == Some(1) && lacking.error().contains("--scores"), "{lacking:?}");
    fs::write(place.path("list.json"), "a shopping list").unwrap();
    let foreign = run(&["rates", "list.json", "--out", "b.svg"]);
    assert!(foreign.code == Some(1) && foreign.error().contains("list.json"), "{foreign:?}");
    let line = run(&["curve", "a.json", "--out", "b.svg"]);
    assert!(line.code == Some(1) && line.error().contains("line 1"), "{line:?}");
    assert!(!place.path("b.svg").exists());
}
