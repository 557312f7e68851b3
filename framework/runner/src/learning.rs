//! A learner without a model learns before it plays, before one's eyes; what it
//! learned is kept, and found again the next time.

use crate::failure::Failure;
use crate::interrupt;
use crate::notes::note;
use crate::progress::Progress as Line;
use crate::quantity::{grouped, number, rate, time};
use crate::setting::Setting;
use runner_core::{Budget, Control, Learner, Progress, Session};
use runner_files::{self as files, FileError};
use runner_plugin::{DynValue, data_folder};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the display changes.
const TICK: Duration = Duration::from_millis(250);
/// How many points the sparkline has.
const POINTS: usize = 20;

/// Loads the learner's model, or lets it learn for a while and saves what it
/// learned. Returns the time that it took.
pub fn prepare(
    learner: &DynValue,
    setting: &Setting,
    budget: Duration,
) -> Result<Duration, Failure> {
    let began = Instant::now();
    let path = model_path(setting)?;
    if path.exists() {
        learner.load(&[&path])?;
        note(format!("model: {}", path.display()));
        return Ok(began.elapsed());
    }
    interrupt::listen();
    let done = train(learner, setting, budget)?;
    save(learner, &path)?;
    note(format!(
        "learned for {}: {} moves in {} games; model: {}",
        time(done.elapsed),
        grouped(done.moves),
        grouped(done.episodes),
        path.display()
    ));
    if interrupt::asked() {
        return Err(Failure::Interrupted("the model is saved; the same command plays it".into()));
    }
    Ok(began.elapsed())
}

fn train(learner: &DynValue, setting: &Setting, budget: Duration) -> Result<Progress, Failure> {
    let display = Mutex::new(Display::new(budget));
    let report = |progress: &Progress| {
        display.lock().unwrap_or_else(PoisonError::into_inner).update(progress);
        if interrupt::asked() { Control::Stop } else { Control::Continue }
    };
    let budget = Budget { time: Some(budget), ..Budget::default() };
    let session = Session {
        budget,
        plan: budget,
        seed: setting.seed,
        host: &setting.services,
        report: &report,
    };
    Ok(learner.train(&*setting.game.rules, &session)?)
}

/// Writes the model, whole or not at all.
fn save(learner: &DynValue, path: &Path) -> Result<(), Failure> {
    if let Some(folder) = path.parent() {
        std::fs::create_dir_all(folder).map_err(FileError::at("create", folder))?;
    }
    let form = full_form(learner)?;
    files::replace_by(path, |beside| Ok(learner.save(beside, &form)?))
}

/// The name of the form that holds all that learning takes.
fn full_form(learner: &DynValue) -> Result<String, Failure> {
    let form = learner.forms().into_iter().next();
    Ok(form.ok_or_else(|| Failure::failed("this learner names no form to be saved in"))?.name)
}

/// Where the model of this player of this game is kept: named after both, and by
/// a checksum of all their parameters.
fn model_path(setting: &Setting) -> Result<PathBuf, Failure> {
    let folder = data_folder().ok_or_else(|| {
        Failure::failed("no folder for models is known: set XDG_DATA_HOME or HOME")
    })?;
    let (game, player) = (&setting.game.spec, &setting.player.spec);
    let checksum = crc32fast::hash(format!("{game} {player}").as_bytes());
    let name = format!("{}-{}-{checksum:08x}.model", game.name(), player.name());
    Ok(folder.join("models").join(name))
}

/// The line that shows a training.
struct Display {
    budget: Duration,
    line: Line,
    shown: Option<Instant>,
    curve: Vec<f64>,
}

impl Display {
    fn new(budget: Duration) -> Self {
        Self { budget, line: Line::new(), shown: None, curve: Vec::new() }
    }

    fn update(&mut self, progress: &Progress) {
        if self.shown.is_some_and(|shown| shown.elapsed() < TICK) {
            return;
        }
        self.shown = Some(Instant::now());
        // One point for each equal part of the time.
        let part = progress.elapsed.as_secs_f64() / self.budget.as_secs_f64().max(1e-9);
        let due = ((part * POINTS as f64) as usize + 1).min(POINTS);
        while self.curve.len() < due && progress.window > 0 {
            self.curve.push(progress.mean);
        }
        let left = self.budget.saturating_sub(progress.elapsed);
        let speed = progress.moves as f64 / progress.elapsed.as_secs_f64().max(1e-9);
        let mut line = format!("{} left, {}", time(left), rate(speed));
        if progress.window > 0 {
            line += &format!(", mean {}", number(progress.mean.round()));
        }
        if progress.greatest_tile > 0 {
            line += &format!(", best {}", progress.greatest_tile);
        }
        self.line.show(&format!("{line} {}", sparkline(&self.curve)));
    }
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
}
