//! Finds the tests and properties that can call a function.

use crate::compiler::program::{Compiled, ExecutableInstruction, Instructions, Routine};
use crate::lang::index::{Index, RoutineId};
use crate::lang::opcode::Op;

/// Returns, for each routine of a program, whether it is `function` or can call it directly or indirectly.
pub fn reaching(compiled: &Compiled, function: RoutineId) -> Vec<bool> {
    let is_call = |instruction: &ExecutableInstruction| instruction.op == Op::Call;
    let calls = |routine: Routine| {
        let calls: Vec<_> = Instructions::of(routine.words()).filter(is_call).collect();
        calls.into_iter().map(move |call| (routine.id.position(), call.function().position()))
    };
    let calls: Vec<(usize, usize)> = compiled.executable.routines().flat_map(calls).collect();
    let mut reaches = vec![false; compiled.executable.routines().len()];
    reaches[function.position()] = true;
    loop {
        let before = reaches.iter().filter(|&&reaches| reaches).count();
        for &(caller, callee) in &calls {
            reaches[caller] |= reaches.get(callee).copied().unwrap_or(false);
        }
        if reaches.iter().filter(|&&reaches| reaches).count() == before {
            return reaches;
        }
    }
}
