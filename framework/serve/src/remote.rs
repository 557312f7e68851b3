//! Players of a game on a page of another site: the script on that page asks for an action for
//! each of its positions.

use super::refusal::Refusal;
use axum::http::StatusCode;
use runner_core::{Game, Seed, State, Successors, catch, locked};
use runner_play::analysis::analyse_one;
use runner_play::calls::WatchedGame;
use runner_play::failure::Failure;
use runner_play::player::NamedPlayer;
use runner_plugin::LoadedGame;
use runner_session::command::Arrow;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Largest number of players. The one that was not asked for the longest time makes room.
const PLAYERS: usize = 8;

/// The script; `ADDRESS` is replaced by the address of the player.
const SCRIPT: &str = include_str!("page/remote.js");

/// The players, by their secret names: a page needs the script to ask them.
#[derive(Default)]
pub struct Remotes(Mutex<BTreeMap<String, Arc<Remote>>>);

/// A player.
pub struct Remote {
    game: LoadedGame,
    player: Mutex<NamedPlayer>,
    used: Mutex<Instant>,
    seed: Seed,
}

/// A position of a page: the values of its cells row by row, or its text.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Position {
    rows: usize,
    cols: usize,
    cells: Vec<u64>,
    state: Option<String>,
}

/// The answer to a position.
#[derive(Debug, Serialize)]
pub struct Choice {
    /// Name of the action; `None` if the game is over or the player stops.
    action: Option<String>,
    value: Option<f32>,
}

impl Remotes {
    /// Adds a player, and returns its secret name.
    pub fn add(
        &self,
        game: LoadedGame,
        player: NamedPlayer,
        seed: Seed,
    ) -> Result<String, Failure> {
        let mut secret = [0; 16];
        getrandom::fill(&mut secret).map_err(|error| {
            Failure::failed(format!("the system has no random numbers: {error}"))
        })?;
        let name: String = secret.iter().map(|byte| format!("{byte:02x}")).collect();
        let (player, used) = (Mutex::new(player), Mutex::new(Instant::now()));
        let remote = Remote { game, player, used, seed };
        let mut players = locked(&self.0);
        if players.len() >= PLAYERS
            && let Some(oldest) = players.iter().min_by_key(|(_, remote)| remote.used())
        {
            let oldest = oldest.0.clone();
            players.remove(&oldest);
        }
        players.insert(name.clone(), Arc::new(remote));
        Ok(name)
    }

    pub fn get(&self, name: &str) -> Result<Arc<Remote>, Refusal> {
        let players = locked(&self.0);
        let player = players.get(name).cloned();
        player.ok_or_else(|| Refusal::missing("this player is gone; make a new script"))
    }
}

/// Returns the script that asks the player at this address.
pub fn script(address: &str) -> String {
    SCRIPT.replace("ADDRESS", address)
}

/// Refuses a game that pages like the original do not show: their tiles are 2, 4, 8 and so on, and
/// they take the four arrow keys.
pub fn refuse_other_pages(game: &LoadedGame) -> Result<(), Refusal> {
    let description = game.rules.description();
    let name = game.spec.name();
    let Some(board) = &description.geometry else {
        return Err(Refusal::wrong(format!("`{name}` has no board, so no such page shows it")));
    };
    let mut powers = board.values.iter().zip(1..).skip(1);
    if powers.any(|(&value, rank)| 1_u64.checked_shl(rank - 1) != Some(value)) {
        let tiles: Vec<_> = board.values[1..].iter().take(4).map(u64::to_string).collect();
        return Err(Refusal::wrong(format!(
            "the script plays on pages with the tiles 2, 4, 8, 16 and so on; those of `{name}` are \
             {} and so on",
            tiles.join(", ")
        )));
    }
    let has = |arrow: Arrow| description.actions.iter().any(|action| action == arrow.name());
    if !Arrow::ALL.into_iter().all(has) {
        let message = format!("`{name}` has other actions than the arrow keys of such pages");
        return Err(Refusal::wrong(message));
    }
    Ok(())
}

impl Remote {
    fn used(&self) -> Instant {
        *locked(&self.used)
    }

    pub fn choose(&self, position: &Position) -> Result<Choice, Refusal> {
        *locked(&self.used) = Instant::now();
        let state = self.state(position)?;
        let busy =
            || Refusal::new(StatusCode::CONFLICT, "the player still thinks about another position");
        let mut named = self.player.try_lock().map_err(|_| busy())?;
        let mut successors = Successors::new();
        let call = self.game.calls.enter(&named.label, "analyse");
        let analysis =
            catch(|| analyse_one(&self.game, &mut named.player, state, self.seed, &mut successors))
                .map_err(Failure::from)?;
        drop(call);
        let value = |action| analysis.action_values.iter().find(|(known, _)| *known == action);
        let description = self.game.rules.description();
        Ok(Choice {
            action: analysis.choice.map(|action| description.action_name(action)),
            value: analysis.choice.and_then(value).map(|(_, value)| *value),
        })
    }

    fn state(&self, position: &Position) -> Result<State, Refusal> {
        let rules = WatchedGame::of(&self.game);
        let text = match &position.state {
            Some(text) => text.clone(),
            None => self.text(position)?,
        };
        let state = catch(|| rules.parse(&text)).map_err(Failure::from)?;
        state.map_err(|error| Refusal::wrong(format!("the position `{text}`: {error}")))
    }

    /// Returns the text of a position that is given by its cells.
    fn text(&self, position: &Position) -> Result<String, Refusal> {
        let Some(board) = &self.game.rules.description().geometry else {
            return Err(Refusal::wrong("this game has no board: send its position as text"));
        };
        let Position { rows, cols, cells, .. } = position;
        if cells.len() != rows.saturating_mul(*cols) {
            return Err(Refusal::wrong(format!(
                "the page sends {} cells of {rows} x {cols}",
                cells.len()
            )));
        }
        if (*rows, *cols) != (board.rows, board.cols) {
            return Err(Refusal::wrong(format!(
                "the page has {rows} x {cols} cells; the player was made for {} x {}",
                board.rows, board.cols
            )));
        }
        let mut bits = 0;
        for (cell, value) in cells.iter().enumerate() {
            let rank = board.values.iter().position(|known| known == value);
            let rank = rank
                .ok_or_else(|| Refusal::wrong(format!("{} has no tile {value}", self.game.spec)))?;
            bits = board.with_rank(bits, cell, rank as u8);
        }
        Ok(catch(|| WatchedGame::of(&self.game).write(State::from_bits(bits)))
            .map_err(Failure::from)?)
    }
}
