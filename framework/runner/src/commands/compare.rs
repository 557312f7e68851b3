//! `runner compare`: a sequential test of two players.

use crate::context::{Context, Execute};
use crate::evaluate::saving_text;
use crate::notes::{note_models, while_loading};
use crate::options::{KeepOptions, ResourceOptions, game_or_default};
use crate::positions::read_starts;
use clap::Args;
use runner_console::interrupt;
use runner_console::notes::note;
use runner_console::output::{Report, Table, mean_with_interval, print_report};
use runner_console::progress::ProgressLine;
use runner_core::Spec;
use runner_play::brief;
use runner_play::comparison::{
    Compared, Margin, Opponents, Progress, Terms, check_players, check_tile, load_players,
};
use runner_play::failure::Failure;
use runner_play::models::{self, progress};
use runner_play::player::NamedPlayer;
use runner_play::registry::{LoadedGame, Registry};
use runner_play::threads::Threads;
use runner_spec::quantity::{Count, brief_percent, counted, grouped, number};
use runner_stats::{BATCH, Comparison, Verdict};
use std::path::PathBuf;
use std::sync::Arc;

/// Play two players until it is known who scores more
///
/// The games stop as soon as the answer is known: A scores more, B does, or their mean scores
/// differ by less than --margin. Each answer is wrong with a probability of at most 5%, however
/// early it comes.
#[derive(Debug, Clone, Args)]
pub struct CompareOptions {
    /// Game, like threes or '2048(rows: 3, cols: 4)' [default: that of A's model, or else of B's,
    /// or else 2048]
    #[arg(long, value_name = "SPEC")]
    game: Option<Spec>,
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
    /// Compare the rates at which the players reach this tile instead of their scores
    #[arg(long, value_name = "TILE", conflicts_with = "luck")]
    tile: Option<Count>,
    /// File with a position on each line: each game begins at one of them, drawn at random, with a
    /// score of 0
    #[arg(long, value_name = "FILE")]
    starts: Option<PathBuf>,
    /// Take the luck of each game off its score, as this value of the game measures it: fewer games
    /// suffice
    #[arg(long, value_name = "SPEC", value_parser = models::player)]
    luck: Option<Spec>,
    #[command(flatten)]
    keep: KeepOptions,
    /// Overwrite a file of games that exists
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    resources: ResourceOptions,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for CompareOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        if self.keep.resume && self.keep.out.is_none() {
            return Err(Failure::usage("--resume needs --out, the file that it continues"));
        }
        let registry = context.registry();
        check_players([("--a", &self.a), ("--b", &self.b)], registry)?;
        let threads = Threads::new(self.resources.threads())?;
        let spec = game_or_default(self.game.as_ref(), [&self.a, &self.b], &context.linked)?;
        let game = registry.game(&spec)?;
        let tile = self.tile.map(Count::get);
        if let Some(tile) = tile {
            check_tile(tile, &game).map_err(|wrong| wrong.of("--tile"))?;
        }
        let players = self.load(&game, &threads, registry)?;
        let starts = match &self.starts {
            Some(file) => read_starts(file, &game, registry)?,
            None => Vec::new(),
        };
        let (luck, seed) = (self.luck.as_ref(), self.resources.seed());
        let opponents = Opponents::new(&game, players, &starts, luck, seed, &threads, registry)
            .map_err(|failure| failure.of("--luck"))?;
        let margin = self.margin.unwrap_or(Margin::DEFAULT).get();
        let most = self.games.map_or(Terms::GAMES, Count::get);
        let job = opponents.job(margin, tile, self.starts.as_ref());
        let kept = self.keep.open(self.force, &job, context)?;
        let terms = Terms { margin, most, tile, kept: kept.as_ref() };
        let compared = play(&opponents, &threads, &terms)?;
        print_report(&report(&opponents, &compared, &terms, registry), self.json)?;
        if compared.interrupted {
            let command = self.keep.how_to_continue(self.keep.out.as_ref(), &context.typed);
            let advice = command.unwrap_or("the same command plays on from the start".into());
            return Err(Failure::Interrupted(format!("the answer is not known yet; {advice}")));
        }
        match compared.comparison.verdict() {
            Verdict::Undecided => Err(Failure::Undecided),
            Verdict::A | Verdict::B | Verdict::Equal => Ok(()),
        }
    }
}

impl CompareOptions {
    /// Loads both players, or says what is wrong with each. Notes very different training times.
    fn load(
        &self,
        game: &LoadedGame,
        threads: &Threads,
        registry: &Arc<Registry>,
    ) -> Result<[NamedPlayer; 2], Failure> {
        let players = load_players([("--a", &self.a), ("--b", &self.b)], |spec| {
            while_loading(spec, || NamedPlayer::trained(registry, spec, game, threads))
        })?;
        players.iter().for_each(|player| note_models(&player.spec, registry));
        let trained = |player: &NamedPlayer| player.learner().map(progress).transpose();
        if let [Some(a), Some(b)] = [trained(&players[0])?, trained(&players[1])?]
            && a.moves.max(b.moves) / 2 > a.moves.min(b.moves)
        {
            note(format!(
                "note: A was trained for {} moves and B for {}; a difference may be that of the \
                 training time",
                grouped(a.moves),
                grouped(b.moves)
            ));
        }
        Ok(players)
    }
}

/// Plays until the answer is known, with a progress line.
fn play(opponents: &Opponents, threads: &Threads, terms: &Terms<'_>) -> Result<Compared, Failure> {
    let mut line = ProgressLine::new(true);
    let mut watch = |progress: &Progress| {
        // The first games show how many the answer is likely to take.
        if let Some(pilot) = &progress.pilot {
            note(effort(pilot, terms.margin, terms.most));
        }
        if line.is_due() && progress.games > 0 {
            line.show(&progress.to_string());
        }
    };
    opponents.compare(threads, terms, interrupt::listen(), &mut watch)
}

/// Says how many games an answer is likely to take, and whether --games allows them.
fn effort(comparison: &Comparison, margin: f64, most: u64) -> String {
    // The games until the answer is known, if the means differ by this share of the mean of B.
    let expected = |share: f64| Some(comparison.expected(share)?.saturating_mul(BATCH));
    // A difference of half the margin takes longest: it is as far from 0 as from the margin.
    let needed = expected(margin / 2.0).filter(|&games| games < u64::MAX);
    let mut text = format!("an answer for a margin of {} takes ", brief_percent(margin));
    text += &match needed {
        Some(games) => format!("at most about {} games of each player", about(games)),
        None => "more games of each player than can be said".into(),
    };
    // For comparison: a larger difference is found sooner. It must be less than the whole score.
    let tenfold = 10.0 * margin;
    if tenfold < 1.0
        && let Some(games) = expected(tenfold)
    {
        text += &format!(", and {} if they differ by {}", about(games), brief_percent(tenfold));
    }
    if needed.is_none_or(|games| games > most) {
        text += &format!("; --games stops at {}", grouped(most));
    }
    text
}

/// Formats an estimated number of games, rounded to two digits.
fn about(games: u64) -> String {
    let unit = 10_u64.pow(games.checked_ilog10().unwrap_or(0).saturating_sub(1));
    grouped(games.saturating_add(unit / 2) / unit * unit)
}

fn report(
    opponents: &Opponents,
    compared: &Compared,
    terms: &Terms<'_>,
    registry: &Registry,
) -> Report {
    let result = opponents.result(compared, terms);
    let luck = opponents.luck.as_ref().map(|luck| &luck.spec);
    let mut report = Report::of(&result);
    let [a, b] = opponents.specs.each_ref().map(|spec| brief::player(spec, registry));
    let game = brief::game(&opponents.game.spec, registry);
    report.line(format!("A {a} against B {b} in {game}"));
    report.line(format!("{} of each, seed {}", counted(result.games, "game"), result.seed.0));
    let figure = if let Some(tile) = result.tile {
        format!("rate of {}", grouped(tile))
    } else if luck.is_some() {
        "mean less luck".into()
    } else {
        "mean score".into()
    };
    let (difference, interval) = (Some(result.difference.mean), result.difference.ci95);
    let mut table = Table::of_pairs().indented("  ");
    table.row([&format!("{figure} of A"), &number(result.mean_of_a)]);
    table.row([&format!("{figure} of B"), &number(result.mean_of_b)]);
    table.row(["A - B", &mean_with_interval(difference, interval, result.games)]);
    report.section().table(table);
    if let (Some(luck), Some(taken)) = (luck, &result.luck) {
        report.section().line(format!("luck by {}{}", luck.name(), saving_text(taken.saving)));
    }
    let margin = brief_percent(result.margin);
    let (wins, mean) = match result.tile {
        Some(tile) => (format!("reaches {} more often", grouped(tile)), "rate"),
        None => ("scores more".into(), "mean"),
    };
    report.section().line(match result.verdict {
        Verdict::A => format!("A {wins}: accepted that its {mean} is larger."),
        Verdict::B => format!("B {wins}: accepted that its {mean} is larger."),
        Verdict::Equal => format!("Accepted that the {mean}s differ by less than {margin}."),
        Verdict::Undecided => {
            let why = if compared.interrupted {
                "the comparison was interrupted".to_owned()
            } else {
                effort(&compared.comparison, terms.margin, terms.most)
            };
            format!(
                "Undecided: neither is a difference known, nor that it is less than {margin}; {why}."
            )
        }
    });
    report
}
