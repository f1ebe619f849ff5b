//! The program in a real pseudo-terminal: typing, the screen, every way to exit, and the safety of texts.
#![cfg(unix)]

mod background;
#[path = "../it/common/extent.rs"]
mod extent;
mod faults;
mod first;
mod lessons;
mod memory;
mod modes;
mod place;
#[path = "../it/common/rng.rs"]
mod rng;
mod safety;
mod sessions;
mod shows;
mod sizes;
mod terminal;
