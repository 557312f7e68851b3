//! The rules of a game.

use crate::rows::RowTables;
use crate::{Action, Afterstate, Description, Outcomes, State, Successor, Successors, TextError};

/// The rules of a single-player game of chance.
///
/// ```text
/// State --action--> (Afterstate, reward) --chance--> State
/// ```
///
/// The trait is wide, and only the first eight methods are required. The rules
/// hold no random generator and no state of their own: everything is a function
/// of the 16-byte positions, and one game serves all threads.
/// [`laws`](crate::laws) tests an implementation in one line.
pub trait Game: Send + Sync {
    /// What the game says about itself. It never changes.
    fn description(&self) -> &Description;

    /// A start position, drawn with 64 random bits.
    fn start(&self, random: u64) -> State;

    /// Fills `out` with every legal action, in the order of the action list,
    /// and what it leads to. None exactly when the game is over.
    ///
    /// `out` is cleared first.
    fn successors(&self, state: State, out: &mut Successors);

    /// Fills `out` with all that chance can do: distinct states, positive
    /// probabilities that sum to 1.
    ///
    /// `out` is cleared first.
    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes);

    /// One thing that chance can do, drawn with 64 random bits as
    /// [`outcomes`](Game::outcomes) says.
    fn spawn(&self, afterstate: Afterstate, random: u64) -> State;

    /// The position as text, on one line.
    fn write(&self, state: State) -> String;

    /// The afterstate as text, on one line: for messages and transcripts.
    fn write_afterstate(&self, afterstate: Afterstate) -> String;

    /// Reads a position that [`write`](Game::write) wrote, or that a person did.
    fn parse(&self, text: &str) -> Result<State, TextError>;

    // What follows has an answer that is right for every game.

    /// What one action leads to, or `None` if it is not legal.
    fn successor(&self, state: State, action: Action) -> Option<Successor> {
        let mut all = Successors::new();
        self.successors(state, &mut all);
        all.of(action).copied()
    }

    /// The points that chance gave: what is earned on the way from the afterstate
    /// to the state, or, without an afterstate, by the start position. The score
    /// of a game is the sum of its actions' rewards and of these.
    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        let _ = (from, to);
        0.0
    }

    /// Whether [`chance_reward`](Game::chance_reward) is ever anything but 0.
    fn has_chance_rewards(&self) -> bool {
        false
    }

    /// Every start position with its probability, where they can be listed.
    fn starts(&self) -> Option<Vec<crate::Outcome>> {
        None
    }

    /// The value of the greatest tile, for statistics.
    fn max_tile(&self, state: State) -> Option<u64> {
        let _ = state;
        None
    }

    /// A number that every chance event raises, if the game has one (the sum of
    /// the tiles of 2048): exact solvers go layer by layer.
    fn layer(&self, state: State) -> Option<u64> {
        let _ = state;
        None
    }

    /// The state as symmetry number `symmetry` of the
    /// [`Geometry`](crate::board::Geometry) shows it. Right as it stands for a board
    /// whose state is its cells alone.
    fn transform(&self, state: State, symmetry: usize) -> State {
        match &self.description().geometry {
            Some(board) => State::from_bits(board.transform(state.bits(), symmetry)),
            None => state,
        }
    }

    /// The same for an afterstate.
    fn transform_afterstate(&self, afterstate: Afterstate, symmetry: usize) -> Afterstate {
        match &self.description().geometry {
            Some(board) => Afterstate::from_bits(board.transform(afterstate.bits(), symmetry)),
            None => afterstate,
        }
    }

    /// The least of a state's images under the symmetries, the state itself
    /// included: the same for all that differ only by a symmetry.
    fn canonical(&self, state: State) -> State {
        let count = self.description().geometry.as_ref().map_or(0, |b| b.symmetries.len());
        (1..count).fold(state, |least, k| least.min(self.transform(state, k)))
    }

    /// The same for an afterstate.
    fn canonical_afterstate(&self, afterstate: Afterstate) -> Afterstate {
        let count = self.description().geometry.as_ref().map_or(0, |b| b.symmetries.len());
        (1..count).fold(afterstate, |least, k| least.min(self.transform_afterstate(afterstate, k)))
    }

    /// [`canonical`](Game::canonical) of many states, each in its place: solvers ask
    /// for so many that it pays to work on several at once.
    fn canonical_states(&self, states: &mut [State]) {
        states.iter_mut().for_each(|state| *state = self.canonical(*state));
    }

    /// The same for afterstates.
    fn canonical_afterstates(&self, afterstates: &mut [Afterstate]) {
        afterstates.iter_mut().for_each(|after| *after = self.canonical_afterstate(*after));
    }

    /// The rules of a sliding board as tables, if they can be told so: a caller
    /// that holds them moves without calling the game.
    fn row_tables(&self) -> Option<&RowTables> {
        None
    }

    /// Plays whole games with uniformly random legal actions from `state`, on
    /// the game's own side of any boundary.
    fn playouts(&self, state: State, games: u64, random: u64) -> crate::Playouts {
        crate::playouts::play(self, state, games, random)
    }
}
