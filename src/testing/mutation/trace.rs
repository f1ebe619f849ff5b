//! Records runs step by step, and finds where two runs diverge.

use crate::compiler::stage::execute::{CallEvent, RunObserver, StepState};
use crate::lang::NONE;
use crate::lang::hash::quick as mix;
use crate::lang::index::{Address, Index};
use crate::lang::opcode::Op;

/// The properties of a step by which two runs are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceEvent {
    /// The number of the instruction if both programs have it, or [`NONE`].
    pub instruction: u32,
    pub pc: Address,
    /// A hash of the call depth and of the routine's operands on the stack before the step.
    pub operands: u64,
}

/// Records the steps of a run.
pub struct EventRecorder<'a> {
    /// For each address, the number of its instruction.
    numbers: &'a [u32],
    code: &'a [u32],
    /// The stack index at which the operands of each active routine begin.
    frames: Vec<usize>,
    /// The call depth of a changed call instruction. Deeper steps belong to the change.
    inside: Option<usize>,
    pub events: Vec<TraceEvent>,
}

impl<'a> EventRecorder<'a> {
    /// Creates a recorder for a run of a routine whose frame has `frame` words. Reuses the allocation of `events`.
    pub fn new(
        numbers: &'a [u32],
        code: &'a [u32],
        frame: usize,
        mut events: Vec<TraceEvent>,
    ) -> EventRecorder<'a> {
        events.clear();
        EventRecorder { numbers, code, frames: vec![frame], inside: None, events }
    }
}

impl RunObserver for EventRecorder<'_> {
    const ON: bool = true;
    const STEPS: bool = true;

    fn called(&mut self, call: CallEvent) {
        self.frames.push(call.origin as usize + call.frame().len());
    }

    fn returned(&mut self, _: &[u32], _: u32) {
        self.frames.pop();
    }

    fn step(&mut self, now: StepState) {
        self.inside = self.inside.filter(|depth| now.depth > *depth);
        let mut instruction = self.numbers.get(now.pc).copied().unwrap_or(NONE);
        if self.inside.is_some() {
            instruction = NONE;
        } else if instruction == NONE && self.code.get(now.pc).is_some_and(|w| w & 0xff == Op::Call as u32) {
            self.inside = Some(now.depth);
        }
        let operands = self.frames.last().and_then(|first| now.words().get(*first..)).unwrap_or_default();
        self.events.push(TraceEvent {
            instruction,
            pc: Address::at(now.pc),
            operands: hash(now.depth, operands),
        });
    }
}

#[inline]
fn hash(depth: usize, operands: &[u32]) -> u64 {
    let begun = mix(0, depth as u64);
    if operands.len() < 8 {
        return operands.iter().fold(begun, |hash, word| mix(hash, u64::from(*word)));
    }
    hash_list(begun, operands)
}

/// Hashes operands that include a list. Several lanes hide the latency of dependent multiplications.
#[inline(never)]
fn hash_list(begun: u64, operands: &[u32]) -> u64 {
    let (eights, rest) = operands.as_chunks::<8>();
    let mut lanes = [begun, operands.len() as u64, 2, 3];
    for eight in eights {
        for (lane, pair) in lanes.iter_mut().zip(eight.as_chunks::<2>().0) {
            *lane = mix(*lane, u64::from(pair[0]) << 32 | u64::from(pair[1]));
        }
    }
    let [first, others @ ..] = lanes;
    rest.iter().fold(others.into_iter().fold(first, mix), |hash, word| mix(hash, u64::from(*word)))
}

/// The comparison of two runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Divergence {
    /// How often the first run enters the code that its program has and the other lacks. If there is no such code, how
    /// often the second run enters the code that only its program has.
    pub reached: u32,
    /// The first event of each run where they diverge.
    pub first: Option<(usize, usize)>,
    /// The first event of the first run from which on both runs are equal to the end.
    pub again: Option<usize>,
}

/// Compares the run of a base with that of a mutant. Skips steps that only one of the programs has; their effects show
/// in the operands of later steps.
pub fn compare(base: &[TraceEvent], mutant: &[TraceEvent]) -> Divergence {
    let common = |event: &TraceEvent| event.instruction != NONE;
    let alike = |a: &TraceEvent, b: &TraceEvent| (a.instruction, a.operands) == (b.instruction, b.operands);
    let next =
        |events: &[TraceEvent], from: usize| from + events[from..].iter().take_while(|e| !common(e)).count();
    let (mut i, mut j) = (0, 0);
    let first = loop {
        (i, j) = (next(base, i), next(mutant, j));
        match (base.get(i), mutant.get(j)) {
            (None, None) => break None,
            (Some(a), Some(b)) if alike(a, b) => (i, j) = (i + 1, j + 1),
            _ => break Some((i, j)),
        }
    };
    let reached = match entries(base) {
        0 => entries(mutant),
        times => times,
    };
    let again = first.map(|(first, _)| {
        let backward = |events: &'_ [TraceEvent], from: usize| {
            from - events[..from].iter().rev().take_while(|event| !common(event)).count()
        };
        let (mut i, mut j) = (base.len(), mutant.len());
        loop {
            let (a, b) = (backward(base, i), backward(mutant, j));
            match (a.checked_sub(1), b.checked_sub(1)) {
                (Some(a), Some(b)) if a >= first && alike(&base[a], &mutant[b]) => (i, j) = (a, b),
                _ => break i,
            }
        }
    });
    Divergence { reached, first, again }
}

/// Counts how often a run enters changed code.
fn entries(events: &[TraceEvent]) -> u32 {
    let changed = |event: &TraceEvent| event.instruction == NONE;
    let first = events.first().is_some_and(changed);
    u32::from(first) + events.windows(2).filter(|pair| !changed(&pair[0]) && changed(&pair[1])).count() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(events: &[(u32, u64)]) -> Vec<TraceEvent> {
        events
            .iter()
            .map(|(instruction, operands)| TraceEvent {
                instruction: *instruction,
                pc: Address::new(0),
                operands: *operands,
            })
            .collect()
    }

    #[test]
    fn operand_hash_differs_if_a_word_or_the_depth_differs() {
        let words: Vec<u32> = (0..45).map(|n| n % 3).collect();
        let mut seen = std::collections::HashSet::new();
        for length in 0..words.len() {
            assert!(seen.insert(hash(1, &words[..length])) && seen.insert(hash(2, &words[..length])));
            for changed in 0..length {
                let mut other = words[..length].to_vec();
                other[changed] += 7;
                assert!(seen.insert(hash(1, &other)), "word {changed} of {length}");
            }
        }
    }

    #[test]
    fn runs_diverge_at_the_first_common_step_with_other_operands() {
        let base = run(&[(0, 0), (NONE, 1), (1, 7), (2, 0), (3, 1)]);
        let same = run(&[(0, 0), (NONE, 1), (NONE, 2), (1, 7), (2, 0), (3, 1)]);
        assert_eq!(compare(&base, &same), Divergence { reached: 1, first: None, again: None });
        let other = run(&[(0, 0), (NONE, 1), (1, 8), (2, 0), (3, 1)]);
        assert_eq!(compare(&base, &other), Divergence { reached: 1, first: Some((2, 2)), again: Some(3) });
        // One run takes another way, then rejoins.
        let longer = run(&[(0, 0), (1, 8), (5, 0), (6, 0), (3, 1)]);
        assert_eq!(compare(&base, &longer), Divergence { reached: 1, first: Some((2, 1)), again: Some(4) });
        // One run ends sooner.
        assert_eq!(compare(&base, &base[..3]).first, Some((3, 3)));
        // Code that only the mutant has is counted in the mutant's run.
        let plain = run(&[(0, 0), (1, 0), (0, 0), (1, 0)]);
        let more = run(&[(0, 0), (NONE, 3), (1, 0), (0, 0), (NONE, 3), (NONE, 4), (1, 0)]);
        assert_eq!(compare(&plain, &more), Divergence { reached: 2, first: None, again: None });
    }
}
