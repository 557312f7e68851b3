//! The results of players, read from the files that tournaments, experiments and evaluations
//! write.

use crate::experiment::{Experiment, Records};
use crate::failure::Failure;
use crate::plot::results::PlayerResults;
use crate::tournament::read_scores;
use runner_files::FileError;
use runner_stats::{GameResult, Scores, TileRate};
use serde::Deserialize;
use std::fs;
use std::path::Path;

/// The document of `eval --json`.
#[derive(Deserialize)]
struct Evaluation {
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

/// Reads the results of a tournament's or an experiment's folder, or of the document of an
/// evaluation.
pub fn results(path: &Path) -> Result<Vec<PlayerResults>, Failure> {
    if path.is_dir() {
        return match Records::of_folder(path)? {
            Some((experiment, records)) => experiment_results(path, &experiment, &records),
            None => tournament(path),
        };
    }
    let text = read(path)?;
    let evaluation: Evaluation = serde_json::from_str(&text).map_err(|error| {
        let message =
            format!("it is no document of `eval --json`, nor the folder of a tournament: {error}");
        Failure::in_file(path, message)
    })?;
    let Evaluation { agent, games, threads, moves_per_second, score, tiles, scores } = evaluation;
    Ok(vec![PlayerResults {
        name: agent,
        games,
        scores: sorted(scores.iter().map(|game| game.score)),
        score,
        tiles,
        seconds_per_move: moves_per_second.map(|speed| f64::from(threads) / speed),
    }])
}

fn tournament(folder: &Path) -> Result<Vec<PlayerResults>, Failure> {
    let path = folder.join("report.json");
    let Tournament { rows } = serde_json::from_str(&read(&path)?)
        .map_err(|error| Failure::in_file(&path, format!("it is no report: {error}")))?;
    let mut scores = read_scores(&folder.join("results.jsonl"))?;
    let one_game = rows.iter().all(|row| row.game == rows[0].game);
    let player = |row: Row| {
        let Row { game, agent, games, score, tiles, seconds_per_move } = row;
        let name = if one_game { agent.clone() } else { format!("{agent}, {game}") };
        let scores = sorted(scores.remove(&(game, agent)).unwrap_or_default());
        PlayerResults { name, games, scores, score, tiles, seconds_per_move: seconds_per_move.mean }
    };
    // Agents that forfeited every game have nothing to be drawn.
    Ok(rows.into_iter().filter(|row| row.games > 0).map(player).collect())
}

/// Returns the evaluations of an experiment, each with the seed of its training if there are
/// several. Their single scores are not stored.
fn experiment_results(
    folder: &Path,
    experiment: &Experiment,
    records: &Records,
) -> Result<Vec<PlayerResults>, Failure> {
    let mut players = Vec::new();
    for part in experiment.parts(&[]) {
        let configuration = part.configuration;
        for evaluation in configuration.evaluations(experiment) {
            let Some(done) = records.evaluation(&configuration.name, part.seed, &evaluation.name)
            else {
                continue;
            };
            let mut name = format!("{}, {}", configuration.name, evaluation.name);
            if experiment.seeds.get() > 1 {
                name += &format!(", seed {}", part.seed);
            }
            let seconds = done.seconds * done.threads as f64;
            players.push(PlayerResults {
                name,
                games: done.games,
                scores: Vec::new(),
                score: done.score,
                tiles: done.tiles.clone(),
                seconds_per_move: (done.moves > 0).then(|| seconds / done.moves as f64),
            });
        }
    }
    match players.is_empty() {
        true => Err(Failure::in_file(folder, "no evaluation of the experiment is done")),
        false => Ok(players),
    }
}

fn sorted(scores: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut scores: Vec<_> = scores.into_iter().collect();
    scores.sort_by(f64::total_cmp);
    scores
}

fn read(path: &Path) -> Result<String, Failure> {
    Ok(fs::read_to_string(path).map_err(FileError::at("read", path))?)
}
