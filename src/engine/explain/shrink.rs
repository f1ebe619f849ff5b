//! Shrinks a failing input: lists become shorter, then numbers move towards 0, while the property keeps the
//! same [`ShrinkFault`].
//!
//! The algorithm is greedy and deterministic, as in QuickCheck: it tries candidates from most to least
//! drastic and takes the first that still fails, until none does. Each binder is shrunk separately first, and
//! each [`number`] in several ways, so that it does not stop at a number that cannot be halved. Values may
//! depend on each other, as in `a == b + 1` or `len(xs) == n`. So when no value shrinks alone, several are
//! shrunk [`shrink_together`]. Every step reduces the input's [`ShrinkSize`] or sorts elements of a list, so the search
//! ends. One counterexample costs at most [`RUNS`] and [`STEPS`].

mod number;
mod together;

use std::collections::HashSet;

use super::{Bounds, Case, Words};
use crate::compiler::program::Executable;
use crate::compiler::stage::execute::{self, Record};
use crate::lang::index::{Address, TokenId};
use crate::lang::verdict::Outcome;

/// Limits for one counterexample: candidates generated, runs and steps.
/// Numbers instead of a time limit, so that both engines report the same input.
const CANDIDATES: u32 = 20_000;
const RUNS: u32 = 4_000;
const STEPS: u64 = 20_000_000;

/// Returns the smallest input found that has the fault of `input`; `input` itself if none is smaller.
pub fn shrink(case: &mut Case, input: Vec<Words>) -> Vec<Words> {
    let row = |row: usize| Bounds::new(case, row);
    let bounds = case.binders.clone().map(row).collect();
    let fault = ShrinkFault::of(&case.c.executable, &case.run(&input));
    if !fault.outcome.fails() {
        return input;
    }
    let tried = HashSet::new();
    let mut shrinker =
        Shrinker { case, bounds, input, fault, tried, candidates: CANDIDATES, runs: RUNS, steps: STEPS };
    loop {
        let before = shrinker.input.clone();
        shrinker.shrink_separately();
        if shrinker.input == before {
            shrinker.together();
        }
        if shrinker.input == before || shrinker.spent() {
            return shrinker.input;
        }
    }
}

/// The fault of a run: it returns false, or traps at a place of the source. The place is ignored for traps that
/// count a resource, because it is arbitrary.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct ShrinkFault {
    outcome: Outcome,
    /// The token of the instruction that traps, of which an optimizer may have made copies.
    token: Option<TokenId>,
    /// Its address, if it comes from no token.
    address: Option<Address>,
}

impl ShrinkFault {
    fn of(program: &Executable, record: &Record) -> ShrinkFault {
        let address = if record.trap.counts_resources() { None } else { record.address };
        let token = address.and_then(|address| program.at(address)?.1);
        ShrinkFault { outcome: execute::outcome(record), token, address: address.filter(|_| token.is_none()) }
    }
}

/// A number within an input: its binder and, for a list, its index there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    binder: usize,
    element: usize,
}

/// The order of inputs by size: first the number of elements, then how many numbers are not at their goal,
/// then the sum of the distances from the goals.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct ShrinkSize {
    elements: usize,
    away: usize,
    distance: u64,
}

struct Shrinker<'a, 'c> {
    case: &'a mut Case<'c>,
    bounds: Vec<Bounds>,
    /// The smallest failing input so far.
    input: Vec<Words>,
    fault: ShrinkFault,
    /// Inputs that have run.
    tried: HashSet<Vec<Words>>,
    /// The remaining budget of [`CANDIDATES`], [`RUNS`] and [`STEPS`].
    candidates: u32,
    runs: u32,
    steps: u64,
}

impl Shrinker<'_, '_> {
    fn spent(&self) -> bool {
        self.candidates == 0 || self.runs == 0 || self.steps == 0
    }

    fn number(&self, spot: Spot) -> i64 {
        i64::from(self.input[spot.binder][spot.element] as i32)
    }

    /// Returns the signed distance of a number from its goal.
    fn distance(&self, spot: Spot) -> i64 {
        self.number(spot) - self.bounds[spot.binder].goal
    }

    fn size(&self, input: &[Words]) -> ShrinkSize {
        let mut size = ShrinkSize { elements: 0, away: 0, distance: 0 };
        for (words, bounds) in input.iter().zip(&self.bounds) {
            for word in words {
                let distance = (i64::from(*word as i32) - bounds.goal).unsigned_abs();
                size.elements += 1;
                size.away += usize::from(distance != 0);
                size.distance += distance;
            }
        }
        size
    }

    fn fits(&self, input: &[Words]) -> bool {
        let mut numbers = input.iter().zip(&self.bounds);
        numbers.all(|(words, bounds)| {
            words.iter().all(|word| (bounds.lo..=bounds.last).contains(&i64::from(*word as i32)))
        })
    }

    /// Makes a candidate the input if it is smaller, within the bounds, and still fails. Returns whether it
    /// did.
    fn accept(&mut self, next: Vec<Words>) -> bool {
        if self.spent() {
            return false;
        }
        self.candidates -= 1;
        self.fits(&next) && self.size(&next) < self.size(&self.input) && self.take(next)
    }

    /// Runs a new input and makes it the current one if it has the fault. Returns whether it did.
    fn take(&mut self, next: Vec<Words>) -> bool {
        if self.spent() || !self.tried.insert(next.clone()) {
            return false;
        }
        let record = self.case.run(&next);
        self.runs -= 1;
        self.steps = self.steps.saturating_sub(u64::from(record.steps));
        // The same fault, because another one would explain another bug.
        let accepted = ShrinkFault::of(&self.case.c.executable, &record) == self.fault;
        if accepted {
            self.input = next;
        }
        accepted
    }

    /// Shrinks each binder and each element of a list separately.
    fn shrink_separately(&mut self) {
        for binder in 0..self.input.len() {
            if self.bounds[binder].list {
                self.cut(&[binder], |_, _| ());
            }
            for element in 0..self.input[binder].len() {
                self.shrink_number(Spot { binder, element });
            }
        }
    }

    /// Removes a range from several lists, the same range from each, long ranges first. `adapt` adjusts the
    /// other values of a candidate; its second argument holds the elements removed from the first list.
    fn cut(&mut self, lists: &[usize], adapt: impl Fn(&mut [Words], &[u32])) {
        let shortest = |input: &[Words]| lists.iter().map(|list| input[*list].len()).min().unwrap_or(0);
        let mut cut = shortest(&self.input);
        while cut > 0 {
            let mut at = 0;
            while at + cut <= shortest(&self.input) && !self.spent() {
                let mut next = self.input.clone();
                let mut lost = Vec::new();
                for list in lists.iter().rev() {
                    lost = next[*list].drain(at..at + cut).collect();
                }
                adapt(&mut next, &lost);
                if !self.accept(next) {
                    at += 1;
                }
            }
            cut = (cut / 2).min(shortest(&self.input));
        }
    }

    /// Subtracts each unit from its number, the same number of times for all and at most `reach` times, as long
    /// as the input still fails.
    fn slide(&mut self, moves: &[(Spot, i64)], reach: i64) {
        let mut reach = reach;
        let mut step = reach;
        while step > 0 && !self.spent() {
            let mut next = self.input.clone();
            for (spot, unit) in moves {
                // A number beyond 32 bits is outside the domain. The clamped value is then out of bounds or
                // no smaller, so it is rejected.
                let number = self.number(*spot) - unit * step;
                let number = number.clamp(i64::from(i32::MIN), i64::from(i32::MAX));
                next[spot.binder][spot.element] = number as i32 as u32;
            }
            if self.accept(next) {
                reach -= step;
                step = step.min(reach);
            } else {
                step /= 2;
            }
        }
    }
}
