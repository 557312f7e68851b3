//! Tests of `runner plot`: charts of the files that other commands write.

use crate::harness::place::Place;
use std::fs;

/// Writes the document of an evaluation with its scores.
#[track_caller]
fn evaluate(place: &Place, game: &str, agent: &str, file: &str) {
    let eval = format!("eval --game '{game}' --games 30 --json --scores --agent '{agent}'");
    fs::write(place.path(file), place.done(eval).out).unwrap();
}

/// Runs `plot`, and returns the chart.
#[track_caller]
fn plot(place: &Place, line: &str, out: &str) -> String {
    place.done(format!("plot {line} --out {out}"));
    String::from_utf8_lossy(&fs::read(place.path(out)).unwrap()).into_owned()
}

/// Returns the texts of a chart; one that is wrapped is whole again.
fn texts(svg: &str) -> String {
    let is_text = |line: &&str| !line.starts_with('<') && !line.ends_with("/>");
    svg.lines().filter(is_text).collect::<Vec<_>>().join(" ")
}

#[test]
fn evaluations_are_drawn_with_their_names() {
    let place = Place::new();
    evaluate(&place, "2048", "random", "random.json");
    evaluate(&place, "2048", "greedy", "greedy.json");
    for (kind, axis) in [("scores", "score"), ("rates", "tile"), ("tournament", "time per move")] {
        let out = format!("{kind}.svg");
        let svg = plot(&place, &format!("{kind} random.json greedy.json"), &out);
        for part in ["<svg", axis, "random", "greedy"] {
            assert!(svg.contains(part), "{kind}: {part}: {svg}");
        }
    }
    let rates = "plot rates greedy.json ./greedy.json --title 'Figure\u{1b}1' --out titled.svg";
    let titled = place.done(rates);
    assert!(titled.err.contains("./greedy.json is given twice"), "{titled:?}");
    let titled = place.text("titled.svg");
    assert!(titled.contains("Figure\\u{1b}1") && titled.contains("128"), "{titled}");
    assert!(!titled.contains("(greedy.json)") && !titled.contains('\u{1b}'), "{titled}");
}

#[test]
fn tournament_is_drawn_from_its_folder() {
    let place = Place::new();
    let games = "'2048(rows: 3, cols: 3)' threes";
    place.done(format!("tournament --game {games} --agent random greedy --games 4 --out t"));
    for kind in ["scores", "rates", "tournament"] {
        let svg = plot(&place, &format!("{kind} t"), &format!("{kind}.svg"));
        // With several games, each player is named with its game.
        assert!(
            texts(&svg).contains("random, threes") && svg.contains("greedy, 2048"),
            "{kind}: {svg}"
        );
    }
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
    // Two threads may find the same best play with both seeds.
    place.done("experiment e.ron --out e --threads 1");
    for kind in ["scores", "rates", "tournament"] {
        let svg = plot(&place, &format!("{kind} e"), &format!("{kind}.svg"));
        assert!(svg.contains("slow, 1-ply, 2 seeds") && !svg.contains("seed 1"), "{kind}: {svg}");
        assert_eq!(svg.contains("<polygon"), kind == "scores", "{svg}");
        let each = plot(&place, &format!("{kind} e --each"), &format!("{kind}-each.svg"));
        assert!(each.contains("slow, 1-ply, seed 1") && each.contains("seed 2"), "{kind}: {each}");
    }
    // Experiments of before kept no scores.
    let lines = place.text("e/results.jsonl");
    let without = lines.lines().map(|line| match line.find(",\"quantiles\":") {
        Some(at) => format!("{}}}\n", &line[..at]),
        None => format!("{line}\n"),
    });
    fs::write(place.path("e/results.jsonl"), without.collect::<String>()).unwrap();
    let refused = place.sh("plot scores e --out a.svg");
    assert!(refused.error().contains("lacks the scores of its games"), "{refused:?}");
    assert!(!place.path("a.svg").exists());
}

/// Trains a learner on a small board in two parts, each of which ends with a point of the curve,
/// and returns the name of the curve.
#[track_caller]
fn train(place: &Place, game: &str, agent: &str, seed: u32) -> String {
    let name = format!("{}.model", place.names().len());
    let train = format!("train --game '{game}' --agent {agent} --seed {seed} --model {name}");
    place.done(format!("{train} --moves 200k"));
    place.done(format!("{train} --moves 400k --resume"));
    format!("{name}.curve.jsonl")
}

#[test]
fn curves_of_one_learner_are_drawn_with_their_mean_and_its_interval() {
    let place = Place::new();
    let game = "2048(rows: 2, cols: 2)";
    let [first, second, third] = [1, 2, 3].map(|seed| train(&place, game, "td-ntuple", seed));
    let one = plot(&place, &format!("curve {first}"), "one.svg");
    assert!(texts(&one).contains("2048(rows: 2, cols: 2)") && one.contains("seed 1"), "{one}");
    assert!(one.contains("mean score") && !one.contains("<polygon"), "{one}");
    let all = plot(&place, &format!("curve {first} {second} {third}"), "all.svg");
    for part in ["td-ntuple, 3 trainings", "3 trainings, the mean and its 95% interval"] {
        assert!(texts(&all).contains(part), "{part}: {all}");
    }
    assert!(all.contains("<polygon"), "{all}");
    // The mean, and with --each the three.
    let each = plot(&place, &format!("curve {first} {second} {third} --each"), "each.svg");
    let lines = |svg: &str| svg.matches("<polyline").count();
    assert_eq!(lines(&each), lines(&all) + 3);
    // A copy of a curve is no further training.
    fs::copy(place.path(&first), place.path("copy.jsonl")).unwrap();
    let once = place.done(format!("plot curve {first} {first} copy.jsonl --out copy.svg"));
    assert_eq!(once.err.matches("it is drawn once").count(), 2, "{once:?}");
    assert!(once.err.contains("copy.jsonl holds the training of"), "{once:?}");
    assert_eq!(place.text("copy.svg"), one);
    let titled = plot(&place, &format!("curve {first} --title 'Figure 1'"), "titled.svg");
    assert!(titled.contains("Figure 1") && !titled.contains("seed 1"), "{titled}");
    // A model is no curve, but has one.
    let refused = place.sh("plot curve 0.model --out c.svg");
    assert_eq!(refused.error(), "0.model: a model; its curve is 0.model.curve.jsonl");
    // Only the other charts take folders.
    let refused = place.sh("plot curve . --out c.svg");
    let says = ". is a folder; name a curve, FILE.curve.jsonl, which `runner train` writes";
    assert!(refused.code == Some(2) && refused.error().starts_with(says), "{refused:?}");
    let names_folders =
        |kind: &str| place.done(format!("plot {kind} --help")).out.contains("its folder");
    assert!(!names_folders("curve") && names_folders("scores"));
}

#[test]
fn curves_of_different_learners_are_apart_and_those_of_different_games_refused() {
    let place = Place::new();
    let game = "2048(rows: 2, cols: 2)";
    let td = train(&place, game, "td-ntuple", 1);
    let tc = train(&place, game, "tc-ntuple", 1);
    let svg = plot(&place, &format!("curve {td} {tc}"), "two.svg");
    for part in ["Trainings in 2048", "td-ntuple: training", "tc-ntuple: training"] {
        assert!(svg.contains(part), "{part}: {svg}");
    }
    assert!(!svg.contains("<polygon") && svg.contains("#C8501E"), "{svg}");
    let other = train(&place, "2048(rows: 2, cols: 3)", "td-ntuple", 1);
    let refused = place.sh(format!("plot curve {td} {other} --out games.svg"));
    assert!(refused.error().contains("plot the curves of each game in another chart"));
}

#[test]
fn players_have_whole_and_different_names() {
    let place = Place::new();
    let (small, smaller) = ("2048(rows: 2, cols: 3)", "2048(rows: 2, cols: 2)");
    evaluate(&place, small, "expectimax(depth: 1)", "one.json");
    evaluate(&place, small, "expectimax(depth: 2)", "two.json");
    let svg = plot(&place, "rates one.json two.json", "depths.svg");
    // Only what differs from the defaults is shown.
    assert!(svg.contains("\nexpectimax(depth: 1)\n") && !svg.contains("threads"), "{svg}");
    evaluate(&place, smaller, "expectimax(depth: 1)", "three.json");
    let svg = plot(&place, "rates one.json three.json", "games.svg");
    assert!(texts(&svg).contains("expectimax(depth: 1), 2048(rows: 2, cols: 3)"), "{svg}");
    evaluate(&place, small, "expectimax(depth: 1)", "four.json");
    let svg = plot(&place, "rates one.json four.json", "files.svg");
    assert!(texts(&svg).contains("expectimax(depth: 1) (four.json)"), "{svg}");
}
