//! Law 7: chance rewards are finite and announced, and redundant descriptions agree with the rules.

use crate::effort::Effort;
use crate::law::{Law, Violation, check_game, check_sign, check_state, ensure};
use crate::lists::{close, outcomes_of, same_distribution, sorted, successors_of};
use crate::positions::PositionSample;
use runner_core::rows::RowTables;
use runner_core::{Action, Game, Outcomes, PlayoutTotals, Random, State, Successors, playouts};

/// Number of starts whose chance reward is checked.
const STARTS: u64 = 12;

/// Checks that the description is one of a game.
pub fn check_description<G: Game>(game: &G) -> Result<(), Violation> {
    check_game(Law::Consistency, || game.description().check())
}

/// Checks law 7 at every position and at some starts.
pub fn check<G: Game>(game: &G, effort: &Effort, sample: &PositionSample) -> Result<(), Violation> {
    for &state in &sample.states {
        check_state(Law::Consistency, game, state, || {
            tiles_are_described(game, state)?;
            chance_rewards_and_layers(game, state)?;
            game.tables().map_or(Ok(()), |tables| same_as_tables(game, tables, state))
        })?;
    }
    for word in (0..STARTS).map(|game| Random::stream(effort.seed, game).word()) {
        let start = check_game(Law::Consistency, || Ok(game.start(word)))?;
        check_state(Law::Consistency, game, start, || start_reward(game, start))?;
    }
    if !sample.ends {
        return Ok(());
    }
    let word = Random::stream(effort.seed, 0).word();
    let start = check_game(Law::Consistency, || Ok(game.start(word)))?;
    check_state(Law::Consistency, game, start, || playouts_agree(game, start, effort))
}

/// Checks that the chance reward of a start is finite and announced.
fn start_reward<G: Game>(game: &G, start: State) -> Result<(), String> {
    let (announced, reward) = (game.has_chance_rewards(), game.chance_reward(None, start));
    ensure(reward.is_finite() && (announced || reward == 0.0), || {
        format!("the chance reward of the start is {reward}, and has_chance_rewards is {announced}")
    })?;
    check_sign(game, reward, || "chance reward of the start".into())
}

/// Checks that the description lists the tiles and the cell values of a position.
fn tiles_are_described<G: Game>(game: &G, state: State) -> Result<(), String> {
    let description = game.description();
    let missing = game.max_tile(state).filter(|tile| !description.tiles.contains(tile));
    ensure(missing.is_none(), || {
        format!("the max tile {missing:?} is not in the description: {:?}", description.tiles)
    })?;
    let Some(board) = &description.geometry else { return Ok(()) };
    let ranks = (0..board.cells()).map(|cell| usize::from(board.rank(state.bits(), cell)));
    let beyond = ranks.enumerate().find(|&(_, rank)| rank >= board.values.len());
    ensure(beyond.is_none(), || {
        format!("{beyond:?} (cell, rank): the description has {} values", board.values.len())
    })
}

/// Checks that chance rewards are finite and announced, and that layers rise.
fn chance_rewards_and_layers<G: Game>(game: &G, state: State) -> Result<(), String> {
    let (announced, layer) = (game.has_chance_rewards(), game.layer(state));
    for successor in successors_of(game, state).iter() {
        let from = Some(successor.afterstate);
        for next in outcomes_of(game, successor.afterstate).iter().map(|o| o.state) {
            let reward = game.chance_reward(from, next);
            let again = game.chance_reward(from, next);
            ensure(reward.is_finite() && reward == again && (announced || reward == 0.0), || {
                format!(
                    "the chance reward of `{}` is {reward}, in a second call {again}, and \
                     has_chance_rewards is {announced}",
                    game.write(next)
                )
            })?;
            check_sign(game, reward, || format!("chance reward of `{}`", game.write(next)))?;
            let after = game.layer(next);
            let rises = after > layer || (after, layer) == (None, None);
            ensure(rises && layer.is_some() == after.is_some(), || {
                let next = game.write(next);
                format!("the layer does not rise: it is {layer:?} here and {after:?} at `{next}`")
            })?;
        }
    }
    Ok(())
}

/// Checks that the row tables give the same successors, outcomes and draws as the game, so
/// that results do not depend on which of the two is used.
fn same_as_tables<G: Game>(game: &G, tables: &RowTables, state: State) -> Result<(), String> {
    if tables.layer_is_sum() {
        let (layer, sum) = (game.layer(state), sum_of_values(game, state));
        ensure(layer == sum, || {
            format!(
                "by the row tables the layer is the sum of the cells, {sum:?}, but it is {layer:?}"
            )
        })?;
    }
    let list = successors_of(game, state);
    let mut buffer = Successors::new();
    ensure(!tables.successors(state, &mut buffer) || buffer[..] == list[..], || {
        format!("the row tables list {buffer:?}, the game {list:?}")
    })?;
    for action in (0..game.description().actions.len()).map(|i| Action(i as u8)) {
        let ours = list.of(action).copied();
        let theirs = tables.successor(state, action).unwrap_or(ours);
        ensure(theirs == ours, || {
            let name = game.description().action_name(action);
            format!("`{name}` leads to {theirs:?} by the row tables, to {ours:?} by the game")
        })?;
    }
    for successor in list.iter() {
        let mut out = Outcomes::with_capacity(game.description().max_outcomes);
        tables.outcomes(successor.afterstate, &mut out);
        let after = || game.write_afterstate(successor.afterstate);
        ensure(
            same_distribution(&sorted(out.to_vec()), &outcomes_of(game, successor.afterstate)),
            || format!("the row tables and the game differ in the outcomes of `{}`", after()),
        )?;
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

fn sum_of_values<G: Game>(game: &G, state: State) -> Option<u64> {
    let board = game.description().geometry.as_ref()?;
    let value = |cell| board.values[usize::from(board.rank(state.bits(), cell))];
    Some((0..board.cells()).map(value).sum())
}

/// Checks that the game's own playouts agree with the general kernel: exactly, or on
/// average if the game uses random words differently.
fn playouts_agree<G: Game>(game: &G, state: State, effort: &Effort) -> Result<(), String> {
    const BATCHES: usize = 64;
    const GAMES: u64 = 8;
    let mut random = Random::stream(effort.seed, u64::MAX - 3);
    let mut pairs = Vec::new();
    for word in (0..BATCHES).map(|_| random.word()) {
        let own = playouts::totals(game, state, GAMES, word);
        let again = playouts::totals(game, state, GAMES, word);
        ensure(own == again, || {
            format!("playouts with the word {word:#x} give {own:?}, then {again:?}")
        })?;
        let general = playouts::general_totals(game, state, GAMES, word);
        ensure(own.games == GAMES && own.score.is_finite(), || {
            format!("{GAMES} playouts give {own:?}")
        })?;
        pairs.push((own, general));
    }
    if pairs.iter().all(|(own, general)| own == general) {
        return Ok(());
    }
    type Measure = fn(&PlayoutTotals) -> f64;
    let measures: [(&str, Measure); 2] = [("score", |p| p.score), ("moves", |p| p.moves as f64)];
    for (what, of) in measures {
        let own: Vec<f64> = pairs.iter().map(|(own, _)| of(own)).collect();
        // Other words than for the game's own playouts make the two means independent.
        let general: Vec<f64> = (0..BATCHES)
            .map(|_| of(&playouts::general_totals(game, state, GAMES, random.word())))
            .collect();
        let ((a, a_error), (b, b_error)) = (mean(&own), mean(&general));
        // Sums of several games are nearly normal, so eight standard errors have a
        // probability of about 1e-12 with 126 degrees of freedom.
        let far = (a - b).abs() > 8.0 * a_error.hypot(b_error);
        ensure(!far || close(a, b, 1e-9), || {
            format!(
                "the mean {what} of {GAMES} playouts is {a:.3}, that of the general kernel {b:.3}"
            )
        })?;
    }
    Ok(())
}

/// Returns the mean of some numbers and its standard error.
fn mean(numbers: &[f64]) -> (f64, f64) {
    let n = numbers.len() as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let squares: f64 = numbers.iter().map(|x| (x - mean).powi(2)).sum();
    (mean, (squares / (n - 1.0) / n).sqrt())
}
