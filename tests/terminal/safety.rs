//! Safety of texts: after kills, races or a full disk, the text still exists somewhere.
//!
//! `MYRIAD_SCALE` multiplies the number of rounds. Faults are injected by a preloaded library, which needs Linux.
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
mod tapes;
