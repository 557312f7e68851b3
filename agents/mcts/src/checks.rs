//! Checks of parameters, with the messages that name what is allowed.

use runner_core::BuildError;

/// Returns the option that has this name.
pub fn choice<T: Copy>(parameter: &str, given: &str, names: &[(&str, T)]) -> Result<T, BuildError> {
    let named = names.iter().find(|(name, _)| *name == given);
    named.map(|(_, meaning)| *meaning).ok_or_else(|| {
        let names: Vec<_> = names.iter().map(|(name, _)| format!("{name:?}")).collect();
        BuildError::of(parameter, format!("{given:?} is not one of {}", names.join(", ")))
    })
}

/// Refuses a number out of range.
pub fn in_range<T: PartialOrd + std::fmt::Display>(
    parameter: &str,
    given: T,
    least: T,
    most: T,
) -> Result<T, BuildError> {
    match given >= least && given <= most {
        true => Ok(given),
        false => Err(BuildError::of(parameter, format!("{given} is not from {least} to {most}"))),
    }
}

/// The largest number of a parameter. Products with scores stay finite.
const MAX_NUMBER: f64 = 1e6;

/// Refuses what is not a finite number from 0 on.
pub fn number(parameter: &str, given: f64) -> Result<f64, BuildError> {
    match (0.0..=MAX_NUMBER).contains(&given) {
        true => Ok(given),
        false => Err(BuildError::of(
            parameter,
            format!("{given} is not a number from 0 to {MAX_NUMBER}"),
        )),
    }
}

/// Refuses what is not a finite number above 0.
pub fn above_zero(parameter: &str, given: f64) -> Result<f64, BuildError> {
    match (1.0 / MAX_NUMBER..=MAX_NUMBER).contains(&given) {
        true => Ok(given),
        false => {
            let least = 1.0 / MAX_NUMBER;
            let message = format!("{given} is not from {least}, above 0, to {MAX_NUMBER}");
            Err(BuildError::of(parameter, message))
        }
    }
}
