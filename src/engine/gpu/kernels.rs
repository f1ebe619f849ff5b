//! All pipelines of the engine, and the recording of their dispatches with times.

use std::collections::HashMap;
use std::time::Duration;

use crate::engine::EngineError;
use crate::stage::Stage;

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
/// Timestamps of a submission: the beginning and the end of each pass, and the end of the copies behind them.
const STAMPS: u32 = 2 * TIMED + 1;

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
                count: STAMPS,
            });
            let resolved = gpu.device.create_buffer(&wgpu::BufferDescriptor {
                label: Some("timestamps"),
                size: 8 * STAMPS as u64,
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
    /// Of the passes that are timed.
    stages: Vec<Stage>,
    /// Whether there are more.
    untimed: bool,
}

impl<'a> Recorder<'a> {
    pub fn new(gpu: &Gpu, clock: Option<&'a Clock>) -> Recorder<'a> {
        Recorder { encoder: gpu.encoder(), clock, stages: Vec::new(), untimed: false }
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
        match timed {
            Some(_) => self.stages.push(stage),
            None => self.untimed = true,
        }
    }

    /// Submits, waits, and gives what was asked for; adds the stages' times to `times`, and that of the device's copies to
    /// what the device has moved.
    pub fn read(
        self,
        gpu: &Gpu,
        parts: &[(&wgpu::Buffer, u64, u64)],
        times: &mut [Duration; Stage::ALL.len()],
    ) -> Result<Vec<Vec<u32>>, EngineError> {
        let timed = self.stages.len();
        let Some(clock) = self.clock.filter(|_| timed > 0) else {
            gpu.moved(None);
            return gpu.read(self.encoder, parts);
        };
        let last = 2 * timed as u32;
        let mark = |encoder: &mut wgpu::CommandEncoder| {
            // A pass of nothing: it begins when the copies have ended.
            drop(encoder.begin_compute_pass(&wgpu::ComputePassDescriptor {
                label: Some("copied"),
                timestamp_writes: Some(wgpu::ComputePassTimestampWrites {
                    query_set: &clock.queries,
                    beginning_of_pass_write_index: Some(last),
                    end_of_pass_write_index: None,
                }),
            }));
            encoder.resolve_query_set(&clock.queries, 0..last + 1, &clock.resolved, 0);
        };
        let stamps = (&clock.resolved, 0, 2 * u64::from(last + 1));
        let mut read = gpu.read_behind(self.encoder, parts, mark, stamps)?;
        let words = read.pop().unwrap_or_default();
        let at: Vec<u64> = words.chunks_exact(2).map(|low| low[0] as u64 | (low[1] as u64) << 32).collect();
        let between = |from: usize, to: usize| {
            let ticks = at.get(to)?.checked_sub(*at.get(from)?)?;
            Some(Duration::from_nanos((ticks as f64 * clock.period as f64) as u64))
        };
        for (pass, stage) in self.stages.iter().enumerate() {
            // A broken clock may run backwards; then the pass took no time.
            times[*stage as usize] += between(2 * pass, 2 * pass + 1).unwrap_or_default();
        }
        gpu.moved(between(2 * timed - 1, 2 * timed).filter(|_| !self.untimed));
        Ok(read)
    }
}
