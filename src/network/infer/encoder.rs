//! The encoder: computes, once per function, the keys and values to which the decoder's layers attend.

use crate::network::source::Source;
use crate::network::weights::HEAD;

use super::model::{FeedForward, InferModel, SelfAttention};
use super::ops::{View, add, norm, product, relu, rotate, softmax_rows};

/// The reciprocal of the square root of a head's width.
pub const SCALE: f32 = 0.176_776_7;

/// The encoded source that the decoder reads.
#[derive(Clone, Debug, Default)]
pub struct EncoderMemory {
    /// Number of words of the source.
    pub words: usize,
    /// For each layer of the decoder, the keys, with a column per word: [d, words].
    pub keys: Vec<Vec<f32>>,
    /// For each layer, the values: [words, d].
    pub values: Vec<Vec<f32>>,
}

/// Working memory, reused for the next function.
#[derive(Default)]
pub struct EncoderScratch {
    x: Vec<f32>,
    h: Vec<f32>,
    qkv: Vec<f32>,
    inner: Vec<f32>,
    scores: Vec<f32>,
}

impl EncoderMemory {
    /// Returns the allocated bytes.
    pub fn bytes(&self) -> u64 {
        self.keys.iter().chain(&self.values).map(|list| list.capacity() as u64 * 4).sum()
    }
}

impl EncoderScratch {
    /// Returns the allocated bytes.
    pub fn bytes(&self) -> u64 {
        let lists = [&self.x, &self.h, &self.qkv, &self.inner, &self.scores];
        lists.iter().map(|list| list.capacity() as u64 * 4).sum()
    }
}

/// Returns the encoder's normalised output, [words, d], which is stored in `scratch`.
pub fn encode<'s>(model: &InferModel, source: &Source, scratch: &'s mut EncoderScratch) -> &'s [f32] {
    let (n, d) = (source.words.len(), model.config.width);
    let EncoderScratch { x, h, qkv, inner, scores } = scratch;
    x.clear();
    for (i, &word) in source.words.iter().enumerate() {
        let features = [source.ty[i], source.depth[i], source.statement[i], source.height[i]];
        let from = x.len();
        x.extend_from_slice(model.embed.row(word as usize));
        for (table, &feature) in model.features.iter().zip(&features) {
            let row = table.row(usize::from(feature).min(table.rows - 1));
            x[from..].iter_mut().zip(row).for_each(|(x, y)| *x += y);
        }
    }
    h.resize(n * d, 0.0);
    qkv.resize(n * 3 * d, 0.0);
    inner.resize(n * model.config.inner(), 0.0);
    scores.resize(n * n, 0.0);
    for (attention, feed) in &model.encoder {
        attend(model, attention, n, x, h, qkv, scores);
        feed_forward(feed, n, x, h, inner);
    }
    norm(h, x, &model.encoder_norm);
    h
}

/// Encodes a source, and computes the keys and values for the decoder's layers.
pub fn encode_prompt(
    model: &InferModel,
    source: &Source,
    scratch: &mut EncoderScratch,
    memory: &mut EncoderMemory,
) {
    let (n, d) = (source.words.len(), model.config.width);
    encode(model, source, scratch);
    let EncoderScratch { h: encoded, x: straight, .. } = scratch;
    memory.words = n;
    memory.keys.resize_with(model.decoder.len(), Vec::new);
    memory.values.resize_with(model.decoder.len(), Vec::new);
    for (layer, (_, cross, _)) in model.decoder.iter().enumerate() {
        product(straight, d, View::new(encoded, n, d), cross.k.view());
        let keys = &mut memory.keys[layer];
        keys.clear();
        keys.extend((0..d).flat_map(|column| straight.iter().skip(column).step_by(d)));
        let values = &mut memory.values[layer];
        values.resize(n * d, 0.0);
        product(values, d, View::new(encoded, n, d), cross.v.view());
    }
}

fn attend(
    model: &InferModel,
    attention: &SelfAttention,
    n: usize,
    x: &mut [f32],
    h: &mut [f32],
    qkv: &mut [f32],
    scores: &mut [f32],
) {
    let d = model.config.width;
    norm(h, x, &attention.norm);
    product(qkv, 3 * d, View::new(h, n, d), attention.qkv.view());
    for (row, turn) in qkv.chunks_exact_mut(3 * d).zip(&model.turns) {
        rotate(&mut row[..2 * d], turn);
    }
    for head in (0..d).step_by(HEAD) {
        let part = |offset: usize| View::wide(&qkv[offset + head..], n, HEAD, 3 * d);
        product(scores, n, part(0), part(d).transposed());
        softmax_rows(scores, n, SCALE);
        product(&mut h[head..], d, View::new(scores, n, n), part(2 * d));
    }
    let out = &mut qkv[..n * d];
    product(out, d, View::new(h, n, d), attention.out.view());
    add(x, out);
}

/// Applies the feed-forward to `n` rows.
pub fn feed_forward(feed: &FeedForward, n: usize, x: &mut [f32], h: &mut [f32], inner: &mut [f32]) {
    let (d, wide) = (feed.up.rows, feed.up.columns);
    norm(h, x, &feed.norm);
    product(inner, wide, View::new(h, n, d), feed.up.view());
    relu(inner);
    product(h, d, View::new(inner, n, wide), feed.down.view());
    add(x, h);
}
