//! The computer that the program runs on: its files, its threads and memory, and what can be measured on it.

pub mod files;
pub mod measure;
pub mod start;
