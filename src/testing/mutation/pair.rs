//! A mutant paired with its base.

use super::instruction_match::{in_base, matched};
use crate::compiler::program::{Compiled, Executable};
use crate::compiler::stage::emit::emit_unoptimized;
use crate::compiler::stage::mutate::Edit;
use crate::lang::index::RoutineId;

/// A mutant, with its instructions matched to those of the base.
pub struct ComparedMutant {
    /// The optimized code.
    pub mutant: Executable,
    pub lowered: Executable,
    /// For each address of the base and of the mutant, the number of the instruction, or `NONE` if only one has it.
    pub numbers: [Vec<u32>; 2],
    /// The functions that the mutant changes, ascending.
    pub functions: Vec<RoutineId>,
}

impl ComparedMutant {
    pub fn new(base: &Compiled, lowered: &Executable, mutant: &Compiled, edits: &[Edit]) -> ComparedMutant {
        let own = emit_unoptimized(mutant);
        let numbers = matched([lowered, &own], |token| in_base(edits, token), true);
        let functions = changed(base, edits);
        ComparedMutant { mutant: mutant.executable.clone(), lowered: own, numbers, functions }
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
