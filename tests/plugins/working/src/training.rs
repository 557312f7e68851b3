//! Trains with one game after the other. The last one continues in the next training.

use crate::state::Episode;
use crate::table::Table;
use runner_core::{Control, Game, Successors, TrainingProgress, TrainingSession};
use runner_learning::FinishedGame;
use std::time::{Duration, Instant};

/// Time between two reports of progress.
const TICK: Duration = Duration::from_millis(20);
/// Number of moves between two readings of the clock.
const LOOK: u64 = 64;

pub fn train<G: Game>(table: &Table, game: &G, session: &TrainingSession<'_>) -> TrainingProgress {
    let (began, mut reported) = (Instant::now(), Instant::now());
    let mut training = std::mem::take(&mut *table.training());
    let before = training.total.clone();
    training.seed = session.seed.0;
    let mut successors = Successors::new();
    while !session.budget.is_spent(&training.total.since(&before)) {
        let mut episode = training.episode.take().unwrap_or_else(|| {
            let mut random = session.random(training.total.episodes);
            let state = game.start(random.word());
            let score = f64::from(game.chance_reward(None, state));
            Episode { random, drawn: 1, state, score, last: None }
        });
        game.successors(episode.state, &mut successors);
        let values = successors.iter().map(|s| (*s, s.reward + table.value(s.afterstate)));
        let best = values.reduce(|best, next| if next.1 > best.1 { next } else { best });
        if let Some((afterstate, chance_reward)) = episode.last {
            table.learn(afterstate, chance_reward + best.map_or(0.0, |(_, value)| value));
        }
        if let Some((chosen, _)) = best {
            episode.state = game.spawn(chosen.afterstate, episode.word());
            let chance_reward = game.chance_reward(Some(chosen.afterstate), episode.state);
            episode.score += f64::from(chosen.reward + chance_reward);
            episode.last = Some((chosen.afterstate, chance_reward));
            training.total.moves += 1;
            training.episode = Some(episode);
        } else {
            let tile = game.max_tile(episode.state).unwrap_or(0);
            training.recent.add(FinishedGame { score: episode.score, tile });
            training.total.episodes += 1;
        }
        if training.total.moves.is_multiple_of(LOOK) {
            training.total.elapsed = before.elapsed + began.elapsed();
            if reported.elapsed() >= TICK {
                reported = Instant::now();
                if (session.report)(&training.progress()) == Control::Stop {
                    break;
                }
            }
        }
    }
    training.total.elapsed = before.elapsed + began.elapsed();
    let progress = training.progress();
    *table.training() = training;
    progress
}
