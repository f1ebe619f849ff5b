//! The GPU engine: every stage a compute dispatch over a batch of programs.
//!
//! `device` opens adapters, `arena` lays a batch out in buffers, `pipelines` compiles the shaders, `stages` runs one
//! at a time for the tests. `docs/shaders.md` states the conventions of the shaders.

pub mod arena;
pub mod device;
pub mod pipelines;
pub mod stages;
