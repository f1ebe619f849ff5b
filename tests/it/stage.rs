//! The stages' twins on small inputs, one rule each.

mod chain;
mod emit;
mod features;
mod flow;
mod known;
mod lex;
mod optimize;
mod parse;
mod score;
