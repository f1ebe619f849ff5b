//! Bounds on the memory of routines, so that learned code never runs out of memory earlier than the code that it replaces.

use super::code::Instruction;
use crate::compiler::program::Routines;
use crate::compiler::stage::flow::CallGraph;
use crate::lang::limits::{CAPACITY, STACK_WORDS};
use crate::lang::opcode::Op;
use crate::lang::ty::Type;

/// Words of the longest list.
const LIST: u32 = 1 + CAPACITY;

/// Returns a bound on the words of a routine's operands, or `None` for code that does not use its stack well.
pub fn operands(code: &[Instruction], routines: &Routines) -> Option<u32> {
    let mut stacks: Vec<Option<Vec<u32>>> = vec![None; code.len()];
    let mut open = vec![(0, Vec::new())];
    let mut most = 0;
    while let Some((i, mut stack)) = open.pop() {
        let own = code.get(i)?;
        match &stacks[i] {
            Some(known) if known.len() == stack.len() => continue,
            Some(_) => return None,
            None => stacks[i] = Some(stack.clone()),
        }
        let mut jumping = None;
        match own.op {
            Op::Call => {
                let callee = own.arg as usize;
                let rest = stack.len().checked_sub(*routines.params.get(callee)? as usize)?;
                stack.truncate(rest);
                stack.push(if Type(routines.result[callee]).is_list() { LIST } else { 1 });
            }
            Op::BuildList => {
                let rest = stack.len().checked_sub(own.arg as usize)?;
                stack.truncate(rest);
                stack.push(1 + own.arg);
            }
            Op::RepeatList | Op::LoadListConst => {
                if own.op == Op::RepeatList {
                    stack.pop()?;
                }
                stack.push(1 + own.arg);
            }
            Op::Dup => stack.push(*stack.last()?),
            op => {
                if op.condition().is_some_and(|(_, keeps)| keeps) {
                    jumping = Some(stack.clone());
                }
                let effect = op.effect();
                let rest = stack.len().checked_sub(effect.takes as usize)?;
                stack.truncate(rest);
                stack
                    .extend((0..effect.leaves).map(|k| if effect.left_lists >> k & 1 == 1 { LIST } else { 1 }));
            }
        }
        most = most.max(stack.iter().sum());
        if let Some(target) = own.target() {
            open.push((target as usize, jumping.unwrap_or_else(|| stack.clone())));
        }
        if own.falls_through() {
            open.push((i + 1, stack));
        }
    }
    Some(most)
}

/// Returns whether all calls of a program fit in memory. `own` has the words of each routine, or `None` without a bound;
/// `calls` have their caller and callee.
pub fn fits(own: &[Option<u32>], calls: &[[u32; 2]]) -> bool {
    let Some(own) = own.iter().copied().collect::<Option<Vec<u32>>>() else { return false };
    let (mut graph, mut words) = (CallGraph::default(), Vec::new());
    graph.find(own.len(), calls);
    graph.memory(|routine| own[routine], [&mut Vec::new(), &mut words]);
    words.iter().all(|words| *words <= STACK_WORDS)
}
