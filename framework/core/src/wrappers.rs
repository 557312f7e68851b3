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
    /// The position after chance.
    pub next: State,
}

impl<A> Recorder<A> {
    /// Wraps an agent.
    pub fn new(agent: A) -> Self {
        Self { agent, transcript: Transcript::default() }
    }

    fn complete_step(&mut self, state: State) {
        if let Some(step) = self.transcript.steps.last_mut() {
            step.next = state;
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

/// Ends each game after a number of moves or a time: no move begins later. The time in which the
/// agent prepares for the game does not count: a program may start in it.
#[derive(Clone, Debug)]
pub struct Limited<A> {
    agent: A,
    moves: u64,
    time: Duration,
    made: u64,
    began: Instant,
}

impl<A> Limited<A> {
    /// Limits the games of an agent to this many moves.
    pub fn to_moves(agent: A, moves: u64) -> Self {
        Self { agent, moves, time: Duration::MAX, made: 0, began: Instant::now() }
    }

    /// Limits the time of each game too.
    #[must_use]
    pub fn and_time(self, time: Duration) -> Self {
        Self { time, ..self }
    }

    fn is_over(&self) -> bool {
        self.made == self.moves || self.time < Duration::MAX && self.began.elapsed() >= self.time
    }
}

#[warn(clippy::missing_trait_methods)]
impl<A: Agent> Agent for Limited<A> {
    forward_agent!(|this| this.agent; analyse end threads);

    fn begin<G: Game>(&mut self, game: &G, start: State) {
        self.agent.begin(game, start);
        (self.made, self.began) = (0, Instant::now());
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        if self.is_over() {
            return None;
        }
        self.made += 1;
        self.agent.act(game, turn)
    }
}
