//! The program after each pass of the optimizer as runnable bytecode, to measure a pass on the program's own
//! tests.

use super::execute::{Machine, Tally, domains, entry};
use super::{emit, optimize};
use crate::compiler::program::{Compiled, Executable, Ir, Watch};
use crate::lang::limits;
use crate::lang::opcode::Op;
use crate::lang::trap::Trap;

/// The code at some point between lower and emit.
#[derive(Clone, Debug)]
pub struct PassOutput {
    /// `lower` for the code before all passes; else the number and name of the pass that produced it.
    pub name: String,
    pub ir: Ir,
    pub executable: Executable,
}

impl PassOutput {
    /// Number of instructions, not counting `NOP`s.
    pub fn instructions(&self) -> usize {
        self.ir.op.iter().filter(|op| **op != Op::Nop as u32).count()
    }
}

/// Returns the code before all passes, and after each pass that changed it; nothing for a program with
/// errors.
pub fn forms(compiled: &Compiled) -> Vec<PassOutput> {
    if compiled.lowered.op.is_empty() {
        return vec![];
    }
    let mut before = None;
    let mut all = Vec::new();
    for optimize::Snapshot { name, ir, mut routines } in optimize::snapshots(compiled) {
        if before.as_ref() == Some(&ir) {
            continue;
        }
        let name = if all.is_empty() { name.to_string() } else { format!("{} {name}", all.len()) };
        let mut executable = Executable::default();
        emit::run(&ir, &mut routines, &mut executable.code, &mut Default::default());
        executable.routines = routines;
        all.push(PassOutput { name, ir: ir.clone(), executable });
        before = Some(ir);
    }
    all
}

/// Runs the tests and properties on a form, with the same inputs as on the program itself. Returns `None` if
/// cancelled.
pub fn run(compiled: &Compiled, form: &PassOutput, watch: &dyn Watch) -> Option<Vec<Tally>> {
    let mut machine = Machine::default();
    machine.load(&form.executable);
    let domains = domains(&compiled.facts, &form.executable.routines, &compiled.binders, limits::SAMPLES);
    let tallies = domains.iter().map(|domain| {
        let tally = entry(&mut machine, &form.executable, domain, limits::STEPS, watch);
        (!watch.cancelled()).then_some(tally)
    });
    tallies.collect()
}

/// Returns whether an entry ends equally before and after a pass. A pass may prevent the exhaustion of a
/// resource, but must not change anything else.
pub fn agree(before: &Tally, after: &Tally) -> bool {
    let exhausted = |trap| matches!(trap, Trap::StepLimit | Trap::OutOfMemory | Trap::RecursionTooDeep);
    let same = before.failing_input == after.failing_input
        && before.last.trap == after.last.trap
        && (before.last.trap != Trap::None || before.last.value == after.last.value);
    same || exhausted(before.last.trap)
}
