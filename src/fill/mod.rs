//! Expressions from examples: for inputs and the value that each needs, the smallest expressions that have these values.
//!
//! The contract is `docs/fill.md`.

// A path begins with its room, in every member.
extern crate self as fill;
use ::lang;

pub mod backward;
pub mod blocks;
pub mod index;
pub mod operation;
pub mod pieces;
pub mod rows;
pub mod scanner;
pub mod search;
mod seen;
pub mod space;
pub mod target;
pub mod tree;

#[cfg(test)]
mod tests;
