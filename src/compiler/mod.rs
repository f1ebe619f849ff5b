//! The traditional compiler: program representation, stages, and the records that device stages share with
//! the host.
//!
//! The shaders of the stages are in `shaders/`; the engine runs them.

// A path begins with its room, in every member.
extern crate self as compiler;
use ::lang;

pub mod export;
pub mod layout;
pub mod program;
pub mod rounds;
pub mod stage;
pub mod variants;
