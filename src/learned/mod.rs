//! Learned components: programs written by the network, the router between network and compiler, and training.

// A path begins with its room, in every member.
extern crate self as learned;
use {::compiler, ::corpus, ::engine, ::host, ::lang, ::network, ::testing};

pub mod hybrid;
pub mod improve;
pub mod synthesis;
#[cfg(feature = "train")]
pub mod training;
