//! The model of `docs/neural.md` as differentiable tensors.
//!
//! The rows of a batch are concatenated, so that every matrix product is one large product. Only attention
//! distinguishes batches and heads.

use burn_tensor::{Device, Int, Tensor, TensorData, activation};

use super::batch::TrainingBatch;
use crate::network::vocabulary::TARGETS;
use crate::network::weights::{Config, HEAD, Weights, tensors};

/// Added to the scores of masked positions.
const HIDDEN: f32 = -1e9;

/// All weights, in the order of [`tensors`]. Vectors are matrices of one row.
#[derive(Clone)]
pub struct TrainingModel {
    pub config: Config,
    pub tensors: Vec<Tensor<2>>,
}

/// A batch on the device: `B` rows, sources of `S` words, targets of `T` words.
pub struct TrainingInput {
    source: AttentionTables,
    target: AttentionTables,
    /// The words and four features of the sources, `[B S]` each.
    columns: [Tensor<1, Int>; 5],
    /// The decoder's input words, `[B T]`.
    given: Tensor<1, Int>,
    /// The expected output words, `[B T, 1]`.
    pub wanted: Tensor<2, Int>,
    /// The weight of each output word, `[B T, 1]`.
    pub weight: Tensor<2>,
    /// The mask for attention from targets to sources, `[B, 1, 1, S]`.
    across: Tensor<4>,
}

/// The tables that attention needs for the positions of one side.
struct AttentionTables {
    rows: usize,
    length: usize,
    /// The cosines and sines of the rotary positions, `[1, 1, length, HEAD]`.
    cos: Tensor<4>,
    sin: Tensor<4>,
    /// The matrix that maps (x_low, x_high) to (-x_high, x_low), `[1, 1, HEAD, HEAD]`. A product is cheaper than
    /// slicing and concatenating.
    crossed: Tensor<4>,
    /// The mask added to the scores of self-attention.
    mask: Tensor<4>,
}

impl TrainingInput {
    pub fn new(batch: &TrainingBatch, device: &Device) -> TrainingInput {
        let (rows, source, target) = (batch.rows, batch.source, batch.target);
        let ints = |values: &[i32]| {
            Tensor::<1, Int>::from_data(TensorData::new(values.to_vec(), [values.len()]), device)
        };
        let mut across = vec![0.0; rows * source];
        for (row, &length) in batch.lengths.iter().enumerate() {
            across[row * source + length..(row + 1) * source].fill(HIDDEN);
        }
        let across = floats(across, [rows, 1, 1, source], device);
        let causal = (0..target * target).map(|i| if i % target > i / target { HIDDEN } else { 0.0 });
        let causal = floats(causal.collect(), [1, 1, target, target], device);
        TrainingInput {
            source: AttentionTables::new(rows, source, across.clone(), device),
            target: AttentionTables::new(rows, target, causal, device),
            columns: std::array::from_fn(|i| ints(&batch.columns[i])),
            given: ints(&batch.given),
            wanted: ints(&batch.wanted).reshape([rows * target, 1]),
            weight: Tensor::from_data(TensorData::new(batch.weight.clone(), [rows * target, 1]), device),
            across,
        }
    }
}

impl AttentionTables {
    fn new(rows: usize, length: usize, mask: Tensor<4>, device: &Device) -> AttentionTables {
        let angles = (0..length * HEAD).map(|i| {
            let (position, j) = (i / HEAD, i % (HEAD / 2));
            position as f32 * 10_000f32.powf(-(j as f32) / (HEAD / 2) as f32)
        });
        let table = |f: fn(f32) -> f32| floats(angles.clone().map(f).collect(), [1, 1, length, HEAD], device);
        let crossed = (0..HEAD * HEAD).map(|i| match (i / HEAD, i % HEAD) {
            (from, to) if from == to + HEAD / 2 => -1.0,
            (from, to) if to == from + HEAD / 2 => 1.0,
            _ => 0.0,
        });
        let crossed = floats(crossed.collect(), [1, 1, HEAD, HEAD], device);
        AttentionTables { rows, length, cos: table(f32::cos), sin: table(f32::sin), crossed, mask }
    }
}

fn floats(values: Vec<f32>, shape: [usize; 4], device: &Device) -> Tensor<4> {
    Tensor::from_data(TensorData::new(values, shape), device)
}

/// The weights of one attention or feed-forward block, in the table's order.
type TrainingPart<'a> = &'a [Tensor<2>];

impl TrainingModel {
    /// Loads weights onto a device. Gradients are tracked if the device supports automatic differentiation.
    pub fn new(weights: &Weights, device: &Device) -> TrainingModel {
        let table = tensors(&weights.config);
        let load = |tensor: &crate::network::weights::Tensor| {
            let values = weights.data[tensor.offset..tensor.offset + tensor.len()].to_vec();
            let loaded = Tensor::from_data(TensorData::new(values, [tensor.rows, tensor.columns]), device);
            if device.is_autodiff() { loaded.require_grad() } else { loaded }
        };
        TrainingModel { config: weights.config, tensors: table.iter().map(load).collect() }
    }

    /// Returns the logits of each possible output word, `[B T, TARGETS]`.
    pub fn logits(&self, input: &TrainingInput) -> Tensor<2> {
        let mut rest = &self.tensors[..];
        let mut take = |n: usize| -> TrainingPart {
            let (part, behind) = rest.split_at(n);
            rest = behind;
            part
        };
        let tables = take(5);
        let mut x = tables[0].clone().select(0, input.columns[0].clone());
        for (table, column) in tables.iter().zip(&input.columns).skip(1) {
            x = x + table.clone().select(0, column.clone());
        }
        for _ in 0..self.config.layers {
            x = self_attention(x, take(5), &input.source);
            x = feed_forward(x, take(3));
        }
        let read_gain = &take(1)[0];
        let read = norm(x);
        let mut y = tables[0].clone().select(0, input.given.clone());
        for _ in 0..self.config.layers {
            y = self_attention(y, take(5), &input.target);
            y = cross_attention(y, read.clone(), read_gain, take(5), input);
            y = feed_forward(y, take(3));
        }
        let words = tables[0].clone().slice_dim(0, 0..TARGETS) * take(1)[0].clone();
        norm(y).matmul(words.transpose())
    }

    /// Returns the weighted sum of −ln p of the expected words, divided by `total`. With weights 0 and 1 this is the
    /// cross-entropy (eq. 4). With advantages as weights it is a surrogate with the gradient of eq. 5.
    pub fn loss(&self, input: &TrainingInput, total: f32) -> Tensor<1> {
        let log_p = activation::log_softmax(self.logits(input), 1).gather(1, input.wanted.clone());
        (log_p * input.weight.clone()).sum().div_scalar(-total)
    }
}

/// Returns x / sqrt(mean(x²) + 1e-5) by rows. The gain is applied to the next matrix instead: (n · g) W = n (g W),
/// which is far less work.
fn norm(x: Tensor<2>) -> Tensor<2> {
    let scale = x.clone().square().mean_dim(1).add_scalar(1e-5).sqrt().recip();
    x * scale
}

/// Applies gains to the input dimension of each matrix.
fn gained<const N: usize>(gain: &Tensor<2>, matrices: [&Tensor<2>; N]) -> [Tensor<2>; N] {
    let column = gain.clone().transpose();
    matrices.map(|matrix| matrix.clone() * column.clone())
}

fn feed_forward(x: Tensor<2>, part: TrainingPart) -> Tensor<2> {
    let [gain, up, down] = part else { unreachable!("a feed-forward has three tensors") };
    let [up] = gained(gain, [up]);
    x.clone() + activation::relu(norm(x).matmul(up)).matmul(down.clone())
}

/// Self-attention with rotary positions.
fn self_attention(x: Tensor<2>, part: TrainingPart, side: &AttentionTables) -> Tensor<2> {
    let [gain, q, k, v, out] = part else { unreachable!("an attention has five tensors") };
    let n = norm(x.clone());
    let [q, k, v] = gained(gain, [q, k, v]).map(|matrix| by_head(n.clone().matmul(matrix), side));
    x + attend(rotate(q, side), rotate(k, side), v, side.mask.clone()).matmul(out.clone())
}

/// Attention from the targets to the encoded source `read`, `[B S, d]`, with gains `read_gain`.
fn cross_attention(
    x: Tensor<2>,
    read: Tensor<2>,
    read_gain: &Tensor<2>,
    part: TrainingPart,
    input: &TrainingInput,
) -> Tensor<2> {
    let [gain, q, k, v, out] = part else { unreachable!("an attention has five tensors") };
    let [q] = gained(gain, [q]);
    let q = by_head(norm(x.clone()).matmul(q), &input.target);
    let [k, v] = gained(read_gain, [k, v]).map(|matrix| by_head(read.clone().matmul(matrix), &input.source));
    x + attend(q, k, v, input.across.clone()).matmul(out.clone())
}

/// Reshapes `[B length, H HEAD]` to `[B, H, length, HEAD]`.
fn by_head(x: Tensor<2>, side: &AttentionTables) -> Tensor<4> {
    let heads = x.dims()[1] / HEAD;
    x.reshape([side.rows, side.length, heads, HEAD]).swap_dims(1, 2)
}

/// Rotates each pair (x_j, x_{j + HEAD / 2}) by its position's angle.
fn rotate(x: Tensor<4>, side: &AttentionTables) -> Tensor<4> {
    x.clone() * side.cos.clone() + x.matmul(side.crossed.clone()) * side.sin.clone()
}

/// Returns softmax(q k / sqrt(HEAD)) v with the heads joined, `[B length, d]`.
fn attend(q: Tensor<4>, k: Tensor<4>, v: Tensor<4>, mask: Tensor<4>) -> Tensor<2> {
    let [rows, heads, length, _] = q.dims();
    let scores = q.mul_scalar(1.0 / (HEAD as f32).sqrt()).matmul(k.swap_dims(2, 3)) + mask;
    let mixed = activation::softmax(scores, 3).matmul(v);
    mixed.swap_dims(1, 2).reshape([rows * length, heads * HEAD])
}
