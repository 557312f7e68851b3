//! Law 6: positions as text, and invalid texts.

use crate::effort::{CheckSummary, Effort};
use crate::law::{Law, Violation, check_game, check_state, ensure};
use crate::lists::{outcomes_of, successors_of};
use crate::positions::{PositionSample, not_reserved};
use runner_core::{Fault, Game, Random, State, catch};

/// Number of positions whose texts are corrupted.
const CORRUPTED: usize = 100;

/// Pieces inserted into a text to corrupt it, separated by `|`: parts of texts of positions, and
/// texts that parsers often handle wrongly.
const PIECES: &str = "0|1|2|9|3072|-|+|.|,|/|=| |\t|\n|\0|a|Z|é|\u{1f0a1}|99999999999999999999999";

/// Checks law 6 at every position, and with corrupted texts.
pub fn check<G: Game>(
    game: &G,
    effort: &Effort,
    sample: &PositionSample,
    summary: &mut CheckSummary,
) -> Result<(), Violation> {
    let mut texts = Vec::new();
    for &state in &sample.states {
        texts.push(check_state(Law::Text, game, state, || {
            let text = reads_back(game, state)?;
            for successor in successors_of(game, state).iter() {
                one_line(&game.write_afterstate(successor.afterstate))?;
            }
            Ok(text)
        })?);
    }
    let mut random = Random::stream(effort.seed, u64::MAX - 2);
    let bases = texts.len().min(CORRUPTED);
    for text in (0..bases).map(|i| &texts[i * texts.len() / bases]) {
        let cuts = text.char_indices().map(|(at, _)| text[..at].to_owned());
        let room = effort.texts.saturating_sub(summary.texts);
        let share = (effort.texts / bases as u64).min(room);
        let more = (0..share).map(|_| corrupt(text, &mut random));
        for corrupted in cuts.chain(more).take(share as usize) {
            summary.texts += 1;
            check_game(Law::Text, || {
                rejected_or_read(game, &corrupted)
                    .map_err(|what| format!("the text {corrupted:?} (from `{text}`): {what}"))
            })?;
        }
    }
    Ok(())
}

/// Returns the text of a state if it is one line that reads back to the state.
fn reads_back<G: Game>(game: &G, state: State) -> Result<String, String> {
    let text = game.write(state);
    one_line(&text)?;
    match game.parse(&text) {
        Ok(read) if read == state => Ok(text),
        Ok(read) => Err(format!("{state:?} is written as `{text}`, which reads back as {read:?}")),
        Err(error) => Err(format!("its own text is rejected: {error}")),
    }
}

fn one_line(text: &str) -> Result<(), String> {
    ensure(!text.contains(['\n', '\r']), || format!("the text {text:?} has more than one line"))
}

/// Removes, doubles, replaces, inserts or copies a piece, one to three times.
fn corrupt(text: &str, random: &mut Random) -> String {
    let pieces: Vec<&str> = PIECES.split('|').collect();
    let mut parts: Vec<String> = text.chars().map(String::from).collect();
    for _ in 0..=random.below(3) {
        let at = random.below(parts.len() as u32 + 1) as usize;
        let piece = pieces[random.below(pieces.len() as u32) as usize].to_owned();
        match random.below(5) {
            0 if at < parts.len() => {
                let end = at + 1 + random.below((parts.len() - at) as u32) as usize;
                let to = random.below(parts.len() as u32 + 1) as usize;
                parts.splice(to..to, parts[at..end].to_vec());
            }
            1 if at < parts.len() => drop(parts.remove(at)),
            2 if at < parts.len() => parts.insert(at, parts[at].clone()),
            3 if at < parts.len() => parts[at] = piece,
            _ => parts.insert(at, piece),
        }
    }
    parts.concat()
}

/// Checks that a text is rejected at a place within it, or read as a position that the game
/// can write, read back and continue from.
fn rejected_or_read<G: Game>(game: &G, text: &str) -> Result<(), String> {
    match catch(|| game.parse(text)).map_err(|Fault(what)| format!("`parse` {what}"))? {
        Err(error) => ensure(text.is_char_boundary(error.at), || {
            let end = text.len();
            format!(
                "rejected at byte {}, which is not a character boundary in 0 to {end}: {error}",
                error.at
            )
        }),
        Ok(state) => {
            not_reserved(state)?;
            reads_back(game, state)?;
            let played = catch(|| {
                for successor in successors_of(game, state).iter() {
                    outcomes_of(game, successor.afterstate);
                }
            });
            played.map_err(|fault| format!("it is read, but play cannot continue: {fault}"))
        }
    }
}
