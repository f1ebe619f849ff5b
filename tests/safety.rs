//! Whether a text is safe with the workbench: killed, raced against, starved of disk, it is still somewhere.
//!
//! Each test has a small size for every day and a variable for as much as one likes; `ARCHITECTURE.md` lists them. Faults are
//! injected through the loader, which is Linux's.
#![cfg(target_os = "linux")]

#[path = "common/place.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod place;
#[path = "common/rng.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod rng;
#[path = "common/terminal.rs"]
#[allow(dead_code, reason = "other tests use the rest")]
mod terminal;

#[path = "safety/bursts.rs"]
mod bursts;
#[path = "safety/faults.rs"]
mod faults;
#[path = "safety/kills.rs"]
mod kills;
#[path = "safety/outside.rs"]
mod outside;
#[path = "safety/owners.rs"]
mod owners;
#[path = "safety/races.rs"]
mod races;
#[path = "safety/scene.rs"]
mod scene;
#[path = "safety/shim.rs"]
mod shim;
#[path = "safety/signals.rs"]
mod signals;
