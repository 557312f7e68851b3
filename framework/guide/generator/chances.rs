//! Fits the chances of large tiles to recorded games, one file for each player: `cargo run
//! --release --example chances -- FILE...`. Writes the table that the program has and the figures
//! of the guide's diagram, and prints the Brier scores. All games of a file make its table. How
//! well such a table predicts is measured on every second game with a table of the others.
#![forbid(unsafe_code)]

use runner_core::{Game, Seed};
use runner_play::analysis::analyse;
use runner_play::brief;
use runner_play::chances::{TileFit, next};
use runner_play::failure::Failure;
use runner_play::grades::points;
use runner_play::player::NamedPlayer;
use runner_play::position::open;
use runner_play::registry::Registry;
use runner_play::threads::Threads;
use runner_records::replay;
use std::fmt::Write;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Number of positions of each game that are samples, at equal distances.
const POSITIONS: usize = 32;
/// Number of classes of predicted chances in the diagram.
const CLASSES: usize = 10;
const TABLE: &str = "plugins/bundle/src/chances.tsv";
const DIAGRAM: &str = "framework/guide/data/reliability.tsv";

/// A tile that a position reaches next, or not.
struct Sample {
    tile: u64,
    log_ratio: f64,
    /// 1 if the game reached the tile, else 0.
    reached: f64,
    is_held_out: bool,
}

/// The samples of a file.
struct Samples {
    game: String,
    player: String,
    /// Number of all games.
    games: usize,
    samples: Vec<Sample>,
}

fn read(file: &Path) -> Result<Samples, Failure> {
    let mut registry = Registry::new();
    runner_plugins::plugins().into_iter().for_each(|root| registry.link(root));
    let (registry, threads) = (Arc::new(registry), Threads::new(None)?);
    let (reader, game) = open(file, &registry)?;
    let agent = reader.metadata().agent.parse()?;
    let player = NamedPlayer::trained(&registry, &agent, &game, &threads)?;
    let (mut states, mut numbers, mut ends) = (Vec::new(), Vec::new(), Vec::new());
    for record in reader {
        let record = match record {
            // The games of a run that did not finish count.
            Err(error) if error.lacks_end() => break,
            record => record?,
        };
        let moves: Result<Vec<_>, _> = replay(&*game.rules, &record).collect();
        let moves = moves.map_err(Failure::failed)?;
        for made in moves.iter().step_by((moves.len() / POSITIONS).max(1)) {
            states.push(made.state);
            numbers.push(ends.len());
        }
        let last = moves.last().and_then(|made| game.rules.max_tile(made.next));
        ends.push(last.unwrap_or(0));
    }
    let board = game.rules.description().geometry.as_ref();
    let board = board.ok_or_else(|| Failure::failed("the game has no board"))?;
    // Of the tiles that nearly all games reach, or nearly none, there is nothing to say.
    let share = |tile| ends.iter().filter(|&&end| end >= tile).count() as f64 / ends.len() as f64;
    let mut tiles = board.values.clone();
    tiles.retain(|&tile| (0.02..0.98).contains(&share(tile)));
    let stop = AtomicBool::new(false);
    let analyses = analyse(&game, &player, &states, Seed(1), &threads, &stop, &|_| {})?;
    let mut samples = Vec::new();
    for ((state, number), analysis) in
        states.into_iter().zip(numbers).zip(analyses.into_iter().flatten())
    {
        let Some(to_come) = points(&analysis) else { continue };
        for (tile, log_ratio) in next(board, state, to_come, tiles.iter().copied()) {
            let reached = f64::from(u8::from(ends[number] >= tile));
            samples.push(Sample { tile, log_ratio, reached, is_held_out: number % 2 == 1 });
        }
    }
    Ok(Samples {
        game: brief::game(&game.spec, &registry).to_string(),
        player: brief::player(&player.spec, &registry).to_string(),
        games: ends.len(),
        samples,
    })
}

fn mean(samples: &[&Sample], of: impl Fn(&Sample) -> f64) -> f64 {
    samples.iter().map(|sample| of(sample)).sum::<f64>() / samples.len() as f64
}

/// Returns the logistic function with the largest likelihood, by Newton's method.
fn fit(tile: u64, samples: &[&Sample]) -> TileFit {
    let mut fit = TileFit { tile, intercept: 0.0, slope: 0.0 };
    for _ in 0..100 {
        // The gradient, and the matrix of second derivatives.
        let (mut g, mut g_x, mut h, mut h_x, mut h_xx) = (0.0, 0.0, 0.0, 0.0, 0.0);
        for one in samples {
            let (x, p) = (one.log_ratio, fit.chance(one.log_ratio));
            g += one.reached - p;
            g_x += (one.reached - p) * x;
            h += p * (1.0 - p);
            h_x += p * (1.0 - p) * x;
            h_xx += p * (1.0 - p) * x * x;
        }
        let determinant = h * h_xx - h_x * h_x;
        // The first steps may be too long.
        fit.intercept += ((h_xx * g - h_x * g_x) / determinant).clamp(-1.0, 1.0);
        fit.slope += ((h * g_x - h_x * g) / determinant).clamp(-1.0, 1.0);
    }
    assert!(
        fit.intercept.is_finite() && fit.slope.is_finite(),
        "too few games for the tile {tile}"
    );
    fit
}

fn run() -> Result<(), Failure> {
    let how = "# cargo run --release --example chances -- FILE...\n#";
    let mut table = format!("{how} game\tplayer\ttile\tintercept\tslope\n");
    let mut diagram =
        format!("{how} game\tplayer\tpredicted chance\tshare that reached the tile\n");
    println!(
        "| game | player | games | tile | base rate | Brier score of the base rate | of the chances |"
    );
    println!("|---|---|---|---|---|---|---|");
    for file in std::env::args_os().skip(1) {
        let Samples { game, player, games, samples } = read(Path::new(&file))?;
        let mut tiles: Vec<_> = samples.iter().map(|sample| sample.tile).collect();
        tiles.sort_unstable();
        tiles.dedup();
        let mut predicted = Vec::new();
        for tile in tiles {
            let own: Vec<_> = samples.iter().filter(|sample| sample.tile == tile).collect();
            let whole = fit(tile, &own);
            let (intercept, slope) = (whole.intercept, whole.slope);
            let _ = writeln!(table, "{game}\t{player}\t{tile}\t{intercept:.3}\t{slope:.3}");
            let (held_out, known): (Vec<_>, Vec<_>) =
                own.into_iter().partition(|sample| sample.is_held_out);
            let fit = fit(tile, &known);
            let base = mean(&known, |one| one.reached);
            let of_base = mean(&held_out, |one| (base - one.reached).powi(2));
            let score = mean(&held_out, |one| (fit.chance(one.log_ratio) - one.reached).powi(2));
            println!(
                "| {game} | `{player}` | {games} | {tile} | {:.0}% | {of_base:.3} | {score:.3} |",
                100.0 * base
            );
            predicted.extend(held_out.iter().map(|one| (fit.chance(one.log_ratio), one.reached)));
        }
        for class in 0..CLASSES {
            let is_in = |(chance, _): &&(f64, f64)| (chance * CLASSES as f64) as usize == class;
            let members: Vec<_> = predicted.iter().filter(is_in).collect();
            let count = members.len() as f64;
            let chance = members.iter().map(|(chance, _)| chance).sum::<f64>() / count;
            let reached = members.iter().map(|(_, reached)| reached).sum::<f64>() / count;
            if count > 0.0 {
                let _ = writeln!(diagram, "{game}\t{player}\t{chance:.4}\t{reached:.4}");
            }
        }
    }
    for (path, text) in [(TABLE, table), (DIAGRAM, diagram)] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        std::fs::write(&path, text)
            .map_err(|error| Failure::failed(format!("{}: {error}", path.display())))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    match run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::FAILURE
        }
    }
}
