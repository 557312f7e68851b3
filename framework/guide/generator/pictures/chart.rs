//! Score against training, from measured figures.

use crate::canvas::{Align, BLUE, Canvas, GREEN, GREY, INK, ORANGE};

/// Moves in units of 10^9 and mean score, one point a line.
const LONG_TRAINING: &str = include_str!("../../data/long-training.tsv");
/// Moves in units of 10^6 and mean score, one point a line.
const ALPHA_ZERO: &str = include_str!("../../data/alpha-zero.tsv");
/// The last position of a game of `expectimax(depth: 4, distinct: 4, min_probability: 0.001)`.
const LAST_POSITION: &str = include_str!("../../data/last-position.txt");

/// Mean score of the untrained search in the README.
const UNTRAINED: f64 = 222_073.0;
/// The trained network in searches, after 10^10 moves.
const SEARCHES: [(&str, f64); 3] =
    [("2 plies", 298_869.0), ("3 plies", 322_513.0), ("50 ms a move", 360_593.0)];

fn points(file: &str) -> Vec<(f64, f64)> {
    let lines = file.lines().filter(|line| !line.starts_with('#'));
    let number = |text: &str| text.parse::<f64>().expect("the file holds numbers");
    lines.filter_map(|line| line.split_once('\t')).map(|(x, y)| (number(x), number(y))).collect()
}

/// Where a chart lies on its canvas, and what its axes show.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
    /// Moves at the right end, in units of `unit`.
    most_moves: f64,
    /// Moves between two labels.
    moves_step: f64,
    /// Letter of the unit.
    unit: char,
    /// Score at the top.
    most_points: f64,
}

impl Frame {
    /// The scales of the long training.
    fn of_long_training(left: f64, width: f64, height: f64) -> Self {
        let (most_moves, moves_step, unit, most_points) = (10.0, 2.0, 'G', 400_000.0);
        Self { left, top: 34.0, width, height, most_moves, moves_step, unit, most_points }
    }

    fn at(&self, (moves, score): (f64, f64)) -> (f64, f64) {
        let x = self.left + self.width * moves / self.most_moves;
        (x, self.top + self.height * (1.0 - score / self.most_points))
    }

    fn draw_axes(&self, out: &mut Canvas, score: &str) {
        let right = self.left + self.width;
        for k in 0..=4 {
            let score = self.most_points / 4.0 * f64::from(k);
            let y = self.at((0.0, score)).1;
            out.line((self.left, y), (right, y), "#e4e4e4", 1.0);
            let label = if k == 0 { "0".to_owned() } else { format!("{}k", score / 1000.0) };
            out.text(self.left - 8.0, y + 4.0, Align::End, GREY, &label);
        }
        for k in 0..=(self.most_moves / self.moves_step) as u32 {
            let moves = self.moves_step * f64::from(k);
            let (x, y) = self.at((moves, 0.0));
            out.line((x, y), (x, y + 5.0), GREY, 1.0);
            let label = if k == 0 { "0".to_owned() } else { format!("{moves}{}", self.unit) };
            out.text(x, y + 20.0, Align::Middle, GREY, &label);
        }
        let (middle, bottom) = (self.left + self.width / 2.0, self.top + self.height);
        out.text(middle, bottom + 40.0, Align::Middle, INK, "moves of training");
        out.text(self.left - 44.0, self.top - 12.0, Align::Start, INK, score);
    }

    fn draw_curve(&self, out: &mut Canvas, file: &str) {
        let curve: Vec<_> = points(file).into_iter().map(|point| self.at(point)).collect();
        out.polyline(&curve, BLUE, 2.5);
        curve.iter().for_each(|&(x, y)| out.dot(x, y, 3.0, BLUE, BLUE));
    }

    fn draw_long_training(&self, out: &mut Canvas) {
        self.draw_axes(out, "mean score, 2048");
        let right = self.left + self.width;
        let y = self.at((0.0, UNTRAINED)).1;
        out.dashes((self.left, y), (right, y), ORANGE);
        out.text(self.left + 8.0, y - 7.0, Align::Start, ORANGE, "expectimax, no training");
        self.draw_curve(out, LONG_TRAINING);
        let (x, y) = self.at((3.0, 174_800.0));
        out.text(x + 10.0, y + 22.0, Align::Start, BLUE, "tc-ntuple, 1 ply");
        for (name, score) in SEARCHES {
            let (x, y) = self.at((10.0, score));
            out.dot(x, y, 4.0, GREEN, GREEN);
            out.label(x - 10.0, y + 4.0, Align::End, GREEN, name);
        }
    }
}

/// The chart alone, for the results.
pub fn training() -> String {
    let mut out = Canvas::new(760.0, 380.0);
    Frame::of_long_training(64.0, 660.0, 280.0).draw_long_training(&mut out);
    out.svg()
}

/// The training of `alpha-zero`.
pub fn alpha_zero() -> String {
    let mut out = Canvas::new(760.0, 380.0);
    let frame = Frame {
        left: 64.0,
        top: 34.0,
        width: 660.0,
        height: 280.0,
        most_moves: 22.0,
        moves_step: 2.0,
        unit: 'M',
        most_points: 24_000.0,
    };
    frame.draw_axes(&mut out, "mean score of training games, 2048");
    frame.draw_curve(&mut out, ALPHA_ZERO);
    out.svg()
}

/// A board from a real game beside the chart.
pub fn readme() -> String {
    let mut out = Canvas::new(860.0, 320.0);
    let text = LAST_POSITION.trim();
    let row = |row: &str| row.split(',').map(|cell| cell.parse().expect("a tile")).collect();
    let rows: Vec<Vec<u64>> = text.split('/').map(row).collect();
    out.board(24.0, 24.0, 60.0, &rows);
    out.text(144.0, 290.0, Align::Middle, GREY, "the end of a game without training");
    Frame::of_long_training(350.0, 480.0, 226.0).draw_long_training(&mut out);
    out.svg()
}
