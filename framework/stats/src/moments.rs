//! Mean and deviation of numbers that arrive one by one.

/// The mean and the squared deviations of numbers, by Welford's method.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Moments {
    pub count: f64,
    /// 0 without a number.
    pub mean: f64,
    /// The sum of the squared deviations from the mean.
    pub squares: f64,
}

impl Moments {
    pub fn push(&mut self, number: f64) {
        self.count += 1.0;
        let before = number - self.mean;
        self.mean += before / self.count;
        self.squares += before * (number - self.mean);
    }

    /// Returns the variance of the population that the numbers were drawn from; 0 for one number.
    pub fn variance(&self) -> f64 {
        self.squares / (self.count.max(2.0) - 1.0)
    }
}
