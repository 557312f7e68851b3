//! A tuning: generations of candidates play, and the search learns from their ranks.
//!
//! In dependency order: matrices (`symmetric`), the search (`cma_es`), what a coordinate
//! of it means (`axis`), what is kept (`checkpoint`); here, the games.

mod axis;
mod checkpoint;
mod cma_es;
mod symmetric;

pub use axis::{Axis, Scale};
pub use checkpoint::Checkpoint;
pub use cma_es::CmaEs;

use crate::evaluation::{self, Limits, Plan};
use crate::failure::{Failure, attributed};
use crate::interrupt;
use crate::notes::note;
use crate::player::NamedPlayer;
use crate::progress::Progress;
use crate::setting::Setting;
use runner_core::{Seed, Spec};
use runner_plugin::Registry;
use runner_spec::quantity::{grouped, number, time};
use runner_stats::Results;
use std::path::Path;
use std::time::{Duration, Instant};

/// How long a tuning goes on: as long as nothing of this is over.
#[derive(Clone, Copy, Debug)]
pub struct Budget {
    /// Generations in all.
    pub generations: Option<u64>,
    /// Games in all.
    pub games: Option<u64>,
    /// The time of this run.
    pub time: Option<Duration>,
}

/// What a tuning is done with.
pub struct Tuning<'a> {
    /// The game and the threads.
    pub setting: &'a Setting,
    /// What builds the candidates.
    pub registry: &'a Registry,
    /// The file of the checkpoint.
    pub file: &'a Path,
    /// How long it goes on.
    pub budget: Budget,
    /// Whether progress is told where there is no terminal.
    pub plain: bool,
}

impl Tuning<'_> {
    /// Goes on to the end of the budget; `false` if the user stops it.
    pub fn run(&self, state: &mut Checkpoint) -> Result<bool, Failure> {
        interrupt::listen();
        // If it cannot be written, that shows before anything was played.
        state.write(self.file)?;
        let (began, before) = (Instant::now(), state.search.generation());
        let seconds = state.seconds;
        let mut progress = if self.plain { Progress::new() } else { Progress::on_terminals() };
        let mut refusal = None;
        while self.is_within(state, began) {
            if interrupt::asked() {
                return Ok(false);
            }
            let Some(means) = self.generation(state, &mut refusal)? else { return Ok(false) };
            state.seconds = seconds + began.elapsed().as_secs_f64();
            state.write(self.file)?;
            let done = state.search.generation() - before;
            progress.show(&self.told(state, &means, began.elapsed(), done));
        }
        Ok(true)
    }

    /// Whether there is another generation within the budget.
    fn is_within(&self, state: &Checkpoint, began: Instant) -> bool {
        let Budget { generations, games, time } = self.budget;
        let next = state.games.saturating_mul(state.search.population() as u64);
        generations.is_none_or(|all| state.search.generation() < all)
            && games.is_none_or(|games| state.played.saturating_add(next) <= games)
            && time.is_none_or(|time| began.elapsed() < time)
    }

    /// Plays a generation, and learns from it. Nothing if the user stops it: then
    /// nothing has changed.
    fn generation(
        &self,
        state: &mut Checkpoint,
        refusal: &mut Option<String>,
    ) -> Result<Option<Vec<f64>>, Failure> {
        // All candidates meet the same chance, and no two generations do: what wins by
        // luck wins once.
        let (seed, mut random) = state.chance();
        let points = state.search.sample(&mut random);
        let mut ranked = Vec::new();
        let mut played = 0;
        for (place, point) in points.into_iter().enumerate() {
            let agent = state.agent_with(&state.values(&point))?;
            let which = format!(
                "generation {}, player {} of {}: ",
                state.search.generation() + 1,
                place + 1,
                state.search.population()
            );
            let mean = match self.build(&agent) {
                Ok(player) => match self.play(&player, state.games, seed, &which)? {
                    Some(results) => {
                        played += state.games;
                        mean(&results)?
                    }
                    None => return Ok(None),
                },
                // Some values may be none that a plugin takes: they are the worst.
                Err(Failure::Usage { message, .. }) => {
                    if refusal.is_none() {
                        note(format!("note: a candidate counts as the worst, for {message}"));
                    }
                    *refusal = Some(message);
                    f64::NEG_INFINITY
                }
                Err(failure) => return Err(failure),
            };
            ranked.push((mean, point));
        }
        if let (0, Some(refusal)) = (played, &refusal) {
            return Err(Failure::failed(format!(
                "no candidate of a generation can be built: {refusal}; keep them where they can \
                 by bounds, --parameter PATH:LOW..HIGH"
            )));
        }
        ranked.sort_by(|(a, _), (b, _)| b.total_cmp(a));
        let (means, points): (Vec<_>, Vec<_>) = ranked.into_iter().unzip();
        state.search.update(&points);
        state.played += played;
        Ok(Some(means))
    }

    fn build(&self, agent: &Spec) -> Result<NamedPlayer, Failure> {
        NamedPlayer::build(self.registry, agent, &self.setting.game, &self.setting.services)
    }

    /// Lets the player of a spec play so many games that no candidate plays; nothing if
    /// the user stops it.
    pub fn examine(
        &self,
        agent: &Spec,
        games: u64,
        state: &Checkpoint,
    ) -> Result<Option<Results>, Failure> {
        self.play(&self.build(agent)?, games, state.fresh(), "")
    }

    fn play(
        &self,
        player: &NamedPlayer,
        games: u64,
        seed: Seed,
        which: &str,
    ) -> Result<Option<Results>, Failure> {
        let plan = Plan {
            game: &self.setting.game,
            games,
            seed,
            threads: &self.setting.threads,
            time: None,
            limits: Limits::default(),
        };
        let played = evaluation::play_one_of(which, &plan, &player.player, None)?;
        if played.interrupted {
            return Ok(None);
        }
        match played.fault_messages.first() {
            None => Ok(Some(played.results)),
            Some(first) => Err(Failure::failed(format!(
                "{} of {games} games of `{}` ended in a fault: {}",
                played.faults,
                player.spec,
                attributed(first, &[&self.setting.game.label, &player.label])
            ))),
        }
    }

    /// The line that tells how far it is, after so many generations in this time.
    fn told(&self, state: &Checkpoint, means: &[f64], elapsed: Duration, done: u64) -> String {
        let played: Vec<_> = means.iter().filter(|mean| mean.is_finite()).collect();
        let mean = played.iter().copied().sum::<f64>() / played.len() as f64;
        let mut line = format!("generation {}", grouped(state.search.generation()));
        if let Some(all) = self.budget.generations {
            line += &format!(" of {}", grouped(all));
        }
        line += &format!(
            ", mean {}, best {}, spread {}",
            number(mean),
            number(means[0]),
            number(state.search.spread())
        );
        if let Some(left) = self.left(state, elapsed, done) {
            line += &format!(", {} left", time(left));
        }
        line
    }

    /// The time that is left, if the generations to come take as long as those so far.
    fn left(&self, state: &Checkpoint, elapsed: Duration, done: u64) -> Option<Duration> {
        let Budget { generations, games, time } = self.budget;
        let (search, each) = (&state.search, elapsed.as_secs_f64() / done as f64);
        let of_games = |games: u64| {
            games.saturating_sub(state.played)
                / state.games.saturating_mul(search.population() as u64)
        };
        let generations = generations.map(|all| all.saturating_sub(search.generation()));
        let to_come = generations.into_iter().chain(games.map(of_games)).min();
        let by_count = to_come.and_then(|n| Duration::try_from_secs_f64(n as f64 * each).ok());
        by_count.into_iter().chain(time.map(|time| time.saturating_sub(elapsed))).min()
    }
}

/// The mean score of a candidate's games, by which it is ranked.
///
/// Scores are skewed, but the mean of their logarithms tells players apart less well: of
/// seven changes to one number of `rows` (`expectimax` of depth 2 on 2048, 3,000 games
/// each), the mean of the scores had the greater z in six, by a fifth in the median.
fn mean(results: &Results) -> Result<f64, Failure> {
    let scores = results.games().iter().map(|game| game.score);
    let mean = scores.sum::<f64>() / results.games().len() as f64;
    match mean.is_finite() {
        true => Ok(mean),
        false => Err(Failure::failed("a score is no finite number, so no player is the better")),
    }
}
