//! CMA-ES: maximises a noisy function of a few numbers. It draws points from a normal
//! distribution and adapts its mean, step size and covariance to their ranks.
//!
//! As in Hansen's tutorial (arXiv:1604.00772), with all its defaults: weighted
//! recombination, negative weights for the worse half, cumulation, rank-one and
//! rank-mu updates, cumulative step-size control.
//!
//! Written here because the crate `cmaes` does not expose its state, so a search could not
//! be resumed, and has forty dependencies.

use super::symmetric::{Axes, Matrix, axes, identity};
use runner_core::Random;
use std::f64::consts::TAU;

/// The state of a search between two generations.
#[derive(Clone, Debug, PartialEq)]
pub struct CmaEs {
    population: usize,
    generation: u64,
    mean: Vec<f64>,
    /// Step size, which scales `covariance`.
    step: f64,
    covariance: Matrix,
    /// Evolution paths of the covariance and of the step size.
    path: Vec<f64>,
    step_path: Vec<f64>,
}

/// Weights and learning rates for a number of parameters and points.
struct Rates {
    /// Recombination weights, best rank first.
    weights: Vec<f64>,
    /// Variance-effective number of points of the better half.
    effective: f64,
    path: f64,
    step: f64,
    damping: f64,
    rank_one: f64,
    rank_mu: f64,
    /// Expected length of a standard normal vector.
    length: f64,
}

/// Draws from the standard normal distribution (Box and Muller, 1958).
fn normal(random: &mut Random) -> f64 {
    let radius = (-2.0 * (1.0 - random.unit()).ln()).sqrt();
    radius * (TAU * random.unit()).cos()
}

/// Lower bound of the squared distance that negative weights are divided by.
const SHORTEST: f64 = 1e-12;

/// Returns the number of candidates of a generation for this many parameters.
fn population(size: usize) -> usize {
    4 + (3.0 * (size as f64).ln()).floor() as usize
}

impl CmaEs {
    /// Starts a search at a mean with an isotropic distribution of this step size.
    pub fn new(mean: Vec<f64>, step: f64) -> Self {
        let size = mean.len();
        Self {
            population: population(size),
            generation: 0,
            mean,
            step,
            covariance: identity(size),
            path: vec![0.0; size],
            step_path: vec![0.0; size],
        }
    }

    pub fn population(&self) -> usize {
        self.population
    }

    pub fn generation(&self) -> u64 {
        self.generation
    }

    /// Returns the mean of the distribution, the best estimate of the maximum.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Returns the standard deviation of the distribution, as a mean over all directions.
    pub fn spread(&self) -> f64 {
        let trace: f64 = (0..self.mean.len()).map(|i| self.covariance[i][i]).sum();
        self.step * (trace / self.mean.len() as f64).sqrt()
    }

    /// Draws the points of the next generation.
    pub fn sample(&self, random: &mut Random) -> Vec<Vec<f64>> {
        let shape = self.shape();
        let point = |_| {
            let normals: Vec<f64> = self.mean.iter().map(|_| normal(random)).collect();
            let mut point = self.mean.clone();
            for ((axis, value), normal) in shape.vectors.iter().zip(&shape.values).zip(normals) {
                add(&mut point, self.step * value.sqrt() * normal, axis);
            }
            point
        };
        (0..self.population).map(point).collect()
    }

    /// Updates the distribution from the points of a generation, best first.
    pub fn update(&mut self, ranked: &[Vec<f64>]) {
        let size = self.mean.len();
        let n = size as f64;
        let rates = Rates::new(n, self.population as f64);
        let shape = self.shape();
        let step = self.step;
        let from_mean = |point: &Vec<f64>| -> Vec<f64> {
            point.iter().zip(&self.mean).map(|(x, mean)| (x - mean) / step).collect()
        };
        let moves: Vec<_> = ranked.iter().map(from_mean).collect();
        let mut mean_move = vec![0.0; size];
        for (y, &weight) in moves.iter().zip(&rates.weights).filter(|(_, weight)| **weight > 0.0) {
            add(&mut mean_move, weight, y);
        }
        add(&mut self.mean, step, &mean_move);

        // Step size: a path longer than that of independent steps means that steps are too
        // small.
        let step_rate = rates.step;
        scale(&mut self.step_path, 1.0 - step_rate);
        let factor = (step_rate * (2.0 - step_rate) * rates.effective).sqrt();
        add(&mut self.step_path, factor, &whitened(&shape, &mean_move));
        let length = square(&self.step_path).sqrt();
        self.step *= (step_rate / rates.damping * (length / rates.length - 1.0)).exp();

        // Covariance. Its path pauses while the step size grows fast, because it would only
        // reflect steps that were too small.
        self.generation += 1;
        let begun = 1.0 - (1.0 - step_rate).powf(2.0 * self.generation as f64);
        let waits = length / begun.sqrt() >= (1.4 + 2.0 / (n + 1.0)) * rates.length;
        let path_rate = rates.path;
        scale(&mut self.path, 1.0 - path_rate);
        let mut lost = 0.0;
        if waits {
            lost = rates.rank_one * path_rate * (2.0 - path_rate);
        } else {
            let factor = (path_rate * (2.0 - path_rate) * rates.effective).sqrt();
            add(&mut self.path, factor, &mean_move);
        }
        let total: f64 = rates.weights.iter().sum();
        let kept = 1.0 + lost - rates.rank_one - rates.rank_mu * total;
        self.covariance.iter_mut().for_each(|row| scale(row, kept));
        add_square(&mut self.covariance, rates.rank_one, &self.path);
        for (y, &weight) in moves.iter().zip(&rates.weights) {
            // Negative weights are scaled by the distance of their point, so that the matrix
            // stays positive definite.
            let scaled = if weight < 0.0 {
                weight * n / square(&whitened(&shape, y)).max(SHORTEST)
            } else {
                weight
            };
            add_square(&mut self.covariance, rates.rank_mu * scaled, y);
        }
    }

    /// Returns the axes of the distribution, each with a positive variance.
    fn shape(&self) -> Axes {
        let mut axes = axes(&self.covariance);
        let most = axes.values.iter().copied().fold(f64::MIN_POSITIVE, f64::max);
        // Rounding can make a variance 0 or negative.
        axes.values.iter_mut().for_each(|value| *value = value.max(most * 1e-15));
        axes
    }
}

impl Rates {
    fn new(n: f64, population: f64) -> Self {
        let raw = |rank: usize| ((population + 1.0) / 2.0).ln() - (rank as f64).ln();
        let mut weights: Vec<f64> = (1..=population as usize).map(raw).collect();
        // The tutorial's mu is half the population; the middle of an odd one has weight 0.
        let better = population as usize / 2;
        let sums = |weights: &[f64]| {
            let sum: f64 = weights.iter().sum();
            (sum, sum * sum / square(weights))
        };
        let (sum, effective) = sums(&weights[..better]);
        let (worse_sum, worse_effective) = sums(&weights[better..]);
        let rank_one = 2.0 / ((n + 1.3).powi(2) + effective);
        let wanted =
            2.0 * (0.25 + effective + 1.0 / effective - 2.0) / ((n + 2.0).powi(2) + effective);
        let rank_mu = wanted.min(1.0 - rank_one);
        let worse = (1.0 + rank_one / rank_mu)
            .min(1.0 + 2.0 * worse_effective / (worse_effective + 2.0))
            .min((1.0 - rank_one - rank_mu) / (n * rank_mu));
        for weight in &mut weights {
            *weight *= if *weight >= 0.0 { 1.0 / sum } else { worse / worse_sum.abs() };
        }
        let step = (effective + 2.0) / (n + effective + 5.0);
        let excess = ((effective - 1.0) / (n + 1.0)).sqrt() - 1.0;
        Self {
            weights,
            effective,
            path: (4.0 + effective / n) / (n + 4.0 + 2.0 * effective / n),
            step,
            damping: 1.0 + 2.0 * excess.max(0.0) + step,
            rank_one,
            rank_mu,
            length: n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n)),
        }
    }
}

/// Returns a vector in coordinates in which the distribution is isotropic.
fn whitened(shape: &Axes, vector: &[f64]) -> Vec<f64> {
    let mut all = vec![0.0; vector.len()];
    for (axis, value) in shape.vectors.iter().zip(&shape.values) {
        let along: f64 = axis.iter().zip(vector).map(|(a, b)| a * b).sum();
        add(&mut all, along / value.sqrt(), axis);
    }
    all
}

fn add(sum: &mut [f64], factor: f64, vector: &[f64]) {
    sum.iter_mut().zip(vector).for_each(|(sum, x)| *sum += factor * x);
}

fn scale(vector: &mut [f64], factor: f64) {
    vector.iter_mut().for_each(|x| *x *= factor);
}

fn square(vector: &[f64]) -> f64 {
    vector.iter().map(|x| x * x).sum()
}

/// Adds the outer product of a vector with itself.
fn add_square(matrix: &mut Matrix, factor: f64, vector: &[f64]) {
    for (row, a) in matrix.iter_mut().zip(vector) {
        // This order of the factors rounds both sides of the diagonal alike.
        row.iter_mut().zip(vector).for_each(|(entry, b)| *entry += factor * (a * b));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns true if all numbers are finite and the covariance is symmetric.
    fn is_sound(search: &CmaEs) -> bool {
        let size = search.mean.len();
        let finite =
            |vector: &Vec<f64>| vector.len() == size && vector.iter().all(|x| x.is_finite());
        search.step.is_finite()
            && search.step > 0.0
            && [&search.mean, &search.path, &search.step_path].into_iter().all(finite)
            && search.covariance.len() == size
            && search.covariance.iter().all(finite)
            && (0..size).all(|i| (0..i).all(|j| search.covariance[i][j] == search.covariance[j][i]))
    }

    /// Minimises a function; returns the number of points until the target, or `None` if that
    /// is more than allowed.
    fn points_until(
        target: f64,
        allowed: usize,
        mut search: CmaEs,
        seed: u64,
        f: impl Fn(&[f64]) -> f64,
    ) -> Option<usize> {
        let mut random = Random::from_word(seed);
        for points in (0..allowed).step_by(search.population) {
            if f(&search.mean) < target {
                return Some(points);
            }
            let mut ranked = search.sample(&mut random);
            ranked.sort_by(|a, b| f(a).total_cmp(&f(b)));
            search.update(&ranked);
            assert!(is_sound(&search));
        }
        None
    }

    /// Returns the median number of points over the seeds.
    fn median(target: f64, allowed: usize, search: &CmaEs, f: impl Fn(&[f64]) -> f64) -> usize {
        let mut points: Vec<_> = (0..11)
            .map(|seed| points_until(target, allowed, search.clone(), seed, &f))
            .map(|points| points.unwrap_or(usize::MAX))
            .collect();
        points.sort_unstable();
        println!("{points:?}");
        points[5]
    }

    fn from_ones(size: usize) -> CmaEs {
        CmaEs::new(vec![1.0; size], 0.5)
    }

    #[test]
    fn population_and_rates_are_those_of_the_tutorial() {
        assert_eq!([1, 2, 5, 10, 40].map(population), [4, 6, 8, 10, 15]);
        // For ten parameters and ten points the author's program prints `(5_w,10)-aCMA-ES
        // (mu_w=3.2,w_1=45%)`.
        let rates = Rates::new(10.0, 10.0);
        assert!((rates.weights[..5].iter().sum::<f64>() - 1.0).abs() < 1e-15);
        assert!((rates.effective - 3.2).abs() < 0.05 && (rates.weights[0] - 0.45).abs() < 0.01);
        let spread = Rates::new(3.0, 7.0).weights;
        // ln(4 / 4) = 0: the middle of seven has weight 0.
        assert!(spread.is_sorted_by(|a, b| a > b) && spread[3].abs() < 1e-15, "{spread:?}");
    }

    #[test]
    fn samples_have_the_mean_and_the_covariance() {
        let mut search = CmaEs { population: 100_000, ..CmaEs::new(vec![5.0, -3.0], 2.0) };
        search.covariance = vec![vec![2.0, 1.0], vec![1.0, 1.0]];
        let points = search.sample(&mut Random::from_word(1));
        let mean = |f: &dyn Fn(&Vec<f64>) -> f64| points.iter().map(f).sum::<f64>() / 1e5;
        // The standard error of the first mean is 2 * sqrt(2) / sqrt(100,000) = 0.009; of
        // the first variance, 8, it is 8 * sqrt(2 / 100,000) = 0.036.
        assert!((mean(&|p| p[0]) - 5.0).abs() < 0.04 && (mean(&|p| p[1]) + 3.0).abs() < 0.03);
        assert!((mean(&|p| (p[0] - 5.0).powi(2)) - 8.0).abs() < 0.15);
        assert!((mean(&|p| (p[0] - 5.0) * (p[1] + 3.0)) - 4.0).abs() < 0.1);
        assert!((mean(&|p| (p[1] + 3.0).powi(2)) - 4.0).abs() < 0.08);
    }

    #[test]
    fn sphere_is_minimised_in_the_expected_number_of_points() {
        let sphere = |x: &[f64]| square(x);
        for (size, allowed) in [(1, 200), (2, 420), (5, 1200), (10, 2300)] {
            let points = median(1e-12, 10 * allowed, &from_ones(size), sphere);
            assert!(points < allowed, "{size}: {points}");
        }
    }

    #[test]
    fn ellipsoid_is_minimised_in_any_orientation() {
        // The orientation must not matter: along the axes, and rotated.
        let stretched = |x: &[f64]| -> f64 {
            let power = |i: usize| 1e6f64.powf(i as f64 / (x.len() - 1) as f64);
            x.iter().enumerate().map(|(i, x)| power(i) * x * x).sum()
        };
        let turned = |x: &[f64]| {
            // Householder's reflection at the plane across (1, 2, 3, ...).
            let normal: Vec<f64> = (1..=x.len()).map(|i| i as f64).collect();
            let along =
                2.0 * x.iter().zip(&normal).map(|(x, n)| x * n).sum::<f64>() / square(&normal);
            let turned: Vec<_> = x.iter().zip(&normal).map(|(x, n)| x - along * n).collect();
            stretched(&turned)
        };
        let straight = median(1e-10, 20_000, &from_ones(5), stretched);
        let turned = median(1e-10, 20_000, &from_ones(5), turned);
        assert!(straight < 2000 && turned < 2000, "{straight} {turned}");
    }

    #[test]
    fn rosenbrock_is_minimised() {
        let rosenbrock = |x: &[f64]| -> f64 {
            x.windows(2).map(|w| 100.0 * (w[0] * w[0] - w[1]).powi(2) + (w[0] - 1.0).powi(2)).sum()
        };
        let start = CmaEs { population: 8, ..CmaEs::new(vec![0.0; 5], 0.5) };
        let points = median(1e-10, 40_000, &start, rosenbrock);
        assert!(points < 2500, "{points}");
    }

    #[test]
    fn step_size_grows_on_a_slope() {
        let points = median(-1e6, 5000, &from_ones(5), |x| x[0]);
        assert!(points < 550, "{points}");
    }
}
