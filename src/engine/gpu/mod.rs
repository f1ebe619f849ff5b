//! The GPU engine: every stage is a compute dispatch over a batch of programs.
//!
//! - `adapter` finds adapters, `device` opens one, `device_cache` stores facts about it; `kernel` compiles shaders, which `wgsl` assembles and `pipelines` caches.
//! - `arena` lays out a batch in buffers; `texts` lays out programs that are tested once.
//! - `splicing` compiles mutants; `slices` submits long work in pieces; `records` decodes results; `verdict_cache`
//!   keeps verdicts for the next base.
//! - `filling` searches for expressions; `stages` runs single stages for tests; `round_tracing` records the rounds of
//!   stages; `step_recorder` records the steps of a run.
//!
//! `docs/shaders.md` states the conventions of the shaders.

pub mod adapter;
pub mod arena;
mod chunk_size;
mod compiler;
pub mod counts;
pub mod device;
pub mod device_cache;
mod dx12;
mod engine;
pub mod filling;
mod kernel;
pub mod neural;
pub mod pieces;
mod pipelines;
mod recorder;
mod records;
pub mod round_tracing;
mod runs;
pub mod selections;
pub mod shaders;
mod slices;
mod splicing;
pub mod stages;
mod step_recorder;
pub mod subgroups;
mod texts;
pub mod trial;
mod tuning;
mod verdict_cache;
pub mod wgsl;

pub use engine::GpuEngine;
pub use splicing::bytes_each;
