//! The search for the worst of the last moves, by the opinion of the player.

use super::thinker::Task;
use super::timeline::Timeline;
use runner_core::{Action, Analysis, Description, Random, State};
use runner_spec::quantity::{grouped, number};

/// Number of moves that are searched, those before the cursor.
const MOVES: usize = 100;

/// A search under way.
#[derive(Clone, Debug)]
pub struct WorstMove {
    /// The number of moves before the first one that is searched.
    first: usize,
    /// The positions, and the actions that were taken there.
    moves: Vec<(State, Action)>,
    done: usize,
    /// The largest loss so far, with its place in `moves` and the better action.
    worst: Option<(f32, usize, Action)>,
    text: String,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    /// The number of moves before the worst one.
    pub at: Option<usize>,
    /// The result in words.
    pub message: String,
}

impl WorstMove {
    /// Begins a search before the cursor; `None` if there is no move.
    pub fn new(timeline: &Timeline) -> Option<Self> {
        let first = timeline.at().saturating_sub(MOVES);
        let moves: Vec<_> = timeline.moves_between(first, timeline.at()).collect();
        (!moves.is_empty()).then(|| Self {
            first,
            moves,
            done: 0,
            worst: None,
            text: String::new(),
        })
    }

    pub fn task(&self, random: &Random) -> Task {
        let (state, _) = self.moves[self.done];
        Task { state, score: 0.0, random: random.clone(), play: None }
    }

    /// Returns true if a task is that of the next position.
    pub fn is_about(&self, task: &Task) -> bool {
        task.state == self.moves[self.done].0 && task.play.is_none()
    }

    /// Adds the analysis of the next position.
    pub fn add(&mut self, game: &Description, analysis: &Analysis) {
        let (_, taken) = self.moves[self.done];
        let loss = analysis.choice.and_then(|best| Some((best, analysis.loss(best, taken)?)));
        if let Some((best, loss)) = loss
            && self.worst.is_none_or(|(worst, ..)| loss > worst)
        {
            self.worst = Some((loss, self.done, best));
            self.text = format!(
                "{} lost {}: {} was best",
                game.action_name(taken),
                number(f64::from(loss)),
                game.action_name(best)
            );
        }
        self.done += 1;
    }

    pub fn is_done(&self) -> bool {
        self.done == self.moves.len()
    }

    /// Returns how far the search is, in words.
    pub fn progress(&self) -> String {
        format!("worst move: {} of {} positions", self.done, self.moves.len())
    }

    pub fn result(&self) -> Found {
        match self.worst {
            None => Found { at: None, message: "this player gives no values of moves".into() },
            Some((loss, ..)) if loss <= 0.0 => {
                let count = grouped(self.moves.len() as u64);
                Found {
                    at: None,
                    message: format!("none of the last {count} moves was worse than the player's"),
                }
            }
            Some((_, place, _)) => {
                let at = self.first + place;
                let message = format!("move {}: {}", grouped(at as u64 + 1), self.text);
                Found { at: Some(at), message }
            }
        }
    }
}
