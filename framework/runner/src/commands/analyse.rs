//! `runner analyse`: a recorded game, move by move, in the opinion of a player.

use crate::context::{Context, Execute};
use crate::options::ResourceOptions;
use crate::positions::Analyst;
use clap::Args;
use runner_console::output::{Align, Report, Table, print_report};
use runner_core::{Fact, Spec, catch};
use runner_play::analysis::{Judged, Summary};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::luck::{Events, Luck};
use runner_play::models;
use runner_play::position::{find, open};
use runner_play::watched::WatchedGame;
use runner_records::{ReplayedMove, replay};
use runner_spec::quantity::{Count, grouped, number as quantity};
use std::path::PathBuf;

/// Number of mistakes that are listed.
const MISTAKES: usize = 10;

/// Compare the moves of a recorded game with a player's choices, and list the worst mistakes
#[derive(Debug, Clone, Default, Args)]
pub struct AnalyseOptions {
    /// File of recorded games
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Player that judges: an agent, or a value, which is played greedily, or the file of a model
    #[arg(long, value_name = "SPEC", value_parser = models::player)]
    agent: Option<Spec>,
    /// Number of the recorded game, counted from 0 [default: the lowest]
    #[arg(long, value_name = "N")]
    game_number: Option<Count>,
    #[command(flatten)]
    resources: ResourceOptions,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for AnalyseOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let registry = context.registry();
        let file = self.file.as_deref().ok_or_else(|| {
            Failure::usage("name a file of recorded games; `runner eval --records FILE` makes one")
        })?;
        let (reader, game) = open(file, registry)?;
        let analyst = Analyst::new(game, self.agent.as_ref(), &self.resources, context)?;
        let Analyst { game, named, .. } = &analyst;
        let number = self.game_number.map(Count::get);
        let record = find(reader, file, number)?;
        let moves: Result<Vec<ReplayedMove>, _> = catch(|| {
            let rules = WatchedGame::of(game);
            let moves = replay(&rules, &record);
            moves.collect::<Result<_, _>>()
        })?;
        let moves: Vec<_> =
            moves.map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
        let chance: Vec<_> = moves.iter().map(|made| (made.afterstate, made.next)).collect();
        let moves: Vec<_> = moves.iter().map(|made| (made.state, made.action)).collect();
        let positions: Vec<_> = moves.iter().map(|made| made.0).collect();
        let analyses = analyst.analyse(&positions, "moves")?;
        let moves = catch(|| Judged::all(game, &moves, &analyses))?;
        let luck = catch(|| {
            let rules = WatchedGame::of(game);
            let mut events = Events::new(Luck::of_player(game, named)?, &rules);
            events.measure(&rules, record.start, chance.iter().copied(), None);
            events.summary(chance.len())
        })?;
        let unit = analyses.iter().flat_map(|one| &one.facts).find(|(name, _)| name == "unit");
        let advice = format!(
            "{} gives no values of moves, so no loss is known, and the moves that are not its choice \
             are listed in the order of the game; for losses, judge with a value or a search, such as \
             --agent '{}'",
            named.spec.name(),
            (context.linked.strong_agent)(&game.spec.to_string()).0
        );
        let title = format!(
            "game {} of {}, {} points, judged by {}",
            record.number,
            brief::game(&game.spec, registry),
            quantity(record.score),
            brief::player(&named.spec, registry)
        );
        let summary = Summary::of(&moves, MISTAKES);
        let mut report = Report::default();
        report.field("game", game.spec.to_string()).field("agent", named.spec.to_string());
        report.field("number", record.number).field("score", record.score);
        report.field("matches", summary.matches).field("mean_loss", summary.mean_loss);
        report.field("worst", &summary.worst).field("moves", &moves);
        if let Some(luck) = &luck {
            report.field("luck", luck);
        }
        let mut facts = facts(&summary, moves.len() as u64, unit);
        if let Some(luck) = luck {
            facts.row(["luck", &luck.to_string()]);
        }
        report.line(title).section().table(facts);
        if summary.mean_loss.is_none() && !moves.is_empty() {
            report.section().line(advice);
        }
        if !summary.worst.is_empty() {
            report.section().table(mistake_table(&summary, &moves));
        }
        Ok(print_report(&report, self.json)?)
    }
}

fn facts(summary: &Summary, moves: u64, unit: Option<&(String, Fact)>) -> Table {
    let mut facts = Table::of_pairs();
    facts.row(["moves", &grouped(moves)]);
    if moves > 0 {
        let share = 100.0 * summary.matches as f64 / moves as f64;
        facts.row(["matches", &format!("{} ({share:.1}%)", grouped(summary.matches))]);
    }
    if let Some(mean) = summary.mean_loss {
        facts.row(["mean loss", &quantity(mean)]);
        if let Some((_, Fact::Text(unit))) = unit {
            facts.row(["unit of losses", unit]);
        }
    }
    facts
}

/// Returns the worst mistakes, without a column of losses if no loss is known.
fn mistake_table(summary: &Summary, moves: &[Judged]) -> Table {
    let has_losses = summary.mean_loss.is_some();
    let cells = |[number, made, best, loss, position]: [String; 5]| {
        [number, made, best].into_iter().chain(has_losses.then_some(loss)).chain([position])
    };
    let loss = has_losses.then_some(Align::Right);
    let columns = [Align::Right, Align::Left, Align::Left].into_iter().chain(loss);
    let mut table = Table::new(&columns.chain([Align::Left]).collect::<Vec<_>>());
    table.row(cells(["move", "made", "best", "loss", "position"].map(str::to_owned)));
    for &number in &summary.worst {
        let made = &moves[number as usize - 1];
        let loss = made.loss.map_or(String::new(), |loss| quantity(f64::from(loss)));
        let best = made.best.clone().unwrap_or_else(|| "stop".into());
        let (action, state) = (made.action.clone(), made.state.clone());
        table.row(cells([grouped(number), action, best, loss, state]));
    }
    table
}
