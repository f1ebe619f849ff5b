//! Shrinks a failing input: lists get shorter, then numbers nearer to 0, as long as the property has the same [`Fault`].
//!
//! Greedy and deterministic, in the manner of QuickCheck: of the candidates, most drastic first, the first that still
//! fails is taken, until none does. Each binder is shrunk alone first, each [`number`] by several means, so that it does not stop at the
//! first that cannot be halved. What then is left may hang together, as in
//! `a == b + 1` or `len(xs) == n`; so where nothing can be done alone, it is tried [`together`]. Every step makes the
//! input smaller by one order ([`Size`]), or sorts elements of a list, so this ends; and one counterexample costs [`RUNS`] and
//! [`STEPS`] at most.

mod number;
mod together;

use std::collections::HashSet;

use super::{Bounds, Case, Words};
use crate::compiler::stage::execute::{self, Record};
use crate::lang::NONE;
use crate::lang::verdict::Outcome;

/// Candidates that are made for one counterexample, runs and steps that it may cost.
const CANDIDATES: u32 = 20_000;
const RUNS: u32 = 4_000;
const STEPS: u64 = 20_000_000;

/// The least input found that has the fault of `input`; `input` itself if none is smaller.
pub fn shrink(case: &mut Case, input: Vec<Words>) -> Vec<Words> {
    let row = |row: usize| Bounds::new(case, row);
    let bounds = case.binders.clone().map(row).collect();
    let fault = Fault::of(&case.run(&input));
    if !fault.outcome.fails() {
        return input;
    }
    let tried = HashSet::new();
    let mut shrinker =
        Shrinker { case, bounds, input, fault, tried, candidates: CANDIDATES, runs: RUNS, steps: STEPS };
    loop {
        let before = shrinker.input.clone();
        shrinker.alone();
        if shrinker.input == before {
            shrinker.together();
        }
        if shrinker.input == before || shrinker.spent() {
            return shrinker.input;
        }
    }
}

/// The fault of a run: it is false, or traps at an instruction. The place of a trap that counts a resource is chance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Fault {
    outcome: Outcome,
    address: u32,
}

impl Fault {
    fn of(record: &Record) -> Fault {
        let address = if record.trap.counts_resources() { NONE } else { record.address };
        Fault { outcome: execute::outcome(record), address }
    }
}

/// A number of an input: its binder, and its place in that if it is a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Spot {
    binder: usize,
    element: usize,
}

/// Which of two inputs is the smaller one: by their numbers of elements, then by how many numbers are not what they should be, then
/// by how far all together are from that.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Size {
    elements: usize,
    away: usize,
    distance: u64,
}

struct Shrinker<'a, 'c> {
    case: &'a mut Case<'c>,
    /// Of each binder.
    bounds: Vec<Bounds>,
    /// The least input yet.
    input: Vec<Words>,
    fault: Fault,
    /// Inputs that were run.
    tried: HashSet<Vec<Words>>,
    /// What is left of [`CANDIDATES`], [`RUNS`] and [`STEPS`].
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

    /// How far a number is from where it should be, and in which direction.
    fn distance(&self, spot: Spot) -> i64 {
        self.number(spot) - self.bounds[spot.binder].goal
    }

    fn size(&self, input: &[Words]) -> Size {
        let mut size = Size { elements: 0, away: 0, distance: 0 };
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

    /// Whether a candidate is smaller, an input of the property, and still fails; if so it becomes the input.
    fn accept(&mut self, next: Vec<Words>) -> bool {
        if self.spent() {
            return false;
        }
        self.candidates -= 1;
        self.fits(&next) && self.size(&next) < self.size(&self.input) && self.take(next)
    }

    /// Whether an input of the property that was not run yet has the fault; if so it becomes the input.
    fn take(&mut self, next: Vec<Words>) -> bool {
        if self.spent() || !self.tried.insert(next.clone()) {
            return false;
        }
        let record = self.case.run(&next);
        self.runs -= 1;
        self.steps = self.steps.saturating_sub(u64::from(record.steps));
        let accepted = Fault::of(&record) == self.fault;
        if accepted {
            self.input = next;
        }
        accepted
    }

    /// Each binder, and each element of a list, by itself.
    fn alone(&mut self) {
        for binder in 0..self.input.len() {
            if self.bounds[binder].list {
                self.cut(&[binder], |_, _| ());
            }
            for element in 0..self.input[binder].len() {
                self.lessen(Spot { binder, element });
            }
        }
    }

    /// Cuts stretches out of lists, long ones first, the same out of all of them. `adapt` does to the rest of a candidate
    /// what goes with it; it is told what the first of the lists loses.
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

    /// Takes from each of some numbers as many times its unit as it can, the same number of times for all, `reach` times at most.
    fn slide(&mut self, moves: &[(Spot, i64)], reach: i64) {
        let mut reach = reach;
        let mut step = reach;
        while step > 0 && !self.spent() {
            let mut next = self.input.clone();
            for (spot, unit) in moves {
                // Outside of 32 bits it is outside of the domain, whose bounds the cut value fails to meet or to lessen.
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
