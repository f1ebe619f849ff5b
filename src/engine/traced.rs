//! Engines that note the steps of a run as they make them.

use super::EngineError;
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::execute::Record;

/// Steps that were made one after the other.
#[derive(Clone, Copy, Debug)]
pub struct Stretch<'a> {
    /// All frames and operands before the first of them.
    pub memory: &'a [u32],
    /// Of each step its words (`layout::numbers::step`).
    pub steps: &'a [u32],
    /// Calls that are active behind them.
    pub depth: u32,
}

/// Makes a run and notes where it stands before each of its steps.
pub trait Traced {
    /// Runs a routine of a program, which must be the last base, on the start of its frame. So many steps are made at most; `sink` gets them in stretches, one of which
    /// begins at each multiple of `keyframe`.
    ///
    /// # Errors
    /// If it is cancelled, another program is the base, there is no such routine, or the device fails.
    fn trace(
        &mut self,
        run: Noted,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(Stretch),
    ) -> Result<Record, EngineError>;
}

/// What is to be run, and how.
#[derive(Clone, Copy, Debug)]
pub struct Noted<'a> {
    pub program: &'a Compiled,
    pub routine: u32,
    pub frame: &'a [u32],
    pub fuel: u32,
    /// Calls that count as active where it begins.
    pub bottom: u32,
    pub keyframe: u32,
}
