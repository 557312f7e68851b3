//! A question about a game, and its answer.

use crate::crew::Crew;
use crate::key::Wide;
use crate::memory::Memory;
use crate::rules::Rules;
use crate::worths::{Listed, Worths};
use crate::{SolveError, Stop, iterated, layered};
use runner_core::{Action, Control, Fault, Game, Host, Outcome, State, catch};
use std::sync::atomic::{AtomicU64, Ordering};

/// What is asked about a game.
#[derive(Clone, Copy, Debug, Default)]
pub struct Question {
    /// A state whose value and best action are wanted besides.
    pub state: Option<State>,
    /// Whether the worth of every afterstate is wanted, to play by.
    pub worths: bool,
}

/// What a solve may use.
pub struct Means<'a> {
    /// The threads.
    pub host: &'a dyn Host,
    /// How many bytes it may take.
    pub memory: u64,
    /// Where progress goes, often, and where the wish to stop comes from.
    pub report: &'a (dyn Fn(Progress) -> Control + Sync),
}

/// How far a solve is.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Progress {
    /// States are looked for.
    Found {
        /// How many there are already.
        states: u64,
        /// In a game of layers, the one that was reached.
        layer: Option<u64>,
    },
    /// All states are found, and so many of them have their value.
    Valued {
        /// How many have it.
        states: u64,
        /// Of how many.
        all: u64,
    },
    /// All states are found, and their values are settling.
    Swept {
        /// How often all were gone through.
        sweeps: u64,
        /// The largest change in the last sweep.
        change: f64,
    },
}

/// What is known of a game that is solved.
#[derive(Debug)]
pub struct Solution {
    /// How many states can be reached, of which one stands for all its images.
    pub states: u64,
    /// The expected score of the best play from the start; `None` where the game
    /// does not list its starts.
    pub value: Option<f64>,
    /// Of the state that was asked about.
    pub answer: Option<Answer>,
    /// The worth of every afterstate, if that was asked for.
    pub worths: Option<Worths>,
}

/// What is known of one state.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Answer {
    /// What the best play earns from here on average.
    pub value: f64,
    /// The first of the best actions, if the game is not over.
    pub action: Option<Action>,
}

/// Solves a game.
///
/// The result does not depend on the number of threads.
///
/// ```
/// use runner_core::{Control, SingleThread};
/// # fn example(game: &impl runner_core::Game) -> Result<(), runner_solver::SolveError> {
/// let means = runner_solver::Means {
///     host: &SingleThread,
///     memory: 1 << 30,
///     report: &|_| Control::Continue,
/// };
/// let solution = runner_solver::solve(game, &Default::default(), &means)?;
/// println!("{:?} from {} states", solution.value, solution.states);
/// # Ok(())
/// # }
/// ```
pub fn solve<G: Game>(
    game: &G,
    question: &Question,
    means: &Means<'_>,
) -> Result<Solution, SolveError> {
    let attempt = |fits_a_word: bool| {
        let memory = Memory::new(means.memory);
        let solved = catch(|| {
            let task = Task::new(game, question, means, &memory)?;
            // Most games that can be solved have positions of one word.
            let result = if fits_a_word { task.solve::<u64>() } else { task.solve::<Wide>() };
            result.map_err(|stop| match stop {
                Stop::Memory { needed } => Stop::Failed(SolveError::TooLarge {
                    states: task.found.load(Ordering::Relaxed),
                    layer: task.is_layered.then(|| task.layer.load(Ordering::Relaxed)),
                    needed,
                    limit: memory.limit(),
                }),
                other => other,
            })
        });
        solved.unwrap_or_else(|fault| Err(Stop::Failed(fault.into())))
    };
    let solved = match attempt(true) {
        Err(Stop::TooWide) => attempt(false),
        solved => solved,
    };
    solved.map_err(|stop| match stop {
        Stop::Interrupted => SolveError::Interrupted,
        Stop::Failed(error) => error,
        Stop::Memory { needed } => {
            SolveError::TooLarge { states: 0, layer: None, needed, limit: means.memory }
        }
        Stop::TooWide => {
            let message = "a position has all bits set, which is kept for what is no position";
            SolveError::Fault(Fault::new(message))
        }
    })
}

/// A solve under way.
pub(crate) struct Task<'a, G> {
    pub rules: Rules<'a, G>,
    pub crew: Crew<'a>,
    pub memory: &'a Memory,
    pub question: &'a Question,
    starts: Option<Vec<Outcome>>,
    is_layered: bool,
    /// How many states are found, and up to which layer: for messages.
    pub found: AtomicU64,
    pub layer: AtomicU64,
    report: &'a (dyn Fn(Progress) -> Control + Sync),
}

impl<'a, G: Game> Task<'a, G> {
    fn new(
        game: &'a G,
        question: &'a Question,
        means: &Means<'a>,
        memory: &'a Memory,
    ) -> Result<Self, Stop> {
        let starts = game.starts();
        let first = starts.iter().flatten().map(|start| start.state).next();
        let Some(first) = first.or(question.state) else {
            return Err(Stop::Failed(SolveError::NoStarts));
        };
        Ok(Self {
            rules: Rules::new(game),
            crew: Crew::new(means.host),
            memory,
            question,
            starts,
            is_layered: game.layer(first).is_some(),
            found: AtomicU64::new(0),
            layer: AtomicU64::new(0),
            report: means.report,
        })
    }

    fn solve<K: Listed>(&self) -> Result<Solution, Stop> {
        if self.is_layered { layered::solve::<K, G>(self) } else { iterated::solve::<K, G>(self) }
    }

    /// The states from which all others are reached, each as one stands for it.
    pub fn roots(&self) -> impl Iterator<Item = State> + '_ {
        let starts = self.starts.iter().flatten().map(|start| start.state);
        starts.chain(self.question.state).map(|state| self.rules.canonical(state))
    }

    /// Says how far the solve is; fails if it is to stop.
    pub fn tell(&self, progress: Progress) -> Result<(), Stop> {
        match (self.report)(progress) {
            Control::Continue => Ok(()),
            Control::Stop => Err(Stop::Interrupted),
        }
    }

    /// The value of the game, with the values of the roots in their order.
    pub fn value_of_starts(&self, values: &[f64]) -> Option<f64> {
        let starts = self.starts.as_ref()?.iter().zip(values);
        Some(starts.fold(0.0, |sum, (start, value)| {
            sum + start.probability * (self.rules.chance_reward(None, start.state) + value)
        }))
    }
}
