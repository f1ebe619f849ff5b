//! Engines that record the steps of a run as they execute them.

use super::EngineError;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::execute::Record;
use crate::lang::index::RoutineId;

/// Consecutive steps of a run.
#[derive(Clone, Copy, Debug)]
pub struct StepRange<'a> {
    /// All frames and operands before the first step.
    pub memory: &'a [u32],
    /// The words of each step (`layout::numbers::step`).
    pub steps: &'a [u32],
    /// The number of active calls after the last step.
    pub depth: u32,
}

/// Executes a run and records its state before each step.
pub trait StepTracing {
    /// Runs a routine of a program, which must be the last base, with the given start of its frame. The run
    /// has at most `run.fuel` steps. `sink` receives them in stretches; one begins at each multiple of
    /// `run.keyframe`.
    ///
    /// # Errors
    /// If it is cancelled, another program is the base, the routine does not exist, or the device fails.
    fn trace(
        &mut self,
        run: TracedRun,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(StepRange),
    ) -> Result<Record, EngineError>;
}

/// The run to record.
#[derive(Clone, Copy, Debug)]
pub struct TracedRun<'a> {
    pub program: &'a Compiled,
    pub routine: RoutineId,
    pub frame: &'a [u32],
    pub fuel: u32,
    /// The number of calls that count as active at its start.
    pub bottom: u32,
    pub keyframe: u32,
}
