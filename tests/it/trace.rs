//! Runs recorded, against the machine itself: what is said of a position is what a run gives that is cut off there.

mod program;
mod walks;
mod who;

use std::sync::Arc;

use crate::common::compile::compile;
use myriad::lang::limits;
use myriad::program::Compiled;
use myriad::stage::execute::{Domain, Machine};
use myriad::trace::{Trace, record};

/// A compiled program without errors.
fn compiled(text: &str) -> Option<Arc<Compiled>> {
    Some(Arc::new(compile(text))).filter(|compiled| !compiled.facts.stopped() && compiled.facts.errors == 0)
}

/// Records an entry on an input of its domain; gives the frame that it began with, too.
fn recorded(compiled: &Arc<Compiled>, entry: u32, input: u32) -> Option<(Trace, Vec<u32>)> {
    let routine = compiled.facts.functions + entry;
    let executable = &compiled.executable;
    let domain = Domain::new(&executable.routines, &compiled.binders, routine as usize, limits::SAMPLES);
    let words = executable.routine(routine)?.frame() as usize;
    if input >= domain.inputs() {
        return None;
    }
    let mut frame = vec![0; words.min(limits::STACK_WORDS as usize)];
    domain.write(input, &mut frame);
    Some((record(compiled, routine, &frame, limits::STEPS), frame))
}

/// The memory of a run that is cut off after so many steps.
fn oracle(machine: &mut Machine, trace: &Trace, frame: &[u32], steps: u32) -> Vec<u32> {
    let memory = machine.frame();
    memory.fill(0);
    memory[..frame.len()].copy_from_slice(frame);
    let routine = trace.calls()[0].function;
    machine.run(&trace.compiled.executable, routine, steps, 0);
    machine.operands().to_vec()
}

/// The program that readers of the documentation see.
const GCD: &str = include_str!("../../samples/gcd.myr");
