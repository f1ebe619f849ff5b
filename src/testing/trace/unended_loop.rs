//! Finds the loop in which a run exhausted its fuel without repeating a state, such as a loop that counts up for ever.

use super::Trace;
use crate::lang::index::{Address, Index, Position};
use crate::lang::opcode::Class;
use crate::lang::trap::Trap;

/// A loop that did not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnendedLoop {
    pub line: u32,
    /// The number of jumps back.
    pub turns: u32,
    /// The step of the first jump back.
    pub first: Position,
}

/// Returns the outermost loop that iterates in the run's second half. Among the jumps back at the least call depth
/// there, this is the one with the lowest target.
pub fn of(trace: &Trace) -> Option<UnendedLoop> {
    if trace.record.trap != Trap::StepLimit || trace.cycle().is_some() {
        return None;
    }
    let steps = trace.steps();
    let half = steps.get(steps.len() / 2..)?;
    let depth = half.iter().map(|step| step.depth).min()?;
    let own = || half.iter().filter(|step| step.depth == depth);
    let jumps = own().zip(own().skip(1)).filter(|(before, then)| then.pc <= before.pc);
    let (from, to) =
        jumps.map(|(before, then)| (before.address(), then.address())).min_by_key(|(_, to)| *to)?;
    let turns = trace.executions(from).iter().filter(|step| {
        let next = trace.step(step.next());
        next.is_some_and(|next| next.address() == to && next.depth == depth)
    });
    let (first, count) = turns.fold((None, 0), |(first, count), step| (first.or(Some(*step)), count + 1));
    let first = first?;
    let (back, then) = (trace.line(first), trace.line(first.next()));
    // A test comes before its body in the text, also where the first copy of the test is gone.
    let line = if tests(trace, from, to) { back } else { back.min(then) };
    Some(UnendedLoop { line, turns: count, first })
}

/// Returns whether the instruction that jumps back is the loop's test itself, as in optimized code: a copy of the branch
/// before the body.
fn tests(trace: &Trace, from: Address, to: Address) -> bool {
    let of = |at: Address| trace.compiled.executable.at(at);
    let branch = |at| of(at).filter(|(found, _)| matches!(found.op.class(), Class::Branch { .. }));
    let own = branch(from).map(|(_, token)| token);
    let first = to.previous().and_then(branch).map(|(_, token)| token);
    own.is_some() && own == first
}
