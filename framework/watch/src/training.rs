//! Shows trainings and their evaluations, each in a line.

use crate::colors::Look;
use runner_console::notes::note;
use runner_console::progress::ProgressLine;
use runner_core::{TrainingBudget, TrainingProgress, catch};
use runner_spec::quantity::{counted, number, rate, time};
use runner_training::{TrainingEvent, reached};
use std::time::Duration;

/// Maximum number of tiles in a line.
const TILES: usize = 3;
/// Tiles that a smaller share of the games reached are left out.
const MIN_RATE: f64 = 0.01;
/// Maximum number of points of the curve.
const CURVE: usize = 16;
/// The characters of the curve, by its height.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// Shows trainings, one after the other, and the evaluations of their learners.
pub struct TrainingDisplay {
    plain: bool,
    /// True if the terminal shows more than ASCII.
    unicode: bool,
    training: ProgressLine,
    evaluation: Option<ProgressLine>,
    /// Budget of the training that is shown, from its start.
    budget: TrainingBudget,
    /// Progress of its learner at the start.
    before: TrainingProgress,
    tiles: Vec<u64>,
    /// Mean scores at equal intervals.
    curve: Vec<f64>,
    /// Number of reports for each of them, and of those since the last one.
    interval: (usize, usize),
}

impl TrainingDisplay {
    /// Returns a display that shows nothing yet. If standard error is no terminal, the progress of
    /// a training is printed only if `plain` is set.
    pub fn new(plain: bool) -> Self {
        Self {
            plain,
            unicode: Look::of_environment().unicode,
            training: ProgressLine::hidden(),
            evaluation: None,
            budget: TrainingBudget::default(),
            before: TrainingProgress::default(),
            tiles: Vec::new(),
            curve: Vec::new(),
            interval: (1, 0),
        }
    }

    pub fn show(&mut self, event: TrainingEvent<'_>) {
        if !matches!(event, TrainingEvent::Evaluation(..)) {
            self.evaluation = None;
        }
        match event {
            TrainingEvent::Next(name) if self.plain => note(format!("{name}: training")),
            TrainingEvent::Next(_) => {}
            TrainingEvent::Begin { before, budget, tiles } => {
                self.training = ProgressLine::new(self.plain);
                (self.budget, self.before, self.tiles) = (budget, before.clone(), tiles.to_vec());
                (self.curve, self.interval) = (Vec::new(), (1, 0));
            }
            TrainingEvent::Progress(now) => self.guarded(|display| display.update(now)),
            TrainingEvent::Evaluation(name, progress) => {
                let line = self.evaluation.get_or_insert_with(|| ProgressLine::new(true));
                line.show_after(progress.elapsed, format_args!("{name}: {progress}"));
            }
            TrainingEvent::End => self.training = ProgressLine::hidden(),
            TrainingEvent::Note(text) => note(text),
        }
    }

    /// Shows something. A panic meanwhile ends the display and not the training.
    fn guarded(&mut self, show: impl FnOnce(&mut Self)) {
        if let Err(fault) = catch(|| show(self)) {
            self.training = ProgressLine::hidden();
            note(format!(
                "warning: the training continues without its display, which failed: {fault}"
            ));
        }
    }

    /// Shows the learner's progress if it is time to.
    fn update(&mut self, now: &TrainingProgress) {
        if self.training.is_due() {
            self.add(now);
            self.training.show(&self.text(now, self.training.columns()));
        }
    }

    /// Adds the mean score to the curve, of which every second point is left out when it is full.
    fn add(&mut self, now: &TrainingProgress) {
        let (each, since) = &mut self.interval;
        *since += 1;
        if *since < *each || now.window == 0 || !now.mean.is_finite() {
            return;
        }
        *since = 0;
        self.curve.push(now.mean);
        if self.curve.len() > CURVE {
            *each *= 2;
            self.curve = self.curve.iter().copied().step_by(2).collect();
        }
    }

    /// Returns the line, in fewer than this many columns.
    fn text(&self, now: &TrainingProgress, columns: usize) -> String {
        let mut line = String::new();
        for text in self.facts(now) {
            let joint = if line.is_empty() { "" } else { ", " };
            let used = line.chars().count() + joint.len() + text.chars().count();
            if used < columns {
                line += &format!("{joint}{text}");
            }
        }
        line
    }

    /// Returns the parts of the line, the most important one first.
    fn facts(&self, now: &TrainingProgress) -> Vec<String> {
        let mut facts = Vec::new();
        let done = now.since(&self.before);
        if let Some(left) = time_left(&self.budget, &done) {
            facts.push(format!("{} left", time(left)));
        }
        facts.push(rate(done.moves as f64 / done.elapsed.as_secs_f64().max(1e-9)));
        if now.window > 0 {
            facts.push(format!("mean {}", number(now.mean.round())));
        }
        if now.max_tile() > 0 {
            facts.push(format!("best {}", now.max_tile()));
        }
        if self.unicode && !self.curve.is_empty() {
            facts.push(sparkline(&self.curve));
        }
        for (tile, rate) in common(reached(now, &self.tiles)).iter().rev().take(TILES) {
            facts.push(format!("{tile}: {:.0}%", 100.0 * rate));
        }
        facts.extend([counted(now.moves, "move"), counted(now.episodes, "game")]);
        for (name, figure) in &now.series {
            facts.push(format!("{name} {}", number(*figure)));
        }
        facts
    }
}

/// Draws numbers as characters of different heights.
fn sparkline(numbers: &[f64]) -> String {
    let low = numbers.iter().copied().fold(f64::INFINITY, f64::min);
    let high = numbers.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    // Equal numbers have no height, and neither have those whose difference is not finite.
    let height = |number: f64| (7.0 * ((number - low) / (high - low))).round() as usize;
    numbers.iter().map(|&number| HEIGHTS[height(number)]).collect()
}

/// Returns the rates up to that of the last tile that is not rare.
fn common(mut rates: Vec<(u64, f64)>) -> Vec<(u64, f64)> {
    let last = rates.iter().rposition(|&(_, rate)| rate >= MIN_RATE);
    rates.truncate(last.map_or(0, |last| last + 1));
    rates
}

/// Returns the time left to a training; `None` at the beginning.
fn time_left(budget: &TrainingBudget, done: &TrainingProgress) -> Option<Duration> {
    let share = budget.share(done);
    let seconds = done.elapsed.as_secs_f64() * (1.0 - share) / share;
    let by_share = (share > 0.0).then(|| Duration::try_from_secs_f64(seconds).ok()).flatten();
    let by_clock = budget.time.map(|time| time.saturating_sub(done.elapsed));
    by_share.into_iter().chain(by_clock).min()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(seconds: u64, moves: u64) -> TrainingProgress {
        TrainingProgress {
            moves,
            elapsed: Duration::from_secs(seconds),
            ..TrainingProgress::default()
        }
    }

    fn shown(budget: TrainingBudget, before: &TrainingProgress) -> TrainingDisplay {
        let tiles: Vec<u64> = (1..=17).map(|k| 1 << k).collect();
        let mut display = TrainingDisplay::new(false);
        display.show(TrainingEvent::Begin { before, budget, tiles: &tiles });
        display
    }

    #[test]
    fn line_fits_80_columns_and_does_not_count_earlier_trainings() {
        let budget = TrainingBudget { moves: Some(10_000_000_000), ..TrainingBudget::default() };
        let training = shown(budget, &after(3600, 1_000_000_000));
        let now = TrainingProgress {
            window: 1000,
            mean: 123_456.7,
            ended: vec![(2048, 600), (8192, 350), (16_384, 49), (32_768, 1)],
            ..after(5600, 6_000_000_000)
        };
        // Half of the moves took 2000 seconds. One game in a thousand reached 32768, too few
        // for a rate; there is no room for the number of moves.
        let line = training.text(&now, 80);
        let expected = "33m 20s left, 2.50 M/s, mean 123,457, best 32768, 16384: 5%, 8192: 40%, ";
        assert!(line.starts_with(expected), "{line}");
        assert!(line.chars().count() < 80, "{line}");
    }

    #[test]
    fn a_panic_of_the_display_ends_the_display_alone() {
        let mut training = shown(TrainingBudget::default(), &TrainingProgress::default());
        training.training = ProgressLine::due();
        assert!(training.training.is_due());
        training.guarded(|_| panic!("the curve went wrong"));
        assert!(!training.training.is_due());
    }

    #[test]
    fn odd_reports_of_a_learner_are_drawn() {
        let budget = TrainingBudget { moves: Some(1000), ..TrainingBudget::default() };
        let odd = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY, f64::MAX, -f64::MAX, 0.0, 5e-324];
        let mut training = shown(budget, &TrainingProgress::default());
        for (step, &mean) in odd.iter().chain(&odd).enumerate() {
            let elapsed = if step % 3 == 0 { Duration::MAX } else { Duration::ZERO };
            let moves = if step % 2 == 0 { u64::MAX } else { 0 };
            let series = vec![("a".repeat(200), mean), (String::new(), mean)];
            let now = TrainingProgress {
                moves,
                episodes: moves,
                elapsed,
                mean,
                window: 1 + moves / 2,
                series,
                ended: vec![(0, u64::MAX), (moves, u64::MAX), (u64::MAX, moves)],
            };
            training.add(&now);
            for columns in [40, 80, 300] {
                let line = training.text(&now, columns);
                assert!(line.chars().count() < columns, "{columns}: {line}");
            }
        }
    }

    #[test]
    fn curve_covers_the_whole_training() {
        let mut training = shown(TrainingBudget::default(), &TrainingProgress::default());
        assert_eq!(sparkline(&[1.0, 3.0, 8.0]), "▁▃█");
        assert_eq!(sparkline(&[2.0, 2.0]), "▁▁");
        for step in 0..1000u32 {
            training.add(&TrainingProgress {
                window: 1,
                mean: step.into(),
                ..after(step.into(), 0)
            });
            assert!(training.curve.len() <= CURVE);
        }
        let steps: Vec<_> = training.curve.windows(2).map(|pair| pair[1] - pair[0]).collect();
        assert!(steps.iter().all(|step| *step == steps[0]), "{:?}", training.curve);
        assert!(training.curve[0] == 0.0 && training.curve[8] > 500.0, "{:?}", training.curve);
    }

    #[test]
    fn time_left_follows_from_the_clock_or_the_moves() {
        let left = |budget: &TrainingBudget, done: TrainingProgress| time_left(budget, &done);
        let (time, moves) = (Some(Duration::from_secs(100)), Some(1000));
        let clock = TrainingBudget { time, ..TrainingBudget::default() };
        assert_eq!(left(&clock, after(30, 5)), Some(Duration::from_secs(70)));
        let count = TrainingBudget { moves, ..TrainingBudget::default() };
        assert_eq!(left(&count, after(30, 0)), None);
        assert_eq!(left(&count, after(30, 250)), Some(Duration::from_secs(90)));
        let both = TrainingBudget { time, moves, ..clock };
        assert_eq!(left(&both, after(10, 500)), Some(Duration::from_secs(10)));
    }
}
