//! The rules of a game.

use crate::rows::RowTables;
use crate::{
    Action, Afterstate, Description, Fault, Outcome, Outcomes, Playout, Random, State, Successor,
    Successors, TextError,
};
use std::any::Any;
use std::sync::Arc;

/// The rules of a single-player game of chance.
///
/// ```text
/// State --action--> (Afterstate, reward) --chance--> State
/// ```
///
/// Only the first eight methods are required. The rules hold no random generator and no
/// mutable state: everything is a function of the 16-byte positions, and one game serves
/// all threads. The crate `runner-laws` tests an implementation in one line.
pub trait Game: Send + Sync {
    /// Returns the game's description of itself. It never changes.
    fn description(&self) -> &Description;

    /// Returns a start position, drawn with 64 random bits.
    fn start(&self, random: u64) -> State;

    /// Clears `out` and fills it with the legal actions, in the order of the action list,
    /// with their rewards and afterstates. It stays empty exactly if the game is over.
    fn successors(&self, state: State, out: &mut Successors);

    /// Clears `out` and fills it with the chance outcomes: distinct states with positive
    /// probabilities that sum to 1.
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes);

    /// Returns a chance outcome, drawn with 64 random bits from the distribution of
    /// [`outcomes`](Game::outcomes).
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State;

    /// Returns the position as text, on one line.
    fn write(&self, state: State) -> String;

    /// Returns the afterstate as text, on one line, for messages and transcripts.
    fn write_afterstate(&self, afterstate: Afterstate) -> String;

    /// Reads a position that [`write`](Game::write) wrote or a person typed.
    fn parse(&self, text: &str) -> Result<State, TextError>;

    // The defaults of all further methods are correct for every game.

    /// Returns the result of one action, or `None` if it is not legal.
    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        let mut all = Successors::new();
        self.successors(state, &mut all);
        all.of(action).copied()
    }

    /// Returns the reward of the chance event that leads from an afterstate to a state, or that of
    /// the start position `to` if `from` is `None`. The score of a game is the sum of these and of
    /// the rewards of all actions.
    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        let _ = (from, to);
        0.0
    }

    /// Returns true if [`chance_reward`](Game::chance_reward) is ever different from 0.
    fn has_chance_rewards(&self) -> bool {
        false
    }

    /// Returns every start position with its probability, if they can be listed.
    fn starts(&self) -> Option<Vec<Outcome>> {
        None
    }

    /// Returns the value of the max tile, for statistics; `None` if there is none.
    fn max_tile(&self, state: State) -> Option<u64> {
        let _ = state;
        None
    }

    /// Returns a number that every chance event increases, if the game has one, such as
    /// the sum of the tiles of 2048. Exact solvers work layer by layer.
    fn layer(&self, state: State) -> Option<u64> {
        let _ = state;
        None
    }

    /// Returns the image of a state under a symmetry, by its index in the
    /// [`Geometry`](crate::geometry::Geometry). The default permutes the cells and leaves all
    /// other bits unchanged.
    fn transform(&self, state: State, symmetry: usize) -> State {
        match &self.description().geometry {
            Some(board) => State::from_bits(board.transform(state.bits(), symmetry)),
            None => state,
        }
    }

    /// Returns the image of an afterstate under a symmetry.
    fn transform_afterstate(&self, afterstate: Afterstate, symmetry: usize) -> Afterstate {
        match &self.description().geometry {
            Some(board) => Afterstate::from_bits(board.transform(afterstate.bits(), symmetry)),
            None => afterstate,
        }
    }

    /// Replaces each state by its smallest image under all symmetries. States that differ only by
    /// a symmetry become equal. Solvers pass many at a time.
    fn canonical_states(&self, states: &mut [State]) {
        let symmetries = self.description().geometry.as_ref().map_or(0, |b| b.symmetries.len());
        for state in states {
            let original = *state;
            for k in 1..symmetries {
                *state = self.transform(original, k).min(*state);
            }
        }
    }

    /// Replaces each afterstate by its smallest image under all symmetries.
    fn canonical_afterstates(&self, afterstates: &mut [Afterstate]) {
        let symmetries = self.description().geometry.as_ref().map_or(0, |b| b.symmetries.len());
        for afterstate in afterstates {
            let original = *afterstate;
            for k in 1..symmetries {
                *afterstate = self.transform_afterstate(original, k).min(*afterstate);
            }
        }
    }

    /// Returns the rules of a sliding board as tables. A caller that holds them moves without
    /// calling the game.
    fn tables(&self) -> Option<&RowTables> {
        None
    }

    /// Plays a game from each of `starts` to its end with uniformly random legal actions, and
    /// writes its result at the same place of `results`, which is as long. A loaded game plays on
    /// its own side of the plugin boundary. Callers pass many starts at a time, so that an
    /// implementation can interleave the games.
    fn playouts(&self, starts: &[State], random: u64, results: &mut [Playout]) {
        random_games(self, starts, random, results);
    }

    /// Returns the proxy of a loaded game, if this game has the same rules. Loaded agents and
    /// values use it to recognise the game that they were built for; every other game is passed
    /// to them across the boundary.
    ///
    /// Only proxies of loaded games implement it. A game that wraps another and changes its rules
    /// must not forward it: the changes would be ignored.
    fn as_loaded(&self) -> Option<&dyn Any> {
        // `Any`, because the type of the proxy is in `runner-plugin`, which depends on this crate.
        None
    }
}

/// Implements the named methods of [`Game`] by calling the same method of a wrapped game, which an
/// expression names. The other methods are written by hand, or keep their defaults.
///
/// A wrapper that changes rules must not forward methods that depend on them. In particular,
/// [`tables`](Game::tables) and [`playouts`](Game::playouts) depend on all rules.
///
/// ```
/// use runner_core::{Afterstate, Game, Outcomes, State, Successors, TextError, forward_game};
///
/// /// A game without the last of several actions.
/// struct Shortened<G> {
///     game: G,
/// }
///
/// impl<G: Game> Game for Shortened<G> {
///     forward_game!(|this| this.game; description, start, outcomes, spawn, write,
///         write_afterstate, parse, chance_reward, has_chance_rewards, starts, max_tile);
///
///     fn successors(&self, state: State, out: &mut Successors) {
///         let mut all = Successors::new();
///         self.game.successors(state, &mut all);
///         out.clear();
///         for s in &all[..all.len().min(3)] {
///             out.push(s.action, s.afterstate, s.reward);
///         }
///     }
/// }
/// ```
#[macro_export]
macro_rules! forward_game {
    (|$this:ident| $game:expr; $($method:ident),+ $(,)?) => {
        $($crate::forward_game!(@ $method |$this| $game);)+
    };
    // `@ method` adds the signature of the method, and `#` defines it.
    (@ description $($to:tt)+) => {
        $crate::forward_game!(# $($to)+; description() -> &$crate::Description);
    };
    (@ start $($to:tt)+) => {
        $crate::forward_game!(# $($to)+; start(random: u64) -> $crate::State);
    };
    (@ successors $($to:tt)+) => {
        $crate::forward_game!(# $($to)+;
            successors(state: $crate::State, out: &mut $crate::Successors) -> ());
    };
    (@ outcomes $($to:tt)+) => {
        $crate::forward_game!(# $($to)+;
            outcomes(afterstate: $crate::Afterstate, out: &mut $crate::Outcomes) -> ());
    };
    (@ spawn $($to:tt)+) => {
        $crate::forward_game!(# $($to)+;
            spawn(afterstate: $crate::Afterstate, random: u64) -> $crate::State);
    };
    (@ write $($to:tt)+) => {
        $crate::forward_game!(# $($to)+; write(state: $crate::State) -> String);
    };
    (@ write_afterstate $($to:tt)+) => {
        $crate::forward_game!(# $($to)+;
            write_afterstate(afterstate: $crate::Afterstate) -> String);
    };
    (@ parse $($to:tt)+) => {
        $crate::forward_game!(# $($to)+;
            parse(text: &str) -> Result<$crate::State, $crate::TextError>);
    };
    (@ successor $($to:tt)+) => {
        $crate::forward_game!(# $($to)+;
            successor(state: $crate::State, action: $crate::Action) -> Option<$crate::Successor>);
    };
    (@ chance_reward $($to:tt)+) => {
        $crate::forward_game!(# $($to)+;
            chance_reward(from: Option<$crate::Afterstate>, to: $crate::State) -> f32);
    };
    (@ has_chance_rewards $($to:tt)+) => {
        $crate::forward_game!(# $($to)+; has_chance_rewards() -> bool);
    };
    (@ starts $($to:tt)+) => {
        $crate::forward_game!(# $($to)+; starts() -> Option<Vec<$crate::Outcome>>);
    };
    (@ max_tile $($to:tt)+) => {
        $crate::forward_game!(# $($to)+; max_tile(state: $crate::State) -> Option<u64>);
    };
    (@ layer $($to:tt)+) => {
        $crate::forward_game!(# $($to)+; layer(state: $crate::State) -> Option<u64>);
    };
    (@ transform $($to:tt)+) => {
        $crate::forward_game!(# $($to)+;
            transform(state: $crate::State, symmetry: usize) -> $crate::State);
    };
    (@ transform_afterstate $($to:tt)+) => {
        $crate::forward_game!(# $($to)+;
            transform_afterstate(afterstate: $crate::Afterstate, symmetry: usize) -> $crate::Afterstate);
    };
    (@ canonical_states $($to:tt)+) => {
        $crate::forward_game!(# $($to)+; canonical_states(states: &mut [$crate::State]) -> ());
    };
    (@ canonical_afterstates $($to:tt)+) => {
        $crate::forward_game!(# $($to)+;
            canonical_afterstates(afterstates: &mut [$crate::Afterstate]) -> ());
    };
    (@ tables $($to:tt)+) => {
        $crate::forward_game!(# $($to)+; tables() -> Option<&$crate::rows::RowTables>);
    };
    (@ playouts $($to:tt)+) => {
        $crate::forward_game!(# $($to)+;
            playouts(starts: &[$crate::State], random: u64, results: &mut [$crate::Playout]) -> ());
    };
    (@ as_loaded $($to:tt)+) => {
        $crate::forward_game!(# $($to)+; as_loaded() -> Option<&dyn ::std::any::Any>);
    };
    (# |$this:ident| $game:expr;
        $method:ident($($argument:ident: $type:ty),*) -> $result:ty
    ) => {
        #[inline]
        fn $method(&self, $($argument: $type),*) -> $result {
            let $this = self;
            $game.$method($($argument),*)
        }
    };
}

/// Implements [`Game`] for a pointer to a game.
macro_rules! game_behind {
    ($pointer:ty) => {
        #[warn(clippy::missing_trait_methods)]
        impl<G: Game + ?Sized> Game for $pointer {
            forward_game!(|this| (**this);
                description, start, successors, outcomes, spawn, write, write_afterstate, parse,
                successor, chance_reward, has_chance_rewards, starts, max_tile, layer, transform,
                transform_afterstate, canonical_states, canonical_afterstates, tables, playouts,
                as_loaded
            );
        }
    };
}

game_behind!(&G);
game_behind!(Arc<G>);

/// Moves after which a random game counts as endless.
const MAX_RANDOM_MOVES: u64 = 10_000_000;

/// Plays a game from each of `starts` to its end with uniformly random legal actions, for
/// any game: the default of [`Game::playouts`].
///
/// An action is drawn from all actions, and another one is drawn if it is not legal. So most
/// moves compute the successor of one action instead of all.
///
/// # Panics
///
/// If there are not as many results as starts. Raises a [`Fault`] if a game does not end within
/// 10,000,000 moves: an agent would wait for it forever.
pub fn random_games<G: Game + ?Sized>(
    game: &G,
    starts: &[State],
    random: u64,
    results: &mut [Playout],
) {
    assert_eq!(starts.len(), results.len());
    let mut stream = Random::from_word(random);
    let actions = game.description().actions.len() as u32;
    let chance_rewards = game.has_chance_rewards();
    for (&start, result) in starts.iter().zip(results) {
        *result = Playout { last: start, ..Playout::default() };
        while let Some(chosen) = draw_action(game, result.last, actions, &mut stream) {
            result.score += f64::from(chosen.reward);
            result.moves += 1;
            if result.moves > MAX_RANDOM_MOVES {
                let text = game.write(start);
                let message =
                    format!("random moves from {text} do not end the game within 10,000,000 moves");
                Fault::new(message).raise();
            }
            let next = game.spawn(chosen.afterstate, stream.word());
            if chance_rewards {
                result.score += f64::from(game.chance_reward(Some(chosen.afterstate), next));
            }
            result.last = next;
        }
    }
}

/// Returns the successor of a uniformly random legal action, or `None` in a terminal state.
#[inline(always)]
fn draw_action<G: Game + ?Sized>(
    game: &G,
    state: State,
    actions: u32,
    random: &mut Random,
) -> Option<Successor> {
    // Bit k is set if action k may be legal.
    let mut untried = u64::MAX >> (u64::BITS - actions);
    while untried != 0 {
        let action = Action(random.below(actions) as u8);
        if untried >> action.0 & 1 == 0 {
            continue;
        }
        if let Some(successor) = game.successor(state, action) {
            return Some(successor);
        }
        untried &= !(1 << action.0);
    }
    None
}
