//! Probabilities as parameters.

use serde::{Deserialize, Serialize};

/// A number in [0, 1].
///
/// ```
/// use runner_spec::Probability;
/// assert_eq!(Probability::new(0.1).unwrap().get(), 0.1);
/// assert!(Probability::new(1.5).is_none());
/// assert!(Probability::new(f64::NAN).is_none());
/// ```
#[derive(Clone, Copy, PartialEq, PartialOrd, Debug, Serialize, Deserialize)]
#[serde(try_from = "f64", into = "f64")]
pub struct Probability(f64);

impl Probability {
    /// Returns the probability, or `None` if `p` is not in [0, 1].
    pub fn new(p: f64) -> Option<Self> {
        (0.0..=1.0).contains(&p).then_some(Self(p))
    }

    /// Returns the number.
    #[inline(always)]
    pub const fn get(self) -> f64 {
        self.0
    }
}

impl TryFrom<f64> for Probability {
    type Error = String;

    fn try_from(p: f64) -> Result<Self, String> {
        Self::new(p).ok_or_else(|| format!("{p} is not a probability, a number in [0, 1]"))
    }
}

impl From<Probability> for f64 {
    fn from(p: Probability) -> f64 {
        p.0
    }
}
