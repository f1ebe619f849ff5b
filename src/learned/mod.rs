//! Learned components: programs written by the network, the router between network and compiler, and training.

pub mod hybrid;
pub mod improve;
pub mod synthesis;
#[cfg(feature = "train")]
pub mod training;
