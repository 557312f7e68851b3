//! Where a multi-stage training stands.

use std::fmt::{self, Display};

/// A phase of a multi-stage training, which trains one stage and then collects entrances of the
/// next one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Phase {
    pub number: usize,
    /// The stage that is trained: the number of the phase, or lower if a stage was not reached.
    pub stage: usize,
    /// Share of the plan at which the phase began.
    pub begun: f64,
    /// True if the weights are frozen and entrances of the next stage are collected.
    pub collects: bool,
}

const PARTS: [(bool, &str); 2] = [(false, "trains"), (true, "collects")];

impl Phase {
    pub fn parse(text: &str, stages: usize) -> Option<Self> {
        let words: Vec<&str> = text.split(' ').collect();
        let [number, stage, begun, part] = words[..] else { return None };
        let (collects, _) = PARTS.into_iter().find(|(_, name)| *name == part)?;
        let (number, stage) = (number.parse().ok()?, stage.parse().ok()?);
        let begun = begun.parse().ok().filter(|begun| (0.0..=1.0).contains(begun))?;
        let has_next = number + 1 < stages || (!collects && number < stages);
        (stage <= number && has_next).then_some(Self { number, stage, begun, collects })
    }
}

impl Display for Phase {
    /// Writes the number, the stage, the share of the plan at which the phase began, and the
    /// part.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { number, stage, begun, collects } = self;
        let part = PARTS[usize::from(*collects)].1;
        write!(f, "{number} {stage} {begun} {part}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_read_back_and_impossible_phases_are_refused() {
        for (number, begun, collects) in [(0, 0.0, false), (1, 1.0 / 3.0, true), (2, 0.9, false)] {
            let phase = Phase { number, stage: number / 2, begun, collects };
            assert_eq!(Phase::parse(&phase.to_string(), 3), Some(phase));
        }
        for text in [
            "",
            "1",
            "1 2 0.5 trains",
            "3 1 0.5 trains",
            "2 2 0.5 collects",
            "1 1 NaN trains",
            "1 1 1.5 trains",
            "1 1 0.5 rests",
            "-1 0 0 trains",
            "1 1 0.5 trains more",
        ] {
            assert_eq!(Phase::parse(text, 3), None, "{text}");
        }
    }
}
