//! `runner tune`: a search for better numbers in an agent's spec.

mod options;
mod report;

use crate::context::{Context, Execute};
use crate::failure::Failure;
use crate::options::{Count, PlayerOptions, PositiveNumber};
use crate::output::print;
use crate::player::NamedPlayer;
use crate::setting::Setting;
use crate::shell::{program, quoted, seconds, without};
use crate::tuning::{Axis, Checkpoint, Tuning};
pub use options::TuneOptions;
use report::Report;
use runner_core::{Game, Spec};
use runner_files::{can_be_written, replace};
use runner_plugin::Registry;
use runner_stats::Scores;
use std::ffi::OsString;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What is done where nothing is said.
const GAMES: u64 = 200;
const STEP: f64 = 0.3;
const EVALUATE_GAMES: u64 = 1000;

impl Execute for TuneOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        run(&context.resolve(self)?, context.registry())
    }
}

fn run(tune: &TuneOptions, registry: &Arc<Registry>) -> Result<(), Failure> {
    let files = Files::new(tune)?;
    let kept = files.checkpoint(tune)?;
    let setting = setting(tune, kept.as_ref(), registry)?;
    let agent = whole(&setting.player.spec, &setting, registry);
    let state = match kept {
        Some(kept) => same(kept, tune, &setting, &agent, &files)?,
        None => begun(tune, &setting, &agent)?,
    };
    can_be_written(&files.out)?;
    let tuning = Tuning {
        setting: &setting,
        registry,
        file: &files.checkpoint,
        budget: tune.budget.get(),
        plain: !tune.io.json,
    };
    Session { tune, files: &files, tuning }.run(state)
}

/// What is written.
struct Files {
    out: PathBuf,
    checkpoint: PathBuf,
}

impl Files {
    fn new(tune: &TuneOptions) -> Result<Self, Failure> {
        let out = tune.out.clone().ok_or_else(|| {
            Failure::usage("--out is missing: the file to write the tuned agent to")
        })?;
        let mut checkpoint = OsString::from(&out);
        checkpoint.push(".checkpoint");
        Ok(Self { out, checkpoint: checkpoint.into() })
    }

    /// What is to be gone on with. Nothing is written over unless that was said.
    fn checkpoint(&self, tune: &TuneOptions) -> Result<Option<Checkpoint>, Failure> {
        if tune.resume {
            return match self.checkpoint.exists() {
                true => Checkpoint::read(&self.checkpoint).map(Some),
                false => Err(Failure::usage(format!(
                    "there is no checkpoint {} to go on with; leave out --resume to begin",
                    self.checkpoint.display()
                ))),
            };
        }
        match [&self.checkpoint, &self.out].into_iter().find(|file| file.exists()) {
            Some(file) if !tune.force => Err(Failure::usage(format!(
                "{} is there already: --resume goes on with the tuning, --force begins anew in \
                 its place",
                file.display()
            ))),
            _ => Ok(None),
        }
    }
}

/// Game, agent and threads: those that were named, or those of the checkpoint.
fn setting(
    tune: &TuneOptions,
    kept: Option<&Checkpoint>,
    registry: &Arc<Registry>,
) -> Result<Setting, Failure> {
    let or_kept = |given: &Option<Spec>, of_kept: fn(&Checkpoint) -> &Spec| {
        given.clone().or_else(|| kept.map(|kept| of_kept(kept).clone()))
    };
    let players = PlayerOptions {
        game: or_kept(&tune.players.game, |kept| &kept.game),
        agent: or_kept(&tune.players.agent, |kept| &kept.agent),
    };
    let mut resources = tune.resources.clone();
    resources.seed = resources.seed.or(kept.map(|kept| Count::from(kept.seed.0)));
    Setting::new(&players, &resources, registry)
}

/// A spec with the defaults of all that is nested in it as well: what can be tuned.
fn whole(spec: &Spec, setting: &Setting, registry: &Registry) -> Spec {
    let mut whole = spec.clone();
    for (path, part) in spec.nested() {
        // What does not name a player is a word that means something else.
        if registry.player_kind(part.name()).is_ok()
            && let Ok(built) = NamedPlayer::build(registry, &part, &setting.game, &setting.services)
            && let Ok(changed) =
                whole.with(&path, &self::whole(&built.spec, setting, registry).to_string())
        {
            whole = changed;
        }
    }
    whole
}

/// A tuning that begins.
fn begun(tune: &TuneOptions, setting: &Setting, agent: &Spec) -> Result<Checkpoint, Failure> {
    let axes = axes(tune, agent)?;
    if axes.is_empty() {
        let numbers: Vec<_> = agent.numbers().into_iter().map(|number| number.path).collect();
        let told = match numbers.is_empty() {
            true => format!("`{}` has no numbers to tune", agent.name()),
            false => format!("the numbers of {agent} are {}", numbers.join(", ")),
        };
        return Err(Failure::usage(format!("--parameter is missing: {told}")));
    }
    Ok(Checkpoint::new(
        (&setting.game.spec, agent),
        axes,
        tune.games.map_or(GAMES, Count::get),
        tune.step.map_or(STEP, PositiveNumber::get),
        tune.population.map(|population| population.get() as usize),
        setting.seed,
    ))
}

/// The parameters that were typed.
fn axes(tune: &TuneOptions, agent: &Spec) -> Result<Vec<Axis>, Failure> {
    let mut axes: Vec<Axis> = Vec::new();
    for text in &tune.parameter {
        let axis = Axis::read(text, agent)?;
        if axes.iter().any(|other| other.path == axis.path) {
            return Err(Failure::usage(format!("--parameter {} is given twice", axis.path)));
        }
        axes.push(axis);
    }
    Ok(axes)
}

/// The checkpoint, if it is of what was typed, as far as that goes.
fn same(
    mut kept: Checkpoint,
    tune: &TuneOptions,
    setting: &Setting,
    agent: &Spec,
    files: &Files,
) -> Result<Checkpoint, Failure> {
    let axes = match tune.parameter.is_empty() {
        true => kept.axes.clone(),
        false => axes(tune, agent)?,
    };
    let population = kept.search.population() as u64;
    let differs = [
        ("--game", setting.game.spec != kept.game),
        ("--agent", *agent != kept.agent),
        ("--parameter", axes != kept.axes),
        ("--games", tune.games.is_some_and(|games| games.get() != kept.games)),
        ("--step", tune.step.is_some_and(|step| step.get() != kept.step)),
        ("--population", tune.population.is_some_and(|given| given.get() != population)),
        ("--seed", setting.seed != kept.seed),
    ];
    match differs.into_iter().find(|(_, differs)| *differs) {
        // The same specs, but as they are typed: the file holds plain RON.
        None => {
            (kept.game, kept.agent) = (setting.game.spec.clone(), agent.clone());
            Ok(kept)
        }
        Some((flag, _)) => Err(Failure::usage(format!(
            "{} is of a tuning with another {flag}; leave out {flag} to go on as it was, or \
             --resume to begin another",
            files.checkpoint.display()
        ))),
    }
}

/// One tuning, from where it is to the end.
struct Session<'a> {
    tune: &'a TuneOptions,
    files: &'a Files,
    tuning: Tuning<'a>,
}

impl Session<'_> {
    fn run(&self, mut state: Checkpoint) -> Result<(), Failure> {
        let began = Instant::now();
        let finished =
            self.tuning.run(&mut state).map_err(|failure| self.broken(failure, began))?;
        let best = state.values(state.search.mean());
        let tuned = state.agent_with(&best)?;
        let mut report = Report::new(self.tuning.setting, &state, &best, &tuned);
        let scores = if finished { self.scores(&state, &tuned)? } else { None };
        let Some([before, after]) = scores else {
            report.interrupted = true;
            print(&report, self.tune.io.json)?;
            return Err(Failure::Interrupted(format!(
                "the tuning is kept; go on with: {}",
                self.command(began)
            )));
        };
        report.scored(before, after, self.evaluate_games());
        let text = report.file(&self.files.out);
        replace(&self.files.out, |file| file.write_all(text.as_bytes()))?;
        report.out = Some(self.files.out.clone());
        print(&report, self.tune.io.json)
    }

    /// What the start and the tuned agent reach in games that no candidate played.
    fn scores(&self, state: &Checkpoint, tuned: &Spec) -> Result<Option<[Scores; 2]>, Failure> {
        let start: Vec<_> = state.axes.iter().map(|axis| axis.start).collect();
        let games = self.evaluate_games();
        let tiles = &self.tuning.setting.game.rules.description().tiles;
        let mut scores = [Scores::default(); 2];
        for (score, agent) in scores.iter_mut().zip([&state.agent_with(&start)?, tuned]) {
            let Some(results) = self.tuning.examine(agent, games, state)? else { return Ok(None) };
            *score = results.summary(tiles).score;
        }
        Ok(Some(scores))
    }

    fn evaluate_games(&self) -> u64 {
        self.tune.evaluate_games.map_or(EVALUATE_GAMES, Count::get)
    }

    /// Says how to go on after a failure.
    fn broken(&self, failure: Failure, began: Instant) -> Failure {
        match failure {
            Failure::Failed { message, detail } if self.files.checkpoint.exists() => {
                let command = self.command(began);
                Failure::Failed {
                    message: format!("{message}; go on from the last checkpoint with: {command}"),
                    detail,
                }
            }
            other => other,
        }
    }

    /// The command that goes on where this one ended.
    fn command(&self, began: Instant) -> String {
        let typed = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned());
        let mut words = without(typed, &["--for"], &["--resume", "--force"]);
        words.push("--resume".into());
        if let Some(time) = self.tune.budget.get().time {
            let rest = time.saturating_sub(began.elapsed());
            words.extend(["--for".into(), seconds(rest.max(Duration::from_millis(1)))]);
        }
        let words: Vec<_> = words.iter().map(|word| quoted(word)).collect();
        format!("{} {}", program(), words.join(" "))
    }
}

/// How the agent in a file is named on the command line.
fn from_file(file: &Path) -> String {
    format!("\"$(cat {})\"", quoted(&file.to_string_lossy()))
}
