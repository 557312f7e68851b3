//! Solves a game with the method and the key type that suit it.

use crate::enumeration::Enumeration;
use crate::error::{Abort, SolveError};
use crate::induction::Induction;
use crate::job::{Job, Solution, SolveOptions, SolveResources};
use crate::key::{Key, Wide};
use crate::memory::MemoryBudget;
use crate::value_iteration;
use runner_core::{Fault, Game, catch};
use std::sync::atomic::Ordering;

/// Solves a game: backward induction if it has layers, else value iteration.
///
/// The result does not depend on the number of threads. If the game does not fit in
/// memory, `solve` fails and reports how many states it found.
///
/// ```
/// use runner_core::{Control, SingleThread};
/// # fn example(game: &impl runner_core::Game) -> Result<(), runner_solver::SolveError> {
/// let resources = runner_solver::SolveResources {
///     host: &SingleThread,
///     memory: 1 << 30,
///     report: &|_| Control::Continue,
/// };
/// let solution = runner_solver::solve(game, &Default::default(), &resources)?;
/// println!("{:?} from {} states", solution.value, solution.states);
/// # Ok(())
/// # }
/// ```
pub fn solve<G: Game>(
    game: &G,
    options: &SolveOptions,
    resources: &SolveResources<'_>,
) -> Result<Solution, SolveError> {
    // The positions of most games that can be solved fit in one word.
    let solved = match attempt::<u64, G>(game, options, resources) {
        Err(Abort::TooWide) => attempt::<Wide, G>(game, options, resources),
        solved => solved,
    };
    solved.map_err(|abort| match abort {
        Abort::Interrupted => SolveError::Interrupted,
        Abort::Failed(error) => error,
        Abort::Memory { needed } => {
            SolveError::TooLarge { states: 0, layer: None, needed, limit: resources.memory }
        }
        Abort::TooWide => {
            let message = "the game has a position with all bits set, which is reserved";
            SolveError::Fault(Fault::new(message))
        }
    })
}

fn attempt<K: Key, G: Game>(
    game: &G,
    options: &SolveOptions,
    resources: &SolveResources<'_>,
) -> Result<Solution, Abort> {
    let memory = MemoryBudget::new(resources.memory);
    let solved = catch(|| {
        let job = Job::new(game, options, resources, &memory)?;
        let result = if job.has_layers {
            let layers = Enumeration::<K, G>::new(&job).and_then(Enumeration::run);
            layers.and_then(|(layers, steps)| Induction::new(&job, layers, steps)?.run())
        } else {
            value_iteration::solve::<K, G>(&job)
        };
        result.map_err(|abort| match abort {
            Abort::Memory { needed } => Abort::Failed(SolveError::TooLarge {
                states: job.found.load(Ordering::Relaxed),
                layer: job.has_layers.then(|| job.layer.load(Ordering::Relaxed)),
                needed,
                limit: memory.limit(),
            }),
            other => other,
        })
    });
    solved.unwrap_or_else(|fault| Err(Abort::Failed(fault.into())))
}
