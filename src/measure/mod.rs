//! What is measured, and how it reads: where a figure comes from, units and quantities, statistics, meters and energy.

pub mod energy;
mod kind;
pub mod numbers;
pub mod origin;
pub mod quantity;
pub mod stat;
pub mod statistics;

pub use kind::Kind;
