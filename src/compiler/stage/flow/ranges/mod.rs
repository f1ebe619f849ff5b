//! Ranges and known bits of ints and bools, and the ranges of lengths of lists.
//!
//! Widening and narrowing are after Cousot and Cousot, "Abstract interpretation", 1977; known bits as in LLVM's
//! `KnownBits`. A rule that widens is not monotone, so the order of visits decides the result and is part of
//! the contract.

mod arithmetic;
mod range;

use super::sweeps::{Analysis, SweepRows, solve};
use super::transfer::{Code, Domain, FlowOperand, Test};
use crate::lang::limits::CAPACITY;
use crate::lang::opcode::Op;
use crate::lang::ty::{KIND_BOOL, Type};
pub use arithmetic::{assume, binary, unary};
pub use range::{Range, trailing};

/// From this sweep on, nothing is known about a variable of a head whose fact still changes.
pub const PATIENCE: u32 = 8;

/// How closely facts follow the code.
pub struct Precision<'a> {
    /// The facts about the parameters, in order.
    pub parameters: &'a [Range],
    /// The bounds, in ascending order, at which a bound that moves stops before that of its type.
    pub stops: &'a [i32],
    /// From this sweep on, nothing is known about a variable of a head whose fact still changes.
    pub patience: u32,
    /// The maximum number of operands that wait between blocks, if there are facts about them, too.
    pub operands: Option<usize>,
}

/// Returns the facts of a routine's blocks, as its columns have them.
pub fn find(code: Code, routine: usize) -> SweepRows<Range> {
    with_edges(code, routine, &Precision::of_columns(&parameters(code, routine))).0
}

/// Returns for each block of a routine whether control may take the edges to its next block and to its target, by these
/// facts.
pub fn edges(code: Code, routine: usize) -> Vec<[bool; 2]> {
    with_edges(code, routine, &Precision::of_columns(&parameters(code, routine))).1
}

/// The facts about a routine's parameters.
fn parameters(code: Code, routine: usize) -> Vec<Range> {
    let capacities = (0..code.routines.params[routine]).map(|at| code.routines.capacity(routine, at));
    capacities.map(|most| if most > 0 { length(most) } else { Range::ANY }).collect()
}

impl<'a> Precision<'a> {
    fn of_columns(parameters: &'a [Range]) -> Precision<'a> {
        Precision { parameters, stops: &[], patience: PATIENCE, operands: None }
    }
}

/// Returns the facts of a routine's blocks with this precision. After those about variables are those about operands.
/// Also returns for each block whether control may take the edges to its next block and to its target.
pub fn with_edges(code: Code, routine: usize, precision: &Precision) -> (SweepRows<Range>, Vec<[bool; 2]>) {
    let mut ranges = Ranges::new(code, routine, precision);
    let rows = solve(code.flow, routine, &mut ranges);
    let taken = (0..).zip(ranges.taken).map(|(block, taken)| rows.get(block).map_or([false; 2], |_| taken));
    let taken = taken.collect();
    (rows, taken)
}

/// The facts about any value of a type; of a list, about its length.
pub fn of_type(ty: Type) -> Range {
    match ty.kind() {
        KIND_BOOL => Range::BOOL,
        _ if ty.is_list() => length(ty.capacity()),
        _ => Range::ANY,
    }
}

struct Ranges<'a> {
    code: Code<'a>,
    routine: usize,
    precision: &'a Precision<'a>,
    /// By block of the routine: the numbers of the loop that its last `RANGE_ITER*` begins.
    drawn: Vec<Range>,
    /// By block of the routine: the edges that control may take, as it left last.
    taken: Vec<[bool; 2]>,
}

impl Analysis for Ranges<'_> {
    type Fact = Range;
    const NARROWING: u32 = 2;

    fn entry(&self) -> Vec<Range> {
        let variables = self.code.flow.spans.variables(self.routine).len();
        let mut facts = vec![Range::ANY; variables + self.precision.operands.unwrap_or(0)];
        // The parameters are the first variables, in order.
        facts[..variables].iter_mut().zip(self.precision.parameters).for_each(|(fact, own)| *fact = *own);
        facts
    }

    fn meet(&self, facts: &mut [Range], other: &[Range]) {
        facts.iter_mut().zip(other).for_each(|(fact, other)| *fact = fact.union(*other));
    }

    fn widen(&self, sweep: u32, old: &[Range], facts: &mut [Range]) {
        for (fact, old) in facts.iter_mut().zip(old).filter(|(fact, old)| fact != old) {
            let Precision { stops, patience, .. } = self.precision;
            *fact = if sweep < *patience { fact.widened(*old, stops) } else { Range::ANY };
        }
    }

    fn spares_arrivals(&self) -> bool {
        self.precision.operands.is_some()
    }

    fn leave(&mut self, block: usize, facts: &[Range]) -> Vec<(usize, Vec<Range>)> {
        let edges = super::transfer::leave(self.code, self, block, facts);
        let own = block - self.code.flow.spans.block[self.routine] as usize;
        let ways = [self.code.flow.blocks.next[block], self.code.flow.blocks.target[block]];
        self.taken[own] = ways.map(|way| edges.iter().any(|(to, _)| *to == way as usize));
        edges
    }
}

fn length(most: u32) -> Range {
    Range::between(0, most.min(CAPACITY) as i32)
}

fn begins_range(op: Op) -> bool {
    matches!(op, Op::RangeIter | Op::RangeIterInclusive)
}

impl<'a> Ranges<'a> {
    fn new(code: Code<'a>, routine: usize, precision: &'a Precision<'a>) -> Ranges<'a> {
        let blocks = code.flow.spans.blocks(routine).len();
        Ranges { code, routine, precision, drawn: vec![Range::ANY; blocks], taken: vec![[false; 2]; blocks] }
    }

    /// The block of an instruction, counted in the routine.
    fn block(&self, i: usize) -> usize {
        (self.code.ir.block[i] - self.code.flow.spans.block[self.routine]) as usize
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

    fn result(&self, i: usize, op: Op, operands: &[FlowOperand<Range>]) -> Range {
        let arg = self.code.ir.arg[i];
        match (op, operands) {
            (Op::BuildList | Op::LoadListConst | Op::RepeatList, _) => Range::of(arg as i32),
            (Op::JoinList, [a, b]) => arithmetic::binary(Op::Add, a.value, b.value).within(length(CAPACITY)),
            (Op::Slice | Op::SliceVar, [.., from, to]) if self.precision.operands.is_some() => {
                length(CAPACITY).within(arithmetic::binary(Op::Sub, to.value, from.value))
            }
            (Op::Slice, [list, ..]) => length(list.value.within(length(CAPACITY)).hi as u32),
            (Op::ListLen, [list]) => list.value.within(length(CAPACITY)),
            (Op::ListLenVar | Op::SliceVar, _) => length(CAPACITY),
            (Op::ListEq | Op::ListNe, _) => Range::BOOL,
            (Op::Call, _) => {
                let result = self.code.routines.result.get(arg as usize);
                result.map_or(Range::ANY, |ty| of_type(Type(*ty)))
            }
            _ => Range::ANY,
        }
    }

    fn forget(&self, facts: &mut [Range], variable: usize) {
        facts[variable] = Range::ANY;
    }

    fn store(&self, i: usize, facts: &mut [Range], variable: usize, operand: FlowOperand<Range>) {
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

    fn operands(&self) -> Option<usize> {
        self.precision.operands
    }

    fn wait(&self, fact: &mut Range, value: Range) {
        *fact = value;
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
