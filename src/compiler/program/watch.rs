//! Who waits for work on a program.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Compiled;

/// Says whether work is still wanted, and may be told what takes long. All work that may take long asks one.
///
/// A closure that says whether the work has been cancelled is a watch that is told nothing, and so is a flag.
pub trait Watch {
    /// Whether the work has been cancelled.
    fn cancelled(&self) -> bool;

    /// The test or property with this index, the first that has not ended, has run on `inputs` of its inputs so far.
    /// Called every few milliseconds while the tests of a base run.
    fn running(&self, _compiled: &Arc<Compiled>, _entry: u32, _inputs: u32) {}
}

impl<F: Fn() -> bool> Watch for F {
    fn cancelled(&self) -> bool {
        self()
    }
}

impl Watch for AtomicBool {
    fn cancelled(&self) -> bool {
        self.load(Ordering::Relaxed)
    }
}
