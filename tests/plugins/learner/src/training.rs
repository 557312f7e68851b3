//! One game after the other, of which the last is left where it stands.

use crate::Table;
use runner_core::{
    Afterstate, COUNTED_TILES, Control, Game, Random, State, Successors, TrainingProgress,
    TrainingSession,
};
use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// How often progress is reported.
const TICK: Duration = Duration::from_millis(20);
/// Number of moves between two readings of the clock.
const LOOK: u64 = 64;

/// How many of the last games are remembered.
const WINDOW: usize = 1000;

/// The state of the training.
#[derive(Default)]
pub struct Life {
    /// Moves, games and time.
    pub done: TrainingProgress,
    /// The seed of the training.
    pub seed: u64,
    /// The game that is played.
    pub play: Option<Play>,
    /// Scores, greatest tiles and their places of the last games.
    pub last: VecDeque<(f64, u64, usize)>,
}

/// A game that is played.
#[derive(Clone)]
pub struct Play {
    pub random: Random,
    /// How many random words it has taken: with them it can be found again.
    pub drawn: u64,
    pub state: State,
    pub score: f64,
    /// The last afterstate, and what chance gave after it.
    pub last: Option<(Afterstate, f32)>,
}

impl Play {
    fn word(&mut self) -> u64 {
        self.drawn += 1;
        self.random.word()
    }
}

impl Life {
    pub fn progress(&self) -> TrainingProgress {
        let mut progress = TrainingProgress { window: self.last.len() as u64, ..self.done.clone() };
        for &(score, tile, place) in &self.last {
            progress.mean += score / self.last.len() as f64;
            progress.max_tile = progress.max_tile.max(tile);
            if place < COUNTED_TILES {
                progress.ended[place] += 1;
            }
        }
        progress
    }
}

pub fn train<G: Game>(table: &Table, game: &G, session: &TrainingSession<'_>) -> TrainingProgress {
    let (began, mut reported) = (Instant::now(), Instant::now());
    let mut life = std::mem::take(&mut *table.life());
    let before = life.done.clone();
    life.seed = session.seed.0;
    let mut successors = Successors::new();
    while !session.budget.is_spent(&life.done.since(&before)) {
        let mut play = life.play.take().unwrap_or_else(|| {
            let mut random = session.random(life.done.episodes);
            let state = game.start(random.word());
            let score = f64::from(game.chance_reward(None, state));
            Play { random, drawn: 1, state, score, last: None }
        });
        game.successors(play.state, &mut successors);
        let worths = successors.iter().map(|s| (*s, s.reward + table.value(s.afterstate)));
        let best = worths.reduce(|best, next| if next.1 > best.1 { next } else { best });
        if let Some((afterstate, given)) = play.last {
            table.learn(afterstate, given + best.map_or(0.0, |(_, worth)| worth));
        }
        if let Some((chosen, _)) = best {
            play.state = game.spawn(chosen.afterstate, play.word());
            let given = game.chance_reward(Some(chosen.afterstate), play.state);
            play.score += f64::from(chosen.reward + given);
            play.last = Some((chosen.afterstate, given));
            life.done.moves += 1;
            life.play = Some(play);
        } else {
            let tile = game.max_tile(play.state).unwrap_or(0);
            let place = game.description().tiles.iter().position(|&t| t == tile);
            life.last.push_back((play.score, tile, place.unwrap_or(usize::MAX)));
            if life.last.len() > WINDOW {
                life.last.pop_front();
            }
            life.done.episodes += 1;
        }
        if life.done.moves.is_multiple_of(LOOK) {
            life.done.elapsed = before.elapsed + began.elapsed();
            if reported.elapsed() >= TICK {
                reported = Instant::now();
                if (session.report)(&life.progress()) == Control::Stop {
                    break;
                }
            }
        }
    }
    life.done.elapsed = before.elapsed + began.elapsed();
    let progress = life.progress();
    *table.life() = life;
    progress
}
