//! Inference on the CPU: reads the words of a function and writes the words of candidates.
//!
//! `encoder` reads a source once. `decoder` writes all candidates of one or several functions together, one
//! word per step, using the `cache` of keys and values. `draw` chooses words. A candidate depends only on its
//! function, its number and the seed, because no order of summation depends on the other candidates.

mod attention;
mod cache;
mod decoder;
mod draw;
mod encoder;
mod lane;
mod model;
mod ops;
mod row;
#[cfg(test)]
mod tests;

pub use decoder::{Decoder, Ended};
pub use encoder::{EncoderMemory, EncoderScratch, encode, encode_prompt};
pub use model::InferModel;
pub use row::Prompt;
