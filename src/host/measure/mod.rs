//! Measurements: the origin of figures, units and quantities, statistics, meters and energy.

pub mod date;
pub mod energy;
mod kind;
pub mod numbers;
pub mod origin;
pub mod processor;
pub mod quantity;
pub mod share;
pub mod stat;
pub mod statistics;

pub use kind::Kind;

/// Returns the number of cores that this program may use.
pub fn cores() -> u32 {
    std::thread::available_parallelism().map_or(1, |n| n.get() as u32)
}
