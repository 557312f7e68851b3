//! `runner compare`: a sequential test of two players.

use crate::context::{Context, Execute};
use crate::evaluate::saved;
use crate::notes::{note_models, while_loading};
use crate::options::{KeepOptions, ResourceOptions, game_or_default};
use crate::positions::read_starts;
use clap::Args;
use runner_console::interrupt;
use runner_console::notes::note;
use runner_console::output::{Report, Table, mean_with_interval, print_report};
use runner_console::progress::ProgressLine;
use runner_core::{Game, Random, Seed, Spec, State};
use runner_play::arena::Cell;
use runner_play::brief;
use runner_play::comparison::{Compared, Forfeited, Progress, Terms, compare};
use runner_play::evaluation::Limits;
use runner_play::failure::{Failure, attributed};
use runner_play::kept::Job;
use runner_play::luck::Luck;
use runner_play::models::{self, progress};
use runner_play::player::NamedPlayer;
use runner_play::registry::LoadedGame;
use runner_play::threads::Threads;
use runner_spec::quantity::{Count, brief_percent, counted, grouped, number};
use runner_stats::{BATCH, Comparison, Results, Verdict};
use serde::Serialize;
use serde_json::json;
use std::path::PathBuf;
use std::str::FromStr;
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

/// What is compared: the game, the players A and B, and how their games begin and are counted.
struct Compare {
    game: LoadedGame,
    players: [NamedPlayer; 2],
    threads: Threads,
    starts: Vec<State>,
    luck: Option<Arc<Luck>>,
}

impl Execute for CompareOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let registry = context.registry();
        let loaded = self.load(context)?;
        let specs = loaded.players.each_ref().map(|player| player.spec.clone());
        let luck = loaded.luck.as_ref().map(|luck| &luck.spec);
        let margin = self.margin.map_or(MARGIN, |Margin(margin)| margin);
        let most = self.games.map_or(GAMES, Count::get);
        let tile = self.tile.map(Count::get);
        let seed = self.resources.seed();
        let job = Job {
            command: "compare",
            game: &loaded.game.spec,
            players: vec![("a", &specs[0]), ("b", &specs[1])],
            seed,
            luck,
            starts: self.starts.as_ref(),
            settings: vec![
                ("margin", Some(margin.to_string())),
                ("tile", tile.map(|tile| tile.to_string())),
            ],
        };
        if self.keep.resume && self.keep.out.is_none() {
            return Err(Failure::usage("--resume needs --out, the file that it continues"));
        }
        let kept = self.keep.open(self.force, &job, context)?;
        let terms = Terms { margin, most, tile, kept: kept.as_ref() };
        let [a, b] = specs.each_ref().map(|spec| brief::player(spec, registry).to_string());
        let title = format!("A {a} against B {b} in {}", brief::game(&loaded.game.spec, registry));
        let compared = loaded.play(&terms, seed)?;
        let stopped = if compared.interrupted {
            "the comparison was interrupted".to_owned()
        } else {
            effort(&compared.comparison, margin, most)
        };
        let [a, b] = specs.each_ref().map(Spec::to_string);
        let texts = [title, loaded.game.spec.to_string(), a, b];
        print_report(&report(&compared, texts, &terms, luck, seed, &stopped), self.json)?;
        if compared.interrupted {
            let again = self.keep.how_to_continue(self.keep.out.as_ref(), &context.typed);
            let again = again.unwrap_or("the same command plays on from the start".into());
            return Err(Failure::Interrupted(format!("the answer is not known yet; {again}")));
        }
        match compared.comparison.verdict() {
            Verdict::Undecided => Err(Failure::Undecided),
            Verdict::A | Verdict::B | Verdict::Equal => Ok(()),
        }
    }
}

impl CompareOptions {
    /// Loads what is compared, and refuses what cannot be.
    fn load(&self, context: &Context) -> Result<Compare, Failure> {
        let registry = context.registry();
        let threads = Threads::new(self.resources.threads())?;
        let game = game_or_default(self.game.as_ref(), [&self.a, &self.b], &context.linked)?;
        let game = registry.game(&game)?;
        self.tile.map_or(Ok(()), |tile| check_tile(tile.get(), &game))?;
        let player = |player: &Spec| -> Result<NamedPlayer, Failure> {
            let player =
                while_loading(player, || NamedPlayer::trained(registry, player, &game, &threads))?;
            note_models(&player.spec, registry);
            Ok(player)
        };
        let (a, b) = (player(&self.a), player(&self.b));
        let failures = [("--a", a.as_ref().err()), ("--b", b.as_ref().err())].into_iter();
        let wrong = failures.filter_map(|(flag, failure)| Some((flag.into(), failure?.clone())));
        Failure::refuse(wrong.collect())?;
        let players = [a?, b?];
        let trained = |player: &NamedPlayer| player.learner().map(progress).transpose();
        if let [Some(a), Some(b)] = [trained(&players[0])?, trained(&players[1])?] {
            note_training(a.moves, b.moves);
        }
        let starts = match &self.starts {
            Some(file) => read_starts(file, &game, registry)?,
            None => Vec::new(),
        };
        let measure = |spec| {
            Luck::new(registry, spec, &game, &starts, &[&players[0], &players[1]], &threads)
                .map_err(|failure| failure.of("--luck"))
        };
        let luck = self.luck.as_ref().map(measure).transpose()?;
        Ok(Compare { game, players, threads, starts, luck })
    }
}

impl Compare {
    /// Plays until the answer is known. A fault ends the comparison.
    fn play(&self, terms: &Terms<'_>, seed: Seed) -> Result<Compared, Failure> {
        // Both draw from different streams: common ones reduce no variance. 53 bits, which every
        // reader of JSON keeps.
        let seed = |stream| Seed(Random::stream(seed, stream).word() >> 11);
        let [a, b] = self.players.clone();
        let cells = [(a, 0), (b, 1)].map(|(player, stream)| {
            let cell = Cell::new(&self.game, player, seed(stream), Limits::default());
            cell.starting_at(&self.starts).with_luck(self.luck.clone())
        });
        let mut line = ProgressLine::new(true);
        let mut watch = |progress: &Progress| {
            if let Some(pilot) = &progress.pilot {
                note(effort(pilot, terms.margin, terms.most));
            }
            if line.is_due() && progress.games > 0 {
                line.show(&progress.to_string());
            }
        };
        let compared = compare(&cells, &self.threads, terms, interrupt::listen(), &mut watch)?;
        let Some(Forfeited { player, number, fault }) = &compared.forfeited else {
            return Ok(compared);
        };
        let (cell, name) = (&cells[*player], ["A", "B"][*player]);
        Err(Failure::failed(format!(
            "game {number} of {name} (seed {seed}) ended in a fault, and has no score: {}; \
             `runner eval` of {name} with `--seed {seed} --games {}` plays it again as its last \
             game, and `runner tournament` counts such games as forfeited",
            attributed(&fault.0, &[&cell.game.label, &cell.label]),
            number + 1,
            seed = cell.seed.0,
        )))
    }
}

/// Refuses a tile that the game does not have.
fn check_tile(tile: u64, game: &LoadedGame) -> Result<(), Failure> {
    let tiles = &game.rules.description().tiles;
    if tiles.contains(&tile) {
        return Ok(());
    }
    let known: Vec<_> = tiles.iter().map(u64::to_string).collect();
    let known = if known.is_empty() { "none".into() } else { known.join(", ") };
    Err(Failure::usage(format!("--tile: {} has no tile {tile}; its tiles: {known}", game.name)))
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
    let about = if needed == u64::MAX { "more than can be said".into() } else { about(needed) };
    let mut text = format!(
        "an answer for a margin of {} takes at most about {about} games of each player",
        brief_percent(margin)
    );
    // A larger share than all of the score is no difference that players have.
    let tenfold = 10.0 * margin;
    if let Some(games) = games(tenfold).filter(|_| tenfold < 1.0) {
        text +=
            &format!(", and {} if they differ by {}", self::about(games), brief_percent(tenfold));
    }
    if needed > most {
        text += &format!("; --games stops at {}", grouped(most));
    }
    text
}

/// Formats an estimated number of games: more than two digits of it are not known.
fn about(games: u64) -> String {
    let unit = 10_u64.pow(games.checked_ilog10().unwrap_or(0).saturating_sub(1));
    grouped(games.saturating_add(unit / 2) / unit * unit)
}

/// Returns the result of a comparison of these game and players, with a title for people. `stopped`
/// says why there is no answer.
fn report(
    compared: &Compared,
    [title, game, a, b]: [String; 4],
    terms: &Terms<'_>,
    luck: Option<&Spec>,
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
    report.field("mean_of_b", mean_of_b).field("margin", terms.margin);
    report.field("difference", Difference { mean: difference, ci95: interval });
    report.field("verdict", verdict);
    if let Some(tile) = terms.tile {
        report.field("tile", tile);
    }
    report.line(title);
    report.line(format!("{} of each, seed {}", counted(compared.games, "game"), seed.0));
    let what = match (terms.tile, luck) {
        (Some(tile), _) => format!("rate of {}", grouped(tile)),
        (None, Some(_)) => "mean less luck".into(),
        (None, None) => "mean score".into(),
    };
    let difference = mean_with_interval(Some(difference), interval, compared.games);
    let mut table = Table::of_pairs().indented("  ");
    table.row([&format!("{what} of A"), &number(mean_of_a)]);
    table.row([&format!("{what} of B"), &number(mean_of_b)]);
    table.row(["A - B", &difference]);
    report.section().table(table);
    if let Some(luck) = luck {
        let saving = |results: &Results| results.less_luck()?.saving;
        let least = compared.results.iter().filter_map(saving).reduce(f64::min);
        report.field("luck", json!({"value": luck.to_string(), "saving": least}));
        report.section().line(format!("luck by {}{}", luck.name(), saved(least)));
    }
    let margin = brief_percent(terms.margin);
    let (more, mean) = match terms.tile {
        Some(tile) => (format!("reaches {} more often", grouped(tile)), "rate"),
        None => ("scores more".into(), "mean"),
    };
    report.section().line(match verdict {
        Verdict::A => format!("A {more}: accepted that its {mean} is larger."),
        Verdict::B => format!("B {more}: accepted that its {mean} is larger."),
        Verdict::Equal => format!("Accepted that the {mean}s differ by less than {margin}."),
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
