//! `tc-ntuple`: temporal coherence learning, see [`Tc`].
//!
//! Each weight has its own step size |E|/A, where E is the sum of its errors and A the sum of
//! their absolute values: the more its errors agree in sign, the larger the step.

mod accumulate;
mod default;
mod duplicates;
mod packed;
mod wide;

pub use accumulate::Accumulate;
pub use default::{Tc, WarmUp};
pub use packed::TcMemory;
pub use wide::{TcWide, TcWideMemory};

use crate::learner::{NtupleNetwork, resolved_spec};
use crate::learner_plugin::ntuple_learner;
use crate::optimism;
use crate::options::{Help, learner_options};
use crate::schedule::{Schedule, ScheduleParameter};
use runner_core::geometry::Geometry;
use runner_core::{
    BuildContext, BuildError, Fault, ForeignModel, LearnerPlugin, Plugin, Preset, ValuePlugin,
};
use std::path::Path;

learner_options! {
    /// The parameters of `tc-ntuple`.
    TcConfig,
    Help {
        update: "`delayed`, on up to 9 cells `forward`",
        lambda: "0.5 with `delayed`, 0 with the others",
        ..Help::default()
    },
    {
        /// Meta learning rate β, a factor of the step size |E| / A
        pub beta: Option<ScheduleParameter> = None,
            schedule_above(0.0)
                .up_to(1.0)
                .unset("1; 0.3 with the default network on up to 2 x 3 cells");
        /// With `update: "forward"` and `lambda` above 0: the error that is added to E and A of a
        /// step k moves earlier, the TD error δ (`error`) or λ^k δ (`decayed-error`)
        pub accumulate: Accumulate = Accumulate::Error;
        /// Share of the training, from its start, that is plain TD instead of TC
        pub warm_up: f64 = 0.0, range(0.0..=1.0);
        /// Step size α of the plain TD share
        pub warm_up_alpha: f32 = 0.1, above(0.0).up_to(1.0);
        /// Store E and A as two floats, 8 bytes per weight, instead of 4 bytes together
        pub wide: bool = false;
    }
}

/// Number of cells up to which the default is TC(0), and above which it is delayed TC(0.5).
/// Delayed TC(0.5) learns a fifth more on 4 x 4 cells, and less on 3 x 3.
const SMALL_BOARD: usize = 9;

impl TcConfig {
    /// Returns the parameters with the update scheme and λ for a board with a number of cells,
    /// unless they are given.
    fn with_update(self, cells: usize) -> Self {
        let scheme = if cells > SMALL_BOARD { "delayed" } else { "forward" };
        let update = self.update.clone().unwrap_or_else(|| scheme.to_owned());
        let lambda = self.lambda.unwrap_or(if update == "delayed" { 0.5 } else { 0.0 });
        Self { update: Some(update), lambda: Some(lambda), ..self }
    }
}

ntuple_learner! {
    /// `tc-ntuple`: an n-tuple network that learns by temporal coherence.
    TcNtuple: TcNetwork { Compact(Tc), Wide(TcWide) }
}

impl Plugin for TcNtuple {
    const NAME: &'static str = "tc-ntuple";
    const ABOUT: &'static str = "an n-tuple network that learns by temporal coherence";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = TcConfig;

    fn presets() -> Vec<Preset> {
        vec![
            Preset::new("delayed-tc-2017", include_str!("../../presets/delayed-tc-2017.ron")),
            Preset::new("efficient", include_str!("../../presets/efficient.ron")),
            Preset::new("efficient-threes", include_str!("../../presets/efficient-threes.ron")),
            Preset::new("optimistic", include_str!("../../presets/optimistic.ron")),
            Preset::new("quick", include_str!("../../presets/quick.ron")),
        ]
    }
}

impl LearnerPlugin for TcNtuple {
    // This learner describes the files of other programs, for all learners.
    fn foreign(file: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
        agent_ntuple_files::foreign(file, whole, Self::NAME)
    }
}

impl ValuePlugin for TcNtuple {
    fn new(config: TcConfig, context: &BuildContext<'_>) -> Result<Self, BuildError> {
        let board = context.game.geometry.as_ref();
        let spec = resolved_spec::<Self>(&config)?;
        let config = config.with_update(board.map_or(0, Geometry::cells));
        let common = config.common();
        let beta = match &config.beta {
            Some(beta) => beta.step_size("beta")?,
            None => Schedule::Constant(optimism::default_beta(common.is_default_network(), board)),
        };
        let accumulate = config.accumulate;
        let is_used = common.lambda > 0.0 && common.update == "forward";
        if accumulate != Accumulate::Error && !is_used && config.model.is_none() {
            let message = "has no effect: it needs `update: \"forward\"` and `lambda` above 0";
            return Err(BuildError::of("accumulate", message));
        }
        let is_idle = config.warm_up == 0.0 && config.model.is_none();
        if is_idle && config.warm_up_alpha != TcConfig::default().warm_up_alpha {
            let message = "has no effect: `warm_up` is 0";
            return Err(BuildError::of("warm_up_alpha", message));
        }
        let warm_up = (config.warm_up > 0.0)
            .then_some(WarmUp { share: config.warm_up, alpha: config.warm_up_alpha });
        if config.wide && warm_up.is_some() {
            return Err(BuildError::of("wide", "cannot be combined with `warm_up`"));
        }
        Ok(Self(if config.wide {
            let rule = |lookups| Ok(TcWide::new(beta, accumulate, lookups));
            TcNetwork::Wide(NtupleNetwork::new(&common, &spec, context, rule)?)
        } else {
            let rule = |lookups| Ok(Tc::new(beta, accumulate, warm_up, lookups));
            TcNetwork::Compact(NtupleNetwork::new(&common, &spec, context, rule)?)
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_boards_learn_by_delayed_tc_unless_a_scheme_is_named() {
        let named = |name: &str| TcConfig { update: Some(name.to_owned()), ..TcConfig::default() };
        let lambda = |lambda| TcConfig { lambda: Some(lambda), ..TcConfig::default() };
        for (cells, config, update, expected) in [
            (16, TcConfig::default(), "delayed", 0.5),
            (12, TcConfig::default(), "delayed", 0.5),
            (9, TcConfig::default(), "forward", 0.0),
            (16, lambda(0.25), "delayed", 0.25),
            (9, lambda(0.25), "forward", 0.25),
            (16, lambda(0.0), "delayed", 0.0),
            (16, named("forward"), "forward", 0.0),
            (16, named("backward"), "backward", 0.0),
            (9, named("delayed"), "delayed", 0.5),
        ] {
            let found = config.with_update(cells);
            assert_eq!(found.update.as_deref(), Some(update), "{cells} cells");
            assert_eq!(found.lambda, Some(expected), "{cells} cells, {update}");
        }
    }
}
