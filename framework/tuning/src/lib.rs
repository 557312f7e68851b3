//! Tunes the numbers of an agent: each generation of candidates plays the same games, and
//! the search updates its distribution from their ranks.
#![forbid(unsafe_code)]
#![cfg_attr(
    not(test),
    warn(clippy::disallowed_methods, clippy::print_stderr, clippy::print_stdout)
)]

mod axis;
mod cma_es;
mod state;
mod symmetric;

pub use axis::{Axis, Scale};
pub use cma_es::CmaEs;
pub use state::{Definition, State, TuningFile};

use runner_core::{Seed, Spec};
use runner_files::LineFile;
use runner_play::evaluation::{self, Plan, Progress};
use runner_play::failure::{Failure, attributed};
use runner_play::player::NamedPlayer;
use runner_play::registry::Registry;
use runner_play::setting::Setting;
use runner_stats::Results;
use state::GenerationLine;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Where a tuning ends: at whichever limit is reached first. All count from its first
/// generation, also when it is resumed.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    pub generations: Option<u64>,
    pub time: Option<Duration>,
}

pub struct Tuning<'a> {
    /// The game and the threads.
    pub setting: &'a Setting,
    /// Builds the candidates.
    pub registry: &'a Registry,
    pub budget: Budget,
    pub stop: &'a AtomicBool,
}

pub enum TuningEvent<'a> {
    /// The games of a candidate, or of the evaluation, are under way.
    Games(&'a str, &'a Progress),
    Generation(Generation<'a>),
    /// Something that the user should know.
    Note(String),
}

pub struct Generation<'a> {
    pub state: &'a State,
    /// Mean scores of the candidates; `None` for those that were refused.
    pub means: &'a [Option<f64>],
    /// Time that a generation of this run takes.
    pub each: Duration,
    pub budget: Budget,
}

pub type TuningWatch<'a> = &'a mut dyn FnMut(TuningEvent<'_>);

impl Tuning<'_> {
    /// Runs generations to the end of the budget, and appends each to the file; returns `false` if
    /// the stop flag ends it.
    pub fn run(
        &self,
        state: &mut State,
        file: &mut LineFile,
        watch: TuningWatch<'_>,
    ) -> Result<bool, Failure> {
        let start = Instant::now();
        let before = Duration::try_from_secs_f64(state.seconds).unwrap_or_default();
        let spent = || before.saturating_add(start.elapsed());
        let first = state.search.generation();
        let mut refusal = None;
        while self.is_within(state, spent()) {
            if self.stop.load(Relaxed) {
                return Ok(false);
            }
            let Some(means) = self.generation(state, &mut refusal, watch)? else {
                return Ok(false);
            };
            let generation = state.search.generation();
            let line = GenerationLine { generation, means, seconds: spent().as_secs_f64() };
            file.add(&line);
            file.sync()?;
            state.advance(&line);
            let each = start.elapsed() / (state.search.generation() - first) as u32;
            let budget = self.budget;
            watch(TuningEvent::Generation(Generation { state, means: &line.means, each, budget }));
        }
        Ok(true)
    }

    /// Returns true if the budget, of which this much time is spent, allows another
    /// generation.
    fn is_within(&self, state: &State, spent: Duration) -> bool {
        let Budget { generations, time } = self.budget;
        generations.is_none_or(|all| state.search.generation() < all)
            && time.is_none_or(|time| spent < time)
    }

    /// Plays a generation. Returns the mean score of each candidate, `None` for one that is
    /// refused; or `None` if the stop flag ends it.
    fn generation(
        &self,
        state: &State,
        refusal: &mut Option<String>,
        watch: TuningWatch<'_>,
    ) -> Result<Option<Vec<Option<f64>>>, Failure> {
        // The candidates of a generation play the same games, and no two generations do: a
        // candidate that was lucky once is not drawn to the same luck again.
        let (seed, points) = state.next();
        let mut means = Vec::new();
        for (place, point) in points.into_iter().enumerate() {
            let agent = state.agent_with(&state.values(&point))?;
            let label = format!(
                "generation {}, candidate {} of {}",
                state.search.generation() + 1,
                place + 1,
                state.search.population()
            );
            let player = match self.build(&agent) {
                Ok(player) => player,
                // A plugin may refuse some values: such a candidate ranks last.
                Err(Failure::Usage { message, .. }) => {
                    if refusal.is_none() {
                        let what = "note: a candidate is refused and ranks last";
                        watch(TuningEvent::Note(format!("{what}: {message}")));
                    }
                    *refusal = Some(message);
                    means.push(None);
                    continue;
                }
                Err(failure) => return Err(failure),
            };
            let played = self.play(&player, state.definition.games, seed, &label, watch)?;
            let Some(results) = played else { return Ok(None) };
            means.push(Some(mean(&results)).filter(|mean| mean.is_finite()));
        }
        if let (None, Some(refusal)) = (means.iter().flatten().next(), &refusal) {
            return Err(Failure::failed(format!(
                "all candidates of a generation are refused: {refusal}; keep them in the allowed \
                 range with bounds, PATH:LOW..HIGH"
            )));
        }
        Ok(Some(means))
    }

    fn build(&self, agent: &Spec) -> Result<NamedPlayer, Failure> {
        NamedPlayer::build(self.registry, agent, &self.setting.game, &self.setting.services)
    }

    /// Plays games with an agent that no candidate plays; returns `None` if the stop flag ends
    /// them.
    pub fn evaluate(
        &self,
        agent: &Spec,
        games: u64,
        state: &State,
        watch: TuningWatch<'_>,
    ) -> Result<Option<Results>, Failure> {
        self.play(&self.build(agent)?, games, state.evaluation_seed(), "evaluation", watch)
    }

    fn play(
        &self,
        player: &NamedPlayer,
        games: u64,
        seed: Seed,
        label: &str,
        watch: TuningWatch<'_>,
    ) -> Result<Option<Results>, Failure> {
        let plan = Plan::new(&self.setting.game, games, seed, &self.setting.threads);
        let mut watch = |progress: &Progress| watch(TuningEvent::Games(label, progress));
        let played = evaluation::play(&plan, player, None, self.stop, &mut watch)?;
        if played.interrupted {
            return Ok(None);
        }
        match played.faults.first() {
            None => Ok(Some(played.results)),
            Some(first) => Err(Failure::failed(format!(
                "{} of {games} games of `{}` ended in a fault: {}",
                played.faults.count(),
                player.spec,
                attributed(first, &[&self.setting.game.label, &player.label])
            ))),
        }
    }
}

/// Returns the mean score of a candidate, by which it is ranked.
///
/// Scores are skewed, but the mean of their logarithms distinguishes players less well: for
/// seven changes to one number of `rows` (`expectimax` of depth 2 on 2048, 3,000 games each),
/// the mean of the scores had the larger z in six, by a fifth in the median.
fn mean(results: &Results) -> f64 {
    let scores = results.games().iter().map(|game| game.score);
    scores.sum::<f64>() / results.games().len() as f64
}
