//! The mutants of one function, and how many of them inputs kill. This rates the inputs.

use super::calls::capacities;
use crate::compiler::program::{Compiled, Executable, Watch};
use crate::compiler::stage::mutate::{self, Edits};
use crate::compiler::stage::{Compiler, splice};
use crate::compiler::variants::Variants;
use crate::lang::index::{Index, MutantId, RoutineId};

/// The maximum number of mutants. If there are more, mutants at equal distances are taken.
const MUTANTS: usize = 256;

/// How many mutants inputs kill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MutantKills {
    pub killed: u32,
    /// Those that compile to other code than the program.
    pub all: u32,
}

/// Counts the first-order mutants of a function that compile to other code, and those of them that `kills`. Returns
/// `Some(None)` if there are no such mutants, and `None` if the work was cancelled.
pub fn count(
    compiled: &Compiled,
    function: RoutineId,
    watch: &dyn Watch,
    kills: &mut dyn FnMut(&Executable) -> bool,
) -> Option<Option<MutantKills>> {
    let Some(own) = compiled.executable.routine(function) else { return Some(None) };
    let extent = compiled.view().extent(own.head());
    let variants = Variants::new(compiled);
    let edits: Vec<Edits> = (0..variants.first_order() as usize)
        .filter_map(|id| variants.edits(MutantId::at(id)))
        .filter(|edits| extent.contains(edits.first.lo) && edits.first.end() <= extent.end())
        .collect();
    let mut compiler = Compiler::default();
    let mut found = MutantKills::default();
    for edits in edits.iter().step_by(edits.len().div_ceil(MUTANTS).max(1)) {
        if watch.cancelled() {
            return None;
        }
        if !mutate::apply(&compiled.tokens, *edits, &mut compiler.tokens) {
            continue;
        }
        compiler.tokens_at(&compiled.text, compiled.facts.names, compiled.level);
        let mutant = &compiler.back.executable;
        let Some(code) = mutant.routine(function).filter(|_| compiler.compiles()) else { continue };
        if splice::code(code) == splice::code(own) || capacities(code) != capacities(own) {
            continue;
        }
        found.all += 1;
        found.killed += u32::from(kills(mutant));
    }
    Some((found.all > 0).then_some(found))
}
