//! The parameter `restarts`: training games that do not begin as whole ones.

use crate::schedule::{Schedule, ScheduleParameter};
use runner_core::{BuildError, Spec};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Restarts {
    /// Every game begins as the rules say.
    #[default]
    None,
    Middle(Middle),
    /// Carousel shaping: games begin at entrances of each stage in turn.
    ///
    /// Algorithm 5 of W. Jaśkowski, "Mastering 2048 with delayed temporal coherence learning,
    /// multi-stage weight promotion, redundant encoding and carousel shaping" (2018). After a game
    /// that began in stage n, the next one begins at a random one of the last 1000 entrances of stage
    /// n + 1, or as a whole game if there is none. Here a stage without entrances is skipped.
    Carousel,
}

/// After a long game, the next one begins in the middle of that game.
///
/// K. Matsuzaki, "Developing a 2048 player with backward temporal coherence learning and restart"
/// (2017). In place of some whole games, a game may begin at an entrance of a later stage.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Middle {
    /// Length in moves above which a game is continued by a restart; 2500 if there is no
    /// `longer_than_mean` either.
    pub longer_than: Option<u64>,
    /// The same as a multiple of the mean length of recent whole games.
    pub longer_than_mean: Option<f64>,
    /// The length for restarts in another stage than the first, in moves.
    pub longer_than_later: Option<u64>,
    /// Share of long games after which a whole game begins, 0 to 1.
    pub fresh: f64,
    /// Share of whole games in whose place a game begins at a recent entrance of a later stage,
    /// 0 to 0.99. All stages that have one are equally likely.
    #[serde(deserialize_with = "shares")]
    pub entrances: Schedule,
}

const LONGER_THAN: u64 = 2500;

/// Number of recent entrances that are kept of each stage.
const KEEP: usize = 1000;

/// Maximum share of whole games that are replaced. Curves and limits count whole games only.
const MAX_ENTRANCES: f32 = 0.99;

const MIDDLE: &str = "`middle(longer_than: 2500, longer_than_later: None, fresh: 0.0, entrances: 0.0)`, \
                      the same with `longer_than_mean: 1.0` in place of `longer_than`";
const ENTRANCES: &str = "`entrances` is 0 to 0.99, or a schedule";

impl Default for Middle {
    fn default() -> Self {
        Self {
            longer_than: None,
            longer_than_mean: None,
            longer_than_later: None,
            fresh: 0.0,
            entrances: Schedule::Constant(0.0),
        }
    }
}

fn shares<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Schedule, D::Error> {
    let is_share = |share: f32| (0.0..=MAX_ENTRANCES).contains(&share);
    let refused = format!("expected shares from 0 to {MAX_ENTRANCES}");
    let schedule = ScheduleParameter::deserialize(deserializer)?.schedule(is_share, &refused);
    schedule.map_err(D::Error::custom)
}

impl Restarts {
    pub fn allowed() -> String {
        format!(
            "`none`, {MIDDLE}, or `carousel`; {ENTRANCES}; `ms-td` has neither `carousel` nor \
             `entrances`"
        )
    }

    /// Reads the parameter of a network with this number of stages.
    pub fn read(parameter: Option<&Spec>, stages: usize) -> Result<Self, BuildError> {
        let Some(spec) = parameter else { return Ok(Self::None) };
        let read = match spec.name() {
            name @ ("none" | "carousel") if spec.has_fields() => {
                Err(format!("`{name}` has no parameters"))
            }
            "none" => Ok(Self::None),
            "carousel" if stages == 1 => {
                Err("`carousel` needs a second stage, see `stages`".to_owned())
            }
            "carousel" => Ok(Self::Carousel),
            "middle" => spec
                .deserialize()
                .map_err(|error| format!("{}; expected {MIDDLE}; {ENTRANCES}", error.message))
                .and_then(|middle: Middle| middle.checked(stages))
                .map(Self::Middle),
            other => Err(format!("unknown: `{other}`; expected {}", Self::allowed())),
        };
        read.map_err(|message| BuildError::of("restarts", message))
    }

    /// Returns the number of recent entrances to keep of each stage.
    pub fn kept_entrances(&self) -> usize {
        match self {
            Self::Middle(middle) if !middle.entrances.is_ever_above(0.0) => 0,
            Self::None => 0,
            Self::Carousel | Self::Middle(_) => KEEP,
        }
    }

    /// Returns true if restarts depend on the share of the training that is done.
    pub fn are_planned(&self) -> bool {
        matches!(self, Self::Middle(middle) if !middle.entrances.is_constant())
    }
}

impl Middle {
    /// Returns these parameters if a network with this number of stages may have them.
    fn checked(self, stages: usize) -> Result<Self, String> {
        let Self { longer_than, longer_than_mean, longer_than_later, fresh, entrances } = self;
        let is_later = longer_than_later.is_some() || entrances.is_ever_above(0.0);
        let message = if longer_than.is_some() && longer_than_mean.is_some() {
            "`longer_than` and `longer_than_mean` exclude each other"
        } else if longer_than == Some(0) {
            "`longer_than` must be 1 move or more"
        } else if longer_than_later == Some(0) {
            "`longer_than_later` must be 1 move or more"
        } else if longer_than_mean.is_some_and(|factor| !(factor > 0.0 && factor.is_finite())) {
            "`longer_than_mean` must be a finite number above 0"
        } else if !(0.0..=1.0).contains(&fresh) {
            "`fresh` must be a share from 0 to 1"
        } else if stages == 1 && is_later {
            "`longer_than_later` and `entrances` need a second stage, see `stages`"
        } else {
            return Ok(self);
        };
        Err(format!("`middle`: {message}"))
    }

    /// Returns the length above which a game is continued in a stage, in moves, if it is known
    /// yet; `mean_length` is that of recent whole games.
    pub fn length(&self, stage: usize, mean_length: Option<f64>) -> Option<f64> {
        match (stage, self.longer_than_later, self.longer_than_mean) {
            (1.., Some(later), _) => Some(later as f64),
            (_, _, Some(factor)) => mean_length.map(|mean| factor * mean),
            (_, _, None) => Some(self.longer_than.unwrap_or(LONGER_THAN) as f64),
        }
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
        let middle = Middle { longer_than_mean: Some(0.5), ..Middle::default() };
        assert_eq!(read("middle(longer_than_mean: 0.5)", 1), Ok(Restarts::Middle(middle)));
        assert_eq!(middle.length(1, None), None);
        assert_eq!(middle.length(1, Some(3000.0)), Some(1500.0));
        assert_eq!(Middle::default().length(1, None), Some(2500.0));
        let later = Middle { longer_than_later: Some(10), ..middle };
        assert_eq!(
            read("middle(longer_than_mean: 0.5, longer_than_later: 10)", 2),
            Ok(Restarts::Middle(later))
        );
        assert_eq!(
            [0, 1, 2].map(|stage| later.length(stage, None)),
            [None, Some(10.0), Some(10.0)]
        );
        assert_eq!(later.length(0, Some(3000.0)), Some(1500.0));
        assert_eq!(read("carousel", 2), Ok(Restarts::Carousel));
    }
}
