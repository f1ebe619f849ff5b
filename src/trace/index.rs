//! Where in a run each instruction stands, and when each line of the source was come to.

use super::Step;
use crate::lang::limits::CALL_DEPTH;

/// The steps of each instruction, and the steps at which each line was come to; all ascending.
#[derive(Debug, Default)]
pub struct Index {
    /// Where the steps of each address begin in `steps`; one more, for the end.
    from: Vec<u32>,
    steps: Vec<u32>,
    /// By line, from 1.
    lines: Vec<Vec<u32>>,
    /// The line of each address.
    line: Vec<u32>,
}

impl Index {
    /// Of a run of code whose words stand on these lines. Takes time and memory by the number of steps.
    pub fn new(steps: &[Step], line: Vec<u32>) -> Index {
        let mut from = vec![0_u32; line.len() + 2];
        let place = |step: &Step| (step.pc as usize).min(line.len());
        steps.iter().for_each(|step| from[place(step) + 1] += 1);
        for at in 1..from.len() {
            from[at] += from[at - 1];
        }
        let mut next = from.clone();
        let mut sorted = vec![0; steps.len()];
        let last = line.iter().copied().max().unwrap_or(0) as usize;
        let mut lines = vec![Vec::new(); last + 1];
        // Of each active call the address of its step before.
        let mut before = [0_u32; CALL_DEPTH as usize + 1];
        let mut depth = None;
        for (number, step) in (0..).zip(steps) {
            let slot = &mut next[place(step)];
            sorted[*slot as usize] = number;
            *slot += 1;
            let own = usize::from(step.depth).min(before.len() - 1);
            let here = line.get(step.pc as usize).copied().unwrap_or(0) as usize;
            let same = depth.is_some_and(|depth| own <= depth)
                && before[own] < step.pc
                && line.get(before[own] as usize).copied().unwrap_or(0) as usize == here;
            if !same {
                lines[here].push(number);
            }
            before[own] = step.pc;
            depth = Some(own);
        }
        lines.iter_mut().for_each(Vec::shrink_to_fit);
        Index { from, steps: sorted, lines, line }
    }

    /// The steps of the instruction at an address.
    pub fn of(&self, pc: u32) -> &[u32] {
        let at = pc as usize;
        match (self.from.get(at), self.from.get(at + 1)) {
            (Some(from), Some(to)) => self.steps.get(*from as usize..*to as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// The steps at which a line was come to: from another line of the same call, from a later instruction of the same line, or by
    /// a call that begins on it. Coming back from a call is none.
    pub fn line(&self, line: u32) -> &[u32] {
        self.lines.get(line as usize).map_or(&[], Vec::as_slice)
    }

    /// The line of an address, from 1; 0 where there is none.
    pub fn line_of(&self, pc: u32) -> u32 {
        self.line.get(pc as usize).copied().unwrap_or(0)
    }

    /// Bytes that it takes, as allocated.
    pub fn bytes(&self) -> usize {
        let words = self.from.capacity() + self.steps.capacity() + self.line.capacity();
        let lines: usize = self.lines.iter().map(|steps| steps.capacity() + 6).sum();
        4 * (words + lines)
    }
}
