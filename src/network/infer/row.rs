//! Rows: candidates with equal words so far, which share their next word's distribution.

use crate::network::assembler::AssemblerState;
use crate::network::refuted::Refuted;
use crate::network::sampling::Sampling;
use crate::network::source::Tables;
use crate::network::vocabulary::BOS;

use super::draw::{Distribution, uniform};
use super::encoder::EncoderMemory;

/// The decoder's input for a function whose candidates it writes.
#[derive(Clone, Copy, Debug)]
pub struct Prompt<'a> {
    pub memory: &'a EncoderMemory,
    pub tables: &'a Tables,
    /// Prefixes that no candidate may begin with.
    pub refuted: &'a Refuted,
}

#[derive(Clone, Copy, Debug)]
pub struct Drawn {
    pub word: u16,
    /// The candidate.
    pub number: u32,
    /// The natural logarithm of the word's probability at temperature 1.
    pub log_p: f32,
    /// Its probability at the temperature of the draw, among the allowed words.
    pub share: f32,
}

/// The candidates of a function that have written the same words.
#[derive(Clone, Debug)]
pub struct InferRow {
    /// Index of the function among the prompts. Rows of one function are adjacent.
    pub prompt: u32,
    /// The last word written, which is the input of the next step.
    pub word: u16,
    /// The nodes of the words before it.
    pub path: Vec<u32>,
    pub state: AssemblerState,
    /// Candidates, in order.
    pub numbers: Vec<u32>,
    /// The draw of each candidate.
    pub drawn: Vec<Drawn>,
    /// The natural logarithm of the probability of the words so far.
    pub log_p: f32,
    /// [`Drawn::share`] of the words so far.
    pub shares: Vec<f32>,
    /// The node of the words so far among the refuted prefixes, or `None` if none begins with them.
    pub node: Option<u32>,
}

impl InferRow {
    pub fn new(state: AssemblerState) -> InferRow {
        InferRow {
            prompt: 0,
            word: BOS,
            path: Vec::new(),
            state,
            numbers: Vec::new(),
            drawn: Vec::new(),
            log_p: 0.0,
            shares: Vec::new(),
            node: Some(0),
        }
    }

    /// Records the draw of each candidate; none if all that they could continue with is refuted.
    pub fn draw(
        &mut self,
        distribution: &mut Distribution,
        sampling: &Sampling,
        refuted: &Refuted,
        position: usize,
    ) {
        let edges = self.node.map_or(&[][..], |node| refuted.edges(node));
        if !distribution.temper(sampling.temperature, sampling.top_p, edges) {
            return;
        }
        for &number in &self.numbers {
            let index = match number {
                0 => distribution.greedy(),
                _ => distribution.draw(uniform(sampling.seed, number, position as u32)),
            };
            let (word, log_p, share) =
                (distribution.word(index), distribution.log_p(index), distribution.share(index));
            self.drawn.push(Drawn { word, number, log_p, share });
        }
    }
}
