//! One stage at a time on the device: what the tests compare with the twins.

use std::collections::HashMap;

use crate::engine::EngineError;
use crate::program::Compiled;
use crate::stage::Stage;

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
        let mut results = Vec::with_capacity(batch.len());
        let mut rest = batch;
        while !rest.is_empty() {
            let mut shape = Shape::default();
            let mut count = 0;
            for program in rest {
                let room = Room::of_text(&program.text);
                if count > 0 && !shape.fits_with(room, program.text.len(), &self.gpu.device.limits()) {
                    break;
                }
                let base = shape.push_text(&program.text);
                shape.push(room, base, program.text.len() as u32);
                count += 1;
            }
            let (chunk, behind) = rest.split_at(count);
            self.run_chunk(stage, chunk, shape, &mut results)?;
            rest = behind;
        }
        Ok(results)
    }

    fn run_chunk(
        &mut self,
        stage: Stage,
        batch: &[Compiled],
        shape: Shape,
        results: &mut Vec<Compiled>,
    ) -> Result<(), EngineError> {
        let mut arena = Arena::new(&self.gpu, &self.layout, shape)?;
        for (index, program) in batch.iter().enumerate() {
            arena.upload(&self.gpu, index, program);
        }
        let mut encoder = self.gpu.encoder();
        {
            let mut pass = encoder.begin_compute_pass(&Default::default());
            pass.set_bind_group(0, &arena.group, &[]);
            self.pipelines[&stage].encode(&mut pass, &arena.shape);
        }
        let read = self.gpu.read(encoder, &arena.readable())?;
        for (index, program) in batch.iter().enumerate() {
            let mut program = program.clone();
            arena.unpack(&read, index, stage, &mut program)?;
            results.push(program);
        }
        Ok(())
    }
}
