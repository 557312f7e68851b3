//! `runner analyse`: a player judges each move of a recorded game.

use crate::context::{Context, Execute};
use crate::options::{ResourceOptions, game_or_default};
use crate::positions::Analyst;
use clap::Args;
use runner_console::output::{Align, Report, Table, print_report};
use runner_core::{Fact, Spec};
use runner_play::analysis::{Judged, Summary};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::grades::Grade;
use runner_play::models;
use runner_play::review::{GameReview, PlayedGame};
use runner_spec::quantity::{self, Count, grouped};
use std::path::PathBuf;

/// Compare the moves of a recorded game with a player's choices, and list the worst mistakes
#[derive(Debug, Clone, Default, Args)]
pub struct AnalyseOptions {
    /// File of recorded games, or a game as text: on each line a position, or a move and a tile
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Game of a file of text [default: 2048]
    #[arg(long, value_name = "SPEC")]
    game: Option<Spec>,
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
        let default_game = || game_or_default(None, [], &context.linked);
        let number = self.game_number.map(Count::get);
        let played = PlayedGame::open(file, number, self.game.as_ref(), default_game, registry)?;
        let agent = self.agent.as_ref();
        let analyst = Analyst::new(played.game.clone(), agent, &self.resources, context)?;
        let (game, player) = (&played.game.spec, &analyst.named.spec);
        let analyses = analyst.analyse(&played.positions(), "moves")?;
        let review = GameReview::new(&played, &analyst.named, &analyses, registry)?;
        let GameReview { summary, moves, .. } = &review;
        // Some players name the unit of their values in a fact.
        let mut all_facts = analyses.iter().flat_map(|analysis| &analysis.facts);
        let unit = match all_facts.find(|(name, _)| name == "unit") {
            Some((_, Fact::Text(unit))) => Some(unit.as_str()),
            _ => None,
        };
        let mut table = summary_table(summary, moves.len() as u64, unit);
        if let Some(luck) = &review.luck {
            table.row(["luck", &luck.to_string()]);
        }
        let mut report = Report::of(&review);
        report.line(format!(
            "{} of {}, {} points, judged by {}",
            review.number.map_or_else(|| "a game".to_owned(), |number| format!("game {number}")),
            brief::game(game, registry),
            quantity::number(review.score),
            brief::player(player, registry)
        ));
        report.section().table(table);
        if summary.mean_loss.is_none() && !moves.is_empty() {
            report.section().line(format!(
                "{} gives no values of moves, so no loss is known, and the moves that are not its \
                 choice are listed in the order of the game; for losses, judge with a value or a \
                 search, such as --agent '{}'",
                player.name(),
                (context.linked.strong_agent)(&game.to_string()).0
            ));
        }
        if !summary.worst.is_empty() {
            report.section().table(mistake_table(summary, moves));
        }
        Ok(print_report(&report, self.json)?)
    }
}

/// `unit` is that of losses.
fn summary_table(summary: &Summary, moves: u64, unit: Option<&str>) -> Table {
    let with_share = |number: u64| {
        let share = 100.0 * number as f64 / moves as f64;
        format!("{} ({share:.1}%)", grouped(number))
    };
    let mut table = Table::of_pairs();
    table.row(["moves", &grouped(moves)]);
    if moves > 0 {
        table.row(["matches", &with_share(summary.matches)]);
    }
    if let Some(accuracy) = summary.accuracy {
        table.row(["accuracy", &format!("{accuracy:.1}%")]);
        for grade in [Grade::Good, Grade::Inaccuracy, Grade::Mistake, Grade::Blunder] {
            let number = summary.grades.get(&grade).copied().unwrap_or(0);
            table.row([grade.plural(), &with_share(number)]);
        }
    }
    if let Some(mean) = summary.mean_loss {
        table.row(["mean loss", &quantity::number(mean)]);
        if let Some(unit) = unit {
            table.row(["unit of losses", unit]);
        }
    }
    table
}

/// Returns the worst mistakes, without a column of losses or grades if none is known.
fn mistake_table(summary: &Summary, moves: &[Judged]) -> Table {
    let has_losses = summary.mean_loss.is_some();
    let has_grades = summary.accuracy.is_some();
    let mut columns = vec![("move", Align::Right), ("made", Align::Left), ("best", Align::Left)];
    if has_losses {
        columns.push(("loss", Align::Right));
    }
    if has_grades {
        columns.push(("grade", Align::Left));
    }
    columns.push(("position", Align::Left));
    let (names, aligns): (Vec<_>, Vec<_>) = columns.into_iter().unzip();
    let mut table = Table::new(&aligns);
    table.row(names);
    for &number in &summary.worst {
        let Judged { action, best, loss, graded, state, .. } = &moves[number as usize - 1];
        let best = best.as_deref().unwrap_or("stop");
        // In the order of the columns.
        let mut cells = vec![grouped(number), action.clone(), best.to_owned()];
        if has_losses {
            cells.push(loss.map_or(String::new(), |loss| quantity::number(f64::from(loss))));
        }
        if has_grades {
            cells.push(graded.map_or(String::new(), |graded| graded.grade.name().into()));
        }
        cells.push(state.clone());
        table.row(cells);
    }
    table
}
