//! The definition of the learner plugins.

/// Defines a learner plugin that holds one [`NtupleNetwork`], of one of several rules.
macro_rules! ntuple_learner {
    (
        $(#[$doc:meta])*
        $name:ident: $network:ident { $($variant:ident($rule:ty)),+ }
    ) => {
        $(#[$doc])*
        pub struct $name($network);

        enum $network {
            $($variant($crate::learner::NtupleNetwork<$rule>),)+
        }

        impl runner_core::Value for $name {
            fn evaluate(&self, afterstates: &[runner_core::Afterstate], values: &mut [f32]) {
                match &self.0 {
                    $($network::$variant(network) => network.evaluate(afterstates, values),)+
                }
            }

            fn estimates_actions(&self) -> bool {
                match &self.0 {
                    $($network::$variant(network) => network.estimates_actions(),)+
                }
            }

            fn action_values(
                &self,
                game: &dyn runner_core::Game,
                state: runner_core::State,
                successors: &runner_core::Successors,
                values: &mut [f32],
            ) {
                match &self.0 {
                    $($network::$variant(network) => network.action_values(game, state, successors, values),)+
                }
            }
        }

        impl runner_core::Learner for $name {
            fn train<G: runner_core::Game>(
                &self,
                game: &G,
                session: &runner_core::TrainingSession<'_>,
            ) -> Result<runner_core::TrainingProgress, runner_core::Fault> {
                match &self.0 {
                    $($network::$variant(network) => network.train(game, session),)+
                }
            }

            fn progress(&self) -> runner_core::TrainingProgress {
                match &self.0 {
                    $($network::$variant(network) => network.progress(),)+
                }
            }

            fn formats(&self) -> Vec<runner_core::ModelFormat> {
                match &self.0 {
                    $($network::$variant(network) => network.formats(),)+
                }
            }

            fn save(&self, path: &std::path::Path, format: &str) -> Result<(), runner_core::Fault> {
                match &self.0 {
                    $($network::$variant(network) => network.save(path, format),)+
                }
            }

            fn load(&self, files: &[&std::path::Path]) -> Result<(), runner_core::Fault> {
                match &self.0 {
                    $($network::$variant(network) => network.load(files),)+
                }
            }
        }

        impl $name {
            /// Loads a model from memory, like [`Learner::load`](runner_core::Learner::load).
            /// Messages call it `name`.
            pub fn load_bytes(&self, bytes: &[u8], name: &str) -> Result<(), runner_core::Fault> {
                match &self.0 {
                    $($network::$variant(network) => network.load_bytes(bytes, name),)+
                }
            }
        }
    };
}

pub(crate) use ntuple_learner;
