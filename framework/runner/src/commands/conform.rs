//! `runner conform`: compares another implementation of a game with the rules.

use crate::context::{Context, Execute};
use crate::options::game_or_default;
use clap::Args;
use runner_conform::{Hunt, HuntOptions, Judge, Notation, Outcome, Reader, Verdict};
use runner_console::interrupt;
use runner_console::output::print_report;
use runner_console::progress::ProgressLine;
use runner_core::{Seed, catch};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::registry::LoadedGame;
use runner_play::watched::WatchedGame;
#[cfg(unix)]
use runner_protocol::{Program, ProgramError};
use runner_spec::Spec;
use runner_spec::quantity::{Count, PositiveTime, grouped};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Check whether another implementation is the game: transitions of a file, or a program
#[derive(Debug, Clone, Default, Args)]
pub struct ConformOptions {
    /// File of transitions, one JSON object a line
    #[arg(value_name = "FILE")]
    file: Option<PathBuf>,
    /// Program that implements the game, with its arguments; it answers requests on its standard
    /// input, as the guide shows
    #[arg(last = true, value_name = "COMMAND", conflicts_with = "file")]
    command: Vec<String>,
    /// Game, like threes or '2048(rows: 3, cols: 4)' [default: 2048]
    #[arg(long, value_name = "SPEC")]
    game: Option<Spec>,
    /// Number of actions [default: 100k]
    #[arg(long, value_name = "N", conflicts_with = "file")]
    steps: Option<Count<1>>,
    /// Names of the actions in the order of the implementation's numbers, like up,down,left,right
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    actions: Vec<String>,
    /// Cells hold ranks, 0 for an empty cell and 1 for the smallest tile, instead of values
    #[arg(long)]
    ranks: bool,
    /// The program takes no seeds
    #[arg(long, conflicts_with = "file")]
    no_seeds: bool,
    /// Time limit for an answer [default: 10s]
    #[arg(long, value_name = "TIME", conflicts_with = "file")]
    timeout: Option<PositiveTime>,
    /// Seed of all random numbers [default: 1]
    #[arg(long, value_name = "N")]
    seed: Option<Count>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for ConformOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        if self.file.is_none() && self.command.is_empty() {
            return Err(Failure::usage(
                "name a file of transitions, or a program after `--`, as in `runner conform -- python3 \
                 my_game.py`",
            ));
        }
        let registry = context.registry();
        let game = registry.game(&game_or_default(self.game.as_ref(), [], &context.linked)?)?;
        interrupt::listen();
        let (subject, verdict) = match &self.file {
            Some(file) => (file.display().to_string(), self.judge_file(file, &game)?),
            None => (self.command.join(" "), self.judge_program(&game)?),
        };
        let name = brief::game(&game.spec, registry).to_string();
        print_report(&verdict.report(&format!("`{subject}`"), &name), self.json)?;
        if interrupt::requested() {
            return Err(Failure::Interrupted("only a part was judged".into()));
        }
        match verdict.verdict {
            Outcome::Conforms | Outcome::ConformsInPart => Ok(()),
            Outcome::Differs => Err(Failure::failed(format!("`{subject}` is not {name}"))),
            Outcome::Stopped => {
                let error = verdict.error.unwrap_or_default();
                Err(Failure::failed(format!("`{subject}`: {error}")))
            }
        }
    }
}

impl ConformOptions {
    fn notation(&self) -> Notation {
        Notation { ranks: self.ranks, actions: self.actions.clone() }
    }

    fn seed(&self) -> Seed {
        Seed(self.seed.map_or(1, Count::get))
    }

    fn judge_file(&self, file: &Path, game: &LoadedGame) -> Result<Verdict, Failure> {
        let rules = WatchedGame::of(game);
        let reader = Reader::new(rules, self.notation()).map_err(Failure::usage)?;
        let mut judge = Judge::new(WatchedGame::of(game), self.seed());
        let mut error = None;
        for line in BufReader::new(runner_files::open(file)?).lines() {
            judge.at += 1;
            let judged = match line {
                Ok(line) => catch(|| judge.line(&reader, &line))
                    .unwrap_or_else(|fault| Err(fault.to_string())),
                Err(error) => Err(error.to_string()),
            };
            if let Err(why) = judged {
                error = Some(format!("line {}: {why}", judge.at));
                break;
            }
            if interrupt::requested() {
                break;
            }
        }
        if judge.at == 0 {
            return Err(Failure::in_file(file, "no transitions in this file"));
        }
        Ok(Verdict::new(&mut judge, error))
    }

    #[cfg(unix)]
    fn judge_program(&self, game: &LoadedGame) -> Result<Verdict, Failure> {
        let steps = self.steps.map_or(100_000, Count::get);
        let options =
            HuntOptions { steps, seed: self.seed(), takes_seeds: !self.no_seeds, lanes: 1 };
        // The only lane: one game at a time.
        const LANE: usize = 0;
        let rules = WatchedGame::of(game);
        let mut hunt =
            catch(|| Hunt::new(&rules, self.notation(), options))?.map_err(Failure::usage)?;
        let mut program = Program::start(&self.command).map_err(|error| {
            Failure::failed(format!("the program `{}` {error}", self.command.join(" ")))
        })?;
        let limit = self.timeout.map_or(Duration::from_secs(10), PositiveTime::get);
        let mut progress = ProgressLine::new(true);
        let mut error = None;
        for number in 0_u64.. {
            let Some(request) = catch(|| hunt.request(LANE))? else { break };
            let bytes = format!("{request}\n").into_bytes();
            let answered = match number {
                0 => first_answer(&mut program, &bytes, limit),
                _ => program.ask(&bytes, limit),
            };
            let judged = match answered {
                Ok(line) => catch(|| hunt.answer(LANE, &String::from_utf8_lossy(&line)))?,
                Err(failed) => Err(format!("step {}: the program {failed}", hunt.judge.at + 1)),
            };
            if let Err(mut why) = judged {
                let end_of_stderr = program.end();
                if !end_of_stderr.is_empty() {
                    why += &format!("; its standard error ends with: {end_of_stderr}");
                }
                error = Some(why);
                break;
            }
            if interrupt::requested() {
                break;
            }
            if progress.is_due() {
                progress.show(&format!("{} steps", grouped(hunt.judge.at)));
            }
        }
        drop(progress);
        Ok(Verdict::new(&mut hunt.judge, error))
    }

    #[cfg(not(unix))]
    fn judge_program(&self, _: &LoadedGame) -> Result<Verdict, Failure> {
        Err(Failure::usage("a program is judged on Unix systems only; write a file of transitions"))
    }
}

/// Returns the answer to the first request. `play --stdio` sends a greeting before it.
#[cfg(unix)]
fn first_answer(
    program: &mut Program,
    request: &[u8],
    limit: Duration,
) -> Result<Vec<u8>, ProgramError> {
    let line = program.exchange(request, limit)?;
    if line.starts_with(b"{\"type\":\"hello\"") {
        return program.exchange(b"", limit);
    }
    Ok(line)
}
