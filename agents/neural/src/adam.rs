//! The optimizer Adam (Kingma and Ba, 2015), and its constants of that paper.

const BETA_1: f32 = 0.9;
const BETA_2: f32 = 0.999;
/// Keeps the divisor above 0.
const EPSILON: f32 = 1e-8;

#[derive(Clone, Debug, PartialEq)]
pub struct Adam {
    pub steps: u64,
    pub means: Vec<f32>,
    pub squares: Vec<f32>,
}

impl Adam {
    /// Creates the state before the first step for this number of parameters.
    pub fn new(parameters: usize) -> Self {
        Self { steps: 0, means: vec![0.0; parameters], squares: vec![0.0; parameters] }
    }

    /// Makes a step against a gradient. `decay` is the weight of the squared norm of the
    /// parameters in the loss.
    ///
    /// # Panics
    ///
    /// If the numbers of parameters differ.
    pub fn step(&mut self, parameters: &mut [f32], gradient: &[f32], rate: f32, decay: f32) {
        assert_eq!((parameters.len(), gradient.len()), (self.means.len(), self.means.len()));
        self.steps += 1;
        let unbiased = |beta: f32| 1.0 - f64::from(beta).powf(self.steps as f64) as f32;
        let (unbiased_1, unbiased_2) = (unbiased(BETA_1), unbiased(BETA_2));
        let moments = self.means.iter_mut().zip(&mut self.squares);
        for ((parameter, gradient), (mean, square)) in
            parameters.iter_mut().zip(gradient).zip(moments)
        {
            let gradient = gradient + 2.0 * decay * *parameter;
            *mean = BETA_1 * *mean + (1.0 - BETA_1) * gradient;
            *square = BETA_2 * *square + (1.0 - BETA_2) * gradient * gradient;
            let size = (*square / unbiased_2).sqrt() + EPSILON;
            *parameter -= rate * (*mean / unbiased_1) / size;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_step_has_the_size_of_the_rate_whatever_the_gradient() {
        for gradient in [1e-3, 1.0, -50.0_f32] {
            let (mut adam, mut parameters) = (Adam::new(1), [2.0]);
            adam.step(&mut parameters, &[gradient], 0.01, 0.0);
            let expected = 2.0 - 0.01 * gradient.signum();
            assert!((parameters[0] - expected).abs() < 1e-5, "{gradient}: {parameters:?}");
        }
    }

    #[test]
    fn a_quadratic_function_is_minimised() {
        let (mut adam, mut x) = (Adam::new(2), [5.0, -3.0]);
        for _ in 0..2000 {
            let gradient = [2.0 * (x[0] - 1.0), 20.0 * (x[1] - 2.0)];
            adam.step(&mut x, &gradient, 0.05, 0.0);
        }
        assert!((x[0] - 1.0).abs() < 1e-2 && (x[1] - 2.0).abs() < 1e-2, "{x:?}");
    }
}
