//! The parameter `restarts`: which training games are restarts, see [`starts`](crate::starts).

use crate::schedule::{Schedule, ScheduleParameter};
use runner_core::{BuildError, Spec};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Restarts {
    /// Every game is a whole game.
    #[default]
    None,
    Middle(Middle),
    /// Carousel shaping: games begin at entrances of each stage in turn.
    ///
    /// Algorithm 5 of W. Jaśkowski, "Mastering 2048 with delayed temporal coherence learning,
    /// multi-stage weight promotion, redundant encoding and carousel shaping" (2018). After a game
    /// that began in stage n, the next one begins at a random one of the last 1000 entrances of
    /// stage n + 1, or as a whole game if there is none. Here a stage without entrances is
    /// skipped.
    Carousel,
}

/// After a long game, the next one begins in the middle of that game.
///
/// K. Matsuzaki, "Developing a 2048 player with backward temporal coherence learning and restart"
/// (2017). In addition, an entrance of a later stage may replace the start of a whole game.
#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Middle {
    /// A game that has more moves than this is long; 2500 if `longer_than_mean` is not given
    /// either.
    pub longer_than: Option<u64>,
    /// In place of `longer_than`: a multiple of the mean length of recent whole games.
    pub longer_than_mean: Option<f64>,
    /// In place of the two others, in moves, if the middle of the game is in a later stage than the
    /// first.
    pub longer_than_later: Option<u64>,
    /// Share of long games after which no game begins in the middle, 0 to 1.
    pub fresh: f64,
    /// Share of whole games that are replaced by a game from a recent entrance of a later stage, 0
    /// to 0.99. All stages with entrances are equally likely. Start positions of the session that lie
    /// in a later stage are its first entrances.
    #[serde(deserialize_with = "shares")]
    pub entrances: Schedule,
}

/// Default of `longer_than`, in moves.
const LONGER_THAN: u64 = 2500;

/// Number of recent entrances that are kept of each stage.
const KEEP: usize = 1000;

/// Maximum of `entrances`. At 1 no whole game would begin, and limits and curves count only these.
const MAX_ENTRANCES: f32 = 0.99;

/// The form of `middle` for help and messages.
const MIDDLE_FORM: &str = "`middle(longer_than: 2500, longer_than_later: None, fresh: 0.0, entrances: 0.0)`, \
                      the same with `longer_than_mean: 1.0` in place of `longer_than`";
/// The form of `entrances` for help and messages.
const ENTRANCES_FORM: &str = "`entrances` is 0 to 0.99, or a schedule";

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
    let parameter = ScheduleParameter::deserialize(deserializer)?;
    let is_share = |share: f32| (0.0..=MAX_ENTRANCES).contains(&share);
    let not_allowed = format!("expected shares from 0 to {MAX_ENTRANCES}");
    parameter.schedule(is_share, &not_allowed).map_err(D::Error::custom)
}

impl Restarts {
    pub fn form() -> String {
        format!(
            "`none`, {MIDDLE_FORM}, or `carousel`; {ENTRANCES_FORM}; `ms-td` has neither `carousel` \
             nor `entrances`"
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
            "middle" => Middle::read(spec, stages).map(Self::Middle),
            other => Err(format!("unknown: `{other}`; expected {}", Self::form())),
        };
        read.map_err(|message| BuildError::of("restarts", message))
    }

    /// Returns the maximum number of recent entrances that are kept of each stage; 0 if no game
    /// begins at one.
    pub fn kept_entrances(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Middle(middle) if !middle.entrances.is_ever_above(0.0) => 0,
            Self::Middle(_) | Self::Carousel => KEEP,
        }
    }

    /// Returns true if restarts depend on the share of the training that is done.
    pub fn are_planned(&self) -> bool {
        matches!(self, Self::Middle(middle) if !middle.entrances.is_constant())
    }
}

impl Middle {
    /// Reads the parameters of `middle` for a network with this number of stages.
    fn read(spec: &Spec, stages: usize) -> Result<Self, String> {
        let read: Result<Self, _> = spec.deserialize();
        let middle = read.map_err(|error| {
            format!("{}; expected {MIDDLE_FORM}; {ENTRANCES_FORM}", error.message)
        })?;
        let Self { longer_than, longer_than_mean, longer_than_later, fresh, entrances } = middle;
        let needs_second_stage = longer_than_later.is_some() || entrances.is_ever_above(0.0);
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
        } else if stages == 1 && needs_second_stage {
            "`longer_than_later` and `entrances` need a second stage, see `stages`"
        } else {
            return Ok(middle);
        };
        Err(format!("`middle`: {message}"))
    }

    /// Returns the number of moves above which a game is long, if its middle is in this stage.
    /// `mean_length` is the mean length of recent whole games; the result is `None` if it is needed
    /// and not known yet.
    pub fn restart_above(&self, stage: usize, mean_length: Option<f64>) -> Option<f64> {
        if let Some(moves) = self.longer_than_later
            && stage > 0
        {
            return Some(moves as f64);
        }
        match self.longer_than_mean {
            Some(factor) => mean_length.map(|mean| factor * mean),
            None => Some(self.longer_than.unwrap_or(LONGER_THAN) as f64),
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
        assert_eq!(middle.restart_above(1, None), None);
        assert_eq!(middle.restart_above(1, Some(3000.0)), Some(1500.0));
        assert_eq!(Middle::default().restart_above(1, None), Some(2500.0));
        let later = Middle { longer_than_later: Some(10), ..middle };
        assert_eq!(
            read("middle(longer_than_mean: 0.5, longer_than_later: 10)", 2),
            Ok(Restarts::Middle(later))
        );
        let in_stages = [0, 1, 2].map(|stage| later.restart_above(stage, None));
        assert_eq!(in_stages, [None, Some(10.0), Some(10.0)]);
        assert_eq!(later.restart_above(0, Some(3000.0)), Some(1500.0));
        assert_eq!(read("carousel", 2), Ok(Restarts::Carousel));
    }
}
