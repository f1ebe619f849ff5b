//! Waits for a program's tests: reports the running test on standard error, and cancels at the limit of the call.

use std::cell::RefCell;
use std::sync::Arc;

use super::limit::Limit;
use super::progress::CliProgress;
use super::titles::heading;
use crate::compiler::program::{Compiled, Watch};
use crate::host::measure::numbers::grouped;
use crate::lang::index::{EntryId, Index};
use crate::report::visible::visible;

/// A test that takes long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slow {
    pub entry: EntryId,
    /// Its name, or its expression.
    pub title: String,
}

/// A watch with a limit.
pub struct TestWatch<'a> {
    limit: Limit<'a>,
    seen: RefCell<(CliProgress, Option<Slow>)>,
}

impl<'a> TestWatch<'a> {
    pub fn new(limit: Limit<'a>) -> TestWatch<'a> {
        TestWatch { limit, seen: RefCell::new((CliProgress::new("tests"), None)) }
    }

    /// Returns the test that ran last, if the engine reported one.
    pub fn slow(self) -> Option<Slow> {
        self.seen.into_inner().1
    }
}

impl Watch for TestWatch<'_> {
    fn cancelled(&self) -> bool {
        self.limit.cancelled()
    }

    fn running(&self, compiled: &Arc<Compiled>, entry: EntryId, inputs: u32) {
        let (progress, slow) = &mut *self.seen.borrow_mut();
        if slow.as_ref().is_none_or(|slow| slow.entry != entry) {
            *slow = Some(Slow { entry, title: heading(compiled, entry).title });
        }
        let (title, number) = (slow.as_ref().map_or("", |slow| &slow.title), entry.next());
        let all = compiled.entries().len();
        let input =
            if inputs > 0 { format!(", input {}", grouped(u64::from(inputs) + 1)) } else { String::new() };
        progress.follow(&format!("running test {number} of {all}: {}{input}", visible(title)));
    }
}
