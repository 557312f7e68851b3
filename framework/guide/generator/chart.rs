//! The picture that is drawn from measured figures: score against training. The other pictures are
//! hand-made files.

use runner_plot::{Curves, Line, Mark, Plot};

/// Moves in units of 10^9 and mean score, one point a line.
const LONG_TRAINING: &str = include_str!("../data/long-training.tsv");
/// Mean score of `expectimax(depth: 4, distinct: 4, min_probability: 0.001)`.
const UNTRAINED: f64 = 222_073.0;
/// The trained network in searches, after 10^10 moves.
const SEARCHES: [(&str, f64); 3] =
    [("2 plies", 298_869.0), ("3 plies", 322_513.0), ("50 ms a move", 360_593.0)];

pub fn training() -> String {
    let mark = |(name, y): (&str, f64)| {
        (format!("tc-ntuple, {name}"), vec![Mark { x: 10.0, y, interval: None }])
    };
    let untrained = vec![(0.0, UNTRAINED), (10.0, UNTRAINED)];
    let plot = Plot {
        x: "moves of training in units of 10^9".into(),
        y: "mean score, 2048".into(),
        curves: vec![
            Curves::new("tc-ntuple, 1 ply", vec![points()]),
            Curves::new("expectimax, no training", vec![untrained]),
        ],
        marks: SEARCHES.map(mark).into(),
        in_place: true,
        ..Plot::default()
    };
    plot.svg().expect("the figures can be drawn")
}

fn points() -> Line {
    let lines = LONG_TRAINING.lines().filter(|line| !line.starts_with('#'));
    let number = |text: &str| text.parse::<f64>().expect("the file holds numbers");
    lines.filter_map(|line| line.split_once('\t')).map(|(x, y)| (number(x), number(y))).collect()
}
