//! `runner endgame build`.

use super::{TableGameOptions, no_folder, rules};
use crate::context::Context;
use crate::options::refuse_existing;
use clap::Args;
use runner_console::interrupt;
use runner_console::notes::note;
use runner_console::output::{Table, print, wrap};
use runner_console::progress::{ProgressLine, filled_bar};
use runner_core::Control;
use runner_endgame::{
    BuildError, Pattern, Progress, Solution, SubGame, Work, WorkError, place, solve,
};
use runner_files::{FileError, can_be_written, create_folder, read_text};
use runner_play::brief::brief;
use runner_play::failure::Failure;
use runner_play::memory::spare;
use runner_play::threads::Threads;
use runner_play::unpoisoned::{into_inner, locked};
use runner_plugin::LoadedGame;
use runner_spec::quantity::{Size, ThreadCount, counted, grouped, memory, rate, time};
use serde::Serialize;
use std::collections::VecDeque;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::{Duration, Instant};

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
    /// Leave out positions with a lower probability, 0 to 1 [default: 0]
    #[arg(long, value_name = "P", value_parser = probability)]
    threshold: Option<f32>,
    /// Limit of the folder of the build, like 20G [default: none]
    #[arg(long, value_name = "SIZE")]
    disk: Option<Size>,
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

fn probability(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(probability) if (0.0..=1.0).contains(&probability) => Ok(probability),
        _ => Err("must be a number from 0 to 1".into()),
    }
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
            None if place::folder(&game.name).is_none() => {
                Err(no_folder().map_message(|message| message + ", or name a file with --out"))
            }
            None => Ok(place::path(&game.name, &pattern.to_string())),
        }
    }
}

pub fn run(options: &BuildOptions, context: &Context) -> Result<(), Failure> {
    let registry = context.registry();
    let game = registry.game(&options.game.spec()?)?;
    let pattern = options.pattern()?;
    let file = options.file(&game, &pattern)?;
    Failure::refuse_same(Path::new(&options.pattern), &file)?;
    refuse_existing(&file, options.force)?;
    let spec = game.spec.to_string();
    let title = brief(&game.spec, registry).to_string();
    let sub_game = SubGame::new(&pattern, &title, &*rules(&game)).map_err(Failure::usage)?;
    let threads = Threads::new(options.threads.map(|threads| threads.get() as usize))?;
    refuse_large(&sub_game, &pattern, options.memory)?;
    if let Some(folder) = file.parent() {
        create_folder(folder)?;
    }
    can_be_written(&file)?;
    let definition = format!("{spec}\n{}\n", pattern.text());
    let limit = options.disk.map_or(u64::MAX, |Size(bytes)| bytes);
    let again = context.typed.to_string();
    let mut work = Work::open(&file, &definition, limit).map_err(|error| failure(error, &again))?;
    let folder = work.folder().display().to_string();
    interrupt::listen_between("layer", Some(format!("continue with: {again}")));
    note(format!(
        "{pattern} of {title}: at most {} and {} of memory; what is done is kept in {folder}, also \
         after Ctrl-C",
        counted(sub_game.all(), "position"),
        memory(sub_game.memory())
    ));
    let display = Mutex::new(Display::new());
    let report = |progress| {
        locked(&display).update(progress);
        if interrupt::requested() { Control::Stop } else { Control::Continue }
    };
    let solved = threads.install(|| solve(&sub_game, &mut work, &report));
    let display = into_inner(display);
    let layers = match solved {
        Ok(layers) => layers,
        Err(BuildError::Stopped) => {
            return Err(Failure::Interrupted(format!(
                "the layers that are done are in {folder}; continue with: {again}"
            )));
        }
        Err(error @ BuildError::NoGoal) => {
            work.finish().map_err(|error| failure(error, &again))?;
            return Err(Failure::failed(format!("pattern `{pattern}`: {error}")));
        }
        Err(BuildError::Work(error)) => return Err(failure(error, &again)),
    };
    let threshold = options.threshold.unwrap_or(0.0);
    let (game_spec, work_done) = (spec.as_str(), &work);
    let solution =
        Solution { game: &sub_game, game_spec, pattern: &pattern, work: work_done, layers };
    let positions = solution
        .save(&file, threshold)
        .map_err(|error| Failure::failed(error).with_command("continue with", &again))?;
    work.finish().map_err(|error| failure(error, &again))?;
    let bytes = std::fs::metadata(&file).map_err(FileError::at("read", &file))?.len();
    let (listing, valuing) = display.times();
    let report = Report {
        pattern: pattern.to_string(),
        game: spec,
        positions,
        bytes,
        listing_seconds: listing.as_secs_f64(),
        valuing_seconds: valuing.as_secs_f64(),
        threads: threads.count(),
        title: format!("{pattern} of {title}"),
        file: &file,
    };
    print(&report, options.json)?;
    note(format!("use it as endgame(tables: {:?}, value: ...)", name_of(&file, &game, &pattern)));
    Ok(())
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
    if place::path(&game.name, &name) == Path::new(&file) {
        name
    } else if place::path(&game.name, &file) == Path::new(&file) {
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
        WorkError::Other(_) => Failure::usage(error),
        WorkError::Full { limit, written, folder } => Failure::failed(format!(
            "{folder} would have {}, more than the limit of {}; raise it with --disk, and the \
             build continues",
            memory(written),
            memory(limit)
        )),
        WorkError::File(_) => Failure::failed(error).with_command("continue with", again),
        WorkError::Lost => Failure::failed(error),
    }
}

/// The result: the JSON document that scripts depend on, and the lines for people.
#[derive(Serialize)]
struct Report<'a> {
    pattern: String,
    game: String,
    file: &'a Path,
    positions: u64,
    bytes: u64,
    listing_seconds: f64,
    valuing_seconds: f64,
    threads: usize,
    #[serde(skip)]
    title: String,
}

impl fmt::Display for Report<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let seconds = |seconds| time(Duration::from_secs_f64(seconds));
        wrap(f, "", &self.title)?;
        writeln!(f)?;
        let mut table = Table::of_pairs();
        table.row(["positions", &grouped(self.positions)]);
        table.row(["file", &self.file.display().to_string()]);
        table.row(["size", &memory(self.bytes)]);
        table.row(["listing", &seconds(self.listing_seconds)]);
        table.row(["valuing", &seconds(self.valuing_seconds)]);
        table.row(["threads", &self.threads.to_string()]);
        write!(f, "{table}")
    }
}

/// The progress line, and the times of both phases.
struct Display {
    line: ProgressLine,
    began: Instant,
    /// The end of the listing, as the last report of it says.
    listed: Instant,
    speed: Speed,
}

impl Display {
    fn new() -> Self {
        let now = Instant::now();
        Self { line: ProgressLine::new(true), began: now, listed: now, speed: Speed::default() }
    }

    fn update(&mut self, progress: Progress) {
        let Progress { layer, last, done, total } = progress;
        let now = Instant::now();
        let Some(total) = total else {
            self.listed = now;
            if self.line.is_due() {
                let positions = counted(done, "position");
                self.line.show(&format!("{positions} listed, layer {layer} of at most {last}"));
            }
            return;
        };
        let speed = self.speed.add(now, done);
        if self.line.is_due() {
            let part = done as f64 / total.max(1) as f64;
            let mut text = format!("{} {:3.0}% valued", filled_bar(part), 100.0 * part);
            if let Some(speed) = speed {
                let left = Duration::try_from_secs_f64((total - done) as f64 / speed);
                text += &format!(", {}, {} left", rate(speed), time(left.unwrap_or_default()));
            }
            self.line.show(&text);
        }
    }

    /// Returns the times of listing and of valuing so far.
    fn times(&self) -> (Duration, Duration) {
        (self.listed - self.began, self.listed.elapsed())
    }
}

/// The speed of the last minute. A build that continues reads its first layers, which is much faster
/// than to value them.
#[derive(Default)]
struct Speed(VecDeque<(Instant, u64)>);

impl Speed {
    const WINDOW: Duration = Duration::from_secs(60);

    /// Adds a number of positions at a time, and returns the positions per second, if they are known.
    fn add(&mut self, now: Instant, done: u64) -> Option<f64> {
        self.0.push_back((now, done));
        while self.0.len() > 2 && now - self.0[1].0 > Self::WINDOW {
            self.0.pop_front();
        }
        let (begin, before) = self.0[0];
        let speed = (done - before) as f64 / (now - begin).as_secs_f64();
        (speed.is_finite() && speed > 0.0).then_some(speed)
    }
}
