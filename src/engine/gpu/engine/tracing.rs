//! Records the steps of a run of the base on the device.

use crate::compiler::layout::ExecuteParams;
use crate::compiler::program::Watch;
use crate::compiler::stage::execute::Record;
use crate::engine::gpu::step_recorder::StepRecorder;
use crate::engine::{EngineError, StepRange, TracedRun};
use crate::lang::limits;
use crate::lang::trap::Trap;

use super::GpuEngine;

impl GpuEngine {
    /// See [`crate::engine::Abilities::trace`].
    pub(super) fn record_steps(
        &mut self,
        run: TracedRun,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(StepRange),
    ) -> Result<Record, EngineError> {
        let epoch = self.next_epoch();
        let step_recorder = match self.step_recorder.take() {
            Some((stretch, step_recorder)) if stretch == run.keyframe => step_recorder,
            _ => StepRecorder::new(&self.gpu, run.keyframe)?,
        };
        let (_, step_recorder) = self.step_recorder.insert((run.keyframe, step_recorder));
        let base = self.base.as_ref().filter(|base| {
            let same = std::ptr::eq(&*base.compiled, run.program);
            same || base.compiled.executable == run.program.executable
        });
        let found = base.and_then(|base| Some((base, base.compiled.executable.routine(run.routine)?)));
        let Some((base, routine)) = found else {
            return Err(EngineError::Call(format!("the base has no routine with the number {}", run.routine)));
        };
        if routine.frame() > limits::STACK_WORDS {
            let address = routine.address();
            return Ok(Record { trap: Trap::OutOfMemory, value: 0, steps: 0, address: Some(address) });
        }
        let params = ExecuteParams { epoch, ..self.runs.params(&base.arena) };
        step_recorder.run(&self.gpu, (&base.arena, params), routine, run, watch, sink)
    }
}
