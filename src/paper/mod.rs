//! The paper's model, executable: every equation with the paper's constants, with the constants of this machine, and
//! measured directly.
//!
//! [`measure`] takes the measurements; [`rows`] compares them with the paper; [`curves`] shows their growth with k and
//! the crossovers of approaches. [`advice`] is the paper's table 2 as a function, [`contradictions`] lists the paper's
//! contradictions, [`levers`] are the adjustable quantities, and [`figures`] names the figures shared with the race.
//! All but the first are pure. Only [`quoted`] contains the paper's constants.

// A path begins with its room, in every member.
extern crate self as paper;
use {::compiler, ::engine, ::host, ::lang, ::learned, ::network, ::report, ::testing};

pub mod advice;
mod bench;
pub mod contradictions;
pub mod conventional;
pub mod curves;
pub mod equations;
pub mod figures;
pub mod formula;
mod hybrid;
pub mod levers;
pub mod measure;
pub mod measured;
pub mod neural;
mod programs;
pub mod quotations;
pub mod quoted;
pub mod race;
mod repeat;
pub mod rows;
mod sweep;
pub mod table;

pub use measure::{MeasureTask, measure};
pub use measured::Measured;
