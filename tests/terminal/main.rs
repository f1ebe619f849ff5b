//! The program in a real pseudo-terminal: what a person would type and see, every way out, and whether the text is safe.
#![cfg(unix)]

#[path = "../it/common/extent.rs"]
mod extent;
mod faults;
mod lessons;
mod place;
#[path = "../it/common/rng.rs"]
mod rng;
mod safety;
mod sessions;
mod shows;
mod sizes;
mod terminal;
