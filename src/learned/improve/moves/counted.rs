//! Loops that count: a `while i < n` that adds 1 to `i` at its end becomes a `for`, whose rounds take one instruction to
//! begin instead of eight.

use std::collections::BTreeSet;

use super::MoveWriter;
use crate::compiler::stage::optimize::learned::code::{Instruction, compact, is_dead, targets};
use crate::lang::opcode::{Class, Op};

/// The instructions that end a round: `i`, 1, add, store `i`, `i`, the bound, less, jump back.
const ROUND: usize = 8;

/// A loop as `while` and as `for`.
pub struct Counted {
    /// The code with the counter in a new variable, which has room for the state of a `for`.
    pub renamed: Vec<Instruction>,
    /// The counter before and after.
    pub names: [u32; 2],
    pub code: Vec<Instruction>,
    /// The words of the frame with the new variable.
    pub frame: u32,
}

/// Returns the loops of a function that can count. `params` is the number of words of its parameters, which keep their
/// places.
pub fn counted(code: &[Instruction], frame: u32, params: u32) -> Vec<Counted> {
    let heads: BTreeSet<usize> = { code.iter().enumerate() }
        .filter_map(|(at, own)| own.target().map(|to| to as usize).filter(|to| *to <= at))
        .collect();
    heads.into_iter().filter_map(|head| of_loop(code, head, frame, params)).collect()
}

/// Returns the counter and the bound if the round that ends with the jump at `at` counts.
fn round(code: &[Instruction], at: usize) -> Option<(u32, Instruction)> {
    let from = at.checked_sub(ROUND - 1)?;
    let [load, one, add, store, again, bound, less, jump] = code.get(from..=at)? else { return None };
    let same = load.op == Op::LoadVar
        && (one.op, one.arg) == (Op::LoadConst, 1)
        && add.op == Op::Add
        && (store.op, store.arg) == (Op::StoreVar, load.arg)
        && (again.op, again.arg) == (Op::LoadVar, load.arg)
        && less.op == Op::Lt
        && jump.op == Op::JumpIfTrue;
    let is_bound = match bound.op {
        Op::LoadVar => bound.arg != load.arg,
        Op::LoadConst | Op::ListLenVar => true,
        _ => false,
    };
    let entered = targets(code)[from + 1..=at].iter().any(|targeted| *targeted);
    (same && is_bound && !entered).then_some((load.arg, *bound))
}

fn of_loop(code: &[Instruction], head: usize, frame: u32, params: u32) -> Option<Counted> {
    let backs: Vec<usize> = (0..code.len()).filter(|at| code[*at].target() == Some(head as u32)).collect();
    let last = *backs.last()?;
    let rounds = backs.iter().map(|at| round(code, *at)).collect::<Option<Vec<_>>>()?;
    let (counter, bound) = *rounds.first()?;
    let same =
        |(own, other): &(u32, Instruction)| *own == counter && (other.op, other.arg) == (bound.op, bound.arg);
    if !rounds.iter().all(same) || counter < params {
        return None;
    }
    // The test before the first round.
    let from = head.checked_sub(4)?;
    let [load, first, less, leave] = code.get(from..head)? else { return None };
    let enters = (load.op, load.arg) == (Op::LoadVar, counter)
        && (first.op, first.arg) == (bound.op, bound.arg)
        && less.op == Op::Lt
        && leave.op == Op::JumpIfFalse;
    let entered = targets(code)[from + 1..head].iter().any(|targeted| *targeted);
    let is_increment = |i: usize| backs.iter().any(|back| i + 4 == *back);
    let changes = |i: usize| {
        let own = &code[i];
        let counts = own.slot() == Some(counter) && own.op != Op::LoadVar && !is_increment(i);
        let moves = bound.op != Op::LoadConst
            && own.slot() == Some(bound.arg)
            && !matches!(
                own.op,
                Op::LoadVar | Op::ListLenVar | Op::LoadList | Op::LoadIndexVar | Op::StoreIndex
            );
        counts || moves
    };
    if !enters || entered || (head..=last).any(changes) {
        return None;
    }
    // Only the counter itself may be renamed: a loop that names it keeps its state next to it.
    if code.iter().any(|own| own.slot() == Some(counter) && !matches!(own.op, Op::LoadVar | Op::StoreVar)) {
        return None;
    }
    let names = [counter, frame];
    let mut renamed = code.to_vec();
    for own in renamed.iter_mut().filter(|own| own.slot() == Some(counter)) {
        own.arg = frame;
    }
    let code = rewritten(&renamed, (from, head, &backs), frame, bound);
    Some(Counted { renamed, names, code, frame: frame + 3 })
}

/// Writes the loop as a `for`.
fn rewritten(
    code: &[Instruction],
    (from, head, backs): (usize, usize, &[usize]),
    counter: u32,
    bound: Instruction,
) -> Vec<Instruction> {
    let mut writer = MoveWriter::new(code.len());
    let leave = code[head - 1];
    for (i, own) in code.iter().enumerate() {
        writer.begin(i);
        if i + 2 == head {
            writer.push(Instruction { op: Op::RangeIter, arg: counter, aux: 0, ..*own });
        } else if i + 1 == head {
            writer.push(Instruction { op: Op::ForRange, arg: counter, aux: leave.arg, ..*own });
        } else if let Some(back) = backs.iter().find(|back| (**back + 1 - ROUND..=**back).contains(&i)) {
            if i != *back {
                continue;
            }
            writer.push(Instruction { op: Op::NextRange, arg: counter, aux: head as u32, ..*own });
            // After the last round, the counter is the bound.
            if !is_dead(code, i + 1, counter) {
                writer.push(bound);
                writer.push(Instruction { op: Op::StoreVar, arg: counter, aux: 0, ..*own });
            }
        } else {
            writer.push(*own);
        }
    }
    debug_assert!(from < head);
    let mut code = writer.end();
    compact(&mut code);
    code
}

/// Returns whether both codes are equal but for the name of one variable. `names` are its two names. The first code must not
/// use the second name, and the code must have no other variable there.
pub fn equal_but_for_name(a: &[Instruction], b: &[Instruction], names: [u32; 2]) -> bool {
    let [from, to] = names;
    let renamed =
        |own: &Instruction| match own.slot() == Some(from) && matches!(own.op, Op::LoadVar | Op::StoreVar) {
            true => Instruction { arg: to, ..*own },
            false => *own,
        };
    let clear = |own: &Instruction| {
        own.slot() != Some(to) && (own.slot() != Some(from) || own.op.class() != Class::Loop)
    };
    a.len() == b.len() && a.iter().all(clear) && a.iter().map(renamed).eq(b.iter().copied())
}
