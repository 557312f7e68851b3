//! Positions and moves in the opinion of a player.

use crate::calls::Entered;
use crate::chances::{Chance, Chances};
use crate::grades::{Grade, Graded, expected, value};
use crate::player::{NamedPlayer, Player};
use crate::registry::LoadedGame;
use crate::threads::Threads;
use runner_core::{
    Action, Agent, Analysis, Fact, Fault, Game, Random, Seed, State, Successors, Turn, catch,
    locked, unpoisoned,
};
use runner_spec::quantity::{grouped, number};
use serde::{Serialize, Serializer};
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, OnceLock};

/// About how many parts of the positions each worker takes.
const PARTS_PER_WORKER: usize = 16;
/// Maximum number of positions in a part.
const MAX_PART_SIZE: usize = 256;

/// The value of an action, by name.
#[derive(Serialize)]
pub struct ActionValue {
    pub action: String,
    pub value: f32,
}

/// Serializes the facts of an analysis as a map, in the player's order.
pub fn facts_as_map<S: Serializer>(
    facts: &[(String, Fact)],
    serializer: S,
) -> Result<S::Ok, S::Error> {
    serializer.collect_map(facts.iter().map(|(name, fact)| (name, fact)))
}

pub fn fact_text(fact: &Fact) -> String {
    match fact {
        Fact::Count(count) => grouped(*count),
        Fact::Number(x) => number(*x),
        Fact::Text(text) => text.clone(),
    }
}

/// Analyses positions on all threads. Returns `None` if `stop` ended it. `analysed` receives the
/// number of positions that are done. The analysis of the end of a game is empty.
///
/// The player begins a new game for each position, and draws from its random stream, so that the
/// result depends neither on the number of threads nor on the other positions.
pub fn analyse(
    game: &LoadedGame,
    named: &NamedPlayer,
    positions: &[State],
    seed: Seed,
    threads: &Threads,
    stop: &AtomicBool,
    analysed: &(dyn Fn(usize) + Sync),
) -> Result<Option<Vec<Analysis>>, Fault> {
    let call = game.calls.enter(&named.label, "analyse");
    on_positions(&call, &named.player, positions, threads, stop, analysed, &|player, state, out| {
        analyse_one(game, player, state, seed, out)
    })
}

/// As [`analyse`], but returns the action that a player chooses in each position: `None` at the end
/// of a game.
pub fn choose(
    game: &LoadedGame,
    named: &NamedPlayer,
    positions: &[State],
    seed: Seed,
    threads: &Threads,
    stop: &AtomicBool,
) -> Result<Option<Vec<Option<Action>>>, Fault> {
    let call = game.calls.enter(&named.label, named.player.move_name());
    on_positions(&call, &named.player, positions, threads, stop, &|_| {}, &|player, state, out| {
        choose_one(game, player, state, seed, out)
    })
}

/// Runs `task` for each position, with a copy of the player on each thread. Returns the results in
/// the order of the positions, or `None` if `stop` ended it. Each result is progress of `call`.
fn on_positions<T: Send>(
    call: &Entered<'_>,
    player: &Player,
    positions: &[State],
    threads: &Threads,
    stop: &AtomicBool,
    has_done: &(dyn Fn(usize) + Sync),
    task: &(dyn Fn(&mut Player, State, &mut Successors) -> T + Sync),
) -> Result<Option<Vec<T>>, Fault> {
    let workers = (threads.count() / player.threads().max(1)).clamp(1, positions.len().max(1));
    let players: Vec<_> = (0..workers).map(|_| Mutex::new(player.clone())).collect();
    let size = (positions.len() / (PARTS_PER_WORKER * workers)).clamp(1, MAX_PART_SIZE);
    let parts: Vec<_> =
        positions.chunks(size).map(|part| (part, Mutex::new(Vec::with_capacity(size)))).collect();
    let next_part = AtomicUsize::new(0);
    let done = AtomicUsize::new(0);
    let fault = OnceLock::new();
    threads.for_each(workers, &|worker| {
        let mut player = locked(&players[worker]);
        let mut successors = Successors::new();
        while let Some((part, results)) = parts.get(next_part.fetch_add(1, Relaxed)) {
            let mut results = locked(results);
            for &state in *part {
                if fault.get().is_some() || stop.load(Relaxed) {
                    return;
                }
                match catch(|| task(&mut player, state, &mut successors)) {
                    Ok(one) => results.push(one),
                    Err(error) => {
                        fault.get_or_init(|| error);
                        return;
                    }
                }
                call.progress();
                has_done(done.fetch_add(1, Relaxed) + 1);
            }
        }
    });
    if let Some(fault) = fault.into_inner() {
        return Err(fault);
    }
    let results = parts.into_iter().flat_map(|(_, results)| unpoisoned(results.into_inner()));
    let all: Vec<_> = results.collect();
    // Results are missing if a worker saw the stop flag.
    Ok((all.len() == positions.len()).then_some(all))
}

/// Analyses one position, at which the player begins a new game. Its random numbers depend on the
/// seed and the position only. The analysis of the end of a game is empty.
pub fn analyse_one(
    game: &LoadedGame,
    player: &mut Player,
    state: State,
    seed: Seed,
    successors: &mut Successors,
) -> Analysis {
    let turn = begin(game, player, state, seed, successors);
    turn.map_or_else(Analysis::default, |turn| player.analyse(&*game.rules, &turn))
}

/// Returns the action of a player in one position, which [`analyse_one`] describes.
pub fn choose_one(
    game: &LoadedGame,
    player: &mut Player,
    state: State,
    seed: Seed,
    successors: &mut Successors,
) -> Option<Action> {
    let turn = begin(game, player, state, seed, successors)?;
    player.act(&*game.rules, &turn)
}

/// Begins a game at a position, and returns its first turn unless it is over.
fn begin<'a>(
    game: &LoadedGame,
    player: &mut Player,
    state: State,
    seed: Seed,
    successors: &'a mut Successors,
) -> Option<Turn<'a>> {
    let rules = &*game.rules;
    rules.successors(state, successors);
    if successors.is_empty() {
        return None;
    }
    player.begin(rules, state);
    let stream = state.lo ^ state.hi;
    let random = Random::stream(seed, stream).word();
    Some(Turn { state, successors, random })
}

/// A move that was made.
#[derive(Clone, Copy, Debug)]
pub struct Made {
    pub state: State,
    pub action: Action,
    /// Score before the move.
    pub score: f64,
}

/// A move and the player's opinion of it.
#[derive(Clone, Debug, Serialize)]
pub struct Judged {
    /// Number of the move, counted from 1.
    pub number: u64,
    pub state: String,
    pub action: String,
    /// The player's choice; `None` if it would stop.
    pub best: Option<String>,
    /// Difference of the values of choice and move; `None` if the player gives no values.
    pub loss: Option<f32>,
    /// Score that the player expects at the end of the game, or its rating if it gives no points.
    pub value: Option<f64>,
    #[serde(flatten)]
    pub graded: Option<Graded>,
    /// The chances of the next large tiles, where they are known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub chances: Vec<Chance>,
}

impl Judged {
    /// Judges the first moves of a game, of whose positions there are analyses.
    pub fn all(
        game: &LoadedGame,
        moves: &[Made],
        analyses: &[Analysis],
        chances: &Chances,
    ) -> Vec<Self> {
        let description = game.rules.description();
        let board = description.geometry.as_ref();
        let mut judged = Vec::new();
        for (&Made { state, action, score }, analysis) in moves.iter().zip(analyses) {
            judged.push(Self {
                number: judged.len() as u64 + 1,
                state: game.rules.write(state),
                action: description.action_name(action),
                best: analysis.choice.map(|best| description.action_name(best)),
                loss: analysis.choice.and_then(|best| analysis.loss(best, action)),
                value: expected(analysis, score).or_else(|| value(analysis)),
                graded: Graded::of(analysis, score, action),
                chances: chances.at(board, state, analysis),
            });
        }
        Self::in_one_unit(judged)
    }

    /// Removes the values of moves without a grade if other moves have one: the former are
    /// ratings, the latter points. The unit of a search may change from position to position.
    fn in_one_unit(mut moves: Vec<Self>) -> Vec<Self> {
        if moves.iter().any(|made| made.graded.is_some()) {
            for made in moves.iter_mut().filter(|made| made.graded.is_none()) {
                (made.loss, made.value) = (None, None);
            }
        }
        moves
    }

    /// Returns true if the move is the player's choice, or if its value is not lower.
    pub fn matches(&self) -> bool {
        self.best.as_ref() == Some(&self.action) || self.loss.is_some_and(|loss| loss <= 0.0)
    }
}

/// The opinions of all moves of a game, summarized.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Number of moves that match the player's choice.
    pub matches: u64,
    /// Mean over all moves, if the player gives values.
    pub mean_loss: Option<f64>,
    /// Accuracy in percent: the mean over all moves that have a grade.
    pub accuracy: Option<f64>,
    /// Number of moves of each grade.
    pub grades: BTreeMap<Grade, u64>,
    /// Numbers of the moves with the largest losses, the largest first.
    pub worst: Vec<u64>,
}

impl Summary {
    /// Summarizes moves. `worst` lists at most `max_worst` of them.
    pub fn of(moves: &[Judged], max_worst: usize) -> Self {
        let losses = moves.iter().filter_map(|made| made.loss).map(|loss| f64::from(loss.max(0.0)));
        let graded: Vec<_> = moves.iter().filter_map(|made| made.graded).collect();
        let mut grades = BTreeMap::new();
        for one in &graded {
            *grades.entry(one.grade).or_default() += 1;
        }
        let mut worst: Vec<_> = moves.iter().filter(|made| !made.matches()).collect();
        // Equal losses, and those of a player without values, stay in the order of the game.
        worst.sort_by(|a, b| b.loss.unwrap_or(0.0).total_cmp(&a.loss.unwrap_or(0.0)));
        Self {
            matches: moves.iter().filter(|made| made.matches()).count() as u64,
            mean_loss: mean(losses.collect()),
            accuracy: mean(graded.iter().map(|one| one.accuracy()).collect()),
            grades,
            worst: worst.iter().take(max_worst).map(|made| made.number).collect(),
        }
    }
}

/// Returns the mean, unless there are no numbers or it is not finite.
fn mean(numbers: Vec<f64>) -> Option<f64> {
    let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
    mean.is_finite().then_some(mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratings_are_not_compared_with_points() {
        let made = |number, loss, grade: Option<Grade>| Judged {
            number,
            state: String::new(),
            action: "up".into(),
            best: Some("down".into()),
            loss: Some(loss),
            value: Some(1e6),
            graded: grade.map(|grade| Graded { lost: 0.1, grade }),
            chances: Vec::new(),
        };
        let mixed = || vec![made(1, 20.0, Some(Grade::Blunder)), made(2, 3e5, None)];
        let moves = Judged::in_one_unit(mixed());
        assert_eq!((moves[1].loss, moves[1].value), (None, None));
        let summary = Summary::of(&moves, 2);
        assert_eq!((summary.mean_loss, summary.worst), (Some(20.0), vec![1, 2]));
        // If all are ratings, they stay.
        let ratings = Judged::in_one_unit(mixed().split_off(1));
        assert_eq!(ratings[0].loss, Some(3e5));
    }
}
