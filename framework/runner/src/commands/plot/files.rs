//! The results of players, read from the files that tournaments, experiments and evaluations
//! write.

use runner_console::notes::note;
use runner_experiment::{EvaluationResults, Experiment, ExperimentResults, Rate, Records};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::registry::Registry;
use runner_plot::results::PlayerResults;
use runner_stats::{GameResult, Scores, TileRate};
use runner_tournament::read_scores;
use serde::Deserialize;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The document of `eval --json`.
#[derive(Deserialize)]
struct Evaluation {
    game: String,
    agent: String,
    games: u64,
    threads: u32,
    moves_per_second: Option<f64>,
    score: Scores,
    tiles: Vec<TileRate>,
    #[serde(default)]
    scores: Vec<GameResult>,
}

/// The `report.json` of a tournament.
#[derive(Deserialize)]
struct Tournament {
    rows: Vec<Row>,
}

#[derive(Deserialize)]
struct Row {
    game: String,
    agent: String,
    games: u64,
    score: Scores,
    tiles: Vec<TileRate>,
    seconds_per_move: MoveTime,
}

#[derive(Deserialize)]
struct MoveTime {
    mean: Option<f64>,
}

struct Player {
    /// Spec of the game, which is added to the name if there are several games. `None` for an
    /// evaluation of an experiment, which has a unique name already.
    game: Option<String>,
    results: PlayerResults,
}

/// Reads the results of files: the folders of tournaments and experiments, and documents of
/// evaluations. Players have different names: with their games if there are several, and with their
/// files if that is not enough. The trainings of a configuration are one player, or with `are_apart`
/// one each.
pub fn results(
    files: &[PathBuf],
    are_apart: bool,
    registry: &Registry,
) -> Result<Vec<(PathBuf, PlayerResults)>, Failure> {
    let mut players = Vec::new();
    for file in distinct(files) {
        players.extend(of_file(file, are_apart)?.into_iter().map(|player| (file.clone(), player)));
    }
    let mut games = players.iter().filter_map(|(_, player)| player.game.as_ref());
    let first = games.next();
    let are_several = games.any(|game| Some(game) != first);
    for (_, Player { game, results }) in &mut players {
        let Some(game) = game else { continue };
        results.name = brief::player_text(&results.name, registry);
        if are_several {
            results.name += &format!(", {}", brief::game_text(game, registry));
        }
    }
    let names: Vec<_> = players.iter().map(|(_, player)| player.results.name.clone()).collect();
    for (file, Player { results, .. }) in &mut players {
        if names.iter().filter(|name| **name == results.name).count() > 1 {
            results.name += &format!(" ({})", file.display());
        }
    }
    Ok(players.into_iter().map(|(file, player)| (file, player.results)).collect())
}

/// Returns the files without those that are given twice.
fn distinct(files: &[PathBuf]) -> Vec<&PathBuf> {
    let (mut distinct, mut known) = (Vec::new(), BTreeSet::new());
    for file in files {
        if known.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
            distinct.push(file);
        } else {
            note(format!("note: {} is given twice; it is drawn once", file.display()));
        }
    }
    distinct
}

fn of_file(path: &Path, are_apart: bool) -> Result<Vec<Player>, Failure> {
    if path.is_dir() {
        return match Records::of_folder(path)? {
            Some((experiment, records)) => {
                experiment_results(path, &experiment, &records, are_apart)
            }
            None => tournament(path),
        };
    }
    let text = read(path)?;
    let evaluation: Evaluation = serde_json::from_str(&text).map_err(|error| {
        let message =
            format!("it is no document of `eval --json`, nor the folder of a tournament: {error}");
        Failure::in_file(path, message)
    })?;
    let Evaluation { game, agent, games, threads, moves_per_second, score, tiles, scores } =
        evaluation;
    let results = PlayerResults {
        name: agent,
        games,
        scores: vec![sorted(scores.iter().map(|game| game.score))],
        score,
        tiles,
        seconds_per_move: moves_per_second.map(|speed| f64::from(threads) / speed),
    };
    Ok(vec![Player { game: Some(game), results }])
}

fn tournament(folder: &Path) -> Result<Vec<Player>, Failure> {
    let path = folder.join("report.json");
    let Tournament { rows } = serde_json::from_str(&read(&path)?)
        .map_err(|error| Failure::in_file(&path, format!("it is no report: {error}")))?;
    let mut scores = read_scores(&folder.join("results.jsonl"))?;
    let player = |row: Row| {
        let Row { game, agent, games, score, tiles, seconds_per_move } = row;
        let scores = scores.remove(&(game.clone(), agent.clone())).unwrap_or_default();
        let (scores, seconds_per_move) = (vec![sorted(scores)], seconds_per_move.mean);
        let results = PlayerResults { name: agent, games, scores, score, tiles, seconds_per_move };
        Player { game: Some(game), results }
    };
    // Agents that forfeited every game have nothing to be drawn.
    Ok(rows.into_iter().filter(|row| row.games > 0).map(player).collect())
}

/// Returns the evaluations of an experiment, over all trainings of a configuration or for each.
fn experiment_results(
    folder: &Path,
    experiment: &Experiment,
    records: &Records,
    are_apart: bool,
) -> Result<Vec<Player>, Failure> {
    let mut players = Vec::new();
    for configuration in ExperimentResults::new(experiment, records, &[], false).configurations {
        for evaluation in configuration.evaluations {
            let name = format!("{}, {}", configuration.name, evaluation.name);
            if !are_apart || evaluation.seeds.len() < 2 {
                players.extend(trained(name, &evaluation));
                continue;
            }
            for seed in &evaluation.seeds {
                let one = EvaluationResults::new(&name, vec![seed.clone()], None);
                players.extend(trained(format!("{name}, seed {}", seed.seed), &one));
            }
        }
    }
    if players.is_empty() {
        Err(Failure::in_file(folder, "no evaluation of the experiment is done"))
    } else {
        Ok(players)
    }
}

/// Returns the results of an evaluation over its trainings; `None` if there are none.
fn trained(name: String, evaluation: &EvaluationResults) -> Option<Player> {
    let seeds = &evaluation.seeds;
    let first = seeds.first()?;
    let name = match seeds.len() {
        1 => name,
        count => format!("{name}, {count} seeds"),
    };
    let games = seeds.iter().map(|seed| seed.games).sum();
    let moves: u64 = seeds.iter().map(|seed| seed.moves).sum();
    let seconds: f64 = seeds.iter().map(|seed| seed.seconds * seed.threads as f64).sum();
    let mut tiles = Vec::new();
    for &Rate { tile, rate, ci95 } in &evaluation.tiles {
        let mut sum =
            TileRate { tile, ended: 0, reached: 0, rate, ci95: ci95.unwrap_or([rate; 2]) };
        for of_seed in seeds.iter().flat_map(|seed| &seed.tiles).filter(|one| one.tile == tile) {
            sum.ended += of_seed.ended;
            sum.reached += of_seed.reached;
        }
        tiles.push(sum);
    }
    let score = match seeds.len() {
        1 => first.score,
        _ => Scores { mean: evaluation.mean, ci95: evaluation.ci95, ..Scores::default() },
    };
    let results = PlayerResults {
        name,
        games,
        scores: seeds.iter().map(|seed| seed.quantiles.clone()).collect(),
        score,
        tiles,
        seconds_per_move: (moves > 0).then(|| seconds / moves as f64),
    };
    Some(Player { game: None, results })
}

fn sorted(scores: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut scores: Vec<_> = scores.into_iter().collect();
    scores.sort_by(f64::total_cmp);
    scores
}

fn read(path: &Path) -> Result<String, Failure> {
    Ok(runner_files::read_text(path)?)
}
