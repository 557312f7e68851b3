//! Games as text of other programs: a list of positions, or a first position and a list of moves
//! with the tiles that entered.

use crate::failure::Failure;
use crate::position::parse;
use crate::positions::numbered_lines;
use crate::registry::{LoadedGame, Registry};
use crate::watched::WatchedGame;
use runner_core::{Action, Game, Outcomes, State, Successor, Successors, catch};
use runner_records::ReplayedMove;

/// The examples that messages show.
const FORMS: &str = "each line is a position, or a move and the tile that entered, as in \
                     `left 2@4,1` (row 4, column 1)";

/// A game that can have happened.
#[derive(Debug)]
pub struct WrittenGame {
    pub start: State,
    pub moves: Vec<ReplayedMove>,
}

/// Reads a game. Empty lines, and those that begin with `#`, are skipped. A line that cannot have
/// happened after the one before is refused with its number; `name` is that of the text.
pub fn read(
    game: &LoadedGame,
    text: &str,
    name: &str,
    registry: &Registry,
) -> Result<WrittenGame, Failure> {
    let mut found: Option<WrittenGame> = None;
    for (number, line) in numbered_lines(text) {
        let refused = |failure: Failure| match failure {
            Failure::Usage { message, place } => Failure::Usage {
                message: format!("{name}, line {number}: {message}"),
                place: place.or_else(|| Some(format!("{line}\n^"))),
            },
            other => other,
        };
        match &mut found {
            None => {
                let start = parse(game, line, registry).map_err(refused)?;
                found = Some(WrittenGame { start, moves: Vec::new() });
            }
            Some(WrittenGame { start, moves }) => {
                let state = moves.last().map_or(*start, |last| last.next);
                moves.push(step(game, state, line, registry).map_err(refused)?);
            }
        }
    }
    found.ok_or_else(|| Failure::usage(format!("{name}: there is no game in it; {FORMS}")))
}

/// Returns the move that a line describes.
fn step(
    game: &LoadedGame,
    state: State,
    line: &str,
    registry: &Registry,
) -> Result<ReplayedMove, Failure> {
    let rules = WatchedGame::of(game);
    let mut legal = Successors::new();
    catch(|| rules.successors(state, &mut legal))?;
    let words = line.split_once(char::is_whitespace);
    let named = words.and_then(|(word, rest)| Some((action(game, word)?, word, rest.trim())));
    let candidates: Vec<Successor> = legal
        .iter()
        .filter(|one| named.is_none_or(|named| named.0 == one.action))
        .copied()
        .collect();
    let text = catch(|| rules.write(state))?;
    let next = match named {
        Some((_, word, _)) if candidates.is_empty() => {
            return Err(Failure::usage(format!("`{word}` is not legal in {text}")));
        }
        Some((_, _, entered)) if entered.contains('@') => entering(game, candidates[0], entered)?,
        Some((_, _, position)) => parse(game, position, registry)?,
        None => parse(game, line, registry).map_err(|failure| match failure {
            Failure::Usage { message, place } => {
                Failure::Usage { message: format!("{message}; {FORMS}"), place }
            }
            other => other,
        })?,
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

/// Returns the action with a name, or with its first letter if no other one has that.
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

/// Returns the position after a tile has entered: `2@4,1` is a 2 in row 4 and column 1.
fn entering(game: &LoadedGame, made: Successor, text: &str) -> Result<State, Failure> {
    let rules = WatchedGame::of(game);
    let wrong =
        || Failure::usage(format!("`{text}` is no tile with its row and column, as in `2@4,1`"));
    let Some(board) = &rules.description().geometry else {
        return Err(Failure::usage("this game has no board: write positions"));
    };
    let (tile_text, place) = text.split_once('@').ok_or_else(wrong)?;
    let (row_text, col_text) = place.split_once(',').ok_or_else(wrong)?;
    let number = |text: &str| text.trim().parse::<usize>().ok().filter(|&number| number > 0);
    let (row, col) = number(row_text).zip(number(col_text)).ok_or_else(wrong)?;
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
    let enters = |state: State| {
        let (before, after) =
            (board.rank(made.afterstate.bits(), cell), board.rank(state.bits(), cell));
        before == 0 && after > 0 && board.values.get(usize::from(after)) == Some(&tile)
    };
    let mut possible = outcomes.iter().map(|outcome| outcome.state).filter(|&state| enters(state));
    match (possible.next(), possible.next()) {
        (Some(next), None) => Ok(next),
        (None, _) => {
            let here = catch(|| rules.write(State::from_bits(made.afterstate.bits())))?;
            Err(Failure::usage(format!("no {tile} can enter in row {row}, column {col} of {here}")))
        }
        _ => Err(Failure::usage(
            "the tile does not say all of the position: write the position after the move instead",
        )),
    }
}
