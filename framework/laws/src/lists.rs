//! Lists of successors and outcomes, for comparison and for messages.

use runner_core::{Afterstate, Game, Outcome, Outcomes, State, Successors, catch};

/// Relative difference of two sums of probabilities that rounding explains.
pub const ROUNDING: f64 = 1e-9;

pub fn successors_of<G: Game>(game: &G, state: State) -> Successors {
    let mut list = Successors::new();
    game.successors(state, &mut list);
    list
}

/// Returns the outcomes of an afterstate, sorted by the bits of their states.
pub fn outcomes_of<G: Game>(game: &G, afterstate: Afterstate) -> Vec<Outcome> {
    let mut list = Outcomes::with_capacity(game.description().max_outcomes);
    game.outcomes(afterstate, &mut list);
    sorted(list.to_vec())
}

/// Sorts a distribution by the bits of its states.
pub fn sorted(mut outcomes: Vec<Outcome>) -> Vec<Outcome> {
    outcomes.sort_by_key(|outcome| outcome.state.bits());
    outcomes
}

/// Returns true if two sorted distributions are equal up to rounding.
pub fn same_distribution(a: &[Outcome], b: &[Outcome]) -> bool {
    let close = |a: &Outcome, b: &Outcome| close(a.probability, b.probability, ROUNDING);
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.state == b.state && close(a, b))
}

/// Returns true if two numbers are equal up to a relative tolerance.
pub fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs())
}

/// Returns the text of an afterstate, or its bits if the game panics when writing it.
pub fn written<G: Game>(game: &G, afterstate: Afterstate) -> String {
    match catch(|| game.write_afterstate(afterstate)) {
        Ok(text) => format!("`{text}`"),
        Err(_) => format!("{afterstate:?}"),
    }
}
