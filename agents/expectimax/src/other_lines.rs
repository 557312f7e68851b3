//! Pushes of a sliding board that are computed before a tile enters: only its own line then has
//! another result.

/// The result of pushing three of the four lines.
#[derive(Clone, Copy, Default)]
pub struct OtherLines {
    /// Their results, with the cells of the fourth line empty.
    pub board: u64,
    /// The value or reward of the fourth line's neighbour. It is added to that of the fourth line
    /// first, and `pair` then: in another order, the last bit of the sum could differ from that of
    /// the value or the game.
    pub neighbour: f32,
    /// The sum of the values or rewards of the other two lines.
    pub pair: f32,
    /// True if a push moves one of the three.
    pub moves: bool,
}

impl OtherLines {
    /// Returns, for each line, the result of pushing the other three. `pushed` has the result of
    /// each push with its value or reward, and `put` returns a board with one line.
    #[inline(always)]
    pub fn of_each(
        lines: u64,
        pushed: &[(u32, f32); 4],
        put: impl Fn(usize, u32) -> u64,
    ) -> [Self; 4] {
        let mut boards = [0; 4];
        let mut moves = [false; 4];
        for line in 0..4 {
            boards[line] = put(line, pushed[line].0);
            moves[line] = u64::from(pushed[line].0) != lines >> (16 * line) & 0xffff;
        }
        let mut results = [Self::default(); 4];
        for (line, result) in results.iter_mut().enumerate() {
            let [a, b, c] = [line ^ 1, line ^ 2, line ^ 3];
            *result = Self {
                board: boards[a] | boards[b] | boards[c],
                neighbour: pushed[a].1,
                pair: pushed[b].1 + pushed[c].1,
                moves: moves[a] | moves[b] | moves[c],
            };
        }
        results
    }
}
