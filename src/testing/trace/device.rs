//! Records a run made by an engine. The trace equals that of the host's recorder byte for byte.

use std::sync::Arc;

use super::record::{KEYFRAME, TraceRecorder};
use super::{ReplayKey, Trace, TraceBuffers, TraceStep, from_recording, recycle_buffers, take_spare_buffers};
use crate::compiler::layout::numbers::step;
use crate::compiler::program::{Compiled, Watch};
use crate::engine::{Engine, EngineError, StepRange, TracedRun};
use crate::host::measure::Kind;
use crate::lang::index::{Index, Position, RoutineId};
use crate::lang::trap::Trap;
use crate::lang::{NONE, limits};

/// Records the run of a routine of an engine's last base. The engine records it if it supports that; otherwise the host
/// does.
///
/// # Errors
/// If the work is cancelled, or the device fails.
pub fn record_on(
    engine: &mut dyn Engine,
    compiled: &Arc<Compiled>,
    routine: RoutineId,
    frame: &[u32],
    watch: &dyn Watch,
) -> Result<Trace, EngineError> {
    let fuel = limits::STEPS;
    let again = ReplayKey { compiled: compiled.clone(), routine, frame: frame.into() };
    let bottom = again.bottom();
    let mut recorder = TraceRecorder::new(routine, fuel, bottom, take_spare_buffers());
    let run =
        TracedRun { program: compiled, routine, frame, fuel: recorder.fuel, bottom, keyframe: KEYFRAME as u32 };
    let code = &compiled.executable.code.word;
    let traced = engine.trace(run, watch, &mut |stretch| recorder.stretch(stretch, code));
    if let Some(Ok(record)) = traced {
        recorder.finish(record.trap == Trap::None);
        return Ok(from_recording(again, record, recorder, Kind::Gpu));
    }
    recycle_buffers(TraceBuffers { steps: recorder.steps, calls: recorder.calls });
    match traced {
        Some(Err(error)) => Err(error),
        _ => Ok(again.record(fuel)),
    }
}

fn step_of(words: &[u32]) -> Option<TraceStep> {
    let [pc, top, stack, below] = *words else { return None };
    let halves = |word: u32| (word as u16, (word >> 16) as u16);
    let ((fp, sp), (below, depth)) = (halves(stack), halves(below));
    Some(TraceStep { pc, top, fp, sp, below, depth })
}

impl TraceRecorder {
    /// Appends steps that an engine recorded. Calls are derived from the changes of depth.
    fn stretch(&mut self, stretch: StepRange, code: &[u32]) {
        for (number, words) in stretch.steps.chunks_exact(step::WORDS as usize).enumerate() {
            let Some(step) = step_of(words) else { return };
            self.sync_depth(step.depth, code);
            if self.steps.len().is_multiple_of(KEYFRAME) && number == 0 {
                self.keyframe(stretch.memory);
            }
            self.steps.put(self.steps.len(), step);
        }
        self.sync_depth(stretch.depth as u16, code);
    }

    /// Records a call or return if the depth after the last step differs from the current one.
    fn sync_depth(&mut self, depth: u16, code: &[u32]) {
        let active = self.active();
        if depth > active {
            let called = self.steps.last().and_then(|step| code.get(step.pc as usize));
            self.enter(RoutineId::new(called.map_or(NONE, |word| word >> 8)));
        } else if depth < active {
            self.leave(Some(Position::at(self.steps.len())));
        }
    }
}
