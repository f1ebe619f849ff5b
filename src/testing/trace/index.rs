//! Indexes a run: the steps of each instruction, and the steps at which each source line was reached.

use std::collections::{BTreeMap, HashMap};

use super::TraceStep;
use crate::compiler::program::Instructions;
use crate::lang::index::{Address, Index as _, Position};
use crate::lang::limits::CALL_DEPTH;
use crate::lang::opcode::Op;

/// The steps of each instruction, and the steps at which each line was reached, all ascending.
#[derive(Debug, Default)]
pub struct Index {
    /// The index into `steps` at which each address begins, with one more for the end.
    from: Vec<u32>,
    steps: Vec<Position>,
    /// The steps by call depth, for instructions that set a variable and were executed at several depths.
    depths: HashMap<Address, BTreeMap<u16, Vec<Position>>>,
    /// The steps by line, counted from 1.
    lines: Vec<Vec<Position>>,
    /// The number of steps on each line.
    made: Vec<u32>,
    line: Vec<u32>,
    /// By address: the jump at the end of a round or a branch, which does not reach the line of its `while` or `if` again.
    ends: Vec<bool>,
}

impl Index {
    /// Indexes a run. `line` is the line of each code word, `ends` says which are jumps at the end of a round or a branch. Takes
    /// time and memory linear in the number of steps.
    pub fn new(steps: &[TraceStep], code: &[u32], line: Vec<u32>, ends: Vec<bool>) -> Index {
        let mut from = vec![0_u32; line.len() + 2];
        let place = |step: &TraceStep| (step.pc as usize).min(line.len());
        steps.iter().for_each(|step| from[place(step) + 1] += 1);
        for at in 1..from.len() {
            from[at] += from[at - 1];
        }
        let mut next = from.clone();
        let mut sorted = vec![Position::default(); steps.len()];
        let last = line.iter().copied().max().unwrap_or(0) as usize;
        let mut lines = vec![Vec::new(); last + 1];
        let mut made = vec![0; last + 1];
        // For each active call, the address of its previous step.
        let mut before = [0_u32; CALL_DEPTH as usize + 1];
        let mut depth = None;
        for (number, step) in (0..).map(Position::new).zip(steps) {
            let slot = &mut next[place(step)];
            sorted[*slot as usize] = number;
            *slot += 1;
            let own = usize::from(step.depth).min(before.len() - 1);
            let here = line.get(step.pc as usize).copied().unwrap_or(0) as usize;
            made[here] += 1;
            if ends.get(step.pc as usize).copied().unwrap_or(false) {
                depth = Some(own);
                continue;
            }
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
        let mut index = Index { from, steps: sorted, depths: HashMap::new(), lines, made, line, ends };
        index.divide(steps, code);
        index
    }

    /// Groups the steps of instructions that set a variable by depth, so that the steps of one call are contiguous.
    fn divide(&mut self, steps: &[TraceStep], code: &[u32]) {
        let depth = |step: &Position| steps.get(step.position()).map_or(0, |step| step.depth);
        let sets = |op| {
            use Op::*;
            let store = matches!(op, StoreVar | StoreList | StoreIndex);
            store
                || matches!(
                    op,
                    RangeIter | RangeIterInclusive | ListIter | ForRange | ForList | NextRange | NextList
                )
        };
        for found in Instructions::of(code).filter(|found| sets(found.op)) {
            let address = Address::at(found.at);
            let own = self.of(address);
            let Some(first) = own.first().map(depth) else { continue };
            if own.iter().all(|step| depth(step) == first) {
                continue;
            }
            let mut divided: BTreeMap<u16, Vec<Position>> = BTreeMap::new();
            own.iter().for_each(|step| divided.entry(depth(step)).or_default().push(*step));
            self.depths.insert(address, divided);
        }
    }

    /// Returns the steps of a setting instruction at a call depth. The steps of one call are exactly those of its depth
    /// between its beginning and its end.
    pub fn at_depth(&self, pc: Address, depth: u16, steps: &[TraceStep]) -> &[Position] {
        if let Some(divided) = self.depths.get(&pc) {
            return divided.get(&depth).map_or(&[], Vec::as_slice);
        }
        let own = self.of(pc);
        let first = own.first().and_then(|first| steps.get(first.position()));
        if first.is_some_and(|first| first.depth == depth) { own } else { &[] }
    }

    /// Returns the steps of the instruction at an address.
    pub fn of(&self, pc: Address) -> &[Position] {
        let at = pc.position();
        match (self.from.get(at), self.from.get(at + 1)) {
            (Some(from), Some(to)) => self.steps.get(*from as usize..*to as usize).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Returns the steps at which a line was reached: from another line of the same call, by a jump back within the
    /// line, or by a call that begins on it. A return into the line does not count.
    pub fn line(&self, line: u32) -> &[Position] {
        self.lines.get(line as usize).map_or(&[], Vec::as_slice)
    }

    pub fn steps_of(&self, line: u32) -> u32 {
        self.made.get(line as usize).copied().unwrap_or(0)
    }

    /// Returns the line of an address, counted from 1, or 0 if it has none.
    pub fn line_of(&self, pc: Address) -> u32 {
        self.line.get(pc.position()).copied().unwrap_or(0)
    }

    /// Returns whether the instruction at an address is a jump at the end of a round or a branch.
    pub fn ends_round(&self, pc: Address) -> bool {
        self.ends.get(pc.position()).copied().unwrap_or(false)
    }

    /// Returns the allocated size in bytes.
    pub fn bytes(&self) -> usize {
        let words = self.from.capacity() + self.steps.capacity() + self.line.capacity();
        let lines: usize = self.lines.iter().map(|steps| steps.capacity() + 6).sum();
        let divided = self.depths.values().flat_map(BTreeMap::values).map(Vec::capacity).sum::<usize>();
        4 * (words + lines + divided) + self.ends.capacity()
    }
}
