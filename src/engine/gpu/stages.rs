//! One stage at a time on the device: what the tests compare with the twins.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use crate::engine::EngineError;
use crate::program::Compiled;
use crate::stage::Stage;

use super::arena::{Arena, Room, Shape};
use super::compiler::CompileStage;
use super::device::{Gpu, Wanted};

/// A device with the stages that were asked for so far.
pub struct StageRunner {
    pub gpu: Gpu,
    compilers: HashMap<Stage, CompileStage>,
}

impl StageRunner {
    /// Opens any adapter, software ones included.
    pub fn new() -> Result<StageRunner, EngineError> {
        let gpu = Gpu::open(&Wanted::Any)?;
        Ok(StageRunner { gpu, compilers: HashMap::new() })
    }

    /// Runs one stage on a batch whose earlier stages' outputs are given, and gives them back with its own filled in.
    pub fn run(&mut self, stage: Stage, batch: &[Compiled]) -> Result<Vec<Compiled>, EngineError> {
        let compiler = match self.compilers.entry(stage) {
            Entry::Occupied(made) => made.into_mut(),
            Entry::Vacant(place) => place.insert(CompileStage::new(&self.gpu, stage)?),
        };
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
            run_chunk(&self.gpu, compiler, chunk, shape, &mut results)?;
            rest = behind;
        }
        Ok(results)
    }
}

fn run_chunk(
    gpu: &Gpu,
    compiler: &CompileStage,
    batch: &[Compiled],
    shape: Shape,
    results: &mut Vec<Compiled>,
) -> Result<(), EngineError> {
    let mut arena = Arena::new(gpu, compiler, shape)?;
    for (index, program) in batch.iter().enumerate() {
        arena.upload(gpu, index, program);
    }
    let mut encoder = gpu.encoder();
    compiler.encode(&mut encoder.begin_compute_pass(&Default::default()), &arena);
    let read = gpu.read(encoder, &arena.readable())?;
    for (index, program) in batch.iter().enumerate() {
        let mut program = program.clone();
        arena.unpack(&read, index, compiler.stage, &mut program)?;
        results.push(program);
    }
    Ok(())
}
