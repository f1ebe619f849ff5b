//! Runs programs to learn about them and their tests: deciding inputs, mutation testing and repair, recorded runs,
//! proofs, noise, and batches of external programs.

// A path begins with its room, in every member.
extern crate self as testing;
use {::compiler, ::engine, ::fill, ::host, ::lang, ::network, ::report};

pub mod batch;
pub mod decide;
pub mod equivalence;
pub mod merge;
pub mod mutation;
pub mod noise;
pub mod probes;
pub mod prove;
pub mod rules;
pub mod stand_ins;
pub mod trace;
