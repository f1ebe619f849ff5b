//! Compiled shaders. A kernel's bindings are declared in its text; buffers are bound by name.

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use rayon::prelude::*;

use crate::compiler::layout::ShaderVariant;
use crate::engine::{DeviceFailure, EngineError};

use super::counts::Counts;
use super::device::Gpu;
use super::pieces::EntryModules;
use super::pipelines::Pipelines;
use super::shaders::Shader;
use super::wgsl::{self, Access, Binding};

/// The entry points of one shader, with the layout of its bindings.
///
/// An entry point is compiled at its first use, or together with others by [`compile`]. Drivers take a long
/// time for each, and most runs of the program use few of them. [`super::engine::GpuEngine::warm`] compiles
/// those of every keystroke in advance.
pub struct Kernel {
    shader: &'static Shader,
    bindings: Vec<Binding>,
    layout: wgpu::BindGroupLayout,
    source: KernelSource,
    entries: HashMap<&'static str, OnceLock<wgpu::ComputePipeline>>,
    counts: Arc<Counts>,
}

impl Kernel {
    /// Assembles a shader's text.
    ///
    /// # Errors
    /// If the text cannot be assembled, or the device fails.
    pub fn new(gpu: &Gpu, shader: &'static Shader) -> Result<Kernel, EngineError> {
        let variant = shader.variant(gpu.adapter.software, gpu.subgroups);
        let variant = ShaderVariant { counted: gpu.counts.lanes(), ..variant };
        Kernel::of_text(gpu, shader, wgsl::assemble(shader.file, variant).map_err(EngineError::Bug)?)
    }

    /// Creates a kernel from a text with the entry points of `shader`.
    ///
    /// # Errors
    /// If the device fails.
    pub fn of_text(gpu: &Gpu, shader: &'static Shader, text: String) -> Result<Kernel, EngineError> {
        let bindings = wgsl::bindings(&text);
        gpu.scoped(|| {
            let layout = layout(gpu, shader, &bindings);
            let source = KernelSource::new(gpu, shader, &layout, text);
            let entries = shader.entries.iter().map(|entry| (*entry, OnceLock::new())).collect();
            Kernel { shader, bindings, layout, source, entries, counts: gpu.counts.clone() }
        })
    }

    pub fn shader(&self) -> &'static Shader {
        self.shader
    }

    /// Returns the bindings that the shader declares, by index.
    pub fn bindings(&self) -> &[Binding] {
        &self.bindings
    }

    /// Creates a bind group from buffers by name.
    ///
    /// # Errors
    /// If a buffer is missing, or the shader has no binding with that name.
    pub fn bind(&self, gpu: &Gpu, buffers: &[(&str, &wgpu::Buffer)]) -> Result<wgpu::BindGroup, EngineError> {
        let fault = |what: String| EngineError::Bug(format!("shaders/{}.wgsl: {what}", self.shader.file));
        let is_known = |name: &str| self.bindings.iter().any(|binding| binding.name == name);
        if let Some((name, _)) = buffers.iter().find(|(name, _)| !is_known(name)) {
            return Err(fault(format!("no binding is called `{name}`")));
        }
        let entry = |binding: &Binding| {
            let (_, buffer) = buffers
                .iter()
                .find(|(name, _)| *name == binding.name)
                .ok_or_else(|| fault(format!("no buffer is given for `{}`", binding.name)))?;
            Ok(wgpu::BindGroupEntry { binding: binding.index, resource: buffer.as_entire_binding() })
        };
        let entries = self.bindings.iter().map(entry).collect::<Result<Vec<_>, EngineError>>()?;
        Ok(gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(self.shader.file),
            layout: &self.layout,
            entries: &entries,
        }))
    }

    /// Returns the pipeline of an entry point, compiling it at first use. Compile errors are reported as
    /// device errors.
    pub fn pipeline(&self, entry: &str) -> &wgpu::ComputePipeline {
        self.entries[entry].get_or_init(|| self.source.compile(entry))
    }

    /// Returns the entry points that have not been compiled.
    pub fn missing(&self) -> impl Iterator<Item = (&Kernel, &'static str)> {
        let entries = self.shader.entries.iter().copied();
        entries.filter(|entry| self.entries[entry].get().is_none()).map(move |entry| (self, entry))
    }

    /// Sets the pipeline and the bind group for the next dispatch.
    pub fn set(&self, pass: &mut wgpu::ComputePass, entry: &str, group: &wgpu::BindGroup) {
        self.counts.dispatches.fetch_add(1, Ordering::Relaxed);
        pass.set_pipeline(self.pipeline(entry));
        pass.set_bind_group(0, group, &[]);
    }

    /// Encodes a dispatch of one entry point.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass, entry: &str, group: &wgpu::BindGroup, groups: u32) {
        self.set(pass, entry, group);
        pass.dispatch_workgroups(groups, 1, 1);
    }
}

/// Compiles all missing entry points of some kernels in parallel; a driver uses one thread for each.
///
/// # Errors
/// If the device fails.
pub fn compile<'a>(gpu: &Gpu, kernels: impl IntoIterator<Item = &'a Kernel>) -> Result<(), EngineError> {
    let missing: Vec<(&Kernel, &str)> = kernels.into_iter().flat_map(Kernel::missing).collect();
    if missing.is_empty() {
        return Ok(());
    }
    let (all, done) = (missing.len(), AtomicUsize::new(0));
    // Error scopes are per thread, so each thread checks its own errors.
    let one = |(kernel, entry): (&Kernel, &str)| {
        gpu.scoped(|| _ = kernel.pipeline(entry))?;
        let done = done.fetch_add(1, Ordering::Relaxed) + 1;
        gpu.news.progress(&format!("preparing {}: {done} of {all} shaders", gpu.adapter.name));
        Ok(())
    };
    let compile = || missing.into_par_iter().with_max_len(1).try_for_each(one);
    // A separate pool: a driver that never returns then blocks no thread that other work needs.
    let compiled = match rayon::ThreadPoolBuilder::new().build() {
        Ok(threads) => threads.install(compile),
        Err(error) => Err(DeviceFailure::Threads.because(format!("no threads to compile shaders: {error}"))),
    };
    gpu.news.progress("");
    compiled?;
    gpu.pipelines.iter().for_each(Pipelines::save);
    Ok(())
}

fn layout(gpu: &Gpu, shader: &Shader, bindings: &[Binding]) -> wgpu::BindGroupLayout {
    let entry = |binding: &Binding| wgpu::BindGroupLayoutEntry {
        binding: binding.index,
        visibility: wgpu::ShaderStages::COMPUTE,
        ty: wgpu::BindingType::Buffer {
            ty: match binding.access {
                Access::Uniform => wgpu::BufferBindingType::Uniform,
                Access::Read => wgpu::BufferBindingType::Storage { read_only: true },
                Access::Write => wgpu::BufferBindingType::Storage { read_only: false },
            },
            has_dynamic_offset: false,
            min_binding_size: None,
        },
        count: None,
    };
    let entries: Vec<_> = bindings.iter().map(entry).collect();
    gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
        label: Some(shader.file),
        entries: &entries,
    })
}

/// The inputs for compiling entry points.
struct KernelSource {
    device: wgpu::Device,
    /// Pipelines compiled in earlier runs of the program, if caching is on.
    cache: Option<wgpu::PipelineCache>,
    name: &'static str,
    layout: wgpu::PipelineLayout,
    text: String,
    checks: wgpu::ShaderRuntimeChecks,
    pieces: OnceLock<EntryModules>,
}

impl KernelSource {
    fn new(gpu: &Gpu, shader: &Shader, layout: &wgpu::BindGroupLayout, text: String) -> KernelSource {
        let layout = gpu.device.create_pipeline_layout(&wgpu::PipelineLayoutDescriptor {
            label: Some(shader.file),
            bind_group_layouts: &[Some(layout)],
            immediate_size: 0,
        });
        let cache = gpu.pipelines.as_ref().map(|pipelines| pipelines.cache().clone());
        let force_loop_bounding = gpu.checked || !shader.bounded;
        let checks = wgpu::ShaderRuntimeChecks { force_loop_bounding, ..wgpu::ShaderRuntimeChecks::checked() };
        KernelSource {
            device: gpu.device.clone(),
            cache,
            name: shader.file,
            layout,
            text,
            checks,
            pieces: OnceLock::new(),
        }
    }

    fn compile(&self, entry: &str) -> wgpu::ComputePipeline {
        let pieces = self.pieces.get_or_init(|| EntryModules::new(&self.text));
        let descriptor = wgpu::ShaderModuleDescriptor {
            label: Some(self.name),
            source: match pieces.of(entry) {
                Some(own) => wgpu::ShaderSource::Naga(Cow::Owned(own)),
                None => wgpu::ShaderSource::Wgsl(Cow::Borrowed(&self.text)),
            },
        };
        // SAFETY: all checks remain but the bound on loops, and that only for shaders of this program whose loops end
        // whatever the data (`Shader::bounded`).
        let module = unsafe { self.device.create_shader_module_trusted(descriptor, self.checks) };
        self.device.create_compute_pipeline(&wgpu::ComputePipelineDescriptor {
            label: Some(entry),
            layout: Some(&self.layout),
            module: &module,
            entry_point: Some(entry),
            compilation_options: wgpu::PipelineCompilationOptions {
                // Every shader writes its workgroup memory before it reads it.
                zero_initialize_workgroup_memory: false,
                ..Default::default()
            },
            cache: self.cache.as_ref(),
        })
    }
}
