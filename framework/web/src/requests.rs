//! The requests of the page, in JSON.

use crate::table::{AnyTable, Table};
use game_2048::Game2048;
use game_threes::Threes;
use runner_core::Spec;
use serde_json::{Value as Json, json};

/// The games, and their answers.
pub struct Requests {
    tables: [(&'static str, Box<dyn AnyTable>); 2],
}

impl Default for Requests {
    fn default() -> Self {
        fn spec<C: serde::Serialize>(name: &str, config: &C) -> Spec {
            Spec::resolved(name, config).expect("defaults can be written")
        }
        let (of_2048, of_threes) = Default::default();
        let game_2048 = (spec("2048", &of_2048), Game2048::new(of_2048));
        let threes = (spec("threes", &of_threes), Threes::new(of_threes));
        let table: Box<dyn AnyTable> =
            Box::new(Table::new(game_2048.1.expect("defaults are valid"), game_2048.0));
        let other: Box<dyn AnyTable> =
            Box::new(Table::new(threes.1.expect("defaults are valid"), threes.0));
        Self { tables: [("2048", table), ("threes", other)] }
    }
}

impl Requests {
    /// Answers a request, with `{"error": TEXT}` if it is refused.
    pub fn answer(&mut self, request: &[u8]) -> Vec<u8> {
        let answer = serde_json::from_slice(request)
            .map_err(|error| format!("the request cannot be read: {error}"))
            .and_then(|request: Json| self.obey(&request));
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

    fn obey(&mut self, request: &Json) -> Result<Json, String> {
        let text = |name: &str| {
            request[name].as_str().ok_or_else(|| format!("the request has no text `{name}`"))
        };
        let number = |name: &str| {
            request[name].as_u64().ok_or_else(|| format!("the request has no number `{name}`"))
        };
        let small =
            |name: &str| u8::try_from(number(name)?).map_err(|_| format!("`{name}` is too large"));
        // Numbers of the page have 53 bits, and these have more.
        let wide = |name: &str| {
            u128::from_str_radix(text(name)?, 16).map_err(|error| format!("`{name}`: {error}"))
        };
        let table = self.table(text("game")?)?;
        match text("do")? {
            "about" => Ok(table.about()),
            "start" => Ok(table.start(wide("random")? as u64)),
            "read" => table.read(text("text")?),
            "edit" => table.edit(wide("bits")?, usize::from(small("cell")?), small("rank")?),
            "play" => table.play(wide("bits")?, small("action")?, wide("random")? as u64),
            "think" => table.think(wide("bits")?, small("plies")?),
            other => Err(format!("there is no request `{other}`")),
        }
    }
}

fn bytes(answer: Result<Json, String>) -> Vec<u8> {
    answer.unwrap_or_else(|error| json!({ "error": error })).to_string().into_bytes()
}
