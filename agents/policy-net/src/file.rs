//! Models as files: the network, the optimizer, and the games of the last batches.

use crate::games::PlayedGame;
use crate::policy::Policy;
use crate::training::TrainingState;
use crate::weighting::GameResult;
use agent_neural::Adam;
use agent_neural::file::{Contents, Identity, Model};
use runner_core::{Action, Fault, State};
use std::collections::VecDeque;
use std::path::Path;

/// The kind of the container.
pub const KIND: &str = "policy network";

/// The section of the last batches: for each its number of games (u32), for each game its score,
/// max tile and sum of tiles (f64) and its number of moves (u32), for each move the position (16
/// bytes) and the action (u8).
const BATCHES: &str = "batches";

/// Writes a model in a format.
pub fn save(
    state: &TrainingState,
    policy: &Policy,
    identity: &Identity,
    spec: &str,
    path: &Path,
    format: &str,
) -> Result<(), Fault> {
    let fresh = Adam::new(policy.network.parameters());
    let contents = Contents {
        identity,
        spec,
        network: &policy.network,
        parameters: &state.parameters,
        history: &state.history,
        adam: state.adam.as_ref().unwrap_or(&fresh),
        facts: Vec::new(),
        sections: vec![(BATCHES, write_batches(&state.batches))],
    };
    contents.write(path, format)
}

/// Reads the state of a training. The caller has checked that the model fits.
pub fn load(model: &Model, policy: &Policy) -> Result<TrainingState, Fault> {
    let network = &policy.network;
    let parameters = model.weights(network).map_err(Fault::new)?;
    let adam = model.adam(network).map_err(Fault::new)?;
    let history = model.history().map_err(Fault::new)?;
    let bytes = model.section(BATCHES).map_err(Fault::new)?;
    let batches = read_batches(&bytes, policy.actions());
    let batches = batches.ok_or_else(|| Fault::new(model.damaged(BATCHES, "it is invalid")))?;
    Ok(TrainingState::new(parameters, adam, batches, history))
}

fn write_batches(batches: &VecDeque<Vec<PlayedGame>>) -> Vec<u8> {
    let mut bytes = Vec::new();
    for games in batches {
        bytes.extend((games.len() as u32).to_le_bytes());
        for PlayedGame { moves, result } in games {
            let GameResult { score, max, tile_sum } = result;
            [score, max, tile_sum].into_iter().for_each(|x| bytes.extend(x.to_le_bytes()));
            bytes.extend((moves.len() as u32).to_le_bytes());
            for (state, action) in moves {
                bytes.extend(state.bits().to_le_bytes());
                bytes.push(action.0);
            }
        }
    }
    bytes
}

fn read_batches(mut bytes: &[u8], actions: usize) -> Option<VecDeque<Vec<PlayedGame>>> {
    let bytes = &mut bytes;
    let mut batches = VecDeque::new();
    while !bytes.is_empty() {
        let mut batch = Vec::new();
        for _ in 0..u32::from_le_bytes(take(bytes)?) {
            let mut number = || Some(f64::from_le_bytes(take(bytes)?)).filter(|x| x.is_finite());
            let result = GameResult { score: number()?, max: number()?, tile_sum: number()? };
            let mut moves = Vec::new();
            for _ in 0..u32::from_le_bytes(take(bytes)?) {
                let state = State::from_bits(u128::from_le_bytes(take(bytes)?));
                let [action] = take(bytes)?;
                moves.push((state, Some(Action(action)).filter(|a| a.index() < actions)?));
            }
            batch.push(PlayedGame { moves, result });
        }
        batches.push_back(batch);
    }
    Some(batches)
}

/// Removes the first bytes.
fn take<const N: usize>(bytes: &mut &[u8]) -> Option<[u8; N]> {
    let (first, rest) = bytes.split_first_chunk()?;
    *bytes = rest;
    Some(*first)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn batches_are_read_as_they_were_written_and_no_part_of_them_is() {
        let result = GameResult { score: 12.0, max: 8.0, tile_sum: 20.0 };
        let moves = vec![(State::new(1, 2), Action(3)), (State::new(4, 5), Action(0))];
        let game = PlayedGame { moves, result };
        let batches: VecDeque<_> = [vec![game.clone(), game], Vec::new()].into();
        let bytes = write_batches(&batches);
        assert_eq!(read_batches(&bytes, 4), Some(batches));
        assert_eq!(read_batches(&bytes, 3), None, "there are only three actions");
        // The whole second batch is missing at the first of these lengths.
        let second = bytes.len() - 4;
        let parts = (1..bytes.len()).filter(|&length| length != second);
        parts.for_each(|length| assert_eq!(read_batches(&bytes[..length], 4), None));
    }
}
