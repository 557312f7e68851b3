//! Mean and deviation of numbers that arrive one by one.

/// The mean and the squared deviations of numbers, by Welford's method.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Moments {
    count: u64,
    mean: f64,
    squares: f64,
}

impl Moments {
    pub fn push(&mut self, number: f64) {
        self.count += 1;
        let before = number - self.mean;
        self.mean += before / self.count as f64;
        self.squares += before * (number - self.mean);
    }

    pub fn count(&self) -> u64 {
        self.count
    }

    /// Returns the mean; 0 without a number.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Returns the sum of the squared deviations from the mean.
    pub fn squares(&self) -> f64 {
        self.squares
    }

    /// Returns the variance of the population that the numbers were drawn from; 0 for one number.
    pub fn variance(&self) -> f64 {
        self.squares / (self.count.max(2) - 1) as f64
    }
}
