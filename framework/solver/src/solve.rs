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
    let solved = attempt::<u64, G>(game, options, resources)
        .or_else(|| attempt::<Wide, G>(game, options, resources));
    solved.unwrap_or_else(|| {
        let message = "the game has a position with all bits set, which is reserved";
        Err(SolveError::Fault(Fault::new(message)))
    })
}

/// Solves a game with keys of this type; `None` if there is a position that does not fit.
fn attempt<K: Key, G: Game>(
    game: &G,
    options: &SolveOptions,
    resources: &SolveResources<'_>,
) -> Option<Result<Solution, SolveError>> {
    let memory = MemoryBudget::new(resources.memory);
    let solved = catch(|| {
        let job = match Job::new(game, options, resources, &memory) {
            Ok(job) => job,
            Err(error) => return Some(Err(error)),
        };
        let result = if job.has_layers {
            let layers = Enumeration::<K, G>::new(&job).and_then(Enumeration::run);
            layers.and_then(|(layers, steps)| Induction::new(&job, layers, steps)?.run())
        } else {
            value_iteration::solve::<K, G>(&job)
        };
        match result {
            Ok(solution) => Some(Ok(solution)),
            Err(Abort::TooWide) => None,
            Err(Abort::Failed(error)) => Some(Err(error)),
            Err(Abort::Memory { needed }) => Some(Err(SolveError::TooLarge {
                states: job.found.load(Ordering::Relaxed),
                layer: job.has_layers.then(|| job.layer.load(Ordering::Relaxed)),
                needed,
                limit: resources.memory,
            })),
        }
    });
    solved.unwrap_or_else(|fault| Some(Err(fault.into())))
}
