//! Agents around agents. Each is an agent itself, so they nest.

use crate::{Action, Afterstate, Agent, Game, State, Turn};
use std::time::{Duration, Instant};

/// Keeps the game that its agent plays: the positions and the actions between.
#[derive(Clone, Debug)]
pub struct Recorder<A> {
    /// The agent that decides.
    pub agent: A,
    /// The game so far, or the last one.
    pub transcript: Transcript,
}

/// A game, position by position.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Transcript {
    /// The position in which the game began.
    pub start: State,
    /// Each action, what it led to, and what chance made of that.
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
    /// Records what `agent` plays.
    pub fn new(agent: A) -> Self {
        Self { agent, transcript: Transcript::default() }
    }

    fn arrive(&mut self, state: State) {
        if let Some(step) = self.transcript.steps.last_mut() {
            step.next = state;
        }
    }
}

impl<A: Agent> Agent for Recorder<A> {
    fn begin<G: Game>(&mut self, game: &G, start: State) {
        self.transcript.start = start;
        self.transcript.steps.clear();
        self.agent.begin(game, start);
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        self.arrive(turn.state);
        let action = self.agent.act(game, turn)?;
        // An action that is not legal ends the game with a fault; it is no step.
        if let Some(chosen) = turn.successors.of(action) {
            let afterstate = chosen.afterstate;
            self.transcript.steps.push(Step { action, afterstate, next: State::RESERVED });
        }
        Some(action)
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        self.arrive(last);
        self.agent.end(game, last);
    }

    fn threads(&self) -> usize {
        self.agent.threads()
    }
}

/// Ends each game after a number of moves.
#[derive(Clone, Debug)]
pub struct MoveLimit<A> {
    agent: A,
    limit: u64,
    made: u64,
}

impl<A> MoveLimit<A> {
    /// Lets `agent` make at most `limit` moves a game.
    pub fn new(agent: A, limit: u64) -> Self {
        Self { agent, limit, made: 0 }
    }
}

impl<A: Agent> Agent for MoveLimit<A> {
    fn begin<G: Game>(&mut self, game: &G, start: State) {
        self.made = 0;
        self.agent.begin(game, start);
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        if self.made == self.limit {
            return None;
        }
        self.made += 1;
        self.agent.act(game, turn)
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        self.agent.end(game, last);
    }

    fn threads(&self) -> usize {
        self.agent.threads()
    }
}

/// Ends each game after a time on the clock: no move begins later.
#[derive(Clone, Debug)]
pub struct TimeLimit<A> {
    agent: A,
    limit: Duration,
    began: Instant,
}

impl<A> TimeLimit<A> {
    /// Gives `agent` this much time a game.
    pub fn new(agent: A, limit: Duration) -> Self {
        Self { agent, limit, began: Instant::now() }
    }
}

impl<A: Agent> Agent for TimeLimit<A> {
    fn begin<G: Game>(&mut self, game: &G, start: State) {
        self.began = Instant::now();
        self.agent.begin(game, start);
    }

    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        if self.began.elapsed() >= self.limit {
            return None;
        }
        self.agent.act(game, turn)
    }

    fn end<G: Game>(&mut self, game: &G, last: State) {
        self.agent.end(game, last);
    }

    fn threads(&self) -> usize {
        self.agent.threads()
    }
}
