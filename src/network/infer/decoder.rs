//! The decoder: writes all candidates of one or several functions together, one word per step.
//!
//! Candidates of a function that have written the same words so far form one *row*: the next word has the
//! same distribution for all of them, and only the numbers that they draw with differ. A step therefore costs
//! one row per distinct prefix, and a thousand candidates have few distinct prefixes for many steps. Rows are
//! divided into lanes, each processed by one thread. Rows of several functions share the products with the
//! weights; the inputs that depend on a row's function are in its [`Prompt`].

use std::ops::{Range, RangeInclusive};

use crate::network::assembler::AssemblerState;
use crate::network::sampling::Sampling;
use crate::network::vocabulary::{BOS, EOS, TARGET_MAX};

use super::cache::Cache;
use super::lane::{Context, Lane};
use super::model::InferModel;
use super::row::{Drawn, InferRow, Prompt};

/// Minimum and maximum number of rows of a lane: fewer are not worth a thread, more do not fit its caches.
const ROWS: RangeInclusive<usize> = 12..=96;

/// Candidates that have written all their words.
#[derive(Clone, Copy, Debug)]
pub struct Ended<'a> {
    /// Index of their function among the prompts.
    pub prompt: u32,
    /// Their words, without `<bos>`.
    pub words: &'a [u16],
    /// The numbers of the candidates, in order.
    pub numbers: &'a [u32],
    /// The natural logarithm of the words' probability.
    pub log_p: f32,
    /// The probability of each word at the temperature of the draw.
    pub shares: &'a [f32],
    /// Whether the last word is `<eos>`. If not, the words reached the maximum length, or no word was
    /// allowed.
    pub whole: bool,
}

/// The candidates of a batch. Memory is reused for the next batch.
#[derive(Default)]
pub struct Decoder {
    rows: Vec<InferRow>,
    next: Vec<InferRow>,
    spare: Vec<InferRow>,
    lanes: Vec<Lane>,
    cache: Cache,
    words: Vec<u16>,
    numbers: Vec<u32>,
    shares: Vec<f32>,
    position: usize,
    /// Whether candidates with equal prefixes share a row.
    shared: bool,
    /// Number of rows computed, over all steps.
    rows_computed: u64,
}

impl Decoder {
    /// Begins with candidates `numbers` of each function, none of which has written a word.
    pub fn begin(&mut self, model: &InferModel, prompts: &[Prompt], numbers: Range<u32>) {
        self.start(model, prompts, numbers, true);
    }

    /// Like [`Self::begin`], but each candidate has a row of its own until its end.
    pub fn begin_unshared(&mut self, model: &InferModel, prompts: &[Prompt], numbers: Range<u32>) {
        self.start(model, prompts, numbers, false);
    }

    fn start(&mut self, model: &InferModel, prompts: &[Prompt], numbers: Range<u32>, shared: bool) {
        self.cache.clear(&model.config);
        self.spare.append(&mut self.rows);
        self.position = 0;
        self.rows_computed = 0;
        self.shared = shared;
        let each = if shared { numbers.len() } else { 1 };
        for (prompt, of) in (0..).zip(prompts) {
            let state = AssemblerState::new(of.tables);
            for first in numbers.clone().step_by(each.max(1)) {
                let mut row = self.spare.pop().unwrap_or_else(|| InferRow::new(state));
                row.prompt = prompt;
                row.word = BOS;
                row.path.clear();
                row.state = state;
                row.log_p = 0.0;
                row.shares.clear();
                row.node = Some(0);
                row.numbers.clear();
                row.numbers.extend(first..first + each as u32);
                self.rows.push(row);
            }
        }
    }

    /// Returns the allocated bytes of keys and values.
    pub fn cache_bytes(&self) -> u64 {
        self.cache.bytes()
    }

    /// Returns the allocated bytes of working memory.
    pub fn lane_bytes(&self) -> u64 {
        self.lanes.iter().map(Lane::bytes).sum()
    }

    /// Returns whether all candidates have ended.
    pub fn is_done(&self) -> bool {
        self.rows.is_empty()
    }

    /// Returns the number of rows computed so far, over all steps.
    pub fn rows_computed(&self) -> u64 {
        self.rows_computed
    }

    /// Makes the first half of a step: draws the next word of each candidate. The threads of the current
    /// rayon pool share the rows.
    pub fn compute(&mut self, model: &InferModel, prompts: &[Prompt], sampling: &Sampling) {
        let context = Context { model, prompts, sampling, cache: &self.cache, position: self.position };
        let threads = rayon::current_num_threads().max(1);
        let size = self.rows.len().div_ceil(threads).clamp(*ROWS.start(), *ROWS.end());
        let lanes = self.rows.len().div_ceil(size);
        if self.lanes.len() < lanes {
            self.lanes.resize_with(lanes, Lane::default);
        }
        self.rows_computed += self.rows.len() as u64;
        let mut work = self.rows.chunks_mut(size).zip(&mut self.lanes);
        if lanes == 1 {
            work.for_each(|(rows, lane)| lane.step(&context, rows));
        } else {
            rayon::scope(|scope| {
                let first = work.next();
                for (rows, lane) in work {
                    let context = &context;
                    scope.spawn(move |_| lane.step(context, rows));
                }
                first.into_iter().for_each(|(rows, lane)| lane.step(&context, rows));
            });
        }
    }

    /// Makes the second half of a step: splits rows by the words that their candidates drew, and passes
    /// candidates that have ended to `ended`.
    pub fn settle(&mut self, prompts: &[Prompt], ended: &mut dyn FnMut(Ended)) {
        let Decoder { rows, next, spare, lanes, cache, words, numbers, shares, position, shared, .. } = self;
        let size = lanes.first().map_or(1, Lane::rows).max(1);
        let last = *position + 1 == TARGET_MAX;
        for (index, mut row) in rows.drain(..).enumerate() {
            let prompt = row.prompt;
            let kv = lanes[index / size].kv(index % size);
            let node = cache.add(row.path.last().copied(), row.word, kv);
            if let Some(&parent) = row.path.last() {
                cache.release(parent);
            }
            row.path.push(node);
            cache.hold(node);
            row.drawn.sort_unstable_by_key(|drawn| (drawn.word, drawn.number));
            let mut end = |word: Option<u16>, drawn: &[Drawn], log_p: f32| {
                words.clear();
                words.extend(row.path[1..].iter().map(|&node| cache.word(node)).chain(word));
                numbers.clear();
                numbers.extend(drawn.iter().map(|drawn| drawn.number));
                shares.clone_from(&row.shares);
                shares.extend(word.and(drawn.first()).map(|drawn| drawn.share));
                ended(Ended { prompt, words, numbers, log_p, shares, whole: word == Some(EOS) });
            };
            let first = next.len();
            if row.drawn.is_empty() {
                // No word was allowed.
                let none = |&number: &u32| Drawn { word: BOS, number, log_p: 0.0, share: 0.0 };
                row.drawn.extend(row.numbers.iter().map(none));
                end(None, &row.drawn, row.log_p);
            } else {
                for group in row.drawn.chunk_by(|a, b| a.word == b.word && *shared) {
                    let Drawn { word, log_p, share, .. } = group[0];
                    if word == EOS || last {
                        end(Some(word), group, row.log_p + log_p);
                        continue;
                    }
                    let mut child = spare.pop().unwrap_or_else(|| InferRow::new(row.state));
                    child.prompt = prompt;
                    child.word = word;
                    child.path.clone_from(&row.path);
                    child.state = row.state;
                    let Prompt { tables, refuted, .. } = prompts[prompt as usize];
                    child.state.step(tables, word);
                    child.log_p = row.log_p + log_p;
                    child.shares.clone_from(&row.shares);
                    child.shares.push(share);
                    child.node = row.node.and_then(|node| refuted.after(node, word));
                    child.numbers.clear();
                    child.numbers.extend(group.iter().map(|drawn| drawn.number));
                    next.push(child);
                }
            }
            for _ in first..next.len() {
                cache.hold(node);
            }
            cache.release(node);
            spare.push(row);
        }
        std::mem::swap(rows, next);
        *position += 1;
    }
}

#[cfg(test)]
impl Decoder {
    /// Returns, for each row of the last [`Self::compute`], the words that it read and the resulting logits.
    pub fn computed(&self) -> impl Iterator<Item = (Vec<u16>, &[f32])> {
        let size = self.lanes.first().map_or(1, Lane::rows).max(1);
        self.rows.iter().enumerate().map(move |(index, row)| {
            let words = row.path.iter().map(|&node| self.cache.word(node)).chain([row.word]).collect();
            (words, self.lanes[index / size].logits(index % size))
        })
    }

    /// Returns the number of nodes of the cache in use.
    pub fn nodes(&self) -> usize {
        self.cache.len()
    }
}
