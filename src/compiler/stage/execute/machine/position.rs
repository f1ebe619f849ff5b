//! Where a run is, and how it ends.

use crate::lang::trap::Trap;

/// The end of a run, without the fields of its record that the caller computes.
pub struct PositionEnd {
    pub trap: Trap,
    pub value: u32,
    pub address: usize,
}

#[derive(Clone, Copy)]
pub struct At {
    pub pc: usize,
    pub fp: usize,
    pub sp: usize,
    /// Number of active calls, now and at the beginning of the run.
    pub depth: usize,
    pub bottom: usize,
}
