//! The requests of the page, in JSON.

use crate::table::{AnyTable, Request, Table};
use game_2048::Game2048;
use game_threes::Threes;
use runner_core::{BuildError, Game, Parameters, Spec};
use serde_json::{Value as Json, json};

/// The games, and their answers.
pub struct Requests {
    tables: [(&'static str, Box<dyn AnyTable>); 2],
}

impl Default for Requests {
    fn default() -> Self {
        Self { tables: [table("2048", Game2048::new), table("threes", Threes::new)] }
    }
}

/// Returns the game with the default parameters.
fn table<C: Parameters, G: Game + 'static>(
    name: &'static str,
    game: impl FnOnce(C) -> Result<G, BuildError>,
) -> (&'static str, Box<dyn AnyTable>) {
    let config = C::default();
    let spec = Spec::resolved(name, &config).expect("defaults can be written");
    let game = game(config).expect("defaults are valid");
    (name, Box::new(Table::new(game, spec)))
}

impl Requests {
    /// Answers a request, with `{"error": TEXT}` if it is refused.
    pub fn answer(&mut self, request: &[u8]) -> Vec<u8> {
        let answer = serde_json::from_slice(request)
            .map_err(|error| format!("the request cannot be read: {error}"))
            .and_then(|request: Request| self.table(&request.game)?.answer(&request));
        bytes(answer)
    }

    /// Loads the trained network of a game.
    pub fn load(&mut self, game: &str, model: &[u8]) -> Vec<u8> {
        bytes(self.table(game).and_then(|table| table.load(model)))
    }

    fn table(&mut self, game: &str) -> Result<&mut (dyn AnyTable + 'static), String> {
        let known = self.tables.iter_mut().find(|(name, _)| *name == game);
        known.map(|(_, table)| &mut **table).ok_or_else(|| format!("there is no game `{game}`"))
    }
}

fn bytes(answer: Result<Json, String>) -> Vec<u8> {
    answer.unwrap_or_else(|error| json!({ "error": error })).to_string().into_bytes()
}
