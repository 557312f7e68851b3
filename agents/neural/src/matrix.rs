//! Products of row-major matrices.

use wide::f32x16;

const LANES: usize = 16;
/// Rows of the result that one pass over the inner dimension computes.
const ROWS: usize = 6;
/// Vectors of each of these rows. All sums fit the registers: 32 of 512 bits, or 16 of 256 bits, two of
/// which hold a vector.
const VECTORS: usize = if cfg!(target_feature = "avx512f") { 4 } else { 1 };

/// Adds the product of `a` (m x k) and `b` (k x n) to `c` (m x n). Each element is the sum in
/// the order of the inner dimension, so a row of `c` does not depend on the number of rows.
///
/// # Panics
///
/// If the lengths do not fit.
pub fn add_product(a: &[f32], b: &[f32], c: &mut [f32], k: usize, n: usize) {
    assert!(k > 0 && n > 0 && b.len() == k * n);
    assert!(a.len().is_multiple_of(k) && c.len().is_multiple_of(n) && a.len() / k == c.len() / n);
    if a.is_empty() {
        return;
    }
    let mut column = 0;
    while column + VECTORS * LANES <= n {
        columns::<VECTORS>(a, &b[column..], n, &mut c[column..], n, k);
        column += VECTORS * LANES;
    }
    while column + LANES <= n {
        columns::<1>(a, &b[column..], n, &mut c[column..], n, k);
        column += LANES;
    }
    if column < n {
        last_columns(a, b, c, k, n, column);
    }
}

/// Computes the columns from `column` on, fewer than a vector has, in matrices that are filled up
/// to its length.
fn last_columns(a: &[f32], b: &[f32], c: &mut [f32], k: usize, n: usize, column: usize) {
    let padded = |rows: &[f32]| {
        let mut out = vec![0.0; rows.len() / n * LANES];
        for (out, row) in out.chunks_exact_mut(LANES).zip(rows.chunks_exact(n)) {
            out[..n - column].copy_from_slice(&row[column..]);
        }
        out
    };
    let mut sums = padded(c);
    columns::<1>(a, &padded(b), LANES, &mut sums, LANES, k);
    for (row, sums) in c.chunks_exact_mut(n).zip(sums.chunks_exact(LANES)) {
        row[column..].copy_from_slice(&sums[..n - column]);
    }
}

/// Computes the first V vectors of each row of the result. Rows of `b` and of `c` are
/// `b_stride` and `c_stride` elements apart.
#[inline(always)]
fn columns<const V: usize>(
    a: &[f32],
    b: &[f32],
    b_stride: usize,
    c: &mut [f32],
    c_stride: usize,
    k: usize,
) {
    for (a, c) in a.chunks(ROWS * k).zip(c.chunks_mut(ROWS * c_stride)) {
        match a.len() / k {
            6 => tile::<6, V>(a, b, b_stride, c, c_stride, k),
            5 => tile::<5, V>(a, b, b_stride, c, c_stride, k),
            4 => tile::<4, V>(a, b, b_stride, c, c_stride, k),
            3 => tile::<3, V>(a, b, b_stride, c, c_stride, k),
            2 => tile::<2, V>(a, b, b_stride, c, c_stride, k),
            _ => tile::<1, V>(a, b, b_stride, c, c_stride, k),
        }
    }
}

/// Computes the first V vectors of M rows.
#[inline(always)]
fn tile<const M: usize, const V: usize>(
    a: &[f32],
    b: &[f32],
    b_stride: usize,
    c: &mut [f32],
    c_stride: usize,
    k: usize,
) {
    let load = |row: &[f32], v: usize| {
        f32x16::new(*row[v * LANES..].first_chunk::<LANES>().expect("a vector"))
    };
    let a: [&[f32]; M] = std::array::from_fn(|row| &a[row * k..][..k]);
    let mut sums: [[f32x16; V]; M] =
        std::array::from_fn(|row| std::array::from_fn(|v| load(&c[row * c_stride..], v)));
    for (p, b) in b.chunks(b_stride).take(k).enumerate() {
        let b: [f32x16; V] = std::array::from_fn(|v| load(b, v));
        for (a, sums) in a.iter().zip(&mut sums) {
            let factor = f32x16::splat(a[p]);
            sums.iter_mut().zip(b).for_each(|(sum, b)| *sum = fused(factor, b, *sum));
        }
    }
    for (row, sums) in sums.iter().enumerate() {
        for (v, sum) in sums.iter().enumerate() {
            c[row * c_stride + v * LANES..][..LANES].copy_from_slice(&sum.to_array());
        }
    }
}

/// Returns `a * b + sum`, rounded once. What a network learns must not depend on the processor, so
/// one without such an instruction computes the same, more slowly.
#[inline(always)]
fn fused(a: f32x16, b: f32x16, sum: f32x16) -> f32x16 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        return a.mul_add(b, sum);
    }
    let [a, b, sum] = [a, b, sum].map(f32x16::to_array);
    f32x16::new(std::array::from_fn(|k| a[k].mul_add(b[k], sum[k])))
}

/// Writes the transpose of `a`, whose rows have `columns` elements.
pub fn transpose(a: &[f32], columns: usize, out: &mut Vec<f32>) {
    let rows = a.len() / columns;
    out.clear();
    out.resize(a.len(), 0.0);
    // Blocks, so that the lines of both matrices stay in the cache.
    const BLOCK: usize = 16;
    for top in (0..rows).step_by(BLOCK) {
        for left in (0..columns).step_by(BLOCK) {
            for row in top..rows.min(top + BLOCK) {
                for column in left..columns.min(left + BLOCK) {
                    out[column * rows + row] = a[row * columns + column];
                }
            }
        }
    }
}

pub fn add_rows(rows: &[f32], sums: &mut [f32]) {
    for row in rows.chunks_exact(sums.len()) {
        sums.iter_mut().zip(row).for_each(|(sum, x)| *sum += x);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use runner_core::Random;

    fn random(count: usize, random: &mut Random) -> Vec<f32> {
        (0..count).map(|_| random.below(1000) as f32 / 500.0 - 1.0).collect()
    }

    #[test]
    fn products_equal_those_by_definition_whatever_the_shape() {
        let mut stream = Random::from_word(1);
        for (m, k, n) in
            [(1, 1, 1), (5, 3, 4), (6, 16, 16), (13, 7, 39), (20, 33, 5), (7, 1, 100), (9, 20, 133)]
        {
            let (a, b) = (random(m * k, &mut stream), random(k * n, &mut stream));
            let before = random(m * n, &mut stream);
            let mut c = before.clone();
            add_product(&a, &b, &mut c, k, n);
            for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
                let sum: f32 = (0..k).map(|p| a[i * k + p] * b[p * n + j]).sum();
                let expected = before[i * n + j] + sum;
                assert!((c[i * n + j] - expected).abs() < 1e-4, "{m} x {k} x {n}");
            }
        }
    }

    /// Built for a processor without the instruction, this shows that learning does not depend on
    /// it.
    #[test]
    fn each_term_is_added_with_one_rounding() {
        let mut stream = Random::from_word(4);
        let (m, k, n) = (7, 50, 39);
        let (a, b) = (random(m * k, &mut stream), random(k * n, &mut stream));
        let a: Vec<f32> = a.iter().map(|x| x / 3.0).collect();
        let mut c = vec![0.0; m * n];
        add_product(&a, &b, &mut c, k, n);
        for (i, j) in (0..m).flat_map(|i| (0..n).map(move |j| (i, j))) {
            let add = |sum, p| f32::mul_add(a[i * k + p], b[p * n + j], sum);
            assert_eq!(c[i * n + j], (0..k).fold(0.0, add), "{i} {j}");
        }
    }

    #[test]
    fn a_row_does_not_depend_on_the_number_of_rows() {
        let mut stream = Random::from_word(2);
        let (k, n) = (37, 23);
        let (a, b) = (random(9 * k, &mut stream), random(k * n, &mut stream));
        let mut all = vec![0.0; 9 * n];
        add_product(&a, &b, &mut all, k, n);
        for (a, expected) in a.chunks(k).zip(all.chunks(n)) {
            let mut one = vec![0.0; n];
            add_product(a, &b, &mut one, k, n);
            assert_eq!(one, expected);
        }
    }

    #[test]
    fn transposing_twice_gives_the_matrix() {
        let mut stream = Random::from_word(3);
        let a = random(19 * 35, &mut stream);
        let (mut once, mut twice) = (Vec::new(), Vec::new());
        transpose(&a, 35, &mut once);
        assert_eq!(once[7 * 19 + 3], a[3 * 35 + 7]);
        transpose(&once, 19, &mut twice);
        assert_eq!(a, twice);
    }
}
