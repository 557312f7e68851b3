//! Products of row-major matrices.

use std::ops::Range;
use wide::f32x16;

const LANES: usize = 16;
/// Rows of the result that one pass over the inner dimension computes.
const ROWS: usize = 6;
/// Vectors of each of these rows. All sums fit the registers: 32 of 512 bits, or 16 of 256 bits,
/// two of which hold a vector.
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
    add::<false>(a, k, b, c, n);
}

/// Adds the product of the transpose of `a` (k x m) and `b` (k x n) to `c` (m x n), as
/// [`add_product`] does.
///
/// # Panics
///
/// If the lengths do not fit.
pub fn add_transposed_product(a: &[f32], b: &[f32], c: &mut [f32], m: usize, n: usize) {
    assert!(m > 0 && n > 0 && c.len() == m * n);
    assert!(a.len().is_multiple_of(m) && b.len().is_multiple_of(n) && a.len() / m == b.len() / n);
    add::<true>(a, m, b, c, n);
}

/// Adds a product. `a`, whose rows have `columns` elements, is transposed if `T`.
fn add<const T: bool>(a: &[f32], columns: usize, b: &[f32], c: &mut [f32], n: usize) {
    if c.is_empty() {
        return;
    }
    let k = b.len() / n;
    for first in (0..n).step_by(VECTORS * LANES) {
        let width = (n - first).min(VECTORS * LANES);
        let stride = width.next_multiple_of(LANES);
        // The last vector of a row may reach into the next row, whose elements are ignored. The
        // last rows, where it would reach over the end of the matrix, are copied.
        let whole = b.len().checked_sub(first + stride).map_or(0, |last| (last / n + 1).min(k));
        let mut copied = vec![0.0; (k - whole) * stride];
        for (out, row) in copied.chunks_exact_mut(stride).zip(b.chunks_exact(n).skip(whole)) {
            out[..width].copy_from_slice(&row[first..first + width]);
        }
        let direct = Right { elements: &b[first..], stride: n, rows: 0..whole };
        for b in [direct, Right { elements: &copied, stride, rows: whole..k }] {
            let c = &mut c[first..];
            match (b.rows.len(), stride / LANES) {
                (0, _) => {}
                (_, 4) => panel::<T, 4>(a, columns, &b, c, n, width),
                (_, 3) => panel::<T, 3>(a, columns, &b, c, n, width),
                (_, 2) => panel::<T, 2>(a, columns, &b, c, n, width),
                _ => panel::<T, 1>(a, columns, &b, c, n, width),
            }
        }
    }
}

/// Some rows and columns of `b`.
struct Right<'a> {
    elements: &'a [f32],
    /// Elements from a row to the next.
    stride: usize,
    rows: Range<usize>,
}

/// Computes the first `width` columns of the result, which V vectors hold. Rows of `c` are `n`
/// elements apart.
fn panel<const T: bool, const V: usize>(
    a: &[f32],
    columns: usize,
    b: &Right<'_>,
    c: &mut [f32],
    n: usize,
    width: usize,
) {
    let m = (c.len() - width) / n + 1;
    for (row, c) in (0..m).step_by(ROWS).zip(c.chunks_mut(ROWS * n)) {
        let from = if T { b.rows.start * columns + row } else { row * columns + b.rows.start };
        let a = &a[from..];
        match m - row {
            1 => tile::<T, 1, V>(a, columns, b, c, n, width),
            2 => tile::<T, 2, V>(a, columns, b, c, n, width),
            3 => tile::<T, 3, V>(a, columns, b, c, n, width),
            4 => tile::<T, 4, V>(a, columns, b, c, n, width),
            5 => tile::<T, 5, V>(a, columns, b, c, n, width),
            _ => tile::<T, ROWS, V>(a, columns, b, c, n, width),
        }
    }
}

/// Computes M rows of a panel.
#[inline(always)]
fn tile<const T: bool, const M: usize, const V: usize>(
    a: &[f32],
    columns: usize,
    b: &Right<'_>,
    c: &mut [f32],
    n: usize,
    width: usize,
) {
    let mut elements = [[0.0; LANES]; V];
    let mut sums: [[f32x16; V]; M] = std::array::from_fn(|row| {
        elements.as_flattened_mut()[..width].copy_from_slice(&c[row * n..][..width]);
        elements.map(f32x16::new)
    });
    let k = b.rows.len();
    let rows: [&[f32]; M] = std::array::from_fn(|row| if T { a } else { &a[row * columns..][..k] });
    for p in 0..k {
        let b = &b.elements[p * b.stride..][..V * LANES];
        let b: [f32x16; V] = std::array::from_fn(|v| load(&b[v * LANES..]));
        let column = if T { &a[p * columns..][..M] } else { &[] };
        for (row, sums) in sums.iter_mut().enumerate() {
            let factor = f32x16::splat(if T { column[row] } else { rows[row][p] });
            sums.iter_mut().zip(b).for_each(|(sum, b)| *sum = fused(factor, b, *sum));
        }
    }
    for (c, sums) in c.chunks_mut(n).zip(sums) {
        c[..width].copy_from_slice(&sums.map(f32x16::to_array).as_flattened()[..width]);
    }
}

#[inline(always)]
fn load(elements: &[f32]) -> f32x16 {
    f32x16::new(*elements.first_chunk().expect("a vector"))
}

/// Returns `a * b + sum`, rounded once. Learning must not depend on the processor, so
/// one without such an instruction computes the same sum, more slowly.
#[inline(always)]
fn fused(a: f32x16, b: f32x16, sum: f32x16) -> f32x16 {
    if cfg!(any(target_feature = "fma", target_arch = "aarch64")) {
        return a.mul_add(b, sum);
    }
    let [a, b, sum] = [a, b, sum].map(f32x16::to_array);
    f32x16::new(std::array::from_fn(|k| a[k].mul_add(b[k], sum[k])))
}

/// Writes the transpose of `a`, whose rows have `columns` elements.
pub fn transpose(a: &[f32], columns: usize, out: &mut [f32]) {
    let rows = a.len() / columns;
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
        for (m, k, n) in [
            (1, 1, 1),
            (5, 3, 4),
            (6, 16, 16),
            (13, 7, 39),
            (20, 33, 5),
            (7, 1, 100),
            (9, 300, 133),
        ] {
            let (a, b) = (random(m * k, &mut stream), random(k * n, &mut stream));
            let before = random(m * n, &mut stream);
            let mut c = before.clone();
            add_product(&a, &b, &mut c, k, n);
            let (mut transposed, mut same) = (vec![0.0; m * k], before.clone());
            transpose(&a, k, &mut transposed);
            add_transposed_product(&transposed, &b, &mut same, m, n);
            assert_eq!(c, same, "{m} x {k} x {n}");
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
}
