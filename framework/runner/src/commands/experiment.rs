//! `runner experiment`: trains and evaluates the configurations of a file, with several seeds each.

use crate::context::{Context, Execute};
use crate::options::ChangeOptions;
use clap::Args;
use runner_console::interrupt;
use runner_console::output::print_report;
use runner_experiment::{
    Experiment, ExperimentChanges, ExperimentFolder, ExperimentResults, ExperimentRun, Records,
};
use runner_play::failure::Failure;
use runner_play::setting::Resources;
use runner_spec::quantity::{Count, PositiveNumber, ThreadCount};
use runner_watch::training::TrainingDisplay;
use std::path::PathBuf;

/// Train and evaluate several configurations with several seeds, and print the table
///
/// Run again, the command continues: what is done is kept in the folder --out.
#[derive(Debug, Clone, Args)]
pub struct ExperimentOptions {
    /// RON file of the experiment
    #[arg(value_name = "FILE.ron")]
    file: PathBuf,
    /// Folder of results and models [default: the name of the file without its extension]
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// Continue, and refuse a folder that holds no experiment
    #[arg(long)]
    resume: bool,
    #[command(flatten)]
    changes: ChangeOptions,
    /// Factor of the budget of each training, like 0.01 [default: that of the file, or 1]
    #[arg(long, value_name = "X")]
    scale: Option<PositiveNumber>,
    /// Number of trainings of each configuration, 1 to 1000 [default: that of the file]
    #[arg(long, value_name = "N")]
    seeds: Option<Count<1, 1000>>,
    /// Maximum number of games of each evaluation [default: that of the file]
    #[arg(long, value_name = "N")]
    max_games: Option<Count<1>>,
    /// Run only the configuration with this name; may be repeated
    #[arg(long, value_name = "NAME")]
    only: Vec<String>,
    /// Remove each model after its evaluations; none can be added then
    #[arg(long)]
    delete_models: bool,
    /// Print the table of the results so far, and do nothing
    #[arg(long)]
    dry_run: bool,
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<ThreadCount>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl Execute for ExperimentOptions {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        let stop = interrupt::listen();
        let changes = ExperimentChanges {
            scale: self.scale,
            seeds: self.seeds,
            max_games: self.max_games,
            only: &self.only,
        };
        let experiment = Experiment::open(&self.file, &changes, context.registry())?;
        let out = match &self.out {
            Some(out) => out.clone(),
            None => self.file.file_stem().unwrap_or_default().into(),
        };
        ExperimentFolder::check(&out, self.resume, "--resume")?;
        let records = Records::read(&out, &experiment, self.changes.replaced())?;
        if self.dry_run {
            let results = ExperimentResults::new(&experiment, &records, &self.only, false);
            return Ok(print_report(&results.report(), self.json)?);
        }
        let mut display = TrainingDisplay::new(!self.json);
        let mut run = ExperimentRun {
            experiment: &experiment,
            folder: ExperimentFolder::open(&out, &experiment, self.changes.replaced())?,
            resources: Resources {
                threads: self.threads.map(|threads| threads.get() as usize),
                ..Resources::default()
            },
            deletes_models: self.delete_models,
            registry: context.registry(),
            stop,
            watch: &mut |event| display.show(event),
        };
        let parts = experiment.parts(&self.only);
        run.check_models(&parts)?;
        let is_done = run
            .run(&parts)
            .map_err(|failure| failure.with_command("continue with", &context.typed))?;
        let results =
            ExperimentResults::new(&experiment, &run.folder.records, &self.only, !is_done);
        drop(run);
        drop(display);
        print_report(&results.report(), self.json)?;
        if !is_done {
            return Err(Failure::Interrupted(format!(
                "the results so far are in {}; continue with: {}",
                out.display(),
                context.typed
            )));
        }
        results.refuse_faults(&out)
    }
}
