//! Equal values: numbers of expressions, and the expressions that are available, that is, computed on every path and
//! not changed since (Cocke 1970: "Global Common Subexpression Elimination").
//!
//! Expressions are equal if their code is. All functions are pure, so calls are expressions too.

use super::sweeps::{Analysis, SweepRows, solve};
use super::transfer::Code;
use crate::lang::NONE;
use crate::lang::opcode::{Class, Op};
use std::collections::HashMap;
use std::ops::Range;

/// The longest expression that has a number.
pub const LONGEST: usize = 32;

#[derive(Clone, Debug, Default)]
pub struct Numbered {
    /// By value: the code that computes it first.
    pub code: Vec<Range<usize>>,
    /// By instruction of the routine: the value that it pushes, or `NONE`.
    pub value: Vec<u32>,
}

/// Numbers the expressions of a routine, in order of the code.
pub fn number(code: Code, routine: usize) -> Numbered {
    let (mut numbers, mut out) = (HashMap::new(), Numbered::default());
    for block in code.flow.spans.blocks(routine) {
        for (i, span) in code.flow.blocks.instructions(block).zip(expressions(code, block)) {
            let Some(span) = span.filter(|span| is_worth(code, span, i)) else {
                out.value.push(NONE);
                continue;
            };
            let key: Vec<_> = span.clone().map(|i| (code.ir.op[i], code.ir.arg[i])).collect();
            out.value.push(*numbers.entry(key).or_insert_with(|| {
                out.code.push(span);
                out.code.len() as u32 - 1
            }));
        }
    }
    out
}

/// Returns whether an expression does more than load a constant or a variable.
fn is_worth(code: Code, span: &Range<usize>, i: usize) -> bool {
    span.len() <= LONGEST
        && (span.len() > 1
            || !matches!(code.op(i), Op::LoadConst | Op::LoadConstWide | Op::LoadVar | Op::LoadList))
}

/// For each instruction of a block, the code of the expression that it ends, if that code is contiguous.
fn expressions(code: Code, block: usize) -> Vec<Option<Range<usize>>> {
    let mut stack: Vec<Option<Range<usize>>> = Vec::new();
    let each = |i: usize| {
        let op = code.op(i);
        // The operands end one after the other, right before the instruction.
        let first = stack.len().checked_sub(code.takes(i));
        let begin = first.and_then(|first| {
            let before = |end: usize, operand: &Option<Range<usize>>| {
                operand.as_ref().filter(|own| own.end == end).map(|own| own.start)
            };
            stack[first..].iter().rev().try_fold(i, before)
        });
        stack.truncate(first.unwrap_or(0));
        // The elements of a constant list follow it.
        let elements = if op == Op::LoadListConst { code.ir.arg[i] as usize } else { 0 };
        let own = begin.map(|begin| begin..i + 1 + elements);
        match op.class() {
            Class::Load | Class::Unary | Class::Binary | Class::List | Class::Call => {
                stack.push(own.clone());
                own
            }
            Class::Copy => {
                stack.extend([None, None]);
                None
            }
            _ => None,
        }
    };
    code.flow.blocks.instructions(block).map(each).collect()
}

/// Returns the values that are available at the beginning of each block: a bit for each, the first one lowest.
pub fn available(code: Code, routine: usize, numbered: &Numbered) -> SweepRows<u32> {
    let words = numbered.code.len().div_ceil(32);
    let mut readers = vec![vec![0; words]; code.flow.spans.variables(routine).len()];
    for (value, span) in numbered.code.iter().enumerate() {
        for i in span.clone().filter(|i| code.flow.accesses.variable[*i] != NONE) {
            readers[code.variable(i)][value / 32] |= 1 << (value % 32);
        }
    }
    let blocks = code.flow.spans.blocks(routine);
    let first = code.flow.blocks.first[blocks.start] as usize;
    solve(code.flow, routine, &mut Available { code, routine, first, value: &numbered.value, words, readers })
}

struct Available<'a> {
    code: Code<'a>,
    routine: usize,
    /// The routine's first instruction.
    first: usize,
    value: &'a [u32],
    words: usize,
    /// By variable: the values whose code reads it.
    readers: Vec<Vec<u32>>,
}

impl Analysis for Available<'_> {
    type Fact = u32;

    fn entry(&self) -> Vec<u32> {
        vec![0; self.words]
    }

    fn meet(&self, facts: &mut [u32], other: &[u32]) {
        facts.iter_mut().zip(other).for_each(|(word, other)| *word &= other);
    }

    fn leave(&mut self, block: usize, facts: &[u32]) -> Vec<(usize, Vec<u32>)> {
        let mut facts = facts.to_vec();
        for i in self.code.flow.blocks.instructions(block) {
            let element = (self.code.op(i) == Op::StoreIndex).then(|| self.code.variable(i));
            for variable in self.code.overwritten(self.routine, i).chain(element) {
                facts.iter_mut().zip(&self.readers[variable]).for_each(|(word, readers)| *word &= !readers);
            }
            let value = self.value[i - self.first];
            if value != NONE {
                facts[value as usize / 32] |= 1 << (value % 32);
            }
        }
        self.code.flow.blocks.successors(block).map(|to| (to, facts.clone())).collect()
    }
}
