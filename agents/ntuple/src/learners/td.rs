//! `td-ntuple`: temporal difference learning with one step size for all weights.

use crate::learner::{Algorithm, Ntuple};
use crate::options::{Joint, Shared};
use crate::rule::Rule;
use crate::schedule::{Schedule, ScheduleParameter};
use agent_ntuple_network::memory::Entries;
use agent_ntuple_network::{Record, WeightIndex};
use runner_core::{BuildContext, BuildError, Spec, parameters};

/// Temporal difference learning: each of the m weights of a position gets the same share of the
/// update for the error δ of the position's value.
///
/// ```text
/// V ← V + α/m δ
/// ```
///
/// M. Szubert and W. Jaśkowski, "Temporal difference learning of n-tuple networks for the game
/// 2048" (2014); the step size is shared as in Algorithm 1 of W. Jaśkowski, "Mastering 2048 with
/// delayed temporal coherence learning, multi-stage weight promotion, redundant encoding and
/// carousel shaping" (2018).
#[derive(Clone, Copy, Debug)]
pub struct Td {
    /// Step size α over the training.
    schedule: Schedule,
    /// The current α.
    alpha: f32,
    /// 1/m.
    share: f32,
}

impl Td {
    /// Creates the rule with a step size that the `lookups` weights of a position share.
    pub fn new(schedule: Schedule, lookups: usize) -> Self {
        Self { schedule, alpha: schedule.at(0.0), share: 1.0 / lookups as f32 }
    }
}

impl Rule for Td {
    type Memory = ();

    fn is_planned(self) -> bool {
        !self.schedule.is_constant()
    }

    fn at(self, done: f64) -> Self {
        Self { alpha: self.schedule.at(done), ..self }
    }

    #[inline(always)]
    fn update(
        &self,
        records: Entries<'_, Record<()>>,
        indices: &[WeightIndex],
        error: f32,
        factor: f32,
    ) {
        let change = self.alpha * self.share * error * factor;
        for &index in indices {
            let weight = &records.at(index).weight;
            weight.touch(weight.get() + change);
        }
    }
}

parameters! {
    /// The parameters of `td-ntuple`.
    pub struct TdConfig {
        ..pub shared: Shared;
        ..pub joint: Joint;
        /// Step size α of a position; each of its m weights gets α/m
        pub alpha: ScheduleParameter = ScheduleParameter::Constant(0.1),
            schedule_above(0.0).up_to(1.0);
    }
}

impl Algorithm for Td {
    const NAME: &'static str = "td-ntuple";
    const ABOUT: &'static str = "an n-tuple network that learns by temporal differences";
    type Config = TdConfig;
    type Rule = Self;

    fn build(
        TdConfig { shared, joint, alpha }: &TdConfig,
        spec: &Spec,
        context: &BuildContext<'_>,
    ) -> Result<Ntuple<Self>, BuildError> {
        let alpha = alpha.step_size("alpha")?;
        Ntuple::build(shared, joint, spec, context, |lookups| Self::new(alpha, lookups))
    }
}
