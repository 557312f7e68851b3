//! Several games of one value at once, so that it evaluates many afterstates at a time.

use crate::{
    Afterstate, Episode, Game, GreedyPolicy, Random, Start, State, Successors, Value, best_action,
    play,
};
use std::sync::atomic::{AtomicBool, Ordering};

/// One of the games in progress.
struct Lane {
    number: u64,
    random: Random,
    state: State,
    episode: Episode,
    successors: Successors,
}

/// Plays several games at a time. Each game is the same, move for move, as [`play`] plays
/// it with [`GreedyPolicy`]. The games of a value that estimates actions are played one
/// after the other.
///
/// `next` returns the number and the random stream of the next game until there are no
/// more; `done` receives the result of each. All games end early when `stop` becomes true.
/// A fault is raised, and ends all games in progress.
pub fn play_interleaved<G: Game, V: Value>(
    game: &G,
    player: &GreedyPolicy<V>,
    at_once: usize,
    mut next: impl FnMut() -> Option<(u64, Random)>,
    mut done: impl FnMut(u64, Episode),
    stop: &AtomicBool,
) {
    if player.0.estimates_actions() {
        while !stop.load(Ordering::Relaxed)
            && let Some((number, mut random)) = next()
        {
            done(number, play(game, &mut GreedyPolicy(&player.0), &mut random, stop));
        }
        return;
    }
    let chance_rewards = game.has_chance_rewards();
    let rewards = player.0.scale().reward_weight();
    let begin = |(number, mut random): (u64, Random)| {
        let Start { state, score } = Start::new(game, game.start(random.word()));
        let episode = Episode { score, moves: 0, last: state, finished: false };
        Lane { number, random, state, episode, successors: Successors::new() }
    };
    let mut lanes: Vec<Lane> = std::iter::from_fn(&mut next).take(at_once).map(begin).collect();
    let mut afterstates: Vec<Afterstate> = Vec::new();
    let mut values = Vec::new();
    while !lanes.is_empty() {
        let stopped = stop.load(Ordering::Relaxed);
        afterstates.clear();
        let mut k = 0;
        while let Some(lane) = lanes.get_mut(k) {
            game.successors(lane.state, &mut lane.successors);
            let over = lane.successors.is_empty();
            if !over && !stopped {
                afterstates.extend(lane.successors.iter().map(|s| s.afterstate));
                k += 1;
                continue;
            }
            lane.episode.finished = over;
            lane.episode.last = lane.state;
            done(lane.number, lane.episode);
            match if stopped { None } else { next() } {
                Some(game) => *lane = begin(game),
                None => drop(lanes.swap_remove(k)),
            }
        }
        values.resize(afterstates.len(), 0.0);
        player.0.evaluate(&afterstates, &mut values);
        let mut rest = values.as_slice();
        for lane in &mut lanes {
            let (own, others) = rest.split_at(lane.successors.len());
            rest = others;
            let action_values =
                lane.successors.iter().zip(own).map(|(s, v)| (s.action, rewards * s.reward + v));
            let Some(chosen) =
                best_action(action_values).and_then(|action| lane.successors.of(action))
            else {
                continue;
            };
            // `play` draws a random word for each decision, which this policy ignores.
            lane.random.word();
            let state = game.spawn(chosen.afterstate, lane.random.word());
            lane.episode.score += f64::from(chosen.reward);
            if chance_rewards {
                let given = game.chance_reward(Some(chosen.afterstate), state);
                lane.episode.score += f64::from(given);
            }
            lane.episode.moves += 1;
            lane.state = state;
        }
    }
}
