//! The parameter `restarts`: training games that do not begin as whole ones.

use crate::schedule::{Schedule, ScheduleParameter};
use runner_core::{BuildError, Spec};
use serde::de::{DeserializeOwned, Error};
use serde::{Deserialize, Deserializer};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Restarts {
    /// Every game begins as the rules say.
    #[default]
    None,
    Middle(Middle),
    Carousel(Carousel),
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

/// Carousel shaping: games begin at entrances of each stage in turn.
///
/// Algorithm 5 of W. Jaśkowski, "Mastering 2048 with delayed temporal coherence learning,
/// multi-stage weight promotion, redundant encoding and carousel shaping" (2018). The last 1000
/// entrances of each stage are kept. After a game that began in stage n, the next one begins at a
/// random entrance of stage n + 1, or as a whole game if there is none. Here a stage without
/// entrances is skipped.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Carousel {
    /// Number of recent entrances that are kept of each stage.
    pub keep: usize,
}

const LONGER_THAN: u64 = 2500;

const KEEP: usize = 1000;

/// Maximum number of kept entrances of a stage.
const MAX_KEPT: usize = 1_000_000;

/// Maximum share of whole games that are replaced. Curves and limits count whole games only.
const MAX_ENTRANCES: f32 = 0.99;

const MIDDLE: &str = "`middle(longer_than: 2500, longer_than_later: None, fresh: 0.0, entrances: 0.0)`, \
                      the same with `longer_than_mean: 1.0` in place of `longer_than`";
const ENTRANCES: &str = "`entrances` is 0 to 0.99, or a schedule";
const CAROUSEL: &str = "`carousel(keep: 1000)`";

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

impl Default for Carousel {
    fn default() -> Self {
        Self { keep: KEEP }
    }
}

fn shares<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Schedule, D::Error> {
    let is_share = |share: f32| (0.0..=MAX_ENTRANCES).contains(&share);
    let refused = format!("expected shares from 0 to {MAX_ENTRANCES}");
    let schedule = ScheduleParameter::deserialize(deserializer)?.schedule(is_share, &refused);
    schedule.map_err(D::Error::custom)
}

fn refuse(message: String) -> BuildError {
    BuildError::of("restarts", message)
}

impl Restarts {
    pub fn allowed() -> String {
        format!(
            "`none`, {MIDDLE}, or {CAROUSEL}; {ENTRANCES}; `ms-td` has neither `carousel` nor \
             `entrances`"
        )
    }

    /// Reads the parameter of a network with this number of stages.
    pub fn read(parameter: Option<&Spec>, stages: usize) -> Result<Self, BuildError> {
        fn fields<T: DeserializeOwned>(spec: &Spec, allowed: &str) -> Result<T, BuildError> {
            spec.deserialize()
                .map_err(|error| refuse(format!("{}; expected {allowed}", error.message)))
        }
        let Some(spec) = parameter else { return Ok(Self::None) };
        let restarts = match spec.name() {
            "none" if !spec.has_fields() => Self::None,
            "none" => return Err(refuse("`none` has no parameters".to_owned())),
            "middle" => Self::Middle(fields(spec, &format!("{MIDDLE}; {ENTRANCES}"))?),
            "carousel" => Self::Carousel(fields(spec, CAROUSEL)?),
            other => {
                let allowed = Self::allowed();
                return Err(refuse(format!("unknown: `{other}`; expected {allowed}")));
            }
        };
        let checked = match restarts {
            Self::None => Ok(()),
            Self::Middle(middle) => middle.check(stages),
            Self::Carousel(Carousel { keep }) if !(1..=MAX_KEPT).contains(&keep) => {
                Err(format!("`keep` must be 1 to {MAX_KEPT} entrances"))
            }
            Self::Carousel(_) if stages == 1 => {
                Err("needs a second stage, see `stages`".to_owned())
            }
            Self::Carousel(_) => Ok(()),
        };
        checked.map_err(|message| refuse(format!("`{}`: {message}", spec.name())))?;
        Ok(restarts)
    }

    /// Returns the number of recent entrances to keep of each stage.
    pub fn kept_entrances(&self) -> usize {
        match self {
            Self::Carousel(carousel) => carousel.keep,
            Self::Middle(middle) if middle.entrances.is_ever_above(0.0) => KEEP,
            Self::None | Self::Middle(_) => 0,
        }
    }

    /// Returns true if restarts depend on the share of the training that is done.
    pub fn are_planned(&self) -> bool {
        matches!(self, Self::Middle(middle) if !middle.entrances.is_constant())
    }
}

impl Middle {
    /// Checks the parameters for a network with this number of stages. The error is a message.
    fn check(self, stages: usize) -> Result<(), String> {
        let Self { longer_than, longer_than_mean, longer_than_later, fresh, entrances } = self;
        let refuse = |field: &str, allowed: &str| Err(format!("`{field}` must be {allowed}"));
        if longer_than.is_some() && longer_than_mean.is_some() {
            return Err("`longer_than` and `longer_than_mean` exclude each other".to_owned());
        }
        if longer_than == Some(0) {
            return refuse("longer_than", "1 move or more");
        }
        if longer_than_mean.is_some_and(|factor| !(factor > 0.0 && factor.is_finite())) {
            return refuse("longer_than_mean", "a finite number above 0");
        }
        if longer_than_later == Some(0) {
            return refuse("longer_than_later", "1 move or more");
        }
        if !(0.0..=1.0).contains(&fresh) {
            return refuse("fresh", "a share from 0 to 1");
        }
        if stages == 1 && (longer_than_later.is_some() || entrances.is_ever_above(0.0)) {
            return Err(
                "`longer_than_later` and `entrances` need a second stage, see `stages`".into()
            );
        }
        Ok(())
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
        assert_eq!(read("carousel", 2), Ok(Restarts::Carousel(Carousel::default())));
        let carousel = Carousel { keep: 20 };
        assert_eq!(read("carousel(keep: 20)", 2), Ok(Restarts::Carousel(carousel)));
    }
}
