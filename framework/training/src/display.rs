//! What shows the progress of a training: a panel on a terminal, or a line.

use super::panel::{Panel, SMALLEST};
use super::point::TOUCHED;
use runner_console::colors::Look;
use runner_console::notes::note;
use runner_console::progress::ProgressLine;
use runner_core::{TrainingBudget, TrainingProgress, catch};
use runner_spec::quantity::{counted, number, rate, time};
use std::time::Duration;

/// Maximum number of points of the sparkline.
const POINTS: usize = 20;
/// Tiles are left out before the sparkline gets shorter than this.
const FEW_POINTS: usize = 8;
/// Maximum number of tiles in the line.
const TILES: usize = 3;
/// Tiles that a smaller share of the games reached are left out.
const MIN_RATE: f64 = 0.01;
/// Maximum number of points of the curve.
const CURVE: usize = 400;

/// The place of a training among those of its command.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// Its number, from 0.
    pub index: u64,
    /// The number of trainings.
    pub count: u64,
}

impl Place {
    /// The place of a training that is the only one.
    pub const ONLY: Self = Self { index: 0, count: 1 };
}

/// Shows the progress of a training.
pub struct Display {
    /// Budget of this training, from its start.
    budget: TrainingBudget,
    /// Progress of the learner at the start.
    before: TrainingProgress,
    tiles: Vec<u64>,
    place: Place,
    line: ProgressLine,
    /// Mean scores, one for each equal part of the budget.
    means: Vec<f64>,
    /// Moves of the learner and mean scores.
    curve: Vec<(f64, f64)>,
    look: Look,
}

impl Display {
    /// Shows a training with this budget that starts at the progress `before`. If standard
    /// error is no terminal, lines are printed only if `plain` is set.
    pub fn new(
        budget: TrainingBudget,
        before: TrainingProgress,
        tiles: &[u64],
        place: Place,
        plain: bool,
    ) -> Self {
        let (line, tiles) = (ProgressLine::new(plain), tiles.to_vec());
        let (means, curve, look) = (Vec::new(), Vec::new(), Look::of_environment());
        Self { budget, before, tiles, place, line, means, curve, look }
    }

    /// Shows the learner's progress if it is time to. A panic meanwhile ends the display and not
    /// the training.
    pub fn update(&mut self, now: &TrainingProgress) {
        if self.line.is_due() {
            self.guarded(|display| display.show(now));
        }
    }

    fn guarded(&mut self, show: impl FnOnce(&mut Self)) {
        if let Err(fault) = catch(|| show(self)) {
            self.line = ProgressLine::hidden();
            note(format!(
                "warning: the training continues without its display, which failed: {fault}"
            ));
        }
    }

    fn show(&mut self, now: &TrainingProgress) {
        match self.line.terminal() {
            Some((columns, rows)) if columns >= SMALLEST.0 && rows >= SMALLEST.1 => {
                let lines = self.panel(now, columns, rows);
                self.line.show_lines(&lines);
            }
            _ => {
                let text = self.text(now, self.line.columns());
                self.line.show(&text);
            }
        }
    }

    /// Returns the lines for a terminal of this size.
    fn panel(&mut self, now: &TrainingProgress, columns: usize, rows: usize) -> Vec<String> {
        let done = now.since(&self.before);
        if now.window > 0 && now.mean.is_finite() {
            self.curve.push((now.moves as f64, now.mean));
        }
        if self.curve.len() > CURVE {
            let mut number = 0;
            self.curve.retain(|_| {
                number += 1;
                number % 2 == 1
            });
        }
        let mut facts = Vec::new();
        if self.place.count > 1 {
            facts.push(format!("seed {} of {}", self.place.index + 1, self.place.count));
        }
        let left = time_left(&self.budget, &done, self.place);
        facts.extend(left.map(|left| format!("{} left", time(left))));
        facts.push(speed(&done));
        facts.push(counted(now.moves, "move"));
        facts.push(counted(now.episodes, "game"));
        facts.extend(results(now));
        let touched = now.figure(TOUCHED);
        facts.extend(touched.map(|share| format!("weights touched {:.1}%", 100.0 * share)));
        facts.extend(figures(now));
        let rates = common(reached(now, &self.tiles));
        Panel { facts, curve: &self.curve, rates: &rates }.lines(columns, rows, self.look)
    }

    /// Returns the line, in at most this many columns if the terminal has 80.
    fn text(&mut self, now: &TrainingProgress, columns: usize) -> String {
        let done = now.since(&self.before);
        let share = self.budget.share(&done);
        let due = ((share * POINTS as f64) as usize + 1).min(POINTS);
        while self.means.len() < due && now.window > 0 {
            self.means.push(now.mean);
        }
        let mut line = match self.place.count {
            1 => String::new(),
            count => format!("seed {} of {count}: ", self.place.index + 1),
        };
        if let Some(left) = time_left(&self.budget, &done, self.place) {
            line += &format!("{} left, ", time(left));
        }
        line += &speed(&done);
        for text in results(now).chain(figures(now).take(1)) {
            line += &format!(", {text}");
        }
        let columns = columns.saturating_sub(1);
        line += &self.tile_rates(now, columns.saturating_sub(line.chars().count() + 1));
        let room = columns.saturating_sub(line.chars().count() + 1).min(POINTS);
        let last = &self.means[self.means.len().saturating_sub(room)..];
        match self.line.terminal().is_some() && !self.look.unicode {
            true => line,
            false => format!("{line} {}", sparkline(last)),
        }
    }

    /// Returns the rates of the largest tiles that leave room for a few points.
    fn tile_rates(&self, now: &TrainingProgress, columns: usize) -> String {
        let rates = common(reached(now, &self.tiles));
        let end = rates.len();
        let texts = (0..=TILES.min(end)).rev().map(|count| rates_text(&rates[end - count..]));
        let fits = |text: &String| text.chars().count() + FEW_POINTS <= columns;
        texts.into_iter().find(fits).unwrap_or_default()
    }
}

/// Returns the moves per second.
fn speed(done: &TrainingProgress) -> String {
    rate(done.moves as f64 / done.elapsed.as_secs_f64().max(1e-9))
}

/// Returns the results of the last games.
fn results(now: &TrainingProgress) -> impl Iterator<Item = String> {
    let mean = (now.window > 0).then(|| format!("mean {}", number(now.mean.round())));
    let best = (now.max_tile() > 0).then(|| format!("best {}", now.max_tile()));
    mean.into_iter().chain(best)
}

/// Returns the figures of the learner, without those that are shown in another way.
fn figures(now: &TrainingProgress) -> impl Iterator<Item = String> {
    let shown = now.series.iter().filter(|(name, _)| name != TOUCHED);
    shown.map(|(name, figure)| format!("{name} {}", number(*figure)))
}

/// Returns the rates up to that of the last tile that is not rare.
fn common(mut rates: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    let last = rates.iter().rposition(|&(_, rate)| rate >= MIN_RATE);
    rates.truncate(last.map_or(0, |last| last + 1));
    rates
}

/// Returns the rates of some tiles as text.
fn rates_text(rates: &[(u64, f64)]) -> String {
    let rates = rates.iter().map(|(tile, rate)| format!(" {tile}: {:.0}%", 100.0 * rate));
    let rates: String = rates.collect();
    if rates.is_empty() { rates } else { format!(",{rates}") }
}

/// Returns the time left to this training and those after it; `None` at the beginning.
fn time_left(budget: &TrainingBudget, done: &TrainingProgress, place: Place) -> Option<Duration> {
    let share = budget.share(done);
    let by_share = (share > 0.0).then(|| done.elapsed.as_secs_f64() * (1.0 - share) / share);
    let by_share = by_share.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    let by_clock = budget.time.map(|time| time.saturating_sub(done.elapsed));
    let left = by_share.into_iter().chain(by_clock).min()?;
    // Those after it take as long as it does.
    let each = left.saturating_add(done.elapsed);
    let others = u32::try_from(place.count - 1 - place.index).unwrap_or(u32::MAX);
    Some(left.saturating_add(each.saturating_mul(others)))
}

/// Returns the share of the last games that reached each tile, without those that none
/// reached: a game reaches all tiles up to its max tile.
pub fn reached(now: &TrainingProgress, tiles: &[u64]) -> Vec<(u64, f64)> {
    let rate = |least: u64| {
        let reached = now.ended.iter().filter(|&&(tile, _)| tile >= least);
        let games: f64 = reached.map(|&(_, games)| games as f64).sum();
        games / now.window.max(1) as f64
    };
    tiles.iter().map(|&tile| (tile, rate(tile))).filter(|&(_, rate)| rate > 0.0).collect()
}

/// Returns a curve in one line of text, scaled to its lowest and highest point.
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
    fn sparkline_spans_from_its_lowest_to_its_highest_point() {
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

    #[test]
    fn line_fits_80_columns_and_does_not_count_earlier_trainings() {
        let budget = TrainingBudget { moves: Some(10_000_000_000), ..TrainingBudget::default() };
        let before = after(3600, 1_000_000_000);
        let tiles: Vec<u64> = (1..=17).map(|k| 1 << k).collect();
        let mut display = Display::new(budget, before, &tiles, Place::ONLY, false);
        for step in 0..10 {
            let now = after(3600 + 200 * step, 1_000_000_000 + 500_000_000 * step);
            display.text(&TrainingProgress { window: 1000, mean: 1e5 + step as f64, ..now }, 80);
        }
        let now = TrainingProgress {
            window: 1000,
            mean: 123_456.7,
            ended: vec![(2048, 600), (8192, 350), (16_384, 49), (32_768, 1)],
            ..after(5600, 6_000_000_000)
        };
        let line = display.text(&now, 80);
        // Half of the moves took 2000 seconds. One game in a thousand reached 32768, too few
        // for a rate; of the other tiles two fit.
        let start = "33m 20s left, 2.50 M/s, mean 123,457, best 32768, 8192: 40% 16384: 5% ";
        assert!(line.starts_with(start), "{line}");
        assert!(line.chars().count() < 80, "{line}");
        assert!(line.ends_with('█'), "{line}");
        let place = Place { index: 1, count: 3 };
        let line = Display { place, ..display }.text(&now, 80);
        // The third training takes as long as the second.
        assert!(line.starts_with("seed 2 of 3: 1h 40m left, "), "{line}");
        assert!(line.chars().count() < 80, "{line}");
    }

    #[test]
    fn a_panic_of_the_display_ends_the_display_alone() {
        let budget = TrainingBudget::default();
        let before = TrainingProgress::default();
        let mut display = Display::new(budget, before, &[2, 4], Place::ONLY, true);
        display.line = ProgressLine::due();
        assert!(display.line.is_due());
        display.guarded(|_| panic!("the curve went wrong"));
        assert!(!display.line.is_due());
    }

    #[test]
    fn odd_reports_of_a_learner_are_drawn() {
        let budget = TrainingBudget { moves: Some(1000), ..TrainingBudget::default() };
        let tiles: Vec<u64> = (1..=17).map(|k| 1 << k).collect();
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -f64::MAX, 0.0, 5e-324];
        let mut display =
            Display::new(budget, TrainingProgress::default(), &tiles, Place::ONLY, false);
        for (step, &mean) in odd.iter().chain(&odd).enumerate() {
            let elapsed = if step % 3 == 0 { Duration::MAX } else { Duration::ZERO };
            let moves = if step % 2 == 0 { u64::MAX } else { 0 };
            let series =
                vec![("a".repeat(200), mean), (TOUCHED.into(), mean), (String::new(), mean)];
            let now = TrainingProgress {
                moves,
                episodes: moves,
                elapsed,
                mean,
                window: 1 + moves / 2,
                series,
                ended: vec![(0, u64::MAX), (moves, u64::MAX), (u64::MAX, moves)],
            };
            for (columns, rows) in [(40, 10), (41, 11), (80, 24), (300, 100), (1000, 10)] {
                let lines = display.panel(&now, columns, rows);
                assert!(lines.len() < rows, "{columns} x {rows}: {}", lines.len());
                display.text(&now, columns);
            }
        }
    }

    #[test]
    fn time_left_follows_from_the_clock_or_the_moves() {
        let left =
            |budget: &TrainingBudget, done: TrainingProgress| time_left(budget, &done, Place::ONLY);
        let (time, moves) = (Some(Duration::from_secs(100)), Some(1000));
        let clock = TrainingBudget { time, ..TrainingBudget::default() };
        assert_eq!(left(&clock, after(30, 5)), Some(Duration::from_secs(70)));
        let count = TrainingBudget { moves, ..TrainingBudget::default() };
        assert_eq!(left(&count, after(30, 0)), None);
        assert_eq!(left(&count, after(30, 250)), Some(Duration::from_secs(90)));
        let both = TrainingBudget { time, moves, ..clock };
        assert_eq!(left(&both, after(10, 500)), Some(Duration::from_secs(10)));
        let first = time_left(&count, &after(30, 250), Place { index: 0, count: 3 });
        assert_eq!(first, Some(Duration::from_secs(90 + 2 * 120)));
    }
}
