//! The effect of a block on the facts about variables. Its instructions are executed on facts instead of words.
//!
//! For the columns, operands that were pushed before the block are unknown: blocks pass on no facts about the operand
//! stack. A domain may have such facts, after those about variables.

use super::Flow;
use crate::compiler::program::{Ir, Routines};
use crate::lang::NONE;
use crate::lang::opcode::{Class, Op};
use std::ops::Range;

/// Code with its control-flow graph.
#[derive(Clone, Copy)]
pub struct Code<'a> {
    pub ir: &'a Ir,
    pub routines: &'a Routines,
    pub flow: &'a Flow,
}

/// The facts about an operand.
#[derive(Clone, Copy, Debug)]
pub struct FlowOperand<V> {
    pub value: V,
    /// The variable that was loaded and has not been stored since, or `NONE`.
    pub variable: u32,
}

/// A comparison whose result decides a jump.
#[derive(Clone, Copy, Debug)]
pub struct Test<V> {
    pub op: Op,
    pub left: FlowOperand<V>,
    pub right: FlowOperand<V>,
}

/// Facts about variables and operands.
pub trait Domain {
    /// A fact about a variable.
    type Fact: Copy + PartialEq;
    /// A fact about an operand.
    type Value: Copy;

    /// Nothing is known about an operand.
    const ANY: Self::Value;
    /// Whether a fact about a list variable is one about its length.
    const LENGTHS: bool;

    fn word(&self, word: u32) -> Self::Value;
    fn load(&self, fact: &Self::Fact) -> Self::Value;
    fn unary(&self, op: Op, operand: Self::Value) -> Self::Value;
    fn binary(&self, op: Op, left: Self::Value, right: Self::Value) -> Self::Value;
    /// Returns the result of instruction `i`, which reads or makes a list, or calls a function.
    fn result(&self, i: usize, op: Op, operands: &[FlowOperand<Self::Value>]) -> Self::Value;

    /// Records that a variable has an unknown value.
    fn forget(&self, facts: &mut [Self::Fact], variable: usize);
    /// Records that instruction `i` stores an operand in a variable.
    fn store(&self, i: usize, facts: &mut [Self::Fact], variable: usize, operand: FlowOperand<Self::Value>);
    /// Records that elements of a list variable change, but not its length.
    fn store_element(&self, facts: &mut [Self::Fact], variable: usize);
    /// Records that instruction `i` begins a loop over a range.
    fn range(&mut self, _i: usize, _from: Self::Value, _to: Self::Value) {}
    /// Returns the next number of the loop over a range whose next round `i` begins.
    fn next(&self, _i: usize) -> Self::Value {
        Self::ANY
    }

    /// The maximum number of operands that wait between blocks, if there are facts about them.
    fn operands(&self) -> Option<usize> {
        None
    }
    /// Records an operand that waits.
    fn wait(&self, _fact: &mut Self::Fact, _value: Self::Value) {}

    /// Adds the facts that follow from the result of a test. Returns false if it cannot have this result.
    fn assume(&self, facts: &mut [Self::Fact], test: &Test<Self::Value>, result: bool) -> bool;
}

impl<'a> Code<'a> {
    pub fn op(&self, i: usize) -> Op {
        Op::from_u32(self.ir.op[i]).unwrap_or(Op::Nop)
    }

    /// Number of operands that an instruction takes.
    pub fn takes(&self, i: usize) -> usize {
        let op = self.op(i);
        let count = match op {
            Op::BuildList => self.ir.arg[i],
            Op::Call => self.routines.params.get(self.ir.arg[i] as usize).copied().unwrap_or(0),
            _ => op.effect().takes,
        };
        count as usize
    }

    /// The words of the frame that an instruction writes, without those of elements that it replaces.
    fn writes(&self, i: usize) -> Range<u32> {
        let (slot, capacity) = (self.ir.arg[i], self.ir.aux[i]);
        match self.op(i) {
            Op::StoreVar => slot..slot + 1,
            Op::StoreList => slot..slot + 1 + capacity,
            Op::RangeIter | Op::RangeIterInclusive => slot + 1..slot + 3,
            Op::ListIter => slot + 1..slot + 3 + capacity,
            Op::ForRange | Op::NextRange => slot..slot + 3,
            Op::ForList | Op::NextList => slot..slot + 2,
            _ => 0..0,
        }
    }

    /// The variables that an instruction of a routine overwrites, also in part. (Inlined functions share words.)
    pub fn overwritten(&self, routine: usize, i: usize) -> Range<usize> {
        let words = self.writes(i);
        if words.is_empty() {
            return 0..0;
        }
        let span = self.flow.spans.variables(routine);
        let slots = &self.flow.variables.slot[span];
        slots.partition_point(|slot| *slot < words.start)..slots.partition_point(|slot| *slot < words.end)
    }

    /// The variable that an instruction names.
    pub fn variable(&self, i: usize) -> usize {
        self.flow.accesses.variable[i] as usize
    }
}

/// Executes a block. `facts` are those where it begins. Returns the edges on which control may leave it, each with
/// the block that it enters and the facts there.
pub fn leave<D: Domain>(
    code: Code,
    domain: &mut D,
    block: usize,
    facts: &[D::Fact],
) -> Vec<(usize, Vec<D::Fact>)> {
    let routine = code.flow.blocks.routine[block] as usize;
    let variables = code.flow.spans.variables(routine).len();
    let height = (code.flow.blocks.words[block] + code.flow.blocks.lists[block]) as usize;
    let waiting = facts[variables..].iter().take(height);
    let stack = waiting.map(|fact| FlowOperand { value: domain.load(fact), variable: NONE }).collect();
    let mut run = TransferRun { code, domain, facts: facts.to_vec(), stack, taken: Vec::new(), test: None };
    let instructions = code.flow.blocks.instructions(block);
    let last = instructions.end - 1;
    (instructions.start..last).for_each(|i| run.step(routine, i));
    let condition = run.stack.last().copied();
    run.step(routine, last);
    let TransferRun { domain, mut facts, stack, test, .. } = run;
    // A jump that keeps its condition leaves it on the stack of the target.
    let kept = condition.filter(|_| code.op(last).condition().is_some_and(|(_, keeps)| keeps));
    if domain.operands().is_some() {
        let values = stack.iter().chain(&kept).map(|operand| operand.value);
        let facts = facts[variables..].iter_mut();
        facts.zip(values.chain(std::iter::repeat(D::ANY))).for_each(|(fact, value)| domain.wait(fact, value));
    }
    let edge = |to: u32, facts: Vec<D::Fact>| (to != NONE).then_some((to as usize, facts));
    let (next, target) = (code.flow.blocks.next[block], code.flow.blocks.target[block]);
    let mut edges = [None, None];
    match (code.op(last).class(), test) {
        (Class::Branch { on }, Some(test)) => {
            for (slot, (to, result)) in edges.iter_mut().zip([(next, !on), (target, on)]) {
                let mut facts = facts.clone();
                *slot = if domain.assume(&mut facts, &test, result) { edge(to, facts) } else { None };
            }
        }
        (Class::Loop, _) => {
            // `NEXT_*` jump to the body, `FOR_*` fall through to it.
            let jumps = matches!(code.op(last), Op::NextRange | Op::NextList);
            let (body, exit) = if jumps { (target, next) } else { (next, target) };
            edges[usize::from(!jumps)] = edge(exit, facts.clone());
            let mut facts = facts;
            let operand = FlowOperand { value: domain.next(last), variable: NONE };
            domain.store(last, &mut facts, code.variable(last), operand);
            edges[usize::from(jumps)] = edge(body, facts);
        }
        _ => edges = [edge(next, facts.clone()), edge(target, facts)],
    }
    edges.into_iter().flatten().collect()
}

/// A block in execution.
struct TransferRun<'a, D: Domain> {
    code: Code<'a>,
    domain: &'a mut D,
    facts: Vec<D::Fact>,
    stack: Vec<FlowOperand<D::Value>>,
    /// Memory for the operands that an instruction takes.
    taken: Vec<FlowOperand<D::Value>>,
    /// The test whose result the last instruction pushed.
    test: Option<Test<D::Value>>,
}

impl<D: Domain> TransferRun<'_, D> {
    fn pop(&mut self) -> FlowOperand<D::Value> {
        self.stack.pop().unwrap_or(FlowOperand { value: D::ANY, variable: NONE })
    }

    fn push(&mut self, value: D::Value, variable: u32) {
        self.stack.push(FlowOperand { value, variable });
    }

    fn step(&mut self, routine: usize, i: usize) {
        let op = self.code.op(i);
        if op == Op::Nop {
            return;
        }
        let test = self.test.take();
        let mut taken = std::mem::take(&mut self.taken);
        taken.clear();
        taken.extend((0..self.code.takes(i)).map(|_| self.pop()));
        taken.reverse();
        let zero = |operand, op| Test {
            op,
            left: operand,
            right: FlowOperand { value: self.domain.word(0), variable: NONE },
        };
        match (op.class(), &taken[..]) {
            (Class::Copy, [operand]) => self.stack.extend([*operand; 2]),
            (Class::Unary, [operand]) => {
                if op == Op::Not {
                    let opposite = test.and_then(|test| Some(Test { op: test.op.opposite()?, ..test }));
                    self.test = opposite.or(Some(zero(*operand, Op::Eq)));
                }
                self.push(self.domain.unary(op, operand.value), NONE);
            }
            (Class::Binary, [left, right]) => {
                self.test = op.opposite().map(|_| Test { op, left: *left, right: *right });
                self.push(self.domain.binary(op, left.value, right.value), NONE);
            }
            (Class::Branch { .. }, [operand]) => self.test = test.or(Some(zero(*operand, Op::Ne))),
            (Class::Load | Class::List | Class::Call, _) => self.load(i, op, &taken),
            _ => self.store(routine, i, op, &taken),
        }
        self.taken = taken;
    }

    fn load(&mut self, i: usize, op: Op, taken: &[FlowOperand<D::Value>]) {
        let variable = self.code.flow.accesses.variable[i];
        match op {
            Op::LoadConst | Op::LoadConstWide => self.push(self.domain.word(self.code.ir.arg[i]), NONE),
            Op::LoadVar | Op::LoadList => {
                self.push(self.domain.load(&self.facts[variable as usize]), variable);
            }
            Op::ListLenVar if D::LENGTHS => {
                self.push(self.domain.load(&self.facts[variable as usize]), variable);
            }
            _ => self.push(self.domain.result(i, op, taken), NONE),
        }
    }

    fn store(&mut self, routine: usize, i: usize, op: Op, taken: &[FlowOperand<D::Value>]) {
        let overwritten = self.code.overwritten(routine, i);
        let is_kept = |variable: u32| !overwritten.contains(&(variable as usize));
        for variable in overwritten.clone() {
            self.domain.forget(&mut self.facts, variable);
        }
        for operand in self.stack.iter_mut().filter(|operand| !is_kept(operand.variable)) {
            operand.variable = NONE;
        }
        let detached = |operand: &FlowOperand<D::Value>| match is_kept(operand.variable) {
            true => *operand,
            false => FlowOperand { variable: NONE, ..*operand },
        };
        match (op, taken) {
            (Op::StoreVar | Op::StoreList, [operand]) => {
                self.domain.store(i, &mut self.facts, self.code.variable(i), detached(operand));
            }
            (Op::StoreIndex, _) => {
                let variable = self.code.variable(i);
                self.domain.store_element(&mut self.facts, variable);
                if !D::LENGTHS {
                    let same = |operand: &&mut FlowOperand<D::Value>| operand.variable == variable as u32;
                    self.stack.iter_mut().filter(same).for_each(|operand| operand.variable = NONE);
                }
            }
            (Op::RangeIter | Op::RangeIterInclusive, [from, to]) => self.domain.range(i, from.value, to.value),
            _ => {}
        }
    }
}
