//! `runner analyse`: a recorded game, move by move, in the opinion of a player.

use crate::context::{Context, Execute};
use crate::options::{ResourceOptions, game_or_default};
use crate::positions::Analyst;
use clap::Args;
use runner_console::output::{Align, Report, Table, print_report};
use runner_core::{Fact, Spec, Start, catch};
use runner_play::analysis::{Judged, Made, Summary};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::grades::Grade;
use runner_play::luck::{Events, Luck};
use runner_play::models;
use runner_play::position::{find, open};
use runner_play::registry::{LoadedGame, Registry};
use runner_play::watched::WatchedGame;
use runner_play::written::{self, WrittenGame};
use runner_records::{ReadErrorKind, RecordError, RecordReader, ReplayedMove, replay};
use runner_spec::quantity::{Count, grouped, number as quantity};
use std::path::{Path, PathBuf};

/// Number of mistakes that are listed.
const MISTAKES: usize = 10;

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
        let played = match RecordReader::open(file) {
            Err(RecordError { problem: ReadErrorKind::Foreign, .. }) => {
                self.written(file, context)?
            }
            _ => self.recorded(file, registry)?,
        };
        let Played { game, number, first, moves } = played;
        let analyst = Analyst::new(game, self.agent.as_ref(), &self.resources, context)?;
        let Analyst { game, named, .. } = &analyst;
        let chance: Vec<_> = moves.iter().map(|made| (made.afterstate, made.next)).collect();
        let mut score = first.score;
        let mut made = Vec::with_capacity(moves.len());
        for ReplayedMove { state, action, reward, chance_reward, .. } in moves {
            made.push(Made { state, action, score });
            score += f64::from(reward) + f64::from(chance_reward);
        }
        let positions: Vec<_> = made.iter().map(|made| made.state).collect();
        let analyses = analyst.analyse(&positions, "moves")?;
        let moves = catch(|| Judged::all(game, &made, &analyses))?;
        let luck = catch(|| {
            let rules = WatchedGame::of(game);
            let mut events = Events::new(Luck::of_player(game, named)?, &rules);
            events.measure(&rules, first.state, chance.iter().copied(), None);
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
            "{} of {}, {} points, judged by {}",
            number.map_or_else(|| "a game".to_owned(), |number| format!("game {number}")),
            brief::game(&game.spec, registry),
            quantity(score),
            brief::player(&named.spec, registry)
        );
        let summary = Summary::of(&moves, MISTAKES);
        let mut report = Report::default();
        report.field("game", game.spec.to_string()).field("agent", named.spec.to_string());
        report.field("number", number).field("score", score);
        report.field("matches", summary.matches).field("mean_loss", summary.mean_loss);
        report.field("accuracy", summary.accuracy).field("grades", &summary.grades);
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

/// The game that is analysed.
struct Played {
    game: LoadedGame,
    /// Its number in a file of recorded games.
    number: Option<u64>,
    first: Start,
    moves: Vec<ReplayedMove>,
}

impl AnalyseOptions {
    fn recorded(&self, file: &Path, registry: &Registry) -> Result<Played, Failure> {
        if self.game.is_some() {
            return Err(Failure::usage(
                "--game is for games as text: a file of records names its game",
            ));
        }
        let (reader, game) = open(file, registry)?;
        let record = find(reader, file, self.game_number.map(Count::get))?;
        let rules = WatchedGame::of(&game);
        let moves: Result<Vec<_>, _> = catch(|| replay(&rules, &record).collect())?;
        let moves =
            moves.map_err(|error| Failure::failed(format!("{}: {error}", file.display())))?;
        let first = catch(|| record.first(&rules))?;
        Ok(Played { number: Some(record.number), first, moves, game })
    }

    fn written(&self, file: &Path, context: &Context) -> Result<Played, Failure> {
        let registry = context.registry();
        let game = registry.game(&game_or_default(self.game.as_ref(), [], &context.linked)?)?;
        let text = runner_files::read_text(file)?;
        let WrittenGame { start, moves } =
            written::read(&game, &text, &file.display().to_string(), registry)?;
        let first = catch(|| Start::new(&WatchedGame::of(&game), start))?;
        Ok(Played { number: None, first, moves, game })
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
