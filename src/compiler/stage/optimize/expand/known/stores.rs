//! Stores of variables that are not live.

use std::ops::Range;

use super::super::expressions::is_safe;
use super::KnownFound;
use super::values::Values;
use crate::compiler::stage::flow::{Access, Code, access, may_trap};
use crate::lang::NONE;
use crate::lang::opcode::Op;

pub fn find(code: Code, routine: usize, values: &Values, found: &mut KnownFound) {
    let blocks = code.flow.spans.blocks(routine);
    for block in blocks.filter(|block| code.flow.blocks.reached[*block] != 0) {
        let mut live = code.flow.live.exit[code.flow.facts(block)].to_vec();
        let Range { start, mut end } = code.flow.blocks.instructions(block);
        while end > start {
            end -= 1;
            let variable = code.flow.accesses.variable[end];
            if variable == NONE {
                continue;
            }
            let (word, bit) = (variable as usize / 32, 1 << (variable % 32));
            if live[word] & bit == 0
                && let Some(first) = unread(code, values, start, end)
            {
                if code.op(end) == Op::LoadVar {
                    found.kept.push(end);
                }
                found.dropped.extend(first..=end);
                end = first;
                continue;
            }
            match access(code.ir.op[end]) {
                Access::Reads => live[word] |= bit,
                Access::Stores => live[word] &= !bit,
                Access::Names => {}
            }
        }
    }
}

/// The first of the instructions up to `last` that only serve to store a variable that is not live after them: its value's
/// code and the store, or the store and a load of the value, which then stays on the stack.
fn unread(code: Code, values: &Values, start: usize, last: usize) -> Option<usize> {
    let before = last.checked_sub(1).filter(|before| *before >= start)?;
    match code.op(last) {
        Op::StoreVar => {
            let safe = |span: &Range<usize>| span.clone().all(|at| is_safe(code.ir, at));
            values.span(before).filter(safe).map(|span| span.start)
        }
        Op::StoreList if code.op(before) == Op::LoadList && !may_trap(code.ir, code.routines, last) => {
            Some(before)
        }
        Op::LoadVar if code.op(before) == Op::StoreVar && code.variable(before) == code.variable(last) => {
            Some(before)
        }
        _ => None,
    }
}
