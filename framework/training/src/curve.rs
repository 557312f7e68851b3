//! The curve of a training: a file to which it appends points, each a JSON object on a line.

use super::evaluations::Evaluated;
use super::point::{Point, TrainingOrigin, finite_series, reached};
use runner_core::TrainingProgress;
use runner_files::{FileError, Lines, replace};
use runner_play::failure::Failure;
use runner_play::inputs::ReplacedInput;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Minimum share of the budget between two points.
const MIN_SHARE: f64 = 1.0 / 200.0;
/// Minimum training time between two points.
const MIN_PAUSE: Duration = Duration::from_millis(100);

/// A curve while it is written. Until [`begin`](Self::begin), points are only collected.
pub struct Curve {
    path: PathBuf,
    /// The file; `None` before `begin`.
    file: Option<File>,
    origin: TrainingOrigin,
    tiles: Vec<u64>,
    points: Vec<Point>,
    /// Share of the budget at the last point of this training, 0 to 1.
    last_share: f64,
    /// Training time of the learner at that point.
    last_time: Duration,
}

impl Curve {
    pub fn new(
        path: PathBuf,
        before: &TrainingProgress,
        origin: TrainingOrigin,
        tiles: &[u64],
    ) -> Self {
        Self {
            path,
            file: None,
            origin,
            tiles: tiles.to_vec(),
            points: Vec::new(),
            last_share: 0.0,
            last_time: before.elapsed,
        }
    }

    /// Continues the curve in the file, for a training that is resumed after this many moves.
    /// Later points, which a killed training wrote, are dropped.
    pub fn resume(&mut self, moves: u64, replaced: ReplacedInput<'_>) -> Result<(), Failure> {
        if moves > 0 {
            self.points = read(&self.path, moves)?;
        }
        let Some(first) = self.points.first_mut() else { return Ok(()) };
        if let Some(old) = &first.training
            && let Some(difference) = self.origin.inputs.difference_from(&old.inputs, replaced)
        {
            return Err(Failure::usage(format!(
                "{} is of another training: {difference}",
                self.path.display()
            )));
        }
        first.training = Some(self.origin.clone());
        Ok(())
    }

    /// Replaces the file by one with all points so far, and appends later points. Only the first
    /// call does something.
    pub fn begin(&mut self) -> Result<(), FileError> {
        if self.file.is_some() {
            return Ok(());
        }
        replace(&self.path, |file| {
            for point in &self.points {
                serde_json::to_writer(&mut *file, point)?;
                writeln!(file)?;
            }
            Ok(())
        })?;
        self.file = Some(runner_files::append(&self.path)?);
        Ok(())
    }

    /// Adds a point at `now`, unless the last one is too close. `share` is the share of the budget
    /// that this training has spent, 0 to 1.
    pub fn update(&mut self, share: f64, now: &TrainingProgress) -> Result<(), FileError> {
        let pause = now.elapsed.saturating_sub(self.last_time);
        if share - self.last_share < MIN_SHARE || pause < MIN_PAUSE {
            return Ok(());
        }
        (self.last_share, self.last_time) = (share, now.elapsed);
        self.add(now)
    }

    /// Adds the point at the end of the training, unless it is there.
    pub fn end(&mut self, now: &TrainingProgress) -> Result<(), FileError> {
        let is_known = |point: &Point| point.moves == now.moves && point.mean.is_some();
        if self.points.iter().rev().any(is_known) { Ok(()) } else { self.add(now) }
    }

    fn add(&mut self, now: &TrainingProgress) -> Result<(), FileError> {
        // No game has ended, so there is no mean.
        if now.window == 0 {
            return Ok(());
        }
        self.push(Point {
            mean: Some(now.mean).filter(|mean| mean.is_finite()),
            window: Some(now.window),
            reached: Some(reached(now, &self.tiles).into_iter().collect()),
            series: finite_series(now),
            ..Point::at(now)
        })
    }

    pub fn evaluation(
        &mut self,
        now: &TrainingProgress,
        result: &Evaluated,
    ) -> Result<(), FileError> {
        self.push(Point { evaluation: Some(result.clone()), ..Point::at(now) })
    }

    /// Adds a point. The first one of a file states the training.
    fn push(&mut self, mut point: Point) -> Result<(), FileError> {
        point.training = self.points.is_empty().then(|| self.origin.clone());
        if let Some(file) = &mut self.file {
            // A single write, so that a killed training leaves at most one incomplete line.
            let mut write = || {
                let mut line = serde_json::to_vec(&point)?;
                line.push(b'\n');
                file.write_all(&line)
            };
            write().map_err(FileError::at("write", &self.path))?;
        }
        self.points.push(point);
        Ok(())
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn points(&self) -> &[Point] {
        &self.points
    }
}

/// Reads the points of a file up to this many moves; none if there is no file. An incomplete last
/// line, which a killed training leaves, is skipped.
fn read(path: &Path, moves: u64) -> Result<Vec<Point>, Failure> {
    let mut points = Vec::new();
    for line in Lines::read_if_exists(path)?.objects::<Point>() {
        let (_, point) = line.map_err(|error| {
            Failure::failed(format!(
                "cannot continue the curve: {error}, or move the file away: then the curve begins \
                 where the training is resumed"
            ))
        })?;
        if point.moves <= moves {
            points.push(point);
        }
    }
    Ok(points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_play::inputs::Inputs;
    use std::fs;

    fn after(moves: u64) -> TrainingProgress {
        let elapsed = Duration::from_millis(moves);
        TrainingProgress {
            moves,
            elapsed,
            window: 10,
            mean: moves as f64,
            ..TrainingProgress::default()
        }
    }

    fn origin() -> TrainingOrigin {
        let inputs = Inputs::default();
        TrainingOrigin { game: "game".into(), agent: "learner".into(), seed: 1, inputs }
    }

    fn open(path: &Path, moves: u64) -> Result<Curve, Failure> {
        let mut curve = Curve::new(path.to_owned(), &after(moves), origin(), &[2, 4]);
        curve.resume(moves, ReplacedInput::Refused)?;
        curve.begin()?;
        Ok(curve)
    }

    fn moves(path: &Path) -> Vec<u64> {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str::<Point>(line).unwrap().moves).collect()
    }

    #[test]
    fn points_are_a_share_of_the_budget_and_a_pause_apart() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.curve.jsonl");
        let mut curve = open(&path, 0).unwrap();
        for k in 1..=1000 {
            curve.update(k as f64 / 1000.0, &after(k)).unwrap();
        }
        // The budget alone would give a point every 5 moves: the pause is 100 ms.
        assert_eq!(moves(&path), (1..=10).map(|k| 100 * k).collect::<Vec<_>>());
        curve.end(&after(1000)).unwrap();
        curve.end(&after(1001)).unwrap();
        assert_eq!(moves(&path)[9..], [1000, 1001]);
        curve.update(1.0, &TrainingProgress { window: 0, ..after(5000) }).unwrap();
        assert_eq!(moves(&path).len(), 11, "no game has ended");
    }

    #[test]
    fn resumed_curve_continues_from_the_checkpoint_without_an_incomplete_line() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.curve.jsonl");
        let mut curve = open(&path, 0).unwrap();
        let evaluation = Evaluated {
            agent: "learner".into(),
            seed: 1,
            games: 2,
            mean: Some(7.0),
            ci95: Some([6.0, 8.0]),
            reached: [(2, 1.0)].into(),
        };
        curve.add(&after(200)).unwrap();
        curve.evaluation(&after(300), &evaluation).unwrap();
        curve.add(&after(400)).unwrap();
        drop(curve);
        let complete = fs::read(&path).unwrap();
        fs::write(&path, [&complete[..], b"{\"moves\":35"].concat()).unwrap();
        let curve = open(&path, 300).unwrap();
        assert_eq!(moves(&path), [200, 300]);
        let trainings = curve.points().iter().map(|point| point.training.clone());
        assert_eq!(trainings.collect::<Vec<_>>(), [Some(origin()), None]);
        assert_eq!(curve.points()[1].evaluation, Some(evaluation));

        fs::write(&path, "a shopping list\n").unwrap();
        let Err(Failure::Failed { message, .. }) = open(&path, 300) else { panic!("refused") };
        assert!(message.contains("a.curve.jsonl: line 1 "), "{message}");
        assert!(message.contains("move the file away"), "{message}");
        // Without a file, the curve of a resumed training starts empty.
        fs::remove_file(&path).unwrap();
        assert!(open(&path, 300).unwrap().points().is_empty());
    }

    #[test]
    fn named_series_are_in_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.curve.jsonl");
        let mut curve = open(&path, 0).unwrap();
        for moves in [100, 200] {
            let series = vec![("loss".to_owned(), 0.5), ("broken".to_owned(), f64::NAN)];
            curve.add(&TrainingProgress { series, ..after(moves) }).unwrap();
        }
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(r#""series":{"loss":0.5}"#), "{text}");
    }

    #[test]
    fn old_file_stays_until_the_curve_is_begun() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.curve.jsonl");
        open(&path, 0).unwrap().add(&after(900)).unwrap();
        let mut curve = Curve::new(path.clone(), &after(0), origin(), &[]);
        curve.add(&after(100)).unwrap();
        assert_eq!(moves(&path), [900]);
        curve.begin().unwrap();
        curve.add(&after(200)).unwrap();
        curve.begin().unwrap();
        assert_eq!(moves(&path), [100, 200]);
    }
}
