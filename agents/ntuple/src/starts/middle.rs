//! Restarts from the middle of the last game, if it was long.
//!
//! K. Matsuzaki, "Developing a 2048 player with backward temporal coherence learning and restart"
//! (2017). In place of some whole games, a game may begin at an entrance of a later stage.

use crate::schedule::{Schedule, ScheduleParameter};
use serde::de::Error;
use serde::{Deserialize, Deserializer};

/// Restarts from the game that has just ended.
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
    /// The position of the restart, as a share of the game, 0.1 to 0.9.
    pub at: f64,
    /// Share of long games after which a whole game begins, 0 to 1.
    pub fresh: f64,
    /// Share of whole games in whose place a game begins at a recent entrance of a later stage,
    /// 0 to 0.99. All stages that have one are equally likely.
    #[serde(deserialize_with = "shares")]
    pub entrances: Schedule,
}

const LONGER_THAN: u64 = 2500;

impl Default for Middle {
    fn default() -> Self {
        Self {
            longer_than: None,
            longer_than_mean: None,
            longer_than_later: None,
            at: 0.5,
            fresh: 0.0,
            entrances: Schedule::Constant(0.0),
        }
    }
}

/// Reads a schedule of shares.
fn shares<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Schedule, D::Error> {
    let is_share = |share: f32| (0.0..=MAX_ENTRANCES).contains(&share);
    let refused = format!("expected shares from 0 to {MAX_ENTRANCES}");
    let schedule = ScheduleParameter::deserialize(deserializer)?.schedule(is_share, &refused);
    schedule.map_err(D::Error::custom)
}

impl Middle {
    /// Checks the parameters for a network with this number of stages. The error is a message.
    pub(super) fn check(self, stages: usize) -> Result<Self, String> {
        let Self { longer_than, longer_than_mean, longer_than_later, at, fresh, entrances } = self;
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
        // A restart close to the start would nearly repeat the game.
        if !(0.1..=0.9).contains(&at) {
            return refuse("at", "a share from 0.1 to 0.9");
        }
        if !(0.0..=1.0).contains(&fresh) {
            return refuse("fresh", "a share from 0 to 1");
        }
        if stages == 1 && (longer_than_later.is_some() || entrances.is_ever_above(0.0)) {
            return Err(
                "`longer_than_later` and `entrances` need a second stage, see `stages`".into()
            );
        }
        Ok(self)
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

pub(super) const MIDDLE: &str = "`middle(longer_than: 2500, longer_than_later: None, at: 0.5, fresh: 0.0, \
                                 entrances: 0.0)`, the same with `longer_than_mean: 1.0` in place of \
                                 `longer_than`";
pub(super) const ENTRANCES: &str = "`entrances` is 0 to 0.99, or a schedule";

/// Maximum share of whole games that are replaced. Curves and limits count whole games only.
const MAX_ENTRANCES: f32 = 0.99;
