//! A number to be tuned: where it begins, where it may go, and how a coordinate of the
//! search becomes its value.

use runner_core::{Spec, SpecError};
use runner_spec::quantity::count;
use serde::{Deserialize, Serialize};

/// How a number is stretched.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Scale {
    /// Equal differences count the same.
    #[default]
    Linear,
    /// Equal ratios do.
    Log,
}

/// A number to be tuned. The search sees 0 where it begins, and 1 as far away as the
/// bounds are from each other; without two bounds, as the start is from 0, or, by
/// ratios, at ten times the start.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Axis {
    /// Its path in the agent's spec.
    pub path: String,
    /// Where the search begins.
    pub start: f64,
    /// It is never less.
    pub lower: Option<f64>,
    /// It is never more.
    pub upper: Option<f64>,
    /// How it is stretched.
    pub scale: Scale,
    /// Whether it is a whole number.
    pub is_whole: bool,
}

impl Axis {
    /// Reads `PATH[=START][:LOW..HIGH][:log]` for an agent of which all is resolved.
    pub fn read(text: &str, agent: &Spec) -> Result<Self, SpecError> {
        let refuse = |part: &str, message: String| {
            let at = part.as_ptr() as usize - text.as_ptr() as usize;
            SpecError::new(text, at..at + part.len(), message)
        };
        let number = |part: &str| {
            let (sign, digits) = part.strip_prefix('-').map_or((1.0, part), |part| (-1.0, part));
            let counted = || count(digits).ok().map(|n| sign * n as f64);
            let number = part.parse().ok().or_else(counted);
            number
                .filter(|number: &f64| number.is_finite())
                .ok_or_else(|| refuse(part, format!("expected a number, found `{part}`")))
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

    /// Whether its numbers make sense together.
    pub fn check(&self) -> Result<(), String> {
        let Self { path, start, lower, upper, .. } = self;
        let (low, high) = (lower.unwrap_or(f64::MIN), upper.unwrap_or(f64::MAX));
        if low >= high {
            return Err(format!("`{path}`: the lower bound {low} is not below the upper, {high}"));
        }
        if !(low..=high).contains(start) {
            return Err(format!("`{path}`: the start {start} is not from {low} to {high}"));
        }
        if self.scale == Scale::Log && (*start <= 0.0 || lower.is_some_and(|low| low <= 0.0)) {
            return Err(format!("`{path}`: by `log`, start and lower bound are greater than 0"));
        }
        if self.is_whole
            && [Some(*start), *lower, *upper].iter().flatten().any(|x| x.fract() != 0.0)
        {
            return Err(format!("`{path}` is a whole number: so are its start and its bounds"));
        }
        Ok(())
    }

    /// The value at a coordinate of the search.
    ///
    /// Bounds are mirrors: the search goes through them, and sees what is before them
    /// again. So it needs to know nothing of them, and no value is worse for lying near.
    pub fn value(&self, x: f64) -> f64 {
        let (lower, upper) =
            (self.lower.map(|x| self.stretched(x)), self.upper.map(|x| self.stretched(x)));
        let unit = match (lower, upper, self.scale) {
            (Some(lower), Some(upper), _) => upper - lower,
            (_, _, Scale::Log) => std::f64::consts::LN_10,
            (_, _, Scale::Linear) if self.start == 0.0 => 1.0,
            (_, _, Scale::Linear) => self.start.abs(),
        };
        let z = self.stretched(self.start) + unit * x;
        let z = match (lower, upper) {
            (Some(lower), Some(_)) => {
                let along = (z - lower).rem_euclid(2.0 * unit);
                lower + along.min(2.0 * unit - along)
            }
            (Some(lower), None) => lower + (z - lower).abs(),
            (None, Some(upper)) => upper - (z - upper).abs(),
            (None, None) => z,
        };
        let value = match self.scale {
            Scale::Linear => z,
            Scale::Log => z.exp(),
        };
        let value = if self.is_whole { value.round() } else { six_digits(value) };
        value.max(self.lower.unwrap_or(f64::MIN)).min(self.upper.unwrap_or(f64::MAX))
    }

    /// A value as it is written in a spec.
    pub fn text(&self, value: f64) -> String {
        if self.is_whole { format!("{value:.0}") } else { format!("{value:?}") }
    }

    fn stretched(&self, value: f64) -> f64 {
        match self.scale {
            Scale::Linear => value,
            Scale::Log => value.ln(),
        }
    }
}

/// Why there is no number at a path.
fn no_number(path: &str, agent: &Spec) -> String {
    let name = agent.name();
    let before = path.rsplit_once('.').map(|(before, _)| before);
    match (agent.get(path), before.and_then(|before| agent.get(before))) {
        (Some(held), _) => format!("`{path}` of `{name}` is {held}, which is no number"),
        (None, Some(held)) if held == "None" => format!(
            "`{name}` has no number `{path}`: say in the agent what `{}` is to be",
            before.unwrap_or_default()
        ),
        (None, _) => format!("`{name}` has no number `{path}`"),
    }
}

/// More digits than games can tell apart would only be hard to read.
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
    fn a_parameter_is_read_with_what_is_said_and_what_the_agent_says() {
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
    fn what_is_no_number_is_refused_with_what_is_there() {
        let text = refused("value.emtpy");
        assert!(text.starts_with("`expectimax` has no number `value.emtpy` (at"), "{text}");
        assert!(text.contains("allowed: depth, value.empty, value.order"), "{text}");
        assert!(text.ends_with("did you mean `value.empty`?"), "{text}");
        assert!(refused("table").contains("is \"16M\", which is no number"));
        assert!(refused("time.x").contains("say in the agent what `time` is to be"));
        assert!(refused("dept").ends_with("did you mean `depth`?"));
        assert!(refused("value.empty=x").contains("expected a number, found `x` (at character 13"));
        assert!(refused("value.empty:5").contains("expected bounds like 0..10"));
        assert!(refused("value.empty:5..1").contains("the lower bound 5 is not below"));
        assert!(refused("value.empty:5..9").contains("the start 270 is not from 5 to 9"));
        assert!(refused("value.order:log").contains("greater than 0"));
        assert!(refused("depth=2.5").contains("is a whole number"));
    }

    #[test]
    fn a_step_is_the_distance_of_the_bounds_or_of_the_start_from_0() {
        assert_eq!(read("value.empty").value(0.1), 297.0);
        assert_eq!(read("value.order").value(0.1), 0.1);
        assert_eq!(read("value.empty:0..1e3").value(0.1), 370.0);
        assert_eq!(read("value.empty=3:log").value(1.0), 30.0);
        assert_eq!(read("value.empty=3:0.03..3:log").value(-0.5), 0.3);
        assert_eq!(read("depth").value(0.3), 3.0);
        assert_eq!(read("depth").text(3.0), "3");
        assert_eq!(read("value.empty").text(3.0), "3.0");
        assert_eq!(read("value.empty").value(0.123_456_189), 303.333);
    }

    #[test]
    fn bounds_are_mirrors() {
        let axis = read("value.empty=3:0..4");
        let values = [-1.0, -0.75, 0.0, 0.25, 0.5, 1.25, 1.5].map(|x| axis.value(x));
        assert_eq!(values, [1.0, 0.0, 3.0, 4.0, 3.0, 0.0, 1.0]);
        assert_eq!(read("value.empty=3:1..").value(-1.0), 2.0);
        assert_eq!(read("value.empty=3:..4").value(1.0), 2.0);
        // What is rounded stays within.
        let tight = read("value.empty=0.12345618:0.12345618..1");
        assert_eq!(tight.value(0.0), 0.123_456_18);
        for x in -50..50 {
            assert!((0.123_456_18..=1.0).contains(&tight.value(f64::from(x) / 7.0)));
        }
    }
}
