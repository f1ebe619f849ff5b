//! Of a run that was ended by its fuel without ever coming back to a state, such as one that counts up for ever: the loop that it was in.

use super::Trace;
use crate::lang::trap::Trap;

/// A loop that had not ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loop {
    /// The line that it turns in: where it goes back to.
    pub line: u32,
    /// How often it went back there.
    pub turns: u32,
    /// The step of its first turn.
    pub first: u32,
}

/// The outermost loop that turned in the run's second half: of the least depth of calls there is the jump that goes back furthest.
pub fn of(trace: &Trace) -> Option<Loop> {
    if trace.record.trap != Trap::StepLimit || trace.turn().is_some() {
        return None;
    }
    let steps = trace.steps();
    let half = steps.get(steps.len() / 2..)?;
    let depth = half.iter().map(|step| step.depth).min()?;
    let own = || half.iter().filter(|step| step.depth == depth);
    let jumps = own().zip(own().skip(1)).filter(|(before, then)| then.pc <= before.pc);
    let (from, to) = jumps.map(|(before, then)| (before.pc, then.pc)).min_by_key(|(_, to)| *to)?;
    let turns = trace.executions(from).iter().filter(|step| {
        let next = trace.step(**step + 1);
        next.is_some_and(|next| next.pc == to && next.depth == depth)
    });
    let (first, count) = turns.fold((None, 0), |(first, count), step| (first.or(Some(*step)), count + 1));
    let first = first?;
    Some(Loop { line: trace.line(first + 1), turns: count, first })
}
