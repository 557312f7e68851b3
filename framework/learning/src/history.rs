//! The history of a model: the sum of its trainings so far, in memory and in a model file.

use crate::recent::{FinishedGame, RecentGames};
use runner_core::TrainingProgress;
use runner_files::container::{Container, Header, ReadAt};
use runner_files::{ContainerError, ContainerProblem};
use std::str::FromStr;
use std::time::Duration;

/// The name of the section with the last games.
const RECENT: &str = "recent games";
/// The name of the fact with the mean score of the last games.
const MEAN: &str = "mean";
/// The name of a fact with a figure is this prefix and the name of its series.
const SERIES: &str = "series ";

/// The sum of the trainings of a model.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// Moves made.
    pub moves: u64,
    /// Games finished.
    pub episodes: u64,
    /// Time spent.
    pub elapsed: Duration,
    /// The number of the next game, by which its random stream is chosen.
    pub next_game: u64,
    /// The seed of the last training.
    pub seed: u64,
    /// The last games.
    pub recent: RecentGames,
    /// As [`TrainingProgress::series`].
    pub series: Vec<(String, f64)>,
}

impl History {
    /// Returns the history as the progress of a learner.
    pub fn progress(&self) -> TrainingProgress {
        self.recent.set_in(TrainingProgress {
            moves: self.moves,
            episodes: self.episodes,
            elapsed: self.elapsed,
            series: self.series.clone(),
            ..TrainingProgress::default()
        })
    }

    /// Returns the header of a model with the facts of its history appended.
    pub fn in_header(&self, header: Header) -> Header {
        let mut header = header
            .with("moves", self.moves)
            .with("episodes", self.episodes)
            .with("seconds", self.elapsed.as_secs_f64())
            .with("next game", self.next_game)
            .with("seed", self.seed);
        for (name, figure) in &self.series {
            header = header.with(&format!("{SERIES}{name}"), figure);
        }
        let progress = self.progress();
        if progress.window > 0 { header.with(MEAN, progress.mean) } else { header }
    }

    /// Returns the section of a model with the last games: its name and its bytes.
    pub fn section(&self) -> (&'static str, Vec<u8>) {
        let mut bytes = Vec::new();
        self.recent.games().for_each(|game| game.write(&mut bytes));
        (RECENT, bytes)
    }

    /// Reads the history of a model from its header and its section of the last games. A model
    /// without that section has no last games.
    pub fn read<S: ReadAt>(container: &Container<S>) -> Result<Self, ContainerError> {
        // The mean is only checked here. It is for programs that read the header alone.
        if container.header().fact(MEAN).is_some() {
            let mean: f64 = number(container, MEAN)?;
            if !mean.is_finite() {
                return Err(container.unsuitable(format!("has `{mean}` for `{MEAN}`")));
            }
        }
        let elapsed = Duration::try_from_secs_f64(number(container, "seconds")?);
        let wrong = |error| container.unsuitable(format!("has a wrong number of seconds: {error}"));
        // `None` if the section is damaged.
        let recent = match container.find(RECENT) {
            Err(_) => Some(Vec::new()),
            Ok(_) => FinishedGame::read_all(&container.read_section(RECENT)?),
        };
        let damaged = || ContainerProblem::Damaged(format!("section `{RECENT}` is invalid"));
        let series = container.header().facts.iter().filter_map(|(name, figure)| {
            Some((name.strip_prefix(SERIES)?.to_owned(), figure.parse().ok()?))
        });
        Ok(Self {
            moves: count(container, "moves")?,
            episodes: count(container, "episodes")?,
            elapsed: elapsed.map_err(wrong)?,
            next_game: count(container, "next game")?,
            seed: number(container, "seed")?,
            recent: recent.ok_or_else(|| container.error(damaged()))?.into_iter().collect(),
            series: series.collect(),
        })
    }

    /// Returns the history of the mean of two models: the sum of both, without last games, because
    /// the mean itself has played none.
    #[must_use]
    pub fn joined(self, other: &Self) -> Self {
        Self {
            moves: self.moves.saturating_add(other.moves),
            episodes: self.episodes.saturating_add(other.episodes),
            elapsed: self.elapsed.saturating_add(other.elapsed),
            next_game: self.next_game.max(other.next_game),
            recent: RecentGames::default(),
            ..self
        }
    }
}

/// Returns a fact as a number of moves, games or steps. It is refused if it is so large that a
/// training could not add to it.
pub fn count<S: ReadAt>(container: &Container<S>, name: &str) -> Result<u64, ContainerError> {
    match number(container, name)? {
        count if count < 1 << 63 => Ok(count),
        count => Err(container.unsuitable(format!("has {count} for `{name}`, which is too large"))),
    }
}

/// Returns a fact as a number.
fn number<S: ReadAt, T: FromStr>(
    container: &Container<S>,
    name: &str,
) -> Result<T, ContainerError> {
    let text = container.header().fact(name).unwrap_or_default();
    text.parse()
        .map_err(|_| container.unsuitable(format!("has `{text}` for `{name}`, which is no number")))
}
