//! Quantities, statistics and meters.

mod energy;
mod numbers;
mod quantity;
mod stat;
