//! The line that shows a training.

use crate::progress::Progress as Line;
use runner_core::{TrainingBudget, TrainingProgress};
use runner_spec::quantity::{number, rate, time};
use std::time::{Duration, Instant};

/// How often the display changes.
const TICK: Duration = Duration::from_millis(250);
/// How many points the sparkline has at most.
const POINTS: usize = 20;
/// It is not cut shorter than this for the sake of tiles.
const FEW_POINTS: usize = 8;
/// How many tiles are told at most.
const TILES: usize = 3;
/// A tile that fewer games reached says nothing yet.
const LEAST: f64 = 0.01;

/// The line that shows a training.
pub struct Display {
    budget: TrainingBudget,
    before: TrainingProgress,
    tiles: Vec<u64>,
    line: Line,
    shown: Option<Instant>,
    curve: Vec<f64>,
}

impl Display {
    /// Shows a training with this budget, of a learner that had done this much
    /// before, in a game with these tiles. `plain` is whether it does so where
    /// there is no terminal.
    pub fn new(
        budget: TrainingBudget,
        before: TrainingProgress,
        tiles: &[u64],
        plain: bool,
    ) -> Self {
        let line = if plain { Line::new() } else { Line::on_terminals() };
        Self { budget, before, tiles: tiles.to_vec(), line, shown: None, curve: Vec::new() }
    }

    /// Shows what the learner has done, if it is time to.
    pub fn update(&mut self, now: &TrainingProgress) {
        if self.shown.is_some_and(|shown| shown.elapsed() < TICK) {
            return;
        }
        self.shown = Some(Instant::now());
        let text = self.text(now);
        self.line.show(&text);
    }

    fn text(&mut self, now: &TrainingProgress) -> String {
        let done = now.since(&self.before);
        let share = self.budget.share(&done);
        // One point for each equal part of the budget.
        let due = ((share * POINTS as f64) as usize + 1).min(POINTS);
        while self.curve.len() < due && now.window > 0 {
            self.curve.push(now.mean);
        }
        let seconds = done.elapsed.as_secs_f64();
        let mut line = match left(&self.budget, &done) {
            Some(left) => format!("{} left, ", time(left)),
            None => String::new(),
        };
        line += &rate(done.moves as f64 / seconds.max(1e-9));
        if now.window > 0 {
            line += &format!(", mean {}", number(now.mean.round()));
        }
        if now.max_tile > 0 {
            line += &format!(", best {}", now.max_tile);
        }
        let rates = reached(now, &self.tiles);
        let end = rates.iter().rposition(|&(_, rate)| rate >= LEAST).map_or(0, |last| last + 1);
        let told = (0..=TILES.min(end)).rev().map(|count| told(&rates[end - count..end]));
        let fits = |told: &String| {
            line.chars().count() + told.chars().count() + 1 + FEW_POINTS <= Line::COLUMNS
        };
        line += &told.into_iter().find(fits).unwrap_or_default();
        let room = Line::COLUMNS.saturating_sub(line.chars().count() + 1).min(POINTS);
        let last = &self.curve[self.curve.len().saturating_sub(room)..];
        format!("{line} {}", sparkline(last))
    }
}

/// The rates of some tiles, ascending.
fn told(rates: &[(u64, f64)]) -> String {
    let rates = rates.iter().map(|(tile, rate)| format!(" {tile}: {:.0}%", 100.0 * rate));
    let rates: String = rates.collect();
    if rates.is_empty() { rates } else { format!(",{rates}") }
}

/// The time that is left, or will be as things go; unknown at the beginning.
fn left(budget: &TrainingBudget, done: &TrainingProgress) -> Option<Duration> {
    let share = budget.share(done);
    let by_share = (share > 0.0).then(|| done.elapsed.as_secs_f64() * (1.0 - share) / share);
    let by_share = by_share.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    match budget.time.map(|time| time.saturating_sub(done.elapsed)) {
        Some(left) => Some(by_share.map_or(left, |other| other.min(left))),
        None => by_share,
    }
}

/// Of the last games, the share that reached each tile: a tile or a greater one
/// was the greatest.
pub fn reached(now: &TrainingProgress, tiles: &[u64]) -> Vec<(u64, f64)> {
    let mut count = 0;
    let mut rates: Vec<_> = (tiles.iter().zip(&now.ended).rev())
        .map(|(&tile, &ended)| {
            count += u64::from(ended);
            (tile, count as f64 / now.window.max(1) as f64)
        })
        .filter(|&(_, rate)| rate > 0.0)
        .collect();
    rates.reverse();
    rates
}

/// A curve in one line of text.
fn sparkline(points: &[f64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let low = points.iter().copied().fold(f64::INFINITY, f64::min);
    let high = points.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let bar = |x: &f64| BARS[((x - low) / (high - low).max(1e-9) * 7.0).round() as usize];
    points.iter().map(bar).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sparkline_spans_from_its_lowest_to_its_highest_point() {
        assert_eq!(sparkline(&[1.0, 8.0, 4.5]), "▁█▅");
        assert_eq!(sparkline(&[]), "");
        // A flat curve has no height to divide by.
        assert_eq!(sparkline(&[3.0, 3.0]), "▁▁");
    }

    fn after(seconds: u64, moves: u64) -> TrainingProgress {
        TrainingProgress {
            moves,
            elapsed: Duration::from_secs(seconds),
            ..TrainingProgress::default()
        }
    }

    /// A learner that had learned for an hour, in the middle of another.
    #[test]
    fn the_line_fits_and_tells_of_this_training_alone() {
        let budget = TrainingBudget { moves: Some(10_000_000_000), ..TrainingBudget::default() };
        let before = after(3600, 1_000_000_000);
        let tiles: Vec<u64> = (1..=17).map(|k| 1 << k).collect();
        let mut display = Display::new(budget, before, &tiles, false);
        for step in 0..10 {
            let now = after(3600 + 200 * step, 1_000_000_000 + 500_000_000 * step);
            display.text(&TrainingProgress { window: 1000, mean: 1e5 + step as f64, ..now });
        }
        let mut now = TrainingProgress {
            window: 1000,
            mean: 123_456.7,
            max_tile: 32_768,
            ..after(5600, 6_000_000_000)
        };
        (now.ended[10], now.ended[12], now.ended[13], now.ended[14]) = (600, 350, 49, 1);
        let line = display.text(&now);
        // Half of the moves took 2000 seconds. One game in a thousand reached 32768,
        // which is too few to be told beside the best tile; of the others there is
        // room for two.
        let told = "33m 20s left, 2.50 M/s, mean 123,457, best 32768, 8192: 40% 16384: 5% ";
        assert!(line.starts_with(told), "{line}");
        assert!(line.chars().count() <= Line::COLUMNS, "{line}");
        assert!(line.ends_with('█'), "{line}");
    }

    #[test]
    fn the_time_left_is_known_or_follows_from_the_moves() {
        let (time, moves) = (Some(Duration::from_secs(100)), Some(1000));
        let clock = TrainingBudget { time, ..TrainingBudget::default() };
        assert_eq!(left(&clock, &after(30, 5)), Some(Duration::from_secs(70)));
        let count = TrainingBudget { moves, ..TrainingBudget::default() };
        assert_eq!(left(&count, &after(30, 0)), None);
        assert_eq!(left(&count, &after(30, 250)), Some(Duration::from_secs(90)));
        assert_eq!(
            left(&TrainingBudget { time, moves, ..clock }, &after(10, 500)).unwrap().as_secs(),
            10
        );
    }
}
