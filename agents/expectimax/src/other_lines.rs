//! Pushes of the lines of a sliding board. They are computed before a tile enters; after that only
//! the line with the new tile has another result.
//!
//! Here and in `last_ply` and `leaf_batch/tables`, a *line* is a row or a column of four cells
//! with 16 bits, the first cell in the lowest 4 bits. A board of `lines` has four of them, the
//! first line in the lowest 16 bits: its rows as they are, or its columns after `transpose`. A
//! push moves the tiles of a line toward its first or its last cell.

/// A line after a push.
#[derive(Clone, Copy, Default)]
pub struct PushedLine {
    /// The 16 bits of the line. They can have `BEYOND` in addition.
    pub line: u32,
    /// The term of this line in a sum over all lines: its value, or the reward of the push.
    pub term: f32,
}

/// The result of pushing three of the four lines.
#[derive(Clone, Copy, Default)]
pub struct OtherLines {
    /// The board with the three results. The cells of the fourth line are empty.
    pub board: u64,
    /// The term of the fourth line's neighbour. It is added to the term of the fourth line first,
    /// and `pair` then: in another order, the last bit of the sum could differ from that of the
    /// value or the game.
    pub neighbour: f32,
    /// The sum of the terms of the other two lines.
    pub pair: f32,
    /// True if a push changes one of the three.
    pub moves: bool,
}

impl OtherLines {
    /// Returns, for each line, the result of pushing the other three. `pushed` has the lines after
    /// their pushes. `put(k, bits)` returns a board whose only tiles are those of line number k.
    #[inline(always)]
    pub fn of_each(
        lines: u64,
        pushed: &[PushedLine; 4],
        put: impl Fn(usize, u32) -> u64,
    ) -> [Self; 4] {
        let mut boards = [0; 4];
        let mut moves = [false; 4];
        for line in 0..4 {
            boards[line] = put(line, pushed[line].line);
            moves[line] = u64::from(pushed[line].line) != lines >> (16 * line) & 0xffff;
        }
        let mut results = [Self::default(); 4];
        for (line, result) in results.iter_mut().enumerate() {
            // The neighbours are 0 and 1, and 2 and 3.
            let [neighbour, b, c] = [line ^ 1, line ^ 2, line ^ 3];
            *result = Self {
                board: boards[neighbour] | boards[b] | boards[c],
                neighbour: pushed[neighbour].term,
                pair: pushed[b].term + pushed[c].term,
                moves: moves[neighbour] | moves[b] | moves[c],
            };
        }
        results
    }
}
