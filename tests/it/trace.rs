//! Recorded runs compared with the machine: the state at a position equals that of a run stopped there.

mod device;
mod past;
mod program;
mod values;
mod walks;
mod who;

use std::iter::successors;
use std::sync::Arc;

use crate::common::compile::compile;
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::compile_at;
use myriad::compiler::stage::execute::{Domain, Machine};
use myriad::lang::index::{EntryId, Index, InputId, Position, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::lang::limits;
use myriad::testing::trace::{Trace, record};

/// Compiles a text; `None` if it has errors.
fn compiled(text: &str) -> Option<Arc<Compiled>> {
    Some(Arc::new(compile(text))).filter(|compiled| !compiled.facts.stopped() && compiled.facts.errors == 0)
}

/// Records an entry on an input of its domain; also returns the initial frame.
fn recorded(compiled: &Arc<Compiled>, entry: EntryId, input: InputId) -> Option<(Trace, Vec<u32>)> {
    let routine = compiled.facts.entry(entry);
    let frame = frame_of(compiled, routine, input)?;
    Some((record(compiled, routine, &frame, limits::STEPS), frame))
}

/// Returns the initial frame of a routine. The frame of an entry holds an input of its domain, that of a
/// function holds zeros. `None` if the input does not exist.
fn frame_of(compiled: &Arc<Compiled>, routine: RoutineId, input: InputId) -> Option<Vec<u32>> {
    let executable = &compiled.executable;
    let words = executable.routine(routine)?.frame() as usize;
    let mut frame = vec![0; words.min(limits::STACK_WORDS as usize)];
    if compiled.facts.entry_of(routine).is_some() {
        let domain = Domain::new(&executable.routines, &compiled.binders, routine, limits::SAMPLES);
        domain.write(Some(input).filter(|input| domain.inputs().contains(*input))?, &mut frame);
    }
    Some(frame)
}

/// Returns the memory of a run that is stopped at a position.
fn oracle(machine: &mut Machine, trace: &Trace, frame: &[u32], at: Position) -> Vec<u32> {
    let memory = machine.frame();
    memory.fill(0);
    memory[..frame.len()].copy_from_slice(frame);
    let routine = trace.calls()[0].function;
    machine.run(&trace.compiled.executable, routine, at.number(), 0);
    machine.operands().to_vec()
}

/// The program that the documentation uses.
const GCD: &str = include_str!("../../samples/gcd.myr");

/// The jumps at the end of a round and of a branch are not further visits.
#[test]
fn line_of_a_condition_is_reached_once_for_each_evaluation() {
    const TEXT: &str = "fn f(n: int) -> int {
    let s = 0;
    for k in 0..n {
        if k == 0 {
            s += 5;
        } else {
            s -= 1;
        }
    }
    while s > 2 {
        s -= 1;
    }
    while s > 0 { s -= 1; }
    return s;
}
test f(3) == 0;
";
    const TIMES: [(u32, usize); 7] = [(3, 4), (4, 3), (5, 1), (7, 2), (10, 2), (11, 1), (13, 3)];
    for level in [OptLevel::Lowered, OptLevel::default()] {
        let compiled = Arc::new(compile_at(level, TEXT));
        let (trace, _) = recorded(&compiled, EntryId::FIRST, InputId::FIRST).expect("a run");
        let start = trace.visits(2)[0];
        let ahead = successors(Some(start), |at| Some(trace.next_line(*at)).filter(|to| to > at));
        let back =
            successors(Some(trace.visits(14)[0]), |at| Some(trace.line_before(*at)).filter(|to| to < at));
        let [ahead, back] = [ahead.collect::<Vec<_>>(), back.collect()];
        for (line, times) in TIMES {
            let stops = |way: &[Position]| way.iter().filter(|at| trace.line(**at) == line).count();
            let found = [trace.visits(line).len(), stops(&ahead), stops(&back)];
            assert_eq!(found, [times; 3], "line {line} at {level:?}");
        }
    }
}
