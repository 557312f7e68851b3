//! The laws that every game must satisfy, as a test of one line:
//!
//! ```
//! # use runner_core::Game;
//! # fn example(game: impl Game) {
//! runner_laws::assert_holds(&game);
//! # }
//! ```
//!
//! [`assert_holds`] panics with a report, [`check`] returns it, [`agree_with`] compares
//! a fast game with a slow reference. Everything is derived from the seed in
//! [`Effort`]: a game that passes once passes always.
//!
//! One file for each group of laws; `goodness` is the statistics under law 2.
#![forbid(unsafe_code)]

mod accounts;
mod actions;
mod chance;
mod goodness;
mod positions;
mod symmetry;
mod text;
pub mod transcript;
pub mod workload;

use positions::Sample;
use runner_core::{Afterstate, Game, Outcome, Outcomes, Seed, State, Successors, catch};
use std::fmt;

/// A law.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Law {
    /// 1: `outcomes` and `starts` are distributions: distinct states, positive
    /// probabilities that sum to 1, no more than the declared bound.
    Outcomes = 1,
    /// 2: `spawn` and `start` are functions of the random word that draw as
    /// `outcomes` and `starts` say.
    Spawn,
    /// 3: `successors` lists legal actions once each, in order, with finite
    /// rewards; each changes the position; `successor` and a reference say the
    /// same.
    Successors,
    /// 4: a state without successors is terminal, and no playout moves from it.
    Terminal,
    /// 5: the declared symmetries are a group that commutes with actions and chance.
    Symmetry,
    /// 6: the text of a position reads back to it, and a bad text is refused with
    /// the place of the error.
    Text,
    /// 7: rewards add up to the score, and whatever else a game tells twice (its
    /// tiles, layers, row tables, playouts) agrees.
    Accounts,
}

impl Law {
    /// Its number.
    pub fn number(self) -> u8 {
        self as u8
    }

    /// Its name, in one word.
    pub fn name(self) -> &'static str {
        match self {
            Law::Outcomes => "outcomes",
            Law::Spawn => "spawn",
            Law::Successors => "successors",
            Law::Terminal => "terminal",
            Law::Symmetry => "symmetry",
            Law::Text => "text",
            Law::Accounts => "accounts",
        }
    }
}

impl fmt::Display for Law {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "law {} ({})", self.number(), self.name())
    }
}

/// How a game broke a law.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the game breaks {law}{}: {explanation}",
    position.as_ref().map(|text| format!(" at `{text}`")).unwrap_or_default())]
pub struct Violation {
    /// The law.
    pub law: Law,
    /// The position in question as the game writes it, where there is one.
    pub position: Option<String>,
    /// What was found, and what would be right.
    pub explanation: String,
}

/// How much to try. The default takes about a second for 2048.
#[derive(Clone, Debug, PartialEq)]
pub struct Effort {
    /// Everything that is random here unfolds from it.
    pub seed: Seed,
    /// How many games are played to find positions.
    pub games: u64,
    /// After how many moves such a game is broken off: not every game ends.
    pub moves: u64,
    /// How many distinct positions are tried, at most.
    pub positions: usize,
    /// How many random words chance is tested with, in all.
    pub words: u64,
    /// How many spoilt texts are tried.
    pub texts: u64,
}

impl Default for Effort {
    fn default() -> Self {
        Self {
            seed: Seed(2048),
            games: 120,
            moves: 10_000,
            positions: 1_200,
            words: 3_000_000,
            texts: 30_000,
        }
    }
}

/// What was tried, where no law was broken.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Summary {
    /// Games played to find positions.
    pub games: u64,
    /// How many of them ended within the limit of moves.
    pub ended: u64,
    /// Distinct positions tried.
    pub positions: u64,
    /// How many of them are terminal.
    pub terminal: u64,
    /// Distinct afterstates tried.
    pub afterstates: u64,
    /// Random words that chance was tested with.
    pub words: u64,
    /// Spoilt texts tried.
    pub texts: u64,
    /// Symmetries tried, the identity included.
    pub symmetries: u64,
}

impl fmt::Display for Summary {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { games, ended, positions, terminal, afterstates, words, texts, symmetries } =
            self;
        write!(
            f,
            "{positions} positions ({terminal} terminal) of {games} games ({ended} ended), \
             {afterstates} afterstates, {words} random words, {texts} spoilt texts, \
             {symmetries} symmetries"
        )
    }
}

/// Tests that the laws hold, with the default effort.
///
/// # Panics
///
/// If one does not; the message names the law, the position and what differs.
#[track_caller]
pub fn assert_holds<G: Game>(game: &G) {
    if let Err(violation) = check(game, &Effort::default()) {
        panic!("{violation}");
    }
}

/// Tests the laws and says what was tried, or the first violation. A fault of
/// the game is a violation too.
pub fn check<G: Game>(game: &G, effort: &Effort) -> Result<Summary, Violation> {
    check_at(game, effort, &[])
}

/// [`check`] with positions of the caller's own besides those of the games: ones
/// that ordinary play does not reach.
pub fn check_at<G: Game>(
    game: &G,
    effort: &Effort,
    states: &[State],
) -> Result<Summary, Violation> {
    let mut summary = Summary { games: effort.games, ..Summary::default() };
    actions::check_description(game)?;
    chance::check_description(game)?;
    symmetry::check_description(game)?;
    accounts::check_description(game)?;
    let sample = Sample::take(game, effort, states);
    summary.ended = sample.ended;
    summary.positions = sample.states.len() as u64;
    // What is a symptom of a broken law can look like a fault of the play, so a
    // fault is told only where the positions before it show no cause.
    actions::check_lists(game, &sample, &mut summary)?;
    chance::check(game, effort, &sample, &mut summary)?;
    actions::check_changes(game, &sample)?;
    symmetry::check(game, &sample, &mut summary)?;
    text::check(game, effort, &sample, &mut summary)?;
    sample.fault.clone().map_or(Ok(()), Err)?;
    actions::check_terminal(game, effort, &sample)?;
    accounts::check(game, effort, &sample)?;
    Ok(summary)
}

/// Distinct positions from seeded games: early, late and terminal ones.
///
/// # Panics
///
/// If the game faults on the way.
pub fn positions<G: Game>(game: &G, effort: &Effort) -> Vec<State> {
    let sample = Sample::take(game, effort, &[]);
    if let Some(violation) = sample.fault {
        panic!("{violation}");
    }
    sample.states
}

/// Tests that a game and a reference, written for clarity, say the same about
/// these positions: successors, rewards, outcomes and the points chance gives.
///
/// # Panics
///
/// If they differ; the message names the position and what differs.
#[track_caller]
pub fn agree_with<G: Game, R: Game>(
    game: &G,
    reference: &R,
    positions: impl IntoIterator<Item = State>,
) {
    for state in positions {
        let same =
            at(Law::Successors, game, state, || actions::same_successors(game, reference, state))
                .and_then(|afterstates| {
                    at(Law::Outcomes, game, state, || {
                        chance::same_outcomes(game, reference, &afterstates)
                    })
                });
        if let Err(violation) = same {
            panic!("{violation}");
        }
    }
}

/// Runs a check of one position. What it finds, and a fault on the way, is a
/// violation of the law at that position.
fn at<G: Game, T>(
    law: Law,
    game: &G,
    state: State,
    check: impl FnOnce() -> Result<T, String>,
) -> Result<T, Violation> {
    apart(law, check).map_err(|violation| {
        // To write the position may itself fault.
        let text = catch(|| game.write(state)).unwrap_or_else(|_| format!("{state:?}"));
        Violation { position: Some(text), ..violation }
    })
}

/// Runs a check that is about no position in particular.
fn apart<T>(law: Law, check: impl FnOnce() -> Result<T, String>) -> Result<T, Violation> {
    let explanation = match catch(check) {
        Ok(Ok(found)) => return Ok(found),
        Ok(Err(explanation)) => explanation,
        Err(fault) => fault.to_string(),
    };
    Err(Violation { law, position: None, explanation })
}

/// An explanation, unless the condition holds.
fn ensure(condition: bool, explanation: impl FnOnce() -> String) -> Result<(), String> {
    if condition { Ok(()) } else { Err(explanation()) }
}

/// An afterstate for messages, even where the game cannot write it.
fn told<G: Game>(game: &G, afterstate: Afterstate) -> String {
    match catch(|| game.write_afterstate(afterstate)) {
        Ok(text) => format!("`{text}`"),
        Err(_) => format!("{afterstate:?}"),
    }
}

/// The game's successors of a state.
fn successors_of<G: Game>(game: &G, state: State) -> Successors {
    let mut list = Successors::new();
    game.successors(state, &mut list);
    list
}

/// The game's outcomes of an afterstate, in the order of their bits.
fn outcomes_of<G: Game>(game: &G, afterstate: Afterstate) -> Vec<Outcome> {
    let mut list = Outcomes::with_capacity(game.description().max_outcomes);
    game.outcomes(afterstate, &mut list);
    sorted(list.to_vec())
}

/// A distribution in the order of its states' bits, for comparison and lookup.
fn sorted(mut outcomes: Vec<Outcome>) -> Vec<Outcome> {
    outcomes.sort_by_key(|outcome| outcome.state.bits());
    outcomes
}

/// Whether two numbers are the same but for the rounding of a sum in another order.
fn close(a: f64, b: f64, tolerance: f64) -> bool {
    a == b || (a - b).abs() <= tolerance * a.abs().max(b.abs())
}
