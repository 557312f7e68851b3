//! Score against training, from measured figures.

use crate::canvas::{Align, BLUE, Canvas, GREEN, GREY, INK, ORANGE};

/// Moves in units of 10^9 and mean score, one point a line.
const LONG_TRAINING: &str = include_str!("../../data/long-training.tsv");
/// The last position of a game of `expectimax(depth: 4, distinct: 4, min_probability: 0.001)`.
const LAST_POSITION: &str = include_str!("../../data/last-position.txt");

/// Mean score of the untrained search in the README.
const UNTRAINED: f64 = 222_073.0;
/// The trained network in searches, after 10^10 moves.
const SEARCHES: [(&str, f64); 3] =
    [("2 plies", 298_869.0), ("3 plies", 322_513.0), ("50 ms a move", 360_593.0)];

fn points() -> Vec<(f64, f64)> {
    let lines = LONG_TRAINING.lines().filter(|line| !line.starts_with('#'));
    let number = |text: &str| text.parse::<f64>().expect("the file holds numbers");
    lines.filter_map(|line| line.split_once('\t')).map(|(x, y)| (number(x), number(y))).collect()
}

/// Where the chart lies on its canvas.
struct Frame {
    left: f64,
    top: f64,
    width: f64,
    height: f64,
}

impl Frame {
    const MOST_MOVES: f64 = 10.0;
    const MOST_POINTS: f64 = 400_000.0;

    fn at(&self, (moves, score): (f64, f64)) -> (f64, f64) {
        let x = self.left + self.width * moves / Self::MOST_MOVES;
        (x, self.top + self.height * (1.0 - score / Self::MOST_POINTS))
    }

    fn draw(&self, out: &mut Canvas) {
        let right = self.left + self.width;
        for k in 0..=4 {
            let score = 100_000.0 * f64::from(k);
            let y = self.at((0.0, score)).1;
            out.line((self.left, y), (right, y), "#e4e4e4", 1.0);
            let label = if k == 0 { "0".to_owned() } else { format!("{}k", score / 1000.0) };
            out.text(self.left - 8.0, y + 4.0, Align::End, GREY, &label);
        }
        for moves in [0.0, 2.0, 4.0, 6.0, 8.0, 10.0] {
            let (x, y) = self.at((moves, 0.0));
            out.line((x, y), (x, y + 5.0), GREY, 1.0);
            let label = if moves == 0.0 { "0".to_owned() } else { format!("{moves}G") };
            out.text(x, y + 20.0, Align::Middle, GREY, &label);
        }
        let (middle, bottom) = (self.left + self.width / 2.0, self.top + self.height);
        out.text(middle, bottom + 40.0, Align::Middle, INK, "moves of training");
        out.text(self.left - 44.0, self.top - 12.0, Align::Start, INK, "mean score, 2048");

        let y = self.at((0.0, UNTRAINED)).1;
        out.dashes((self.left, y), (right, y), ORANGE);
        out.text(self.left + 8.0, y - 7.0, Align::Start, ORANGE, "expectimax, no training");
        let curve: Vec<_> = points().into_iter().map(|point| self.at(point)).collect();
        out.polyline(&curve, BLUE, 2.5);
        curve.iter().for_each(|&(x, y)| out.dot(x, y, 3.0, BLUE, BLUE));
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
    Frame { left: 64.0, top: 34.0, width: 660.0, height: 280.0 }.draw(&mut out);
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
    Frame { left: 350.0, top: 34.0, width: 480.0, height: 226.0 }.draw(&mut out);
    out.svg()
}
