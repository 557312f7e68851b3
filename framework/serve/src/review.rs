//! The review of a game: what each of its moves lost, in the opinion of a player, on a thread of
//! its own. If a person made some of the moves, only these are judged.

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

/// Number of mistakes that are listed.
const MISTAKES: usize = 10;

/// A review under way, or a finished one. Dropping it ends its thread after the position under
/// way.
pub struct Review {
    game: LoadedGame,
    moves: Vec<Made>,
    /// The numbers of these moves, counted from 1.
    numbers: Vec<u64>,
    /// Number of all moves of the game.
    total: usize,
    of_person: bool,
    analyses: Vec<Analysis>,
    results: Receiver<Result<Analysis, Fault>>,
    stop: Arc<AtomicBool>,
    fault: Option<String>,
}

/// A review, as the page shows it.
#[derive(Serialize)]
pub struct Shown {
    /// Number of moves that are judged.
    done: usize,
    moves: usize,
    /// True if these are the moves of a person.
    of_person: bool,
    /// The opinions, when all moves are judged.
    result: Option<Opinions>,
    fault: Option<String>,
}

#[derive(Serialize)]
struct Opinions {
    /// The loss of each move of the game; `None` if it is not judged or the player gives no values.
    losses: Vec<Option<f32>>,
    /// Score that the player expects before each move, or its rating.
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
        let (mut moves, mut numbers) = (Vec::new(), Vec::new());
        for (number, (state, made)) in (1..).zip(timeline.all_moves()) {
            if made.by_person || !of_person {
                let score = timeline.score_at(number as usize - 1);
                moves.push(Made { state, action: made.action, score });
                numbers.push(number);
            }
        }
        let (sender, results) = channel();
        let review = Self {
            game: game.clone(),
            moves,
            numbers,
            total: timeline.moves(),
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
                let one = catch(|| analyse_one(&game, player, state, seed, &mut successors));
                call.progress();
                let failed = one.is_err();
                if sender.send(one).is_err() || failed {
                    break;
                }
            }
        })?;
        Ok(review)
    }

    /// Takes new results.
    pub fn update(&mut self) {
        for result in self.results.try_iter() {
            match result {
                Ok(analysis) => self.analyses.push(analysis),
                Err(fault) => self.fault = Some(fault.0),
            }
        }
    }

    /// Returns true if all moves are judged, or the player has failed.
    pub fn is_done(&self) -> bool {
        self.analyses.len() == self.moves.len() || self.fault.is_some()
    }

    /// Returns what the page shows. May panic where the game does.
    pub fn shown(&self) -> Shown {
        let (done, moves) = (self.analyses.len(), self.moves.len());
        let result = (done == moves).then(|| self.opinions());
        Shown { done, moves, of_person: self.of_person, result, fault: self.fault.clone() }
    }

    fn opinions(&self) -> Opinions {
        let mut judged = Judged::all(&self.game, &self.moves, &self.analyses, &Chances::default());
        let mut losses = vec![None; self.total];
        let mut values = vec![None; self.total];
        let mut grades = vec![None; self.total];
        for (one, &number) in judged.iter_mut().zip(&self.numbers) {
            one.number = number;
            let place = number as usize - 1;
            losses[place] = one.loss;
            values[place] = one.value;
            grades[place] = one.graded.map(|graded| graded.grade);
        }
        let summary = Summary::of(&judged, MISTAKES);
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
