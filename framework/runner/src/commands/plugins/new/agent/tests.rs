//! Statements about the player, on a game whose numbers can be told by hand.

mod walk;

use runner_core::{Action, Agent, AgentPlugin, Game, Host, SingleThread, BuildContext, Successors, Turn};
use __crate__::{Config, __Type__};
use std::sync::Arc;
use walk::{AWAY, HOME, Walk};

fn player(patience: f64) -> __Type__ {
    let (game, host): (_, Arc<dyn Host>) = (Walk::new(), Arc::new(SingleThread));
    let site = BuildContext { game: game.description(), game_spec: "walk", host: &host };
    __Type__::new(Config { patience }, &site).unwrap()
}

fn choice(patience: f64, field: u64) -> Action {
    let (game, state) = (Walk::new(), Walk::on(field));
    let mut successors = Successors::new();
    game.successors(state, &mut successors);
    let turn = Turn { state, successors: &successors, random: 0 };
    player(patience).act(&game, &turn).unwrap()
}

#[test]
fn the_game_itself_keeps_the_laws() {
    runner_laws::assert_holds(&Walk::new());
}

#[test]
fn the_next_reward_is_expected_over_what_chance_can_do() {
    let (game, player) = (Walk::new(), player(0.5));
    let worth =
        |field, action| player.worth(&game, &game.successor(Walk::on(field), action).unwrap());
    // A step costs 1; the next one, if there is one, counts half.
    assert_eq!(worth(1, HOME), -1.0);
    assert_eq!(worth(2, AWAY), -1.5);
    // One time in four the wind saves the next step: -1 - 0.5 * 0.75.
    assert_eq!(worth(2, HOME), -1.375);
}

#[test]
fn patience_looks_one_chance_event_ahead_and_no_further() {
    assert_eq!(choice(0.5, 2), HOME);
    // From 3 no single step and wind ends the game: the first of equals is taken.
    assert_eq!(choice(0.5, 3), AWAY);
    assert_eq!(choice(0.0, 2), AWAY);
}
