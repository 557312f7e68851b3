//! Tests of the table, with results that are too wide for it.

use super::{
    EvaluationRecord, Experiment, ExperimentRecord, ExperimentResults, Records, TrainingRecord,
};
use runner_spec::read_document;
use runner_stats::{Scores, TileRate};

const EXPERIMENT: &str = r#"(
    title: "Wide",
    source: "a paper",
    seeds: 3,
    tiles: [2048, 4096, 8192, 16384, 32768, 65536],
    configurations: [(
        name: "a configuration with a long name",
        agent: tc-ntuple,
        moves: 5,
        evaluations: [(name: "sixteen letters.", games: 9)],
        paper: {"sixteen letters.": (mean: 1234567, plus_minus: 123456, maximum: 1500000,
            rates: {65536: 99.9, 2048: 100})},
    )],
)"#;

/// Returns the result of a training with this mean score, which reached 65536 in half of its
/// games.
fn record(seed: u64, mean: f64) -> ExperimentRecord {
    let tile = |tile, rate| TileRate { tile, ended: 1, reached: 1, rate, ci95: [0.1, 0.9] };
    ExperimentRecord::Evaluation(EvaluationRecord {
        configuration: "a configuration with a long name".into(),
        seed,
        evaluation: "sixteen letters.".into(),
        agent: "x".into(),
        games: 9,
        moves: 90,
        seconds: 2.0,
        threads: 1,
        faults: 0,
        score: Scores {
            mean: Some(mean),
            ci95: Some([mean - 1.0, mean + 1.0]),
            ..Scores::default()
        },
        maximum: Some(1_400_000.0),
        tiles: vec![tile(2048, 1.0), tile(65536, 0.5)],
        quantiles: Vec::new(),
    })
}

fn results(records: Vec<ExperimentRecord>) -> ExperimentResults {
    let experiment: Experiment = read_document(EXPERIMENT).unwrap();
    ExperimentResults::new(&experiment, &Records(records), &[], false)
}

#[test]
fn table_fits_80_columns_with_as_many_tiles_as_fit() {
    let table = results((1..=3).map(|seed| record(seed, 1e6 + 1e5 * seed as f64)).collect());
    let table = table.report().to_string();
    assert!(table.lines().all(|line| line.chars().count() <= 80), "{table}");
    for expected in
        ["1,200,000", "1,111,111 to 1,358,023", "max of 100", "65,536", "99.9%", "50.0%"]
    {
        assert!(table.contains(expected), "{expected}: {table}");
    }
    assert!(!table.contains("2,048"), "the smallest tiles are left out: {table}");
    assert!(table.contains("training: 0 of 3 done"), "{table}");
}

#[test]
fn figures_of_trainings_are_their_means() {
    let training = |seed, series: [(&str, f64); 2]| {
        ExperimentRecord::Training(TrainingRecord {
            configuration: "a configuration with a long name".into(),
            seed,
            agent: "x".into(),
            moves: 5,
            episodes: 1,
            seconds: 1.0,
            threads: 1,
            mean: None,
            max_tile: 4,
            series: series.map(|(name, figure)| (name.to_owned(), figure)).into(),
            model: "x.model".into(),
        })
    };
    let one = training(1, [("entered stage 1", 3.0), ("entered stage 2", 8.0)]);
    let two = training(2, [("entered stage 3", 4.0), ("entered stage 2", 6.0)]);
    let table = results(vec![one, two]).report().to_string();
    // The lines are wrapped.
    let text = table.split_whitespace().collect::<Vec<_>>().join(" ");
    let listed = "entered stage 1 3; entered stage 2 7; entered stage 3 4";
    assert!(text.contains(listed), "{table}");
}

#[test]
fn configurations_are_compared_with_the_first() {
    let text = EXPERIMENT.replace(
        "configurations: [(",
        "configurations: [(name: \"first\", agent: tc-ntuple, moves: 5, evaluations: [(name: \"sixteen \
         letters.\", games: 9)]), (",
    );
    let experiment: Experiment = read_document(&text).unwrap();
    let compared = |means: [[f64; 3]; 2]| {
        let mut records = Vec::new();
        for (configuration, means) in
            ["first", "a configuration with a long name"].iter().zip(means)
        {
            for (mean, seed) in means.into_iter().zip(1..) {
                let ExperimentRecord::Evaluation(evaluation) = record(seed, mean) else { continue };
                let configuration = (*configuration).to_owned();
                records.push(ExperimentRecord::Evaluation(EvaluationRecord {
                    configuration,
                    ..evaluation
                }));
            }
        }
        let results = ExperimentResults::new(&experiment, &Records(records), &[], false);
        let text = results.report().to_string();
        assert!(text.lines().all(|line| line.chars().count() <= 80), "{text}");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    let far = compared([[100.0, 110.0, 120.0], [300.0, 310.0, 320.0]]);
    let says = "Differences of mean scores from those of first: a configuration with a long name, sixteen \
                letters.: +200, 95% interval +177 to +223: they differ";
    assert!(far.contains(says), "{far}");
    let near = compared([[100.0, 110.0, 120.0], [105.0, 115.0, 125.0]]);
    let says = ": not known to differ; a difference of this size takes about 86 seeds of each";
    assert!(near.contains("+5, 95% interval -18 to +28") && near.contains(says), "{near}");
}

#[test]
fn interval_is_that_of_the_trainings_or_of_the_games_of_the_only_one() {
    let text = |records| serde_json::to_value(results(records)).unwrap();
    let evaluation = |records: Vec<ExperimentRecord>| {
        text(records)["configurations"][0]["evaluations"][0].clone()
    };
    let one = evaluation(vec![record(2, 7.0)]);
    assert_eq!((&one["interval"], &one["ci95"][0]), (&"games".into(), &6.0.into()));
    let two = evaluation(vec![record(1, 7.0), record(2, 9.0)]);
    assert_eq!((&two["interval"], &two["mean"]), (&"trainings".into(), &8.0.into()));
    let half = 8.0 - two["ci95"][0].as_f64().unwrap();
    assert!((half - 12.706).abs() < 1e-3, "{two}");
    assert_eq!(two["tiles"][1]["rate"], 0.5);
    // A seed that is not part of the experiment does not count.
    assert_eq!(evaluation(vec![record(2, 7.0), record(4, 9.0)])["mean"], 7.0);
    let none = evaluation(Vec::new());
    assert!(none["mean"].is_null() && none["ci95"].is_null() && none["interval"].is_null());
    // Every seed reached 2048 in all of its 9 games: 18 of 18, not a rate without an error.
    assert_eq!(two["tiles"][0]["ci95"][1], 1.0);
    assert!((two["tiles"][0]["ci95"][0].as_f64().unwrap() - 18.0 / 21.8415).abs() < 1e-4, "{two}");
}

#[test]
fn nine_games_of_one_training_are_called_too_few_for_an_interval() {
    let table = results(vec![record(2, 7.0)]).report().to_string();
    assert!(table.contains("(6 to 8)") && table.contains("fewer than ten games"), "{table}");
}
