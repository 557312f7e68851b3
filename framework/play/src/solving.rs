//! The failures of the exact solver, as commands report them, and the file of its values.

use crate::failure::{Failure, attributed};
use crate::registry::LoadedGame;
use runner_solver::{PackedValues, Solution, SolveError};
use runner_spec::quantity::{grouped, memory};
use std::path::Path;

/// How a front end names its options in the messages of [`solve_failure`].
#[derive(Clone, Copy, Debug)]
pub struct SolveOptionNames {
    pub state: &'static str,
    pub large: &'static str,
    pub memory: &'static str,
}

/// Returns the failure of a solve, with what to do about it.
pub fn solve_failure(error: SolveError, game: &LoadedGame, names: SolveOptionNames) -> Failure {
    let spec = &game.spec;
    match error {
        SolveError::NoStarts => Failure::usage(format!(
            "{spec} does not list its start positions; give a position with {}",
            names.state
        )),
        SolveError::Large { states, memory: bytes } => Failure::usage(format!(
            "{spec} has more than {} states by an estimate, which take hours, and {} of memory or \
             more; solve a smaller board, or begin all the same with {}",
            grouped(states),
            memory(bytes),
            names.large
        )),
        SolveError::TooLarge { states, layer, needed, limit } => {
            let layer = layer.map(|layer| format!(" up to layer {}", grouped(layer)));
            Failure::failed(format!(
                "{spec} is too large: {} states were found{}, which need at least {} of memory, \
                 more than the limit of {}; solve a smaller board, or raise the limit with {}",
                grouped(states),
                layer.unwrap_or_default(),
                memory(needed),
                memory(limit),
                names.memory
            ))
        }
        SolveError::Interrupted => Failure::Interrupted(
            "nothing is saved of an unfinished solve; the same command starts over".into(),
        ),
        SolveError::Fault(fault) => Failure::failed(attributed(&fault.0, &[&game.label])),
        SolveError::Unsettled { .. } => Failure::failed(format!("{spec}: {error}")),
    }
}

/// Writes the values of all afterstates, and returns the size of the file in bytes.
pub fn save_solution(
    path: &Path,
    game: &LoadedGame,
    solution: &Solution,
    values: &PackedValues,
) -> Result<u64, Failure> {
    let mut facts = vec![("states", solution.states.to_string())];
    facts.extend(solution.value.map(|value| ("expected score", value.to_string())));
    Ok(runner_solver::save(path, &game.spec.to_string(), &facts, values)?)
}
