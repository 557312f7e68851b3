//! Several games of one value at once, so that it evaluates many afterstates at a time.

use crate::{
    Afterstate, Episode, Game, GameInProgress, GreedyPolicy, Random, Stop, Value, best_action, play,
};

/// Plays `at_once` games at a time. Each game is the same, move for move, as [`play`] plays
/// it with [`GreedyPolicy`]. The games of a value that estimates actions are played one
/// after the other.
///
/// `next` returns the number and the random stream of the next game, or `None` if there is
/// none. `done` receives the number and the result of each game, in the order in which they end.
/// All games end early when `stop` asks for it. A fault is raised, and ends all games in progress.
pub fn play_interleaved<G: Game, V: Value>(
    game: &G,
    player: &GreedyPolicy<V>,
    at_once: usize,
    mut next: impl FnMut() -> Option<(u64, Random)>,
    mut done: impl FnMut(u64, Episode),
    stop: &impl Stop,
) {
    if player.0.estimates_actions() {
        while !stop.is_requested()
            && let Some((number, mut random)) = next()
        {
            done(number, play(game, &mut GreedyPolicy(&player.0), &mut random, stop));
        }
        return;
    }
    let reward_weight = player.0.scale().reward_weight();
    let begin = |(number, random)| (number, GameInProgress::from_rules(game, random));
    let mut games: Vec<(u64, GameInProgress)> =
        std::iter::from_fn(&mut next).take(at_once).map(begin).collect();
    let mut afterstates: Vec<Afterstate> = Vec::new();
    let mut values = Vec::new();
    // Each round makes one move in every game.
    while !games.is_empty() {
        let is_stopped = stop.is_requested();
        afterstates.clear();
        // List the actions of every game, and replace the games that end by new ones.
        let mut k = 0;
        while let Some((number, playing)) = games.get_mut(k) {
            let finished = !playing.list_actions(game);
            if !finished && !is_stopped {
                afterstates.extend(playing.successors.iter().map(|s| s.afterstate));
                k += 1;
                continue;
            }
            let GameInProgress { score, moves, state: last, .. } = *playing;
            done(*number, Episode { score, moves, last, finished });
            let new = if is_stopped { None } else { next() };
            match new {
                Some(new) => games[k] = begin(new),
                None => drop(games.swap_remove(k)),
            }
        }
        // Evaluate the afterstates of all games, and make the best move of each.
        values.resize(afterstates.len(), 0.0);
        player.0.evaluate(&afterstates, &mut values);
        make_best_moves(game, &mut games, &values, reward_weight);
    }
}

/// Makes the best move of each game. `values` are the estimates of all afterstates, game by game.
#[inline]
fn make_best_moves<G: Game>(
    game: &G,
    games: &mut [(u64, GameInProgress)],
    mut values: &[f32],
    reward_weight: f32,
) {
    for (_, playing) in games {
        let (own, others) = values.split_at(playing.successors.len());
        values = others;
        let estimates = playing.successors.iter().zip(own);
        let action_values = estimates.map(|(s, v)| (s.action, reward_weight * s.reward + v));
        let Some(&chosen) =
            best_action(action_values).and_then(|action| playing.successors.of(action))
        else {
            continue;
        };
        // `play` draws a random word for the agent at each decision. This policy needs none,
        // but the stream must stay the same.
        playing.random.word();
        playing.apply(game, chosen);
    }
}
