//! `runner analyse`: a recorded game, move by move, in the opinion of a player.

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
use runner_spec::quantity::{Count, grouped, number as quantity};
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
        let game = played.game.clone();
        let analyst = Analyst::new(game, self.agent.as_ref(), &self.resources, context)?;
        let Analyst { game, named, .. } = &analyst;
        let analyses = analyst.analyse(&played.positions(), "moves")?;
        let review = GameReview::new(&played, named, &analyses, registry)?;
        let GameReview { summary, moves, .. } = &review;
        let unit = analyses.iter().flat_map(|one| &one.facts).find(|(name, _)| name == "unit");
        let advice = format!(
            "{} gives no values of moves, so no loss is known, and the moves that are not its choice \
             are listed in the order of the game; for losses, judge with a value or a search, such as \
             --agent '{}'",
            named.spec.name(),
            (context.linked.strong_agent)(&game.spec.to_string()).0
        );
        let title = format!(
            "{} of {}, {} points, judged by {}",
            review.number.map_or_else(|| "a game".to_owned(), |number| format!("game {number}")),
            brief::game(&game.spec, registry),
            quantity(review.score),
            brief::player(&named.spec, registry)
        );
        let mut report = Report::of(&review);
        let mut facts = facts(summary, moves.len() as u64, unit);
        if let Some(luck) = &review.luck {
            facts.row(["luck", &luck.to_string()]);
        }
        report.line(title).section().table(facts);
        if summary.mean_loss.is_none() && !moves.is_empty() {
            report.section().line(advice);
        }
        if !summary.worst.is_empty() {
            report.section().table(mistake_table(summary, moves));
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
    if let Some(accuracy) = summary.accuracy {
        facts.row(["accuracy", &format!("{accuracy:.1}%")]);
        for grade in [Grade::Good, Grade::Inaccuracy, Grade::Mistake, Grade::Blunder] {
            let number = summary.grades.get(&grade).copied().unwrap_or(0);
            let share = 100.0 * number as f64 / moves as f64;
            facts.row([grade.plural(), &format!("{} ({share:.1}%)", grouped(number))]);
        }
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
    let has_grades = summary.accuracy.is_some();
    let cells = |[number, made, best, loss, grade, position]: [String; 6]| {
        let (loss, grade) = (has_losses.then_some(loss), has_grades.then_some(grade));
        [number, made, best].into_iter().chain(loss).chain(grade).chain([position])
    };
    let loss = has_losses.then_some(Align::Right);
    let grade = has_grades.then_some(Align::Left);
    let columns = [Align::Right, Align::Left, Align::Left].into_iter().chain(loss).chain(grade);
    let mut table = Table::new(&columns.chain([Align::Left]).collect::<Vec<_>>());
    table.row(cells(["move", "made", "best", "loss", "grade", "position"].map(str::to_owned)));
    for &number in &summary.worst {
        let made = &moves[number as usize - 1];
        let loss = made.loss.map_or(String::new(), |loss| quantity(f64::from(loss)));
        let best = made.best.clone().unwrap_or_else(|| "stop".into());
        let (action, state) = (made.action.clone(), made.state.clone());
        let grade = made.graded.map_or(String::new(), |graded| graded.grade.name().into());
        table.row(cells([grouped(number), action, best, loss, grade, state]));
    }
    table
}
