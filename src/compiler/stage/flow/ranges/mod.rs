//! Ranges and known bits of ints and bools, and the ranges of lengths of lists.

mod arithmetic;
mod range;

use super::sweeps::{Analysis, Rows, solve};
use super::transfer::{Code, Domain, Operand, Test};
use crate::lang::limits::CAPACITY;
use crate::lang::opcode::Op;
use crate::lang::ty::{KIND_BOOL, Type};
pub use range::{Range, trailing};

/// From this sweep on, nothing is known about a variable of a head whose fact still changes.
pub const PATIENCE: u32 = 8;

/// Returns the facts of a routine's blocks.
pub fn find(code: Code, routine: usize) -> Rows<Range> {
    let drawn = vec![Range::ANY; code.flow.spans.blocks(routine).len()];
    solve(code.flow, routine, &mut Ranges { code, routine, drawn })
}

/// Returns the edges on which control may leave each block of a routine, by the block that they enter; none for a block
/// where it cannot arrive.
pub fn edges(code: Code, routine: usize) -> Vec<Vec<usize>> {
    let span = code.flow.spans.blocks(routine);
    let mut analysis = Ranges { code, routine, drawn: vec![Range::ANY; span.len()] };
    let rows = solve(code.flow, routine, &mut analysis);
    let leave = |block: usize| {
        let facts = rows.get(block - span.start).map(<[Range]>::to_vec);
        let edges = facts.map_or(vec![], |facts| analysis.leave(block, &facts));
        edges.into_iter().map(|(to, _)| to).collect()
    };
    span.clone().map(leave).collect()
}

struct Ranges<'a> {
    code: Code<'a>,
    routine: usize,
    /// By block of the routine: the numbers of the loop that its last `RANGE_ITER*` begins.
    drawn: Vec<Range>,
}

impl Analysis for Ranges<'_> {
    type Fact = Range;
    const NARROWING: u32 = 2;

    fn entry(&self) -> Vec<Range> {
        let span = self.code.flow.spans.variables(self.routine);
        let mut facts = vec![Range::ANY; span.len()];
        let (routines, mut variable) = (self.code.routines, facts.iter_mut());
        // The parameters are the first variables, in order.
        for parameter in 0..routines.params[self.routine] {
            let capacity = routines.capacity(self.routine, parameter);
            if let Some(fact) = variable.next().filter(|_| capacity > 0) {
                *fact = Range::between(0, capacity as i32);
            }
        }
        facts
    }

    fn meet(&self, facts: &mut [Range], other: &[Range]) {
        facts.iter_mut().zip(other).for_each(|(fact, other)| *fact = fact.union(*other));
    }

    fn widen(&self, sweep: u32, old: &[Range], facts: &mut [Range]) {
        for (fact, old) in facts.iter_mut().zip(old).filter(|(fact, old)| fact != old) {
            *fact = if sweep < PATIENCE { fact.widened(*old) } else { Range::ANY };
        }
    }

    fn leave(&mut self, block: usize, facts: &[Range]) -> Vec<(usize, Vec<Range>)> {
        super::transfer::leave(self.code, self, block, facts)
    }
}

fn length(most: u32) -> Range {
    Range::between(0, most.min(CAPACITY) as i32)
}

fn begins_range(op: Op) -> bool {
    matches!(op, Op::RangeIter | Op::RangeIterInclusive)
}

impl Ranges<'_> {
    /// The block of an instruction, counted in the routine.
    fn block(&self, i: usize) -> usize {
        (self.code.ir.block[i] - self.code.flow.spans.block[self.routine]) as usize
    }

    /// What a value of a type may be; for a list, its length.
    fn of_type(ty: Type) -> Range {
        match ty.kind() {
            KIND_BOOL => Range::BOOL,
            _ if ty.is_list() => length(ty.capacity()),
            _ => Range::ANY,
        }
    }
}

impl Domain for Ranges<'_> {
    type Fact = Range;
    type Value = Range;
    const ANY: Range = Range::ANY;
    const LENGTHS: bool = true;

    fn word(&self, word: u32) -> Range {
        Range::of(word as i32)
    }

    fn load(&self, fact: &Range) -> Range {
        *fact
    }

    fn unary(&self, op: Op, operand: Range) -> Range {
        arithmetic::unary(op, operand)
    }

    fn binary(&self, op: Op, left: Range, right: Range) -> Range {
        arithmetic::binary(op, left, right)
    }

    fn result(&self, i: usize, op: Op, operands: &[Operand<Range>]) -> Range {
        let arg = self.code.ir.arg[i];
        match (op, operands) {
            (Op::BuildList | Op::LoadListConst | Op::RepeatList, _) => Range::of(arg as i32),
            (Op::JoinList, [a, b]) => arithmetic::binary(Op::Add, a.value, b.value).within(length(CAPACITY)),
            (Op::Slice, [list, ..]) => length(list.value.within(length(CAPACITY)).hi as u32),
            (Op::ListLen, [list]) => list.value.within(length(CAPACITY)),
            (Op::ListLenVar | Op::SliceVar, _) => length(CAPACITY),
            (Op::ListEq | Op::ListNe, _) => Range::BOOL,
            (Op::Call, _) => {
                let result = self.code.routines.result.get(arg as usize);
                result.map_or(Range::ANY, |ty| Ranges::of_type(Type(*ty)))
            }
            _ => Range::ANY,
        }
    }

    fn forget(&self, facts: &mut [Range], variable: usize) {
        facts[variable] = Range::ANY;
    }

    fn store(&self, i: usize, facts: &mut [Range], variable: usize, operand: Operand<Range>) {
        facts[variable] = match self.code.op(i) {
            Op::StoreList => operand.value.within(length(self.code.ir.aux[i])),
            _ => operand.value,
        };
    }

    fn store_element(&self, _: &mut [Range], _: usize) {}

    fn range(&mut self, i: usize, from: Range, to: Range) {
        // The numbers are drawn in order, and none wraps.
        let last = match self.code.op(i) {
            Op::RangeIter => to.hi.saturating_sub(1),
            _ => to.hi,
        };
        let block = self.block(i);
        self.drawn[block] = Range::between(from.lo, last);
    }

    fn next(&self, i: usize) -> Range {
        if !matches!(self.code.op(i), Op::ForRange | Op::NextRange) {
            return Range::ANY;
        }
        let slot = |i: usize| self.code.ir.arg[i];
        let first = self.code.flow.blocks.first[self.code.flow.spans.block[self.routine] as usize] as usize;
        let begins = |at: &usize| begins_range(self.code.op(*at)) && slot(*at) == slot(i);
        (first..i).rev().find(begins).map_or(Range::ANY, |at| self.drawn[self.block(at)])
    }

    fn assume(&self, facts: &mut [Range], test: &Test<Range>, result: bool) -> bool {
        let op = if result { Some(test.op) } else { test.op.opposite() };
        let Some(op) = op else { return true };
        let Some((left, right)) = arithmetic::assume(op, test.left.value, test.right.value) else {
            return false;
        };
        [(test.left, left), (test.right, right)].into_iter().all(|(operand, range)| {
            let Some(fact) = facts.get_mut(operand.variable as usize) else { return true };
            let kept = fact.meet(range);
            *fact = kept.unwrap_or(*fact);
            kept.is_some()
        })
    }
}
