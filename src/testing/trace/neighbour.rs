//! Finds a passing input near a counterexample. Comparing the two runs shows what makes the difference.

use super::{Target, subject};
use crate::compiler::program::Compiled;
use crate::engine::explain;

/// Returns a run of the same property on a nearby input for which it passes.
///
/// # Errors
/// If no such input was found, or the target is not a property: a test has no other input, and a call neither passes
/// nor fails.
pub fn passing(compiled: &Compiled, target: &Target) -> Result<Target, String> {
    let entry = compiled.facts.entry_of(target.routine);
    let entry = entry.ok_or("a call has no nearby input that passes: this works for properties only")?;
    let values = explain::neighbour(compiled, entry, &target.frame);
    let values = values.ok_or("no passing input was found near this one")?;
    subject::on_input(compiled, entry, &values)
}
