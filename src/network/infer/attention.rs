//! The attention of rows to the words that they have written, over the tree of keys and values.
//!
//! The nodes of a row's positions are scattered in memory, so this is not a matrix product. Each head
//! iterates over the positions in its innermost loop: its query and sums then stay in registers, and the
//! processor can fetch many nodes at once.

use pulp::{Arch, Simd, WithSimd};

use super::cache::Cache;
use super::encoder::SCALE;
use super::ops::softmax;
use super::row::InferRow;
use crate::network::weights::HEAD;

/// Rows, and the keys and values of one layer.
pub struct Attention<'a> {
    pub cache: &'a Cache,
    pub layer: usize,
    pub rows: &'a [InferRow],
    /// The output of the attention: [rows, d].
    pub out: &'a mut [f32],
    /// Queries, keys and values of the rows' last words: [rows, 3 d].
    pub qkv: &'a [f32],
    /// Scratch: a number per position.
    pub scores: &'a mut [f32],
}

impl Attention<'_> {
    pub fn run(self) {
        Arch::new().dispatch(self);
    }
}

impl WithSimd for Attention<'_> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Attention { cache, layer, rows, out, qkv, scores } = self;
        let d = out.len() / rows.len().max(1);
        for (row, (out, qkv)) in rows.iter().zip(out.chunks_exact_mut(d).zip(qkv.chunks_exact(3 * d))) {
            let (q, own) = qkv.split_at(d);
            let scores = &mut scores[..row.path.len() + 1];
            for head in (0..d).step_by(HEAD) {
                let q = &q[head..][..HEAD];
                let entry = |node: u32| &cache.kv(node, layer)[head..];
                for (score, &node) in scores.iter_mut().zip(&row.path) {
                    *score = dot(simd, q, &entry(node)[..HEAD]);
                }
                scores[row.path.len()] = dot(simd, q, &own[head..][..HEAD]);
                softmax(scores, SCALE);
                let (out, _) = S::as_mut_simd_f32s(&mut out[head..][..HEAD]);
                for (part, out) in out.iter_mut().enumerate() {
                    let value = |entry: &[f32]| S::as_simd_f32s(&entry[d..][..HEAD]).0[part];
                    let weight = simd.splat_f32s(scores[row.path.len()]);
                    let mut sum = simd.mul_f32s(weight, value(&own[head..]));
                    for (&score, &node) in scores.iter().zip(&row.path) {
                        sum = simd.mul_add_f32s(simd.splat_f32s(score), value(entry(node)), sum);
                    }
                    *out = sum;
                }
            }
        }
    }
}

/// Returns the dot product of two heads.
#[inline(always)]
fn dot<S: Simd>(simd: S, a: &[f32], b: &[f32]) -> f32 {
    let (a, b) = (S::as_simd_f32s(a).0, S::as_simd_f32s(b).0);
    let mut sum = simd.splat_f32s(0.0);
    for (&a, &b) in a.iter().zip(b) {
        sum = simd.mul_add_f32s(a, b, sum);
    }
    simd.reduce_sum_f32s(sum)
}
