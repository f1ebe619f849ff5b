//! The traditional compiler: what a program is, the stages that make it, and the records that stages on a device share with the host.
//!
//! The device's half of the stages is in `shaders/`; [`crate::engine`] runs it.

pub mod export;
pub mod layout;
pub mod program;
pub mod rounds;
pub mod stage;
pub mod variants;
