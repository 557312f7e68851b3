//! Networks, what training changes in them, and tables of endings.

use crate::canvas::{Align, BLUE, Canvas, GREEN, GREY, INK, ORANGE, PALE};

/// A board in the middle of a game.
const BOARD: [[u64; 4]; 4] = [[2, 4, 2, 0], [4, 16, 8, 2], [8, 64, 32, 4], [256, 128, 16, 2]];

fn board(out: &mut Canvas, x: f64, y: f64, cell: f64) {
    let rows: Vec<Vec<u64>> = BOARD.iter().map(|row| row.to_vec()).collect();
    out.board(x, y, cell, &rows);
}

/// Two tuples on a board, and the table entries that they read.
pub fn n_tuple() -> String {
    let mut out = Canvas::new(760.0, 270.0);
    let (x, y, cell) = (30.0, 40.0, 44.0);
    board(&mut out, x, y, cell);
    out.sized_text(x + 2.0 * cell, 24.0, 15.0, Align::Middle, INK, "board");
    // Each tuple: its colour, its cells in order, its estimate.
    let tuples = [
        (BLUE, [(0usize, 0usize), (0, 1), (0, 2), (0, 3)], 310.5),
        (ORANGE, [(2, 1), (2, 2), (3, 1), (3, 2)], 1204.0),
    ];
    let (left, right) = (330.0, 590.0);
    out.sized_text(left + 60.0, 24.0, 15.0, Align::Middle, INK, "index");
    out.sized_text(right, 24.0, 15.0, Align::Middle, INK, "weight");
    for (k, (colour, cells, weight)) in tuples.iter().enumerate() {
        let (low, high) = (cells[0], cells[3]);
        out.outline(
            x + cell * low.1 as f64 + 3.0,
            y + cell * low.0 as f64 + 3.0,
            cell * (high.1 - low.1 + 1) as f64 - 6.0,
            cell * (high.0 - low.0 + 1) as f64 - 6.0,
            colour,
        );
        let row = 85.0 + 85.0 * k as f64;
        out.arrow((x + 4.0 * cell + 12.0, row), (left - 14.0, row), colour);
        let text: Vec<_> =
            cells.iter().map(|&(row, column)| BOARD[row][column].to_string()).collect();
        out.text(left, row + 5.0, Align::Start, INK, &text.join(", "));
        out.arrow((left + 130.0, row), (right - 50.0, row), colour);
        out.text(left + 166.0, row - 8.0, Align::Middle, GREY, &format!("table {}", k + 1));
        for slot in 0..3 {
            let top = row - 36.0 + 24.0 * f64::from(slot);
            let fill = if slot == 1 { "#ffffff" } else { PALE };
            out.rect(right - 42.0, top, 84.0, 24.0, fill, "#9aa5b1");
        }
        out.text(right, row + 5.0, Align::Middle, GREEN, &format!("{weight:.1}"));
    }
    let sum: f64 = tuples.iter().map(|t| t.2).sum();
    out.text(right, 245.0, Align::Middle, GREEN, &format!("value = sum = {sum:.1}"));
    out.svg()
}

/// Two consecutive afterstates and the correction of the first.
pub fn td() -> String {
    let (before, reward, after) = (1500.0, 16.0, 1520.0);
    let error = reward + after - before;
    let mut out = Canvas::new(760.0, 210.0);
    for (x, name, value) in [(60.0, "afterstate t", before), (500.0, "afterstate t+1", after)] {
        out.rect(x, 60.0, 200.0, 60.0, PALE, "#9aa5b1");
        out.sized_text(x + 100.0, 84.0, 15.0, Align::Middle, INK, name);
        out.text(x + 100.0, 106.0, Align::Middle, GREEN, &format!("value {value:.0}"));
    }
    out.arrow((266.0, 90.0), (492.0, 90.0), BLUE);
    out.text(379.0, 78.0, Align::Middle, BLUE, &format!("chance, action, reward {reward:.0}"));
    out.text(379.0, 112.0, Align::Middle, GREY, "one step of the game");
    out.polyline(&[(600.0, 128.0), (600.0, 165.0), (160.0, 165.0)], GREEN, 1.5);
    out.arrow((160.0, 165.0), (160.0, 126.0), GREEN);
    let text = format!("error = {reward:.0} + {after:.0} - {before:.0} = {error:+.0}");
    out.text(379.0, 188.0, Align::Middle, GREEN, &text);
    out.text(160.0, 40.0, Align::Middle, GREY, "its weights are corrected");
    out.text(600.0, 40.0, Align::Middle, GREY, "its value is the better estimate");
    out.svg()
}

/// Errors of two weights, and the step sizes that TC gives them.
pub fn tc() -> String {
    let weights = [
        ("errors of one sign", [5.0, 4.0, 6.0, 3.0, 4.0]),
        ("errors of both signs", [5.0, -4.0, 6.0, -5.0, 1.0]),
    ];
    let mut out = Canvas::new(760.0, 230.0);
    for (k, (name, errors)) in weights.iter().enumerate() {
        let left = 40.0 + 375.0 * k as f64;
        out.sized_text(left + 150.0, 28.0, 15.0, Align::Middle, INK, name);
        let zero = 105.0;
        out.line((left, zero), (left + 300.0, zero), GREY, 1.0);
        for (i, error) in errors.iter().enumerate() {
            let x = left + 30.0 + 55.0 * i as f64;
            let (top, colour) =
                if *error > 0.0 { (zero - 9.0 * error, BLUE) } else { (zero, ORANGE) };
            out.rect(x, top, 26.0, 9.0 * error.abs(), colour, colour);
        }
        let sum: f64 = errors.iter().sum();
        let absolute: f64 = errors.iter().map(|e: &f64| e.abs()).sum();
        let rate = sum.abs() / absolute;
        let text = format!("step size |{sum:.0}| / {absolute:.0} = {rate:.2}");
        out.text(left + 150.0, 185.0, Align::Middle, GREEN, &text);
        let meaning = ["far from the goal: large steps", "near the goal: small steps"][k];
        out.text(left + 150.0, 207.0, Align::Middle, GREY, meaning);
    }
    out.svg()
}

/// A game cut into stages by its max tile.
pub fn stage() -> String {
    let mut out = Canvas::new(760.0, 200.0);
    let stages =
        [("below 16384", 300.0, GREEN), ("16384", 210.0, BLUE), ("16384 and 8192", 190.0, ORANGE)];
    let mut x = 30.0;
    for (k, (name, width, colour)) in stages.iter().enumerate() {
        out.rect(x, 60.0, *width - 6.0, 46.0, PALE, colour);
        out.sized_text(x + width / 2.0, 88.0, 15.0, Align::Middle, colour, &format!("stage {k}"));
        out.text(x + width / 2.0, 48.0, Align::Middle, GREY, name);
        out.arrow((x + width / 2.0, 112.0), (x + width / 2.0, 142.0), colour);
        out.text(x + width / 2.0, 160.0, Align::Middle, colour, &format!("weights {k}"));
        x += width;
    }
    out.text(30.0, 24.0, Align::Start, INK, "large tiles on the board");
    out.arrow((30.0, 184.0), (724.0, 184.0), GREY);
    out.text(379.0, 178.0, Align::Middle, GREY, "moves of one game");
    out.svg()
}

/// The pattern `L3` on a board, a goal that is made, and the probabilities of both.
pub fn endgame() -> String {
    let mut out = Canvas::new(760.0, 262.0);
    let (y, cell) = (46.0, 44.0);
    let large = [[8192, 4096, 2048], [16384, 1024, 512]];
    let small = [[0, 0, 0, 2], [0, 0, 0, 4], [2, 4, 8, 16], [64, 256, 128, 0]];
    let board = |small: [[u64; 4]; 4]| -> Vec<Vec<u64>> {
        let tile = |row: usize, col: usize| match large.get(row).and_then(|row| row.get(col)) {
            Some(&large) => large,
            None => small[row][col],
        };
        (0..4).map(|row| (0..4).map(|col| tile(row, col)).collect()).collect()
    };
    let (left, right) = (30.0, 510.0);
    let made = [[0, 0, 0, 0], [0, 0, 0, 512], [0, 0, 2, 2], [0, 0, 0, 4]];
    for (x, title, small) in [(left, "the pattern L3-512", small), (right, "after the goal", made)]
    {
        out.sized_text(x + 2.0 * cell, 28.0, 15.0, Align::Middle, INK, title);
        out.board(x, y, cell, &board(small));
        out.outline(x + 3.0, y + 3.0, 3.0 * cell - 6.0, 2.0 * cell - 6.0, BLUE);
        for (row, col) in [(1.0, 3.0), (2.0, 2.0)] {
            let (x, y) = (x + col * cell + 3.0, y + row * cell + 3.0);
            out.outline(x, y, cell - 6.0, cell - 6.0, GREEN);
        }
    }
    out.text(left, 246.0, Align::Start, BLUE, "large tiles that stay");
    out.text(left + 150.0, 246.0, Align::Start, GREEN, "where the 512 counts");
    let middle = (left + 4.0 * cell + right) / 2.0;
    out.arrow((left + 4.0 * cell + 14.0, 100.0), (right - 14.0, 100.0), GREEN);
    out.text(middle, 88.0, Align::Middle, GREEN, "made with probability P");
    out.text(middle, 120.0, Align::Middle, GREEN, "v: value of this position");
    out.text(middle, 160.0, Align::Middle, GREY, "not made: no further points");
    out.text(middle, 204.0, Align::Middle, INK, "value = P v");
    out.svg()
}
