//! The interpreter loop of the stack machine.

use super::faults::{FaultEffect, FaultStep, Faults};
use super::lists::{place_arguments, same, shift, two_lists};
use super::position::{At, PositionEnd};
use super::reads::ALL;
use super::witness::{CallEvent, RunObserver, StepState};
use super::{Callee, MASK, MachineCall, Space, WORDS};
use crate::lang::arithmetic::operations;
use crate::lang::index::{Index, RoutineId};
use crate::lang::limits::{CALL_DEPTH, CAPACITY, PARAMS};
use crate::lang::opcode::number::*;
use crate::lang::trap::Trap;

/// Runs from a position to the end. Returns the end and the index past the stack's top; updates `fuel`.
pub fn steps<F: Faults, W: RunObserver>(
    space: &mut Space,
    from: At,
    fuel: &mut u32,
    faults: &mut F,
    witness: &mut W,
) -> (PositionEnd, usize) {
    let Space { code, callees, memory, calls } = space;
    let (code, callees, m): (&[u32], &[Callee], _) = (code, callees, &mut memory.words);
    let At { mut pc, mut fp, mut sp, mut depth, bottom } = from;
    let mut left = *fuel;
    let mut word: u32;

    macro_rules! end {
        ($trap:ident) => {{
            *fuel = left;
            return (PositionEnd { trap: Trap::$trap, value: 0, address: pc }, sp);
        }};
        (value $value:expr) => {{
            let value = $value;
            *fuel = left;
            return (PositionEnd { trap: Trap::None, value, address: pc }, sp);
        }};
    }
    // The operand of an instruction, and its second word.
    macro_rules! operand {
        () => {
            (word >> 8) as usize
        };
    }
    macro_rules! second {
        () => {
            code.get(pc + 1).copied().unwrap_or(0)
        };
    }
    macro_rules! at {
        ($index:expr) => {
            m[($index) & MASK]
        };
    }
    macro_rules! var {
        ($offset:expr) => {
            m[(fp + operand!() + $offset) & MASK]
        };
    }
    macro_rules! room {
        ($top:expr) => {
            if $top > WORDS {
                end!(OutOfMemory)
            }
        };
    }
    macro_rules! push {
        ($value:expr) => {{
            let value = $value;
            room!(sp + 1);
            at!(sp) = value;
            sp += 1;
        }};
    }
    // Match arms for operations on ints and bools. Each reads its own operands, so that all share one jump table.
    macro_rules! arithmetic {
            (
                ($a:ident) $($unary:ident => $of_one:expr;)*
                ($x:ident $y:ident) $($binary:ident => $of_two:expr $(, $trap:ident if $when:expr)?;)*
            ) => {
                match word & 0xff {
                    $($unary => {
                        let $a = at!(sp.wrapping_sub(1)) as i32;
                        at!(sp.wrapping_sub(1)) = ($of_one) as u32;
                        pc += 1;
                    })*
                    $($binary => {
                        let $y = at!(sp.wrapping_sub(1)) as i32;
                        $(if $when {
                            end!($trap)
                        })?
                        let $x = at!(sp.wrapping_sub(2)) as i32;
                        at!(sp.wrapping_sub(2)) = ($of_two) as u32;
                        sp = sp.wrapping_sub(1);
                        pc += 1;
                    })*
                    _ => pc += 1,
                }
            };
        }
    macro_rules! lists_equal {
        ($wanted:expr) => {{
            let (a, b) = two_lists(m, sp);
            let equal = same(m, a, b, sp);
            at!(a) = u32::from(equal == $wanted);
            sp = a + 1;
            pc += 1;
        }};
    }
    // Stores the next number or element in a loop's variable. Returns whether there is one.
    macro_rules! next_number {
        () => {{
            let left = var!(2);
            if left > 0 {
                let next = var!(1);
                var!(0) = next;
                var!(1) = next.wrapping_add(1);
                var!(2) = left - 1;
            }
            left > 0
        }};
    }
    macro_rules! next_element {
        () => {{
            let index = var!(1);
            let more = index != var!(2);
            if more {
                var!(0) = var!(3 + index as usize);
                var!(1) = index.wrapping_add(1);
            }
            more
        }};
    }

    loop {
        if left == 0 {
            end!(StepLimit)
        }
        left -= 1;
        let Some(&next) = code.get(pc) else { end!(None) };
        word = next;
        if W::STEPS {
            witness.step(StepState { pc, fp, sp, depth, left, memory: m });
        }
        // A fault adds this to the result of the step.
        let mut off = 0u32;
        let struck = if F::ON { faults.at(*fuel - left) } else { None };
        if let Some((fault, random)) = struck {
            match (FaultStep { word, pc, fp, sp }).strike(m, faults, fault, random) {
                FaultEffect::Executed { off: by } => off = by,
                FaultEffect::LeftOut { growth, words } => {
                    match growth {
                        1.. => push!(0),
                        _ => sp = sp.wrapping_sub(growth.unsigned_abs() as usize),
                    }
                    pc += words;
                    continue;
                }
            }
        }
        match word & 0xff {
            LOAD_CONST => {
                push!(((word as i32) >> 8) as u32);
                pc += 1;
            }
            LOAD_CONST_WIDE => {
                push!(second!());
                pc += 2;
            }
            LOAD_VAR | LIST_LEN_VAR => {
                push!(var!(0));
                pc += 1;
            }
            STORE_VAR => {
                sp = sp.wrapping_sub(1);
                var!(0) = at!(sp);
                pc += 1;
            }
            LOAD_LIST_CONST => {
                let count = operand!();
                room!(sp + count + 1);
                for i in 0..count {
                    let element = code.get(pc + 1 + i).copied().unwrap_or(0);
                    at!(sp + i) = ((element as i32) >> 8) as u32;
                }
                sp += count;
                at!(sp) = count as u32;
                sp += 1;
                pc += 1 + count;
            }
            LOAD_LIST => {
                let length = var!(0) as usize;
                room!(sp + length + 1);
                shift(m, fp + operand!() + 1, sp, length);
                sp += length;
                at!(sp) = length as u32;
                sp += 1;
                pc += 1;
            }
            STORE_LIST => {
                let length = at!(sp.wrapping_sub(1));
                if length > second!() {
                    end!(CapacityExceeded)
                }
                sp = sp.wrapping_sub(1 + length as usize);
                var!(0) = length;
                shift(m, sp, fp + operand!() + 1, length as usize);
                pc += 2;
            }
            DUP => {
                push!(at!(sp.wrapping_sub(1)));
                pc += 1;
            }
            LIST_EQ => lists_equal!(true),
            LIST_NE => lists_equal!(false),
            JUMP => pc = operand!(),
            JUMP_IF_FALSE => {
                sp = sp.wrapping_sub(1);
                pc = if at!(sp) == 0 { operand!() } else { pc + 1 };
            }
            JUMP_IF_TRUE => {
                sp = sp.wrapping_sub(1);
                pc = if at!(sp) != 0 { operand!() } else { pc + 1 };
            }
            JUMP_IF_FALSE_OR_POP => {
                if at!(sp.wrapping_sub(1)) == 0 {
                    pc = operand!();
                } else {
                    sp = sp.wrapping_sub(1);
                    pc += 1;
                }
            }
            JUMP_IF_TRUE_OR_POP => {
                if at!(sp.wrapping_sub(1)) != 0 {
                    pc = operand!();
                } else {
                    sp = sp.wrapping_sub(1);
                    pc += 1;
                }
            }
            BUILD_LIST => {
                push!(operand!() as u32);
                pc += 1;
            }
            REPEAT_LIST => {
                let count = operand!();
                room!(sp + count);
                let value = at!(sp.wrapping_sub(1));
                for i in 1..count {
                    at!(sp - 1 + i) = value;
                }
                sp = sp.wrapping_sub(1) + count;
                at!(sp) = count as u32;
                sp += 1;
                pc += 1;
            }
            JOIN_LIST => {
                let (_, b) = two_lists(m, sp);
                let (first, second) = (at!(b.wrapping_sub(1)), at!(sp.wrapping_sub(1)));
                if first.saturating_add(second) > CAPACITY {
                    end!(CapacityExceeded)
                }
                shift(m, b, b.wrapping_sub(1), second as usize);
                sp = sp.wrapping_sub(1);
                at!(sp.wrapping_sub(1)) = first + second;
                pc += 1;
            }
            LOAD_INDEX => {
                let index = at!(sp.wrapping_sub(1));
                let length = at!(sp.wrapping_sub(2));
                if index >= length {
                    end!(IndexOutOfBounds)
                }
                let list = sp.wrapping_sub(2 + length as usize);
                at!(list) = at!(list.wrapping_add(index as usize));
                sp = list.wrapping_add(1);
                pc += 1;
            }
            LOAD_INDEX_VAR => {
                let index = at!(sp.wrapping_sub(1));
                if index >= var!(0) {
                    end!(IndexOutOfBounds)
                }
                at!(sp.wrapping_sub(1)) = var!(1 + index as usize);
                pc += 1;
            }
            STORE_INDEX => {
                let index = at!(sp.wrapping_sub(2));
                if index >= var!(0) {
                    end!(IndexOutOfBounds)
                }
                var!(1 + index as usize) = at!(sp.wrapping_sub(1));
                sp = sp.wrapping_sub(2);
                pc += 1;
            }
            SLICE => {
                let (from, to) = (at!(sp.wrapping_sub(2)), at!(sp.wrapping_sub(1)));
                let length = at!(sp.wrapping_sub(3));
                if from > to || to > length {
                    end!(IndexOutOfBounds)
                }
                let list = sp.wrapping_sub(3 + length as usize);
                let count = (to - from) as usize;
                shift(m, list.wrapping_add(from as usize), list, count);
                sp = list.wrapping_add(count);
                at!(sp) = count as u32;
                sp = sp.wrapping_add(1);
                pc += 1;
            }
            SLICE_VAR => {
                let (from, to) = (at!(sp.wrapping_sub(2)), at!(sp.wrapping_sub(1)));
                if from > to || to > var!(0) {
                    end!(IndexOutOfBounds)
                }
                let count = (to - from) as usize;
                room!(sp + count - 1);
                sp = sp.wrapping_sub(2);
                shift(m, fp + operand!() + 1 + from as usize, sp, count);
                sp = sp.wrapping_add(count);
                at!(sp) = count as u32;
                sp = sp.wrapping_add(1);
                pc += 1;
            }
            LIST_LEN => {
                let length = at!(sp.wrapping_sub(1));
                sp = sp.wrapping_sub(length as usize);
                at!(sp.wrapping_sub(1)) = length;
                pc += 1;
            }
            RANGE_ITER => {
                sp = sp.wrapping_sub(2);
                let (a, b) = (at!(sp), at!(sp.wrapping_add(1)));
                var!(1) = a;
                var!(2) = if (a as i32) < (b as i32) { b.wrapping_sub(a) } else { 0 };
                pc += 1;
            }
            RANGE_ITER_INCLUSIVE => {
                sp = sp.wrapping_sub(2);
                let (a, b) = (at!(sp), at!(sp.wrapping_add(1)));
                var!(1) = a;
                var!(2) = if (a as i32) <= (b as i32) { b.wrapping_sub(a).saturating_add(1) } else { 0 };
                pc += 1;
            }
            FOR_RANGE => pc = if next_number!() { pc + 2 } else { second!() as usize },
            NEXT_RANGE => pc = if next_number!() { second!() as usize } else { pc + 2 },
            LIST_ITER => {
                let length = at!(sp.wrapping_sub(1));
                if length > second!() {
                    end!(CapacityExceeded)
                }
                sp = sp.wrapping_sub(1 + length as usize);
                var!(1) = 0;
                var!(2) = length;
                shift(m, sp, fp + operand!() + 3, length as usize);
                pc += 2;
            }
            FOR_LIST => pc = if next_element!() { pc + 2 } else { second!() as usize },
            NEXT_LIST => pc = if next_element!() { second!() as usize } else { pc + 2 },
            CALL => {
                if depth >= CALL_DEPTH as usize {
                    end!(RecursionTooDeep)
                }
                let Some(callee) = callees.get(operand!()) else { end!(None) };
                let frame = callee.frame as usize;
                let base = if callee.lists {
                    match place_arguments(m, sp, callee) {
                        Ok(base) => base,
                        Err(Trap::OutOfMemory) => end!(OutOfMemory),
                        Err(_) => end!(CapacityExceeded),
                    }
                } else {
                    let base = sp.wrapping_sub(callee.params as usize);
                    room!(base.wrapping_add(frame));
                    base
                };
                if F::ON {
                    let places: usize = callee.places().iter().map(|cap| 1 + usize::from(*cap)).sum();
                    if let Some(rest) = m.get_mut(base + places..base + frame) {
                        rest.fill(0);
                    }
                }
                calls[depth] = MachineCall { pc: pc + 1, fp, operation: 0 };
                depth += 1;
                if W::ON {
                    witness.called(CallEvent {
                        function: RoutineId::at(operand!()),
                        origin: base as u32,
                        depth: depth as u32,
                        left,
                        callee,
                        memory: &m[..],
                        references: 0,
                        elements: &[],
                    });
                }
                fp = base;
                sp = base + frame;
                pc = callee.address as usize;
            }
            HOLE => {
                let Some(value) = witness.hole() else { end!(Hole) };
                push!(value);
                pc += 1;
            }
            RETURN => {
                let value = at!(sp.wrapping_sub(1));
                if depth == bottom {
                    end!(value value)
                }
                if W::ON {
                    if W::READS {
                        witness.read(&[ALL; PARAMS]);
                    }
                    witness.returned(&[value], left);
                }
                depth -= 1;
                sp = fp + 1;
                at!(fp) = value;
                MachineCall { pc, fp, .. } = calls[depth];
            }
            RETURN_LIST => {
                let length = at!(sp.wrapping_sub(1));
                if length > operand!() as u32 {
                    end!(CapacityExceeded)
                }
                shift(m, sp.wrapping_sub(1 + length as usize), fp, length as usize);
                if depth == bottom {
                    end!(value length)
                }
                if W::ON {
                    if W::READS {
                        witness.read(&[ALL; PARAMS]);
                    }
                    witness.returned(m.get(fp..fp + length as usize).unwrap_or_default(), left);
                }
                depth -= 1;
                sp = fp + length as usize;
                at!(sp) = length;
                sp += 1;
                MachineCall { pc, fp, .. } = calls[depth];
            }
            _ => operations!(arithmetic),
        }
        if F::ON && off != 0 {
            let left_at = if word & 0xff == STORE_VAR { fp + operand!() } else { sp.wrapping_sub(1) };
            at!(left_at) = at!(left_at).wrapping_add(off);
        }
    }
}
