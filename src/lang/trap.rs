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
