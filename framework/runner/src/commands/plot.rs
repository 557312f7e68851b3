//! `runner plot`: charts of trainings and results. The files of results are read in `files`.

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
    /// Shares of games that reach each score, from tournaments, experiments or `eval --json --scores`
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
            Self::Scores(options) => options.draw(context, scores, |player| {
                player.scores.iter().all(Vec::is_empty).then_some(
                    "the scores of its games, which `eval --json --scores` and new experiments keep",
                )
            }),
            Self::Rates(options) => options.draw(context, tiles, |player| {
                player.tiles.is_empty().then_some("rates of tiles")
            }),
            Self::Tournament(options) => options.draw(context, speed, |player| {
                player.seconds_per_move.is_none().then_some("a time per move")
            }),
        }
    }
}

impl PlotOptions {
    fn format(&self) -> Result<Format, Failure> {
        let extension = self.out.extension().and_then(|extension| extension.to_str());
        extension.and_then(Format::of).ok_or_else(|| {
            Failure::usage(format!("--out {} must end in .svg, .png or .pdf", self.out.display()))
        })
    }

    /// Refuses to overwrite a file without --force, and one of the files to draw in any case.
    fn check_output(&self, context: &Context) -> Result<(), Failure> {
        self.format()?;
        let inputs = context.inputs(InputFiles::default().and(&self.files));
        context.check_outputs(
            &inputs,
            Outputs::default().writes("the chart", &self.out),
            self.force,
        )
    }

    fn draw_curves(&self, context: &Context) -> Result<(), Failure> {
        self.check_output(context)?;
        let registry = context.registry();
        let mut curves: Vec<Curve<'_>> = Vec::new();
        for file in &self.files {
            let curve = read_curve(file)?;
            match curves.iter().find(|known| known.points == curve.points) {
                Some(first) => note(format!(
                    "note: {} holds the training of {}; it is drawn once",
                    file.display(),
                    first.file.display()
                )),
                None => curves.push(curve),
            }
        }
        refuse_several_games(&curves)?;
        let mut learners = learners(&curves);
        if learners.len() > 1 {
            for curves in &mut learners {
                curves.name = Some(brief::player_text(curves.learner, registry));
            }
        }
        self.write(chart(title(&curves, &learners, registry), &learners, self.each))
    }

    /// Draws a plot of results. `lacks` returns the figures of the plot if a player lacks them.
    fn draw(
        &self,
        context: &Context,
        plot: fn(&[PlayerResults]) -> Plot,
        lacks: impl Fn(&PlayerResults) -> Option<&'static str>,
    ) -> Result<(), Failure> {
        self.check_output(context)?;
        let players = files::results(&self.files, self.each, context.registry())?;
        for (file, player) in &players {
            if let Some(figures) = lacks(player) {
                let message = format!("{} lacks {figures}", player.name);
                return Err(Failure::in_file(file, message));
            }
            if let Some(figure) = player.figures().find(|&figure| !is_drawable(figure)) {
                let message =
                    format!("{} has {figure:e}, which is too large to be drawn", player.name);
                return Err(Failure::in_file(file, message));
            }
        }
        let players: Vec<_> = players.into_iter().map(|(_, player)| player).collect();
        self.write(plot(&players))
    }

    /// Writes a plot, with the title of the command line if there is one.
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

struct Curve<'a> {
    file: &'a Path,
    origin: TrainingOrigin,
    points: Vec<Point>,
}

/// Refuses curves of different games: their scores cannot be compared.
fn refuse_several_games(curves: &[Curve<'_>]) -> Result<(), Failure> {
    for other in curves {
        let first = &curves[0];
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

/// Returns the trainings of each learner, without names.
fn learners<'a>(curves: &'a [Curve<'_>]) -> Vec<LearnerCurves<'a>> {
    let mut learners: Vec<LearnerCurves<'_>> = Vec::new();
    for Curve { origin, points, .. } in curves {
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

/// Returns the title of a chart of curves in one game, one paragraph each.
fn title(curves: &[Curve<'_>], learners: &[LearnerCurves<'_>], registry: &Registry) -> Vec<String> {
    let Some(TrainingOrigin { game, seed, .. }) = curves.first().map(|curve| &curve.origin) else {
        return Vec::new();
    };
    let game = brief::game_text(game, registry);
    let [LearnerCurves { learner, points, .. }] = learners else {
        return vec![format!("Trainings in {game}")];
    };
    let seeds = match points.len() {
        1 => format!("seed {seed}"),
        several => format!("{several} trainings"),
    };
    vec![game, format!("{}, {seeds}", brief::player_text(learner, registry))]
}

/// Reads the curve of a training, which has a point on each line, and may still grow.
fn read_curve(path: &Path) -> Result<Curve<'_>, Failure> {
    if path.is_dir() {
        return Err(Failure::usage(format!(
            "{} is a folder; name a curve, FILE.curve.jsonl, which `runner train` writes beside its \
             model",
            path.display()
        )));
    }
    let lines = Lines::read(path)?;
    let mut points = Vec::new();
    for line in lines.objects::<Point>() {
        let (number, point) = match line {
            Ok(numbered) => numbered,
            Err(_) if points.is_empty() => return Err(no_curve(path)),
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
        return Err(Failure::in_file(path, message));
    }
    let origin = points.iter().find_map(|point| point.training.clone());
    let origin = origin.ok_or_else(|| Failure::in_file(path, "it does not name its training"))?;
    Ok(Curve { file: path, origin, points })
}

/// Returns the error of a file that does not begin with a point of a curve.
fn no_curve(path: &Path) -> Failure {
    let curve = curve_beside(path);
    if curve.is_file() {
        Failure::in_file(path, format!("a model; its curve is {}", curve.display()))
    } else {
        let message = "it is no learning curve; `runner train` writes one beside its model";
        Failure::in_file(path, message)
    }
}
