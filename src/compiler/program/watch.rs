//! Cancellation and progress of work on a program.

use crate::lang::index::EntryId;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::Compiled;

/// Reports whether work has been cancelled, and receives its progress. Every operation that may take long has
/// a `Watch`.
///
/// A closure or flag that returns whether the work has been cancelled is a watch that ignores progress.
pub trait Watch {
    /// Returns whether the work has been cancelled.
    fn cancelled(&self) -> bool;

    /// Reports progress while the tests of a base run, every few milliseconds: `entry`, the first test or
    /// property that has not ended, has run on `inputs` of its inputs.
    fn running(&self, _compiled: &Arc<Compiled>, _entry: EntryId, _inputs: u32) {}
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
