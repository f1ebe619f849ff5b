//! Safety of texts: after kills, races or a full disk, the text still exists somewhere.
//!
//! Each test has a small default size and a variable for larger runs, listed in `ARCHITECTURE.md`. Faults are
//! injected through the Linux loader.
#![cfg(target_os = "linux")]

mod bursts;
mod faults;
mod kills;
mod limits;
mod outside;
mod owners;
mod races;
mod scene;
mod shim;
mod signals;
