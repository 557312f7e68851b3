//! The picture that is drawn from measured figures: score against training. The other pictures are
//! hand-made files.

use crate::canvas::{Align, BLUE, Canvas, GREEN, GREY, INK, ORANGE};

/// Moves in units of 10^9 and mean score, one point a line.
const LONG_TRAINING: &str = include_str!("../data/long-training.tsv");
/// The last position of a game of `expectimax(depth: 4, distinct: 4, min_probability: 0.001)`.
const LAST_POSITION: &str = include_str!("../data/last-position.txt");

/// Mean score of the untrained search.
const UNTRAINED: f64 = 222_073.0;
/// The trained network in searches, after 10^10 moves.
const SEARCHES: [(&str, f64); 3] =
    [("2 plies", 298_869.0), ("3 plies", 322_513.0), ("50 ms a move", 360_593.0)];

/// The chart's place on the canvas, and the ends of its axes.
const LEFT: f64 = 350.0;
const TOP: f64 = 34.0;
const WIDTH: f64 = 480.0;
const HEIGHT: f64 = 226.0;
const MOST_MOVES: u32 = 10;
const MOST_POINTS: u32 = 400_000;

/// A board from a real game beside the curve of a long training.
pub fn training() -> String {
    let mut out = Canvas::new(860.0, 320.0);
    let row = |row: &str| row.split(',').map(|cell| cell.parse().expect("a tile")).collect();
    let rows: Vec<Vec<u64>> = LAST_POSITION.trim().split('/').map(row).collect();
    out.board(24.0, 24.0, 60.0, &rows);
    out.text(144.0, 290.0, Align::Middle, GREY, "the end of a game without training");
    draw_axes(&mut out);
    let right = LEFT + WIDTH;
    let y = at((0.0, UNTRAINED)).1;
    out.dashes((LEFT, y), (right, y), ORANGE);
    out.text(LEFT + 8.0, y - 7.0, Align::Start, ORANGE, "expectimax, no training");
    let curve: Vec<_> = points(LONG_TRAINING).into_iter().map(at).collect();
    out.polyline(&curve, BLUE, 2.5);
    curve.iter().for_each(|&(x, y)| out.dot(x, y, 3.0, BLUE));
    let (x, y) = at((3.0, 174_800.0));
    out.text(x + 10.0, y + 22.0, Align::Start, BLUE, "tc-ntuple, 1 ply");
    for (name, score) in SEARCHES {
        let (x, y) = at((10.0, score));
        out.dot(x, y, 4.0, GREEN);
        out.label(x - 10.0, y + 4.0, Align::End, GREEN, name);
    }
    out.svg()
}

fn points(file: &str) -> Vec<(f64, f64)> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    let number = |text: &str| text.parse::<f64>().expect("the file holds numbers");
    lines.filter_map(|line| line.split_once('\t')).map(|(x, y)| (number(x), number(y))).collect()
}

/// The place of a number of moves, in units of 10^9, and a score.
fn at((moves, score): (f64, f64)) -> (f64, f64) {
    let x = LEFT + WIDTH * moves / f64::from(MOST_MOVES);
    (x, TOP + HEIGHT * (1.0 - score / f64::from(MOST_POINTS)))
}

fn draw_axes(out: &mut Canvas) {
    for score in (0..=MOST_POINTS).step_by(100_000) {
        let y = at((0.0, f64::from(score))).1;
        out.line((LEFT, y), (LEFT + WIDTH, y), "#e4e4e4", 1.0);
        let label = if score == 0 { "0".to_owned() } else { format!("{}k", score / 1000) };
        out.text(LEFT - 8.0, y + 4.0, Align::End, GREY, &label);
    }
    for moves in (0..=MOST_MOVES).step_by(2) {
        let (x, y) = at((f64::from(moves), 0.0));
        out.line((x, y), (x, y + 5.0), GREY, 1.0);
        let label = if moves == 0 { "0".to_owned() } else { format!("{moves}G") };
        out.text(x, y + 20.0, Align::Middle, GREY, &label);
    }
    out.text(LEFT + WIDTH / 2.0, TOP + HEIGHT + 40.0, Align::Middle, INK, "moves of training");
    out.text(LEFT - 44.0, TOP - 12.0, Align::Start, INK, "mean score, 2048");
}
