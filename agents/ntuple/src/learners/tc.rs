//! `tc-ntuple`: temporal coherence learning, see [`Tc`].
//!
//! Each weight has its own step size |E|/A, where E is the sum of its errors and A the sum of
//! their absolute values: the more its errors agree in sign, the larger the step.

mod duplicates;
mod packed;
mod rule;

pub use packed::TcMemory;
pub use rule::Tc;

use crate::learner::{Algorithm, Ntuple};
use crate::options::{Joint, Shared};
use crate::schedule::{Schedule, ScheduleParameter};
use runner_core::geometry::Geometry;
use runner_core::{BuildContext, BuildError, Preset, Spec, parameters};

parameters! {
    /// The parameters of `tc-ntuple`.
    pub struct TcConfig {
        ..pub shared: Shared;
        ..pub joint: Joint;
        /// Meta learning rate β, a factor of the step size |E| / A
        pub beta: Option<ScheduleParameter> = None,
            schedule_above(0.0)
                .up_to(1.0)
                .unset("1; 0.3 with the default network on up to 2 x 3 cells");
        /// Share of the training, from its start, that is plain TD with a step size of 0.1
        pub warm_up: f64 = 0.0, range(0.0..=1.0);
    }
}

/// Maximum number of cells of boards on which the default is TC(0). On larger boards it is delayed
/// TC(0.5), which learns a fifth more on 4 x 4 cells, and less on 3 x 3.
const SMALL_BOARD: usize = 9;

/// Returns the parameters with the default update scheme and λ for a board with `cells` cells,
/// where they were not given.
fn with_update(shared: &Shared, cells: usize) -> Shared {
    let default_scheme = if cells > SMALL_BOARD { "delayed" } else { "forward" };
    let scheme = shared.update.as_deref().unwrap_or(default_scheme);
    let default_lambda = if scheme == "delayed" { 0.5 } else { 0.0 };
    Shared {
        update: Some(scheme.to_owned()),
        lambda: shared.lambda.or(Some(default_lambda)),
        ..shared.clone()
    }
}

impl Algorithm for Tc {
    const NAME: &'static str = "tc-ntuple";
    const ABOUT: &'static str = "an n-tuple network that learns by temporal coherence";
    type Config = TcConfig;
    type Rule = Self;

    fn presets() -> Vec<Preset> {
        vec![
            Preset::new("delayed-tc-2017", include_str!("../../presets/delayed-tc-2017.ron")),
            Preset::new("efficient", include_str!("../../presets/efficient.ron")),
            Preset::new("efficient-threes", include_str!("../../presets/efficient-threes.ron")),
            Preset::new("optimistic", include_str!("../../presets/optimistic.ron")),
            Preset::new("quick", include_str!("../../presets/quick.ron")),
        ]
    }

    fn build(
        config: &TcConfig,
        spec: &Spec,
        context: &BuildContext<'_>,
    ) -> Result<Ntuple<Self>, BuildError> {
        let board = context.game.geometry.as_ref();
        let shared = &with_update(&config.shared, board.map_or(0, Geometry::cells));
        let beta = match &config.beta {
            Some(beta) => beta.step_size("beta")?,
            None => Schedule::Constant(shared.default_beta(board)),
        };
        let create_rule = |lookups| Self::new(beta, config.warm_up, lookups);
        Ntuple::build(shared, &config.joint, spec, context, create_rule)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_boards_learn_by_delayed_tc_unless_a_scheme_is_named() {
        let with_scheme =
            |name: &str| Shared { update: Some(name.to_owned()), ..Shared::default() };
        let with_lambda = |lambda| Shared { lambda: Some(lambda), ..Shared::default() };
        for (cells, shared, scheme, lambda) in [
            (16, Shared::default(), "delayed", 0.5),
            (12, Shared::default(), "delayed", 0.5),
            (9, Shared::default(), "forward", 0.0),
            (16, with_lambda(0.25), "delayed", 0.25),
            (9, with_lambda(0.25), "forward", 0.25),
            (16, with_lambda(0.0), "delayed", 0.0),
            (16, with_scheme("forward"), "forward", 0.0),
            (16, with_scheme("backward"), "backward", 0.0),
            (9, with_scheme("delayed"), "delayed", 0.5),
        ] {
            let found = with_update(&shared, cells);
            assert_eq!(found.update_name(), scheme, "{cells} cells");
            assert_eq!(found.lambda, Some(lambda), "{cells} cells, {scheme}");
        }
    }
}
