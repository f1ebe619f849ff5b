//! The verdict on a mutant from the visits of the functions that it changes.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Visit, Visited, Visits};
use crate::engine::oracles::{self, Oracle};
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::lang::verdict::Verdict;
use crate::program::{Executable, Routine};
use crate::stage::execute::{self, Machine, Start};

/// Visits whose input is run at once: most mutants are killed by then.
const AT_ONCE: usize = 1;

/// What a mutant's own calls gave, beside the base's.
#[derive(Default)]
pub struct Tried {
    calls: Vec<Answer>,
}

#[derive(Clone, Copy)]
enum Answer {
    Unknown,
    /// As on the base, in so many steps.
    Same(u32),
    Other,
}

/// A mutant that is judged, on a machine that has loaded it.
struct Mutant<'a> {
    program: &'a Executable,
    oracles: &'a [Oracle],
    machine: &'a mut Machine,
}

impl Visits {
    /// Runs a mutant up to its killer, on no more inputs than need be. It differs from the base in these functions alone. `None` if
    /// it was stopped.
    pub fn verdict(
        &self,
        program: &Executable,
        (first, second): (u32, Option<u32>),
        oracles: &[Oracle],
        machine: &mut Machine,
        tried: &mut Tried,
        stop: &AtomicBool,
    ) -> Option<Verdict> {
        machine.load(program);
        let mut mutant = Mutant { program, oracles, machine };
        let of = |function: u32| self.functions.get(function as usize);
        let (function, visited) = (first, of(first)?);
        let end = match second {
            None => {
                tried.calls.clear();
                tried.calls.resize(visited.calls.len(), Answer::Unknown);
                visited.visits.iter().enumerate().try_for_each(|(n, visit)| {
                    let alike = n >= AT_ONCE && mutant.ends_alike((function, visited), visit, tried);
                    if alike { ControlFlow::Continue(()) } else { mutant.run(visit, stop) }
                })
            }
            Some(second) => {
                let mut visits = both(&visited.visits, &of(second)?.visits);
                visits.try_for_each(|visit| mutant.run(visit, stop))
            }
        };
        match end {
            ControlFlow::Continue(()) => Some(oracles::SURVIVED),
            ControlFlow::Break(verdict) => verdict,
        }
    }
}

/// The inputs that enter one of two functions, in order.
fn both<'a>(a: &'a [Visit], b: &'a [Visit]) -> impl Iterator<Item = &'a Visit> {
    let place = |visit: &&Visit| (visit.oracle, visit.input);
    let (mut a, mut b) = (a.iter().peekable(), b.iter().peekable());
    std::iter::from_fn(move || match (a.peek().map(place), b.peek().map(place)) {
        (Some(left), Some(right)) if right < left => b.next(),
        (Some(left), Some(right)) if left == right => {
            b.next();
            a.next()
        }
        (Some(_), _) => a.next(),
        (None, _) => b.next(),
    })
}

impl Mutant<'_> {
    /// Runs an input. Goes on if it passes; else the verdict, `None` if it was stopped.
    fn run(&mut self, visit: &Visit, stop: &AtomicBool) -> ControlFlow<Option<Verdict>> {
        let Some(oracle) = self.oracles.get(visit.oracle as usize).filter(|_| !stop.load(Ordering::Relaxed))
        else {
            return ControlFlow::Break(None);
        };
        oracle.domain.write(visit.input, self.machine.frame());
        let record = self.machine.run(self.program, oracle.routine, oracle.fuel, 0);
        if execute::holds(&record) {
            return ControlFlow::Continue(());
        }
        ControlFlow::Break(Some(oracle.killed(record.trap)))
    }

    /// Whether all calls that an input makes of the changed function give what they gave on the base, within the input's fuel.
    fn ends_alike(
        &mut self,
        (function, visited): (u32, &Visited),
        visit: &Visit,
        tried: &mut Tried,
    ) -> bool {
        let uses = &visited.uses[visit.uses.start as usize..visit.uses.end as usize];
        let Some(oracle) = self.oracles.get(visit.oracle as usize).filter(|_| !uses.is_empty()) else {
            return false;
        };
        let start =
            Start { routine: function, fuel: oracle.fuel, depth: visited.depth, origin: visited.origin };
        let (mut before, mut now) = (0u64, 0u64);
        for own in uses {
            let call = &visited.calls[own.call as usize];
            let answer = &mut tried.calls[own.call as usize];
            if matches!(answer, Answer::Unknown) {
                *answer = self.answer(start, visited.words(&call.arguments), visited.words(&call.result));
            }
            let Answer::Same(steps) = *answer else { return false };
            before += u64::from(call.steps) * u64::from(own.times);
            now += u64::from(steps) * u64::from(own.times);
        }
        u64::from(visit.steps) - before + now <= u64::from(oracle.fuel)
    }

    /// Makes a call where its function's frame stood farthest in the memory and deepest: where it fits there, it fits everywhere.
    fn answer(&mut self, start: Start, arguments: &[u32], expected: &[u32]) -> Answer {
        let record = self.machine.call(self.program, start, arguments);
        let result = self.program.routine(start.routine).map_or(Type(0), Routine::result);
        let same = match result.is_list() {
            true => self.machine.words(start.origin, record.value) == expected,
            false => [record.value] == *expected,
        };
        if same && record.trap == Trap::None { Answer::Same(record.steps) } else { Answer::Other }
    }
}
