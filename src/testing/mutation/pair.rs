//! A mutant paired with its base.

use super::instruction_match::InstructionMatch;
use crate::compiler::program::{Compiled, Executable};
use crate::compiler::stage::emit::emit_unoptimized;
use crate::compiler::stage::mutate::Edit;
use crate::lang::index::RoutineId;

/// A mutant, with its instructions matched to those of the base.
pub struct ComparedMutant {
    /// The optimized code.
    pub mutant: Executable,
    pub lowered: Executable,
    pub alike: InstructionMatch,
    /// The functions that the mutant changes, ascending.
    pub functions: Vec<RoutineId>,
}

impl ComparedMutant {
    pub fn new(base: &Compiled, lowered: &Executable, mutant: &Compiled, edits: &[Edit]) -> ComparedMutant {
        let own = emit_unoptimized(mutant);
        let alike = InstructionMatch::new(lowered, &own, edits);
        let functions = changed(base, edits);
        ComparedMutant { mutant: mutant.executable.clone(), lowered: own, alike, functions }
    }
}

/// Returns the functions that the edits change, ascending.
pub fn changed(base: &Compiled, edits: &[Edit]) -> Vec<RoutineId> {
    let has = |function: &RoutineId| {
        let extent = base.executable.routine(*function).map(|routine| base.view().extent(routine.head()));
        extent.is_some_and(|extent| edits.iter().any(|edit| extent.contains(edit.site)))
    };
    base.functions().iter().filter(has).collect()
}
