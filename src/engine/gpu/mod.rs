//! The GPU engine: every stage a compute dispatch over a batch of programs.
//!
//! `device` opens adapters, `arena` lays a batch out in buffers, `pipelines` compiles the shaders, `stages` runs one
//! at a time for the tests. `docs/shaders.md` states the conventions of the shaders.

pub mod arena;
pub mod device;
mod engine;
mod kernels;
pub mod neural;
pub mod pipelines;
mod runs;
pub mod stages;
pub mod trial;

pub use engine::GpuEngine;
