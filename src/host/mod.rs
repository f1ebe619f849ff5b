//! The host computer: its files, threads and memory, and measurements on it.

// A path begins with its room, in every member.
extern crate self as host;

pub mod files;
pub mod measure;
pub mod start;
