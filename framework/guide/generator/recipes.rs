//! Published and measured scores of 2048 against the moves of training: the figures of a picture
//! and of its table.

use runner_spec::quantity::grouped;
use std::fmt::Write;

const SCORES: &str = include_str!("../data/recipes.tsv");

pub struct Score {
    pub recipe: String,
    pub moves: f64,
    /// How the number of moves is known.
    moves_are: String,
    pub plies: u32,
    pub mean: f64,
    pub interval: Option<[f64; 2]>,
    games: String,
    source: String,
}

impl Score {
    pub fn is_ours(&self) -> bool {
        self.recipe == "runner"
    }
}

pub fn scores() -> Vec<Score> {
    SCORES.lines().filter(|line| !line.starts_with('#')).map(score).collect()
}

fn score(line: &str) -> Score {
    let number = |text: &str| text.parse::<f64>().expect("the file holds numbers");
    let parts: Vec<_> = line.split('\t').collect();
    let [recipe, moves, moves_are, plies, mean, interval, games, source] = parts[..] else {
        panic!("not eight columns: {line}")
    };
    Score {
        recipe: recipe.into(),
        moves: number(moves),
        moves_are: moves_are.into(),
        plies: plies.parse().expect("the file holds numbers"),
        mean: number(mean),
        interval: interval.split_once(' ').map(|(low, high)| [number(low), number(high)]),
        games: games.into(),
        source: source.into(),
    }
}

pub fn table() -> String {
    let mut out = String::from(
        "| recipe | moves of training | moves are | 1 ply | 3 plies | source |\n\
         |---|---|---|---|---|---|\n",
    );
    let scores = scores();
    // A row has the scores of one training.
    for row in scores.chunk_by(|a, b| (&a.recipe, a.moves) == (&b.recipe, b.moves)) {
        let at = |plies| row.iter().find(|score| score.plies == plies).map_or(String::new(), cell);
        let Score { recipe, moves, moves_are, source, .. } = &row[0];
        let _ = writeln!(
            out,
            "| {recipe} | {}G | {moves_are} | {} | {} | {source} |",
            moves / 1e9,
            at(1),
            at(3)
        );
    }
    out
}

/// The mean, with its interval and the number of games if they are known.
fn cell(score: &Score) -> String {
    let number = |number: f64| grouped(number as u64);
    let interval = score.interval.map(|[low, high]| format!("{} to {}", number(low), number(high)));
    let games = score.games.parse().map(|games| format!("{} games", grouped(games)));
    let facts: Vec<_> = interval.into_iter().chain(games).collect();
    if facts.is_empty() {
        return number(score.mean);
    }
    format!("{} ({})", number(score.mean), facts.join("; "))
}
