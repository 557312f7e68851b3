//! Tests of the agent on a game whose values can be computed by hand.

mod walk;

use runner_core::{
    Action, Agent, AgentPlugin, BuildContext, Game, Host, SingleThread, Successors, Turn,
};
use __crate__::{Config, __Type__};
use std::sync::Arc;
use walk::{AWAY, HOME, Walk};

fn player(patience: f64) -> __Type__ {
    let (game, host): (_, Arc<dyn Host>) = (Walk::new(), Arc::new(SingleThread));
    let context = BuildContext { game: game.description(), game_spec: "walk", host: &host };
    __Type__::new(Config { patience }, &context).unwrap()
}

fn choice(patience: f64, field: u64) -> Action {
    let (game, state) = (Walk::new(), Walk::on(field));
    let mut successors = Successors::new();
    game.successors(state, &mut successors);
    let turn = Turn { state, successors: &successors, random: 0 };
    player(patience).act(&game, &turn).unwrap()
}

#[test]
fn the_game_satisfies_the_laws() {
    runner_laws::assert_holds(&Walk::new());
}

#[test]
fn the_next_reward_is_an_expectation_over_chance() {
    let (game, player) = (Walk::new(), player(0.5));
    let value = |field, action| {
        player.action_value(&game, &game.successor(Walk::on(field), action).unwrap())
    };
    // A step costs 1; the next step, if there is one, has the weight 0.5.
    assert_eq!(value(1, HOME), -1.0);
    assert_eq!(value(2, AWAY), -1.5);
    // With probability 1/4 the wind saves the next step: -1 - 0.5 * 0.75.
    assert_eq!(value(2, HOME), -1.375);
}

#[test]
fn patience_reaches_one_chance_event_ahead() {
    assert_eq!(choice(0.5, 2), HOME);
    // From field 3, a step and the wind do not end the game: the actions are equal.
    assert_eq!(choice(0.5, 3), AWAY);
    assert_eq!(choice(0.0, 2), AWAY);
}
