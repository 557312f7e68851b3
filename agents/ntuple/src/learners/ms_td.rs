//! `ms-td`: multi-stage temporal difference learning. The stages of a game are trained one after
//! the other, each from positions at which the stages before it have entered it.
//!
//! Section III of K.-H. Yeh, I-C. Wu, C.-H. Hsueh, C.-C. Chang, C.-C. Liang and H. Chiang,
//! "Multi-stage temporal difference learning for 2048-like games" (2017). The rule is TD, and the
//! step size of each weight 0.0025.

mod strategy;

use super::td::Td;
use crate::learner::{Algorithm, Ntuple};
use crate::options::{Joint, Shared};
use crate::schedule::{Schedule, ScheduleParameter};
use crate::starts::Restarts;
use agent_ntuple_network::{ALPHABET, Inheritance, Stages, default_text};
use runner_core::geometry::Geometry;
use runner_core::{BuildContext, BuildError, ParameterValue, Preset, Spec, parameters};
pub use strategy::Strategy;

/// Step size of each weight.
const ALPHA: f32 = 0.0025;

/// The further features of the tuned form, Section IV.E (a).
const TUNED_FEATURES: &str = "empty distinct pairs neighbours";

parameters! {
    /// The parameters of `ms-td`.
    pub struct MsTdConfig {
        ..pub shared: Shared;
        /// Stages of Yeh and others (2017)
        pub strategy: Option<Strategy> = None,
            words(["1", "2", "3", "4", "\"3-stage\""])
                .form(
                    "`1`, `2`, `3`, `4` or \"3-stage\" for 2048, `1`, `2` or \"3-stage\" for Threes",
                )
                .unset("`3` for 2048, \"3-stage\" for Threes, or the stages of the model");
        /// Tiles with which a position enters each stage; each stage has an equal share of the
        /// training, its phase, and separate weights that begin at zero
        pub stages: Option<String> = None,
            text("a condition for each stage after the first (`16384 16384+8192`)")
                .unset("those of `strategy`");
        /// Tuned form of Yeh and others (2017): four more features, a tenth of the step size in
        /// the second half of each stage's training, and five-step returns
        pub tuned: bool = false;
        /// Number of boards to collect at the entrance of each stage, with frozen weights, in at
        /// most a quarter of its phase; the games of the next phase begin there in turn
        pub boards: usize = 100_000, range(1..=1_000_000);
        /// Step size α of a position, each of its m weights gets α/m; a schedule covers each stage's
        /// training
        pub alpha: Option<ScheduleParameter> = None,
            schedule_above(0.0)
                .up_to(1.0)
                .unset("0.0025 for each weight, 0.0825 for 33 lookups");
    }
}

impl ParameterValue for Strategy {}

impl MsTdConfig {
    /// Returns the parameters of the network with the stages for a board.
    fn for_board(&self, board: &Geometry) -> Result<(Shared, Joint), BuildError> {
        // Read as if for two stages, so that entrances reach the message below.
        if Restarts::read(self.shared.restarts.as_ref(), 2)?.kept_entrances() > 0 {
            return Err(BuildError::of(
                "restarts",
                "`carousel` and `entrances` need stages that are trained together; `ms-td` begins \
                 its games at the entrance of the one stage that it trains",
            ));
        }
        let stages = self.stages(board)?;
        let network = match (&self.shared.network, &stages) {
            (None, Some((_, large))) if self.shared.model.is_none() => {
                Some(format!("{} large:{large}", default_text(board)))
            }
            (network, _) => network.clone(),
        };
        let scheme = if self.tuned { "mean-return" } else { "forward" };
        let update = self.shared.update.clone().unwrap_or_else(|| scheme.to_owned());
        let network = network.map(|network| self.with_features(network));
        let shared = Shared { network, update: Some(update), ..self.shared.clone() };
        let stages = stages.map(|(text, _)| text);
        let joint = Joint { stages, promotion: Some(Inheritance::None), ..Joint::default() };
        Ok((shared, joint))
    }

    /// Returns the list of stages, unless it is that of the model, and the smallest tile that the
    /// default network counts.
    fn stages(&self, board: &Geometry) -> Result<Option<(String, u64)>, BuildError> {
        let text = match (&self.strategy, &self.stages) {
            (Some(_), Some(_)) => {
                let message = "`strategy` names stages; give one of the two (`strategy: None` drops \
                               that of a preset)";
                return Err(BuildError::of("stages", message));
            }
            (None, None) if self.shared.model.is_some() => return Ok(None),
            (strategy, None) => {
                let (stages, large) = strategy::stages(strategy.as_ref(), board)?;
                return Ok(Some((stages.to_owned(), large)));
            }
            (None, Some(text)) => text.clone(),
        };
        let stages = Stages::read(&text, board)?;
        if !stages.only_advance() {
            let message = format!(
                "`{text}`: a game can leave such a stage again; expected tiles that are present, \
                 such as `16384 16384+8192`"
            );
            return Err(BuildError::of("stages", message));
        }
        // Three merges below the first stage, as in most of the strategies.
        let top = board.values.len().min(ALPHABET) - 1;
        let least = top.saturating_sub(6).max(1);
        let rank = usize::from(stages.first_rank()).saturating_sub(3).max(least).min(top);
        Ok(Some((text, board.values[rank])))
    }

    /// Returns a network with the features of the tuned form, if it is wanted, that the network
    /// has not.
    fn with_features(&self, mut network: String) -> String {
        if !self.tuned || self.shared.model.is_some() {
            return network;
        }
        for feature in TUNED_FEATURES.split(' ') {
            if !network.split_whitespace().any(|word| word == feature) {
                network += &format!(" {feature}");
            }
        }
        network
    }

    fn default_alpha(&self, lookups: usize) -> Schedule {
        let alpha = (ALPHA * lookups as f32).min(1.0);
        if self.tuned {
            Schedule::steps(&[(0.0, alpha), (0.5, alpha / 10.0)])
        } else {
            Schedule::Constant(alpha)
        }
    }
}

/// The algorithm of `ms-td`.
pub enum StageByStage {}

impl Algorithm for StageByStage {
    const NAME: &'static str = "ms-td";
    const ABOUT: &'static str =
        "an n-tuple network that learns the stages of a game one after the other";
    type Config = MsTdConfig;
    type Rule = Td;

    fn presets() -> Vec<Preset> {
        vec![
            Preset::new("paper-2048", include_str!("../../presets/paper-2048.ron")),
            Preset::new("paper-threes", include_str!("../../presets/paper-threes.ron")),
            Preset::new("paper-tuned", include_str!("../../presets/paper-tuned.ron")),
        ]
    }

    fn build(
        config: &MsTdConfig,
        spec: &Spec,
        context: &BuildContext<'_>,
    ) -> Result<Ntuple<Self>, BuildError> {
        let Some(board) = &context.game.geometry else {
            return Err(BuildError::new("n-tuple networks need a board, and the game has none"));
        };
        let (shared, joint) = config.for_board(board)?;
        // The default is a step size of any network.
        let given = config.alpha.as_ref().map(|alpha| alpha.step_size("alpha")).transpose()?;
        let rule = |lookups| Td::new(given.unwrap_or(config.default_alpha(lookups)), lookups);
        let network = Ntuple::build(&shared, &joint, spec, context, rule)?;
        network.in_phases(config.boards).map_err(BuildError::new)
    }
}
