//! `runner compare`: a sequential test of two players.

use crate::context::{Context, Execute};
use crate::notes::{note_models, while_loading};
use crate::options::ResourceOptions;
use clap::Args;
use runner_console::interrupt;
use runner_console::notes::note;
use runner_console::output::{Report, Table, mean_with_interval, print_report};
use runner_console::progress::ProgressLine;
use runner_core::{Random, Seed, Spec};
use runner_play::arena::Cell;
use runner_play::brief;
use runner_play::comparison::{Compared, Forfeited, Progress, compare};
use runner_play::evaluation::Limits;
use runner_play::failure::{Failure, attributed};
use runner_play::models::{self, progress};
use runner_play::player::NamedPlayer;
use runner_play::threads::Threads;
use runner_spec::quantity::{Count, brief_percent, counted, grouped, number};
use runner_stats::{BATCH, Comparison, Verdict};
use serde::Serialize;
use std::str::FromStr;

/// Play two players until it is known who scores more
///
/// The games stop as soon as the answer is known: A scores more, B does, or their mean scores
/// differ by less than --margin. Each answer is wrong with a probability of at most 5%, however
/// early it comes.
#[derive(Debug, Clone, Args)]
pub struct CompareOptions {
    /// Game, like threes or '2048(rows: 3, cols: 4)'
    #[arg(long, value_name = "SPEC")]
    game: Spec,
    /// First player: an agent, or a value, which is played greedily
    #[arg(long, value_name = "SPEC", value_parser = models::player)]
    a: Spec,
    /// Second player
    #[arg(long, value_name = "SPEC", value_parser = models::player)]
    b: Spec,
    /// Difference that does not matter, as a share of the mean of B, 0.001% to 99% [default: 2%]
    #[arg(long, value_name = "X%")]
    margin: Option<Margin>,
    /// Maximum number of games of each player, in batches of 8 [default: 100k]
    #[arg(long, value_name = "N")]
    games: Option<Count<BATCH>>,
    #[command(flatten)]
    resources: ResourceOptions,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

/// A share such as `2%` or `0.02`, from [`LEAST`](Self::LEAST) to [`MOST`](Self::MOST).
#[derive(Clone, Copy, Debug)]
struct Margin(f64);

impl Margin {
    /// Smallest margin: a smaller one would take more than billions of games.
    const LEAST: f64 = 1e-5;
    const MOST: f64 = 0.99;
}

impl FromStr for Margin {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let share = match text.trim().strip_suffix('%') {
            Some(percent) => percent.trim().parse().map(|percent: f64| percent / 100.0),
            None => text.trim().parse(),
        };
        match share {
            Ok(share) if (Self::LEAST..=Self::MOST).contains(&share) => Ok(Self(share)),
            _ => {
                let [least, most] = [Self::LEAST, Self::MOST].map(brief_percent);
                Err(format!("must be a share of {least} to {most}, like 2% or 0.02"))
            }
        }
    }
}

const MARGIN: f64 = 0.02;
const GAMES: u64 = 100_000;

impl Execute for CompareOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let registry = context.registry();
        let threads = Threads::new(self.resources.threads())?;
        let game = registry.game(&self.game)?;
        let mut specs = Vec::new();
        let mut trained = Vec::new();
        let mut briefs = Vec::new();
        let mut cell = |player: &Spec, stream: u64| -> Result<Cell, Failure> {
            let player =
                while_loading(player, || NamedPlayer::trained(registry, player, &game, &threads))?;
            note_models(&player.spec, registry);
            specs.push(player.spec.to_string());
            trained.push(player.learner().map(progress).transpose()?.map(|model| model.moves));
            briefs.push(brief::player(&player.spec, registry).to_string());
            // Both draw from different streams: common ones reduce no variance. 53 bits, which
            // every reader of JSON keeps.
            let seed = Random::stream(self.resources.seed(), stream).word() >> 11;
            Ok(Cell::new(&game, player, Seed(seed), Limits::default()))
        };
        let cells = match (cell(&self.a, 0), cell(&self.b, 1)) {
            (Ok(a), Ok(b)) => [a, b],
            (a, b) => {
                let failures = [("--a", a.err()), ("--b", b.err())].into_iter();
                let wrong = failures.filter_map(|(flag, failure)| Some((flag.into(), failure?)));
                return Failure::refuse(wrong.collect());
            }
        };
        if let [Some(a), Some(b)] = trained[..] {
            note_training(a, b);
        }
        let margin = self.margin.map_or(MARGIN, |Margin(margin)| margin);
        let most = self.games.map_or(GAMES, Count::get);
        let mut line = ProgressLine::new(true);
        let mut watch = |progress: &Progress| {
            if let Some(pilot) = &progress.pilot {
                note(effort(pilot, margin, most));
            }
            if line.is_due() && progress.games > 0 {
                line.show(&progress.to_string());
            }
        };
        let compared = compare(&cells, &threads, margin, most, interrupt::listen(), &mut watch)?;
        drop(line);
        if let Some(Forfeited { player, number, fault }) = &compared.forfeited {
            let (cell, name) = (&cells[*player], ["A", "B"][*player]);
            return Err(Failure::failed(format!(
                "game {number} of {name} (seed {seed}) ended in a fault, and has no score: {}; \
                 `runner eval` of {name} with `--seed {seed} --games {}` plays it again as its last \
                 game, and `runner tournament` counts such games as forfeited",
                attributed(&fault.0, &[&cell.game.label, &cell.label]),
                number + 1,
                seed = cell.seed.0,
            )));
        }
        let title = format!(
            "A {} against B {} in {}",
            briefs[0],
            briefs[1],
            brief::game(&game.spec, registry)
        );
        let [a, b] = [specs.remove(0), specs.remove(0)];
        let texts = [title, game.spec.to_string(), a, b];
        let stopped = if compared.interrupted {
            "the comparison was interrupted".to_owned()
        } else {
            effort(&compared.comparison, margin, most)
        };
        let seed = self.resources.seed();
        print_report(&report(&compared, texts, margin, seed, &stopped), self.json)?;
        if compared.interrupted {
            return Err(Failure::Interrupted(
                "the answer is not known yet; the same command plays on from the start".into(),
            ));
        }
        Ok(())
    }
}

/// Notes that two models were trained for very different numbers of moves.
fn note_training(a: u64, b: u64) {
    if a.max(b) / 2 > a.min(b) {
        note(format!(
            "note: A was trained for {} moves and B for {}; a difference may be that of the \
             training time",
            grouped(a),
            grouped(b)
        ));
    }
}

/// Says how many games an answer is likely to take, and whether --games allows them.
fn effort(comparison: &Comparison, margin: f64, most: u64) -> String {
    let games = |share: f64| Some(comparison.expected(share)?.saturating_mul(BATCH));
    // Half the margin is the hardest to tell from both.
    let needed = games(margin / 2.0).unwrap_or(u64::MAX);
    let about = if needed == u64::MAX { "more than can be said".into() } else { grouped(needed) };
    let mut text = format!(
        "an answer for a margin of {} takes at most about {about} games of each player",
        brief_percent(margin)
    );
    // A larger share than all of the score is no difference that players have.
    let tenfold = 10.0 * margin;
    if let Some(games) = games(tenfold).filter(|_| tenfold < 1.0) {
        text += &format!(", and {} if they differ by {}", grouped(games), brief_percent(tenfold));
    }
    if needed > most {
        text += &format!("; --games stops at {}", grouped(most));
    }
    text
}

/// Returns the result of a comparison of these game and players, with a title for people. `stopped` says why
/// there is no answer.
fn report(
    compared: &Compared,
    [title, game, a, b]: [String; 4],
    margin: f64,
    seed: Seed,
    stopped: &str,
) -> Report {
    let comparison = &compared.comparison;
    let (difference, verdict) = (comparison.difference(), comparison.verdict());
    let (mean_of_b, interval) = (comparison.mean_of_b(), comparison.interval());
    let mean_of_a = mean_of_b + difference;
    let mut report = Report::default();
    report.field("a", a).field("b", b).field("game", game).field("seed", seed);
    report.field("games", compared.games).field("mean_of_a", mean_of_a);
    report.field("mean_of_b", mean_of_b).field("margin", margin);
    report.field("difference", Difference { mean: difference, ci95: interval });
    report.field("verdict", verdict);
    report.line(title);
    report.line(format!("{} of each, seed {}", counted(compared.games, "game"), seed.0));
    let difference = mean_with_interval(Some(difference), interval, compared.games);
    let mut table = Table::of_pairs().indented("  ");
    table.row(["mean score of A", &number(mean_of_a)]);
    table.row(["mean score of B", &number(mean_of_b)]);
    table.row(["A - B", &difference]);
    report.section().table(table);
    let margin = brief_percent(margin);
    report.section().line(match verdict {
        Verdict::A => "A scores more: accepted that its mean is larger.".into(),
        Verdict::B => "B scores more: accepted that its mean is larger.".into(),
        Verdict::Equal => format!("Accepted that the means differ by less than {margin}."),
        Verdict::Undecided => format!(
            "Undecided: neither is a difference known, nor that it is less than {margin}; {stopped}."
        ),
    });
    report
}

#[derive(Serialize)]
struct Difference {
    mean: f64,
    ci95: Option<[f64; 2]>,
}
