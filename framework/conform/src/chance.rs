//! Tests of observed chance outcomes against their exact distributions.

use runner_core::geometry::Geometry;
use runner_core::{Afterstate, Game, Outcome, Random, State};
use runner_laws::goodness_of_fit::{log_bound, log_bound_of_sum};
use serde::Serialize;
use std::collections::BTreeMap;

/// The chance that any test of a run rejects an implementation that follows the rules.
pub const FALSE_ALARM: f64 = 1e-6;
/// The probability with which a deviation of the size that a row names would have been found.
const POWER: f64 = 0.99;
/// Number of equally likely classes into which the outcomes of each event are divided.
const CLASSES: usize = 16;
/// The share of the alarm of a bound that assumes fixed probabilities. Probabilities that depend on
/// earlier outcomes allow one exponent of a fixed list of this many, instead of the best one.
const EXPONENTS: f64 = 64.0;

/// A property of an outcome: what enters a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Property {
    /// A tile of this rank, this many times.
    Tile(u8, usize),
    Cell(usize),
    /// A value of a field beside the board.
    Field(usize, u128),
}

/// How often a property was observed, and how often it was expected.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    events: u64,
    observed: u64,
    expected: f64,
    /// True if its probability was not the same in all events.
    varies: bool,
}

impl Count {
    fn add(&mut self, probability: f64, is_observed: bool) {
        let before = self.expected / self.events.max(1) as f64;
        self.varies |= self.events > 0 && (before - probability).abs() > 1e-9;
        self.events += 1;
        self.observed += u64::from(is_observed);
        self.expected += probability;
    }

    /// Returns the logarithm of the probability of a deviation as large as that of `observed`, or
    /// a bound.
    fn log_p(&self, observed: u64) -> f64 {
        let Self { events: n, expected, varies, .. } = *self;
        let p = expected / n as f64;
        let log_p = match observed as f64 > expected {
            _ if varies => log_bound_of_sum(observed, expected, n) + EXPONENTS.ln(),
            true => 2f64.ln() + log_upper_tail(n, observed, p),
            false => 2f64.ln() + log_upper_tail(n, n - observed, 1.0 - p),
        };
        log_p.min(0.0)
    }

    /// Returns the smallest share above the expected one that the test would have found with
    /// probability [`POWER`], if there is one.
    fn found_share(&self, log_alarm: f64) -> Option<f64> {
        let (mut accepted, mut rejected) = (self.expected as u64, self.events);
        if self.log_p(rejected) >= log_alarm {
            return None;
        }
        while rejected - accepted > 1 {
            let middle = accepted.midpoint(rejected);
            let is_rejected = self.log_p(middle) < log_alarm;
            *(if is_rejected { &mut rejected } else { &mut accepted }) = middle;
        }
        let n = self.events;
        let (mut low, mut high) = (rejected as f64 / n as f64, 1.0);
        for _ in 0..40 {
            let share = (low + high) / 2.0;
            // The probability of fewer, `rejected` being below the mean.
            let missed = log_upper_tail(n, n - rejected + 1, 1.0 - share).exp();
            *(if missed > 1.0 - POWER { &mut low } else { &mut high }) = share;
        }
        Some(high)
    }
}

#[derive(Clone, Debug, Serialize)]
pub struct ChanceTest {
    pub what: String,
    pub events: u64,
    pub observed: Option<u64>,
    pub expected: Option<f64>,
    /// The logarithm of the probability of such a deviation, at most.
    pub log10_p: f64,
    /// The smallest share that would have been found with probability 0.99.
    pub found_share: Option<f64>,
    pub is_rejected: bool,
    /// False if a report for people leaves it out.
    #[serde(skip)]
    pub is_shown: bool,
}

/// The observed outcomes of a run. Those of starts come first, then those of other chance events.
pub struct Chance {
    random: Random,
    counts: [BTreeMap<Property, Count>; 2],
    classes: [[u64; CLASSES]; 2],
}

impl Chance {
    pub fn new(random: Random) -> Self {
        Self { random, counts: Default::default(), classes: Default::default() }
    }

    /// Counts a start position: among all of them, if the game lists them, else among it and one
    /// that the rules draw, which are then equally likely to be the one that is seen.
    pub fn start<G: Game>(&mut self, game: &G, starts: Option<&[Outcome]>, seen: State) {
        if let Some(starts) = starts {
            return self.outcome(game, None, starts, seen);
        }
        let drawn = game.start(self.random.word());
        if drawn != seen {
            let two = [seen, drawn].map(|state| Outcome { state, probability: 0.5 });
            self.outcome(game, None, &two, seen);
        }
    }

    /// Counts a chance outcome that is one of `outcomes`, after an action or at the start.
    pub fn outcome<G: Game>(
        &mut self,
        game: &G,
        after: Option<Afterstate>,
        outcomes: &[Outcome],
        seen: State,
    ) {
        let kind = usize::from(after.is_some());
        let before = after.map_or(0, Afterstate::bits);
        let board = game.description().geometry.as_ref();
        let mut probabilities: BTreeMap<Property, (f64, bool)> = BTreeMap::new();
        // The place of the outcome in [0, 1), in the order of bits. A random place within the
        // probability of the outcome makes it uniform, whatever the distribution is.
        let mut place = 0.0;
        for &Outcome { state, probability } in outcomes {
            if state.bits() <= seen.bits() {
                let share = if state == seen { self.random.unit() } else { 1.0 };
                place += probability * share;
            }
            for property in board.map_or(Vec::new(), |board| entered(board, before, state.bits())) {
                let (sum, is_observed) = probabilities.entry(property).or_default();
                *sum += probability;
                *is_observed |= state == seen;
            }
        }
        self.classes[kind][((place * CLASSES as f64) as usize).min(CLASSES - 1)] += 1;
        for (property, (probability, is_observed)) in probabilities {
            if probability < 1.0 - 1e-9 {
                self.counts[kind].entry(property).or_default().add(probability, is_observed);
            }
        }
    }

    /// Returns all tests.
    pub fn rows<G: Game>(&self, game: &G) -> Vec<ChanceTest> {
        let tests = self.counts.iter().map(BTreeMap::len).sum::<usize>() + self.classes.len();
        let log_alarm = (FALSE_ALARM / tests as f64).ln();
        let mut rows = Vec::new();
        for (kind, title) in ["start: ", ""].into_iter().enumerate() {
            for (property, count) in &self.counts[kind] {
                let name = property.name(game.description().geometry.as_ref());
                let log_p = count.log_p(count.observed);
                let is_rejected = log_p < log_alarm;
                let is_main = kind == 1 && !matches!(property, Property::Cell(_));
                rows.push(ChanceTest {
                    what: format!("{title}{name}"),
                    events: count.events,
                    observed: Some(count.observed),
                    expected: Some(count.expected),
                    log10_p: log_p / 10f64.ln(),
                    found_share: count.found_share(log_alarm),
                    is_rejected,
                    is_shown: is_main || is_rejected,
                });
            }
            let log_p = log_bound(&self.classes[kind], &[1.0 / CLASSES as f64; CLASSES]);
            rows.push(ChanceTest {
                what: format!("{title}all outcomes in {CLASSES} classes"),
                events: self.classes[kind].iter().sum(),
                observed: None,
                expected: None,
                log10_p: log_p / 10f64.ln(),
                found_share: None,
                is_rejected: log_p < log_alarm,
                is_shown: true,
            });
        }
        rows.retain(|row| row.events > 0);
        rows
    }
}

/// Returns the properties of an outcome: the tiles that entered with their cells, and the fields.
fn entered(board: &Geometry, before: u128, next: u128) -> Vec<Property> {
    let mut tiles: BTreeMap<u8, usize> = BTreeMap::new();
    let mut properties = Vec::new();
    for cell in 0..board.cells() {
        let rank = board.rank(next, cell);
        if rank != board.rank(before, cell) {
            *tiles.entry(rank).or_default() += 1;
            properties.push(Property::Cell(cell));
        }
    }
    properties.extend(tiles.into_iter().map(|(rank, times)| Property::Tile(rank, times)));
    for (number, field) in board.extra_fields.iter().enumerate() {
        properties.push(Property::Field(number, (next & field.mask()) >> field.bit));
    }
    properties
}

impl Property {
    fn name(self, board: Option<&Geometry>) -> String {
        let Some(board) = board else { return String::new() };
        match self {
            Self::Tile(rank, 1) => format!("a {} enters", board.values[usize::from(rank)]),
            Self::Tile(rank, times) => format!("{times} times {}", board.values[usize::from(rank)]),
            Self::Cell(cell) => {
                format!("a tile in row {}, column {}", cell / board.cols + 1, cell % board.cols + 1)
            }
            Self::Field(number, value) => {
                let field = &board.extra_fields[number];
                let label = field.labels.get(value as usize).filter(|label| !label.is_empty());
                format!("{} is {}", field.name, label.unwrap_or(&value.to_string()))
            }
        }
    }
}

/// Returns the logarithm of the probability of at least `k` successes in `n` draws, exactly. `k`
/// is not below the mean, so that the terms of the sum fall, and `p` is neither 0 nor 1.
fn log_upper_tail(n: u64, k: u64, p: f64) -> f64 {
    let (mut term, mut sum) = (1.0, 1.0);
    for i in k..n {
        term *= (n - i) as f64 / (i + 1) as f64 * p / (1.0 - p);
        sum += term;
        if term < 1e-17 * sum {
            break;
        }
    }
    let ways = log_factorial(n) - log_factorial(k) - log_factorial(n - k);
    ways + k as f64 * p.ln() + (n - k) as f64 * (-p).ln_1p() + f64::ln(sum)
}

/// Returns the logarithm of n!, by Stirling's series from 16 on.
fn log_factorial(n: u64) -> f64 {
    if n < 16 {
        return (2..=n).map(|k| (k as f64).ln()).sum();
    }
    let n = n as f64;
    let correction = 1.0 / (12.0 * n) - 1.0 / (360.0 * n.powi(3)) + 1.0 / (1260.0 * n.powi(5));
    n * n.ln() - n + 0.5 * (std::f64::consts::TAU * n).ln() + correction
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The probabilities of 0 to 30 successes, by repeated convolution.
    fn binomial(n: usize, p: f64) -> Vec<f64> {
        let mut all = vec![1.0];
        for _ in 0..n {
            let with_zero = |k: usize| all.get(k).copied().unwrap_or(0.0);
            let next =
                |k: usize| with_zero(k) * (1.0 - p) + k.checked_sub(1).map_or(0.0, with_zero) * p;
            all = (0..=all.len()).map(next).collect();
        }
        all
    }

    #[test]
    fn tails_are_exact() {
        for (n, p) in [(1, 0.3), (17, 0.5), (30, 0.1), (30, 0.97)] {
            let all = binomial(n, p);
            for k in (n as f64 * p).ceil() as usize..=n {
                let exact = all[k..].iter().sum::<f64>().ln();
                let tail = log_upper_tail(n as u64, k as u64, p);
                assert!((tail - exact).abs() < 1e-9, "{n} {k} {p}: {tail}, not {exact}");
            }
        }
    }

    /// R: binom.test(10500, 1e5, 0.1) by its doubled upper tail 1.7e-7.
    #[test]
    fn counts_far_from_the_mean_have_the_tail_of_the_normal_distribution() {
        let mut count = Count::default();
        (0..100_000).for_each(|_| count.add(0.1, false));
        let p = count.log_p(10_500).exp();
        // 5.27 standard deviations with the correction for continuity; the tail is slightly skewed.
        assert!((1.3e-7..2.2e-7).contains(&p), "{p}");
        assert_eq!(count.log_p(10_000), 0.0);
    }

    #[test]
    fn share_that_is_found_is_found_in_99_of_100_runs() {
        let mut count = Count::default();
        (0..60_000).for_each(|_| count.add(0.1, false));
        let log_alarm = (FALSE_ALARM / 40.0).ln();
        let share = count.found_share(log_alarm).unwrap();
        let mut random = Random::from_word(1);
        let found = (0..300).filter(|_| {
            let observed = (0..60_000).filter(|_| random.unit() < share).count();
            count.log_p(observed as u64) < log_alarm
        });
        assert!((290..=300).contains(&found.count()), "{share}");
        assert!((0.1..0.11).contains(&share), "{share}");
    }

    /// Probabilities that vary are tested by a bound, which rejects less.
    #[test]
    fn bound_for_varying_probabilities_is_above_the_exact_tail() {
        let (mut equal, mut varying) = (Count::default(), Count::default());
        for k in 0..4_000 {
            equal.add(0.2, false);
            varying.add(if k % 2 == 0 { 0.1 } else { 0.3 }, false);
        }
        for observed in [0, 500, 700, 900, 1_000, 2_000] {
            assert!(varying.log_p(observed) > equal.log_p(observed), "{observed}");
            assert!(varying.log_p(observed) < 0.0 || (600..1_000).contains(&observed));
        }
    }
}
