//! The GPU engine: every stage a compute dispatch over a batch of programs.
//!
//! `device` opens adapters, `arena` lays a batch out in buffers, `wgsl` puts shaders together, `kernel` compiles them, `slices`
//! submits what takes long, `splicing` makes mutants, `records` reads what comes back, `known` keeps verdicts for the next base, `stages` runs one stage at a time for the tests, `texts` lays out programs that are tested and forgotten, `pipelines` keeps compiled shaders, `told` has the stages tell of their rounds, `noting` notes the steps of a run. `docs/shaders.md` states the conventions of the shaders.

pub mod arena;
mod compiler;
pub mod device;
mod dx12;
mod engine;
mod kernel;
mod known;
pub mod neural;
mod noting;
pub mod pieces;
mod pipelines;
mod recorder;
mod records;
mod runs;
pub mod selections;
pub mod shaders;
mod slices;
mod splicing;
pub mod stages;
pub mod subgroups;
mod texts;
pub mod told;
pub mod trial;
mod tuning;
pub mod wgsl;

pub use engine::GpuEngine;
pub use splicing::bytes_each;
