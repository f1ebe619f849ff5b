//! Neural inference on the device: the encoder once per function, the decoder on all candidates together.
//!
//! Weights stay on the device. `packed` lays them out, `model` records the dispatches of the encoder and of one
//! decoding step over a batch's buffers, `decode` replays them until no candidate is live. What is drawn becomes programs of an
//! arena there and then, and execute and judge treat them like all others; records of some words come back.
//!
//! A candidate depends on the weights, the function, the seed and its number, not on the batch: a kernel adds up a row's
//! terms in an order of its own, wherever the row lies.

mod model;
mod packed;
pub mod shaders;

pub use model::{Memory, Model};
pub use packed::Packed;
