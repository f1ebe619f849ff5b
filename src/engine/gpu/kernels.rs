//! All pipelines of the engine, and the recording of their dispatches with times.

use std::collections::HashMap;
use std::time::Duration;

use crate::engine::{EngineError, Stage};

use super::arena;
use super::device::Gpu;
use super::pipelines::{self, Binding, Pipeline, Shader};

/// The entry points of one shader, and the layout of its bindings.
pub struct Kernel {
    name: &'static str,
    layout: wgpu::BindGroupLayout,
    bindings: usize,
    entries: HashMap<&'static str, wgpu::ComputePipeline>,
}

impl Kernel {
    pub fn new(gpu: &Gpu, shader: &Shader) -> Result<Kernel, EngineError> {
        let entry = |(binding, kind): (usize, &Binding)| wgpu::BindGroupLayoutEntry {
            binding: binding as u32,
            visibility: wgpu::ShaderStages::COMPUTE,
            ty: wgpu::BindingType::Buffer {
                ty: match kind {
                    Binding::Uniform => wgpu::BufferBindingType::Uniform,
                    Binding::Read => wgpu::BufferBindingType::Storage { read_only: true },
                    Binding::Write => wgpu::BufferBindingType::Storage { read_only: false },
                },
                has_dynamic_offset: false,
                min_binding_size: None,
            },
            count: None,
        };
        let entries: Vec<_> = shader.bindings.iter().enumerate().map(entry).collect();
        let layout = gpu.scoped(|| {
            gpu.device.create_bind_group_layout(&wgpu::BindGroupLayoutDescriptor {
                label: Some(shader.name),
                entries: &entries,
            })
        })?;
        let pipelines = pipelines::compile(gpu, &[&layout], shader.name, shader.wgsl(), shader.entries)?;
        Ok(Kernel {
            name: shader.name,
            layout,
            bindings: shader.bindings.len(),
            entries: shader.entries.iter().copied().zip(pipelines).collect(),
        })
    }

    /// The buffers for a dispatch, by binding.
    pub fn bind(&self, gpu: &Gpu, buffers: &[&wgpu::Buffer]) -> wgpu::BindGroup {
        debug_assert_eq!(buffers.len(), self.bindings, "{}", self.name);
        let entries: Vec<_> = buffers
            .iter()
            .enumerate()
            .map(|(binding, buffer)| wgpu::BindGroupEntry {
                binding: binding as u32,
                resource: buffer.as_entire_binding(),
            })
            .collect();
        gpu.device.create_bind_group(&wgpu::BindGroupDescriptor {
            label: Some(self.name),
            layout: &self.layout,
            entries: &entries,
        })
    }

    /// An entry point of the shader.
    pub fn pipeline(&self, entry: &str) -> &wgpu::ComputePipeline {
        &self.entries[entry]
    }

    /// Makes an entry point and its buffers those of the next dispatch.
    pub fn set(&self, pass: &mut wgpu::ComputePass, entry: &str, group: &wgpu::BindGroup) {
        pass.set_pipeline(&self.entries[entry]);
        pass.set_bind_group(0, group, &[]);
    }

    /// Encodes one entry point.
    pub fn dispatch(&self, pass: &mut wgpu::ComputePass, entry: &str, group: &wgpu::BindGroup, groups: u32) {
        self.set(pass, entry, group);
        pass.dispatch_workgroups(groups, 1, 1);
    }
}

/// Every pipeline there is.
pub struct Kernels {
    pub layout: wgpu::BindGroupLayout,
    /// The compile stages, lex to emit.
    pub compile: Vec<Pipeline>,
    pub mutate: Kernel,
    pub judge: Kernel,
    pub execute: Kernel,
    /// Once it is asked for.
    pub noisy: Option<Kernel>,
    pub plan: Kernel,
    pub router: Kernel,
}

/// The stages that compile, in order.
pub const STAGES: [Stage; 6] =
    [Stage::Lex, Stage::Parse, Stage::Check, Stage::Lower, Stage::Optimize, Stage::Emit];

impl Kernels {
    pub fn new(gpu: &Gpu) -> Result<Kernels, EngineError> {
        let layout = gpu.scoped(|| arena::layout(gpu))?;
        let compile = STAGES.iter().map(|stage| {
            let missing = || EngineError::Fault(format!("{} has no shader", stage.name()));
            Pipeline::new(gpu, &layout, pipelines::shader(*stage).ok_or_else(missing)?)
        });
        Ok(Kernels {
            compile: compile.collect::<Result<_, _>>()?,
            layout,
            mutate: Kernel::new(gpu, &pipelines::MUTATE)?,
            judge: Kernel::new(gpu, &pipelines::JUDGE)?,
            execute: Kernel::new(gpu, &pipelines::EXECUTE)?,
            noisy: None,
            plan: Kernel::new(gpu, &pipelines::PLAN)?,
            router: Kernel::new(gpu, &pipelines::ROUTER)?,
        })
    }
}

impl Kernels {
    /// Compiles what noise needs, if that is not done yet.
    pub fn prepare_noise(&mut self, gpu: &Gpu) -> Result<(), EngineError> {
        if self.noisy.is_none() {
            self.noisy = Some(Kernel::new(gpu, &pipelines::NOISY)?);
        }
        Ok(())
    }

    /// The machine that errs.
    ///
    /// # Errors
    /// If it was not prepared.
    pub fn noisy(&self) -> Result<&Kernel, EngineError> {
        self.noisy.as_ref().ok_or_else(|| EngineError::Fault("noise was not prepared".into()))
    }
}

/// Passes that one submission may time.
const TIMED: u32 = 24;

/// The device's own clock, where it has one.
pub struct Clock {
    queries: wgpu::QuerySet,
    resolved: wgpu::Buffer,
    period: f32,
}

impl Clock {
    pub fn new(gpu: &Gpu) -> Result<Option<Clock>, EngineError> {
        let Some(period) = gpu.timestamp_period else { return Ok(None) };
        gpu.scoped(|| {
            let queries = gpu.device.create_query_set(&wgpu::QuerySetDescriptor {
                label: Some("stages"),
                ty: wgpu::QueryType::Timestamp,
                count: 2 * TIMED,
            });
            let resolved = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("timestamps"),
                size: 16 * TIMED as u64,
                usage: wgpu::BufferUsages::QUERY_RESOLVE | wgpu::BufferUsages::COPY_SRC,
                mapped_at_creation: false,
            });
            Some(Clock { queries, resolved, period })
        })
    }
}

/// A submission in the making: passes by stage, timed where the device can.
pub struct Recorder<'a> {
    pub encoder: wgpu::CommandEncoder,
    clock: Option<&'a Clock>,
    stages: Vec<Stage>,
}

impl<'a> Recorder<'a> {
    pub fn new(gpu: &Gpu, clock: Option<&'a Clock>) -> Recorder<'a> {
        Recorder { encoder: gpu.encoder(), clock, stages: Vec::new() }
    }

    /// Records dispatches of one stage.
    pub fn pass(&mut self, stage: Stage, record: impl FnOnce(&mut wgpu::ComputePass)) {
        let index = self.stages.len() as u32;
        let timed = self.clock.filter(|_| index < TIMED);
        let mut pass = self.encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
            label: Some(stage.name()),
            timestamp_writes: timed.map(|clock| wgpu::ComputePassTimestampWrites {
                query_set: &clock.queries,
                beginning_of_pass_write_index: Some(2 * index),
                end_of_pass_write_index: Some(2 * index + 1),
            }),
        });
        record(&mut pass);
        drop(pass);
        if timed.is_some() {
            self.stages.push(stage);
        }
    }

    /// Submits, waits, and gives what was asked for; adds the stages' times to `times`.
    pub fn read(
        mut self,
        gpu: &Gpu,
        parts: &[(&wgpu::Buffer, u64, u64)],
        times: &mut [Duration; Stage::ALL.len()],
    ) -> Result<Vec<Vec<u32>>, EngineError> {
        let mut parts = parts.to_vec();
        let timed = self.stages.len() as u32;
        if let (Some(clock), 1..) = (self.clock, timed) {
            self.encoder.resolve_query_set(&clock.queries, 0..2 * timed, &clock.resolved, 0);
            parts.push((&clock.resolved, 0, 4 * timed as u64));
        }
        let mut read = gpu.read(self.encoder, &parts)?;
        if let (Some(clock), 1..) = (self.clock, timed) {
            let words = read.pop().unwrap_or_default();
            for (stage, ticks) in self.stages.iter().zip(words.chunks_exact(4)) {
                let at = |low: usize| ticks[low] as u64 | (ticks[low + 1] as u64) << 32;
                // A broken clock may run backwards; then the pass took no time.
                let ticks = at(2).saturating_sub(at(0));
                times[*stage as usize] += Duration::from_nanos((ticks as f64 * clock.period as f64) as u64);
            }
        }
        Ok(read)
    }
}
