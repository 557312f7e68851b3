//! The live standings of a tournament: a line for all games, and one for each game.

use runner_console::notes::note;
use runner_console::output::{shortened, shortened_labels};
use runner_console::progress::ProgressLine;
use runner_spec::quantity::{grouped, number, time};
use runner_tournament::{Built, Event, Queue, Standing, better_mean_first};
use std::time::{Duration, Instant};

/// A tournament shorter than this shows no standings.
const QUIET: Duration = Duration::from_millis(500);
/// Maximum number of games that have a line.
const LINES: usize = 12;
/// Maximum width of a label in a line, in columns.
const LABEL: usize = 24;

/// The lines.
pub struct Standings<'a> {
    built: &'a Built,
    start: Instant,
    total: ProgressLine,
    games: Vec<ProgressLine>,
}

impl<'a> Standings<'a> {
    /// Starts without lines.
    pub fn new(built: &'a Built) -> Self {
        let count = built.tournament.games.len().min(LINES);
        Self {
            built,
            start: Instant::now(),
            total: ProgressLine::new(true),
            games: (0..count).map(|_| ProgressLine::new(true)).collect(),
        }
    }

    /// Shows an event: the standings if it is time to.
    pub fn show(&mut self, event: Event<'_>) {
        match event {
            Event::Note(text) => note(text),
            Event::Progress(queue) => self.update(queue),
        }
    }

    fn update(&mut self, queue: &Queue<'_>) {
        if self.start.elapsed() < QUIET || !self.total.is_due() {
            return;
        }
        let standings = queue.standings();
        self.total.show(&total(&standings, self.built.threads.count()));
        for (game, line) in self.games.iter_mut().enumerate() {
            line.show(&of_game(self.built, game, &standings));
        }
    }
}

/// Returns the agents of a game in the order in which the report would rank them.
fn of_game(built: &Built, game: usize, standings: &[Standing]) -> String {
    let cells = built.places.iter().zip(standings).enumerate();
    let mut agents: Vec<_> = cells
        .filter(|(_, (place, standing))| place[0] == game && standing.games > 0)
        .map(|(cell, (_, standing))| (cell, standing))
        .collect();
    agents.sort_by(|(_, a), (_, b)| {
        better_mean_first(a.mean_with_forfeits(), b.mean_with_forfeits())
    });
    let all = built.tournament.agents.iter().map(|agent| agent.label.as_str());
    let labels = shortened_labels(all, LABEL);
    let agent = |(cell, standing): &(usize, &Standing)| {
        format!("{} {}", labels[built.labels(*cell)[1]], of_agent(standing))
    };
    let agents = if agents.is_empty() {
        "no game is over".into()
    } else {
        agents.iter().map(agent).collect::<Vec<_>>().join(", ")
    };
    let label = &built.tournament.games[game].label;
    format!("  {}: {agents}", shortened(label, LABEL))
}

/// Returns the mean score of an agent with its interval, and the number of games that it forfeited.
fn of_agent(standing: &Standing) -> String {
    let mut text = match standing.half_width() {
        _ if standing.scores.count() == 0 => "no score".into(),
        half if half.is_finite() => {
            format!("{} ±{}", number(standing.scores.mean()), number(half))
        }
        _ => number(standing.scores.mean()),
    };
    let forfeited = standing.forfeited();
    if forfeited > 0 {
        text += &format!(" ({} forfeited)", grouped(forfeited));
    }
    text
}

/// Returns the number of games that are over, and the time left.
fn total(standings: &[Standing], threads: usize) -> String {
    let over: u64 = standings.iter().map(|standing| standing.games).sum();
    let left: u64 = standings.iter().map(|standing| standing.left).sum();
    let mut text = format!("{} of {} games", grouped(over), grouped(over + left));
    if let Some(left) = time_left(standings, threads) {
        text += &format!(", {} left", time(left));
    }
    text
}

/// Returns the time for the games that are left, if every agent has finished one.
fn time_left(standings: &[Standing], threads: usize) -> Option<Duration> {
    let seconds: f64 = standings
        .iter()
        .filter(|standing| standing.left > 0)
        .map(|standing| standing.left as f64 * standing.seconds / standing.games as f64)
        .sum();
    Duration::try_from_secs_f64(seconds / threads as f64).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_tournament::Finished;

    #[test]
    fn forfeited_games_are_shown_and_lower_the_place() {
        let game = |score| Finished {
            number: 0,
            score,
            max_tile: None,
            moves: 1,
            seconds: 1.0,
            fault: None,
            move_times: None,
        };
        let of = |scores: &[Option<f64>]| {
            let mut standing = Standing::default();
            scores.iter().for_each(|&score| standing.add(&game(score)));
            (of_agent(&standing), standing.mean_with_forfeits())
        };
        assert_eq!(of(&[None; 4]), ("no score (4 forfeited)".into(), Some(0.0)));
        let played = [Some(100.0), Some(120.0), None, None];
        assert_eq!(of(&played), ("110 ±19.60 (2 forfeited)".into(), Some(55.0)));
        assert_eq!(of(&played[..2]), ("110 ±19.60".into(), Some(110.0)));
        // As in the report: a score below 0 is not worse than a forfeited game.
        assert_eq!(of(&[Some(-8.0), None]).1, Some(-8.0));
    }

    #[test]
    fn time_left_is_that_of_the_games_that_are_left() {
        let standing = |games, left, seconds| {
            let mut standing = Standing::default();
            (standing.games, standing.left, standing.seconds) = (games, left, seconds);
            standing
        };
        let standings = [standing(10, 30, 20.0), standing(5, 4, 50.0), standing(7, 0, 1e9)];
        assert_eq!(total(&standings, 2), "22 of 56 games, 50s left");
        // Nothing is known about an agent that has not finished a game.
        let standings = [standing(10, 30, 20.0), standing(0, 4, 0.0)];
        assert_eq!(total(&standings, 2), "10 of 44 games");
    }
}
