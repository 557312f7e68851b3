//! Law 7: rewards add up to the score, and what a game tells in two ways agrees.

use crate::chance::same;
use crate::positions::{Manner, Sample};
use crate::{Effort, Law, Violation, apart, at, close, ensure, outcomes_of, sorted, successors_of};
use runner_core::rows::RowTables;
use runner_core::wrappers::{MoveLimit, Recorder};
use runner_core::{
    Action, Episode, Game, Outcomes, Playouts, Random, State, Successors, play, playouts,
};
use std::sync::atomic::AtomicBool;

/// The tiles in the description.
pub fn check_description<G: Game>(game: &G) -> Result<(), Violation> {
    apart(Law::Accounts, || {
        let description = game.description();
        let tiles = &description.tiles;
        ensure(tiles.is_sorted_by(|a, b| a < b), || format!("the tiles {tiles:?} do not ascend"))?;
        let goal = description.goal.filter(|goal| !tiles.contains(goal));
        ensure(goal.is_none(), || format!("the goal {goal:?} is not among the tiles"))
    })
}

/// Law 7 on every position and on some games.
pub fn check<G: Game>(game: &G, effort: &Effort, sample: &Sample) -> Result<(), Violation> {
    for &state in &sample.states {
        at(Law::Accounts, game, state, || {
            shows(game, state)?;
            chance(game, state)?;
            game.row_tables().map_or(Ok(()), |tables| tabled(game, tables, state))
        })?;
    }
    for index in 0..effort.games.min(12) {
        let mut random = Random::stream(effort.seed, index);
        let start = apart(Law::Accounts, || Ok(game.start(random.clone().word())))?;
        at(Law::Accounts, game, start, || adds_up(game, effort.moves, index, &mut random))?;
    }
    if !sample.ends {
        return Ok(());
    }
    let word = Random::stream(effort.seed, 0).word();
    let start = apart(Law::Accounts, || Ok(game.start(word)))?;
    at(Law::Accounts, game, start, || played_out(game, start, effort))
}

/// The tiles and the cells of a position are those that the game describes.
fn shows<G: Game>(game: &G, state: State) -> Result<(), String> {
    let description = game.description();
    let greatest = game.max_tile(state).filter(|tile| !description.tiles.contains(tile));
    ensure(greatest.is_none(), || {
        format!("the greatest tile {greatest:?} is not among the described {:?}", description.tiles)
    })?;
    let Some(board) = &description.geometry else { return Ok(()) };
    let ranks = (0..board.cells()).map(|cell| usize::from(board.rank(state.bits(), cell)));
    let beyond = ranks.enumerate().find(|&(_, rank)| rank >= board.values.len());
    ensure(beyond.is_none(), || {
        format!("{beyond:?} (cell, rank) is beyond the {} described values", board.values.len())
    })
}

/// Points from chance come only where they are announced, and layers rise.
fn chance<G: Game>(game: &G, state: State) -> Result<(), String> {
    let (gives, layer) = (game.has_chance_rewards(), game.layer(state));
    for successor in successors_of(game, state).iter() {
        let from = Some(successor.afterstate);
        for next in outcomes_of(game, successor.afterstate).iter().map(|o| o.state) {
            let points = game.chance_reward(from, next);
            let again = game.chance_reward(from, next);
            ensure(points.is_finite() && points == again && (gives || points == 0.0), || {
                format!(
                    "chance gives {points} (asked again, {again}) on the way to `{}`, and \
                     has_chance_rewards is {gives}",
                    game.write(next)
                )
            })?;
            let after = game.layer(next);
            let rises = after > layer || (after, layer) == (None, None);
            ensure(rises && layer.is_some() == after.is_some(), || {
                let next = game.write(next);
                format!("the layer {layer:?} does not rise to `{next}`, which has {after:?}")
            })?;
        }
    }
    Ok(())
}

/// The row tables say what the game says, and draw what it draws: a result must
/// not depend on who moves.
fn tabled<G: Game>(game: &G, tables: &RowTables, state: State) -> Result<(), String> {
    if tables.layer_is_sum() {
        let (layer, sum) = (game.layer(state), sum_of_values(game, state));
        ensure(layer == sum, || {
            format!(
                "the row tables call {sum:?}, the sum of the cells, the layer, and it is {layer:?}"
            )
        })?;
    }
    let list = successors_of(game, state);
    let mut buffer = Successors::new();
    ensure(!tables.successors(state, &mut buffer) || buffer[..] == list[..], || {
        format!("the row tables list {buffer:?}, and the game {list:?}")
    })?;
    for action in (0..game.description().actions.len()).map(|i| Action(i as u8)) {
        let ours = list.of(action).copied();
        let theirs = tables.successor(state, action).unwrap_or(ours);
        ensure(theirs == ours, || {
            let name = game.description().action_name(action);
            format!("the row tables make {theirs:?} of `{name}`, and the game {ours:?}")
        })?;
    }
    for successor in list.iter() {
        let mut out = Outcomes::with_capacity(game.description().max_outcomes);
        tables.outcomes(successor.afterstate, &mut out);
        let after = || game.write_afterstate(successor.afterstate);
        ensure(same(&sorted(out.to_vec()), &outcomes_of(game, successor.afterstate)), || {
            format!("the row tables have other outcomes of `{}` than the game", after())
        })?;
        let mut random = Random::from_word(state.lo);
        for word in (0..8).map(|_| random.word()) {
            let ours = game.spawn(successor.afterstate, word);
            let theirs = tables.spawn(successor.afterstate, word);
            ensure(ours == theirs, || {
                format!(
                    "with the word {word:#x} the row tables spawn `{}` after `{}`, the game `{}`",
                    game.write(theirs),
                    after(),
                    game.write(ours)
                )
            })?;
        }
    }
    Ok(())
}

/// The sum of what the cells display, on a board.
fn sum_of_values<G: Game>(game: &G, state: State) -> Option<u64> {
    let board = game.description().geometry.as_ref()?;
    let value = |cell| board.values[usize::from(board.rank(state.bits(), cell))];
    Some((0..board.cells()).map(value).sum())
}

/// A game played twice is the same game, and its score is the sum of its steps.
fn adds_up<G: Game>(game: &G, limit: u64, index: u64, random: &mut Random) -> Result<(), String> {
    let agent = MoveLimit::new(Manner::number(index), limit);
    let once = |mut random: Random| {
        let mut recorded = Recorder::new(agent.clone());
        let episode = play(game, &mut recorded, &mut random, &AtomicBool::new(false));
        (episode, recorded.transcript)
    };
    let (episode, transcript) = once(random.clone());
    let (again, _) = once(random.clone());
    ensure(episode == again, || format!("played again it is {again:?} instead of {episode:?}"))?;

    let gives = game.has_chance_rewards();
    let mut state = transcript.start;
    let given = game.chance_reward(None, state);
    ensure(given.is_finite() && (gives || given == 0.0), || {
        format!("chance gives {given} for the start, and has_chance_rewards is {gives}")
    })?;
    let mut score = f64::from(given);
    for step in &transcript.steps {
        let list = successors_of(game, state);
        let chosen = list.of(step.action).filter(|s| s.afterstate == step.afterstate);
        let reward = chosen.ok_or_else(|| format!("{step:?} cannot be repeated"))?.reward;
        score += f64::from(reward);
        score += f64::from(game.chance_reward(Some(step.afterstate), step.next));
        state = step.next;
    }
    let moves = transcript.steps.len() as u64;
    let finished = successors_of(game, state).is_empty();
    let told = Episode { score, moves, last: state, finished };
    ensure(told == episode, || format!("its steps add up to {told:?}, and it was {episode:?}"))
}

/// The game's own playouts come to what the general kernel's come to: exactly,
/// or, where the game draws in another way, on average.
fn played_out<G: Game>(game: &G, state: State, effort: &Effort) -> Result<(), String> {
    const BATCHES: usize = 64;
    const GAMES: u64 = 8;
    let mut random = Random::stream(effort.seed, u64::MAX - 3);
    let mut pairs = Vec::new();
    for word in (0..BATCHES).map(|_| random.word()) {
        let own = game.playouts(state, GAMES, word);
        let again = game.playouts(state, GAMES, word);
        ensure(own == again, || {
            format!("playouts with the word {word:#x} are {own:?}, and then {again:?}")
        })?;
        let general = playouts::play(game, state, GAMES, word);
        ensure(own.games == GAMES && own.score.is_finite(), || {
            format!("{GAMES} playouts came to {own:?}")
        })?;
        pairs.push((own, general));
    }
    if pairs.iter().all(|(own, general)| own == general) {
        return Ok(());
    }
    type Measure = fn(&Playouts) -> f64;
    let measures: [(&str, Measure); 2] = [("score", |p| p.score), ("moves", |p| p.moves as f64)];
    for (what, of) in measures {
        let own: Vec<f64> = pairs.iter().map(|(own, _)| of(own)).collect();
        // Other words than the game's own: the two means must be independent.
        let general: Vec<f64> =
            (0..BATCHES).map(|_| of(&playouts::play(game, state, GAMES, random.word()))).collect();
        let ((a, a_error), (b, b_error)) = (mean(&own), mean(&general));
        // Sums of games are nearly normal; eight standard errors are then a
        // chance of 1e-12, with 126 degrees of freedom.
        let far = (a - b).abs() > 8.0 * a_error.hypot(b_error);
        ensure(!far || close(a, b, 1e-9), || {
            format!("{GAMES} playouts have the mean {what} {a:.3}, move by move it is {b:.3}")
        })?;
    }
    Ok(())
}

/// The mean of some numbers and its standard error.
fn mean(numbers: &[f64]) -> (f64, f64) {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}
