//! Traps: the ways in which a run can end without a value.

use super::numbered;

numbered! {
    /// The reason why a run stopped. `None` (0) in a record means that the run ended with a value.
    pub enum Trap {
        None,
        DivideByZero,
        IndexOutOfBounds,
        CapacityExceeded,
        RecursionTooDeep,
        OutOfMemory,
        StepLimit,
        /// The program is not finished there.
        Hole,
    }
}

impl Trap {
    /// Returns whether values or calls at the trapping instruction are the cause.
    pub fn has_cause(self) -> bool {
        !matches!(self, Trap::None | Trap::OutOfMemory | Trap::StepLimit)
    }

    /// Returns whether the trap is due to a resource limit. The trapping instruction is then arbitrary, not
    /// the cause.
    pub fn counts_resources(self) -> bool {
        matches!(self, Trap::RecursionTooDeep | Trap::OutOfMemory | Trap::StepLimit)
    }
}
