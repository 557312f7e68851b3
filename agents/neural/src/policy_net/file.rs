//! The games of the last batches in a model file.

use super::games::{Batches, PlayedGame};
use super::weighting::GameResult;
use crate::file::NeuralModel;
use runner_core::{Action, Fault, State};

/// The section of the last batches: for each its number of games (u32), for each game its score,
/// max tile and sum of tiles (f64) and its number of moves (u32), for each move the position (16
/// bytes) and the action (u8).
pub const BATCHES: &str = "batches";

pub fn read(model: &NeuralModel, actions: usize) -> Result<Batches, Fault> {
    let batches = read_batches(&model.section(BATCHES)?, actions);
    batches.ok_or_else(|| model.damaged(BATCHES, "it is invalid"))
}

pub fn write(batches: &Batches) -> Vec<u8> {
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

fn read_batches(mut bytes: &[u8], actions: usize) -> Option<Batches> {
    let bytes = &mut bytes;
    let mut batches = Batches::new();
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
        let batches: Batches = [vec![game.clone(), game], Vec::new()].into();
        let bytes = write(&batches);
        assert_eq!(read_batches(&bytes, 4), Some(batches));
        assert_eq!(read_batches(&bytes, 3), None, "there are only three actions");
        // The whole second batch is missing at the first of these lengths.
        let second = bytes.len() - 4;
        let parts = (1..bytes.len()).filter(|&length| length != second);
        parts.for_each(|length| assert_eq!(read_batches(&bytes[..length], 4), None));
    }
}
