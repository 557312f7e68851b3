//! Agents that wrap another agent. Each is an agent itself, so they nest.

use crate::{Action, Afterstate, Agent, Game, State, Turn, forward_agent};
use std::time::{Duration, Instant};

/// Records the game that its agent plays.
#[derive(Clone, Debug)]
pub struct Recorder<A> {
    /// The agent that decides.
    pub agent: A,
    /// The current game, or the last one.
    pub transcript: Transcript,
}

/// A game, position by position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// The first position.
    pub start: State,
    /// The steps in their order.
    pub steps: Vec<Step>,
}

/// One action and one chance event.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// The player's action.
    pub action: Action,
    /// The position between action and chance.
    pub afterstate: Afterstate,
    /// The position after chance; [`State::RESERVED`] until it is known.
    pub next: State,
}

impl<A> Recorder<A> {
    /// Wraps an agent.
    pub fn new(agent: A) -> Self {
        Self { agent, transcript: Transcript::default() }
    }

    /// Sets the position after the last step.
    fn complete_step(&mut self, next: State) {
        if let Some(step) = self.transcript.steps.last_mut() {
            step.next = next;
        }
    }
}

#[warn(clippy::missing_trait_methods)]
impl<A: Agent> Agent for Recorder<A> {
    forward_agent!(|this| this.agent; analyse threads);

    fn begin<G: Game>(&mut self, game: &G, start: State) {
        self.transcript.start = start;
        self.transcript.steps.clear();
        self.agent.begin(game, start);
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        self.complete_step(turn.state);
        let action = self.agent.act(game, turn)?;
        // An illegal action ends the game with a fault, so it is not a step.
        if let Some(chosen) = turn.successors.of(action) {
            let afterstate = chosen.afterstate;
            self.transcript.steps.push(Step { action, afterstate, next: State::RESERVED });
        }
        Some(action)
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        self.complete_step(last);
        self.agent.end(game, last);
    }
}

/// Ends each game after a number of moves or a time: no move begins later. The time of
/// [`Agent::begin`] does not count, because the agent may start a program there.
#[derive(Clone, Debug)]
pub struct Limited<A> {
    agent: A,
    max_moves: u64,
    /// `Duration::MAX` if the time is not limited.
    max_time: Duration,
    /// The moves of the current game.
    moves: u64,
    /// When the current game began.
    began: Instant,
}

impl<A> Limited<A> {
    /// Limits the games of an agent to this many moves.
    pub fn to_moves(agent: A, max_moves: u64) -> Self {
        Self { agent, max_moves, max_time: Duration::MAX, moves: 0, began: Instant::now() }
    }

    /// Limits the time of each game too.
    #[must_use]
    pub fn and_time(self, max_time: Duration) -> Self {
        Self { max_time, ..self }
    }

    fn is_over(&self) -> bool {
        let has_time_limit = self.max_time < Duration::MAX;
        self.moves == self.max_moves || has_time_limit && self.began.elapsed() >= self.max_time
    }
}

#[warn(clippy::missing_trait_methods)]
impl<A: Agent> Agent for Limited<A> {
    forward_agent!(|this| this.agent; analyse end threads);

    fn begin<G: Game>(&mut self, game: &G, start: State) {
        self.agent.begin(game, start);
        self.moves = 0;
        self.began = Instant::now();
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        if self.is_over() {
            return None;
        }
        self.moves += 1;
        self.agent.act(game, turn)
    }
}
