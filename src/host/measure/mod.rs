//! What is measured, and how it reads: where a figure comes from, units and quantities, statistics, meters and energy.

pub mod energy;
mod kind;
pub mod numbers;
pub mod origin;
pub mod quantity;
pub mod share;
pub mod stat;
pub mod statistics;

pub use kind::Kind;

/// Cores that this program may use.
pub fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u32)
}
