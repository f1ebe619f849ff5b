//! Calls single functions of the base.

use crate::compiler::layout::ExecuteParams;
use crate::compiler::layout::numbers::mode;
use crate::compiler::program::Watch;
use crate::engine::gpu::device::Part;
use crate::engine::gpu::records::{GpuCall, GpuRecord, record};
use crate::engine::gpu::slices::Slices;
use crate::engine::timings::StageTimes;
use crate::engine::{EngineError, RunResult};
use crate::lang::index::RoutineId;
use crate::lang::limits;
use crate::lang::trap::Trap;

use super::GpuEngine;

impl GpuEngine {
    /// See [`crate::engine::Engine::run`].
    pub(super) fn call(
        &mut self,
        function: RoutineId,
        arguments: &[u32],
        watch: &dyn Watch,
    ) -> Result<RunResult, EngineError> {
        let epoch = self.next_epoch();
        let base = self.base.as_ref();
        let found = base.and_then(|base| Some((base, base.compiled.program().function(function)?)));
        let Some((base, routine)) = found else {
            return Err(EngineError::no_function(function));
        };
        if routine.frame() > limits::STACK_WORDS {
            let (trap, trap_address) = (Trap::OutOfMemory, Some(routine.address()));
            return Ok(RunResult { trap, trap_address, steps: 0, value: vec![] });
        }
        let list = routine.result().is_list();
        let (gpu, runs) = (&self.gpu, &self.runs);
        gpu.scoped(|| runs.prepare_call(gpu, routine, arguments))?;
        let params = runs.params(&base.arena);
        let params = ExecuteParams {
            mode: mode::CALL,
            lanes: 1,
            slots: 1,
            initial_depth: 1,
            lists_by_reference: 1,
            epoch,
            ..params
        };
        let work = runs.tests(&base.arena, &runs.records, params);
        let mut parts: Vec<Part> = vec![(&runs.records, 0, u64::from(GpuCall::WORDS))];
        parts.extend(runs.large_words(if list { limits::CAPACITY } else { 0 }));
        let times = &mut StageTimes::default();
        let slices = Slices { gpu, control: &runs.control, pace: &mut self.pace, watch, clock: None, times };
        let read = slices.run(&parts, |recorder, turn| runs.execute(recorder, &work, turn))?;
        let GpuCall { trap, value, steps, address } = record(&read[0], epoch)?;
        let value = match trap {
            Trap::None if list => read[1..].iter().take(value as usize).flatten().copied().collect(),
            Trap::None => vec![value],
            _ => vec![],
        };
        Ok(RunResult { trap, trap_address: address, steps, value })
    }
}
