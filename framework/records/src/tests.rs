//! The game of the tests: a number that grows. Action `a` adds `a`, chance adds at least 1,
//! and the game ends when the number reaches the end.

use super::{Block, Encoder, Metadata, RecordWriter, Starts};
use runner_core::wrappers::{Recorder, Transcript};
use runner_core::{
    Action, Afterstate, Agent, Description, Episode, Game, Outcome, Outcomes, Random, Seed, State,
    Successors, TextError, Turn,
};
use std::sync::atomic::AtomicBool;

pub struct Counting {
    description: Description,
    outcomes: u64,
    end: u64,
}

impl Counting {
    pub fn new(actions: usize, outcomes: u64, end: u64) -> Self {
        let description = Description {
            actions: (0..actions).map(|a| format!("add {a}")).collect(),
            max_outcomes: outcomes as usize,
            ..Description::default()
        };
        Self { description, outcomes, end }
    }
}

impl Default for Counting {
    fn default() -> Self {
        Self::new(3, 4, 20)
    }
}

impl Game for Counting {
    fn description(&self) -> &Description {
        &self.description
    }

    fn start(&self, random: u64) -> State {
        State::new(random % 2, 0)
    }

    fn starts(&self) -> Option<Vec<Outcome>> {
        let of = |n| Outcome { state: State::new(n, 0), probability: 0.5 };
        Some(vec![of(0), of(1)])
    }

    /// Actions that lead beyond the end are illegal.
    fn successors(&self, state: State, out: &mut Successors) {
        out.clear();
        for a in 0..self.description.actions.len() as u64 {
            if state.lo + a < self.end {
                out.push(Action(a as u8), Afterstate::new(state.lo + a, 0), a as f32);
            }
        }
    }

    fn outcomes(&self, afterstate: Afterstate, out: &mut Outcomes) {
        out.clear();
        for i in 0..self.outcomes {
            out.push(1.0 / self.outcomes as f64, State::new(afterstate.lo + 1 + i, 0));
        }
    }

    fn spawn(&self, afterstate: Afterstate, random: u64) -> State {
        State::new(afterstate.lo + 1 + random % self.outcomes, 0)
    }

    fn write(&self, state: State) -> String {
        state.lo.to_string()
    }

    fn write_afterstate(&self, afterstate: Afterstate) -> String {
        format!("{}+", afterstate.lo)
    }

    fn parse(&self, text: &str) -> Result<State, TextError> {
        let n = text.parse().map_err(|_| TextError::new(0, "a number is expected"))?;
        Ok(State::new(n, 0))
    }

    /// The start scores its number, a chance event a quarter of its increment.
    fn chance_reward(&self, from: Option<Afterstate>, to: State) -> f32 {
        from.map_or(to.lo as f32, |from| (to.lo - from.lo) as f32 / 4.0)
    }

    fn has_chance_rewards(&self) -> bool {
        true
    }
}

#[derive(Clone)]
struct AnyAction;

impl Agent for AnyAction {
    fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
        let n = turn.successors.len() as u64;
        Some(turn.successors[(turn.random % n) as usize].action)
    }
}

/// Plays game `number` to its end.
pub fn played(game: &Counting, number: u64) -> (Transcript, Episode) {
    let mut agent = Recorder::new(AnyAction);
    let mut random = Random::stream(Seed(1), number);
    let episode = runner_core::play(game, &mut agent, &mut random, &AtomicBool::new(false));
    (agent.transcript, episode)
}

/// Returns metadata with a seed that no `f64` represents.
pub fn metadata() -> Metadata {
    Metadata {
        game: "counting".into(),
        game_version: "1.0.0".into(),
        agent: "any".into(),
        seed: Seed(u64::MAX),
        program: "0.1.0".into(),
        actions: Counting::default().description.actions,
        starts: Starts::OfRules,
        definition: String::new(),
    }
}

/// Returns the first games, encoded.
pub fn blocks(games: u64) -> Vec<Block> {
    let game = Counting::default();
    let mut encoder = Encoder::new(&game);
    let encode = |k| {
        let (transcript, episode) = played(&game, k);
        encoder.encode(k, &transcript, episode.score, episode.finished).unwrap()
    };
    (0..games).map(encode).collect()
}

pub fn file(games: u64) -> Vec<u8> {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("games.rec");
    let mut writer = RecordWriter::create(&path, &metadata()).unwrap();
    blocks(games).iter().for_each(|block| writer.write(block).unwrap());
    writer.finish().unwrap();
    std::fs::read(path).unwrap()
}
