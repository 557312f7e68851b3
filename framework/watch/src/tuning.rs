//! Shows the progress of a tuning.

use runner_console::notes::note;
use runner_console::progress::ProgressLine;
use runner_spec::quantity::{grouped, number, time};
use runner_tuning::{Budget, Generation, TuningEvent};
use std::time::Duration;

/// Two lines: the generations, and the games of a candidate.
pub struct TuningDisplay {
    generations: ProgressLine,
    games: Option<(String, ProgressLine)>,
}

impl TuningDisplay {
    /// Returns a display that shows nothing yet. If standard error is no terminal, generations are
    /// printed only if `plain` is set.
    pub fn new(plain: bool) -> Self {
        Self { generations: ProgressLine::new(plain), games: None }
    }

    pub fn show(&mut self, event: TuningEvent<'_>) {
        match event {
            TuningEvent::Note(text) => note(text),
            TuningEvent::Generation(generation) => {
                self.games = None;
                if self.generations.is_due() {
                    self.generations.show(&line(&generation));
                }
            }
            TuningEvent::Games(name, progress) => {
                if self.games.as_ref().is_none_or(|(shown, _)| shown != name) {
                    self.games = Some((name.to_owned(), ProgressLine::new(true)));
                }
                if let Some((_, line)) = &mut self.games {
                    line.show_after(progress.elapsed, format_args!("{name}: {progress}"));
                }
            }
        }
    }
}

fn line(generation: &Generation<'_>) -> String {
    let Generation { state, means, budget, .. } = generation;
    let played: Vec<f64> = means.iter().copied().flatten().collect();
    let mean = played.iter().sum::<f64>() / played.len() as f64;
    let best = played.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut line = format!("generation {}", grouped(state.search.generation()));
    if let Some(all) = budget.generations {
        line += &format!(" of {}", grouped(all));
    }
    line += &format!(
        ", mean {}, best {}, spread {}",
        number(mean),
        number(best),
        number(state.search.spread())
    );
    if let Some(left) = time_left(generation) {
        line += &format!(", {} left", time(left));
    }
    line
}

/// Returns the time left if each generation takes as long as those before it.
fn time_left(generation: &Generation<'_>) -> Option<Duration> {
    let Generation { state, each, budget: Budget { generations, time }, .. } = generation;
    let by_generations = generations.map(|all| {
        let left = all.saturating_sub(state.search.generation());
        each.saturating_mul(u32::try_from(left).unwrap_or(u32::MAX))
    });
    let spent = Duration::try_from_secs_f64(state.seconds).unwrap_or_default();
    let by_clock = time.map(|time| time.saturating_sub(spent));
    by_generations.into_iter().chain(by_clock).min()
}
