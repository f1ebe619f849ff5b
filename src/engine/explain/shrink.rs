//! Shrinks a failing input: lists get shorter, then numbers nearer to 0, as long as the property fails in the same way.
//!
//! Greedy and deterministic, in the manner of QuickCheck: of the candidates, most drastic first, the first that still
//! fails is taken, until none does.

use super::{Case, Words};
use crate::engine::Outcome;
use crate::lang::trap::Trap;
use crate::stage::execute::Record;

/// Runs and steps that one counterexample may cost.
const RUNS: u32 = 4_000;
const STEPS: u64 = 20_000_000;

/// The least input found that ends as `outcome` does; `input` itself if there is none smaller.
pub fn shrink(case: &mut Case, mut input: Vec<Words>, outcome: Outcome) -> Vec<Words> {
    let mut budget = Budget { runs: RUNS, steps: STEPS };
    loop {
        let before = input.clone();
        for binder in 0..input.len() {
            if case.c.binders.max_len[case.binders[binder]] > 0 {
                shorten(case, &mut input, binder, outcome, &mut budget);
            }
            for element in 0..input[binder].len() {
                lessen(case, &mut input, binder, element, outcome, &mut budget);
            }
        }
        if input == before || budget.spent() {
            return input;
        }
    }
}

struct Budget {
    runs: u32,
    steps: u64,
}

impl Budget {
    fn spent(&self) -> bool {
        self.runs == 0 || self.steps == 0
    }
}

fn same(record: Record, outcome: Outcome) -> bool {
    match outcome {
        Outcome::Pass => false,
        Outcome::Fail => record.trap == Trap::None && record.value != 1,
        Outcome::Trap(trap) => record.trap == trap,
    }
}

/// Whether a candidate still fails; if so it becomes the input.
fn accept(
    case: &mut Case,
    input: &mut Vec<Words>,
    next: Vec<Words>,
    outcome: Outcome,
    budget: &mut Budget,
) -> bool {
    if budget.spent() {
        return false;
    }
    let record = case.run(&next);
    budget.runs -= 1;
    budget.steps = budget.steps.saturating_sub(u64::from(record.steps));
    let accepted = same(record, outcome);
    if accepted {
        *input = next;
    }
    accepted
}

/// Cuts stretches out of a list, long ones first.
fn shorten(case: &mut Case, input: &mut Vec<Words>, binder: usize, outcome: Outcome, budget: &mut Budget) {
    let mut cut = input[binder].len();
    while cut > 0 {
        let mut at = 0;
        while at + cut <= input[binder].len() {
            let mut next = input.clone();
            next[binder].drain(at..at + cut);
            if !accept(case, input, next, outcome, budget) {
                at += 1;
            }
        }
        cut = (cut / 2).min(input[binder].len());
    }
}

/// Brings a number nearer to 0, or to the bound nearest to 0.
fn lessen(
    case: &mut Case,
    input: &mut Vec<Words>,
    binder: usize,
    element: usize,
    outcome: Outcome,
    budget: &mut Budget,
) {
    let row = case.binders[binder];
    let (lo, hi) = (i64::from(case.c.binders.lo[row] as i32), i64::from(case.c.binders.hi[row] as i32));
    let goal = 0.clamp(lo, (hi - 1).max(lo));
    let mut step = i64::from(input[binder][element] as i32) - goal;
    while step != 0 {
        let mut next = input.clone();
        next[binder][element] = (i64::from(input[binder][element] as i32) - step) as i32 as u32;
        if !accept(case, input, next, outcome, budget) {
            step /= 2;
        } else {
            let left = i64::from(input[binder][element] as i32) - goal;
            step = if left.abs() < step.abs() { left } else { step };
        }
    }
}
