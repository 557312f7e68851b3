//! Games that are played with an implementation so that rare positions are reached.

use crate::judge::{ENOUGH, Judge, Law};
use crate::reader::{Notation, Observed, Reader};
use runner_core::{Action, Game, Outcomes, Random, Seed, State, Successors};
use serde_json::json;

/// Number of games that are started, and not played, before the others.
const STARTS: u64 = 1_000;
/// Of twice as many games after the starts, those at random are played again with equal seeds.
const REPEATED: u64 = 24;
/// Longest game from a given position, in moves.
const SHORT: u64 = 8;
/// Number of given positions that are refused before one is taken, after which no more are given.
const REFUSALS: u64 = 16;

/// How an implementation is played.
#[derive(Clone, Debug)]
pub struct HuntOptions {
    /// Number of actions.
    pub steps: u64,
    pub seed: Seed,
    pub takes_seeds: bool,
    /// Number of games at a time. With more than one, games are played to their ends, because
    /// those of a vectorized environment start together.
    pub lanes: usize,
}

/// How the actions of a game are chosen.
#[derive(Clone, Debug)]
enum Plan {
    /// The game is started only.
    Start,
    /// Uniformly among the legal ones. All plans that choose take an illegal one now and then.
    Random,
    /// So that few outcomes are possible: the board fills.
    Fill,
    /// So that many outcomes are possible: large tiles are reached.
    Empty,
    /// At random from a given position.
    From(State),
    /// The actions of a finished game, whose answers must be the same.
    Repeat(Vec<Entry>),
}

/// An action, none for the start, with its answer.
type Entry = (Option<Action>, Result<Observed, String>);

struct Lane {
    random: Random,
    plan: Plan,
    seed: u64,
    /// The position of the game under way.
    state: Option<State>,
    /// The action that waits for its answer.
    action: Option<Action>,
    score: f64,
    log: Vec<Entry>,
}

/// The games that are played with an implementation: it is given requests, and its answers are
/// judged.
pub struct Hunt<G> {
    pub judge: Judge<G>,
    reader: Reader<G>,
    options: HuntOptions,
    lanes: Vec<Lane>,
    games: u64,
    /// Numbers of given positions that were taken and refused.
    taken: u64,
    refused: u64,
    outcomes: Box<Outcomes>,
    successors: Successors,
}

impl<G: Game + Clone> Hunt<G> {
    /// Returns a hunt, or which action of the notation is wrong.
    pub fn new(game: G, notation: Notation, options: HuntOptions) -> Result<Self, String> {
        let lane = |number| Lane {
            random: Random::stream(options.seed, number as u64),
            plan: Plan::Start,
            seed: 0,
            state: None,
            action: None,
            score: 0.0,
            log: Vec::new(),
        };
        Ok(Self {
            judge: Judge::new(game.clone(), options.seed),
            lanes: (0..options.lanes).map(lane).collect(),
            games: 0,
            taken: 0,
            refused: 0,
            outcomes: Outcomes::with_capacity(game.description().max_outcomes),
            successors: Successors::new(),
            reader: Reader::new(game, notation)?,
            options,
        })
    }

    /// Returns the next request to a game; `None` if all steps are made.
    pub fn request(&mut self, number: usize) -> Option<String> {
        // The second condition ends a hunt in which every game is over at its start.
        let is_done = self.judge.at >= self.options.steps;
        if is_done || self.games > STARTS + 2 * self.options.steps {
            return None;
        }
        let lane = &self.lanes[number];
        let action = match (lane.state, &lane.plan) {
            (None, _) => None,
            (Some(_), Plan::Repeat(log)) => log[lane.log.len()].0,
            (Some(state), _) => Some(self.choose(number, state)),
        };
        self.lanes[number].action = action;
        let request = match action {
            Some(action) => json!({ "type": "step", "action": self.name(action) }),
            None => self.reset(number),
        };
        Some(request.to_string())
    }

    /// Judges the answer to the request. An error ends the hunt.
    pub fn answer(&mut self, number: usize, line: &str) -> Result<(), String> {
        let lane = &mut self.lanes[number];
        let is_repeated = matches!(lane.plan, Plan::Repeat(_));
        self.judge.at += u64::from(lane.action.is_some() && !is_repeated);
        let judged = self.reader.answer(line).and_then(|answer| {
            let lane = &mut self.lanes[number];
            lane.log.push((lane.action, answer.clone()));
            if is_repeated {
                self.repeated(number, answer);
                return Ok(());
            }
            self.judged(number, answer)
        });
        let Err(error) = judged else { return Ok(()) };
        let lane = &self.lanes[number];
        if let (Some(before), Some(action)) = (lane.state, lane.action)
            && !is_repeated
            && self.reader.has_strange_position(line)
        {
            self.judge.strange(before, action, &error);
        }
        Err(format!("step {}: {error}", self.judge.at))
    }

    fn judged(&mut self, number: usize, answer: Result<Observed, String>) -> Result<(), String> {
        let lane = &mut self.lanes[number];
        let (Some(before), Some(action)) = (lane.state, lane.action) else {
            return self.started(number, answer);
        };
        match answer {
            Ok(seen) => {
                lane.score += self.judge.step(before, action, &seen);
                lane.state = Some(seen.state);
                self.judge.score(lane.score, &seen);
                if self.is_finished(number, &seen) {
                    self.end(number);
                }
            }
            Err(message) if self.judge.game.successor(before, action).is_some() => {
                let (name, position) = (self.name(action), self.judge.game.write(before));
                return Err(format!("`{name}` is legal at {position}, and was refused: {message}"));
            }
            Err(_) => self.judge.refused(),
        }
        Ok(())
    }

    fn name(&self, action: Action) -> String {
        self.judge.game.description().action_name(action)
    }

    /// Compares an answer with that of the first game with the same seed.
    fn repeated(&mut self, number: usize, answer: Result<Observed, String>) {
        let lane = &mut self.lanes[number];
        let Plan::Repeat(log) = &lane.plan else { return };
        let moves = lane.log.len() - 1;
        let first = &log[moves].1;
        self.judge.exercised[Law::Seed as usize] += 1;
        let is_equal = *first == answer;
        if !is_equal {
            let seed = lane.seed;
            let explanation = format!(
                "the seed {seed} was given twice, with equal actions, and the games differ after {moves} moves"
            );
            let games = [("first", first), ("second", &answer)];
            let positions = games.into_iter().filter_map(|(title, answer)| {
                answer.as_ref().ok().map(|seen| (title, seen.state.bits()))
            });
            self.judge.broken(Law::Seed, explanation, &positions.collect::<Vec<_>>());
        }
        lane.state = answer.map_or(lane.state, |seen| Some(seen.state));
        if !is_equal || moves + 1 == log.len() {
            self.end(number);
        }
    }

    /// Prepares a game, and returns the request that starts it.
    fn reset(&mut self, number: usize) -> serde_json::Value {
        let lane = &mut self.lanes[number];
        lane.log.clear();
        if !matches!(lane.plan, Plan::Repeat(_)) {
            lane.seed = self.options.seed.0.wrapping_add(self.games) % (1 << 31);
            let is_alone = self.options.lanes == 1;
            let takes_positions = is_alone && (self.taken > 0 || self.refused < REFUSALS);
            // Of 16 games, one is empty, seven fill, and four begin at positions.
            let plan = match self.games % 16 {
                _ if is_alone && self.games < STARTS => Plan::Start,
                0 => Plan::Empty,
                k if k % 2 == 0 => Plan::Fill,
                3 | 7 | 11 | 15 if takes_positions => Plan::From(self.position(number)),
                _ => Plan::Random,
            };
            self.lanes[number].plan = plan;
            self.games += 1;
        }
        let lane = &self.lanes[number];
        let mut request = json!({ "type": "reset" });
        if let Plan::From(state) = lane.plan {
            request["state"] = json!(self.judge.game.write(state));
        } else if self.options.takes_seeds {
            request["seed"] = json!(lane.seed);
        }
        request
    }

    fn started(&mut self, number: usize, answer: Result<Observed, String>) -> Result<(), String> {
        let lane = &mut self.lanes[number];
        let given = match lane.plan {
            Plan::From(state) => Some(state),
            _ => None,
        };
        if given.is_some() && answer.as_ref().ok().map(|seen| seen.state) != given {
            self.refused += 1;
            return Ok(());
        }
        self.taken += u64::from(given.is_some());
        let seen = answer.map_err(|message| format!("no game starts: {message}"))?;
        lane.score = self.judge.start(&seen, given.is_some());
        lane.state = Some(seen.state);
        if matches!(lane.plan, Plan::Start) || self.is_finished(number, &seen) {
            self.end(number);
        }
        Ok(())
    }

    fn is_finished(&mut self, number: usize, seen: &Observed) -> bool {
        let lane = &self.lanes[number];
        let is_long = matches!(lane.plan, Plan::From(_)) && lane.log.len() as u64 > SHORT;
        self.judge.game.successors(seen.state, &mut self.successors);
        // A vectorized environment starts a game again only when it ends the game itself.
        let is_over = self.options.lanes == 1 && self.successors.is_empty();
        is_long || is_over || seen.over.unwrap_or(false) || seen.is_truncated
    }

    /// Ends the game of a lane, which is repeated if it was one of the first.
    fn end(&mut self, number: usize) {
        let lane = &mut self.lanes[number];
        lane.state = None;
        let is_first = (STARTS..STARTS + 2 * REPEATED).contains(&self.games);
        lane.plan = match lane.plan {
            Plan::Random if is_first && self.options.takes_seeds && self.options.lanes == 1 => {
                Plan::Repeat(std::mem::take(&mut lane.log))
            }
            _ => Plan::Start,
        };
    }

    fn choose(&mut self, number: usize, state: State) -> Action {
        let game = &self.judge.game;
        let lane = &mut self.lanes[number];
        game.successors(state, &mut self.successors);
        // Where an illegal action ends the game, many of them would make all games short.
        let is_rare = self.judge.exercised[Law::Illegal as usize] >= ENOUGH;
        if lane.random.below(if is_rare { 64 } else { 8 }) == 0 {
            let actions = (0..game.description().actions.len() as u8).map(Action);
            let illegal: Vec<_> = actions.filter(|&a| self.successors.of(a).is_none()).collect();
            if !illegal.is_empty() {
                return illegal[lane.random.below(illegal.len() as u32) as usize];
            }
        }
        let sign = match lane.plan {
            _ if self.successors.is_empty() => return Action(0),
            Plan::Fill => -1,
            Plan::Empty => 1,
            _ => 0,
        };
        if sign == 0 {
            let chosen = lane.random.below(self.successors.len() as u32);
            return self.successors[chosen as usize].action;
        }
        let mut best = (i64::MIN, Action(0));
        for successor in self.successors.iter() {
            game.outcomes(successor.afterstate, &mut self.outcomes);
            // A random number decides between equal ones.
            let value = 256 * sign * self.outcomes.len() as i64 + i64::from(lane.random.below(256));
            best = best.max((value, successor.action));
        }
        best.1
    }

    /// Returns a position after some moves, on a board with random tiles in some of its cells.
    fn position(&mut self, number: usize) -> State {
        let game = &self.judge.game;
        let random = &mut self.lanes[number].random;
        let mut state = game.start(random.word());
        for _ in 0..random.below(100) {
            game.successors(state, &mut self.successors);
            let Some(count) = std::num::NonZero::new(self.successors.len() as u32) else { break };
            let chosen = self.successors[random.below(count.get()) as usize];
            state = game.spawn(chosen.afterstate, random.word());
        }
        let Some(board) = &game.description().geometry else { return state };
        // Large tiles that play does not reach stay out of reach: implementations may merge them.
        let beyond = if board.has_fifth_bits() { 2 } else { 0 };
        let reached = (board.values.len() - beyond) as u32;
        let fewest = random.below(2);
        // An implementation with a smaller cap takes only positions without larger tiles.
        let rank_limit = (3 + random.below(2 * reached)).min(reached);
        let mut bits = state.bits();
        for cell in 0..board.cells() {
            if random.below(2) == 0 && !board.is_stone(board.rank(bits, cell)) {
                let rank = (fewest + random.below(rank_limit - fewest)) as u8;
                bits = board.with_rank(bits, cell, if board.is_stone(rank) { 0 } else { rank });
            }
        }
        let changed = State::from_bits(bits);
        if game.parse(&game.write(changed)) == Ok(changed) { changed } else { state }
    }
}
