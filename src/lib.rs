//! Myriad: a live compiler workbench.
//!
//! `ARCHITECTURE.md` has the map. Arrows go one way: workbench → engine → stage → lang.

pub mod cli;
pub mod engine;
pub mod lang;
pub mod layout;
pub mod neural;
pub mod report;
pub mod stage;
pub mod variants;
pub mod workbench;
