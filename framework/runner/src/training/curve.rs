//! The curve of a training: lines of JSON that grow with it, and their chart.

use super::Evaluated;
use super::display::reached;
use crate::failure::Failure;
use crate::plot::{Mark, Plot};
use runner_core::TrainingProgress;
use runner_files::{FileError, replace};
use runner_stats::student;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// A point for each such share of the budget...
const SHARE: f64 = 1.0 / 200.0;
/// ...but not more often.
const PAUSE: Duration = Duration::from_millis(100);

/// A line of the file: how a learner did in its last games, or what it showed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// The player's moves in the learner's life.
    pub moves: u64,
    /// The games that it has finished.
    pub episodes: u64,
    /// The time that it has trained.
    pub seconds: f64,
    /// The mean score of its last games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mean: Option<f64>,
    /// How many these were.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window: Option<u64>,
    /// The share of them that reached each tile; 0 for those that are not named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reached: Option<BTreeMap<u64, f64>>,
    /// What it showed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub evaluation: Option<Evaluated>,
}

impl Point {
    fn at(now: &TrainingProgress) -> Self {
        let (moves, episodes, seconds) = (now.moves, now.episodes, now.elapsed.as_secs_f64());
        let (mean, window, reached, evaluation) = (None, None, None, None);
        Self { moves, episodes, seconds, mean, window, reached, evaluation }
    }
}

/// A curve while it is written.
pub struct Curve {
    path: PathBuf,
    /// None until it is begun.
    file: Option<File>,
    title: Vec<String>,
    learner: String,
    tiles: Vec<u64>,
    points: Vec<Point>,
    /// The last point's share of the budget, and its time.
    last: (f64, Duration),
}

impl Curve {
    /// The curve of a new training, or of one that goes on with the file after so many
    /// moves: what a run that was killed wrote beyond its last checkpoint is left out.
    pub fn new(
        path: &Path,
        after: &TrainingProgress,
        title: Vec<String>,
        learner: String,
        tiles: &[u64],
    ) -> Result<Self, Failure> {
        let points = match after.moves {
            0 => Vec::new(),
            moves => read(path, moves)?,
        };
        let (path, tiles) = (path.to_owned(), tiles.to_vec());
        Ok(Self { path, file: None, title, learner, tiles, points, last: (0.0, after.elapsed) })
    }

    /// Begins the file, unless it is begun, with all points so far in place of what
    /// was there. Points that come later are added to it.
    pub fn begin(&mut self) -> Result<(), FileError> {
        if self.file.is_some() {
            return Ok(());
        }
        replace(&self.path, |file| {
            self.points.iter().try_for_each(|point| {
                serde_json::to_writer(&mut *file, point)?;
                writeln!(file)
            })
        })?;
        let file = OpenOptions::new().append(true).open(&self.path);
        self.file = Some(file.map_err(FileError::at("write", &self.path))?);
        Ok(())
    }

    /// Notes what the learner has done, when it has spent this share of its budget,
    /// if it is time to.
    pub fn update(&mut self, share: f64, now: &TrainingProgress) -> Result<(), FileError> {
        let (last_share, last_time) = self.last;
        if share - last_share < SHARE || now.elapsed.saturating_sub(last_time) < PAUSE {
            return Ok(());
        }
        self.last = (share, now.elapsed);
        self.note(now)
    }

    /// Notes what the learner has done at the end.
    pub fn end(&mut self, now: &TrainingProgress) -> Result<(), FileError> {
        let is_known = |point: &Point| point.moves == now.moves && point.mean.is_some();
        if self.points.iter().rev().any(is_known) { Ok(()) } else { self.note(now) }
    }

    fn note(&mut self, now: &TrainingProgress) -> Result<(), FileError> {
        // Before a game has ended there is nothing to tell.
        if now.window == 0 {
            return Ok(());
        }
        self.push(Point {
            mean: Some(now.mean).filter(|mean| mean.is_finite()),
            window: Some(now.window),
            reached: Some(reached(now, &self.tiles).into_iter().collect()),
            ..Point::at(now)
        })
    }

    /// Notes what the learner showed.
    pub fn evaluation(
        &mut self,
        now: &TrainingProgress,
        result: &Evaluated,
    ) -> Result<(), FileError> {
        self.push(Point { evaluation: Some(result.clone()), ..Point::at(now) })
    }

    /// One line, in one piece.
    fn push(&mut self, point: Point) -> Result<(), FileError> {
        if let Some(file) = &mut self.file {
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

    /// Draws the chart beside the file.
    pub fn draw(&mut self) -> Result<(), FileError> {
        let chart = chart(self.title.clone(), &self.learner, &[self.points()]);
        replace(&chart_path(&self.path), |file| file.write_all(chart.svg().as_bytes()))
    }

    /// Where it is written.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All points so far.
    pub fn points(&self) -> &[Point] {
        &self.points
    }
}

/// Where the chart of a curve is drawn.
pub fn chart_path(curve: &Path) -> PathBuf {
    curve.with_extension("svg")
}

/// The points of a file up to so many moves; none where there is no file. A last
/// line that is not whole was being written when the run was killed.
fn read(path: &Path, moves: u64) -> Result<Vec<Point>, Failure> {
    let text = match fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(FileError::at("read", path)(error).into()),
    };
    let mut points = Vec::new();
    for (number, line) in text.split_inclusive('\n').enumerate() {
        match serde_json::from_str::<Point>(line) {
            _ if !line.ends_with('\n') => {}
            Ok(point) if point.moves <= moves => points.push(point),
            Ok(_) => {}
            Err(error) => {
                return Err(Failure::failed(format!(
                    "cannot go on with the curve {}: line {} is no point of one: {error}; \
                     name another file with --curve",
                    path.display(),
                    number + 1
                )));
            }
        }
    }
    Ok(points)
}

/// What was shown: after how many moves, the mean, its interval.
type Shown = Vec<(f64, f64, Option<[f64; 2]>)>;

/// What each agent showed, in the order in which they did.
fn shown(trainings: &[&[Point]]) -> Vec<(String, Shown)> {
    let mut all: Vec<(String, Shown)> = Vec::new();
    for point in trainings.iter().copied().flatten() {
        let Some(Evaluated { agent, mean: Some(mean), ci95, .. }) = &point.evaluation else {
            continue;
        };
        let shown = (point.moves as f64, *mean, *ci95);
        match all.iter_mut().find(|(name, _)| name == agent) {
            Some((_, of_agent)) => of_agent.push(shown),
            None => all.push((agent.clone(), vec![shown])),
        }
    }
    all
}

/// The means over the seeds where two at least showed something, with Student's
/// interval.
fn over_seeds(shown: &Shown) -> Vec<Mark> {
    let mut at: BTreeMap<u64, Vec<f64>> = BTreeMap::new();
    for &(moves, mean, _) in shown {
        at.entry(moves as u64).or_default().push(mean);
    }
    at.retain(|_, means| means.len() > 1);
    let mark = |(moves, means): (u64, Vec<f64>)| Mark {
        x: moves as f64,
        y: means.iter().sum::<f64>() / means.len() as f64,
        interval: student(&means),
    };
    at.into_iter().map(mark).collect()
}

/// The chart of one training, or of several with different seeds. `learner` is the
/// spec of the learner, whose own games are called greedy.
pub fn chart(title: Vec<String>, learner: &str, trainings: &[&[Point]]) -> Plot {
    let curve = |points: &&[Point]| {
        let place = |point: &Point| Some((point.moves as f64, point.mean?));
        points.iter().filter_map(place).collect()
    };
    let mut marks: Vec<(String, Vec<Mark>)> = Vec::new();
    for (agent, shown) in shown(trainings) {
        let name = if agent == learner { "greedy" } else { &agent };
        let marked = match trainings {
            [_] => shown.iter().map(|&(x, y, interval)| Mark { x, y, interval }).collect(),
            _ => over_seeds(&shown),
        };
        marks.push((format!("evaluation, {name}"), marked));
    }
    Plot {
        title,
        x: "moves".into(),
        y: "mean score".into(),
        curve: "training, last 1,000 games".into(),
        curves: trainings.iter().map(curve).collect(),
        marks,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    fn open(path: &Path, moves: u64) -> Result<Curve, Failure> {
        let title = vec!["title".into()];
        let mut curve = Curve::new(path, &after(moves), title, "learner".into(), &[2, 4])?;
        curve.begin()?;
        Ok(curve)
    }

    fn moves(path: &Path) -> Vec<u64> {
        let text = fs::read_to_string(path).unwrap();
        text.lines().map(|line| serde_json::from_str::<Point>(line).unwrap().moves).collect()
    }

    #[test]
    fn points_are_as_far_apart_as_the_budget_and_the_clock_want() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.curve.jsonl");
        let mut curve = open(&path, 0).unwrap();
        for k in 1..=1000 {
            curve.update(k as f64 / 1000.0, &after(k)).unwrap();
        }
        // A tenth of a second apart, though the budget would have one each 5 moves.
        assert_eq!(moves(&path), (1..=10).map(|k| 100 * k).collect::<Vec<_>>());
        curve.end(&after(1000)).unwrap();
        curve.end(&after(1001)).unwrap();
        assert_eq!(moves(&path)[9..], [1000, 1001]);
        curve.update(1.0, &TrainingProgress { window: 0, ..after(5000) }).unwrap();
        assert_eq!(moves(&path).len(), 11, "no game has ended");
    }

    #[test]
    fn a_curve_goes_on_from_the_checkpoint_and_a_torn_line_is_dropped() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.curve.jsonl");
        let mut curve = open(&path, 0).unwrap();
        let now = TrainingProgress { ended: after(0).ended, ..after(300) };
        let evaluation = Evaluated {
            agent: "learner".into(),
            seed: 1,
            games: 2,
            mean: Some(7.0),
            ci95: Some([6.0, 8.0]),
            reached: [(2, 1.0)].into(),
        };
        curve.note(&after(200)).unwrap();
        curve.evaluation(&now, &evaluation).unwrap();
        curve.note(&after(400)).unwrap();
        drop(curve);
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], b"{\"moves\":35"].concat()).unwrap();
        let mut curve = open(&path, 300).unwrap();
        assert_eq!(moves(&path), [200, 300]);
        assert_eq!(curve.points()[1].evaluation, Some(evaluation));
        curve.draw().unwrap();
        let svg = fs::read_to_string(folder.path().join("a.curve.svg")).unwrap();
        assert!(svg.contains("evaluation, greedy"), "{svg}");

        fs::write(&path, "a shopping list\n").unwrap();
        let Err(Failure::Failed { message, .. }) = open(&path, 300) else { panic!("refused") };
        assert!(message.contains("a.curve.jsonl: line 1"), "{message}");
        // Nothing to go on with: a new one.
        fs::remove_file(&path).unwrap();
        assert!(open(&path, 300).unwrap().points().is_empty());
    }

    #[test]
    fn what_is_there_stays_until_the_curve_is_begun() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.curve.jsonl");
        open(&path, 0).unwrap().note(&after(900)).unwrap();
        let title = vec!["title".into()];
        let mut curve = Curve::new(&path, &after(0), title, "learner".into(), &[]).unwrap();
        curve.note(&after(100)).unwrap();
        assert_eq!(moves(&path), [900]);
        curve.begin().unwrap();
        curve.note(&after(200)).unwrap();
        curve.begin().unwrap();
        assert_eq!(moves(&path), [100, 200]);
    }

    #[test]
    fn what_several_seeds_showed_is_drawn_as_their_mean() {
        let at = |moves: u64, mean: f64| {
            let evaluated = Evaluated {
                agent: "learner".into(),
                seed: 1,
                games: 9,
                mean: Some(mean),
                ci95: Some([mean - 1.0, mean + 1.0]),
                reached: BTreeMap::new(),
            };
            Point { evaluation: Some(evaluated), ..Point::at(&after(moves)) }
        };
        let (one, two) = ([at(10, 4.0), at(20, 8.0)], [at(10, 6.0), at(21, 9.0)]);
        let alone = chart(Vec::new(), "learner", &[&one]).marks;
        assert_eq!(alone[0].1.iter().map(|mark| mark.y).collect::<Vec<_>>(), [4.0, 8.0]);
        assert_eq!(alone[0].1[0].interval, Some([3.0, 5.0]));
        let both = chart(Vec::new(), "learner", &[&one, &two]).marks;
        assert_eq!(both.len(), 1);
        let expected = Mark { x: 10.0, y: 5.0, interval: student(&[4.0, 6.0]) };
        assert_eq!(both[0], ("evaluation, greedy".to_owned(), vec![expected]));
    }
}
