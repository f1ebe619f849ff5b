//! The paper's model, executable: every equation with the paper's constants, with the constants of this machine, and
//! measured directly.
//!
//! [`measure`] takes the measurements, [`rows`] sets them beside the paper, [`curves`] says how they grow with k and
//! where approaches cross, [`advice`] is the paper's table 2 as a function, [`itself`] says where the paper disagrees with itself, [`levers`] are the quantities that somebody may choose, and [`figures`]
//! names what the race measures as well. All but the first are pure. [`quoted`] is the one place where the paper's constants are.

pub mod advice;
pub mod conventional;
pub mod curves;
pub mod equations;
pub mod figures;
pub mod formula;
mod hybrid;
pub mod itself;
pub mod levers;
pub mod measure;
pub mod measured;
pub mod neural;
mod programs;
pub mod quoted;
pub mod race;
pub mod rows;
pub mod said;
mod sweep;
pub mod table;

pub use measure::{Task, measure};
pub use measured::Measured;
