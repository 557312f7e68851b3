//! `runner tournament`: every agent plays every game, and a report compares them.

mod merge;
mod table;

use crate::context::{Context, Execute};
use crate::notes::note_models;
use crate::options::{ChangeOptions, default_game};
use clap::{Args, Subcommand};
use merge::MergeOptions;
use runner_console::interrupt;
use runner_console::notes::note;
use runner_console::output::print_report;
use runner_console::progress::ProgressLine;
use runner_core::Spec;
use runner_play::document::read_file;
use runner_play::failure::Failure;
use runner_play::models;
use runner_spec::quantity::{Count, PositiveTime, ThreadCount, counted, grouped};
use runner_tournament::{
    AgentEntry, BuiltTournament, GameEntry, RoundRange, Rounds, Tournament, TournamentEvent,
    TournamentFolder, play_and_report,
};
use std::path::PathBuf;
use std::time::Instant;

/// Play every agent in every game, and print who is better, and by how much
///
/// With --out the results are kept: a tournament that was stopped continues with --resume, and
/// plays only what is new when agents or games are added.
#[derive(Debug, Clone, Args)]
#[command(args_conflicts_with_subcommands = true)]
pub struct TournamentOptions {
    #[command(subcommand)]
    merge: Option<TournamentCommand>,
    /// RON file of the tournament
    #[arg(value_name = "FILE.ron", conflicts_with_all = ["game", "agent"])]
    file: Option<PathBuf>,
    /// Games; LABEL=SPEC names one in tables; may be repeated [default: 2048]
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    game: Vec<GameEntry>,
    /// Agents, or values, which are played greedily; LABEL=SPEC names one in tables; may be
    /// repeated
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    agent: Vec<AgentEntry>,
    /// Number of games of each agent in each game [default: 100]
    #[arg(long, value_name = "N")]
    games: Option<Rounds>,
    /// Play only these rounds, counted from 1, like 1..=250: a part for `tournament merge`
    #[arg(long, value_name = "FIRST..=LAST")]
    rounds: Option<RoundRange>,
    /// End each game after this many moves
    #[arg(long, value_name = "N")]
    move_limit: Option<Count<1>>,
    /// End each game after this time, like 500ms or 10s
    #[arg(long, value_name = "TIME")]
    game_time: Option<PositiveTime>,
    /// Take the luck of each game off its score, as this value of the game measures it
    #[arg(long, value_name = "SPEC", value_parser = models::player)]
    luck: Option<Spec>,
    /// Agent, by its name in tables, whose rating is 0 [default: the weakest]
    #[arg(long, value_name = "NAME")]
    anchor: Option<String>,
    /// Seed of all random numbers [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<Count>,
    /// Folder of the results and the report
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the tournament of --out; the folder sets what neither a file nor flags do
    #[arg(long, requires = "out")]
    resume: bool,
    #[command(flatten)]
    changes: ChangeOptions,
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<ThreadCount>,
    /// Print the report as one JSON document
    #[arg(long)]
    json: bool,
}

#[derive(Debug, Clone, Subcommand)]
enum TournamentCommand {
    Merge(MergeOptions),
}

impl Execute for TournamentOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        if let Some(TournamentCommand::Merge(options)) = self.merge {
            return options.execute(context);
        }
        let stop = interrupt::listen_between(
            "games",
            self.out.as_ref().map(|_| self.how_to_continue(context)),
        );
        let tournament = self.tournament(context)?;
        let threads = self.threads.map(|threads| threads.get() as usize);
        let built = BuiltTournament::new(tournament, threads, context.registry())?;
        for player in &built.tournament.players {
            note_models(&player.spec, context.registry());
        }
        if self.out.is_none() {
            note("note: nothing is kept of this tournament; --out DIR keeps its games");
        }
        let (start, mut line) = (Instant::now(), ProgressLine::new(true));
        let watch = &mut |event| match event {
            TournamentEvent::Note(text) => note(text),
            TournamentEvent::Progress(progress) => line.show_after(start.elapsed(), &progress),
        };
        let (out, replaced) = (self.out.as_deref(), self.changes.replaced());
        let command = context.typed.to_string();
        let (report, games_when_stopped) =
            play_and_report(&built, out, replaced, command, stop, watch)?;
        drop(line);
        print_report(&table::report(&report), self.json)?;
        if let Some(games) = games_when_stopped {
            let (over, how) = (grouped(games), self.how_to_continue(context));
            return Err(Failure::Interrupted(format!("{over} games are over; {how}")));
        }
        if report.faults() > 0 {
            let games = counted(report.faults(), "game");
            note(format!("note: {games} forfeited; `runner plugins doctor` examines plugins"));
        }
        report.refuse_forfeits()
    }
}

impl TournamentOptions {
    /// Returns what the user can do after an interrupt.
    fn how_to_continue(&self, context: &Context) -> String {
        match &self.out {
            Some(out) => format!(
                "the results so far are in {}; continue with: {}",
                out.display(),
                context.typed.resuming(&[])
            ),
            None => "with --out DIR a tournament can be continued".into(),
        }
    }

    /// Each setting is that of the flags, or else of the file, or else of the folder.
    fn tournament(&self, context: &Context) -> Result<Tournament, Failure> {
        let mut tournament = Tournament {
            games: self.game.clone(),
            agents: self.agent.clone(),
            rounds: self.games,
            part: self.rounds,
            move_limit: self.move_limit,
            game_time: self.game_time,
            luck: self.luck.clone(),
            seed: self.seed,
            anchor: self.anchor.clone(),
            ..Tournament::default()
        };
        if let Some(file) = &self.file {
            tournament = tournament.or(read_file(file)?);
        }
        if let Some(out) = &self.out {
            tournament = TournamentFolder::to_continue(out, self.resume, "--resume", tournament)?;
        }
        if self.file.is_none() && tournament.agents.is_empty() {
            return Err(Failure::usage("--agent is missing; name a file, or agents"));
        }
        if tournament.games.is_empty() {
            tournament.games.push(default_game(&context.linked)?.into());
        }
        Ok(tournament)
    }
}
