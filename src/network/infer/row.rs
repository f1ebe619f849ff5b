//! Rows: candidates with equal words so far, which share their next word's distribution.

use crate::network::assembler::State;
use crate::network::sampling::Sampling;
use crate::network::source::Tables;
use crate::network::vocabulary::BOS;

use super::draw::{Distribution, uniform};
use super::encoder::Memory;

/// The decoder's input for a function whose candidates it writes.
#[derive(Clone, Copy, Debug)]
pub struct Prompt<'a> {
    pub memory: &'a Memory,
    pub tables: &'a Tables,
}

/// The candidates of a function that have written the same words.
#[derive(Clone, Debug)]
pub struct Row {
    /// Index of the function among the prompts. Rows of one function are adjacent.
    pub prompt: u32,
    /// The last word written, which is the input of the next step.
    pub word: u16,
    /// The nodes of the words before it.
    pub path: Vec<u32>,
    pub state: State,
    /// Candidates, in order.
    pub numbers: Vec<u32>,
    /// The draw of each candidate: the next word, the candidate, and the natural logarithm of the word's
    /// probability.
    pub drawn: Vec<(u16, u32, f32)>,
    /// The natural logarithm of the probability of the words so far.
    pub log_p: f32,
}

impl Row {
    pub fn new(state: State) -> Row {
        Row {
            prompt: 0,
            word: BOS,
            path: Vec::new(),
            state,
            numbers: Vec::new(),
            drawn: Vec::new(),
            log_p: 0.0,
        }
    }

    /// Records the draw of each candidate.
    pub fn draw(&mut self, distribution: &mut Distribution, sampling: &Sampling, position: usize) {
        let mut tempered = false;
        for &number in &self.numbers {
            let index = if number == 0 {
                distribution.greedy()
            } else {
                if !tempered {
                    distribution.temper(sampling.temperature, sampling.top_p);
                    tempered = true;
                }
                distribution.draw(uniform(sampling.seed, number, position as u32))
            };
            self.drawn.push((distribution.word(index), number, distribution.log_p(index)));
        }
    }
}
