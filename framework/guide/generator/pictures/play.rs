//! Moves, chance and search, drawn from the rules of 2048.

use crate::canvas::{Align, BLUE, Canvas, GREEN, GREY, INK, ORANGE, PALE};
use game_2048::{Config, Game2048};
use runner_core::{Game, Outcomes};

/// The 2 x 2 board keeps every successor small enough to draw.
const START: &str = "2,2/4,0";

fn game() -> Game2048 {
    let config = Config { rows: 2, cols: 2, ..Config::default() };
    Game2048::new(config).expect("a board of 2 x 2 is allowed")
}

/// Reads the cells from the text of a position.
fn cells(text: &str) -> Vec<Vec<u64>> {
    let board = text.split(' ').next().unwrap_or_default();
    board
        .split('/')
        .map(|row| row.split(',').map(|cell| cell.parse().unwrap_or(0)).collect())
        .collect()
}

/// One move: state, action, afterstate, chance, next states.
pub fn mdp() -> String {
    let game = game();
    let state = game.parse(START).expect("the position is written by the rules");
    let left = game.description().actions.iter().position(|name| name == "left").unwrap_or(0);
    let action = runner_core::Action(left as u8);
    let successor = game.successor(state, action).expect("the two 2s merge");
    let mut outcomes = Outcomes::with_capacity(game.description().max_outcomes);
    game.outcomes(successor.afterstate, &mut outcomes);

    let mut out = Canvas::new(760.0, 300.0);
    let heading = |out: &mut Canvas, x: f64, title: &str, line: &str| {
        out.sized_text(x, 28.0, 15.0, Align::Middle, INK, title);
        out.text(x, 47.0, Align::Middle, GREY, line);
    };
    heading(&mut out, 80.0, "state", "the player is to move");
    heading(&mut out, 360.0, "afterstate", "chance is to move");
    heading(&mut out, 650.0, "next states", "one of them happens");
    out.board(32.0, 115.0, 48.0, &cells(&game.write(state)));
    out.arrow((145.0, 163.0), (295.0, 163.0), BLUE);
    out.text(220.0, 152.0, Align::Middle, BLUE, "action: left");
    out.text(220.0, 183.0, Align::Middle, BLUE, &format!("reward: {}", successor.reward));
    out.board(312.0, 115.0, 48.0, &cells(&game.write_afterstate(successor.afterstate)));
    let count = outcomes.len();
    for (k, outcome) in outcomes.iter().enumerate() {
        let y = 70.0 + 220.0 / count as f64 * k as f64;
        out.board(625.0, y, 22.0, &cells(&game.write(outcome.state)));
        out.arrow((425.0, 163.0), (612.0, y + 22.0), ORANGE);
        let chance = format!("{:.2}", outcome.probability);
        let x = 560.0;
        let at = 163.0 + (y + 22.0 - 163.0) * (x - 425.0) / (612.0 - 425.0);
        out.label(x, at + 4.0, Align::Middle, ORANGE, &chance);
    }
    out.svg()
}

/// The tree of a search, cut into plies.
pub fn ply() -> String {
    let mut out = Canvas::new(760.0, 310.0);
    let bands = [(20.0, 110.0, "1 ply"), (130.0, 122.0, "2 plies")];
    for (y, height, name) in bands {
        out.rect(10.0, y, 740.0, height, PALE, PALE);
        out.sized_text(24.0, y + 22.0, 15.0, Align::Start, INK, name);
    }
    out.text(24.0, 62.0, Align::Start, GREY, "one action");
    out.text(24.0, 172.0, Align::Start, GREY, "chance,");
    out.text(24.0, 190.0, Align::Start, GREY, "then one action");
    let root = (440.0, 40.0);
    let afterstates = [(290.0, 125.0), (590.0, 125.0)];
    for after in afterstates {
        out.arrow(root, (after.0, after.1 - 9.0), BLUE);
        for side in [-70.0, 70.0] {
            let state = (after.0 + side, 185.0);
            out.arrow(after, (state.0, state.1 - 9.0), ORANGE);
            for turn in [-32.0, 32.0] {
                let leaf = (state.0 + turn, 235.0);
                out.arrow(state, (leaf.0, leaf.1 - 8.0), BLUE);
                out.rect(leaf.0 - 7.0, leaf.1 - 7.0, 14.0, 14.0, "#ffffff", GREEN);
            }
            out.dot(state.0, state.1, 8.0, "#ffffff", BLUE);
        }
        out.rect(after.0 - 8.0, after.1 - 8.0, 16.0, 16.0, "#ffffff", ORANGE);
    }
    out.dot(root.0, root.1, 9.0, "#ffffff", BLUE);
    let legend = [
        (60.0, BLUE, true, "state: the player chooses"),
        (290.0, ORANGE, false, "afterstate: chance chooses"),
        (530.0, GREEN, false, "leaf: the value estimates"),
    ];
    for (x, colour, round, text) in legend {
        if round {
            out.dot(x, 285.0, 8.0, "#ffffff", colour)
        } else {
            out.rect(x - 8.0, 277.0, 16.0, 16.0, "#ffffff", colour)
        }
        out.text(x + 16.0, 290.0, Align::Start, INK, text);
    }
    out.svg()
}

/// A search with numbers: means over chance, the maximum over actions.
pub fn expectimax() -> String {
    type Outcome = (f64, f64);
    // Of each action: its name, its reward, and the outcomes with probability and value.
    let actions: [(&str, f64, [Outcome; 2]); 2] =
        [("left", 4.0, [(0.9, 100.0), (0.1, 40.0)]), ("up", 0.0, [(0.9, 90.0), (0.1, 200.0)])];
    let mut out = Canvas::new(760.0, 300.0);
    let root = (110.0, 150.0);
    let action_value = |reward: f64, outcomes: &[(f64, f64)]| {
        reward + outcomes.iter().map(|(p, value)| p * value).sum::<f64>()
    };
    let best = actions.iter().map(|a| action_value(a.1, &a.2)).fold(f64::NEG_INFINITY, f64::max);
    for (k, (name, reward, outcomes)) in actions.iter().enumerate() {
        let after = (320.0, 80.0 + 140.0 * k as f64);
        let value = action_value(*reward, outcomes);
        let width = if value == best { 4.0 } else { 1.5 };
        out.line(root, after, BLUE, width);
        out.text(
            205.0,
            88.0 + 128.0 * k as f64,
            Align::Middle,
            BLUE,
            &format!("{name}, reward {reward}"),
        );
        for (i, (p, leaf)) in outcomes.iter().enumerate() {
            let end = (500.0, after.1 - 30.0 + 60.0 * i as f64);
            out.arrow(after, (end.0 - 20.0, end.1), ORANGE);
            let middle = (after.1 + end.1) / 2.0;
            out.label(415.0, middle + 5.0, Align::Middle, ORANGE, &p.to_string());
            out.rect(end.0 - 18.0, end.1 - 13.0, 46.0, 26.0, "#ffffff", GREEN);
            out.text(end.0 + 5.0, end.1 + 5.0, Align::Middle, GREEN, &leaf.to_string());
        }
        out.rect(after.0 - 11.0, after.1 - 11.0, 22.0, 22.0, "#ffffff", ORANGE);
        let terms: Vec<_> = outcomes.iter().map(|(p, leaf)| format!("{p} x {leaf}")).collect();
        let sum = format!("{reward} + {} = {value:.0}", terms.join(" + "));
        out.text(548.0, after.1 + 5.0, Align::Start, INK, &sum);
    }
    out.dot(root.0, root.1, 13.0, "#ffffff", BLUE);
    out.text(root.0 - 24.0, root.1 + 5.0, Align::End, INK, &format!("max = {best:.0}"));
    out.text(320.0, 285.0, Align::Middle, GREY, "mean over chance");
    out.text(110.0, 285.0, Align::Middle, GREY, "best action");
    out.text(505.0, 285.0, Align::Middle, GREY, "value of the leaf");
    out.svg()
}
