//! The result of `runner train`.

use runner_console::output::{Report, mean_with_interval};
use runner_core::TrainingProgress;
use runner_play::models::size;
use runner_play::setting::Setting;
use runner_spec::quantity::{counted, grouped, number, rate, time};
use runner_training::{Evaluated, FinishedTraining, finite_series};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;

/// The last games of a training.
#[derive(Serialize)]
struct Last {
    episodes: u64,
    mean: Option<f64>,
    max_tile: u64,
    /// Figures of the learner by name.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    series: BTreeMap<String, f64>,
}

/// The totals of all trainings of a learner.
#[derive(Serialize)]
struct Total {
    moves: u64,
    episodes: u64,
    seconds: f64,
}

/// Returns the result of a training that was saved as a model.
pub fn report(setting: &Setting, model: &Path, trained: &FinishedTraining) -> Report {
    let FinishedTraining { before, now, evaluated, curve, interrupted } = trained;
    let done = now.since(before);
    let seconds = done.elapsed.as_secs_f64();
    let speed = (seconds > 0.0).then(|| done.moves as f64 / seconds);
    let last = Last {
        episodes: now.window,
        mean: (now.window > 0).then_some(now.mean).filter(|mean| mean.is_finite()),
        max_tile: now.max_tile(),
        series: finite_series(now),
    };
    let seconds_in_total = now.elapsed.as_secs_f64();
    let total = Total { moves: now.moves, episodes: now.episodes, seconds: seconds_in_total };
    let learner = setting.player.spec.to_string();
    let mut report = Report::default();
    report.field("game", setting.game.spec.to_string()).field("agent", &learner);
    report.field("seed", setting.seed).field("moves", done.moves).field("episodes", done.episodes);
    report.field("seconds", seconds).field("moves_per_second", speed).field("model", model);
    report.field("curve", curve.path()).field("last", &last);
    report.field("total", total).field("evaluations", evaluated);
    report.field("interrupted", interrupted).field("threads", setting.threads.count());
    let (player, game) = (setting.brief_player(), setting.brief_game());
    report.line(format!("{player} trained on {game}, seed {}", setting.seed.0));
    let threads = counted(setting.threads.count() as u64, "thread");
    let speed = speed.map_or(String::new(), |speed| format!(", {}", rate(speed)));
    report.line(format!(
        "{} on {threads}{speed}",
        effort(&done, &format!(" and {}", time(done.elapsed)))
    ));
    if now.moves > done.moves {
        report.line(format!("{} in total", effort(now, "")));
    }
    report.section().line(last_games(&last));
    for (name, figure) in &last.series {
        report.line(format!("{name} {}", number(*figure)));
    }
    for Evaluated { games, mean, ci95, agent, .. } in evaluated {
        // The learner plays without a search.
        let who = if *agent == learner { "without search" } else { agent };
        let mean = mean_with_interval(*mean, *ci95, *games);
        let games = counted(*games, "game");
        report.line(format!("evaluation, {who}, {games}: {mean}"));
    }
    report.section().whole_line(format!("model: {}, {}", model.display(), size(model)));
    report.whole_line(format!("curve: {}", curve.path().display()));
    report
}

/// Says how many moves and games were played.
fn effort(done: &TrainingProgress, more: &str) -> String {
    format!("{} in {}{more}", counted(done.moves, "move"), counted(done.episodes, "game"))
}

fn last_games(last: &Last) -> String {
    let mut line = match last.mean {
        Some(mean) => {
            let games = counted(last.episodes, "game");
            format!("mean score of the last {games} {}", number(mean))
        }
        None => "no game was finished".into(),
    };
    if last.max_tile > 0 {
        line += &format!(", max tile {}", grouped(last.max_tile));
    }
    line
}
