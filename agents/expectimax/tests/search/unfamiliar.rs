//! Positions of which the estimates of a value are guesses are searched with another value.

use crate::{RATING, game_2048};
use agent_expectimax::{Config, Expectimax};
use runner_core::{
    Afterstate, Agent, AgentPlugin, Analysis, BuildContext, BuildError, Fact, Game, Host, Spec,
    Value, ValueScale,
};
use runner_laws::doubles::{Scattered, with_turn};
use runner_laws::positions_of_games as positions;
use std::sync::Arc;

/// Was trained with tiles up to 32.
struct Partial;

impl Value for Partial {
    fn evaluate(&self, afterstates: &[Afterstate], values: &mut [f32]) {
        Scattered(ValueScale::Points).evaluate(afterstates, values);
    }

    fn is_guess(&self, afterstates: &[Afterstate]) -> Option<bool> {
        let is_beyond = |board: &Afterstate| (0..16).any(|cell| board.lo >> (4 * cell) & 15 > 5);
        Some(!afterstates.is_empty() && afterstates.iter().all(is_beyond))
    }
}

/// Builds `partial`, `rows` and `points`.
struct Values;

impl Host for Values {
    fn threads(&self) -> usize {
        1
    }

    fn for_each(&self, n: usize, task: &(dyn Fn(usize) + Sync)) {
        (0..n).for_each(task);
    }

    fn value(&self, spec: &Spec) -> Result<Arc<dyn Value>, BuildError> {
        match spec.name() {
            "partial" => Ok(Arc::new(Partial)),
            "rows" => Ok(Arc::new(Scattered(RATING))),
            "points" => Ok(Arc::new(Scattered(ValueScale::Points))),
            _ => Err(BuildError::no_plugins("value", spec)),
        }
    }
}

fn built(spec: &str, game: &impl Game) -> Expectimax {
    let config: Config = spec.parse::<Spec>().unwrap().read().unwrap();
    let host: Arc<dyn Host> = Arc::new(Values);
    let context = BuildContext { game: game.description(), game_spec: "2048", host: &host };
    Expectimax::new(config, &context).unwrap()
}

#[test]
fn another_value_searches_where_that_of_the_player_guesses() {
    let game = game_2048("2048");
    let mut player = built("expectimax(depth: 2, value: partial)", &game);
    let mut known = built("expectimax(depth: 2, value: points)", &game);
    let mut rows = built("expectimax(depth: 2, value: rows)", &game);
    let mut named = built("expectimax(depth: 2, value: partial, unfamiliar: points)", &game);
    let mut guesses = 0;
    for state in positions(&game, 400) {
        with_turn(&game, state, 0, |turn| {
            let afterstates: Vec<_> = turn.successors.iter().map(|s| s.afterstate).collect();
            let is_guess = Partial.is_guess(&afterstates) == Some(true);
            guesses += u32::from(is_guess);
            let expected = if is_guess { &mut rows } else { &mut known };
            let Analysis { choice, action_values, facts } = player.analyse(&game, turn);
            let wanted = expected.analyse(&game, turn);
            assert_eq!((choice, action_values), (wanted.choice, wanted.action_values));
            assert_eq!(player.act(&game, turn), expected.act(&game, turn));
            assert_eq!(named.act(&game, turn), known.act(&game, turn));
            let value = facts.iter().find(|(name, _)| name == "value").map(|(_, fact)| fact);
            match value {
                Some(Fact::Text(reason)) => {
                    assert!(is_guess && reason == "rows: unfamiliar position")
                }
                _ => assert!(!is_guess),
            }
        });
    }
    assert!((20..380).contains(&guesses), "{guesses}");
}
