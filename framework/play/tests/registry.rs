//! The registry: names, presets, and players built from nested specs.

use runner_core::{
    Action, Agent, AgentPlugin, BuildContext, BuildError, Game, Plugin, Preset, Spec, Turn,
    parameters,
};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::learners;
use runner_play::registry::{LoadedGame, Registry};
use runner_play::threads::{Services, Threads};
use std::sync::Arc;

runner_plugin::export_plugin! { agents: [Empty, Spaced, Needs, Named] }

parameters! {
    pub struct Config {
        /// Service
        what: String = String::new(), text("a service");
        /// Nothing
        level: u8 = 0;
    }
}

macro_rules! agent {
    ($type:ident, $name:literal) => {
        #[derive(Clone, Debug)]
        pub struct $type;

        impl Agent for $type {
            fn act<G: Game>(&mut self, _: &G, turn: &Turn<'_>) -> Option<Action> {
                turn.successors.first().map(|first| first.action)
            }
        }

        impl Plugin for $type {
            const NAME: &'static str = $name;
            const ABOUT: &'static str = "an agent of the tests";
            const VERSION: &'static str = "1.0.0";
            type Config = Config;

            fn presets() -> Vec<Preset> {
                let counting = "// Asks for the number of threads.\n(what: \"threads\", level: 7)";
                let wrong = "// Names a parameter that does not exist.\n(whom: 1)";
                vec![Preset::new("counting", counting), Preset::new("wrong", wrong)]
            }
        }

        impl AgentPlugin for $type {
            fn new(_: Config, _: &BuildContext<'_>) -> Result<Self, BuildError> {
                Ok(Self)
            }
        }
    };
}

agent!(Empty, "");
agent!(Spaced, "My Gäme(x: 1)");
agent!(Needs, "needs");
// A game has this name too.
agent!(Named, "pig");

/// Returns the test plugins and those of this file, linked in.
fn registry() -> Arc<Registry> {
    let mut registry = Registry::new();
    for root in [pig::plugin(), test_faulty::plugin(), test_working::plugin(), plugin()] {
        registry.link(root);
    }
    Arc::new(registry)
}

/// Returns the resolved spec of an agent that plays Pig.
fn resolve(registry: &Arc<Registry>, spec: &str) -> Result<Spec, Failure> {
    let game: LoadedGame = registry.game(&"pig".parse().unwrap())?;
    let services = Services::new(&Threads::new(Some(1))?, registry, &game);
    registry.agent(&spec.parse()?, &game, &services.share()).map(|(_, spec)| spec)
}

#[test]
fn names_that_no_spec_can_contain_are_refused() {
    let mut registry = Registry::new();
    registry.link(plugin());
    let refused: Vec<_> = registry.problems().iter().map(|p| p.message.as_str()).collect();
    assert_eq!(refused.len(), 2, "{refused:?}");
    assert!(refused[0].contains("``") && refused[1].contains("My Gäme"), "{refused:?}");
    assert!(refused.iter().all(|message| message.contains("rename")), "{refused:?}");
    assert!(registry.plugins().iter().all(|plugin| !plugin.name.is_empty()));
}

#[test]
fn only_the_model_of_a_learner_is_a_file() {
    let registry = registry();
    let check = |player: &str| learners::check(&player.parse().unwrap(), &registry);
    check("needs(model: \"no-such-file\")").unwrap();
    for player in ["table(model: \"no-such-file\")", "needs(what: table(model: \"no-such-file\"))"]
    {
        assert!(check(player).unwrap_err().to_string().contains("no-such-file"), "{player}");
    }
}

#[test]
fn name_of_another_kind_is_refused_with_its_kind_and_flag() {
    let registry = registry();
    for (found, expected) in [
        (registry.game_plugin("needs"), "game `needs`: it is an agent, which belongs to --agent"),
        (registry.player("without"), "agent `without`: it is a game, which belongs to --game"),
        (
            registry.game_plugin("faulty-value"),
            "game `faulty-value`: it is a value, which belongs to --agent",
        ),
    ] {
        let refused = found.map(drop).unwrap_err().to_string();
        assert!(refused.starts_with(&format!("there is no {expected}; there are: ")), "{refused}");
    }
}

#[test]
fn preset_stands_for_its_parameters_and_the_resolved_spec_states_them() {
    let registry = registry();
    let resolved = |spec: &str| resolve(&registry, spec).unwrap().to_string();
    let (counting, seven) = ("needs(preset: \"counting\")", "needs(what: \"threads\", level: 7)");
    assert_eq!(resolved(counting), seven);
    assert_eq!(
        resolved("needs(level: 3, preset: \"counting\")"),
        "needs(what: \"threads\", level: 3)"
    );
    // Also in nested specs, which are built while the outer one is.
    let nested = format!("alternate(agents: [{counting}, alternate(agents: [{counting}])])");
    let expected = format!("alternate(agents: [{seven}, alternate(agents: [{seven}])])");
    assert_eq!(resolved(&nested), expected);

    let info = registry.player("needs").unwrap();
    let names: Vec<_> = info.parameters.iter().map(|p| p.name.as_str()).collect();
    assert_eq!(names, ["preset", "what", "level"]);
    assert!(info.parameters[0].allowed().contains("\"counting\" or \"wrong\""));
    assert_eq!(info.presets[0].about(), "Asks for the number of threads.");
    assert!(registry.player("alternate").unwrap().presets.is_empty());
}

#[test]
fn wrong_preset_is_refused_with_the_presets_that_there_are() {
    let registry = registry();
    let refused = |spec: &str| match resolve(&registry, spec) {
        Err(Failure::Usage { message, place }) => (message, place.unwrap_or_default()),
        other => panic!("{spec}: {other:?}"),
    };
    let (unknown, _) = refused("needs(preset: \"countin\")");
    assert!(unknown.contains("did you mean `counting`"), "{unknown}");
    assert!(unknown.contains("wrong"), "{unknown}");
    // A preset that the plugin itself does not understand.
    let (wrong, place) = refused("needs(preset: \"wrong\", level: 1)");
    assert!(wrong.contains("preset `wrong`"), "{wrong}");
    assert!(wrong.contains("unknown parameter `whom`"), "{wrong}");
    let underlined = "needs(preset: \"wrong\", level: 1)\n              ^^^^^^^";
    assert_eq!(place, underlined);
    // The parameter itself is among those that are allowed.
    let (mistyped, _) = refused("needs(presett: \"counting\")");
    assert!(mistyped.contains("did you mean `preset`"), "{mistyped}");
    let (nested, _) = refused("alternate(agents: [needs(preset: \"x\")])");
    assert!(nested.contains("no preset `x`"), "{nested}");
    let (none, _) = refused("alternate(preset: \"counting\")");
    assert!(none.contains("unknown parameter `preset`"), "{none}");
}

/// A game and an agent may have the same name.
#[test]
fn brief_specs_leave_out_the_defaults_of_the_named_kind_of_plugin() {
    let registry = registry();
    let spec = |text: &str| -> Spec { text.parse().unwrap() };
    let (both, of_game) = (spec("pig(target: 100, level: 0)"), "pig(level: 0)");
    assert_eq!(brief::game(&both, &registry).to_string(), of_game);
    assert_eq!(brief::player(&both, &registry).to_string(), "pig(target: 100)");
    let game = spec("without(game: pig(target: 100, level: 0), action: 7)");
    assert_eq!(
        brief::game(&game, &registry).get("game"),
        spec(&format!("x(game: {of_game})")).get("game")
    );
    let player = spec("alternate(agents: [pig(target: 100, level: 0)])");
    assert_eq!(
        brief::player(&player, &registry).to_string(),
        "alternate(agents: [pig(target: 100)])"
    );
}
