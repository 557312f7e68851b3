//! `runner endgame build`.

use super::{TableGameOptions, no_folder, rules};
use crate::context::Context;
use crate::options::ChangeOptions;
use clap::Args;
use runner_console::interrupt;
use runner_console::notes::note;
use runner_console::output::{Report, Table, print_report};
use runner_console::progress::{ProgressLine, filled_bar};
use runner_core::{Control, locked, unpoisoned};
use runner_files::{FileError, Outputs, can_be_written, create_folder, read_text, table_files};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::inputs::{InputFiles, Inputs};
use runner_play::memory::spare;
use runner_play::registry::LoadedGame;
use runner_play::threads::Threads;
use runner_solver::endgame::{
    BuildProgress, Pattern, SubGame, TableBuildError, Work, WorkError, remove_finished, save, solve,
};
use runner_spec::quantity::{Size, ThreadCount, counted, grouped, memory, time};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::Instant;

/// Compute the table of a pattern, and save it
///
/// A stopped build continues with the same command.
#[derive(Debug, Clone, Args)]
pub struct BuildOptions {
    /// Pattern and goal, as in L3-512, or FILE.ron with a pattern
    pattern: String,
    #[command(flatten)]
    game: TableGameOptions,
    /// Save the table to this file [default: the name of the pattern in the folder of tables]
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// Overwrite an existing file
    #[arg(long)]
    force: bool,
    #[command(flatten)]
    changes: ChangeOptions,
    /// Memory limit, like 200M or 4G [default: 7/8 of the free memory]
    #[arg(long, value_name = "SIZE")]
    memory: Option<Size>,
    /// Number of threads, 1 to 1024 [default: one per core]
    #[arg(long, value_name = "N")]
    threads: Option<ThreadCount>,
    /// Print one JSON document
    #[arg(long)]
    json: bool,
}

impl BuildOptions {
    fn pattern(&self) -> Result<Pattern, Failure> {
        let file = Path::new(&self.pattern);
        if file.extension().is_some_and(|extension| extension == "ron") {
            Pattern::read(&read_text(file)?)
                .map_err(|why| Failure::usage(format!("{}: {why}", file.display())))
        } else {
            Pattern::named(&self.pattern).map_err(Failure::usage)
        }
    }

    fn file(&self, game: &LoadedGame, pattern: &Pattern) -> Result<PathBuf, Failure> {
        match &self.out {
            Some(file) => Ok(file.clone()),
            None if table_files::folder(&game.name).is_none() => {
                Err(no_folder().map_message(|message| message + ", or name a file with --out"))
            }
            None => Ok(table_files::path(&game.name, &pattern.to_string())),
        }
    }
}

pub fn run(options: &BuildOptions, context: &Context) -> Result<(), Failure> {
    let registry = context.registry();
    let game = registry.game(&options.game.spec(&context.linked)?)?;
    let pattern = options.pattern()?;
    let file = options.file(&game, &pattern)?;
    let inputs = InputFiles::find([&game.spec], [], &[], registry).and([&options.pattern]);
    let inputs = context.inputs(inputs);
    if !options.force {
        remove_finished(&file)?;
    }
    let outputs = Outputs::default().writes("the table", &file);
    context.check_outputs(&inputs, outputs, options.force)?;
    let spec = game.spec.to_string();
    let title = brief::game(&game.spec, registry).to_string();
    let sub_game = SubGame::new(&pattern, &title, &*rules(&game)).map_err(Failure::usage)?;
    let threads = Threads::new(options.threads.map(|threads| threads.get() as usize))?;
    refuse_large(&sub_game, &pattern, options.memory)?;
    if let Some(folder) = file.parent() {
        create_folder(folder)?;
    }
    can_be_written(&file)?;
    let definition = format!("{spec}\n{}\n", pattern.text());
    let again = context.typed.to_string();
    let work = Work::open(&file, &definition).map_err(|error| failure(error, &again))?;
    let folder = work.folder().display().to_string();
    check_inputs(&work, &inputs.read()?, options.changes)?;
    interrupt::listen_between("layer", Some(format!("continue with: {again}")));
    note(format!(
        "{pattern} of {title}: at most {} and {} of memory; what is done is kept in {folder}, also \
         after Ctrl-C",
        counted(sub_game.all(), "position"),
        memory(sub_game.memory())
    ));
    let began = Instant::now();
    // The progress line, and the end of the listing.
    let display = Mutex::new((ProgressLine::new(true), began));
    let report = |progress: BuildProgress| {
        let (line, listed) = &mut *locked(&display);
        if progress.total.is_none() {
            *listed = Instant::now();
        }
        if line.is_due() {
            line.show(&progress_text(progress));
        }
        if interrupt::requested() { Control::Stop } else { Control::Continue }
    };
    let solved = threads.install(|| solve(&sub_game, &work, &report));
    let (_, listed) = unpoisoned(display.into_inner());
    let layers = match solved {
        Ok(layers) => layers,
        Err(TableBuildError::Stopped) => {
            return Err(Failure::Interrupted(format!(
                "the layers that are done are in {folder}; continue with: {again}"
            )));
        }
        Err(error @ TableBuildError::NoGoal) => {
            work.finish().map_err(|error| failure(error, &again))?;
            return Err(Failure::failed(format!("pattern `{pattern}`: {error}")));
        }
        Err(TableBuildError::Work(error)) => return Err(failure(error, &again)),
    };
    let positions = save(&file, &spec, &pattern, &work, layers)
        .map_err(|error| Failure::failed(error).with_command("continue with", &again))?;
    work.finish().map_err(|error| failure(error, &again))?;
    let bytes = std::fs::metadata(&file).map_err(FileError::at("read", &file))?.len();
    let (listing, valuing) = (listed - began, listed.elapsed());
    let mut report = Report::default();
    report.field("pattern", pattern.to_string()).field("game", &spec).field("file", &file);
    report.field("positions", positions).field("bytes", bytes);
    report.field("listing_seconds", listing.as_secs_f64());
    report.field("valuing_seconds", valuing.as_secs_f64()).field("threads", threads.count());
    report.line(format!("{pattern} of {title}"));
    let mut table = Table::of_pairs();
    table.row(["positions", &grouped(positions)]);
    table.row(["file", &file.display().to_string()]);
    table.row(["size", &memory(bytes)]);
    table.row(["listing", &time(listing)]);
    table.row(["valuing", &time(valuing)]);
    table.row(["threads", &threads.count().to_string()]);
    let name = name_of(&file, &game, &pattern);
    report.section().table(table).note(format!("use it as endgame(tables: {name:?}, value: ...)"));
    Ok(print_report(&report, options.json)?)
}

/// Refuses a build that began with another plugin of its game, and keeps the inputs of this one.
fn check_inputs(work: &Work, inputs: &Inputs, changes: ChangeOptions) -> Result<(), Failure> {
    let before = work.inputs().and_then(|text| serde_json::from_str(&text).ok());
    match before.and_then(|before| inputs.difference_from(&before, changes.replaced())) {
        Some(difference) => {
            let folder = work.folder().display();
            Err(Failure::usage(format!("{folder} holds the build of another table: {difference}")))
        }
        None => work.keep_inputs(&serde_json::to_string(inputs)?).map_err(Failure::failed),
    }
}

/// Refuses a build that does not fit in memory.
fn refuse_large(game: &SubGame, pattern: &Pattern, given: Option<Size>) -> Result<(), Failure> {
    let (needed, limit) = (game.memory(), given.map_or_else(spare, |Size(bytes)| bytes));
    if needed <= limit {
        return Ok(());
    }
    Err(Failure::failed(format!(
        "{pattern} needs up to {} of memory, more than the limit of {}; choose a lower goal or fewer \
         free cells, or raise the limit with --memory",
        memory(needed),
        memory(limit)
    )))
}

/// Returns what names a table in specs: its name, or its file.
fn name_of(file: &Path, game: &LoadedGame, pattern: &Pattern) -> String {
    let (name, file) = (pattern.to_string(), file.display().to_string());
    if table_files::path(&game.name, &name) == Path::new(&file) {
        name
    } else if table_files::path(&game.name, &file) == Path::new(&file) {
        file
    } else {
        // Without a sign of a path it would be a name.
        format!("./{file}")
    }
}

/// Returns the failure of a folder of a build. `again` is the command that continues.
fn failure(error: WorkError, again: &str) -> Failure {
    match error {
        WorkError::Lock(error) => error.into(),
        WorkError::Other(_) | WorkError::Foreign(_) => Failure::usage(error),
        WorkError::File(_) => Failure::failed(error).with_command("continue with", again),
        WorkError::Lost => Failure::failed(error),
    }
}

fn progress_text(BuildProgress { layer, last, done, total }: BuildProgress) -> String {
    let Some(total) = total else {
        return format!("{} listed, layer {layer} of at most {last}", counted(done, "position"));
    };
    let part = done as f64 / total.max(1) as f64;
    format!("{} {:3.0}% valued", filled_bar(part), 100.0 * part)
}
