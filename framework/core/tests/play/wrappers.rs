//! Agents that wrap another one: what they record, and when they end a game.

use crate::line::{AnyMove, Line, episode, long};
use runner_core::wrappers::{Limited, Recorder, Transcript};
use runner_core::{Action, Agent, Game, State, Turn, catch};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

/// A transcript is enough to repeat the game without the agent and its random stream.
#[test]
fn a_transcript_repeats_the_game() {
    let line = Line::new();
    let mut recorded = Recorder::new(AnyMove);
    for index in 0..30 {
        let played = episode(&mut recorded, index);
        assert_eq!(played, episode(&mut AnyMove, index), "recording changes nothing");
        let Transcript { start, steps } = &recorded.transcript;
        assert_eq!(steps.len() as u64, played.moves);
        let mut here = *start;
        let mut score = f64::from(line.chance_reward(None, here));
        for step in steps {
            let chosen = line.successor(here, step.action).expect("a legal action");
            assert_eq!(chosen.afterstate, step.afterstate);
            score += f64::from(chosen.reward);
            score += f64::from(line.chance_reward(Some(step.afterstate), step.next));
            here = step.next;
        }
        assert_eq!((here, score), (played.last, played.score));
    }
}

/// Makes two legal moves, and then chooses an action that is not legal on a row.
#[derive(Clone)]
struct Breaks {
    turns: u32,
}

impl Agent for Breaks {
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        self.turns += 1;
        if self.turns > 2 { Some(Action(0)) } else { AnyMove.act(game, turn) }
    }
}

#[test]
fn the_steps_before_a_fault_are_kept() {
    let mut recorded = Recorder::new(Breaks { turns: 0 });
    assert!(catch(|| episode(&mut recorded, long())).is_err());
    let steps = &recorded.transcript.steps;
    assert_eq!(steps.len(), 2);
    assert!(steps.iter().all(|step| step.next != State::RESERVED));
}

#[test]
fn a_game_that_is_broken_off_is_recorded_to_its_last_position() {
    let mut recorded = Recorder::new(Limited::to_moves(AnyMove, 2));
    let played = episode(&mut recorded, long());
    assert_eq!((played.moves, played.finished), (2, false));
    assert_eq!(recorded.transcript.steps[1].next, played.last);
}

#[test]
fn a_move_limit_holds_for_every_game_anew() {
    let mut limited = Limited::to_moves(AnyMove, 2);
    for index in 0..30 {
        let without_limit = episode(&mut AnyMove, index);
        let with_limit = episode(&mut limited, index);
        assert_eq!(with_limit.moves, without_limit.moves.min(2));
        assert_eq!(with_limit.finished, without_limit.moves <= 2);
    }
    assert_eq!(episode(&mut Limited::to_moves(AnyMove, 0), 1).moves, 0);
    assert_eq!(episode(&mut Limited::to_moves(AnyMove, u64::MAX), 1), episode(&mut AnyMove, 1));
}

#[test]
fn a_time_limit_of_0_allows_no_move_and_one_of_an_hour_all() {
    let limited = |time| Limited::to_moves(AnyMove, u64::MAX).and_time(time);
    let none = episode(&mut limited(Duration::ZERO), long());
    assert_eq!((none.moves, none.finished), (0, false));
    let hour = Duration::from_secs(3600);
    assert_eq!(episode(&mut limited(hour), 1), episode(&mut AnyMove, 1));
}

/// Counts the calls of `begin` and `end`, of all its clones together.
#[derive(Clone, Default)]
struct CountsCalls {
    begun: Arc<AtomicU32>,
    ended: Arc<AtomicU32>,
}

impl Agent for CountsCalls {
    fn begin<G: Game>(&mut self, _: &G, _: State) {
        self.begun.fetch_add(1, Ordering::Relaxed);
    }
    fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
        AnyMove.act(game, turn)
    }
    fn end<G: Game>(&mut self, _: &G, _: State) {
        self.ended.fetch_add(1, Ordering::Relaxed);
    }
}

#[test]
fn nested_wrappers_forward_begin_and_end() {
    let agent = CountsCalls::default();
    let mut nested = Limited::to_moves(Recorder::new(agent.clone()), 3);
    assert_eq!(episode(&mut nested, long()).moves, 3);
    episode(&mut nested, long());
    assert_eq!([agent.begun, agent.ended].map(|calls| calls.load(Ordering::Relaxed)), [2, 2]);
}
