//! `runner tune`: tunes the numbers in the spec of an agent.

mod options;
mod report;

use crate::context::{Context, Execute};
use crate::options::{CommandLine, PlayerOptions, ResourceOptions};
pub use options::TuneOptions;
use report::{FreshScores, Tuned};
use runner_console::interrupt;
use runner_console::output::print_report;
use runner_core::{Game, Spec};
use runner_files::{LineFile, Outputs, can_be_written, replace};
use runner_play::failure::Failure;
use runner_play::inputs::{InputFiles, Inputs};
use runner_play::player::NamedPlayer;
use runner_play::registry::Registry;
use runner_play::setting::Setting;
use runner_spec::quantity::{Count, PositiveNumber};
use runner_tuning::{Axis, Definition, State, Tuning, TuningEvent, TuningFile, TuningWatch};
use runner_watch::tuning::TuningDisplay;
use std::ffi::OsString;
use std::fs;
use std::io::Write;
use std::path::PathBuf;

/// Default number of games of each candidate.
const GAMES: u64 = 200;
/// Default size of the first steps.
const STEP: f64 = 0.3;
/// Default number of fresh games of start and result.
const EVALUATE_GAMES: u64 = 1000;

impl Execute for TuneOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let (registry, stop) = (context.registry(), interrupt::listen());
        let files = Files::new(&self)?;
        let (locked, saved) = files.open(&self)?;
        // The definition of the tuning that continues.
        let held = saved.as_ref().map(|saved| &saved.definition);
        let setting = setting(&self, held, context)?;
        setting.refuse_untrained()?;
        let agent = with_defaults(&setting.player.spec, &setting, registry);
        let input_files = InputFiles::find([&setting.game.spec], [&agent], &[], registry);
        let outputs = Outputs::default()
            .writes("the result", &files.out)
            .writes("the generations", &files.generations);
        let inputs = context.check_outputs(input_files, outputs, true)?.read()?;
        if let Some(held) = held
            && let Some(difference) = inputs.difference_from(&held.inputs, self.changes.replaced())
        {
            let file = files.generations.display();
            return Err(Failure::usage(format!("{file} is of another tuning: {difference}")));
        }
        let mut state = match saved {
            Some(saved) => resumed(saved, &self, &setting, &agent, &files)?,
            None => State::new(started(&self, &setting, &agent)?),
        };
        state.definition.inputs = inputs;
        let lines = locked.begin(&state.definition)?;
        let tuning = Tuning { setting: &setting, registry, budget: self.limits.get(), stop };
        TuneJob { tune: &self, context, files: &files, tuning }.run(state, lines)
    }
}

/// The files of a tuning.
struct Files {
    /// The file of the tuned agent.
    out: PathBuf,
    /// The file of the definition and the generations.
    generations: PathBuf,
}

impl Files {
    fn new(tune: &TuneOptions) -> Result<Self, Failure> {
        let out = tune.out.clone().ok_or_else(|| {
            Failure::usage("--out is missing: the file to write the tuned agent to")
        })?;
        let mut generations = OsString::from(&out);
        generations.push(".jsonl");
        Ok(Self { out, generations: generations.into() })
    }

    /// Locks the file of the generations. With --resume, also returns the tuning in it.
    fn open(&self, tune: &TuneOptions) -> Result<(TuningFile, Option<State>), Failure> {
        let exists = self.generations.exists();
        if tune.resume && !exists {
            return Err(Failure::usage(format!(
                "there is no tuning in {}; leave out --resume to start one",
                self.generations.display()
            )));
        }
        if !tune.resume && !tune.force && (exists || self.out.exists()) {
            let file = if exists { &self.generations } else { &self.out };
            return Err(Failure::usage(format!(
                "{} exists already: --resume continues the tuning, --force starts another and \
                 overwrites it",
                file.display()
            )));
        }
        can_be_written(&self.out)?;
        let mut file = TuningFile::lock(&self.generations)?;
        let saved = if tune.resume { file.resume(&self.generations)? } else { None };
        if tune.resume && saved.is_none() && tune.players.agent.is_none() {
            let message = "it does not say what is tuned: give --agent and --parameter, too";
            return Err(Failure::usage(format!("{}: {message}", self.generations.display())));
        }
        Ok((file, saved))
    }
}

/// Builds the game and the agent of the options, or else those of the tuning that continues.
fn setting(
    tune: &TuneOptions,
    held: Option<&Definition>,
    context: &Context,
) -> Result<Setting, Failure> {
    let registry = context.registry();
    let Some(held) = held else {
        return tune.players.with_game(&context.linked)?.setting(&tune.resources, registry);
    };
    let or = |given: &Option<Spec>, held: &Spec| Some(given.as_ref().unwrap_or(held).clone());
    let players = PlayerOptions {
        game: or(&tune.players.game, &held.game),
        agent: or(&tune.players.agent, &held.agent),
    };
    let seed = tune.resources.seed.or(Some(held.seed.0.into()));
    players.setting(&ResourceOptions { seed, ..tune.resources }, registry)
}

/// Returns a spec in which each nested player has its defaults, so that all numbers can be tuned.
fn with_defaults(spec: &Spec, setting: &Setting, registry: &Registry) -> Spec {
    spec.map_nested(|_, part| {
        // A nested spec that is no player has another meaning, and stays.
        if registry.player(part.name()).is_err() {
            return part.clone();
        }
        match NamedPlayer::build(registry, part, &setting.game, &setting.services) {
            Ok(built) => with_defaults(&built.spec, setting, registry),
            Err(_) => part.clone(),
        }
    })
}

/// Returns the definition of a new tuning, as yet without its inputs.
fn started(tune: &TuneOptions, setting: &Setting, agent: &Spec) -> Result<Definition, Failure> {
    let axes = axes(tune, agent)?;
    if axes.is_empty() {
        let numbers: Vec<_> = agent.numbers().into_iter().map(|number| number.path).collect();
        let known = if numbers.is_empty() {
            format!("`{}` has no numbers to tune", agent.name())
        } else {
            format!("the numbers of {} are {}", setting.brief_player(), numbers.join(", "))
        };
        return Err(Failure::usage(format!("--parameter is missing: {known}")));
    }
    Ok(Definition {
        game: setting.game.spec.clone(),
        agent: agent.clone(),
        inputs: Inputs::default(),
        axes,
        games: tune.games.map_or(GAMES, Count::get),
        step: tune.step.map_or(STEP, PositiveNumber::get),
        seed: setting.seed,
    })
}

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

/// Returns the state of a resumed tuning, if the options do not contradict it.
fn resumed(
    mut saved: State,
    tune: &TuneOptions,
    setting: &Setting,
    agent: &Spec,
    files: &Files,
) -> Result<State, Failure> {
    let held = &mut saved.definition;
    let axes = if tune.parameter.is_empty() { held.axes.clone() } else { axes(tune, agent)? };
    let differs = [
        ("--game", setting.game.spec != held.game),
        ("--agent", *agent != held.agent),
        ("--parameter", axes != held.axes),
        ("--games", tune.games.is_some_and(|games| games.get() != held.games)),
        ("--step", tune.step.is_some_and(|step| step.get() != held.step)),
        ("--seed", setting.seed != held.seed),
    ];
    if let Some((flag, _)) = differs.into_iter().find(|(_, differs)| *differs) {
        return Err(Failure::usage(format!(
            "{} is of a tuning with another {flag}: leave out {flag} to resume it, or --resume to \
             start another",
            files.generations.display()
        )));
    }
    // Equal specs may be written differently. Reports show those of this command.
    held.game = setting.game.spec.clone();
    held.agent = agent.clone();
    Ok(saved)
}

/// A tuning, to the end of its budget.
struct TuneJob<'a> {
    tune: &'a TuneOptions,
    context: &'a Context,
    files: &'a Files,
    tuning: Tuning<'a>,
}

impl TuneJob<'_> {
    fn run(&self, mut state: State, mut file: LineFile) -> Result<(), Failure> {
        let mut display = TuningDisplay::new(!self.tune.json);
        let watch = &mut |event: TuningEvent<'_>| display.show(event);
        let finished = match self.tuning.run(&mut state, &mut file, watch) {
            Ok(finished) => finished,
            Err(failure) => return Err(self.failure(failure, &state)),
        };
        let best = state.values(state.search.mean());
        let agent = state.agent_with(&best)?;
        let fresh = if finished { self.fresh_scores(&state, &agent, watch)? } else { None };
        drop(display);
        let tuned = Tuned { setting: self.tuning.setting, state: &state, best, agent, fresh };
        if tuned.fresh.is_none() {
            print_report(&tuned.report(None), self.tune.json)?;
            return Err(Failure::Interrupted(format!(
                "the tuning is saved; continue with: {}",
                self.resume_command()
            )));
        }
        let (out, text) = (&self.files.out, tuned.file(&self.files.out));
        replace(out, |file| file.write_all(text.as_bytes()))?;
        let mut report = tuned.report(Some(out));
        if tuned.is_worse() {
            report.note(format!(
                "warning: the tuned agent does not score more than the start; {} holds it all the \
                 same: try more --generations or --games",
                out.display()
            ));
        }
        Ok(print_report(&report, self.tune.json)?)
    }

    /// Plays fresh games with the start and the tuned agent; `None` if the user interrupts them.
    fn fresh_scores(
        &self,
        state: &State,
        tuned: &Spec,
        watch: TuningWatch<'_>,
    ) -> Result<Option<FreshScores>, Failure> {
        let values: Vec<_> = state.definition.axes.iter().map(|axis| axis.start).collect();
        let start = state.agent_with(&values)?;
        let games = self.tune.evaluate_games.map_or(EVALUATE_GAMES, Count::get);
        let Some(of_start) = self.tuning.evaluate(&start, games, state, watch)? else {
            return Ok(None);
        };
        let Some(of_tuned) = self.tuning.evaluate(tuned, games, state, watch)? else {
            return Ok(None);
        };
        let tiles = &self.tuning.setting.game.rules.description().tiles;
        let start = of_start.summary(tiles, 0).score;
        Ok(Some(FreshScores { games, start, tuned: of_tuned.summary(tiles, 0).score }))
    }

    /// Adds the command that resumes the tuning to a failure. Before the first generation, deletes
    /// the file instead: it holds nothing to resume, and a corrected command would refuse to
    /// overwrite it.
    fn failure(&self, failure: Failure, state: &State) -> Failure {
        if state.search.generation() == 0 && !self.tune.resume {
            // The failure of the tuning is reported, even if this fails too.
            let _ = fs::remove_file(&self.files.generations);
        }
        if self.files.generations.exists() {
            failure.with_command("continue from the last generation with", self.resume_command())
        } else {
            failure
        }
    }

    /// Returns the command that continues the tuning. Its limits count from the start.
    fn resume_command(&self) -> CommandLine {
        self.context.typed.resuming(&["force"])
    }
}
