//! The operations of the model: matrix products, norms, softmax, rotations.
//!
//! Products use `gemm`. The other operations are loops over a fixed number of lanes, which the compiler
//! vectorises for the widest instructions that `pulp` finds on the processor. No order of summation, and so
//! no result, depends on the number of rows that are computed together.

use gemm_common::Parallelism;
use gemm_f32::gemm::f32::get_gemm_fn;

use crate::network::weights::HEAD;

/// Number of floats that are processed in parallel.
const LANES: usize = 16;
/// Number of products that `gemm` sums at once for any number of rows. It would split longer sums at lengths
/// that depend on the rows.
const INNER: usize = 512;
/// Keeps the divisor of a norm above 0.
const EPSILON: f32 = 1e-5;

/// A row-major matrix in a slice.
#[derive(Clone, Copy)]
pub struct View<'a> {
    data: &'a [f32],
    rows: usize,
    columns: usize,
    /// Distances between rows and between columns.
    strides: [usize; 2],
}

impl<'a> View<'a> {
    /// Returns a view of a whole matrix.
    pub fn new(data: &'a [f32], rows: usize, columns: usize) -> View<'a> {
        View::wide(data, rows, columns, columns)
    }

    /// Returns a view of some columns of rows that are `stride` apart.
    pub fn wide(data: &'a [f32], rows: usize, columns: usize, stride: usize) -> View<'a> {
        assert!(
            rows == 0 || columns == 0 || (columns <= stride && (rows - 1) * stride + columns <= data.len())
        );
        View { data, rows, columns, strides: [stride, 1] }
    }

    /// Returns a view of those of the given columns that exist.
    fn part(self, columns: std::ops::Range<usize>) -> View<'a> {
        let end = columns.end.min(self.columns);
        let from = (columns.start * self.strides[1]).min(self.data.len());
        View { data: &self.data[from..], columns: end.saturating_sub(columns.start), ..self }
    }

    pub fn transposed(self) -> View<'a> {
        let [row, column] = self.strides;
        View { rows: self.columns, columns: self.rows, strides: [column, row], ..self }
    }
}

/// Computes `out = x w`; the rows of `out` are `stride` apart. If `w` is not transposed, a row of the result
/// does not depend on the number of rows. (Adding to `out` would break this: `gemm` then starts the sum of a
/// single row differently.)
pub fn product(out: &mut [f32], stride: usize, x: View, w: View) {
    let (first, rest) = (x.part(0..INNER), INNER..x.columns.max(INNER));
    product_of_part(out, stride, first, w.transposed().part(0..INNER).transposed());
    if rest.is_empty() {
        return;
    }
    let mut part = vec![0.0; x.rows * w.columns];
    for from in rest.step_by(INNER) {
        let w = w.transposed().part(from..from + INNER).transposed();
        product_of_part(&mut part, w.columns, x.part(from..from + INNER), w);
        for (out, part) in out.chunks_mut(stride).zip(part.chunks_exact(w.columns)) {
            add(&mut out[..w.columns], part);
        }
    }
}

/// Computes the product of at most [`INNER`] columns with as many rows.
fn product_of_part(out: &mut [f32], stride: usize, x: View, w: View) {
    let (rows, inner, columns) = (x.rows, x.columns, w.columns);
    assert_eq!(inner, w.rows);
    if rows == 0 || columns == 0 {
        return;
    }
    assert!(columns <= stride && (rows - 1) * stride + columns <= out.len());
    // SAFETY: the constructors of the views checked the lengths of `x` and `w` against shapes and strides,
    // and the assertion above checked that of `out`. `out` is borrowed exclusively, so nothing overlaps.
    unsafe {
        get_gemm_fn()(
            columns,
            rows,
            inner,
            out.as_mut_ptr(),
            stride as isize,
            1,
            false,
            w.data.as_ptr(),
            w.strides[0] as isize,
            w.strides[1] as isize,
            x.data.as_ptr(),
            x.strides[0] as isize,
            x.strides[1] as isize,
            0.0,
            1.0,
            false,
            false,
            false,
            Parallelism::None,
        );
    }
}

/// Defines functions whose bodies are compiled for each instruction width and dispatched to the widest that
/// the processor supports. (Functions called in a body must be inlined into it. A long closure passed to
/// `pulp` would not be.)
macro_rules! kernels {
    ($($(#[$meta:meta])* pub fn $name:ident<'a>($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $(#[$meta])*
        pub fn $name<'a>($($arg: $ty),*) {
            struct Kernel<'a> { $($arg: $ty),* }
            impl<'a> pulp::WithSimd for Kernel<'a> {
                type Output = ();
                #[inline(always)]
                fn with_simd<S: pulp::Simd>(self, _: S) {
                    let Kernel { $($arg),* } = self;
                    $body
                }
            }
            pulp::Arch::new().dispatch(Kernel { $($arg),* });
        }
    )*};
}
kernels! {
    /// Divides each row of `x` by its root mean square and multiplies it by the gain.
    pub fn norm<'a>(out: &'a mut [f32], x: &'a [f32], gain: &'a [f32]) {
        for (out, x) in out.chunks_exact_mut(gain.len()).zip(x.chunks_exact(gain.len())) {
            let scale = 1.0 / (dot(x, x) / x.len() as f32 + EPSILON).sqrt();
            for ((out, x), gain) in out.iter_mut().zip(x).zip(gain) {
                *out = x * scale * gain;
            }
        }
    }

    /// Computes `x += y`.
    pub fn add<'a>(x: &'a mut [f32], y: &'a [f32]) {
        for (x, y) in x.iter_mut().zip(y) {
            *x += y;
        }
    }

    /// Replaces negative numbers by 0.
    pub fn relu<'a>(x: &'a mut [f32]) {
        for x in x {
            *x = x.max(0.0);
        }
    }

    /// Replaces each row of scores, times `scale`, by weights that sum to 1.
    pub fn softmax_rows<'a>(scores: &'a mut [f32], columns: usize, scale: f32) {
        for row in scores.chunks_exact_mut(columns) {
            softmax(row, scale);
        }
    }

    /// Computes e to the power of `scale` times (each number minus the greatest).
    pub fn exponentials<'a>(out: &'a mut [f32], x: &'a [f32], scale: f32) {
        let greatest = maximum(x);
        for (out, x) in out.iter_mut().zip(x) {
            *out = exp((x - greatest) * scale);
        }
    }
}

/// Rotates the heads of a row by the angles of its position: `turn` holds 16 cosines, then 16 sines.
pub fn rotate(heads: &mut [f32], turn: &[f32; HEAD]) {
    let (cosines, sines) = turn.split_at(HEAD / 2);
    for head in heads.as_chunks_mut::<HEAD>().0 {
        let (low, high) = head.split_at_mut(HEAD / 2);
        for j in 0..HEAD / 2 {
            let (a, b) = (low[j], high[j]);
            low[j] = a * cosines[j] - b * sines[j];
            high[j] = b * cosines[j] + a * sines[j];
        }
    }
}

/// Returns the cosines and sines of positions `0 .. count`.
pub fn turns(count: usize) -> Vec<[f32; HEAD]> {
    let turn = |position: usize| {
        let mut turn = [0.0; HEAD];
        for j in 0..HEAD / 2 {
            let angle = position as f64 * 10_000f64.powf(-(j as f64) / 16.0);
            turn[j] = angle.cos() as f32;
            turn[HEAD / 2 + j] = angle.sin() as f32;
        }
        turn
    };
    (0..count).map(turn).collect()
}

// The functions below are inlined into those that `pulp` dispatches.

/// Returns the dot product, summed in lanes.
#[inline(always)]
fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0; LANES];
    let (a, b) = (a.as_chunks::<LANES>(), b.as_chunks::<LANES>());
    for (a, b) in a.0.iter().zip(b.0) {
        for lane in 0..LANES {
            sums[lane] += a[lane] * b[lane];
        }
    }
    a.1.iter().zip(b.1).fold(fold(sums, |a, b| a + b), |sum, (a, b)| sum + a * b)
}

/// Replaces scores, times `scale`, by weights that sum to 1.
#[inline(always)]
pub fn softmax(row: &mut [f32], scale: f32) {
    let greatest = maximum(row);
    let (chunks, rest) = row.as_chunks_mut::<LANES>();
    let mut sums = [0.0; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            chunk[lane] = exp((chunk[lane] - greatest) * scale);
            sums[lane] += chunk[lane];
        }
    }
    let mut sum = fold(sums, |a, b| a + b);
    for x in rest {
        *x = exp((*x - greatest) * scale);
        sum += *x;
    }
    let scale = 1.0 / sum;
    for x in row {
        *x *= scale;
    }
}

/// Returns the greatest number.
#[inline(always)]
fn maximum(row: &[f32]) -> f32 {
    let (chunks, rest) = row.as_chunks::<LANES>();
    let mut lanes = [f32::NEG_INFINITY; LANES];
    for chunk in chunks {
        for lane in 0..LANES {
            lanes[lane] = lanes[lane].max(chunk[lane]);
        }
    }
    rest.iter().fold(fold(lanes, f32::max), |greatest, x| greatest.max(*x))
}

#[inline(always)]
fn fold(mut lanes: [f32; LANES], join: impl Fn(f32, f32) -> f32) -> f32 {
    let mut width = LANES / 2;
    while width > 0 {
        for lane in 0..width {
            lanes[lane] = join(lanes[lane], lanes[lane + width]);
        }
        width /= 2;
    }
    lanes[0]
}

/// Returns e to the power of x, for x ≤ 0, to about 2 parts in 10⁷; 0 below −87. (The range is reduced to ±ln
/// 2 / 2, where a polynomial of degree 6 suffices: `expf` of Cephes.)
#[inline(always)]
fn exp(x: f32) -> f32 {
    // Adding and subtracting 1.5 · 2²³ rounds to an integer.
    const ROUND: f32 = 12_582_912.0;
    let x = x.max(-87.0);
    let n = (x * std::f32::consts::LOG2_E + ROUND) - ROUND;
    let r = x - n * 0.693_359_4 + n * 2.121_944_4e-4;
    let mut y = 1.987_569_1e-4;
    for coefficient in [1.398_2e-3, 8.333_452e-3, 4.166_579_6e-2, 0.166_666_65, 0.5] {
        y = y * r + coefficient;
    }
    let y = y * r * r + r + 1.0;
    let power = f32::from_bits(((n as i32 + 127) as u32) << 23);
    if x <= -87.0 { 0.0 } else { y * power }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: usize, seed: usize) -> Vec<f32> {
        (0..count).map(|i| ((i * 7_919 + seed * 104_729) % 1_009) as f32 / 504.5 - 1.0).collect()
    }

    #[test]
    fn exponential_is_accurate() {
        for i in 0..87_000 {
            let x = -(i as f32) / 1_000.0;
            let expected = f64::from(x).exp();
            assert!((f64::from(exp(x)) - expected).abs() <= 3e-7 * expected, "{x}");
        }
        assert_eq!([exp(0.0), exp(-87.5), exp(f32::NEG_INFINITY)], [1.0, 0.0, 0.0]);
    }

    #[test]
    fn matrix_products_match_plain_loops() {
        for (rows, inner, columns) in [(1, 32, 32), (3, 7, 5), (17, 96, 33), (5, 1_200, 40)] {
            let (x, w) = (numbers(rows * inner, 1), numbers(inner * columns, 2));
            let mut out = vec![7.0; rows * columns];
            let expected: Vec<f32> = (0..rows * columns)
                .map(|i| {
                    (0..inner).map(|j| x[i / columns * inner + j] * w[j * columns + i % columns]).sum::<f32>()
                })
                .collect();
            product(&mut out, columns, View::new(&x, rows, inner), View::new(&w, inner, columns));
            assert!(out.iter().zip(&expected).all(|(a, b)| (a - b).abs() < 1e-4), "{rows} {inner} {columns}");
        }
    }

    #[test]
    fn a_row_does_not_depend_on_its_neighbours() {
        for (inner, columns) in [
            (32, 96),
            (64, 64),
            (96, 384),
            (128, 128),
            (512, 128),
            (128, 512),
            (128, 437),
            (1_024, 256),
            (33, 40),
        ] {
            let (x, w) = (numbers(130 * inner, 1), numbers(inner * columns, 2));
            let of = |rows: usize| {
                let mut out = vec![7.0; rows * columns];
                product(&mut out, columns, View::new(&x, rows, inner), View::new(&w, inner, columns));
                out
            };
            let all = of(130);
            for rows in [1, 2, 3, 5, 8, 15, 16, 17, 31, 64, 100] {
                assert!(of(rows) == all[..rows * columns], "{rows} of {inner} × {columns}");
            }
        }
    }
}
