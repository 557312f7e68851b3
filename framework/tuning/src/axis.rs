//! A number to be tuned: its start, its bounds, and the map from a coordinate of the search
//! to its value.

use runner_core::{Spec, SpecError};
use runner_spec::SpecValue;
use runner_spec::quantity::count;
use serde::{Deserialize, Serialize};

/// The scale on which a number is searched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Equal steps are equal differences.
    #[default]
    Linear,
    /// Equal steps are equal ratios.
    Log,
}

/// A number to be tuned. Its coordinate is 0 at the start. One unit is the distance between
/// the bounds; without two bounds, the distance of the start from 0 on a linear scale, and
/// a factor of ten on a logarithmic one.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Path in the agent's spec, such as `value.empty`.
    pub path: String,
    /// Value at the start of the search.
    pub start: f64,
    pub lower: Option<f64>,
    pub upper: Option<f64>,
    pub scale: Scale,
    pub is_whole: bool,
}

impl Axis {
    /// Reads `PATH[=START][:LOW..HIGH][:log]` for an agent whose spec has all its defaults.
    pub fn read(text: &str, agent: &Spec) -> Result<Self, SpecError> {
        let refuse = |part: &str, message: String| {
            let at = part.as_ptr() as usize - text.as_ptr() as usize;
            SpecError::new(text, at..at + part.len(), message)
        };
        let number = |part: &str| {
            let (sign, digits) = part.strip_prefix('-').map_or((1.0, part), |part| (-1.0, part));
            match part.parse().or_else(|_| count(digits).map(|n| sign * n as f64)) {
                Ok(number) if number.is_finite() => Ok(number),
                _ => Err(refuse(part, format!("expected a number, found `{part}`"))),
            }
        };
        let mut parts = text.split(':');
        let first = parts.next().unwrap_or_default();
        let (path, start) = match first.split_once('=') {
            Some((path, start)) => (path, Some(number(start)?)),
            None => (first, None),
        };
        let numbers = agent.numbers();
        let Some(known) = numbers.iter().find(|number| number.path == path) else {
            let allowed = numbers.into_iter().map(|number| number.path).collect();
            return Err(SpecError { allowed, ..refuse(path, no_number(path, agent)) });
        };
        let mut axis = Self {
            path: path.to_owned(),
            start: start.unwrap_or(known.value),
            lower: None,
            upper: None,
            scale: Scale::Linear,
            is_whole: known.is_whole,
        };
        for part in parts {
            match (part, part.split_once("..")) {
                ("log", _) => axis.scale = Scale::Log,
                ("linear", _) => axis.scale = Scale::Linear,
                (_, Some((lower, upper))) => {
                    let bound = |part: &str| (!part.is_empty()).then(|| number(part)).transpose();
                    (axis.lower, axis.upper) = (bound(lower)?, bound(upper)?);
                }
                _ => {
                    return Err(refuse(
                        part,
                        format!("expected bounds like 0..10, `log` or `linear`, found `{part}`"),
                    ));
                }
            }
        }
        axis.check().map_err(|message| refuse(text, message))?;
        Ok(axis)
    }

    /// Checks that start, bounds and scale are consistent.
    pub fn check(&self) -> Result<(), String> {
        let Self { path, start, lower, upper, .. } = self;
        let (low, high) = (lower.unwrap_or(f64::MIN), upper.unwrap_or(f64::MAX));
        if low >= high {
            return Err(format!("`{path}`: the lower bound {low} is not below the upper, {high}"));
        }
        if !(low..=high).contains(start) {
            return Err(format!("`{path}`: the start {start} is outside {low} to {high}"));
        }
        if self.scale == Scale::Log && (*start <= 0.0 || lower.is_some_and(|low| low <= 0.0)) {
            return Err(format!("`{path}`: `log` needs a start and a lower bound greater than 0"));
        }
        if self.is_whole
            && [Some(*start), *lower, *upper].iter().flatten().any(|x| x.fract() != 0.0)
        {
            return Err(format!(
                "`{path}` is an integer: its start and its bounds must be integers"
            ));
        }
        Ok(())
    }

    /// Returns the value at a coordinate of the search.
    ///
    /// Coordinates beyond a bound are reflected at it, so the search itself is unbounded and
    /// values near a bound are as likely as others.
    pub fn value(&self, x: f64) -> f64 {
        let (lower, upper) =
            (self.lower.map(|x| self.scaled(x)), self.upper.map(|x| self.scaled(x)));
        let unit = match (lower, upper, self.scale) {
            (Some(lower), Some(upper), _) => upper - lower,
            (_, _, Scale::Log) => std::f64::consts::LN_10,
            (_, _, Scale::Linear) if self.start == 0.0 => 1.0,
            (_, _, Scale::Linear) => self.start.abs(),
        };
        let unbounded = self.scaled(self.start) + unit * x;
        let reflected = match (lower, upper) {
            (Some(lower), Some(_)) => {
                let along = (unbounded - lower).rem_euclid(2.0 * unit);
                lower + along.min(2.0 * unit - along)
            }
            (Some(lower), None) => lower + (unbounded - lower).abs(),
            (None, Some(upper)) => upper - (unbounded - upper).abs(),
            (None, None) => unbounded,
        };
        let value = match self.scale {
            Scale::Linear => reflected,
            Scale::Log => reflected.exp(),
        };
        let rounded = if self.is_whole { value.round() } else { six_digits(value) };
        rounded.max(self.lower.unwrap_or(f64::MIN)).min(self.upper.unwrap_or(f64::MAX))
    }

    /// Returns a number as it is written in a spec.
    pub fn written(&self, number: f64) -> SpecValue {
        let text = if self.is_whole { format!("{number:.0}") } else { format!("{number:?}") };
        SpecValue::number(text)
    }

    fn scaled(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.ln(),
        }
    }
}

fn no_number(path: &str, agent: &Spec) -> String {
    let name = agent.name();
    let before = path.rsplit_once('.').map(|(before, _)| before);
    match (agent.get(path), before.and_then(|before| agent.get(before))) {
        (Some(held), _) => format!("`{path}` of `{name}` is {held}, not a number"),
        (None, Some(held)) if *held == SpecValue::NONE => format!(
            "`{name}` has no number `{path}`: write out `{}` in the agent",
            before.unwrap_or_default()
        ),
        (None, _) => format!("`{name}` has no number `{path}`"),
    }
}

/// Rounds to six digits: more than games can distinguish.
fn six_digits(value: f64) -> f64 {
    format!("{value:.5e}").parse().unwrap_or(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn agent() -> Spec {
        "expectimax(depth: 2, value: rows(empty: 270.0, order: 0.0), table: \"16M\", time: None)"
            .parse()
            .unwrap()
    }

    fn read(text: &str) -> Axis {
        Axis::read(text, &agent()).unwrap()
    }

    fn refused(text: &str) -> String {
        Axis::read(text, &agent()).unwrap_err().to_string()
    }

    #[test]
    fn parameter_takes_its_start_from_the_agent_unless_given() {
        let empty = Axis {
            path: "value.empty".into(),
            start: 270.0,
            lower: None,
            upper: None,
            scale: Scale::Linear,
            is_whole: false,
        };
        assert_eq!(read("value.empty"), empty);
        assert_eq!(read("value.empty:-2k..").lower, Some(-2000.0));
        assert_eq!(read("value.empty=1.5k"), Axis { start: 1500.0, ..empty.clone() });
        let bounded = Axis { lower: Some(0.5), upper: Some(2000.0), ..empty.clone() };
        assert_eq!(read("value.empty:0.5..2e3"), bounded);
        assert_eq!(read("value.empty=2:0.5..:log").upper, None);
        assert_eq!(read("value.empty=2:..1e3:log").scale, Scale::Log);
        assert!(read("depth=3:1..5").is_whole);
    }

    #[test]
    fn wrong_parameter_is_refused_with_the_numbers_of_the_agent() {
        let text = refused("value.emtpy");
        assert!(text.starts_with("`expectimax` has no number `value.emtpy` (at"), "{text}");
        assert!(text.contains("allowed: depth, value.empty, value.order"), "{text}");
        assert!(text.ends_with("did you mean `value.empty`?"), "{text}");
        assert!(refused("table").contains("is \"16M\", not a number"));
        assert!(refused("time.x").contains("write out `time` in the agent"));
        assert!(refused("dept").ends_with("did you mean `depth`?"));
        assert!(refused("value.empty=x").contains("expected a number, found `x` (at character 13"));
        assert!(refused("value.empty:5").contains("expected bounds like 0..10"));
        assert!(refused("value.empty:5..1").contains("the lower bound 5 is not below"));
        assert!(refused("value.empty:5..9").contains("the start 270 is outside 5 to 9"));
        assert!(refused("value.order:log").contains("greater than 0"));
        assert!(refused("depth=2.5").contains("is an integer"));
    }

    #[test]
    fn one_unit_is_the_distance_of_the_bounds_or_of_the_start_from_0() {
        assert_eq!(read("value.empty").value(0.1), 297.0);
        assert_eq!(read("value.order").value(0.1), 0.1);
        assert_eq!(read("value.empty:0..1e3").value(0.1), 370.0);
        assert_eq!(read("value.empty=3:log").value(1.0), 30.0);
        assert_eq!(read("value.empty=3:0.03..3:log").value(-0.5), 0.3);
        assert_eq!(read("depth").value(0.3), 3.0);
        assert_eq!(read("depth").written(3.0).to_string(), "3");
        assert_eq!(read("value.empty").written(3.0).to_string(), "3.0");
        assert_eq!(read("value.empty").value(0.123_456_189), 303.333);
    }

    #[test]
    fn coordinates_are_reflected_at_the_bounds() {
        let axis = read("value.empty=3:0..4");
        let values = [-1.0, -0.75, 0.0, 0.25, 0.5, 1.25, 1.5].map(|x| axis.value(x));
        assert_eq!(values, [1.0, 0.0, 3.0, 4.0, 3.0, 0.0, 1.0]);
        assert_eq!(read("value.empty=3:1..").value(-1.0), 2.0);
        assert_eq!(read("value.empty=3:..4").value(1.0), 2.0);
        // Rounding does not cross a bound.
        let tight = read("value.empty=0.12345618:0.12345618..1");
        assert_eq!(tight.value(0.0), 0.123_456_18);
        for x in -50..50 {
            assert!((0.123_456_18..=1.0).contains(&tight.value(f64::from(x) / 7.0)));
        }
    }
}
