//! Programs that the network writes: searched for among its candidates, proved or verified, and measured.

pub mod compile;
pub mod evaluation;
pub mod search;
pub mod times;
