//! `runner tournament`: agents against each other in games, and a report.

pub mod standings;
pub mod table;

use crate::context::{Context, Execute};
use crate::notes::{note_forfeits, note_models};
use clap::Args;
use runner_console::interrupt;
use runner_console::notes::note;
use runner_console::output;
use runner_play::document::read_file;
use runner_play::failure::Failure;
use runner_spec::quantity::{Count, PositiveTime, ThreadCount, counted, grouped};
use runner_tournament::report::Report;
use runner_tournament::shards::count;
use runner_tournament::{
    Built, Contest, Event, Folder, Games, Labelled, RecordFiles, Rounds, Tournament, Watch, play,
};
use standings::Standings;
use std::path::PathBuf;

/// Play every agent in every game, and print who is better, and by how much
///
/// With --out the results are kept: a tournament that was stopped continues with --resume, and
/// plays only what is new when agents, games or rounds are added.
#[derive(Debug, Clone, Args)]
pub struct TournamentOptions {
    /// RON file of the tournament
    #[arg(value_name = "FILE.ron", conflicts_with_all = ["games", "agents"])]
    file: Option<PathBuf>,
    /// Games; LABEL=SPEC names one in tables
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    games: Vec<Labelled>,
    /// Agents, or values, which are played greedily; LABEL=SPEC names one in tables
    #[arg(long, value_name = "SPEC", num_args = 1..)]
    agents: Vec<Labelled>,
    /// Number of games of each agent in each game [default: 100]
    #[arg(long, value_name = "N")]
    rounds: Option<Rounds>,
    /// Rules of a contest: bot-contest (100 games, win rates)
    #[arg(long, value_name = "NAME")]
    preset: Option<Contest>,
    /// End each game after this many moves
    #[arg(long, value_name = "N")]
    move_limit: Option<Count<1>>,
    /// End each game after this time, like 500ms or 10s
    #[arg(long, value_name = "TIME")]
    game_time: Option<PositiveTime>,
    /// Record the games in the folder of --out, for `runner replay`; slower for fast agents
    #[arg(long, requires = "out")]
    records: bool,
    /// Do not record the games, whatever the file or the folder of --out sets
    #[arg(long, conflicts_with = "records")]
    no_records: bool,
    /// Folder of the results and the report
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue the tournament of --out; the folder sets what neither a file nor flags do
    #[arg(long, requires = "out")]
    resume: bool,
    /// With --resume: play forfeited games again
    #[arg(long, requires = "resume")]
    replay_forfeits: bool,
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<ThreadCount>,
    /// Seed of all random numbers [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<Count>,
    /// Print the report as one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for TournamentOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let stop = interrupt::listen_between_games(
            self.out.as_ref().map(|_| self.how_to_continue(context)),
        );
        let held = self.out.as_deref().map(Folder::held).transpose()?.flatten();
        if let Some(out) = &self.out {
            let out = out.display();
            match (&held, self.resume) {
                (Some(_), false) => {
                    return Err(Failure::usage(format!(
                        "{out} holds a tournament already; --resume continues it"
                    )));
                }
                (None, true) => {
                    return Err(Failure::usage(format!(
                        "{out} holds no tournament; leave out --resume to begin one"
                    )));
                }
                _ => {}
            }
        }
        let tournament = self.tournament(held)?;
        let threads = self.threads.map(|threads| threads.get() as usize);
        let built = Built::new(tournament, threads, context.registry())?;
        for player in &built.tournament.players {
            note_models(&player.spec, context.registry());
        }
        let mut standings = Standings::new(&built);
        let watch = &mut |event: Event<'_>| standings.show(event);
        let (mut folder, before) = match &self.out {
            Some(out) => {
                let (folder, games) = Folder::open(out, &built, self.replay_forfeits, watch)?;
                (Some(folder), games)
            }
            None => (None, built.cells.iter().map(|_| Vec::new()).collect()),
        };
        if self.resume {
            note(format!("{} were played before", counted(count(&before), "game")));
        }
        let records = self.records(&built, &before, watch)?;
        let file = folder.as_mut().map(|folder| &mut folder.results);
        let played = play(&built, &built.numbers(), before, file, records, stop, watch)?;
        drop(standings);
        let report = Report::new(&built, &played.games, !played.interrupted);
        if let Some(folder) = &folder {
            report.write(folder)?;
        }
        output::print(&table::Printed(&report), self.json)?;
        if played.interrupted {
            let over = grouped(count(&played.games));
            let how = self.how_to_continue(context);
            return Err(Failure::Interrupted(format!("{over} games are over; {how}")));
        }
        let again = self.out.as_ref().map(|_| "--resume --replay-forfeits");
        note_forfeits(report.faults(), again);
        Ok(())
    }
}

impl TournamentOptions {
    /// Opens the files of the recorded games, if the games are recorded.
    fn records(
        &self,
        built: &Built,
        before: &Games,
        watch: Watch<'_>,
    ) -> Result<Option<RecordFiles>, Failure> {
        if !built.tournament.records() {
            return Ok(None);
        }
        let out = self.out.as_ref().ok_or_else(|| {
            Failure::usage(
                "a tournament with `records` needs a folder for them: name one with --out, or add \
                 --no-records",
            )
        })?;
        RecordFiles::resume(&Folder::records(out), built, before, watch).map(Some)
    }

    /// Returns what the user can do after an interrupt.
    fn how_to_continue(&self, context: &Context) -> String {
        match &self.out {
            Some(out) => format!(
                "the results so far are in {}; continue with: {}",
                out.display(),
                // Forfeited games are dropped before the first game is played.
                context.typed.clone().without(&["replay-forfeits"]).with_flag("resume")
            ),
            None => "with --out DIR a tournament can be continued".into(),
        }
    }

    /// Returns the tournament of the file, the flags or the folder. Flags take precedence.
    fn tournament(&self, held: Option<Tournament>) -> Result<Tournament, Failure> {
        let named = match (&self.file, &held) {
            (Some(file), _) => read_file(file)?,
            (None, Some(held)) if self.games.is_empty() && self.agents.is_empty() => held.clone(),
            (None, _) => {
                let missing = [("--games", self.games.len()), ("--agents", self.agents.len())];
                if let Some((flag, _)) = missing.iter().find(|(_, count)| *count == 0) {
                    return Err(Failure::usage(format!(
                        "{flag} is missing; name a file, or games and agents"
                    )));
                }
                let named = Tournament {
                    games: self.games.iter().cloned().map(Into::into).collect(),
                    agents: self.agents.iter().cloned().map(Into::into).collect(),
                    ..Tournament::default()
                };
                // Flags cannot say what wins, and which games an agent plays.
                held.iter().fold(named, Tournament::entries_or)
            }
        };
        let flags = Tournament {
            rounds: self.rounds,
            preset: self.preset,
            move_limit: self.move_limit,
            game_time: self.game_time,
            seed: self.seed,
            records: (self.records || self.no_records).then_some(self.records),
            ..Tournament::default()
        };
        let Tournament { games, agents, .. } = named.clone();
        Ok(Tournament { games, agents, ..flags.or(named).or(held.unwrap_or_default()) })
    }
}
