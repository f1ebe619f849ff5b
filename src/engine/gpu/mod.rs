//! The GPU engine: every stage a compute dispatch over a batch of programs.
//!
//! `device` opens adapters, `arena` lays a batch out in buffers, `wgsl` puts shaders together, `kernels` compiles them, `stages`
//! runs one at a time for the tests. `docs/shaders.md` states the conventions of the shaders.

pub mod arena;
pub mod device;
mod engine;
mod kernels;
pub mod neural;
mod recorder;
mod runs;
pub mod shaders;
pub mod stages;
pub mod trial;
pub mod wgsl;

pub use engine::GpuEngine;
