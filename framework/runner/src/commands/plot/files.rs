//! Reads the results of players from the files that tournaments, experiments and evaluations write.
//! [`results`] is for `runner plot`. The types of the files have only the fields that charts need.

use runner_console::notes::note;
use runner_experiment::{EvaluationResults, Experiment, ExperimentResults, Rate, Records};
use runner_files::read_text;
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

/// The `report.json` of a tournament, which has a row for each agent and game.
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
    /// Spec of the game that an agent played; the name is then the spec of the agent. `None` for an
    /// evaluation of an experiment, whose name is unique already.
    game: Option<String>,
    results: PlayerResults,
}

/// Reads results: of a tournament or an experiment its folder, of an evaluation its JSON document.
/// Returns each player after its file. The names of the players differ. The trainings of a
/// configuration of an experiment are one player, or with `each_seed` one each.
pub fn results(
    files: &[PathBuf],
    each_seed: bool,
    registry: &Registry,
) -> Result<Vec<(PathBuf, PlayerResults)>, Failure> {
    let mut players = Vec::new();
    for file in distinct(files) {
        for player in of_file(file, each_seed)? {
            players.push((file.clone(), player));
        }
    }
    // A name gets the game if there are several games, and the file if that is not enough.
    let games: BTreeSet<_> = players.iter().filter_map(|(_, player)| player.game.clone()).collect();
    for (_, Player { game, results }) in &mut players {
        let Some(game) = game else { continue };
        results.name = brief::player_text(&results.name, registry);
        if games.len() > 1 {
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
    let mut distinct = Vec::new();
    let mut known = BTreeSet::new();
    for file in files {
        if known.insert(file.canonicalize().unwrap_or_else(|_| file.clone())) {
            distinct.push(file);
        } else {
            note(format!("note: {} is given twice; it is drawn once", file.display()));
        }
    }
    distinct
}

fn of_file(path: &Path, each_seed: bool) -> Result<Vec<Player>, Failure> {
    if path.is_dir() {
        return match Records::of_folder(path)? {
            Some((experiment, records)) => of_experiment(path, &experiment, &records, each_seed),
            None => of_tournament(path),
        };
    }
    let text = read_text(path)?;
    let Evaluation { game, agent, games, threads, moves_per_second, score, tiles, scores } =
        serde_json::from_str(&text).map_err(|error| {
            let what = "it is no document of `eval --json`, nor the folder of a tournament";
            Failure::in_file(path, format!("{what}: {error}"))
        })?;
    let results = PlayerResults {
        name: agent,
        games,
        scores: vec![sorted(scores.iter().map(|game| game.score))],
        score,
        tiles,
        // `moves_per_second` is that of all threads together.
        seconds_per_move: moves_per_second.map(|speed| f64::from(threads) / speed),
    };
    Ok(vec![Player { game: Some(game), results }])
}

fn of_tournament(folder: &Path) -> Result<Vec<Player>, Failure> {
    let path = folder.join("report.json");
    let Tournament { rows } = serde_json::from_str(&read_text(&path)?)
        .map_err(|error| Failure::in_file(&path, format!("it is no report: {error}")))?;
    let mut scores = read_scores(&folder.join("results.jsonl"))?;
    let mut players = Vec::new();
    for Row { game, agent, games, score, tiles, seconds_per_move } in rows {
        // An agent that forfeited every game has nothing to be drawn.
        if games == 0 {
            continue;
        }
        let of_player = scores.remove(&(game.clone(), agent.clone())).unwrap_or_default();
        let results = PlayerResults {
            name: agent,
            games,
            scores: vec![sorted(of_player)],
            score,
            tiles,
            seconds_per_move: seconds_per_move.mean,
        };
        players.push(Player { game: Some(game), results });
    }
    Ok(players)
}

fn of_experiment(
    folder: &Path,
    experiment: &Experiment,
    records: &Records,
    each_seed: bool,
) -> Result<Vec<Player>, Failure> {
    let mut players = Vec::new();
    for configuration in ExperimentResults::new(experiment, records, &[], false).configurations {
        for evaluation in configuration.evaluations {
            let name = format!("{}, {}", configuration.name, evaluation.name);
            if !each_seed || evaluation.seeds.len() < 2 {
                players.extend(of_evaluation(name, &evaluation));
                continue;
            }
            for seed in &evaluation.seeds {
                let one = EvaluationResults::new(&name, vec![seed.clone()], None);
                players.extend(of_evaluation(format!("{name}, seed {}", seed.seed), &one));
            }
        }
    }
    if players.is_empty() {
        Err(Failure::in_file(folder, "no evaluation of the experiment is done"))
    } else {
        Ok(players)
    }
}

/// Returns the results of an evaluation over all its trainings; `None` if none is evaluated yet.
fn of_evaluation(name: String, evaluation: &EvaluationResults) -> Option<Player> {
    let seeds = &evaluation.seeds;
    let first = seeds.first()?;
    let name = match seeds.len() {
        1 => name,
        count => format!("{name}, {count} seeds"),
    };
    let games = seeds.iter().map(|seed| seed.games).sum();
    let moves: u64 = seeds.iter().map(|seed| seed.moves).sum();
    let thread_seconds: f64 = seeds.iter().map(|seed| seed.seconds * seed.threads as f64).sum();
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
        seconds_per_move: (moves > 0).then(|| thread_seconds / moves as f64),
    };
    Some(Player { game: None, results })
}

fn sorted(scores: impl IntoIterator<Item = f64>) -> Vec<f64> {
    let mut scores: Vec<_> = scores.into_iter().collect();
    scores.sort_by(f64::total_cmp);
    scores
}
