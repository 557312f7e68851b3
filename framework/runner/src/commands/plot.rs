//! `runner plot`: charts of trainings, and charts of results, which `files` reads.

mod files;

use crate::context::{Context, Execute};
use clap::{Args, Subcommand};
use runner_console::notes::note;
use runner_files::{Lines, Outputs, curve_beside, replace};
use runner_play::brief;
use runner_play::failure::Failure;
use runner_play::inputs::InputFiles;
use runner_play::registry::Registry;
use runner_plot::results::{PlayerResults, scores, speed, tiles};
use runner_plot::{Format, LearnerCurves, Plot, chart, is_drawable};
use runner_training::{Point, TrainingOrigin};
use std::io::Write;
use std::path::{Path, PathBuf};

/// Draw trainings and results as SVG, PNG or PDF
#[derive(Debug, Clone, Subcommand)]
pub enum PlotCommand {
    /// Mean scores of trainings in one game, from files of curves
    #[command(mut_arg("files", |arg| {
        arg.help("Curves of trainings, which `runner train` writes beside its models")
    }))]
    Curve(PlotOptions),
    /// Shares of games that reach each score, from tournaments, experiments or `eval --json
    /// --scores`
    Scores(PlotOptions),
    /// Shares of games that reach each tile, from tournaments, experiments or `eval --json`
    Rates(PlotOptions),
    /// Mean scores by time per move, from tournaments, experiments or `eval --json`
    Tournament(PlotOptions),
}

/// Files of a plot.
#[derive(Debug, Clone, Args)]
pub struct PlotOptions {
    /// Files to draw; of a tournament or an experiment, its folder
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Chart to write; its name ends in .svg, .png or .pdf
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Title [default: a text for each kind of chart]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Draw each of several trainings with different seeds, instead of their mean alone
    #[arg(long)]
    each: bool,
    /// Overwrite the chart
    #[arg(long)]
    force: bool,
}

impl Execute for PlotCommand {
    fn execute(self, context: &Context) -> Result<(), Failure> {
        match self {
            Self::Curve(options) => options.draw_curves(context),
            Self::Scores(options) => options.draw_results(context, &SCORES),
            Self::Rates(options) => options.draw_results(context, &RATES),
            Self::Tournament(options) => options.draw_results(context, &SPEED),
        }
    }
}

/// A chart of results.
struct ResultsChart {
    plot: fn(&[PlayerResults]) -> Plot,
    /// Returns true if a player has the figures that the chart shows.
    has_figures: fn(&PlayerResults) -> bool,
    /// Name of these figures in messages.
    figures: &'static str,
}

const SCORES: ResultsChart = ResultsChart {
    plot: scores,
    has_figures: |player| player.scores.iter().any(|scores| !scores.is_empty()),
    figures: "the scores of its games, which `eval --json --scores` and new experiments keep",
};
const RATES: ResultsChart = ResultsChart {
    plot: tiles,
    has_figures: |player| !player.tiles.is_empty(),
    figures: "rates of tiles",
};
const SPEED: ResultsChart = ResultsChart {
    plot: speed,
    has_figures: |player| player.seconds_per_move.is_some(),
    figures: "a time per move",
};

impl PlotOptions {
    fn format(&self) -> Result<Format, Failure> {
        let extension = self.out.extension().and_then(|extension| extension.to_str());
        extension.and_then(Format::of).ok_or_else(|| {
            Failure::usage(format!("--out {} must end in .svg, .png or .pdf", self.out.display()))
        })
    }

    /// Checks --out. A file that is drawn is not overwritten, even with --force.
    fn check_output(&self, context: &Context) -> Result<(), Failure> {
        self.format()?;
        let outputs = Outputs::default().writes("the chart", &self.out);
        context.check_outputs(InputFiles::default().and(&self.files), outputs, self.force)?;
        Ok(())
    }

    fn draw_curves(&self, context: &Context) -> Result<(), Failure> {
        self.check_output(context)?;
        let registry = context.registry();
        let mut trainings: Vec<Training<'_>> = Vec::new();
        for file in &self.files {
            let training = Training::read(file)?;
            match trainings.iter().find(|known| known.points == training.points) {
                Some(first) => note(format!(
                    "note: {} holds the training of {}; it is drawn once",
                    file.display(),
                    first.file.display()
                )),
                None => trainings.push(training),
            }
        }
        refuse_several_games(&trainings)?;
        let mut learners = by_learner(&trainings);
        if learners.len() > 1 {
            for learner in &mut learners {
                learner.name = Some(brief::player_text(learner.learner, registry));
            }
        }
        self.write(chart(title(&trainings, &learners, registry), &learners, self.each))
    }

    fn draw_results(&self, context: &Context, chart: &ResultsChart) -> Result<(), Failure> {
        self.check_output(context)?;
        let mut players = Vec::new();
        for (file, player) in files::results(&self.files, self.each, context.registry())? {
            if !(chart.has_figures)(&player) {
                let message = format!("{} lacks {}", player.name, chart.figures);
                return Err(Failure::in_file(&file, message));
            }
            if let Some(figure) = player.figures().find(|&figure| !is_drawable(figure)) {
                let message =
                    format!("{} has {figure:e}, which is too large to be drawn", player.name);
                return Err(Failure::in_file(&file, message));
            }
            players.push(player);
        }
        self.write((chart.plot)(&players))
    }

    /// Writes the chart of a plot, with the title of the options if there is one.
    fn write(&self, mut plot: Plot) -> Result<(), Failure> {
        if let Some(title) = &self.title {
            plot.title = vec![title.clone()];
        }
        let chart =
            plot.file(self.format()?).map_err(|error| Failure::in_file(&self.out, error))?;
        replace(&self.out, |file| file.write_all(&chart))?;
        note(format!("chart: {}", self.out.display()));
        Ok(())
    }
}

/// The training whose curve is in a file.
struct Training<'a> {
    file: &'a Path,
    /// The game, the learner and the seed.
    origin: TrainingOrigin,
    /// The points of the curve, in their order.
    points: Vec<Point>,
}

/// Refuses trainings in different games, whose scores cannot be compared.
fn refuse_several_games(trainings: &[Training<'_>]) -> Result<(), Failure> {
    let Some(first) = trainings.first() else { return Ok(()) };
    for other in trainings {
        if other.origin.game != first.origin.game {
            return Err(Failure::usage(format!(
                "{} is a training in the game {}, and {} one in the game {}: plot the curves of \
                 each game in another chart",
                first.file.display(),
                first.origin.game,
                other.file.display(),
                other.origin.game
            )));
        }
    }
    Ok(())
}

/// Groups trainings by their learners, which get no names for the legend.
fn by_learner<'a>(trainings: &'a [Training<'_>]) -> Vec<LearnerCurves<'a>> {
    let mut learners: Vec<LearnerCurves<'_>> = Vec::new();
    for Training { origin, points, .. } in trainings {
        match learners.iter_mut().find(|known| known.learner == origin.agent) {
            Some(known) => known.points.push(points),
            None => {
                let (learner, points) = (&origin.agent, vec![&points[..]]);
                learners.push(LearnerCurves { learner, points, name: None });
            }
        }
    }
    learners
}

/// Returns the lines of the title of trainings in one game.
fn title(
    trainings: &[Training<'_>],
    learners: &[LearnerCurves<'_>],
    registry: &Registry,
) -> Vec<String> {
    let Some(Training { origin, .. }) = trainings.first() else { return Vec::new() };
    let game = brief::game_text(&origin.game, registry);
    let [LearnerCurves { learner, points, .. }] = learners else {
        return vec![format!("Trainings in {game}")];
    };
    let seeds = match points.len() {
        1 => format!("seed {}", origin.seed),
        several => format!("{several} trainings"),
    };
    vec![game, format!("{}, {seeds}", brief::player_text(learner, registry))]
}

impl<'a> Training<'a> {
    /// Reads a curve, which has a point on each line. The training may still be running.
    fn read(file: &'a Path) -> Result<Self, Failure> {
        if file.is_dir() {
            return Err(Failure::usage(format!(
                "{} is a folder; name a curve, FILE.curve.jsonl, which `runner train` writes \
                 beside its model",
                file.display()
            )));
        }
        let lines = Lines::read(file)?;
        let mut points = Vec::new();
        for line in lines.objects::<Point>() {
            let (number, point) = match line {
                Ok(numbered) => numbered,
                Err(_) if points.is_empty() => return Err(no_curve(file)),
                Err(error) => return Err(error.into()),
            };
            if let Some(figure) = point.figures().find(|&figure| !is_drawable(figure)) {
                let message = format!("{figure:e} is too large to be drawn");
                return Err(lines.refuse(number, message).into());
            }
            points.push(point);
        }
        if points.iter().all(|point| point.mean.is_none()) {
            let message = "it holds no mean scores; `runner train` writes such a file";
            return Err(Failure::in_file(file, message));
        }
        // Not every point names the training.
        match points.iter().find_map(|point| point.training.clone()) {
            Some(origin) => Ok(Self { file, origin, points }),
            None => Err(Failure::in_file(file, "it does not name its training")),
        }
    }
}

/// Returns the error of a file whose first line is no point of a curve. It may be a model.
fn no_curve(path: &Path) -> Failure {
    let curve = curve_beside(path);
    if curve.is_file() {
        Failure::in_file(path, format!("a model; its curve is {}", curve.display()))
    } else {
        let message = "it is no learning curve; `runner train` writes one beside its model";
        Failure::in_file(path, message)
    }
}
