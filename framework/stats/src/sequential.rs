//! Comparisons that stop as soon as the answer is known, with error rates that hold however
//! often the results are looked at.

use crate::intervals::{ERROR, unseen_share};
use crate::moments::Moments;
use serde::Serialize;

/// Weight of the prior in numbers. The interval is narrowest, among all choices, after about
/// eight times as many numbers.
const PRIOR: f64 = 16.0;

/// Returns half the width of the 95% confidence sequence after these numbers; `None` for few.
///
/// The sequence is an interval after every number, such that with probability 95% all of them
/// contain the mean. So it may be looked at after every number, and acted upon at any time; a usual
/// interval may be looked at once.
///
/// It is the confidence sequence of the t-test with a normal prior on the standardised mean
/// (Lai 1976; Wang and Ramdas 2024), exact for normal numbers with unknown variance. Use means of
/// several games, which are close to normal.
fn half_width_of(numbers: &Moments) -> Option<f64> {
    Some((numbers.squares / numbers.count).sqrt() * half_width(numbers.count)?)
}

/// Returns half the width after this many numbers, in standard deviations.
///
/// The mixture of likelihood ratios against the mean μ is
/// √(c / (n + c)) (V / (V - S² / (n + c)))^(n/2), with V and S the sums of squares and of the
/// deviations from μ, and c the weight of the prior. By Ville's inequality it ever exceeds
/// 1 / error with probability at most `error`; solved for μ, this is the interval.
fn half_width(n: f64) -> Option<f64> {
    let limit = ((n + PRIOR) / (PRIOR * ERROR * ERROR)).powf(1.0 / n);
    let rest = limit * n / (n + PRIOR) - (limit - 1.0);
    (rest > 0.0).then(|| ((limit - 1.0) / rest).sqrt())
}

/// Number of games of each player whose means are compared. The tests of the error rates use
/// this number.
pub const BATCH: u64 = 8;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    A,
    B,
    /// The means differ by less than the margin.
    Equal,
    Undecided,
}

/// A sequential comparison of the mean scores of A and B, fed with means of equally many games
/// of each.
///
/// It may be stopped at any time. With probability at least 95% it never names a player whose
/// mean is not larger, and with at least 95% it never calls means equal that differ by the
/// margin or more.
///
/// Scores that are all equal have a deviation of 0, but games that were not played yet may have
/// other scores. Therefore an interval has a minimum width. By the rule of three, a kind of batch
/// that did not occur among n batches has, with probability 95%, a share of at most about 3 / n of
/// all batches. The minimum width assumes that such a batch scores between 0 and twice the larger
/// mean.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Comparison {
    margin: f64,
    /// A less B: above 0 if A is better.
    difference: Moments,
    /// A less B less the margin, which has the sign of B. A margin without a sign, of each batch,
    /// would have a larger mean than the margin of B's mean, if batches have both signs.
    less_margin: Moments,
    /// A less B plus the margin.
    plus_margin: Moments,
    b: Moments,
}

impl Comparison {
    /// Returns a comparison without results. Means are equal if A's is within `margin`, a share
    /// in (0, 1), of B's.
    pub fn new(margin: f64) -> Self {
        let none = Moments::default();
        Self { margin, difference: none, less_margin: none, plus_margin: none, b: none }
    }

    /// Adds the mean scores of equally many games.
    pub fn push(&mut self, a: f64, b: f64) {
        let margin = self.margin * b;
        self.difference.push(a - b);
        self.less_margin.push(a - b - margin);
        self.plus_margin.push(a - b + margin);
        self.b.push(b);
    }

    pub fn difference(&self) -> f64 {
        self.difference.mean
    }

    /// Returns the interval of the difference, which may be looked at at any time; `None` for few
    /// games, or if all scores are 0.
    pub fn interval(&self) -> Option<[f64; 2]> {
        self.interval_of(&self.difference)
    }

    fn interval_of(&self, numbers: &Moments) -> Option<[f64; 2]> {
        let half = half_width_of(numbers)?.max(self.unseen(numbers.count));
        let mean = numbers.mean;
        (half > 0.0 && half.is_finite()).then_some([mean - half, mean + half])
    }

    /// Returns how far unseen batches may move a mean after `n` batches.
    fn unseen(&self, n: f64) -> f64 {
        let b = self.b.mean;
        let a = b + self.difference.mean;
        unseen_share(n) * a.abs().max(b.abs())
    }

    /// Returns the mean of B, of which the margin is a share.
    pub fn mean_of_b(&self) -> f64 {
        self.b.mean
    }

    pub fn verdict(&self) -> Verdict {
        let sequences = [&self.difference, &self.less_margin, &self.plus_margin];
        match sequences.map(|numbers| self.sign_of(numbers)) {
            [1, ..] => Verdict::A,
            [-1, ..] => Verdict::B,
            // 0 lies between the two means, so the difference lies between the margin and its
            // negative, whichever of them is positive. If the mean of B may be 0, so may the
            // margin, and equality is not accepted.
            [_, 1, -1] | [_, -1, 1] => Verdict::Equal,
            _ => Verdict::Undecided,
        }
    }

    /// Returns 1 or -1, the sign of a mean; 0 while its interval contains 0.
    fn sign_of(&self, numbers: &Moments) -> i8 {
        match self.interval_of(numbers) {
            Some([low, _]) if low > 0.0 => 1,
            Some([_, high]) if high < 0.0 => -1,
            _ => 0,
        }
    }

    /// Estimates the number of pushes after which there is an answer, if the means differ by this
    /// share of B's mean. The estimate uses the deviation so far; `None` if B's mean is 0, if a
    /// mean is not finite, or if the estimate exceeds 64 bits.
    pub fn expected(&self, share: f64) -> Option<u64> {
        let effect = share * self.b.mean.abs();
        let deviation = self.difference.variance().sqrt();
        if !(effect > 0.0 && effect.is_finite() && deviation.is_finite()) {
            return None;
        }
        let half = |n| Some((deviation * half_width(n)?).max(self.unseen(n)));
        let suffices = |n: u64| half(n as f64).is_some_and(|half| half <= effect);
        let mut high = 1;
        while !suffices(high) {
            high = high.checked_mul(2)?;
        }
        let mut low = high / 2;
        while high - low > 1 {
            let middle = low.midpoint(high);
            if suffices(middle) {
                high = middle;
            } else {
                low = middle;
            }
        }
        Some(high)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::results::BatchesLessLuck;
    use crate::results::GameResult;
    use crate::testing::{RealGames, RealScores, exponential, normal};
    use runner_core::Random;

    /// Returns the interval; `None` while it is infinite, which it is for the first numbers, or if
    /// a number was not finite. Numbers that are all equal have an interval of zero width.
    fn interval(numbers: &Moments) -> Option<[f64; 2]> {
        let (mean, half) = (numbers.mean, half_width_of(numbers)?);
        half.is_finite().then_some([mean - half, mean + half])
    }

    /// The mixture of likelihood ratios against a mean of 0, by its definition: an integral over
    /// the standardised mean, and for each an integral over the standard deviation.
    fn mixture(numbers: &[f64]) -> f64 {
        let n = numbers.len() as f64;
        let squares: f64 = numbers.iter().map(|x| x * x).sum();
        let sum: f64 = numbers.iter().sum();
        // Over σ with density 1 / σ, on a logarithmic scale; `δ` is the standardised mean.
        let over_sigma = |delta: f64| -> f64 {
            (-4000..4000)
                .map(|i| {
                    let sigma = (f64::from(i) / 500.0).exp();
                    let exponent = (squares - 2.0 * delta * sigma * sum) / (2.0 * sigma * sigma)
                        + n * delta * delta / 2.0;
                    (-exponent - n * sigma.ln()).exp()
                })
                .sum()
        };
        let density = |delta: f64| (-PRIOR * delta * delta / 2.0).exp();
        let deltas = || (-400..=400).map(|i| f64::from(i) / 200.0);
        let mixed: f64 = deltas().map(|delta| density(delta) * over_sigma(delta)).sum();
        mixed / deltas().map(density).sum::<f64>() / over_sigma(0.0)
    }

    #[test]
    fn interval_holds_the_means_that_the_mixture_does_not_reject() {
        let mut random = Random::from_word(1);
        for n in [12, 40] {
            let numbers: Vec<f64> = (0..n).map(|_| 1.0 + normal(&mut random)).collect();
            let mut sequence = Moments::default();
            numbers.iter().for_each(|&number| sequence.push(number));
            let [low, high] = interval(&sequence).unwrap();
            for end in [low, high] {
                let against: Vec<f64> = numbers.iter().map(|number| number - end).collect();
                let ratio = mixture(&against) * ERROR;
                assert!((ratio - 1.0).abs() < 0.01, "{n}: {ratio} at {end}");
            }
        }
    }

    #[test]
    fn first_numbers_and_infinite_ones_have_no_interval() {
        let mut sequence = Moments::default();
        assert_eq!(interval(&sequence), None);
        sequence.push(1.0);
        assert_eq!(interval(&sequence), None);
        (0..50).for_each(|k| sequence.push(f64::from(k)));
        assert!(interval(&sequence).is_some());
        sequence.push(f64::INFINITY);
        assert_eq!(interval(&sequence), None);
        let mut equal = Moments::default();
        (0..50).for_each(|_| equal.push(3.0));
        assert_eq!(interval(&equal), Some([3.0, 3.0]));
    }

    struct Verdicts(Vec<Verdict>);

    impl Verdicts {
        fn count(&self, verdict: Verdict) -> usize {
            self.0.iter().filter(|&&found| found == verdict).count()
        }
    }

    /// Returns the verdicts of comparisons that are looked at after every push, and the mean
    /// number of pushes until them.
    fn compare(
        runs: u32,
        pushes: u32,
        margin: f64,
        mut draw: impl FnMut() -> (f64, f64),
    ) -> (Verdicts, f64) {
        let mut counts = Vec::new();
        let mut total = 0;
        for _ in 0..runs {
            let mut comparison = Comparison::new(margin);
            for _ in 0..pushes {
                let (a, b) = draw();
                comparison.push(a, b);
                total += 1;
                if comparison.verdict() != Verdict::Undecided {
                    break;
                }
            }
            counts.push(comparison.verdict());
        }
        let mean = f64::from(total) / f64::from(runs);
        (Verdicts(counts), mean)
    }

    /// Returns the mean of a batch of scores as skewed as those of games.
    fn batch(random: &mut Random) -> f64 {
        (0..BATCH).map(|_| exponential(random)).sum::<f64>() / BATCH as f64
    }

    #[test]
    fn equal_players_are_told_apart_in_less_than_5_percent() {
        // 1,000 comparisons, each looked at up to 600 times; without a possible `Equal`, so
        // that none ends early. 50 errors are allowed; their standard deviation is 7.
        let mut random = Random::from_word(2);
        let (verdicts, _) = compare(1000, 600, 1e-9, || (batch(&mut random), batch(&mut random)));
        let wrong = verdicts.count(Verdict::A) + verdicts.count(Verdict::B);
        assert!((1..=50).contains(&wrong), "{wrong} of 1000");
        assert!(verdicts.count(Verdict::A) > 0 && verdicts.count(Verdict::B) > 0);
    }

    #[test]
    fn difference_of_the_margin_is_called_equal_in_less_than_5_percent() {
        let mut random = Random::from_word(3);
        let draw = || (1.1 * batch(&mut random), batch(&mut random));
        let (verdicts, _) = compare(500, 600, 0.1, draw);
        // 25 errors are allowed; their standard deviation is 5.
        assert!(
            verdicts.count(Verdict::Equal) + verdicts.count(Verdict::B) <= 25,
            "{}",
            verdicts.count(Verdict::Equal)
        );
        assert!(verdicts.count(Verdict::A) > 400, "{}", verdicts.count(Verdict::A));
    }

    #[test]
    fn differences_are_found_in_about_the_number_of_games_that_was_said() {
        let mut random = Random::from_word(4);
        let mut pilot = Comparison::new(0.1);
        (0..2000).for_each(|_| pilot.push(batch(&mut random), batch(&mut random)));
        let said = pilot.expected(0.1).unwrap() as f64;
        let (verdicts, mean) =
            compare(200, 5000, 0.01, || (1.1 * batch(&mut random), batch(&mut random)));
        assert!(verdicts.count(Verdict::A) >= 190);
        assert!(0.6 * said < mean && mean < 1.4 * said, "said {said}, took {mean}");
        // Equal players are called equal.
        let (verdicts, _) = compare(200, 5000, 0.1, || (batch(&mut random), batch(&mut random)));
        assert!(verdicts.count(Verdict::Equal) >= 185, "{}", verdicts.count(Verdict::Equal));
    }

    #[test]
    fn equal_scores_are_no_certain_answer_after_a_few_batches() {
        let batches_until_answer = |a: f64, b: f64| {
            let mut comparison = Comparison::new(0.02);
            let until = (1..=1000).find(|_| {
                comparison.push(a, b);
                comparison.verdict() != Verdict::Undecided
            });
            (comparison.verdict(), until, comparison)
        };
        // 3 / n is 2% of the score after about 150 batches.
        let (verdict, until, comparison) = batches_until_answer(256.0, 256.0);
        assert_eq!((verdict, until), (Verdict::Equal, Some(149)));
        assert_eq!(comparison.expected(0.02), until);
        let [low, high] = comparison.interval().unwrap();
        assert!(-5.12 < low && low < -5.0 && high == -low, "{low} {high}");
        // A difference of 5% takes fewer, one of 100% the first interval.
        let (verdict, until, _) = batches_until_answer(256.0, 243.2);
        assert_eq!((verdict, until), (Verdict::A, Some(59)));
        let (verdict, until, _) = batches_until_answer(0.0, 8.0);
        assert_eq!((verdict, until), (Verdict::B, Some(12)));
        // A single other score does not make the rest certain.
        let mut comparison = Comparison::new(0.02);
        (0..100).for_each(|k| comparison.push(if k == 50 { 257.0 } else { 256.0 }, 256.0));
        assert_eq!(comparison.verdict(), Verdict::Undecided);
        let (verdict, until, comparison) = batches_until_answer(0.0, 0.0);
        let nothing = (Verdict::Undecided, None, None);
        assert_eq!((verdict, until, comparison.interval()), nothing);
    }

    #[test]
    fn rare_losses_are_not_called_equal_before_they_are_seen() {
        let mut random = Random::from_word(5);
        // A scores 0 in one game of 200 and else as much as B, so its mean is 0.5% less.
        let mut a = || {
            let score = |_| f64::from(u8::from(random.below(200) > 0));
            (0..BATCH).map(score).sum::<f64>() / BATCH as f64
        };
        let (verdicts, _) = compare(500, 3000, 0.004, || (a(), 1.0));
        // 25 errors are allowed.
        let wrong = verdicts.count(Verdict::Equal) + verdicts.count(Verdict::A);
        assert!(wrong <= 25 && verdicts.count(Verdict::B) > 400, "{wrong} of 500");
    }

    #[test]
    fn rates_are_compared_with_the_same_error() {
        let mut random = Random::from_word(6);
        let mut rate = |p: f64| {
            let reached = |_| f64::from(u8::from(f64::from(random.below(10_000)) < 1e4 * p));
            (0..BATCH).map(reached).sum::<f64>() / BATCH as f64
        };
        // Equal rates, rare and frequent; a margin that is no larger than the difference; rates
        // that differ by more. Of 300 comparisons, 15 errors are allowed.
        for (a, b, margin, right) in [
            (0.5, 0.5, 1e-9, Verdict::Undecided),
            (0.005, 0.005, 1e-9, Verdict::Undecided),
            (0.995, 0.995, 1e-9, Verdict::Undecided),
            (0.98, 1.0, 0.02, Verdict::B),
            (0.0199, 0.01, 0.99, Verdict::A),
            (0.6, 0.5, 0.1, Verdict::A),
        ] {
            let (verdicts, _) = compare(300, 600, margin, || (rate(a), rate(b)));
            let undecided = verdicts.count(Verdict::Undecided);
            let known = if right == Verdict::Undecided { 0 } else { verdicts.count(right) };
            let wrong = 300 - undecided - known;
            assert!(wrong <= 15, "{a} against {b}: {wrong} wrong");
        }
    }

    /// Draws what is compared of a game, with this mean.
    type Figure<'a> = &'a dyn Fn(&mut Random, f64) -> f64;

    /// Numbers with a deviation of five times the mean of B.
    fn both_signs(random: &mut Random, mean: f64) -> f64 {
        mean + 5.0 * normal(random)
    }

    /// Returns true if this verdict is wrong about means that differ by this much.
    fn is_wrong(verdict: Verdict, difference: f64, margin: f64) -> bool {
        match verdict {
            Verdict::A => difference <= 0.0,
            Verdict::B => difference >= 0.0,
            Verdict::Equal => difference.abs() >= margin,
            Verdict::Undecided => false,
        }
    }

    const COMPARISONS: u32 = 1000;

    /// Checks the verdicts about means that differ by this much.
    fn check(name: &str, verdicts: &Verdicts, difference: f64, margin: f64) {
        let wrong = verdicts.0.iter().filter(|&&it| is_wrong(it, difference, margin)).count();
        let open = verdicts.count(Verdict::Undecided);
        println!("{name}, difference {difference}: {wrong} wrong, {open} undecided");
        assert!(wrong <= 50, "{name}, difference {difference}: {wrong} wrong");
    }

    /// The figures of the guide (`tournaments.md`). The means of A and B differ by nothing, by the
    /// margin to either side, and by twice the margin.
    #[test]
    fn wrong_answers_are_at_most_5_percent_for_every_figure_that_is_compared() {
        let real = RealScores::of(1);
        let score = |random: &mut Random, mean: f64| mean * real.draw(random) / real.mean();
        let reached = |random: &mut Random, mean: f64| f64::from(u8::from(random.unit() < mean));
        // The figures, the mean of B, and the margin.
        let inputs: [(&str, f64, f64, Figure<'_>); 6] = [
            ("scores", 1.0, 0.05, &score),
            ("rates", 0.3, 0.1, &reached),
            ("numbers of both signs", 1.0, 0.5, &both_signs),
            ("numbers of both signs, mean of B negative", -1.0, 0.5, &both_signs),
            ("numbers of both signs, mean of B near 0", 0.01, 0.5, &both_signs),
            ("numbers of both signs, mean of B 0", 0.0, 0.5, &both_signs),
        ];
        for (name, b, margin, draw) in inputs {
            // The margin of a mean of 0 is 0.
            let unit = margin * if b == 0.0 { 1.0 } else { f64::abs(b) };
            for difference in [0.0, unit, -unit, 2.0 * unit] {
                let mut random = Random::from_word(7);
                let mut batch = |mean: f64| {
                    (0..BATCH).map(|_| draw(&mut random, mean)).sum::<f64>() / BATCH as f64
                };
                let push = || (batch(b + difference), batch(b));
                let (verdicts, _) = compare(COMPARISONS, 1000, margin, push);
                check(name, &verdicts, difference, margin * b.abs());
            }
        }
    }

    /// The same for scores less luck, whose coefficient the games before estimate. A has the games
    /// of B with larger or smaller scores, but the same luck.
    #[test]
    fn wrong_answers_are_at_most_5_percent_for_scores_less_luck() {
        const MARGIN: f64 = 0.05;
        for player in ["trained", "rows"] {
            let real = RealGames::of(player);
            for difference in [0.0, MARGIN, -MARGIN, 2.0 * MARGIN] {
                let mut random = Random::from_word(8);
                let mut batch = |factor: f64| -> Vec<GameResult> {
                    let game = |_| {
                        let game = real.draw(&mut random);
                        GameResult { score: factor * game.score, ..game }
                    };
                    (0..BATCH).map(game).collect()
                };
                let mut verdicts = Vec::new();
                for _ in 0..COMPARISONS {
                    let mut comparison = Comparison::new(MARGIN);
                    let (mut a, mut b) = (BatchesLessLuck::default(), BatchesLessLuck::default());
                    for _ in 0..1000 {
                        let mean_of_a = a.push(&batch(1.0 + difference));
                        comparison.push(mean_of_a, b.push(&batch(1.0)));
                        if comparison.verdict() != Verdict::Undecided {
                            break;
                        }
                    }
                    verdicts.push(comparison.verdict());
                }
                check(&format!("less luck, {player}"), &Verdicts(verdicts), difference, MARGIN);
            }
        }
    }
}
