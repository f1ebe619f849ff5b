//! Programs that the network writes: search among its candidates, evidence, and evaluation.

pub mod compile;
pub mod evaluation;
pub mod search;
pub mod times;
