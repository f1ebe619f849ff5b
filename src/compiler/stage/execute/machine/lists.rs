//! Lists in memory: moving, comparing, and passing them to calls.

use super::{Callee, MASK, WORDS, Words};
use crate::lang::trap::Trap;

/// Moves words within memory. The ranges may overlap.
pub(super) fn shift(m: &mut Words, from: usize, to: usize, count: usize) {
    if from.saturating_add(count) <= WORDS && to.saturating_add(count) <= WORDS {
        m.copy_within(from..from + count, to);
    }
}

/// Returns the indices of the first elements of the two lists on top of the stack.
pub(super) fn two_lists(m: &Words, sp: usize) -> (usize, usize) {
    let b = sp.wrapping_sub(1 + m[sp.wrapping_sub(1) & MASK] as usize);
    let a = b.wrapping_sub(1 + m[b.wrapping_sub(1) & MASK] as usize);
    (a, b)
}

/// Returns whether the two lists on top of the stack are equal. Their elements begin at `a` and `b`.
pub(super) fn same(m: &Words, a: usize, b: usize, sp: usize) -> bool {
    match (m.get(a..b.wrapping_sub(1)), m.get(b..sp.wrapping_sub(1))) {
        (Some(a), Some(b)) => a == b,
        _ => false,
    }
}

/// Moves a call's arguments, including lists, to their places in the new frame. Returns the index of the
/// frame.
pub(super) fn place_arguments(m: &mut Words, sp: usize, callee: &Callee) -> Result<usize, Trap> {
    let caps = callee.places();
    let mut base = sp;
    for capacity in caps.iter().rev() {
        base = base.wrapping_sub(1);
        if *capacity != 0 {
            let length = m[base & MASK];
            if length > u32::from(*capacity) {
                return Err(Trap::CapacityExceeded);
            }
            base = base.wrapping_sub(length as usize);
        }
    }
    if base.wrapping_add(callee.frame as usize) > WORDS {
        return Err(Trap::OutOfMemory);
    }
    let mut to = base + caps.iter().map(|c| 1 + usize::from(*c)).sum::<usize>();
    let mut from = sp;
    for capacity in caps.iter().rev() {
        to -= 1 + usize::from(*capacity);
        from = from.wrapping_sub(1);
        if *capacity == 0 {
            m[to & MASK] = m[from & MASK];
        } else {
            let length = m[from & MASK];
            from = from.wrapping_sub(length as usize);
            shift(m, from, to + 1, length as usize);
            m[to & MASK] = length;
        }
    }
    Ok(base)
}
