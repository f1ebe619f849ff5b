//! Inference on the CPU: a function's words in, candidates' words out.
//!
//! `encoder` reads a source once; `decoder` writes all candidates together, those of one function or of several, a word at a
//! time, over the `cache` of keys and values; `draw` chooses words. What a candidate becomes depends on its function, its
//! number and the seed alone: no sum's order depends on which other candidates there are.

mod attention;
mod cache;
mod decoder;
mod draw;
mod encoder;
mod lane;
mod model;
mod ops;
#[cfg(test)]
mod tests;

pub use decoder::{Decoder, Ended, Prompt};
pub use encoder::{Memory, Scratch, encode, remember};
pub use model::Model;
