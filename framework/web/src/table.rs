//! A game with the values and searches that play it.

use crate::paged::PagedNetwork;
use agent_expectimax::{Expectimax, SearchOptions};
use agent_heuristics::Rows;
use runner_core::{
    Action, Agent, BuildContext, Description, Game, Host, Random, SingleThread, Spec, Start, State,
    Successors, Turn, Value, ValuePlugin, read_position,
};
use serde::Deserialize;
use serde_json::{Map, Value as Json, json};
use std::num::ParseIntError;
use std::sync::Arc;

/// Maximum search depth in plies.
pub const MAX_PLIES: u8 = 8;
/// Size of a transposition table in bytes.
const TABLE_BYTES: usize = 16 << 20;

/// A game, and the searches of each depth with the trained network, or the heuristic `rows` while there
/// is none. Answers are JSON; a refusal is a text.
pub struct Table<G> {
    game: G,
    spec: String,
    host: Arc<dyn Host>,
    value: Option<Arc<dyn Value>>,
    /// By depth in plies.
    searches: Vec<Option<Expectimax>>,
    is_trained: bool,
}

/// A request to the table of a game, with the fields that it needs.
#[derive(Default, Deserialize)]
#[serde(default)]
pub struct Request {
    /// `about`, `start`, `read`, `edit`, `play` or `think`.
    #[serde(rename = "do")]
    name: String,
    pub game: String,
    text: String,
    /// A position.
    bits: Wide,
    /// 64 random bits.
    random: Wide,
    cell: usize,
    rank: u8,
    action: u8,
    plies: u8,
}

/// A number in hexadecimal digits: those of the page have 53 bits, and these have more.
#[derive(Default, Deserialize)]
#[serde(try_from = "String")]
struct Wide(u128);

impl TryFrom<String> for Wide {
    type Error = ParseIntError;

    fn try_from(text: String) -> Result<Self, ParseIntError> {
        u128::from_str_radix(&text, 16).map(Self)
    }
}

/// The table of any game.
pub trait AnyTable {
    /// Loads a trained network; returns its size in bytes.
    fn load(&mut self, model: &[u8]) -> Result<Json, String>;
    fn answer(&mut self, request: &Request) -> Result<Json, String>;
}

impl<G: Game> Table<G> {
    pub fn new(game: G, spec: Spec) -> Self {
        let searches = (0..=MAX_PLIES).map(|_| None).collect();
        let (spec, host) = (spec.to_string(), Arc::new(SingleThread));
        Self { game, spec, host, value: None, searches, is_trained: false }
    }

    fn description(&self) -> &Description {
        self.game.description()
    }

    /// Returns the value, which is the heuristic one if no network was loaded.
    fn value(&mut self) -> Result<Arc<dyn Value>, String> {
        if self.value.is_none() {
            let game = self.game.description();
            let context = BuildContext { game, game_spec: &self.spec, host: &self.host };
            let rows = Rows::new(Default::default(), &context).map_err(|error| error.message)?;
            self.value = Some(Arc::new(rows));
        }
        Ok(self.value.clone().expect("it was built"))
    }

    fn successors(&self, state: State) -> Successors {
        let mut successors = Successors::new();
        self.game.successors(state, &mut successors);
        successors
    }

    fn cells(&self, bits: u128) -> Vec<u8> {
        let Some(board) = &self.description().geometry else { return Vec::new() };
        (0..board.cells()).map(|cell| board.rank(bits, cell)).collect()
    }

    fn position(&self, state: State) -> Json {
        let fields =
            self.description().geometry.as_ref().map(|board| board.shown_fields(state.bits()));
        let legal: Vec<u8> = self.successors(state).iter().map(|next| next.action.0).collect();
        json!({
            "bits": format!("{:x}", state.bits()),
            "text": self.game.write(state),
            "cells": self.cells(state.bits()),
            "fields": fields,
            "legal": legal,
            "max_tile": self.game.max_tile(state),
        })
    }

    /// Returns the first position of a game, with its score.
    fn first(&self, state: State) -> Json {
        let Start { state, score } = Start::new(&self.game, state);
        json!({ "position": self.position(state), "score": score })
    }

    fn about(&self) -> Json {
        let description = self.description();
        let board = description.geometry.as_ref();
        json!({
            "actions": description.actions,
            "goal": description.goal,
            "board": board.map(|board| json!({
                "rows": board.rows, "cols": board.cols, "values": board.values,
            })),
            "value": if self.is_trained { "trained" } else { "rows" },
        })
    }

    fn read(&self, text: &str) -> Result<Json, String> {
        Ok(self.first(read_position(&self.game, text).map_err(|error| error.to_string())?))
    }

    fn edit(&self, bits: u128, cell: usize, rank: u8) -> Result<Json, String> {
        let board = self.description().geometry.as_ref().ok_or("this game has no board")?;
        if cell >= board.cells() || usize::from(rank) >= board.values.len() {
            return Err("there is no such cell or tile".to_owned());
        }
        // The text of a position is checked when it is read.
        self.read(&self.game.write(State::from_bits(board.with_rank(bits, cell, rank))))
    }

    fn play(&self, bits: u128, action: Action, random: u64) -> Result<Json, String> {
        let state = State::from_bits(bits);
        let successors = self.successors(state);
        let chosen = successors.of(action).ok_or("this move is not legal")?;
        let next = self.game.spawn(chosen.afterstate, random);
        let chance = self.game.chance_reward(Some(chosen.afterstate), next);
        Ok(json!({
            "position": self.position(next),
            "after": self.cells(chosen.afterstate.bits()),
            "reward": f64::from(chosen.reward) + f64::from(chance),
        }))
    }

    fn think(&mut self, bits: u128, plies: u8) -> Result<Json, String> {
        if !(1..=MAX_PLIES).contains(&plies) {
            return Err(format!("the depth is {plies}; 1 to {MAX_PLIES} plies are allowed"));
        }
        let value = self.value()?;
        let (state, host) = (State::from_bits(bits), self.host.clone());
        let successors = self.successors(state);
        if successors.is_empty() {
            return Err("the game is over".to_owned());
        }
        let search = self.searches[usize::from(plies)].get_or_insert_with(|| {
            let mut options = SearchOptions::plies(plies);
            // Searches of one or two plies do not use it.
            options.table_bytes = (plies > 2).then_some(TABLE_BYTES);
            Expectimax::with_options(value, options, host)
        });
        let turn = Turn { state, successors: &successors, random: Random::from_word(0).word() };
        let analysis = search.analyse(&self.game, &turn);
        let facts = analysis.facts.into_iter().map(|(name, fact)| (name, json!(fact)));
        Ok(json!({
            "choice": analysis.choice,
            "values": analysis.action_values,
            "facts": facts.collect::<Map<_, _>>(),
        }))
    }
}

impl<G: Game> AnyTable for Table<G> {
    fn load(&mut self, model: &[u8]) -> Result<Json, String> {
        let network =
            PagedNetwork::new(model, "the trained network", self.game.description(), &self.spec)?;
        let bytes = network.bytes();
        self.value = Some(Arc::new(network));
        self.searches.fill_with(|| None);
        self.is_trained = true;
        Ok(json!({ "bytes": bytes }))
    }

    fn answer(&mut self, request: &Request) -> Result<Json, String> {
        let (bits, random) = (request.bits.0, request.random.0 as u64);
        match &*request.name {
            "about" => Ok(self.about()),
            "start" => Ok(self.first(self.game.start(random))),
            "read" => self.read(&request.text),
            "edit" => self.edit(bits, request.cell, request.rank),
            "play" => self.play(bits, Action(request.action), random),
            "think" => self.think(bits, request.plies),
            other => Err(format!("there is no request `{other}`")),
        }
    }
}
