//! The weights, arranged for matrix products: matrices that are multiplied with the same rows are joined into
//! one.

use crate::network::vocabulary::{SOURCE_MAX, TARGETS};
use crate::network::weights::{ATTENTION, Config, HEAD, Weights, tensors};

use super::ops::{View, turns};

/// A matrix with which rows are multiplied.
#[derive(Clone, Debug, Default)]
pub struct Matrix {
    pub rows: usize,
    pub columns: usize,
    data: Vec<f32>,
}

impl Matrix {
    pub fn view(&self) -> View<'_> {
        View::new(&self.data, self.rows, self.columns)
    }
    pub fn row(&self, row: usize) -> &[f32] {
        &self.data[row * self.columns..][..self.columns]
    }

    /// Joins matrices with the same number of rows into one: the columns of the second follow those of the first.
    fn beside(parts: &[Matrix]) -> Matrix {
        let rows = parts.first().map_or(0, |part| part.rows);
        let data = (0..rows).flat_map(|row| parts.iter().flat_map(move |part| part.row(row).iter().copied()));
        Matrix { rows, columns: parts.iter().map(|part| part.columns).sum(), data: data.collect() }
    }

    fn transposed(&self, columns: usize) -> Matrix {
        let data = (0..self.columns).flat_map(|column| (0..columns).map(move |row| self.row(row)[column]));
        Matrix { rows: self.columns, columns, data: data.collect() }
    }
}

#[derive(Clone, Debug)]
pub struct SelfAttention {
    pub norm: Vec<f32>,
    /// Queries, keys and values: [d, 3 d].
    pub qkv: Matrix,
    pub out: Matrix,
}

/// The cross-attention of the decoder to the encoder's output.
#[derive(Clone, Debug)]
pub struct CrossAttention {
    pub norm: Vec<f32>,
    pub q: Matrix,
    pub k: Matrix,
    pub v: Matrix,
    pub out: Matrix,
}

#[derive(Clone, Debug)]
pub struct FeedForward {
    pub norm: Vec<f32>,
    pub up: Matrix,
    pub down: Matrix,
}

#[derive(Clone, Debug)]
pub struct InferModel {
    pub config: Config,
    /// [WORDS, d].
    pub embed: Matrix,
    /// Embeddings of type, depth, statement and height.
    pub features: [Matrix; 4],
    pub encoder: Vec<(SelfAttention, FeedForward)>,
    pub encoder_norm: Vec<f32>,
    pub decoder: Vec<(SelfAttention, CrossAttention, FeedForward)>,
    pub decoder_norm: Vec<f32>,
    /// [d, TARGETS].
    pub logits: Matrix,
    /// Cosines and sines for every position.
    pub turns: Vec<[f32; HEAD]>,
}

impl InferModel {
    /// Returns the size in bytes.
    pub fn bytes(&self) -> u64 {
        let itself = |i: &SelfAttention| i.norm.len() + i.qkv.data.len() + i.out.data.len();
        let cross = |c: &CrossAttention| {
            c.norm.len() + [&c.q, &c.k, &c.v, &c.out].map(|m| m.data.len()).iter().sum::<usize>()
        };
        let feed = |f: &FeedForward| f.norm.len() + f.up.data.len() + f.down.data.len();
        let encoder: usize = self.encoder.iter().map(|(i, f)| itself(i) + feed(f)).sum();
        let decoder: usize = self.decoder.iter().map(|(i, c, f)| itself(i) + cross(c) + feed(f)).sum();
        let features: usize = self.features.iter().map(|m| m.data.len()).sum();
        let norms = self.encoder_norm.len() + self.decoder_norm.len();
        let tables = self.embed.data.len() + self.logits.data.len() + self.turns.len() * HEAD;
        (encoder + decoder + features + norms + tables) as u64 * 4
    }

    pub fn new(weights: &Weights) -> InferModel {
        let config = weights.config;
        // The tensors are taken in the order of the table, which is that of the file.
        let mut list = tensors(&config).into_iter();
        let mut next = || match list.next() {
            Some(tensor) => {
                Matrix { rows: tensor.rows, columns: tensor.columns, data: weights.get(&tensor).to_vec() }
            }
            None => Matrix::default(),
        };
        let embed = next();
        let features = [next(), next(), next(), next()];
        let mut encoder = Vec::new();
        for _ in 0..config.layers {
            encoder.push((itself(&mut next), feed(&mut next)));
        }
        let encoder_norm = next().data;
        let mut decoder = Vec::new();
        for _ in 0..config.layers {
            decoder.push((itself(&mut next), cross(&mut next), feed(&mut next)));
        }
        let decoder_norm = next().data;
        let logits = embed.transposed(TARGETS);
        let turns = turns(SOURCE_MAX);
        InferModel { config, embed, features, encoder, encoder_norm, decoder, decoder_norm, logits, turns }
    }
}

fn itself(next: &mut impl FnMut() -> Matrix) -> SelfAttention {
    let [norm, q, k, v, out] = ATTENTION.map(|_| next());
    SelfAttention { norm: norm.data, qkv: Matrix::beside(&[q, k, v]), out }
}

fn cross(next: &mut impl FnMut() -> Matrix) -> CrossAttention {
    let [norm, q, k, v, out] = ATTENTION.map(|_| next());
    CrossAttention { norm: norm.data, q, k, v, out }
}

fn feed(next: &mut impl FnMut() -> Matrix) -> FeedForward {
    FeedForward { norm: next().data, up: next(), down: next() }
}
