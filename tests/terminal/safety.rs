//! Whether a text is safe with the workbench: killed, raced against, starved of disk, it is still somewhere.
//!
//! Each test has a small size for every day and a variable for as much as one likes; `ARCHITECTURE.md` lists them. Faults are
//! injected through the loader, which is Linux's.
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
