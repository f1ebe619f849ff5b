//! The steps of a run, as an engine records them.

use crate::compiler::program::Compiled;
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
