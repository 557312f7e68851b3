//! Faults that ended games, counted by kind.

use serde::Serialize;
use std::cmp::Reverse;
use std::collections::BTreeMap;

/// Maximum number of kinds that are counted.
const KINDS: usize = 100;

/// The faults of the games of a player.
#[derive(Clone, Debug, Default)]
pub struct Faults {
    count: u64,
    /// By the result of [`kind`].
    kinds: BTreeMap<String, Cause>,
}

/// A kind of fault, and the number of games that it ended.
#[derive(Clone, Debug, Serialize)]
pub struct Cause {
    /// Message of the fault in the first of these games.
    pub message: String,
    pub games: u64,
    /// Number of the first game.
    #[serde(skip)]
    first: u64,
}

impl Faults {
    /// Adds the fault of a game. The order in which games are added matters only if there are more
    /// than 100 kinds.
    pub fn add(&mut self, number: u64, message: &str) {
        self.count += 1;
        let kind = kind(message);
        if let Some(cause) = self.kinds.get_mut(&kind) {
            cause.games += 1;
            if number < cause.first {
                (cause.first, cause.message) = (number, message.to_owned());
            }
        } else if self.kinds.len() < KINDS {
            let message = message.to_owned();
            self.kinds.insert(kind, Cause { message, games: 1, first: number });
        }
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the message of the first game, by number, that ended in a fault.
    pub fn first(&self) -> Option<&str> {
        let first = self.kinds.values().min_by_key(|cause| cause.first);
        first.map(|cause| cause.message.as_str())
    }

    /// Returns the kinds, the most frequent first.
    pub fn into_causes(self) -> Vec<Cause> {
        let mut causes: Vec<_> = self.kinds.into_values().collect();
        causes.sort_by_key(|cause| (Reverse(cause.games), cause.first));
        causes
    }
}

/// Returns the kind of a message: quoted text is left out, each number becomes `0`, and the
/// message ends at the first semicolon outside of quotes.
fn kind(message: &str) -> String {
    let mut kind = String::new();
    // The character that ends the quoted text, while inside of it.
    let mut quote = None;
    for c in message.chars() {
        if let Some(end) = quote {
            if c == end {
                quote = None;
            }
            continue;
        }
        match c {
            ';' => break,
            '`' | '"' => quote = Some(c),
            '0'..='9' if kind.ends_with('0') => {}
            '0'..='9' => kind.push('0'),
            _ => kind.push(c),
        }
    }
    kind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_that_differ_in_their_turn_or_position_are_of_one_kind() {
        let illegal = |turn: u32, given: &str, state: &str| {
            format!(
                "`python3 a.py` answered `{given}`: illegal in {state}, at turn {turn}; its end"
            )
        };
        let late = "`x=1; python3 a.py` did not answer within 500ms, at turn 3";
        let mut faults = Faults::default();
        assert_eq!(faults.first(), None);
        faults.add(7, &illegal(17, "{\"action\": 0}", "2,4,16/0,0,2"));
        faults.add(9, late);
        faults.add(5, &illegal(230, "{\"action\": 3}", "128,4,0/2,0,2"));
        assert_eq!((faults.count(), faults.first().unwrap().contains("turn 230")), (3, true));
        let causes = faults.into_causes();
        let counted: Vec<_> = causes.iter().map(|c| (c.games, c.message.as_str())).collect();
        let first = illegal(230, "{\"action\": 3}", "128,4,0/2,0,2");
        assert_eq!(counted, [(2, first.as_str()), (1, late)]);
    }

    #[test]
    fn number_of_kinds_is_limited_and_that_of_faults_is_not() {
        let mut faults = Faults::default();
        (0..300).for_each(|number| faults.add(number, &"x".repeat(number as usize)));
        assert_eq!((faults.count(), faults.into_causes().len()), (300, KINDS));
    }
}
