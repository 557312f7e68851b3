//! `ms-td`: multi-stage temporal difference learning. The stages of a game are trained one after
//! the other. The games of a stage begin at its entrances: the positions at which games of the
//! stage before have entered it.
//!
//! Section III of K.-H. Yeh, I-C. Wu, C.-H. Hsueh, C.-C. Chang, C.-C. Liang and H. Chiang,
//! "Multi-stage temporal difference learning for 2048-like games" (2017). The rule is TD.

mod strategy;

use super::td::Td;
use crate::learner::{Algorithm, Ntuple};
use crate::options::{Joint, Shared};
use crate::schedule::{Schedule, ScheduleParameter};
use crate::starts::Restarts;
use agent_ntuple_network::{ALPHABET, Inheritance, Stages, default_text};
use runner_core::geometry::Geometry;
use runner_core::{BuildContext, BuildError, ParameterValue, Preset, Spec, parameters};
use strategy::StageList;
pub use strategy::Strategy;

/// Step size of each weight.
const ALPHA: f32 = 0.0025;

/// The features that the tuned form adds to the network, Section IV.E (a).
const TUNED_FEATURES: [&str; 4] = ["empty", "distinct", "pairs", "neighbours"];

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
        /// Step size α of a position, each of its m weights gets α/m; a schedule covers each
        /// stage's training
        pub alpha: Option<ScheduleParameter> = None,
            schedule_above(0.0)
                .up_to(1.0)
                .unset("0.0025 for each weight, 0.0825 for 33 lookups");
    }
}

impl ParameterValue for Strategy {}

impl MsTdConfig {
    /// Returns the parameters for a board, with the stages and with the defaults of this learner.
    fn for_board(&self, board: &Geometry) -> Result<(Shared, Joint), BuildError> {
        // Read as if for two stages: for one, an error of `read` would hide the message below.
        if Restarts::read(self.shared.restarts.as_ref(), 2)?.kept_entrances() > 0 {
            return Err(BuildError::of(
                "restarts",
                "`carousel` and `entrances` need stages that are trained together; `ms-td` begins \
                 its games at the entrance of the one stage that it trains",
            ));
        }
        let stages = self.stages(board)?;
        let mut network = self.shared.network.clone();
        if let Some(StageList { large, .. }) = &stages
            && self.shared.model.is_none()
        {
            let tuples =
                network.get_or_insert_with(|| format!("{} large:{large}", default_text(board)));
            if self.tuned {
                add_tuned_features(tuples);
            }
        }
        let default_scheme = if self.tuned { "mean-return" } else { "forward" };
        let update = self.shared.update.clone().unwrap_or_else(|| default_scheme.to_owned());
        let shared = Shared { network, update: Some(update), ..self.shared.clone() };
        let stages = stages.map(|stages| stages.text);
        let joint = Joint { stages, promotion: Some(Inheritance::None), ..Joint::default() };
        Ok((shared, joint))
    }

    /// Returns the stages of `stages` or of `strategy`, or `None` if the model defines them.
    fn stages(&self, board: &Geometry) -> Result<Option<StageList>, BuildError> {
        let Some(text) = &self.stages else {
            if self.strategy.is_none() && self.shared.model.is_some() {
                return Ok(None);
            }
            return strategy::stages(self.strategy.as_ref(), board).map(Some);
        };
        if self.strategy.is_some() {
            let message = "`strategy` names stages; give one of the two (`strategy: None` drops \
                           that of a preset)";
            return Err(BuildError::of("stages", message));
        }
        let stages = Stages::read(text, board)?;
        if !stages.only_advance() {
            let message = format!(
                "`{text}`: a game can leave such a stage again; expected tiles that are present, \
                 such as `16384 16384+8192`"
            );
            return Err(BuildError::of("stages", message));
        }
        // Three merges below the first stage, as in most of the strategies, but at most the seven
        // largest tiles.
        let top = board.values.len().min(ALPHABET) - 1;
        let least = top.saturating_sub(6).max(1);
        let rank = usize::from(stages.first_rank()).saturating_sub(3).max(least).min(top);
        Ok(Some(StageList { text: text.clone(), large: board.values[rank] }))
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

fn add_tuned_features(network: &mut String) {
    for feature in TUNED_FEATURES {
        if !network.split_whitespace().any(|word| word == feature) {
            *network += &format!(" {feature}");
        }
    }
}

/// The algorithm of `ms-td`. Only a name for its types: there is no value of it.
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
        let given_alpha =
            config.alpha.as_ref().map(|alpha| alpha.step_size("alpha")).transpose()?;
        let create_rule = |lookups| {
            let alpha = given_alpha.unwrap_or_else(|| config.default_alpha(lookups));
            Td::new(alpha, lookups)
        };
        let network = Ntuple::build(&shared, &joint, spec, context, create_rule)?;
        network.in_phases(config.boards).map_err(BuildError::new)
    }
}
