//! Records the ways (outcomes) that a code's branches and comparisons have taken.

use super::Ways;
use crate::compiler::program::Instructions;
use crate::compiler::stage::execute::{RunObserver, StepState};
use crate::lang::index::{Address, Index, Indices};
use crate::lang::opcode::{Class, Op};
use crate::lang::{NONE, arithmetic};

/// The kind of decision at a place in code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CoverageKind {
    /// A conditional jump, decided by its condition.
    Branch,
    /// A loop head, decided by the next address: `body` if the loop continues.
    Loop { body: usize },
    /// A comparison of two ints or bools.
    Compare(Op),
    /// A comparison of two lists.
    Lists,
    /// An operation whose behaviour changes at a border, although it has no branches to cover: `min`, `max`, a
    /// division (at a divisor of 0).
    Border(Op),
}

#[derive(Clone, Copy, Debug)]
struct CoverageSite {
    kind: CoverageKind,
    /// Bit 0: the false way was taken, bit 1: the true way.
    taken: u8,
    /// Whether its ways count.
    counts: bool,
    /// The smallest distance between two operands so far, when the false way was taken and when the true way was.
    nearest: [u32; 2],
}

/// The branches and comparisons of a program. Those of one function's code count; the others only guide the search.
#[derive(Clone, Debug)]
pub struct Coverage {
    sites: Vec<CoverageSite>,
    /// The site at each word of the program, or `NONE`.
    at: Vec<u32>,
}

impl Coverage {
    /// Returns empty coverage for a program. `own` holds the addresses of the function's code.
    pub fn new(words: &[u32], own: Indices<Address>) -> Coverage {
        let mut coverage = Coverage { sites: Vec::new(), at: vec![NONE; words.len()] };
        for instruction in Instructions::of(words) {
            let behind = instruction.at + instruction.op.shape().words() as usize;
            let kind = match (instruction.op, instruction.op.class()) {
                // If both ways lead to the same address, there is nothing to decide.
                (_, Class::Branch { .. }) if instruction.operand as usize != behind => CoverageKind::Branch,
                (_, Class::Loop) if instruction.second as usize == behind => continue,
                (Op::NextRange | Op::NextList, _) => CoverageKind::Loop { body: instruction.second as usize },
                (_, Class::Loop) => CoverageKind::Loop { body: behind },
                (op @ (Op::Eq | Op::Ne | Op::Lt | Op::Le | Op::Gt | Op::Ge), _) => CoverageKind::Compare(op),
                (Op::ListEq | Op::ListNe, _) => CoverageKind::Lists,
                (op @ (Op::Min | Op::Max | Op::Div | Op::Mod), _) => CoverageKind::Border(op),
                _ => continue,
            };
            coverage.at[instruction.at] = coverage.sites.len() as u32;
            let counts = own.contains(Address::at(instruction.at)) && !matches!(kind, CoverageKind::Border(_));
            coverage.sites.push(CoverageSite { kind, taken: 0, counts, nearest: [u32::MAX; 2] });
        }
        coverage
    }

    /// Returns the ways that count, and how many of these were taken.
    pub fn ways(&self) -> Ways {
        let sites = || self.sites.iter().filter(|site| site.counts);
        Ways { taken: sites().map(|site| site.taken.count_ones()).sum(), all: 2 * sites().count() as u32 }
    }

    /// Returns a witness that follows one run.
    pub fn follow(&mut self) -> Follower<'_> {
        Follower { coverage: self, looping: None, news: false, operands: Vec::new() }
    }
}

/// The maximum number of operand pairs that are kept per run.
const OPERANDS: usize = 16;

/// Observes the steps of one run.
pub struct Follower<'a> {
    coverage: &'a mut Coverage,
    /// The loop head that was executed last.
    looping: Option<usize>,
    /// Whether the run took a way for the first time, or came closer to one.
    pub news: bool,
    /// The operands of comparisons with only one outcome so far. An input that makes both operands equal may flip it.
    pub operands: Vec<[u32; 2]>,
}

impl RunObserver for Follower<'_> {
    const STEPS: bool = true;

    fn step(&mut self, now: StepState) {
        if let Some(head) = self.looping.take() {
            let body = self.coverage.sites.get(head).map(|site| site.kind)
                == Some(CoverageKind::Loop { body: now.pc });
            self.take(head, body);
        }
        let Some(&site) = self.coverage.at.get(now.pc).filter(|site| **site != NONE) else { return };
        let site = site as usize;
        let Some(CoverageSite { kind, .. }) = self.coverage.sites.get(site).copied() else { return };
        let (x, y) = (now.operand(1), now.operand(0));
        match kind {
            CoverageKind::Branch => self.take(site, y != 0),
            CoverageKind::Loop { .. } => self.looping = Some(site),
            CoverageKind::Compare(op) => self.compare(site, arithmetic::binary(op as u32, x, y) == Ok(1), x, y),
            CoverageKind::Border(Op::Div | Op::Mod) => self.compare(site, y == 0, y, 0),
            CoverageKind::Border(_) => self.compare(site, (x as i32) < (y as i32), x, y),
            CoverageKind::Lists => self.take(site, equal_lists(now)),
        }
    }
}

impl Follower<'_> {
    fn take(&mut self, site: usize, way: bool) {
        if let Some(site) = self.coverage.sites.get_mut(site) {
            let bit = 1 << u8::from(way);
            self.news |= site.taken & bit == 0;
            site.taken |= bit;
        }
    }

    fn compare(&mut self, number: usize, way: bool, x: u32, y: u32) {
        self.take(number, way);
        let Some(site) = self.coverage.sites.get_mut(number) else { return };
        if site.taken == 3 {
            return;
        }
        let distance = (x as i32).abs_diff(y as i32);
        let nearest = &mut site.nearest[usize::from(way)];
        if distance < *nearest {
            *nearest = distance;
            self.news = true;
        }
        if self.operands.len() < OPERANDS && !self.operands.contains(&[x, y]) {
            self.operands.push([x, y]);
        }
    }
}

/// Returns whether the two lists on top of the stack are equal.
fn equal_lists(now: StepState) -> bool {
    let words = now.words();
    let mut end = words.len();
    let mut list = || {
        let length = *words.get(end.checked_sub(1)?)? as usize;
        let from = (end - 1).checked_sub(length)?;
        let elements = words.get(from..end - 1);
        end = from;
        elements
    };
    list() == list()
}
