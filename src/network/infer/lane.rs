//! Lanes: compute some rows through all layers of the decoder, on one thread.

use crate::network::sampling::Sampling;
use crate::network::vocabulary::TARGETS;
use crate::network::weights::HEAD;

use super::attention::Attention;
use super::cache::Cache;
use super::draw::Distribution;
use super::encoder::{EncoderMemory, SCALE, feed_forward};
use super::model::{CrossAttention, InferModel, SelfAttention};
use super::ops::{View, add, norm, product, rotate, softmax_rows};
use super::row::{InferRow, Prompt};

/// The data that all lanes of a step read.
pub struct Context<'a> {
    pub model: &'a InferModel,
    pub prompts: &'a [Prompt<'a>],
    pub sampling: &'a Sampling,
    pub cache: &'a Cache,
    pub position: usize,
}

/// Working memory of a lane.
#[derive(Default)]
pub struct Lane {
    rows: usize,
    /// Number of floats per row of `kv`.
    stride: usize,
    x: Vec<f32>,
    h: Vec<f32>,
    qkv: Vec<f32>,
    inner: Vec<f32>,
    scores: Vec<f32>,
    logits: Vec<f32>,
    /// For each row, the keys and values of all layers, in the layout of a node of the cache.
    kv: Vec<f32>,
    distribution: Distribution,
}

impl<'a> Context<'a> {
    fn prompt(&self, row: &InferRow) -> Prompt<'a> {
        self.prompts[row.prompt as usize]
    }
}

impl Lane {
    /// Returns the allocated bytes.
    pub fn bytes(&self) -> u64 {
        let lists = [&self.x, &self.h, &self.qkv, &self.inner, &self.scores, &self.logits, &self.kv];
        lists.iter().map(|list| list.capacity() as u64 * 4).sum()
    }

    /// Returns the number of rows of the last step.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns keys and values of a row of the last step.
    pub fn kv(&self, row: usize) -> &[f32] {
        &self.kv[row * self.stride..][..self.stride]
    }

    /// Returns the logits of a row of the last step.
    #[cfg(test)]
    pub fn logits(&self, row: usize) -> &[f32] {
        &self.logits[row * TARGETS..][..TARGETS]
    }

    /// Makes one step for some rows: draws the next word of each of their candidates.
    pub fn step(&mut self, context: &Context, rows: &mut [InferRow]) {
        self.forward(context, rows);
        for (row, logits) in rows.iter_mut().zip(self.logits.chunks_exact(TARGETS)) {
            row.drawn.clear();
            let Prompt { tables, refuted, .. } = context.prompt(row);
            let allowed = row.state.allowed_words(tables);
            if self.distribution.fill(logits, &allowed) {
                row.draw(&mut self.distribution, context.sampling, refuted, context.position);
            }
        }
    }

    /// Computes the rows' logits and their new keys and values.
    fn forward(&mut self, context: &Context, rows: &[InferRow]) {
        let Context { model, cache, .. } = context;
        let (n, d) = (rows.len(), model.config.width);
        (self.rows, self.stride) = (n, cache.stride());
        let Lane { x, h, qkv, inner, scores, logits, kv, .. } = self;
        x.clear();
        for row in rows {
            x.extend_from_slice(model.embed.row(row.word as usize));
        }
        h.resize(n * d, 0.0);
        qkv.resize(n * 3 * d, 0.0);
        inner.resize(n * model.config.inner(), 0.0);
        logits.resize(n * TARGETS, 0.0);
        kv.resize(n * cache.stride(), 0.0);
        let words = rows.iter().map(|row| context.prompt(row).memory.words).max().unwrap_or(0);
        scores.resize((n * words).max(context.position + 1), 0.0);
        for (layer, (itself, cross, feed)) in model.decoder.iter().enumerate() {
            project(context, itself, layer, n, x, h, qkv, kv);
            Attention { cache, layer, rows, out: h, qkv, scores }.run();
            let out = &mut qkv[..n * d];
            product(out, d, View::new(h, n, d), itself.out.view());
            add(x, out);
            attend_to_source(context, cross, layer, rows, x, h, qkv, scores);
            feed_forward(feed, n, x, h, inner);
        }
        norm(h, x, &model.decoder_norm);
        product(logits, TARGETS, View::new(h, n, d), model.logits.view());
    }
}

/// Computes queries, keys and values of the rows' last words.
#[expect(clippy::too_many_arguments, reason = "the parts of a lane, borrowed apart")]
fn project(
    context: &Context,
    itself: &SelfAttention,
    layer: usize,
    n: usize,
    x: &[f32],
    h: &mut [f32],
    qkv: &mut [f32],
    kv: &mut [f32],
) {
    let d = context.model.config.width;
    norm(h, x, &itself.norm);
    product(qkv, 3 * d, View::new(h, n, d), itself.qkv.view());
    let turn = &context.model.turns[context.position];
    for (row, kv) in qkv.chunks_exact_mut(3 * d).zip(kv.chunks_exact_mut(context.cache.stride())) {
        rotate(&mut row[..2 * d], turn);
        kv[layer * 2 * d..][..2 * d].copy_from_slice(&row[d..]);
    }
}

/// Computes the attention of the rows to their sources.
#[expect(clippy::too_many_arguments, reason = "the parts of a lane, borrowed apart")]
fn attend_to_source(
    context: &Context,
    cross: &CrossAttention,
    layer: usize,
    rows: &[InferRow],
    x: &mut [f32],
    h: &mut [f32],
    q: &mut [f32],
    scores: &mut [f32],
) {
    let (n, d) = (rows.len(), context.model.config.width);
    norm(h, x, &cross.norm);
    product(q, d, View::new(h, n, d), cross.q.view());
    let mut first = 0;
    for rows in rows.chunk_by(|a, b| a.prompt == b.prompt) {
        let own = first..first + rows.len();
        let memory = context.prompt(&rows[0]).memory;
        attend_to_one(
            memory,
            layer,
            d,
            &q[own.start * d..own.end * d],
            &mut h[own.start * d..own.end * d],
            scores,
        );
        first = own.end;
    }
    let out = &mut q[..n * d];
    product(out, d, View::new(h, n, d), cross.out.view());
    add(x, out);
}

/// Computes the attention of rows with queries [rows, d] to one source, head by head, into [rows, d].
fn attend_to_one(
    memory: &EncoderMemory,
    layer: usize,
    d: usize,
    q: &[f32],
    out: &mut [f32],
    scores: &mut [f32],
) {
    let (n, words) = (q.len() / d, memory.words);
    let (keys, values) = (&memory.keys[layer], &memory.values[layer]);
    let scores = &mut scores[..n * words];
    for head in (0..d).step_by(HEAD) {
        let keys = View::new(&keys[head * words..], HEAD, words);
        product(scores, words, View::wide(&q[head..], n, HEAD, d), keys);
        softmax_rows(scores, words, SCALE);
        let values = View::wide(&values[head..], words, HEAD, d);
        product(&mut out[head..], d, View::new(scores, n, words), values);
    }
}
