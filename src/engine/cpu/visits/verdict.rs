//! Judges a mutant by the visits to the functions that it changes.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{CallProfile, FunctionProfile, Visit, VisitCall, VisitQueue};
use crate::compiler::program::{Executable, Routine};
use crate::compiler::stage::execute::{self, Machine, ReadRecorder, Start};
use crate::engine::cpu::call_answers::{CallAnswer, CallAnswers};
use crate::engine::cpu::mount::PatchedProgram;
use crate::engine::oracles::Oracle;
use crate::lang::index::{Index, RoutineId};
use crate::lang::trap::Trap;
use crate::lang::ty::Type;

/// Visits whose input is run without trying calls: most mutants are killed by then.
const AT_ONCE: usize = 1;

/// A mutant to judge, on a machine that has loaded it.
pub(super) struct VerdictMutant<'a> {
    pub program: &'a Executable,
    pub machine: &'a mut Machine,
}

struct Changed<'a> {
    function: RoutineId,
    visited: &'a FunctionProfile,
    answers: &'a mut [CallAnswer],
}

pub struct VisitTask<'a> {
    pub oracles: &'a [Oracle],
    /// The only functions in which the mutant differs from the base.
    pub first: RoutineId,
    pub second: Option<RoutineId>,
    pub queue: &'a VisitQueue,
    /// Visits taken over from another thread; else this thread takes them from the queue.
    pub over: Option<Range<usize>>,
}

impl CallProfile {
    /// Returns the visits of a mutant that differs from the base only in these functions. An input that
    /// enters both counts twice.
    pub fn share(&self, first: RoutineId, second: Option<RoutineId>) -> Option<VisitQueue> {
        let visits = |function: RoutineId| Some(self.functions.get(function.position())?.visits.len());
        Some(VisitQueue::new(visits(first)? + second.map_or(Some(0), visits)?))
    }

    /// Runs the mounted mutant until an oracle kills it. Only necessary inputs run. Stops early if `stop` is
    /// set.
    pub fn judge(
        &self,
        mount: &mut PatchedProgram,
        VisitTask { oracles, first, second, queue, over }: VisitTask,
        tried: &mut CallAnswers,
        stop: &AtomicBool,
    ) {
        let PatchedProgram { machine, program, .. } = mount;
        let program: &Executable = program;
        let mut mutant = VerdictMutant { program, machine };
        let CallAnswers { first: first_answers, second: second_answers } = tried;
        let visited = |function: RoutineId| self.functions.get(function.position());
        let Some(mut first) = visited(first).map(|visited| Changed::new(first, visited, first_answers)) else {
            return;
        };
        let mut second = second.and_then(|second| Some(Changed::new(second, visited(second)?, second_answers)));
        let others = second.as_ref().map_or(&[][..], |second| &second.visited.visits);
        let (is_over, mut mine) = (over.is_some(), over.unwrap_or_default());
        for (place, (own, other)) in both(&first.visited.visits, others).enumerate().skip(mine.start) {
            if place >= mine.end {
                mine = if is_over { 0..0 } else { queue.next() };
            }
            if mine.is_empty() || queue.is_superseded(place) || stop.load(Ordering::Relaxed) {
                break;
            }
            let Some((visit, oracle)) =
                own.or(other).and_then(|visit| Some((visit, oracles.get(visit.oracle as usize)?)))
            else {
                break;
            };
            if !oracle.judges_by(visit.input) {
                continue;
            }
            // A call may be nested in another counted call, so the sum is an upper bound of the extra steps.
            let mut longer = |changed: Option<&mut Changed>, visit: Option<&Visit>| match (changed, visit) {
                (Some(changed), Some(visit)) => mutant.longer(changed, visit, oracle.fuel),
                _ => Some(0),
            };
            let alike = place >= AT_ONCE
                && longer(Some(&mut first), own)
                    .and_then(|more| Some(more + longer(second.as_mut(), other)?))
                    .is_some_and(|more| u64::from(visit.steps) + more <= u64::from(oracle.fuel));
            if alike {
                continue;
            }
            let record = oracle.domain.run(mutant.machine, program, visit.input, oracle.fuel);
            if record.trap == Trap::Hole {
                queue.note_hole();
            } else if !execute::holds(&record) {
                queue.kill(place, oracle.killed(record.trap));
                break;
            }
        }
    }
}

/// Merges the inputs that enter either function, in order.
fn both<'a>(a: &'a [Visit], b: &'a [Visit]) -> impl Iterator<Item = (Option<&'a Visit>, Option<&'a Visit>)> {
    let place = |visit: &&Visit| (visit.oracle, visit.input);
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    std::iter::from_fn(move || match (a.peek().map(place), b.peek().map(place)) {
        (None, None) => None,
        (Some(left), Some(right)) if left == right => Some((a.next(), b.next())),
        (Some(left), Some(right)) if right < left => Some((None, b.next())),
        (None, Some(_)) => Some((None, b.next())),
        (Some(_), _) => Some((a.next(), None)),
    })
}

impl<'a> Changed<'a> {
    fn new(function: RoutineId, visited: &'a FunctionProfile, answers: &'a mut Vec<CallAnswer>) -> Changed<'a> {
        answers.clear();
        answers.resize(visited.calls.len(), CallAnswer::Unknown);
        Changed { function, visited, answers }
    }
}

impl VerdictMutant<'_> {
    /// Returns the extra steps of an input's calls of a changed function compared with the base; shorter
    /// calls count as 0. Returns `None` if a call returns another value, or if the calls were not recorded.
    fn longer(&mut self, changed: &mut Changed, visit: &Visit, fuel: u32) -> Option<u64> {
        let Changed { function, visited, answers } = changed;
        let uses = &visited.uses[visit.uses.start as usize..visit.uses.end as usize];
        if uses.is_empty() {
            return None;
        }
        let start = Start { routine: *function, fuel, depth: visited.depth, origin: visited.origin };
        let mut longer = 0;
        for own in uses {
            let call = &visited.calls[own.call as usize];
            let answer = &mut answers[own.call as usize];
            if matches!(answer, CallAnswer::Unknown) {
                *answer = self.answer(start, visited, call);
            }
            let CallAnswer::Same(steps) = *answer else { return None };
            longer += u64::from(steps.saturating_sub(call.steps)) * u64::from(own.times);
        }
        Some(longer)
    }

    /// Runs a call at the highest frame address and the greatest depth recorded for its function: if it fits
    /// there, it fits everywhere. The answer holds for all calls with its footprint, unless the mutant reads
    /// elements outside the footprint.
    pub(super) fn answer(&mut self, start: Start, visited: &FunctionProfile, call: &VisitCall) -> CallAnswer {
        let arguments = visited.words(&call.arguments);
        let record = match call.alike {
            true => self.machine.call(self.program, start, arguments),
            false => self.machine.call_before(self.program, start, arguments, &mut ReadRecorder),
        };
        if record.trap != Trap::None {
            return CallAnswer::Other;
        }
        let result = self.program.routine(start.routine).map_or(Type(0), Routine::result);
        let expected = visited.words(&call.result);
        let same = match result.is_list() {
            true => self.machine.words(start.origin, record.value) == expected,
            false => [record.value] == *expected,
        };
        let stands = call.alike || {
            let reads = self.machine.reads(start.depth);
            visited.params.covers(visited.words(&call.footprint), reads)
        };
        if same && stands { CallAnswer::Same(record.steps) } else { CallAnswer::Other }
    }
}
