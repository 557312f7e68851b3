//! Optimistic initialisation: when it is the default, with which initial value and which
//! meta learning rate.
//!
//! H. Guei, L.-P. Chen and I-C. Wu, "Optimistic temporal difference learning for 2048" (2021), and
//! H. Guei, "On reinforcement learning for the game of 2048" (2023): all m weights of a position
//! begin with V0/m, where V0 is above every score, so positions that were not tried look best.
//!
//! Up to 2 x 3 cells the default network is one table of the whole board. It generalises
//! nothing, so a greedy policy with zero weights never tries a position that it has not seen,
//! and stays far below the optimum. There the default initial value lies above the score of
//! optimal play. It is no larger than necessary, because the surplus must be unlearned at
//! every position.
//!
//! A network that is named, and a model, get no optimism unless the `optimism` parameter asks
//! for it.

use agent_ntuple_network::is_whole_board;
use runner_core::geometry::Geometry;

/// Meta learning rate of TC with optimistic initialisation. With 1, a few bad outcomes in a row
/// push a position below its value, and it is not tried again.
const OPTIMISTIC_BETA: f32 = 0.3;

/// Returns the value of every position before training, from the parameter or the board.
/// `default_network` is true if neither a network nor a model is named.
pub fn initial_value(parameter: Option<f32>, default_network: bool, board: &Geometry) -> f32 {
    match parameter {
        Some(value) => value,
        None if is_default(default_network, board) => above_optimal_play(board),
        None => 0.0,
    }
}

pub fn default_beta(default_network: bool, board: Option<&Geometry>) -> f32 {
    match board {
        Some(board) if is_default(default_network, board) => OPTIMISTIC_BETA,
        _ => 1.0,
    }
}

fn is_default(default_network: bool, board: &Geometry) -> bool {
    default_network && is_whole_board(board)
}

/// Returns a value above the score of optimal play on a small board: 2 n 2^n for n cells.
/// Optimal play scores 67 and 480 in 2048 on 2 x 2 and 2 x 3 cells, 81 and 615 in 2584, and
/// less in 1024 and Threes.
fn above_optimal_play(board: &Geometry) -> f32 {
    ((2 * board.cells()) << board.cells()) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(rows: usize, cols: usize) -> Geometry {
        Geometry { rows, cols, values: vec![0; 16], ..Geometry::default() }
    }

    #[test]
    fn optimism_is_the_default_on_the_smallest_boards_only() {
        for ((rows, cols), value, beta) in
            [((2, 2), 128.0, 0.3), ((3, 2), 768.0, 0.3), ((2, 4), 0.0, 1.0), ((3, 3), 0.0, 1.0)]
        {
            let board = board(rows, cols);
            assert_eq!(initial_value(None, true, &board), value);
            assert_eq!(default_beta(true, Some(&board)), beta);
            assert_eq!(initial_value(Some(0.0), true, &board), 0.0);
            // A named network or a model.
            assert_eq!(initial_value(None, false, &board), 0.0);
            assert_eq!(default_beta(false, Some(&board)), 1.0);
        }
        assert_eq!(default_beta(true, None), 1.0);
    }
}
