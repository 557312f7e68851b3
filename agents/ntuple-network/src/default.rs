//! The network of learners that name none.

use crate::definition::Network;
use runner_core::geometry::Geometry;

/// Maximum number of weights of a default network that reads the game's extra fields: 1 GiB.
const MAX_WEIGHTS: u64 = 1 << 28;

/// Returns the default network for a board: the four 6-tuples of `4x6` where they fit,
/// other shapes on 3 x 3, and the whole board as one tuple on up to 2 x 3 cells.
///
/// Its tuples also read the game's first extra fields, as many as the size of the tables allows.
/// In Threes the announced tile raises the mean score by about a half.
pub fn default_text(board: &Geometry) -> String {
    let shapes = match (board.rows.min(board.cols), board.rows.max(board.cols)) {
        (2, 2) => "0123",
        (2, 3) => "012345",
        (3, 3) => "shape:331 shape:322 shape:33",
        _ => "4x6",
    };
    let with_fields = |count: usize| {
        let fields: String =
            board.extra_fields[..count].iter().map(|field| format!("+{}", field.name)).collect();
        let words: Vec<_> = shapes.split(' ').map(|word| format!("{word}{fields}")).collect();
        words.join(" ")
    };
    // A tuple with too many cells and fields is an error, so it does not fit.
    let fits = |text: &String| {
        Network::read(text, board)
            .is_ok_and(|network| network.weights_per_action(board) <= MAX_WEIGHTS)
    };
    let mut texts = (1..=board.extra_fields.len()).rev().map(with_fields);
    texts.find(fits).unwrap_or_else(|| shapes.to_owned())
}

/// Returns true if the default network for a board is one table of the whole board, which can
/// represent every value function exactly and generalises nothing.
pub fn is_whole_board(board: &Geometry) -> bool {
    matches!((board.rows.min(board.cols), board.rows.max(board.cols)), (2, 2 | 3))
}

#[cfg(test)]
mod tests {
    use super::*;
    use game_threes::{Bonus, Config, Threes};
    use runner_core::Game;

    #[test]
    fn fields_that_fit_are_read() {
        let text = |config| {
            let game = Threes::new(config).unwrap();
            default_text(game.description().geometry.as_ref().unwrap())
        };
        let set = Config { bonus: Bonus::Set, ..Config::default() };
        assert_eq!(text(set.clone()), "4x6+next");
        assert_eq!(text(Config { rows: 2, cols: 2, ..set }), "0123+next+bonus");
    }
}
