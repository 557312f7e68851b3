//! Positions as text: the board, the announced tile, and the numbers of 1s, 2s and 3s in the
//! bag: `1,2,0,3/... next=bonus bag=2,4,3`, or `next=6,12,24` where a bonus is announced as a set.

use crate::bag::Bag;
use crate::layout::{Announcement, BONUS, LastMove};
use crate::rules::Threes;
use crate::tiles::{MIN_BONUS_RANK, set_text, value};
use runner_core::{Afterstate, State, TextError};
use runner_sliding::text::parse_cells;

pub fn write(game: &Threes, state: State) -> String {
    let Announcement { next, bag, bonus } = Announcement::of(state.bits());
    let next = match next {
        BONUS if game.shows_set => set_text(bonus),
        BONUS => "bonus".to_owned(),
        next => (next + 1).to_string(),
    };
    format!("{} next={next} bag={}", game.board.write(state.bits()), counts(bag))
}

pub fn write_afterstate(game: &Threes, afterstate: Afterstate) -> String {
    let bits = afterstate.bits();
    let LastMove { direction, lines } = LastMove::of(bits);
    let lines: Vec<String> =
        (0..5).filter(|line| lines >> line & 1 != 0).map(|line| (line + 1).to_string()).collect();
    let mut text = write(game, State::from_bits(bits));
    let max_rank = Announcement::of(bits).bonus as u8;
    if max_rank != 0 && !game.shows_set {
        text += &format!(" greatest={}", value(max_rank));
    }
    text + &format!(" moved={} enters={}", direction.name(), lines.join(","))
}

fn counts(bag: Bag) -> String {
    bag.counts().map(|count| count.to_string()).join(",")
}

/// The byte at which a field's value begins, and the value.
type Field<'a> = Option<(usize, &'a str)>;

pub fn parse(game: &Threes, text: &str) -> Result<State, TextError> {
    let (board, rest) = parse_cells(game.board.geometry(), text)?;
    let (mut next, mut bag): (Field<'_>, Field<'_>) = (None, None);
    let mut at = text.len() - rest.len();
    if let Some(found) = rest.chars().next().filter(|found| !found.is_ascii_whitespace()) {
        let message = format!("expected ` next=` after the board, found {found:?}");
        return Err(TextError::new(at, message));
    }
    for word in rest.split(|c: char| c.is_ascii_whitespace()).skip(1) {
        at += 1;
        if word.is_empty() {
            continue;
        }
        let (key, value) = word.split_once('=').unwrap_or((word, ""));
        let field = match key {
            "next" => &mut next,
            "bag" => &mut bag,
            _ => {
                let message = format!("expected next= or bag=, found {word:?}");
                return Err(TextError::new(at, message));
            }
        };
        if field.is_some() {
            return Err(TextError::new(at, format!("{key}= is given twice")));
        }
        *field = Some((at + key.len() + 1, value)).filter(|_| word.len() > key.len());
        at += word.len();
    }
    let missing = |what: &str| {
        TextError::new(text.len(), format!("{what}; a position ends like ` next=1 bag=3,4,4`"))
    };
    let next = next.ok_or_else(|| missing("next=, the announced tile, is missing"))?;
    let bag = bag.ok_or_else(|| missing("bag=, the rest of the bag, is missing"))?;
    let (next, bonus) = read_next(game, board, next)?;
    let known = Announcement { next, bag: read_bag(game, next, bag)?, bonus };
    Ok(State::from_bits(board | known.bits()))
}

/// Reads the announced tile, and the number of the set that announces a bonus.
fn read_next(
    game: &Threes,
    board: u128,
    (at, text): (usize, &str),
) -> Result<(u32, u32), TextError> {
    let refuse = |message: &str| Err(TextError::new(at, message));
    match text {
        "1" => Ok((0, 0)),
        "2" => Ok((1, 0)),
        "3" => Ok((2, 0)),
        _ if game.bonus_odds == 0 => refuse("this game has no bonus tiles: next= is 1, 2 or 3"),
        _ if game.shows_set => {
            let mut sets = game.sets(board).filter(|&number| number > 0);
            match sets.clone().find(|&number| set_text(number) == text) {
                Some(number) => Ok((BONUS, number)),
                None if sets.next().is_none() => {
                    refuse("next= is 1, 2 or 3: a bonus needs a tile of 48 or more on the board")
                }
                None => {
                    let sets: Vec<_> = game.sets(board).map(set_text).collect();
                    let message = format!("next= is 1, 2, 3, or a set: {}", sets.join(" or "));
                    refuse(&message)
                }
            }
        }
        "bonus" if game.board.max_rank(board) < MIN_BONUS_RANK => {
            refuse("a bonus needs a tile of 48 or more on the board")
        }
        "bonus" => Ok((BONUS, 0)),
        _ => refuse("next= is 1, 2, 3 or bonus"),
    }
}

fn read_bag(game: &Threes, next: u32, (at, text): (usize, &str)) -> Result<Bag, TextError> {
    let full = game.full.counts();
    let of_each = full[0];
    let refuse = |at, message: String| Err(TextError::new(at, message));
    let (mut left, mut places) = ([0; 3], [at; 3]);
    let mut place = at;
    let mut parts = text.split(',');
    for (kind, count) in left.iter_mut().enumerate() {
        places[kind] = place;
        let part = parts.next().unwrap_or("");
        let is_number = !part.is_empty() && part.bytes().all(|byte| byte.is_ascii_digit());
        *count = match part.parse() {
            Ok(number) if is_number && number <= of_each => number,
            _ => {
                let tile = kind + 1;
                let message = format!("expected the number of {tile}s in the bag, 0 to {of_each}");
                return refuse(place.min(at + text.len()), message);
            }
        };
        place += part.len() + 1;
    }
    if parts.next().is_some() {
        return refuse(place - 1, "bag= takes three numbers: of 1s, 2s and 3s".to_owned());
    }
    let bag = Bag::of(left);
    if bag.len() == 0 {
        let full = counts(game.full);
        return refuse(at, format!("an empty bag is refilled: bag={full}"));
    }
    // The announced tile has been drawn; if it was the last, the bag is full.
    let was_drawn = next == BONUS || bag == game.full || left[next as usize] < of_each;
    if !was_drawn {
        let (tile, max) = (next + 1, of_each - 1);
        let message = format!(
            "the announced {tile} was drawn from the bag: a bag that is not full has at most \
             {max}"
        );
        return refuse(places[next as usize], message);
    }
    Ok(bag)
}
