//! The remaining work of an experiment, as it is printed.

use runner_console::output::wrap;
use runner_experiment::{Left, Plan, PlannedEvaluation};
use runner_spec::quantity::{counted, time};
use serde::Serialize;
use std::fmt;
use std::time::Duration;

/// The plan as it is printed.
#[derive(Serialize)]
pub struct Printed<'a>(pub &'a Plan);

impl fmt::Display for Printed<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        wrap(f, "", &self.0.title)?;
        let configurations = counted(self.0.configurations.len() as u64, "configuration");
        let seeds = counted(self.0.seeds, "seed");
        let scale = match self.0.scale {
            1.0 => String::new(),
            scale => format!(", budgets times {scale}"),
        };
        let folder = self.0.folder.display();
        wrap(f, "", &format!("{configurations}, {seeds}{scale}; results in {folder}"))?;
        writeln!(f)?;
        for configuration in &self.0.configurations {
            wrap(f, "", &configuration.name)?;
            let seconds = |seconds| time(Duration::try_from_secs_f64(seconds).unwrap_or_default());
            let budget: Vec<_> = [
                configuration.moves.map(|moves| counted(moves, "move")),
                configuration.episodes.map(|games| counted(games, "game")),
                configuration.seconds.map(seconds),
            ]
            .into_iter()
            .flatten()
            .collect();
            let (trained, seeds) = (configuration.trained, self.0.seeds);
            let budget = budget.join(" or ");
            wrap(f, "  ", &format!("training: {budget}; {trained} of {seeds} done"))?;
            for PlannedEvaluation { name, games, played } in &configuration.evaluations {
                let games = counted(*games, "game");
                wrap(f, "  ", &format!("{name}: {games}; {played} of {seeds} done"))?;
            }
        }
        let Left { trainings, moves, episodes, evaluations, games, seconds } = &self.0.left;
        let mut left = vec![counted(*trainings, "training")];
        if *moves > 0 {
            left.push(format!("with {}", counted(*moves, "move")));
        }
        if *episodes > 0 {
            left.push(format!("with {}", counted(*episodes, "game")));
        }
        left.push(format!("and {}", counted(*evaluations, "evaluation")));
        left.push(format!("with {}", counted(*games, "game")));
        let at = match seconds {
            Some(seconds) if *trainings + *evaluations > 0 => {
                let seconds = Duration::try_from_secs_f64(*seconds).unwrap_or_default();
                format!("; about {} at the speeds so far", time(seconds))
            }
            Some(_) => String::new(),
            None => "; no estimate of the time yet: a configuration or an evaluation has no result"
                .into(),
        };
        writeln!(f)?;
        wrap(f, "", &format!("left: {}{at}", left.join(" ")))
    }
}
