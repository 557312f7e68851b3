//! The moves of the game on the screen, with a cursor: [`Timeline`]. The cursor moves back and
//! forth, and the game can be continued from any position.

use runner_core::wrappers::{Step, Transcript};
use runner_core::{Action, Afterstate, Game, Start, State, Successor};
use runner_records::{GameError, GameRecord, ReplayedMove, replay};

/// A move that was made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Move {
    pub action: Action,
    /// The position between action and chance.
    pub afterstate: Afterstate,
    pub next: State,
    /// Score after the move.
    pub score: f64,
    pub by_person: bool,
}

impl Move {
    /// Returns a move of the player to the chance outcome `next`. `score` is that before the move.
    pub fn new<G: Game>(game: &G, score: f64, chosen: Successor, next: State) -> Self {
        let Successor { action, afterstate, reward, .. } = chosen;
        let chance_reward = game.chance_reward(Some(afterstate), next);
        let score = score + f64::from(reward) + f64::from(chance_reward);
        Self { action, afterstate, next, score, by_person: false }
    }
}

/// A game with a cursor, at which methods without a number look.
#[derive(Clone, Debug)]
pub struct Timeline {
    start: State,
    start_score: f64,
    moves: Vec<Move>,
    /// Number of moves before the cursor.
    at: usize,
}

impl Timeline {
    pub fn new<G: Game>(game: &G, start: State) -> Self {
        Self::of_moves(Start::new(game, start), &[])
    }

    /// Returns a recorded game, with the cursor at its start.
    pub fn recorded<G: Game>(game: &G, record: &GameRecord) -> Result<Self, GameError> {
        let start = record.first(game);
        let moves = replay(game, record).collect::<Result<Vec<_>, _>>()?;
        Ok(Self::of_moves(start, &moves))
    }

    /// Returns a game whose moves are known, with the cursor at its start.
    pub fn of_moves(start: Start, moves: &[ReplayedMove]) -> Self {
        let Start { state, mut score } = start;
        let mut timeline = Self { start: state, start_score: score, moves: Vec::new(), at: 0 };
        for &ReplayedMove { action, afterstate, next, reward, chance_reward, .. } in moves {
            score += f64::from(reward) + f64::from(chance_reward);
            timeline.moves.push(Move { action, afterstate, next, score, by_person: false });
        }
        timeline
    }

    /// Makes a move at the cursor. It replaces all later moves.
    pub fn make(&mut self, made: Move) {
        self.moves.truncate(self.at);
        self.moves.push(made);
        self.at += 1;
    }

    pub fn start(&self) -> State {
        self.start
    }

    pub fn state(&self) -> State {
        self.state_at(self.at)
    }

    /// Returns the position after this many moves, which the game must have.
    pub fn state_at(&self, moves: usize) -> State {
        moves.checked_sub(1).map_or(self.start, |last| self.moves[last].next)
    }

    pub fn score(&self) -> f64 {
        self.score_at(self.at)
    }

    /// Returns the score after this many moves, which the game must have.
    pub fn score_at(&self, moves: usize) -> f64 {
        moves.checked_sub(1).map_or(self.start_score, |last| self.moves[last].score)
    }

    /// Returns the move before the cursor.
    pub fn last_move(&self) -> Option<&Move> {
        self.at.checked_sub(1).map(|last| &self.moves[last])
    }

    /// Returns the move after the cursor, unless the cursor is at the end.
    pub fn next_move(&self) -> Option<&Move> {
        self.moves.get(self.at)
    }

    /// Returns the number of moves before the cursor.
    pub fn at(&self) -> usize {
        self.at
    }

    /// Returns the number of moves of the game.
    pub fn moves(&self) -> usize {
        self.moves.len()
    }

    /// Moves the cursor to the position after this many moves, or to the end of the game.
    pub fn seek(&mut self, at: usize) {
        self.at = at.min(self.moves.len());
    }

    /// Returns all positions, the first one included.
    pub fn states(&self) -> impl Iterator<Item = State> {
        std::iter::once(self.start).chain(self.moves.iter().map(|made| made.next))
    }

    /// Returns all moves with the positions in which they were made.
    pub fn all_moves(&self) -> impl Iterator<Item = (State, &Move)> {
        self.states().zip(&self.moves)
    }

    pub fn has_moves_of_person(&self) -> bool {
        self.moves.iter().any(|made| made.by_person)
    }

    /// Returns true if a person has made all moves, and there are some.
    pub fn is_of_person(&self) -> bool {
        !self.moves.is_empty() && self.moves.iter().all(|made| made.by_person)
    }

    /// Returns the whole game, to be recorded.
    pub fn transcript(&self) -> Transcript {
        let step =
            |&Move { action, afterstate, next, .. }: &Move| Step { action, afterstate, next };
        Transcript { start: self.start, steps: self.moves.iter().map(step).collect() }
    }

    pub fn last_score(&self) -> f64 {
        self.score_at(self.moves.len())
    }
}
