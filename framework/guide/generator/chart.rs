//! The pictures that are drawn from figures: score against training. The other pictures are
//! hand-made files.

use super::recipes::{self, Score};
use runner_play::brief;
use runner_plot::{Curves, Line, Mark, Marks, Plot, TickLabels};

/// Moves in units of 10^9 and mean score, one point a line.
const LONG_TRAINING: &str = include_str!("../data/long-training.tsv");
/// Game, player, predicted chance, and share of the positions whose games reached the tile.
const RELIABILITY: &str = include_str!("../data/reliability.tsv");
/// Mean score of `expectimax(depth: 4, distinct: 4, min_probability: 0.001)`.
const UNTRAINED: f64 = 222_073.0;
/// The trained network in searches, after 10^10 moves.
const SEARCHES: [(&str, f64); 3] =
    [("2 plies", 298_869.0), ("3 plies", 322_513.0), ("50 ms a move", 360_593.0)];

pub fn training() -> String {
    let mark = |(name, y): (&str, f64)| {
        Marks::new(format!("tc-ntuple, {name}"), vec![Mark { x: 10.0, y, interval: None }])
    };
    let untrained = vec![(0.0, UNTRAINED), (10.0, UNTRAINED)];
    let plot = Plot {
        x: "moves of training in units of 10^9".into(),
        y: "mean score in points".into(),
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

/// Score against the logarithm of the moves of training, for each recipe and number of plies.
pub fn recipes() -> String {
    let of = |plies| {
        recipes::scores().into_iter().filter(move |score| score.plies == plies && score.is_ours())
    };
    let place = |score: &Score| (score.moves.log10(), score.mean);
    let curve =
        |(plies, name)| Curves::new(name, vec![of(plies).map(|score| place(&score)).collect()]);
    let mut marks: Vec<Marks> = Vec::new();
    for score in recipes::scores() {
        let (x, y) = place(&score);
        let mark = Mark { x, y, interval: score.interval };
        // The legend has the names of our curves.
        let name = if score.is_ours() { String::new() } else { score.recipe };
        match marks.iter_mut().find(|group| group.name == name) {
            Some(group) => group.marks.push(mark),
            None => marks.push(Marks::new(name, vec![mark])),
        }
    }
    let plot = Plot {
        title: vec!["2048 with 1 ply, below, and with 3 plies".into()],
        x: "moves of training".into(),
        y: "mean score in points".into(),
        curves: [(1, "runner, 1 ply"), (3, "runner, 3 plies")].map(curve).into(),
        marks,
        x_label: Some(TickLabels::At(|x| format!("10^{x}"))),
        in_place: true,
        ..Plot::default()
    };
    plot.svg().expect("the figures can be drawn")
}

/// How often games reached a tile, against the chance that the table predicts.
pub fn reliability() -> String {
    let mut marks: Vec<Marks> = Vec::new();
    for line in RELIABILITY.lines().filter(|line| !line.starts_with('#')) {
        let columns: Vec<_> = line.split('\t').collect();
        let name = format!("{}, {}", columns[0], brief::words(&columns[1].parse().unwrap()));
        let percent = |text: &str| 100.0 * text.parse::<f64>().expect("the file holds numbers");
        let mark = Mark { x: percent(columns[2]), y: percent(columns[3]), interval: None };
        match marks.iter_mut().find(|group| group.name == name) {
            Some(group) => group.marks.push(mark),
            None => marks.push(Marks::new(name, vec![mark])),
        }
    }
    let plot = Plot {
        x: "predicted chance in percent".into(),
        y: "tile reached, in percent".into(),
        curves: vec![Curves::new("exact", vec![vec![(0.0, 0.0), (100.0, 100.0)]])],
        marks,
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
