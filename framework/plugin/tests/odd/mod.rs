//! The plugins of these tests, in one list: three agents that are defined here, and the plugins of
//! the module `grasping`. The agent `asking` asks its game for the legal actions, `needs` needs a
//! service of the program when it is built, and `keeping` tries to keep the game that it plays.

use crate::grasping::{GraspingAgent, GraspingGame, GraspingLearner};
use runner_core::{
    Action, Agent, AgentPlugin, BuildContext, BuildError, Fault, Game, Host, Plugin, Successors,
    Turn, parameters,
};
use runner_plugin::{DynGame, PluginHost, SharedHost, linked};

// A crate can export only one list.
runner_plugin::export_plugin! {
    games: [GraspingGame],
    learners: [GraspingLearner],
    agents: [Asking, Needs, Keeping, GraspingAgent],
}

parameters! {
    pub struct Config {
        /// Service
        what: String = String::new(), text("a service");
    }
}

/// Defines an agent by the functions `act` and `new`.
macro_rules! agent {
    ($type:ident, $name:literal, $act:expr, $new:expr) => {
        #[derive(Clone, Debug)]
        pub struct $type;

        impl Agent for $type {
            fn act<G: Game>(&mut self, game: &G, turn: &Turn<'_>) -> Option<Action> {
                let act: fn(&dyn Game, &Turn<'_>) -> Option<Action> = $act;
                act(&game, turn)
            }
        }

        impl Plugin for $type {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = "an agent of the tests";
            const VERSION: &'static str = "1.0.0";
            type Config = Config;
        }

        impl AgentPlugin for $type {
            fn new(config: Config, context: &BuildContext<'_>) -> Result<Self, BuildError> {
                let new: fn(&str, &BuildContext<'_>) -> Result<(), BuildError> = $new;
                new(&config.what, context).map(|()| Self)
            }
        }
    };
}

fn first(_: &dyn Game, turn: &Turn<'_>) -> Option<Action> {
    turn.successors.first().map(|first| first.action)
}

agent!(
    Asking,
    "asking",
    |game, turn| {
        let mut list = Successors::new();
        game.successors(turn.state, &mut list);
        list.first().map(|first| first.action)
    },
    |_, _| Ok(())
);
agent!(Needs, "needs", first, |what, context| {
    let name = |name: &str| name.parse().expect("a name is a spec");
    match what {
        "threads" => drop(context.host.threads()),
        "memory" => drop(context.host.memory()),
        "for_each" => context.host.for_each(2, &|_| ()),
        "value" => drop(context.host.value(&name("policy"))?),
        "agent" => drop(context.host.agent(&name("policy"))?),
        _ => drop(context.host.game(&name("pig"))?),
    }
    Ok(())
});
agent!(
    Keeping,
    "keeping",
    |game, turn| {
        let borrowed = game.as_loaded()?.downcast_ref::<DynGame>()?;
        let plugins = linked(plugin()).expect("they are listed");
        let asking = plugins.iter().find(|plugin| plugin.name == "asking")?;
        let spec = "asking".parse().expect("a name is a spec");
        // An agent owns a clone of the game that it is built for.
        match asking.build_agent(&spec, (borrowed, &spec), &SharedHost::new(NoHost)) {
            Ok(built) => drop(built),
            Err(Fault(message)) => panic!("refused: {message}"),
        }
        first(game, turn)
    },
    |_, _| Ok(())
);

struct NoHost;

impl Host for NoHost {
    fn threads(&self) -> usize {
        1
    }

    fn for_each(&self, _: usize, _: &(dyn Fn(usize) + Sync)) {}
}

impl PluginHost for NoHost {}
