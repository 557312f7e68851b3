//! Restarts: training games that do not begin at the start of the game.

use crate::schedule::{Schedule, ScheduleParameter};
use runner_core::{BuildError, Spec, SpecError};
use serde::Deserialize;

/// Where training games begin.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Restarts {
    /// Every game begins as the rules say.
    #[default]
    None,
    /// After a long game, the next one begins at a position of that game.
    Middle(Middle),
    /// After a game from stage n, the next one begins at a recent entrance of the next stage
    /// that has one.
    Carousel(Carousel),
}

/// Restarts from the game that has just ended.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Middle {
    /// Length above which a game is continued by a restart.
    pub longer_than: Length,
    /// The length for restarts in another stage than the first, in moves.
    pub longer_than_later: Option<u64>,
    /// The position of the restart, as a share of the game, 0.1 to 0.9.
    pub at: f64,
    /// Share of long games after which a whole game begins, 0 to 1.
    pub fresh: f64,
    /// Share of whole games in whose place a game begins at a recent entrance of a later stage,
    /// 0 to 0.99. All stages that have one are equally likely.
    pub entrances: Schedule,
}

/// The length of a game, in moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Length {
    /// A number of moves.
    Moves(u64),
    /// A multiple of the mean length of recent whole games.
    OfMean(f64),
}

impl Default for Middle {
    fn default() -> Self {
        Self {
            longer_than: Length::Moves(2500),
            longer_than_later: None,
            at: 0.5,
            fresh: 0.0,
            entrances: Schedule::Constant(0.0),
        }
    }
}

/// The parameters of `middle`.
#[derive(Debug, Deserialize)]
#[serde(default, deny_unknown_fields)]
struct MiddleConfig {
    /// See [`Length::Moves`].
    longer_than: Option<u64>,
    /// See [`Length::OfMean`].
    longer_than_mean: Option<f64>,
    /// See [`Middle::longer_than_later`].
    longer_than_later: Option<u64>,
    /// See [`Middle::at`].
    at: f64,
    /// See [`Middle::fresh`].
    fresh: f64,
    /// See [`Middle::entrances`].
    entrances: ScheduleParameter,
}

impl Default for MiddleConfig {
    fn default() -> Self {
        Self {
            longer_than: None,
            longer_than_mean: None,
            longer_than_later: None,
            at: Middle::default().at,
            fresh: 0.0,
            entrances: ScheduleParameter::Constant(0.0),
        }
    }
}

impl MiddleConfig {
    /// Checks the parameters for a network with this number of stages. The error is a message.
    fn check(self, stages: usize) -> Result<Middle, String> {
        let refuse = |field: &str, allowed: &str| Err(format!("`{field}` must be {allowed}"));
        let longer_than = match (self.longer_than, self.longer_than_mean) {
            (Some(_), Some(_)) => {
                return Err("`longer_than` and `longer_than_mean` exclude each other".to_owned());
            }
            (Some(0), None) => return refuse("longer_than", "1 move or more"),
            (Some(moves), None) => Length::Moves(moves),
            (None, Some(factor)) if factor > 0.0 && factor.is_finite() => Length::OfMean(factor),
            (None, Some(_)) => return refuse("longer_than_mean", "a finite number above 0"),
            (None, None) => Middle::default().longer_than,
        };
        if self.longer_than_later == Some(0) {
            return refuse("longer_than_later", "1 move or more");
        }
        // A restart close to the start would nearly repeat the game.
        if !(0.1..=0.9).contains(&self.at) {
            return refuse("at", "a share from 0.1 to 0.9");
        }
        if !(0.0..=1.0).contains(&self.fresh) {
            return refuse("fresh", "a share from 0 to 1");
        }
        let is_share = |share: f32| (0.0..=MAX_ENTRANCES).contains(&share);
        let refused = format!("expected shares from 0 to {MAX_ENTRANCES}");
        let entrances = self.entrances.schedule(is_share, &refused);
        let entrances = entrances.map_err(|message| format!("`entrances`: {message}"))?;
        if stages == 1 && (self.longer_than_later.is_some() || entrances.is_ever_above(0.0)) {
            return Err(
                "`longer_than_later` and `entrances` need a second stage, see `stages`".into()
            );
        }
        let Self { longer_than_later, at, fresh, .. } = self;
        Ok(Middle { longer_than, longer_than_later, at, fresh, entrances })
    }
}

impl Middle {
    /// Returns the length above which a game is continued in a stage, in moves, if it is known
    /// yet; `mean_length` is that of recent whole games.
    pub fn length(&self, stage: usize, mean_length: Option<f64>) -> Option<f64> {
        match (stage, self.longer_than_later, self.longer_than) {
            (1.., Some(later), _) => Some(later as f64),
            (_, _, Length::Moves(moves)) => Some(moves as f64),
            (_, _, Length::OfMean(factor)) => mean_length.map(|mean| factor * mean),
        }
    }
}

/// The parameters of carousel shaping.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Carousel {
    /// Number of recent entrances that are kept of each stage.
    pub keep: usize,
    /// True if a game that began at an entrance ends when it enters another stage; the value of
    /// that position is the target of its last move.
    pub cut: bool,
    /// Share of the rounds through all stages after which a whole game begins, 0.01 to 1. After
    /// the others the next round begins at once.
    pub fresh: f64,
}

impl Default for Carousel {
    fn default() -> Self {
        Self { keep: 1000, cut: false, fresh: 1.0 }
    }
}

impl Carousel {
    /// Checks the parameters for a network with this number of stages. The error is a message.
    fn check(self, stages: usize) -> Result<Self, String> {
        if !(1..=MAX_KEPT).contains(&self.keep) {
            return Err(format!("`keep` must be 1 to {MAX_KEPT} entrances"));
        }
        if !(MIN_FRESH..=1.0).contains(&self.fresh) {
            return Err(format!("`fresh` must be a share from {MIN_FRESH} to 1"));
        }
        match stages {
            1 => Err("needs a second stage, see `stages`".to_owned()),
            _ => Ok(self),
        }
    }
}

/// The forms of `middle` and `carousel`, for help.
const MIDDLE: &str = "`middle(longer_than: 2500, longer_than_later: None, at: 0.5, fresh: 0.0, \
                      entrances: 0.0)`, the same with `longer_than_mean: 1.0` in place of \
                      `longer_than`";
const CAROUSEL: &str = "`carousel(keep: 1000, cut: false, fresh: 1.0)`";
const ENTRANCES: &str = "`entrances` is 0 to 0.99, or a schedule";

/// Maximum share of whole games that are replaced. Curves and limits count whole games only.
const MAX_ENTRANCES: f32 = 0.99;

/// Minimum share of rounds of the carousel after which a whole game begins.
const MIN_FRESH: f64 = 0.01;

/// Maximum number of kept entrances of a stage.
const MAX_KEPT: usize = 1_000_000;

impl Restarts {
    /// Returns the values of the parameter, for help.
    pub fn allowed() -> String {
        format!("`none`, {MIDDLE}, or {CAROUSEL}; {ENTRANCES}")
    }

    /// Reads the parameter `restarts` of a network with this number of stages.
    pub fn read(parameter: Option<&Spec>, stages: usize) -> Result<Self, BuildError> {
        let Some(spec) = parameter else { return Ok(Self::None) };
        let refuse = |message: String| BuildError::of("restarts", message);
        let misread = |error: SpecError, allowed: &str| {
            refuse(format!("{}; expected {allowed}", error.message))
        };
        let of_kind = |message: String| refuse(format!("`{}`: {message}", spec.name()));
        match spec.name() {
            "none" if !spec.has_fields() => Ok(Self::None),
            "none" => Err(refuse("`none` has no parameters".to_owned())),
            "middle" => {
                let allowed = format!("{MIDDLE}; {ENTRANCES}");
                let middle: MiddleConfig = spec.read().map_err(|error| misread(error, &allowed))?;
                middle.check(stages).map(Self::Middle).map_err(of_kind)
            }
            "carousel" => {
                let carousel: Carousel = spec.read().map_err(|error| misread(error, CAROUSEL))?;
                carousel.check(stages).map(Self::Carousel).map_err(of_kind)
            }
            other => Err(refuse(format!("unknown: `{other}`; expected {}", Self::allowed()))),
        }
    }

    /// Returns the number of entrances that are kept of each stage.
    pub fn kept_entrances(&self) -> usize {
        match self {
            Self::Carousel(carousel) => carousel.keep,
            Self::Middle(middle) if middle.entrances.is_ever_above(0.0) => Carousel::default().keep,
            Self::None | Self::Middle(_) => 0,
        }
    }

    /// Returns true if restarts depend on the share of the training that is done.
    pub fn are_planned(&self) -> bool {
        matches!(self, Self::Middle(middle) if !middle.entrances.is_constant())
    }

    /// Returns true if games that began at the entrance of a stage end when they leave it.
    pub fn cut_games(&self) -> bool {
        matches!(self, Self::Carousel(carousel) if carousel.cut)
    }

    /// Returns true if restarts use the positions of a game.
    pub fn need_positions(&self) -> bool {
        matches!(self, Self::Middle(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, stages: usize) -> Result<Restarts, BuildError> {
        Restarts::read(Some(&text.parse().unwrap()), stages)
    }

    #[test]
    fn each_kind_is_read_with_its_defaults() {
        assert_eq!(Restarts::read(None, 1), Ok(Restarts::None));
        assert_eq!(read("none", 1), Ok(Restarts::None));
        assert_eq!(read("middle", 1), Ok(Restarts::Middle(Middle::default())));
        let longer_than = Length::OfMean(0.5);
        let middle = Middle { longer_than, at: 0.25, ..Middle::default() };
        assert_eq!(
            read("middle(longer_than_mean: 0.5, at: 0.25)", 1),
            Ok(Restarts::Middle(middle))
        );
        assert_eq!(middle.length(1, None), None);
        assert_eq!(middle.length(1, Some(3000.0)), Some(1500.0));
        assert_eq!(Middle::default().length(1, None), Some(2500.0));
        let later = Middle { longer_than_later: Some(10), ..middle };
        assert_eq!(
            read("middle(longer_than_mean: 0.5, longer_than_later: 10, at: 0.25)", 2),
            Ok(Restarts::Middle(later))
        );
        assert_eq!(
            [0, 1, 2].map(|stage| later.length(stage, None)),
            [None, Some(10.0), Some(10.0)]
        );
        assert_eq!(later.length(0, Some(3000.0)), Some(1500.0));
        assert_eq!(read("carousel", 2), Ok(Restarts::Carousel(Carousel::default())));
        let carousel = Carousel { keep: 20, cut: true, fresh: 0.25 };
        assert_eq!(
            read("carousel(keep: 20, cut: true, fresh: 0.25)", 2),
            Ok(Restarts::Carousel(carousel))
        );
    }

    #[test]
    fn wrong_parameters_are_refused() {
        for (text, stages, expected) in [
            ("sideways", 1, "`sideways`"),
            ("none(keep: 1)", 1, "no parameters"),
            ("carousel", 1, "needs a second stage"),
            ("carousel(keep: 0)", 2, "1 to 1000000"),
            ("carousel(at: 0.5)", 2, "expected `carousel(keep: 1000, cut: false, fresh: 1.0)`"),
            ("carousel(fresh: 1.5)", 2, "0.01 to 1"),
            ("carousel(fresh: 0.0)", 2, "0.01 to 1"),
            ("carousel(fresh: NaN)", 2, "0.01 to 1"),
            ("middle(longer_than: 0)", 1, "1 move or more"),
            ("middle(longer_than_later: 0)", 2, "1 move or more"),
            ("middle(longer_than_later: 10)", 1, "need a second stage"),
            ("middle(entrances: 0.5)", 1, "need a second stage"),
            ("middle(entrances: [(0.0, 0.0), (0.5, 0.5)])", 1, "need a second stage"),
            ("middle(entrances: -0.5)", 2, "0 to 0.99"),
            ("middle(entrances: 1.0)", 2, "0 to 0.99"),
            ("middle(entrances: [(0.0, 0.5), (0.5, 1.0)])", 2, "0 to 0.99"),
            ("middle(entrances: [(0.5, 0.5)])", 2, "ascending shares"),
            ("middle(entrances: (from: 0.0, to: 0.5))", 2, "above 0"),
            ("middle(longer_than: 10, longer_than_mean: 1.0)", 1, "exclude each other"),
            ("middle(longer_than_mean: 0.0)", 1, "above 0"),
            ("middle(longer_than_mean: NaN)", 1, "above 0"),
            ("middle(at: 0.0)", 1, "0.1 to 0.9"),
            ("middle(at: 1.0)", 1, "0.1 to 0.9"),
            ("middle(fresh: 1.5)", 1, "0 to 1"),
            ("middle(fresh: -0.5)", 1, "0 to 1"),
        ] {
            let error = read(text, stages).unwrap_err();
            assert_eq!(error.parameter.as_deref(), Some("restarts"));
            assert!(error.message.contains(expected), "{text}: {error}");
        }
    }
}
