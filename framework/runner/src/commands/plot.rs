//! `runner plot`: charts of trainings and results. The files of results are read in `files`.

mod files;

use crate::context::{Context, Execute};
use crate::failure::Failure;
use crate::plot::results::{PlayerResults, scores, speed, tiles};
use crate::plot::{Format, Plot};
use crate::training::{Point, draw};
use clap::{Args, Subcommand};
use runner_files::{FileError, replace};
use serde::de::DeserializeOwned;
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Draw trainings and results as SVG or PNG
#[derive(Debug, Clone, Subcommand)]
pub enum PlotCommand {
    /// Mean scores of a training, or of several with different seeds, from files of curves
    Curve(PlotOptions),
    /// Games that score at least a score, from tournaments or `eval --json --scores`
    Scores(PlotOptions),
    /// Games that reach each tile, with intervals, from tournaments, experiments or `eval --json`
    Rates(PlotOptions),
    /// Mean scores against the time per move, from tournaments, experiments or `eval --json`
    Tournament(PlotOptions),
}

/// Files of a plot.
#[derive(Debug, Clone, Args)]
pub struct PlotOptions {
    /// Files; for a tournament or an experiment, its folder
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    /// Chart to write, .svg or .png
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Title [default: that of the kind of plot]
    #[arg(long, value_name = "TEXT")]
    title: Option<String>,
    /// Overwrite the chart
    #[arg(long)]
    force: bool,
}

impl Execute for PlotCommand {
    fn execute(self, _: &Context) -> Result<(), Failure> {
        match self {
            Self::Curve(options) => options.draw_curves(),
            Self::Scores(options) => options.draw(scores, |player| {
                (
                    !player.scores.is_empty(),
                    "the scores of its games; add --scores to `eval --json`",
                )
            }),
            Self::Rates(options) => {
                options.draw(tiles, |player| (!player.tiles.is_empty(), "rates of tiles"))
            }
            Self::Tournament(options) => {
                options.draw(speed, |player| (player.seconds_per_move.is_some(), "a time per move"))
            }
        }
    }
}

impl PlotOptions {
    /// Returns the format of the chart.
    fn format(&self) -> Result<Format, Failure> {
        let format = Format::of(&self.out).ok_or_else(|| {
            Failure::usage(format!("--out {} must end in .svg or .png", self.out.display()))
        })?;
        match self.out.exists() && !self.force {
            true => Err(Failure::exists(&self.out)),
            false => Ok(format),
        }
    }

    fn draw_curves(&self) -> Result<(), Failure> {
        self.format()?;
        let trainings: Vec<_> =
            self.files.iter().map(|file| read_lines(file)).collect::<Result<_, _>>()?;
        for (file, points) in self.files.iter().zip(&trainings) {
            if !points.iter().any(|point: &Point| point.mean.is_some()) {
                let message = "it holds no mean scores; `runner train` writes such a file";
                return Err(Failure::in_file(file, message));
            }
        }
        let trainings: Vec<&[Point]> = trainings.iter().map(Vec::as_slice).collect();
        let title = self.title.clone().into_iter().collect();
        Ok(draw(&self.out, title, "", &trainings)?)
    }

    /// Draws a plot of results. `has` says whether a player has the figures of the plot, and
    /// names them.
    fn draw(
        &self,
        plot: fn(&[PlayerResults]) -> Plot,
        has: impl Fn(&PlayerResults) -> (bool, &'static str),
    ) -> Result<(), Failure> {
        let format = self.format()?;
        let mut players = Vec::new();
        for file in &self.files {
            for player in files::results(file)? {
                if let (false, what) = has(&player) {
                    let message = format!("{} lacks {what}", player.name);
                    return Err(Failure::in_file(file, message));
                }
                players.push(player);
            }
        }
        let mut plot = plot(&players);
        if let Some(title) = &self.title {
            plot.title = vec![title.clone()];
        }
        let image = plot.image(format).map_err(|error| Failure::in_file(&self.out, error))?;
        Ok(replace(&self.out, |file| file.write_all(&image))?)
    }
}

/// Reads a file with a JSON document on each line. A last line that is incomplete is left out:
/// the file may still grow.
fn read_lines<T: DeserializeOwned>(path: &Path) -> Result<Vec<T>, Failure> {
    let text = fs::read_to_string(path).map_err(FileError::at("read", path))?;
    let complete = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let parse = |(number, line): (usize, &str)| {
        serde_json::from_str(line)
            .map_err(|error| Failure::in_file(path, format!("line {}: {error}", number + 1)))
    };
    complete.enumerate().map(parse).collect()
}
