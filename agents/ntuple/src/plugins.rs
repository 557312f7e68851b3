//! The learners by their names.

use crate::config::{AutostepConfig, Common, TcConfig, TdConfig};
use crate::learner::NtupleNetwork;
use crate::model;
use crate::rule::{Accumulate, Autostep, Tc, TcWide, Td, WarmUp};
use crate::schedule::Schedule;
use runner_core::{
    Afterstate, BuildContext, BuildError, Fault, ForeignModel, Game, Learner, LearnerPlugin,
    ModelFormat, Parameter, Plugin, Spec, State, Successors, TrainingProgress, TrainingSession,
    Value, ValuePlugin,
};
use std::path::Path;

/// `tc-ntuple`: an n-tuple network that learns by temporal coherence.
pub struct TcNtuple(TcKind);

/// With which memory.
enum TcKind {
    Compact(NtupleNetwork<Tc>),
    Wide(NtupleNetwork<TcWide>),
}

/// `td-ntuple`: an n-tuple network that learns by temporal differences.
pub struct TdNtuple(NtupleNetwork<Td>);

/// `autostep-ntuple`: an n-tuple network whose step sizes Autostep finds.
pub struct AutostepNtuple(NtupleNetwork<Autostep>);

/// Does the same with either kind.
macro_rules! either {
    ($self:ident, $network:ident => $does:expr) => {
        match &$self.0 {
            TcKind::Compact($network) => $does,
            TcKind::Wide($network) => $does,
        }
    };
}

fn spec_of<P: Plugin>(config: &P::Config) -> Result<Spec, BuildError> {
    Spec::resolved(P::NAME, config).map_err(|error| BuildError::new(error.message))
}

impl Plugin for TcNtuple {
    const NAME: &'static str = "tc-ntuple";
    const ABOUT: &'static str = "an n-tuple network that learns by temporal coherence";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = TcConfig;

    fn parameters() -> Vec<Parameter> {
        Common::parameters(vec![
            Parameter::new("beta", STEP_SIZE, "None", "the meta step size; 1, or by the board"),
            Parameter::new(
                "accumulate",
                ACCUMULATE,
                "\"error\"",
                "Error that an online update with `lambda` above 0 adds to E and A of an earlier \
                 step: the last step's, or that times λ^k as the weights see it",
            ),
            Parameter::new(
                "warm_up",
                "0 to 1",
                "0.0",
                "the share of the training that is TD first",
            ),
            Parameter::new("warm_up_alpha", "0 to 1", "0.1", "the step size of that part"),
            Parameter::new("wide", "true or false", "false", "keep sums of errors as two floats"),
        ])
    }
}

/// The values of `accumulate`, for messages.
const ACCUMULATE: &str = "`error` or `decayed-error`";

/// What a step size may be.
const STEP_SIZE: &str = "a number up to 1, (from: 1.0, to: 0.1), or [(0.0, 1.0), (0.5, 0.1)]";

/// The meta step size where the board asks for an optimist. With 1, a few bad outcomes in
/// a row take a position below what it is worth, and it is not tried again.
const OPTIMIST_BETA: f32 = 0.3;

impl ValuePlugin for TcNtuple {
    fn new(config: TcConfig, site: &BuildContext<'_>) -> Result<Self, BuildError> {
        let spec = spec_of::<Self>(&config)?;
        let common = config.common();
        let beta = match (&config.beta, &site.game.geometry) {
            (Some(beta), _) => beta.read("beta")?,
            (None, Some(board)) if common.board_optimism(board).is_some() => {
                Schedule::Constant(OPTIMIST_BETA)
            }
            (None, _) => Schedule::Constant(1.0),
        };
        let accumulate = match config.accumulate.as_str() {
            "error" => Accumulate::Error,
            "decayed-error" => Accumulate::DecayedError,
            other => {
                let message = format!("unknown value `{other}`; expected {ACCUMULATE}");
                return Err(BuildError::of("accumulate", message));
            }
        };
        if !(0.0..=1.0).contains(&config.warm_up) {
            return Err(BuildError::of("warm_up", "a share from 0 to 1 is allowed"));
        }
        if !(config.warm_up_alpha > 0.0 && config.warm_up_alpha <= 1.0) {
            return Err(BuildError::of("warm_up_alpha", "a step size above 0, up to 1, is needed"));
        }
        let warm_up = (config.warm_up > 0.0)
            .then_some(WarmUp { share: config.warm_up, alpha: config.warm_up_alpha });
        if config.wide && warm_up.is_some() {
            return Err(BuildError::of("wide", "it goes without `warm_up` only"));
        }
        Ok(Self(if config.wide {
            let rule = |lookups| Ok(TcWide::new(beta, accumulate, lookups));
            TcKind::Wide(NtupleNetwork::new(&common, &spec, site, rule)?)
        } else {
            let rule = |lookups| Ok(Tc::new(beta, accumulate, warm_up, lookups));
            TcKind::Compact(NtupleNetwork::new(&common, &spec, site, rule)?)
        }))
    }
}

impl Value for TcNtuple {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        either!(self, network => network.evaluate(afterstates, values));
    }

    fn estimates_actions(&self) -> bool {
        either!(self, network => network.estimates_actions())
    }

    fn action_values(&self, game: &dyn Game, state: State, all: &Successors, worths: &mut [f32]) {
        either!(self, network => network.action_values(game, state, all, worths));
    }
}

impl Learner for TcNtuple {
    fn train<G: Game>(
        &self,
        game: &G,
        session: &TrainingSession<'_>,
    ) -> Result<TrainingProgress, Fault> {
        either!(self, network => network.train(game, session))
    }

    fn progress(&self) -> TrainingProgress {
        either!(self, network => network.life().progress())
    }

    fn formats(&self) -> Vec<ModelFormat> {
        either!(self, network => network.formats())
    }

    fn save(&self, path: &Path, form: &str) -> Result<(), Fault> {
        either!(self, network => network.save(path, form))
    }

    fn load(&self, files: &[&Path]) -> Result<(), Fault> {
        either!(self, network => network.load(files))
    }
}

impl LearnerPlugin for TcNtuple {
    fn foreign(file: &Path, whole: bool) -> Result<Option<ForeignModel>, Fault> {
        model::foreign(file, whole, Self::NAME)
    }
}

impl TcNtuple {
    /// [`Learner::load`] of a model that is no file; `name` stands for it in messages.
    pub fn load_bytes(&self, bytes: &[u8], name: &str) -> Result<(), Fault> {
        either!(self, network => network.load_bytes(bytes, name))
    }
}

/// A learner that is one network.
macro_rules! learner {
    ($name:ident) => {
        impl Value for $name {
            fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
                self.0.evaluate(afterstates, values);
            }

            fn estimates_actions(&self) -> bool {
                self.0.estimates_actions()
            }

            fn action_values(
                &self,
                game: &dyn Game,
                state: State,
                all: &Successors,
                worths: &mut [f32],
            ) {
                self.0.action_values(game, state, all, worths);
            }
        }

        impl Learner for $name {
            fn train<G: Game>(
                &self,
                game: &G,
                session: &TrainingSession<'_>,
            ) -> Result<TrainingProgress, Fault> {
                self.0.train(game, session)
            }

            fn progress(&self) -> TrainingProgress {
                self.0.life().progress()
            }

            fn formats(&self) -> Vec<ModelFormat> {
                self.0.formats()
            }

            fn save(&self, path: &Path, form: &str) -> Result<(), Fault> {
                self.0.save(path, form)
            }

            fn load(&self, files: &[&Path]) -> Result<(), Fault> {
                self.0.load(files)
            }
        }

        // `TcNtuple` describes files of other programs, for all.
        impl LearnerPlugin for $name {}

        impl $name {
            /// [`Learner::load`] of a model that is no file; `name` stands for it in
            /// messages.
            pub fn load_bytes(&self, bytes: &[u8], name: &str) -> Result<(), Fault> {
                self.0.load_bytes(bytes, name)
            }
        }
    };
}

learner!(TdNtuple);
learner!(AutostepNtuple);

impl Plugin for TdNtuple {
    const NAME: &'static str = "td-ntuple";
    const ABOUT: &'static str = "an n-tuple network that learns by temporal differences";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = TdConfig;

    fn parameters() -> Vec<Parameter> {
        Common::parameters(vec![Parameter::new("alpha", STEP_SIZE, "0.1", "the step size")])
    }
}

impl ValuePlugin for TdNtuple {
    fn new(config: TdConfig, site: &BuildContext<'_>) -> Result<Self, BuildError> {
        let alpha = config.alpha.read("alpha")?;
        let rule = |lookups| Ok(Td::new(alpha, lookups));
        let spec = spec_of::<Self>(&config)?;
        NtupleNetwork::new(&config.common(), &spec, site, rule).map(Self)
    }
}

impl Plugin for AutostepNtuple {
    const NAME: &'static str = "autostep-ntuple";
    const ABOUT: &'static str = "an n-tuple network whose step sizes Autostep finds";
    const VERSION: &'static str = env!("CARGO_PKG_VERSION");
    type Config = AutostepConfig;

    fn parameters() -> Vec<Parameter> {
        Common::parameters(vec![
            Parameter::new("mu", "0 to 1", "0.1", "the meta step size"),
            Parameter::new("tau", "0 to 1", "0.0001", "how fast the normaliser forgets"),
            Parameter::new("initial", "0 to 1", "1.0", "the step size of untouched weights"),
        ])
    }
}

impl ValuePlugin for AutostepNtuple {
    fn new(config: AutostepConfig, site: &BuildContext<'_>) -> Result<Self, BuildError> {
        let AutostepConfig { mu, tau, initial, .. } = config;
        for (parameter, value) in [("mu", mu), ("tau", tau), ("initial", initial)] {
            if !(value > 0.0 && value <= 1.0) {
                return Err(BuildError::of(parameter, "a number above 0, up to 1, is needed"));
            }
        }
        if config.lambda != 0.0 {
            let message = "Autostep corrects the last estimate alone: 0 is allowed";
            return Err(BuildError::of("lambda", message));
        }
        let rule = |lookups| Ok(Autostep::new(mu, tau, initial, lookups));
        let spec = spec_of::<Self>(&config)?;
        NtupleNetwork::new(&config.common(), &spec, site, rule).map(Self)
    }
}
