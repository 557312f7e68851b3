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

/// Refuses what is not a finite number from 0 on.
pub fn number(parameter: &str, given: f64) -> Result<f64, BuildError> {
    match given.is_finite() && given >= 0.0 {
        true => Ok(given),
        false => Err(BuildError::of(parameter, format!("{given} is not a number from 0 on"))),
    }
}

/// Refuses what is not a finite number above 0.
pub fn above_zero(parameter: &str, given: f64) -> Result<f64, BuildError> {
    match given.is_finite() && given > 0.0 {
        true => Ok(given),
        false => Err(BuildError::of(parameter, format!("{given} is not a number above 0"))),
    }
}
