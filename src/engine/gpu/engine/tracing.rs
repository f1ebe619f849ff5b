//! Records the steps of a run of the base on the device.

use crate::compiler::layout::ExecuteParams;
use crate::compiler::program::Watch;
use crate::compiler::stage::execute::Record;
use crate::engine::gpu::noting::Noting;
use crate::engine::{EngineError, Noted, Stretch, Traced};
use crate::lang::limits;
use crate::lang::trap::Trap;

use super::GpuEngine;

impl Traced for GpuEngine {
    fn trace(
        &mut self,
        run: Noted,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(Stretch),
    ) -> Result<Record, EngineError> {
        let epoch = self.next_epoch();
        let noting = match self.noting.take() {
            Some((stretch, noting)) if stretch == run.keyframe => noting,
            _ => Noting::new(&self.gpu, run.keyframe)?,
        };
        let (_, noting) = self.noting.insert((run.keyframe, noting));
        let base = self.base.as_ref().filter(|base| {
            let same = std::ptr::eq(&*base.compiled, run.program);
            same || base.compiled.executable == run.program.executable
        });
        let found = base.and_then(|base| Some((base, base.compiled.executable.routine(run.routine)?)));
        let Some((base, routine)) = found else {
            return Err(EngineError::Fault(format!("the base has no routine with the number {}", run.routine)));
        };
        let (address, frame) = (routine.address(), routine.frame());
        if frame > limits::STACK_WORDS {
            return Ok(Record { trap: Trap::OutOfMemory, value: 0, steps: 0, address });
        }
        let params = ExecuteParams { epoch, ..self.runs.params(&base.arena) };
        noting.run(&self.gpu, (&base.arena, params), (address, frame), run, watch, sink)
    }
}
