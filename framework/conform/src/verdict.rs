//! The result of a comparison, as data and as a report.

use crate::chance::{ChanceTest, FALSE_ALARM};
use crate::judge::{COUNTED, Counterexample, ENOUGH, Judge, LAWS, Law};
use runner_core::Game;
use runner_spec::quantity::{counted, grouped, number, precise};
use runner_stats::report::{Align, Report, Table};
use serde::Serialize;
use std::collections::BTreeMap;

/// Whether an implementation is the game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    Conforms,
    /// Something was not tested, and the rest conforms.
    ConformsInPart,
    Differs,
    /// It could not be judged to the end.
    Stopped,
}

/// How often something was met.
#[derive(Clone, Debug, Serialize)]
pub struct Exercise {
    pub what: &'static str,
    pub count: u64,
    /// True if it was met at least 1,000 times.
    pub is_enough: bool,
}

#[derive(Clone, Debug, Serialize)]
pub struct Verdict {
    pub verdict: Outcome,
    pub steps: u64,
    /// Why it was stopped.
    pub error: Option<String>,
    /// The first counterexample to each law, in the order of their discovery.
    pub counterexamples: Vec<Counterexample>,
    pub exercised: Vec<Exercise>,
    /// The cases that no transition met.
    pub not_tested: Vec<&'static str>,
    /// What illegal actions did, with the number of times.
    pub illegal_actions: BTreeMap<String, u64>,
    pub chance: Vec<ChanceTest>,
    /// The greatest chance that a test of chance rejects an implementation of the rules.
    pub false_alarm: f64,
}

impl Verdict {
    /// Returns what was found so far; `error` ended the comparison.
    pub fn new<G: Game>(judge: &mut Judge<G>, error: Option<String>) -> Self {
        let chance = judge.chance.rows(&judge.game);
        let rejected = chance.iter().filter(|row| row.is_rejected);
        if let Some(worst) = rejected.min_by(|a, b| a.log10_p.total_cmp(&b.log10_p)) {
            let mut explanation = format!("{} in {} events", worst.what, grouped(worst.events));
            if let Some((observed, expected)) = worst.observed.zip(worst.expected) {
                let (observed, expected) = (grouped(observed), number(expected));
                explanation += &format!(": {observed} times, and {expected} times are expected");
            }
            explanation += &format!("; p is at most {}", power_of_ten(worst.log10_p));
            judge.broken(Law::Chance, explanation, &[]);
        }
        let description = judge.game.description();
        let shown = match (&description.geometry, description.goal) {
            (Some(_), Some(_)) => COUNTED.len(),
            // The winning tile is the last.
            (Some(_), None) => COUNTED.len() - 1,
            (None, _) => LAWS,
        };
        let mut exercised = Vec::new();
        for (what, count) in COUNTED.into_iter().zip(judge.exercised).take(shown) {
            if what != COUNTED[Law::Chance as usize] {
                exercised.push(Exercise { what, count, is_enough: count >= ENOUGH });
            }
        }
        let not_tested: Vec<_> =
            exercised.iter().filter(|law| law.count == 0).map(|law| law.what).collect();
        Self {
            verdict: match &error {
                _ if !judge.counterexamples.is_empty() => Outcome::Differs,
                Some(_) => Outcome::Stopped,
                None if not_tested.is_empty() => Outcome::Conforms,
                None => Outcome::ConformsInPart,
            },
            steps: judge.at,
            error,
            counterexamples: judge.counterexamples.clone(),
            exercised,
            not_tested,
            illegal_actions: judge.illegal.clone(),
            chance,
            false_alarm: FALSE_ALARM,
        }
    }

    /// Returns the report about `subject` and the game of this name.
    pub fn report(&self, subject: &str, game: &str) -> Report {
        let mut report = Report::of(self);
        report.field("game", game);
        let steps = counted(self.steps, "transition");
        report.line(match self.verdict {
            Outcome::Conforms => format!("{subject} conforms to {game} in {steps}"),
            Outcome::ConformsInPart => {
                let not_tested = self.not_tested.join(", ");
                format!(
                    "{subject} conforms to {game} in what was tested, {steps}; not tested: {not_tested}"
                )
            }
            Outcome::Differs => format!("{subject} is not {game}"),
            Outcome::Stopped => {
                format!("{subject} was not judged to the end; until then it does not differ")
            }
        });
        report.lines(self.error.iter().map(|error| format!("stopped at {error}")));
        for found in &self.counterexamples {
            report.section().line(format!(
                "{}, at {}: {}",
                found.law,
                grouped(found.at),
                found.explanation
            ));
            let mut table = Table::new(&[Align::Left; 3]).indented("  ");
            table.row(found.positions.iter().map(|(title, _)| *title));
            let height = found.boards.iter().map(Vec::len).max().unwrap_or(0);
            for row in 0..height {
                table.row(found.boards.iter().map(|board| board[row].as_str()));
            }
            if height > 0 {
                report.table(table);
            } else {
                let text = |(title, text): &(&str, String)| format!("{title}: {text}");
                report.lines(found.positions.iter().map(text));
            }
        }
        let mut table = Table::new(&[Align::Right, Align::Left, Align::Left]);
        for Exercise { what, count, is_enough } in &self.exercised {
            let note = match count {
                0 => "not tested",
                _ if *is_enough => "",
                _ => "fewer than 1,000",
            };
            table.row([&grouped(*count), *what, note]);
        }
        for (what, count) in &self.illegal_actions {
            table.row([&grouped(*count), &format!("illegal actions: {what}"), ""]);
        }
        report.section().table(table);
        if !self.chance.is_empty() {
            self.report_chance(report.section());
        }
        report
    }

    fn report_chance(&self, report: &mut Report) {
        let mut table = Table::new(&[Align::Left, Align::Right, Align::Right, Align::Right]);
        table.row(["chance", "observed", "expected", "p at most"]);
        let shown: Vec<_> = self.chance.iter().filter(|row| row.is_shown).collect();
        for row in &shown {
            table.row([
                row.what.clone(),
                row.observed.map_or("-".into(), grouped),
                row.expected.map_or("-".into(), number),
                power_of_ten(row.log10_p),
            ]);
        }
        report.table(table).section();
        for row in shown {
            if let Some((expected, found)) = row.expected.zip(row.found_share) {
                let (share, events) = (precise(expected / row.events as f64), grouped(row.events));
                let (what, found) = (&row.what, precise(found));
                report.line(format!(
                    "{what}: a share of {share} is distinguished from {found} after {events}"
                ));
            }
        }
        report.line(format!(
            "Such a share would have been found with probability 0.99, and the chance of a false alarm over \
             all tests of chance is at most {FALSE_ALARM:e}."
        ));
    }
}

/// Returns a probability whose logarithm may be large.
fn power_of_ten(log10: f64) -> String {
    if log10 > -4.0 { precise(10f64.powf(log10)) } else { format!("1e{}", log10.ceil()) }
}
