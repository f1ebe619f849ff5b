//! How a run can end other than in a value.

use super::numbered;

numbered! {
    /// Why a running program stopped. `None` (0) in a record means that it ended in a value.
    pub enum Trap {
        None,
        DivideByZero,
        IndexOutOfBounds,
        CapacityExceeded,
        RecursionTooDeep,
        OutOfMemory,
        StepLimit,
    }
}

impl Trap {
    /// Whether it counts a resource: then the instruction that reaches the limit is chance, not the fault.
    pub fn counts_resources(self) -> bool {
        matches!(self, Trap::RecursionTooDeep | Trap::OutOfMemory | Trap::StepLimit)
    }
}
