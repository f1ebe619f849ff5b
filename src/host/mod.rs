//! The host computer: its files, threads and memory, and measurements on it.

pub mod files;
pub mod measure;
pub mod start;
