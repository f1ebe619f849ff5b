//! An input near a counterexample that the property holds for: the two runs side by side show what makes the difference.

use super::{Target, subject};
use crate::compiler::program::Compiled;
use crate::engine::explain;

/// A run of the same property on an input near this one that it holds for. A test has no other input, and a function's call is neither right nor
/// wrong.
///
/// # Errors
/// If there is none.
pub fn passing(compiled: &Compiled, target: &Target) -> Result<Target, String> {
    let entry = target.routine.checked_sub(compiled.facts.functions);
    let entry = entry.ok_or("a call has no neighbour that passes")?;
    let values = explain::neighbour(compiled, entry as usize, &target.frame);
    let values = values.ok_or("no input near this one was found that it holds for")?;
    subject::on_input(compiled, entry, &values)
}
