//! One stage at a time on the device: what the tests compare with the twins.

use std::collections::HashMap;

use crate::engine::{Compiled, EngineError, Stage};

use super::arena::{self, Arena, Room, Shape};
use super::device::{Gpu, Wanted};
use super::pipelines::{self, Pipeline};

/// A device with the pipelines that were asked for so far.
pub struct StageRunner {
    pub gpu: Gpu,
    layout: wgpu::BindGroupLayout,
    pipelines: HashMap<Stage, Pipeline>,
}

impl StageRunner {
    /// Opens any adapter, software ones included.
    pub fn new() -> Result<StageRunner, EngineError> {
        let gpu = Gpu::open(&Wanted::Any)?;
        let layout = gpu.scoped(|| arena::layout(&gpu))?;
        Ok(StageRunner { gpu, layout, pipelines: HashMap::new() })
    }

    /// Runs one stage on a batch whose earlier stages' outputs are given, and gives them back with its own filled in.
    pub fn run(&mut self, stage: Stage, batch: &[Compiled]) -> Result<Vec<Compiled>, EngineError> {
        if !self.pipelines.contains_key(&stage) {
            let shader = pipelines::shader(stage)
                .ok_or_else(|| EngineError::Fault(format!("{} has no shader", stage.name())))?;
            self.pipelines.insert(stage, Pipeline::new(&self.gpu, &self.layout, shader)?);
        }
        let mut shape = Shape::default();
        for program in batch {
            let base = shape.push_text(&program.text);
            shape.push(Room::of_text(&program.text), base, program.text.len() as u32);
        }
        let mut arena = Arena::new(&self.gpu, &self.layout, shape)?;
        for (index, program) in batch.iter().enumerate() {
            arena.upload(&self.gpu, index, program);
        }
        let mut encoder = self.gpu.encoder();
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_bind_group(0, &arena.group, &[]);
            self.pipelines[&stage].encode(&mut pass, batch.len() as u32);
        }
        let read = self.gpu.read(encoder, &arena.readable())?;
        let mut results = batch.to_vec();
        for (index, program) in results.iter_mut().enumerate() {
            arena.unpack(&read, index, program)?;
        }
        Ok(results)
    }
}
