//! The results of players, read from the files that tournaments, experiments and evaluations
//! write.

use runner_console::notes::note;
use runner_experiment::{Experiment, Records};
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
/// evaluations. Each player is named so that no other has its name: with its game if there are several,
/// and with its file if that is not enough.
pub fn results(
    files: &[PathBuf],
    registry: &Registry,
) -> Result<Vec<(PathBuf, PlayerResults)>, Failure> {
    let mut players = Vec::new();
    for file in distinct(files) {
        players.extend(of_file(file)?.into_iter().map(|player| (file.clone(), player)));
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
    let mut known = BTreeSet::new();
    let is_new = |file: &&PathBuf| {
        let real = file.canonicalize().unwrap_or_else(|_| file.to_path_buf());
        let is_new = known.insert(real);
        if !is_new {
            note(format!("note: {} is given twice; it is drawn once", file.display()));
        }
        is_new
    };
    files.iter().filter(is_new).collect()
}

fn of_file(path: &Path) -> Result<Vec<Player>, Failure> {
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
    let Evaluation { game, agent, games, threads, moves_per_second, score, tiles, scores } =
        evaluation;
    let results = PlayerResults {
        name: agent,
        games,
        scores: sorted(scores.iter().map(|game| game.score)),
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
        let (scores, seconds_per_move) = (sorted(scores), seconds_per_move.mean);
        let results = PlayerResults { name: agent, games, scores, score, tiles, seconds_per_move };
        Player { game: Some(game), results }
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
) -> Result<Vec<Player>, Failure> {
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
            let results = PlayerResults {
                name,
                games: done.games,
                scores: Vec::new(),
                score: done.score,
                tiles: done.tiles.clone(),
                seconds_per_move: (done.moves > 0).then(|| seconds / done.moves as f64),
            };
            players.push(Player { game: None, results });
        }
    }
    if players.is_empty() {
        Err(Failure::in_file(folder, "no evaluation of the experiment is done"))
    } else {
        Ok(players)
    }
}

fn sorted(scores: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut scores: Vec<_> = scores.into_iter().collect();
    scores.sort_by(f64::total_cmp);
    scores
}

fn read(path: &Path) -> Result<String, Failure> {
    Ok(runner_files::read_text(path)?)
}
