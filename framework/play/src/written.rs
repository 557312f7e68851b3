//! Reads games as text, such as those of other programs: a first position, then on each line the
//! next position, or a move with the tile that entered.

use crate::failure::Failure;
use crate::position::{numbered_lines, parse};
use crate::registry::{LoadedGame, Registry};
use crate::watched::WatchedGame;
use runner_core::{Action, Game, Outcomes, State, Successor, Successors, catch};
use runner_records::ReplayedMove;

/// The forms of a line, for messages.
const FORMS: &str = "each line is a position, or a move and the tile that entered, as in \
                     `left 2@4,1` (row 4, column 1)";

/// A game whose moves agree with the rules.
#[derive(Debug)]
pub struct WrittenGame {
    pub start: State,
    pub moves: Vec<ReplayedMove>,
}

/// Reads a game. Empty lines and those that begin with `#` are skipped. A line that does not
/// follow from the one before is refused with its number and `name`, the name of the text.
pub fn read(
    game: &LoadedGame,
    text: &str,
    name: &str,
    registry: &Registry,
) -> Result<WrittenGame, Failure> {
    let in_line = |failure: Failure, number: u64, line: &str| match failure {
        Failure::Usage { message, place } => Failure::Usage {
            message: format!("{name}, line {number}: {message}"),
            place: place.or_else(|| Some(format!("{line}\n^"))),
        },
        other => other,
    };
    let mut lines = numbered_lines(text);
    let Some((number, first)) = lines.next() else {
        return Err(Failure::usage(format!("{name}: there is no game in it; {FORMS}")));
    };
    let start = parse(game, first, registry).map_err(|failure| in_line(failure, number, first))?;
    let mut moves: Vec<ReplayedMove> = Vec::new();
    for (number, line) in lines {
        let state = moves.last().map_or(start, |last| last.next);
        let made = step(game, state, line, registry);
        moves.push(made.map_err(|failure| in_line(failure, number, line))?);
    }
    Ok(WrittenGame { start, moves })
}

/// Returns the move from `state` that a line describes. The line is a position, or begins with the
/// name of an action, after which a position or the tile that entered follows.
fn step(
    game: &LoadedGame,
    state: State,
    line: &str,
    registry: &Registry,
) -> Result<ReplayedMove, Failure> {
    let rules = WatchedGame::of(game);
    let mut legal = Successors::new();
    catch(|| rules.successors(state, &mut legal))?;
    let text = catch(|| rules.write(state))?;
    let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let named = if rest.is_empty() { None } else { action(game, word) };
    // The actions that the line can mean: the one that it names, otherwise all.
    let mut candidates: Vec<Successor> = legal.to_vec();
    let next = if let Some(action) = named {
        candidates.retain(|legal| legal.action == action);
        let Some(&made) = candidates.first() else {
            return Err(Failure::usage(format!("`{word}` is not legal in {text}")));
        };
        let rest = rest.trim();
        if rest.contains('@') { entering(game, made, rest)? } else { parse(game, rest, registry)? }
    } else {
        parse(game, line, registry).map_err(|failure| match failure {
            Failure::Usage { message, place } => {
                Failure::Usage { message: format!("{message}; {FORMS}"), place }
            }
            other => other,
        })?
    };
    let mut outcomes = Outcomes::with_capacity(rules.description().max_outcomes);
    for Successor { action, afterstate, reward, .. } in candidates {
        catch(|| rules.outcomes(afterstate, &mut outcomes))?;
        if outcomes.iter().any(|outcome| outcome.state == next) {
            let chance_reward = catch(|| rules.chance_reward(Some(afterstate), next))?;
            return Ok(ReplayedMove { state, action, reward, afterstate, next, chance_reward });
        }
    }
    Err(Failure::usage(format!("no move and new tile lead here from {text}")))
}

/// Returns the action with this name, or the only action whose name begins with this letter.
fn action(game: &LoadedGame, word: &str) -> Option<Action> {
    let actions = &game.rules.description().actions;
    let mut with_letter = Vec::new();
    for (action, name) in (0..=u8::MAX).map(Action).zip(actions) {
        if name.eq_ignore_ascii_case(word) {
            return Some(action);
        }
        if name.get(..1).is_some_and(|first| first.eq_ignore_ascii_case(word)) {
            with_letter.push(action);
        }
    }
    if let [action] = with_letter[..] { Some(action) } else { None }
}

/// Returns the position after a tile has entered: `2@4,1` is a 2 in row 4 and column 1, from 1.
fn entering(game: &LoadedGame, made: Successor, text: &str) -> Result<State, Failure> {
    let rules = WatchedGame::of(game);
    let wrong =
        || Failure::usage(format!("`{text}` is no tile with its row and column, as in `2@4,1`"));
    let Some(board) = &rules.description().geometry else {
        return Err(Failure::usage("this game has no board: write positions"));
    };
    let (tile_text, place) = text.split_once('@').ok_or_else(wrong)?;
    let (row_text, col_text) = place.split_once(',').ok_or_else(wrong)?;
    let row = row_text.trim().parse::<usize>().ok().filter(|&row| row > 0).ok_or_else(wrong)?;
    let col = col_text.trim().parse::<usize>().ok().filter(|&col| col > 0).ok_or_else(wrong)?;
    let tile: u64 = tile_text.trim().parse().map_err(|_| wrong())?;
    if row > board.rows || col > board.cols {
        return Err(Failure::usage(format!(
            "there is no row {row} with a column {col}: the board has {} rows and {} columns",
            board.rows, board.cols
        )));
    }
    let cell = (row - 1) * board.cols + col - 1;
    let mut outcomes = Outcomes::with_capacity(rules.description().max_outcomes);
    catch(|| rules.outcomes(made.afterstate, &mut outcomes))?;
    let is_empty = board.rank(made.afterstate.bits(), cell) == 0;
    let mut possible = Vec::new();
    for outcome in outcomes.iter() {
        let rank = board.rank(outcome.state.bits(), cell);
        if is_empty && rank > 0 && board.values.get(usize::from(rank)) == Some(&tile) {
            possible.push(outcome.state);
        }
    }
    match possible[..] {
        [next] => Ok(next),
        [] => {
            let here = catch(|| rules.write(State::from_bits(made.afterstate.bits())))?;
            Err(Failure::usage(format!("no {tile} can enter in row {row}, column {col} of {here}")))
        }
        _ => Err(Failure::usage(
            "the tile does not say all of the position: write the position after the move instead",
        )),
    }
}
