//! Myriad: a live compiler workbench.
//!
//! `ARCHITECTURE.md` has the map. Arrows go one way: workbench → engine → stage → lang.

pub mod cli;
pub mod config;
pub mod energy;
pub mod engine;
pub mod export;
pub mod files;
pub mod hybrid;
pub mod lang;
pub mod layout;
pub mod model;
pub mod neural;
pub mod noise;
pub mod race;
pub mod report;
pub mod samples;
pub mod stage;
pub mod variants;
pub mod workbench;
