//! Runs one entry point of a shader on given buffers, for comparison with plain loops.

use crate::engine::EngineError;

use super::arena::storage;
use super::device::Gpu;
use super::kernel::Kernel;
use super::shaders::Shader;
use super::wgsl::{Access, Binding};

/// Dispatches `entry` over buffers with these words, one per binding in order, and returns their contents
/// afterwards.
///
/// # Errors
/// If the shader does not compile or the device fails.
pub fn run(
    gpu: &Gpu,
    shader: &'static Shader,
    entry: &str,
    buffers: &[Vec<u32>],
    groups: [u32; 2],
) -> Result<Vec<Vec<u32>>, EngineError> {
    run_kernel(gpu, &Kernel::new(gpu, shader)?, entry, buffers, groups)
}

/// Like [`run`], for an existing kernel.
///
/// # Errors
/// If an entry point does not compile or the device fails.
pub fn run_kernel(
    gpu: &Gpu,
    kernel: &Kernel,
    entry: &str,
    buffers: &[Vec<u32>],
    groups: [u32; 2],
) -> Result<Vec<Vec<u32>>, EngineError> {
    let mut encoder = gpu.encoder();
    let made = gpu.attempt(|| {
        let make = |(binding, words): (&Binding, &Vec<u32>)| {
            let buffer = match binding.access {
                Access::Uniform => gpu.device.create_buffer(&wgpu::BufferDescriptor {
                    label: Some("params"),
                    size: words.len() as u64 * 4,
                    usage: wgpu::BufferUsages::UNIFORM
                        | wgpu::BufferUsages::COPY_DST
                        | wgpu::BufferUsages::COPY_SRC,
                    mapped_at_creation: false,
                }),
                _ => storage(gpu, "trial", words.len() as u64),
            };
            gpu.queue.write_buffer(&buffer, 0, bytemuck::cast_slice(words));
            buffer
        };
        let made: Vec<wgpu::Buffer> = kernel.bindings().iter().zip(buffers).map(make).collect();
        let names = kernel.bindings().iter().map(|binding| binding.name.as_str());
        let group = kernel.bind(gpu, &names.zip(&made).collect::<Vec<_>>())?;
        let mut pass = encoder.begin_compute_pass(&Default::default());
        kernel.set(&mut pass, entry, &group);
        pass.dispatch_workgroups(groups[0], groups[1], 1);
        drop(pass);
        Ok(made)
    })?;
    let parts: Vec<_> =
        made.iter().zip(buffers).map(|(buffer, words)| (buffer, 0, words.len() as u64)).collect();
    gpu.read(encoder, &parts)
}
