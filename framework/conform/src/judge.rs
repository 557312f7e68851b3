//! The laws that an implementation must follow, and the first counterexample to each.

use crate::chance::Chance;
use crate::reader::{Observed, Reader};
use runner_core::{
    Action, Afterstate, Game, Outcome, Outcomes, Random, Seed, State, Successor, Successors,
};
use runner_spec::quantity::{counted, number};
use serde::Serialize;
use std::collections::BTreeMap;

/// What must agree with the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    Start,
    Move,
    Spawn,
    Reward,
    Score,
    Illegal,
    Legal,
    End,
    Seed,
    Chance,
}

/// The things that are counted: the laws, then rare positions, which a fault may be limited to.
pub const COUNTED: [&str; 14] = [
    "start positions",
    "moves",
    "chance outcomes",
    "rewards other than 0",
    "scores",
    "illegal actions",
    "lists of legal actions",
    "ends of games",
    "moves repeated with equal seeds",
    "tests of chance",
    "merges on a full board",
    "moves to one empty cell",
    "moves with several merges",
    "moves with the winning tile",
];
pub const LAWS: usize = 10;

/// The first transition that breaks a law.
#[derive(Clone, Debug, Serialize)]
pub struct Counterexample {
    pub law: &'static str,
    /// The number of the step or of the line, from 1.
    pub at: u64,
    pub explanation: String,
    /// The positions that the boards show: before the action, after it by the rules, and as
    /// observed.
    pub positions: Vec<(&'static str, String)>,
    /// The same as rows of text; none in a game without a board.
    #[serde(skip)]
    pub boards: Vec<Vec<String>>,
}

/// Number of times that each law is exercised in a sufficient run.
pub const ENOUGH: u64 = 1_000;
/// The title of a position before chance.
const AFTER: &str = "after the action";

/// Compares transitions with the rules.
pub struct Judge<G> {
    pub game: G,
    /// The number of the step or of the line that is judged, from 1.
    pub at: u64,
    pub counterexamples: Vec<Counterexample>,
    pub exercised: [u64; COUNTED.len()],
    /// What illegal actions did, and how often.
    pub illegal: BTreeMap<String, u64>,
    pub chance: Chance,
    starts: Option<Vec<Outcome>>,
    outcomes: Box<Outcomes>,
    successors: Successors,
}

impl<G: Game> Judge<G> {
    pub fn new(game: G, seed: Seed) -> Self {
        Self {
            at: 0,
            counterexamples: Vec::new(),
            exercised: [0; COUNTED.len()],
            illegal: BTreeMap::new(),
            chance: Chance::new(Random::stream(seed, u64::MAX)),
            starts: game.starts(),
            outcomes: Outcomes::with_capacity(game.description().max_outcomes),
            successors: Successors::new(),
            game,
        }
    }

    /// Judges a line of a file of transitions.
    pub fn line(&mut self, reader: &Reader<impl Game>, line: &str) -> Result<(), String> {
        let made = reader.transition(line)?;
        if made.is_start {
            let start = Observed { state: made.before, over: None, ..made.after.clone() };
            self.start(&start, false);
        }
        self.legal(made.before, made.legal.as_deref());
        self.step(made.before, made.action, &made.after);
        Ok(())
    }

    /// Judges the first position of a game, which the rules draw unless it `is_given`. Returns the
    /// reward by the rules.
    pub fn start(&mut self, seen: &Observed, is_given: bool) -> f64 {
        let reward = f64::from(self.game.chance_reward(None, seen.state));
        self.position(seen);
        if is_given {
            return reward;
        }
        let starts = self.starts.as_deref();
        if starts.is_none_or(|all| all.iter().any(|start| start.state == seen.state)) {
            self.chance.start(&self.game, starts, seen.state);
        } else {
            let explanation = "the rules have no such start position".into();
            self.broken(Law::Start, explanation, &[("start", seen.state.bits())]);
        }
        self.exercised[Law::Start as usize] += 1;
        reward
    }

    /// Judges an action and its result. Returns the reward by the rules, which have none for an
    /// illegal action: then it is not a number if the implementation has one.
    pub fn step(&mut self, before: State, action: Action, seen: &Observed) -> f64 {
        let Some(made) = self.game.successor(before, action) else {
            self.illegal(before, action, seen);
            return if seen.reward.unwrap_or(0.0) == 0.0 { 0.0 } else { f64::NAN };
        };
        self.game.outcomes(made.afterstate, &mut self.outcomes);
        let outcomes = self.outcomes.to_vec();
        self.count_rare(before, &made);
        let boards = [
            ("before", before.bits()),
            (AFTER, made.afterstate.bits()),
            ("observed", seen.state.bits()),
        ];
        self.exercised[Law::Move as usize] += 1;
        let mut reward = f64::from(made.reward);
        if outcomes.iter().any(|outcome| outcome.state == seen.state) {
            self.exercised[Law::Spawn as usize] += 1;
            let after = Some(made.afterstate);
            self.chance.outcome(&self.game, after, &outcomes, seen.state);
            reward += f64::from(self.game.chance_reward(after, seen.state));
        } else {
            let (law, explanation) = self.explain(before, &made, seen.state);
            self.exercised[Law::Spawn as usize] += u64::from(law == Law::Spawn);
            self.broken(law, explanation, &boards);
        }
        if let Some(given) = seen.reward {
            self.exercised[Law::Reward as usize] += u64::from(reward != 0.0);
            if !is_close(given, reward) {
                let name = self.game.description().action_name(action);
                let reward = number(reward);
                let explanation = format!("`{name}` was rewarded by {given}, and earns {reward}");
                self.broken(Law::Reward, explanation, &boards);
            }
        }
        self.position(seen);
        reward
    }

    /// Counts an action that leads to no position of the game, such as a merge to a tile that the
    /// rules do not have.
    pub fn strange(&mut self, before: State, action: Action, why: &str) {
        let Some(made) = self.game.successor(before, action) else { return };
        self.exercised[Law::Move as usize] += 1;
        let name = self.game.description().action_name(action);
        let boards = [("before", before.bits()), (AFTER, made.afterstate.bits())];
        self.broken(Law::Move, format!("after `{name}`: {why}"), &boards);
    }

    /// Judges the reported sum of rewards since the start, if the rules know it.
    pub fn score(&mut self, expected: f64, seen: &Observed) {
        let Some(score) = seen.score.filter(|_| !expected.is_nan()) else { return };
        self.exercised[Law::Score as usize] += 1;
        if !is_close(score, expected) {
            let expected = number(expected);
            let explanation = format!("the score is {score}, and the rewards sum to {expected}");
            self.broken(Law::Score, explanation, &[("observed", seen.state.bits())]);
        }
    }

    /// Judges the list of legal actions of a position.
    pub fn legal(&mut self, state: State, legal: Option<&[Action]>) {
        let Some(legal) = legal else { return };
        self.exercised[Law::Legal as usize] += 1;
        self.game.successors(state, &mut self.successors);
        let by_rules: Vec<_> = self.successors.iter().map(|s| s.action).collect();
        if legal != by_rules {
            let list = |actions: &[Action]| {
                let names = actions.iter().map(|&a| self.game.description().action_name(a));
                format!("[{}]", names.collect::<Vec<_>>().join(", "))
            };
            let explanation = format!("legal are {}, not {}", list(&by_rules), list(legal));
            self.broken(Law::Legal, explanation, &[("observed", state.bits())]);
        }
    }

    /// Counts an illegal action that was answered by an error.
    pub fn refused(&mut self) {
        self.exercised[Law::Illegal as usize] += 1;
        self.illegal_did("refused".into());
    }

    /// Counts a law as broken, and keeps its first counterexample.
    pub fn broken(&mut self, law: Law, explanation: String, positions: &[(&'static str, u128)]) {
        let law = COUNTED[law as usize];
        if self.counterexamples.iter().any(|found| found.law == law) {
            return;
        }
        let text = |&(title, bits): &(&'static str, u128)| match title {
            AFTER => (title, self.game.write_afterstate(Afterstate::from_bits(bits))),
            _ => (title, self.game.write(State::from_bits(bits))),
        };
        let mut boards: Vec<Vec<String>> = Vec::new();
        if let Some(board) = &self.game.description().geometry {
            let row = |cells: &[String]| cells.join(" ");
            let rows = |bits| board.texts(bits).chunks(board.cols).map(row).collect();
            boards.extend(positions.iter().map(|&(_, bits)| rows(bits)));
        }
        let (at, positions) = (self.at, positions.iter().map(text).collect());
        self.counterexamples.push(Counterexample { law, at, explanation, positions, boards });
    }

    /// Judges what an implementation says about a position: its end and its legal actions.
    fn position(&mut self, seen: &Observed) {
        self.legal(seen.state, seen.legal.as_deref());
        self.game.successors(seen.state, &mut self.successors);
        let is_over = self.successors.is_empty();
        let Some(over) = seen.over else { return };
        self.exercised[Law::End as usize] += u64::from(is_over);
        if over != is_over {
            let said = if over { "over" } else { "not over" };
            let explanation = format!("the game is called {said}, which it is not");
            self.broken(Law::End, explanation, &[("observed", seen.state.bits())]);
        }
    }

    fn illegal(&mut self, before: State, action: Action, seen: &Observed) {
        self.exercised[Law::Illegal as usize] += 1;
        let reward = number(seen.reward.unwrap_or(0.0));
        if seen.over == Some(true) {
            // What remains of the game is not played.
            return self.illegal_did(format!("ends the game, reward {reward}"));
        }
        if seen.state == before {
            self.illegal_did(format!("changes nothing, reward {reward}"));
            return self.position(seen);
        }
        self.illegal_did("changes the position".into());
        let name = self.game.description().action_name(action);
        let explanation = format!("`{name}` is illegal here, and changed the position");
        let boards = [("before", before.bits()), ("observed", seen.state.bits())];
        self.broken(Law::Illegal, explanation, &boards);
    }

    fn illegal_did(&mut self, what: String) {
        // Rewards may differ each time.
        let what = if self.illegal.len() < 8 { what } else { "other".into() };
        *self.illegal.entry(what).or_default() += 1;
    }

    fn count_rare(&mut self, before: State, made: &Successor) {
        let Some(board) = &self.game.description().geometry else { return };
        let tiles = |bits| (0..board.cells()).filter(|&cell| board.rank(bits, cell) > 0).count();
        let (before_tiles, after_tiles) = (tiles(before.bits()), tiles(made.afterstate.bits()));
        let merges = before_tiles - after_tiles.min(before_tiles);
        let goal = self.game.description().goal;
        let met = [
            before_tiles == board.cells() && merges > 0,
            after_tiles + 1 == board.cells(),
            merges > 1,
            goal.is_some() && self.game.max_tile(before) >= goal,
        ];
        for (count, is_met) in self.exercised[LAWS..].iter_mut().zip(met) {
            *count += u64::from(is_met);
        }
    }

    /// Explains a position that cannot follow an action.
    fn explain(&mut self, before: State, made: &Successor, next: State) -> (Law, String) {
        let name = self.game.description().action_name(made.action);
        if next.bits() == made.afterstate.bits() {
            return (Law::Spawn, format!("no tile entered after `{name}`"));
        }
        self.game.successors(before, &mut self.successors);
        for other in self.successors.iter().filter(|other| other.action != made.action) {
            self.game.outcomes(other.afterstate, &mut self.outcomes);
            if self.outcomes.iter().any(|outcome| outcome.state == next) {
                let other = self.game.description().action_name(other.action);
                let explanation =
                    format!("`{name}` moved as `{other}` does; the actions may have another order");
                return (Law::Move, explanation);
            }
        }
        let Some(board) = &self.game.description().geometry else {
            return (Law::Move, format!("the position cannot follow `{name}`"));
        };
        let mut entered = 0;
        for cell in 0..board.cells() {
            let expected = board.rank(made.afterstate.bits(), cell);
            let found = board.rank(next.bits(), cell);
            if expected > 0 && found != expected {
                return (Law::Move, format!("`{name}` leaves other tiles than it should"));
            }
            entered += u64::from(found != expected);
        }
        let tiles = counted(entered, "tile");
        (Law::Spawn, format!("{tiles} entered after `{name}`, as is not possible"))
    }
}

fn is_close(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-5 * b.abs().max(1.0)
}
