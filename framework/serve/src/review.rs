//! The review of a game: a player judges how much each move lost, on another thread. If a person
//! made some of the moves, only these are judged.

use runner_core::{Analysis, Fault, Seed, Successors, catch};
use runner_play::analysis::{Judged, Made, Summary, analyse_one};
use runner_play::chances::Chances;
use runner_play::failure::Failure;
use runner_play::grades::Grade;
use runner_play::player::NamedPlayer;
use runner_play::registry::LoadedGame;
use runner_session::thinker::start_thread;
use runner_session::timeline::Timeline;
use serde::Serialize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::mpsc::{Receiver, channel};

/// Largest number of mistakes that are listed.
const MAX_MISTAKES: usize = 10;

/// A running or finished review. Dropping it ends its thread after the analysis that is running.
pub struct Review {
    game: LoadedGame,
    /// The moves to judge.
    moves: Vec<Made>,
    /// The number of each of `moves` in the game, counted from 1.
    numbers: Vec<u64>,
    /// Number of all moves of the game.
    game_moves: usize,
    /// True if only the moves of a person are judged.
    of_person: bool,
    /// The analyses that have arrived, in the order of `moves`.
    analyses: Vec<Analysis>,
    results: Receiver<Result<Analysis, Fault>>,
    stop: Arc<AtomicBool>,
    fault: Option<String>,
}

/// A review, as the page shows it.
#[derive(Serialize)]
pub struct Shown {
    /// Number of moves that have been judged.
    done: usize,
    /// Number of moves to judge.
    moves: usize,
    /// True if only the moves of a person are judged.
    of_person: bool,
    /// The opinions, once all moves have been judged.
    result: Option<Opinions>,
    fault: Option<String>,
}

/// The first three have an entry for each move of the game; `None` if it is not judged or unknown.
#[derive(Serialize)]
struct Opinions {
    losses: Vec<Option<f32>>,
    /// Score that the player expects before the move, or the player's rating of the position.
    values: Vec<Option<f64>>,
    grades: Vec<Option<Grade>>,
    summary: Summary,
    /// The worst moves, the worst first.
    worst: Vec<Judged>,
}

impl Review {
    /// Begins a review of a game.
    pub fn start(
        game: &LoadedGame,
        named: &NamedPlayer,
        timeline: &Timeline,
        seed: Seed,
    ) -> Result<Self, Failure> {
        let of_person = timeline.has_moves_of_person();
        let mut moves = Vec::new();
        let mut numbers = Vec::new();
        for (index, (state, made)) in timeline.all_moves().enumerate() {
            if made.by_person || !of_person {
                moves.push(Made { state, action: made.action, score: timeline.score_at(index) });
                numbers.push(index as u64 + 1);
            }
        }
        let (sender, results) = channel();
        let review = Self {
            game: game.clone(),
            moves,
            numbers,
            game_moves: timeline.moves(),
            of_person,
            analyses: Vec::new(),
            results,
            stop: Arc::default(),
            fault: None,
        };
        let positions: Vec<_> = review.moves.iter().map(|made| made.state).collect();
        let (game, mut named, stop) = (game.clone(), named.clone(), review.stop.clone());
        start_thread("review", move || {
            let mut successors = Successors::new();
            let call = game.calls.enter(&named.label, "analyse");
            for state in positions {
                if stop.load(Relaxed) {
                    break;
                }
                let player = &mut named.player;
                let result = catch(|| analyse_one(&game, player, state, seed, &mut successors));
                call.progress();
                let has_failed = result.is_err();
                if sender.send(result).is_err() || has_failed {
                    break;
                }
            }
        })?;
        Ok(review)
    }

    /// Receives the results since the last call.
    pub fn update(&mut self) {
        for result in self.results.try_iter() {
            match result {
                Ok(analysis) => self.analyses.push(analysis),
                Err(fault) => self.fault = Some(fault.0),
            }
        }
    }

    /// Returns true if all moves have been judged, or the player has failed.
    pub fn is_done(&self) -> bool {
        self.analyses.len() == self.moves.len() || self.fault.is_some()
    }

    /// Returns what the page shows. Panics if the rules of the game do.
    pub fn shown(&self) -> Shown {
        let (done, moves) = (self.analyses.len(), self.moves.len());
        let result = (done == moves).then(|| self.opinions());
        Shown { done, moves, of_person: self.of_person, result, fault: self.fault.clone() }
    }

    fn opinions(&self) -> Opinions {
        let mut judged = Judged::all(&self.game, &self.moves, &self.analyses, &Chances::default());
        let mut losses = vec![None; self.game_moves];
        let mut values = vec![None; self.game_moves];
        let mut grades = vec![None; self.game_moves];
        for (one, &number) in judged.iter_mut().zip(&self.numbers) {
            // `Judged::all` has counted the judged moves only.
            one.number = number;
            let index = number as usize - 1;
            losses[index] = one.loss;
            values[index] = one.value;
            grades[index] = one.graded.map(|graded| graded.grade);
        }
        let summary = Summary::of(&judged, MAX_MISTAKES);
        let find = |number: &u64| judged.iter().find(|one| one.number == *number).cloned();
        let worst = summary.worst.iter().filter_map(find).collect();
        Opinions { losses, values, grades, worst, summary }
    }
}

impl Drop for Review {
    fn drop(&mut self) {
        self.stop.store(true, Relaxed);
    }
}
