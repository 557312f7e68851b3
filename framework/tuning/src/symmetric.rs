//! Eigenvalues and eigenvectors of a symmetric matrix by Jacobi rotations, exact to
//! rounding. Written here for the reason given in `cma_es`: a linear algebra crate for one
//! matrix of a few rows is not worth its build.

/// A square matrix, row by row.
pub type Matrix = Vec<Vec<f64>>;

/// Eigenvalues and eigenvectors: `vectors[i]` belongs to `values[i]`.
pub struct Axes {
    pub values: Vec<f64>,
    pub vectors: Matrix,
}

pub fn identity(size: usize) -> Matrix {
    (0..size).map(|i| (0..size).map(|j| f64::from(u8::from(i == j))).collect()).collect()
}

/// Maximum number of sweeps. Convergence is quadratic, so fewer suffice.
const SWEEPS: usize = 64;

pub fn axes(matrix: &Matrix) -> Axes {
    let size = matrix.len();
    let mut rest = matrix.clone();
    let mut vectors = identity(size);
    for _ in 0..SWEEPS {
        let mut rotated = false;
        for p in 0..size {
            for q in p + 1..size {
                rotated |= rotate(&mut rest, &mut vectors, p, q);
            }
        }
        if !rotated {
            break;
        }
    }
    Axes { values: (0..size).map(|i| rest[i][i]).collect(), vectors }
}

/// Rotates the axes p and q so that their off-diagonal entry becomes 0. Returns false if it
/// was within rounding already.
fn rotate(rest: &mut Matrix, vectors: &mut Matrix, p: usize, q: usize) -> bool {
    let between = rest[p][q];
    if between.abs() <= f64::EPSILON * 1e-2 * (rest[p][p] * rest[q][q]).abs().sqrt() {
        return false;
    }
    let theta = (rest[q][q] - rest[p][p]) / (2.0 * between);
    let tangent = theta.signum() / (theta.abs() + theta.hypot(1.0));
    let cosine = 1.0 / tangent.hypot(1.0);
    let sine = tangent * cosine;
    let turn = |a: &mut f64, b: &mut f64| {
        (*a, *b) = (cosine * *a - sine * *b, sine * *a + cosine * *b);
    };
    for row in rest.iter_mut() {
        let (left, right) = row.split_at_mut(q);
        turn(&mut left[p], &mut right[0]);
    }
    for matrix in [&mut *rest, vectors] {
        let (above, below) = matrix.split_at_mut(q);
        for (a, b) in above[p].iter_mut().zip(&mut below[0]) {
            turn(a, b);
        }
    }
    // A rounding error that stays there would be rotated in each sweep.
    (rest[p][q], rest[q][p]) = (0.0, 0.0);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Random;

    #[test]
    fn eigenvectors_are_orthonormal_and_rebuild_the_matrix() {
        let mut random = Random::from_word(1);
        for size in [1, 2, 3, 10, 30] {
            // A product of a matrix and its mirror image is symmetric and positive.
            let mut entry = || (random.word() >> 11) as f64 / (1u64 << 52) as f64 - 1.0;
            let half: Matrix = (0..size).map(|_| (0..size).map(|_| entry()).collect()).collect();
            let product = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
            let matrix: Matrix =
                half.iter().map(|a| half.iter().map(|b| product(a, b)).collect()).collect();
            let Axes { values, vectors } = axes(&matrix);
            for i in 0..size {
                assert!(values[i] > 0.0);
                for j in 0..size {
                    let unit = f64::from(u8::from(i == j));
                    assert!((product(&vectors[i], &vectors[j]) - unit).abs() < 1e-13);
                    let sum: f64 =
                        (0..size).map(|k| values[k] * vectors[k][i] * vectors[k][j]).sum();
                    assert!((sum - matrix[i][j]).abs() < 1e-12, "{size}: {sum} {}", matrix[i][j]);
                }
            }
        }
    }

    #[test]
    fn diagonal_matrices_are_unchanged() {
        let diagonal = vec![vec![1e-12, 0.0], vec![0.0, 1e12]];
        assert_eq!(axes(&diagonal).values, [1e-12, 1e12]);
        assert_eq!(axes(&identity(3)).vectors, identity(3));
        assert_eq!(axes(&vec![vec![0.0; 2]; 2]).values, [0.0, 0.0]);
        // Eigenvalues 1 and 3.
        let values = axes(&vec![vec![2.0, 1.0], vec![1.0, 2.0]]).values;
        assert!((values[0] - 1.0).abs() < 1e-15 && (values[1] - 3.0).abs() < 1e-15);
    }
}
