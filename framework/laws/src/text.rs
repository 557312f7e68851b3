//! Law 6: positions as text, and texts that are none.

use crate::positions::{Sample, usable};
use crate::{Effort, Law, Summary, Violation, apart, at, ensure, outcomes_of, successors_of};
use runner_core::{Fault, Game, Random, State, catch};

/// From how many positions spoilt texts are made.
const SPOILT: usize = 100;

/// What is written into a text to spoil it: what texts of positions are made
/// of, and what readers stumble on.
const STRANGE: [&str; 20] = [
    "0",
    "1",
    "2",
    "9",
    "3072",
    "-",
    "+",
    ".",
    ",",
    "/",
    "=",
    " ",
    "\t",
    "\n",
    "\0",
    "a",
    "Z",
    "é",
    "\u{1f0a1}",
    "99999999999999999999999",
];

/// Law 6 on every position, and on texts near theirs.
pub fn check<G: Game>(
    game: &G,
    effort: &Effort,
    sample: &Sample,
    summary: &mut Summary,
) -> Result<(), Violation> {
    let mut texts = Vec::new();
    for &state in &sample.states {
        texts.push(at(Law::Text, game, state, || {
            let text = reads_back(game, state)?;
            for successor in successors_of(game, state).iter() {
                one_line(&game.write_afterstate(successor.afterstate))?;
            }
            Ok(text)
        })?);
    }
    let mut random = Random::stream(effort.seed, u64::MAX - 2);
    let bases = texts.len().min(SPOILT);
    for text in (0..bases).map(|i| &texts[i * texts.len() / bases]) {
        let cuts = text.char_indices().map(|(at, _)| text[..at].to_owned());
        let room = effort.texts.saturating_sub(summary.texts);
        let share = (effort.texts / bases as u64).min(room);
        let more = (0..share).map(|_| spoil(text, &mut random));
        for spoilt in cuts.chain(more).take(share as usize) {
            summary.texts += 1;
            apart(Law::Text, || {
                refused_or_read(game, &spoilt)
                    .map_err(|what| format!("the text {spoilt:?} (from `{text}`): {what}"))
            })?;
        }
    }
    Ok(())
}

/// The text of a state, if it is one line that reads back to the state.
fn reads_back<G: Game>(game: &G, state: State) -> Result<String, String> {
    let text = game.write(state);
    one_line(&text)?;
    match game.parse(&text) {
        Ok(read) if read == state => Ok(text),
        Ok(read) => Err(format!("`{text}` is written for {state:?} and read as {read:?}")),
        Err(error) => Err(format!("its own text is refused: {error}")),
    }
}

fn one_line(text: &str) -> Result<(), String> {
    ensure(!text.contains(['\n', '\r']), || format!("the text {text:?} is more than one line"))
}

/// Removes, doubles, replaces, inserts or copies a piece, once to three times.
fn spoil(text: &str, random: &mut Random) -> String {
    let mut parts: Vec<String> = text.chars().map(String::from).collect();
    for _ in 0..=random.below(3) {
        let at = random.below(parts.len() as u32 + 1) as usize;
        let strange = STRANGE[random.below(STRANGE.len() as u32) as usize].to_owned();
        match random.below(5) {
            0 if at < parts.len() => {
                let end = at + 1 + random.below((parts.len() - at) as u32) as usize;
                let to = random.below(parts.len() as u32 + 1) as usize;
                parts.splice(to..to, parts[at..end].to_vec());
            }
            1 if at < parts.len() => drop(parts.remove(at)),
            2 if at < parts.len() => parts.insert(at, parts[at].clone()),
            3 if at < parts.len() => parts[at] = strange,
            _ => parts.insert(at, strange),
        }
    }
    parts.concat()
}

/// A text is refused at a place within it, or read to a position that the game
/// can write, read and play on from.
fn refused_or_read<G: Game>(game: &G, text: &str) -> Result<(), String> {
    match catch(|| game.parse(text)).map_err(|Fault(what)| format!("`parse` {what}"))? {
        Err(error) => ensure(text.is_char_boundary(error.at), || {
            let end = text.len();
            format!("refused at byte {}, which is no place in it (0 to {end}): {error}", error.at)
        }),
        Ok(state) => {
            usable(state)?;
            reads_back(game, state)?;
            let played = catch(|| {
                for successor in successors_of(game, state).iter() {
                    outcomes_of(game, successor.afterstate);
                }
            });
            played.map_err(|fault| format!("it is read, but cannot be played on: {fault}"))
        }
    }
}
