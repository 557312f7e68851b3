//! A library whose agents have the names of others': `faulty-agent`, `greedy`, and one name twice.
#![deny(unsafe_code)]

use runner_core::{Action, Agent, AgentPlugin, BuildContext, BuildError, Game, Plugin, Turn};

macro_rules! agent {
    ($type:ident, $name:literal) => {
        /// Takes the first action.
        #[derive(Clone, Debug)]
        pub struct $type;

        impl Agent for $type {
            fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
                turn.successors.first().map(|first| first.action)
            }
        }

        impl Plugin for $type {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = "takes the first action";
            const VERSION: &'static str = env!("CARGO_PKG_VERSION");
            type Config = ();
        }

        impl AgentPlugin for $type {
            fn new((): (), _: &BuildContext<'_>) -> Result<Self, BuildError> {
                Ok(Self)
            }
        }
    };
}

agent!(RivalFaulty, "faulty-agent");
agent!(RivalGreedy, "greedy");
agent!(Twice, "twice");
agent!(TwiceAgain, "twice");
agent!(Alone, "alone");

runner_plugin::export_plugin! { agents: [RivalFaulty, RivalGreedy, Twice, TwiceAgain, Alone] }
