//! The loop over operations.

use super::immediate;
use super::{
    BRANCH, CALL_TOP, CALL_WITH, COPY_LIST, DIVIDE_BY_POWER, Forms, IMMEDIATE, ITERATE_LIST, NEXT_OF_LIST,
    NEXT_OF_RANGE, Note, Operation, PUSH, PUSH_LIST, PUSH_VALUE, REMAINDER_BY_POWER, RETURN_VARIABLE, SET_TOP,
    STACK, STACK_BRANCH, TOP,
};
use crate::lang::NONE;
use crate::lang::arithmetic::{binary, operations};
use crate::lang::limits::CALL_DEPTH;
use crate::lang::opcode::number::*;
use crate::lang::trap::Trap;
use crate::stage::execute::machine::faults::Faultless;
use crate::stage::execute::machine::lists::{place_arguments, shift};
use crate::stage::execute::machine::steps::{At, End, steps};
use crate::stage::execute::machine::witness::{Called, Nobody, Witness};
use crate::stage::execute::machine::{Call, Callee, MASK, Memory, Space, WORDS};

/// Comparisons that branch, with a register and with a value on the right.
macro_rules! branches {
    ($($name:ident),*) => {
        mod branch {
            use crate::lang::opcode::number;
            $(pub const $name: u32 = number::$name | super::BRANCH;)*
        }
        mod branch_immediate {
            use crate::lang::opcode::number;
            $(pub const $name: u32 = number::$name | super::BRANCH | super::IMMEDIATE;)*
        }
    };
}
branches!(COMPARE_EQ, COMPARE_NE, COMPARE_LT, COMPARE_LE, COMPARE_GT, COMPARE_GE);

const LOAD_INDEX_IMMEDIATE: u32 = LOAD_INDEX_VAR | IMMEDIATE;
const STORE_INDEX_IMMEDIATE: u32 = STORE_INDEX | IMMEDIATE;
const RANGE_IMMEDIATE: u32 = RANGE_ITER | IMMEDIATE;
const RANGE_INCLUSIVE_IMMEDIATE: u32 = RANGE_ITER_INCLUSIVE | IMMEDIATE;
const RETURN_IMMEDIATE: u32 = RETURN | IMMEDIATE;

impl Forms {
    /// Runs a routine from its begin, as the stack machine does from there: how that ended, and where the stack's top is then. A witness is told
    /// of calls, not of steps.
    pub fn run<W: Witness>(
        &self,
        space: &mut Space,
        routine: u32,
        from: At,
        fuel: &mut u32,
        witness: &mut W,
    ) -> (End, usize) {
        let Space { code, callees, memory: m, calls } = space;
        let (code, callees): (&[u32], &[Callee]) = (code, callees);
        let (operations, notes) = (&self.operations[..], &self.notes[..]);
        let At { mut fp, mut sp, mut depth, bottom, .. } = from;
        let mut left = *fuel;
        let mut at: usize;
        // The one at `at`.
        let mut operation: &Operation;

        macro_rules! stack_machine {
            ($pc:expr, $fuel:expr, $witness:expr) => {{
                let from = At { pc: $pc, fp, sp, depth, bottom };
                let space = &mut Space { code, callees, memory: m, calls };
                steps(space, from, $fuel, &mut Faultless, $witness)
            }};
        }
        // The stack machine goes on from here to the end of the run.
        macro_rules! hand_over {
            ($pc:expr) => {{
                let pc = $pc;
                // Calls have noted operations: it goes on behind their instructions.
                for call in &mut calls[bottom..depth] {
                    call.pc =
                        notes.get(call.operation).map_or(usize::MAX, |note| note.address(callees, note.begin));
                }
                *fuel = left;
                return stack_machine!(pc, fuel, witness);
            }};
        }
        // To the block that begins with an operation, which is paid for.
        macro_rules! go {
            ($to:expr) => {{
                at = $to as usize;
                let Some(next) = operations.get(at) else { hand_over!(usize::MAX) };
                if left < next.cost {
                    let note = notes[at];
                    if note.top != TOP {
                        sp = fp + note.top as usize;
                    }
                    hand_over!(note.address(callees, note.begin))
                }
                left -= next.cost;
                operation = next;
                continue;
            }};
        }
        macro_rules! enter {
            ($function:expr) => {{
                let function = $function;
                let Some(entry) = self.entries.get(function as usize) else { hand_over!(usize::MAX) };
                if entry.first == NONE || fp + entry.reach as usize > WORDS {
                    hand_over!(callees[function as usize].address as usize)
                }
                go!(entry.first)
            }};
        }
        macro_rules! trap {
            ($trap:expr) => {{
                let note = notes[at];
                *fuel = left + note.rest;
                let address = note.address(callees, note.pc);
                return (End { trap: $trap, value: 0, address }, sp);
            }};
        }
        macro_rules! register {
            ($offset:expr) => {
                m[(fp + $offset as usize) & MASK]
            };
        }
        macro_rules! branch {
            ($operation:ident, $comparison:ident, $right:expr) => {{
                let (x, y) = (register!($operation.a), $right);
                if binary($comparison, x, y) == Ok(1) {
                    go!($operation.to)
                }
                go!(at + 1)
            }};
        }
        // The next round of a loop, whose block begins at an operation.
        macro_rules! for_range {
            ($operation:ident, $round:expr) => {{
                let rounds = register!($operation.a + 2);
                if rounds == 0 {
                    go!($operation.to)
                }
                let next = register!($operation.a + 1);
                register!($operation.a) = next;
                register!($operation.a + 1) = next.wrapping_add(1);
                register!($operation.a + 2) = rounds - 1;
                go!($round)
            }};
        }
        macro_rules! for_list {
            ($operation:ident, $round:expr) => {{
                let index = register!($operation.a + 1);
                if index == register!($operation.a + 2) {
                    go!($operation.to)
                }
                register!($operation.a) = register!($operation.a as usize + 3 + index as usize);
                register!($operation.a + 1) = index.wrapping_add(1);
                go!($round)
            }};
        }
        // Pays for the loop's own instruction, the one at `b`, which is a block by itself.
        macro_rules! again {
            ($operation:ident) => {{
                if left == 0 {
                    go!($operation.b)
                }
                left -= 1;
            }};
        }
        macro_rules! call {
            ($operation:ident, $callee:ident, $behind:expr, $base:expr) => {{
                if depth >= CALL_DEPTH as usize {
                    trap!(Trap::RecursionTooDeep)
                }
                let Some($callee) = callees.get($operation.b as usize) else { hand_over!(usize::MAX) };
                let base = $base;
                if base + $callee.frame as usize > WORDS {
                    trap!(Trap::OutOfMemory)
                }
                calls[depth] = Call { pc: usize::MAX, fp, operation: $behind };
                depth += 1;
                if W::ON {
                    // A call ends its block, so what is left is so to the step.
                    witness.called(Called::new($operation.b, $callee, &m[..], (base, depth, left)));
                }
                (fp, sp) = (base, base + $callee.frame as usize);
                enter!($operation.b)
            }};
        }
        macro_rules! back {
            () => {{
                depth -= 1;
                let Call { fp: before, operation, .. } = calls[depth];
                fp = before;
                go!(operation)
            }};
        }

        // A list that begins at a place of the memory is the call's result.
        macro_rules! give_list {
            ($operation:ident, $length:ident, $from:expr) => {{
                if $length > $operation.b {
                    trap!(Trap::CapacityExceeded)
                }
                shift(m, $from, fp, $length as usize);
                if depth == bottom {
                    *fuel = left;
                    return (End { trap: Trap::None, value: $length, address: 0 }, sp);
                }
                if W::ON {
                    witness.returned(m.get(fp..fp + $length as usize).unwrap_or_default(), left);
                }
                sp = fp + $length as usize;
                m[sp & MASK] = $length;
                sp += 1;
                back!()
            }};
        }

        macro_rules! run {
            (
                ($a:ident) $($unary:ident => $of_one:expr;)*
                ($x:ident $y:ident) $($binary:ident => $of_two:expr $(, $trap:ident if $when:expr)?;)*
            ) => {
                loop {
                    match u32::from(operation.code) {
                        LOAD_CONST => register!(operation.to) = operation.b,
                        LOAD_VAR => register!(operation.to) = register!(operation.a),
                        $($unary => {
                            let $a = register!(operation.a) as i32;
                            register!(operation.to) = ($of_one) as u32;
                        })*
                        $($binary => {
                            let ($x, $y) = (register!(operation.a) as i32, register!(operation.b) as i32);
                            $(if $when {
                                trap!(Trap::$trap)
                            })?
                            register!(operation.to) = ($of_two) as u32;
                        })*
                        $(immediate::$binary => {
                            let ($x, $y) = (register!(operation.a) as i32, operation.b as i32);
                            $(if $when {
                                trap!(Trap::$trap)
                            })?
                            register!(operation.to) = ($of_two) as u32;
                        })*
                        branch::COMPARE_EQ => branch!(operation, COMPARE_EQ, register!(operation.b)),
                        branch::COMPARE_NE => branch!(operation, COMPARE_NE, register!(operation.b)),
                        branch::COMPARE_LT => branch!(operation, COMPARE_LT, register!(operation.b)),
                        branch::COMPARE_LE => branch!(operation, COMPARE_LE, register!(operation.b)),
                        branch::COMPARE_GT => branch!(operation, COMPARE_GT, register!(operation.b)),
                        branch::COMPARE_GE => branch!(operation, COMPARE_GE, register!(operation.b)),
                        branch_immediate::COMPARE_EQ => branch!(operation, COMPARE_EQ, operation.b),
                        branch_immediate::COMPARE_NE => branch!(operation, COMPARE_NE, operation.b),
                        branch_immediate::COMPARE_LT => branch!(operation, COMPARE_LT, operation.b),
                        branch_immediate::COMPARE_LE => branch!(operation, COMPARE_LE, operation.b),
                        branch_immediate::COMPARE_GT => branch!(operation, COMPARE_GT, operation.b),
                        branch_immediate::COMPARE_GE => branch!(operation, COMPARE_GE, operation.b),
                        DIVIDE_BY_POWER => {
                            let x = register!(operation.a);
                            let more = (x as i32 >> 31) as u32 & operation.b;
                            let bits = operation.b.count_ones();
                            register!(operation.to) = (x.wrapping_add(more) as i32 >> bits) as u32;
                        }
                        REMAINDER_BY_POWER => {
                            let x = register!(operation.a);
                            let more = (x as i32 >> 31) as u32 & operation.b;
                            register!(operation.to) = (x.wrapping_add(more) & operation.b).wrapping_sub(more);
                        }
                        JUMP => go!(operation.to),
                        JUMP_IF_FALSE | JUMP_IF_FALSE_OR_POP => {
                            if register!(operation.a) == 0 {
                                go!(operation.to)
                            }
                            go!(at + 1)
                        }
                        JUMP_IF_TRUE | JUMP_IF_TRUE_OR_POP => {
                            if register!(operation.a) != 0 {
                                go!(operation.to)
                            }
                            go!(at + 1)
                        }
                        LOAD_INDEX_VAR | LOAD_INDEX_IMMEDIATE => {
                            let immediate = u32::from(operation.code) & IMMEDIATE != 0;
                            let index = if immediate { operation.b } else { register!(operation.b) };
                            if index >= register!(operation.a) {
                                trap!(Trap::IndexOutOfBounds)
                            }
                            register!(operation.to) = register!(operation.a as usize + 1 + index as usize);
                        }
                        STORE_INDEX | STORE_INDEX_IMMEDIATE => {
                            let immediate = u32::from(operation.code) & IMMEDIATE != 0;
                            let value = if immediate { operation.b } else { register!(operation.b) };
                            let index = register!(operation.a);
                            if index >= register!(operation.to) {
                                trap!(Trap::IndexOutOfBounds)
                            }
                            register!(operation.to as usize + 1 + index as usize) = value;
                        }
                        RANGE_ITER | RANGE_IMMEDIATE | RANGE_ITER_INCLUSIVE | RANGE_INCLUSIVE_IMMEDIATE => {
                            let immediate = u32::from(operation.code) & IMMEDIATE != 0;
                            let end = if immediate { operation.b } else { register!(operation.b) };
                            let begin = register!(operation.a);
                            let (low, high) = (begin as i32, end as i32);
                            register!(operation.to + 1) = begin;
                            register!(operation.to + 2) = match u32::from(operation.code) & !IMMEDIATE {
                                RANGE_ITER if low < high => end.wrapping_sub(begin),
                                RANGE_ITER_INCLUSIVE if low <= high => end.wrapping_sub(begin).saturating_add(1),
                                _ => 0,
                            };
                        }
                        FOR_RANGE => for_range!(operation, at + 1),
                        FOR_LIST => for_list!(operation, at + 1),
                        NEXT_OF_RANGE => {
                            again!(operation);
                            for_range!(operation, operation.b + 1)
                        }
                        NEXT_OF_LIST => {
                            again!(operation);
                            for_list!(operation, operation.b + 1)
                        }
                        CALL => call!(operation, callee, at + 1, fp + operation.a as usize),
                        CALL_TOP => call!(operation, callee, at + 1, match callee.lists {
                            true => match place_arguments(m, sp, callee) {
                                Ok(base) => base,
                                Err(trap) => trap!(trap),
                            },
                            false => sp.wrapping_sub(callee.params as usize),
                        }),
                        CALL_WITH => {
                            let behind = at + 1 + operation.to as usize;
                            let arguments = operations.get(at + 1..behind).unwrap_or_default();
                            let base = fp + operation.a as usize;
                            call!(operation, callee, behind, match pass(m, fp, base, callee, arguments) {
                                Ok(()) => base,
                                Err(trap) => trap!(trap),
                            })
                        }
                        RETURN_VARIABLE => {
                            let length = register!(operation.a);
                            give_list!(operation, length, fp + operation.a as usize + 1)
                        }
                        COPY_LIST | ITERATE_LIST => {
                            let length = register!(operation.a);
                            if length > operation.b {
                                trap!(Trap::CapacityExceeded)
                            }
                            let (from, to) = (fp + operation.a as usize + 1, fp + operation.to as usize);
                            if u32::from(operation.code) == COPY_LIST {
                                shift(m, from, to + 1, length as usize);
                                m[to & MASK] = length;
                            } else {
                                shift(m, from, to + 3, length as usize);
                                (m[(to + 1) & MASK], m[(to + 2) & MASK]) = (0, length);
                            }
                        }
                        SET_TOP => sp = fp + operation.a as usize,
                        PUSH | PUSH_VALUE => {
                            let value = u32::from(operation.code) == PUSH_VALUE;
                            m[sp & MASK] = if value { operation.b } else { register!(operation.a) };
                            sp += 1;
                        }
                        PUSH_LIST => {
                            let length = register!(operation.a) as usize;
                            shift(m, fp + operation.a as usize + 1, sp, length);
                            sp += length;
                            m[sp & MASK] = length as u32;
                            sp += 1;
                        }
                        RETURN | RETURN_IMMEDIATE => {
                            let immediate = u32::from(operation.code) & IMMEDIATE != 0;
                            let value = if immediate { operation.b } else { register!(operation.b) };
                            if depth == bottom {
                                *fuel = left;
                                return (End { trap: Trap::None, value, address: 0 }, sp);
                            }
                            if W::ON {
                                witness.returned(&[value], left);
                            }
                            m[fp & MASK] = value;
                            sp = fp + 1;
                            back!()
                        }
                        RETURN_LIST => {
                            let length = m[sp.wrapping_sub(1) & MASK];
                            give_list!(operation, length, sp.wrapping_sub(1 + length as usize))
                        }
                        STACK => {
                            if operation.a != TOP {
                                sp = fp + operation.a as usize;
                            }
                            let (note, mut rest) = (notes[at], operation.b);
                            let (end, top) = stack_machine!(note.address(callees, note.pc), &mut rest, &mut Nobody);
                            sp = top;
                            if end.trap != Trap::StepLimit {
                                // The instructions behind were paid for, too.
                                *fuel = left + note.rest + 1 - operation.b + rest;
                                return (end, sp);
                            }
                        }
                        STACK_BRANCH => {
                            let note = notes[at];
                            let pc = note.address(callees, note.pc);
                            let (end, top) = stack_machine!(pc, &mut 1, &mut Nobody);
                            sp = top;
                            if end.address == pc + 1 {
                                go!(at + 1)
                            }
                            go!(operation.to)
                        }
                        _ => hand_over!(usize::MAX),
                    }
                    at += 1;
                    operation = match operations.get(at) {
                        Some(next) => next,
                        None => hand_over!(usize::MAX),
                    };
                }
            };
        }
        // A routine without a form, or without room for its operands, is the stack machine's from the start.
        match self.entries.get(routine as usize) {
            Some(entry) if entry.first != NONE && fp + entry.reach as usize <= WORDS => {
                at = entry.first as usize;
                match operations.get(at) {
                    Some(first) if first.cost <= left => (left, operation) = (left - first.cost, first),
                    _ => hand_over!(from.pc),
                }
            }
            _ => hand_over!(from.pc),
        }
        operations!(run)
    }
}

impl Note {
    /// Where an instruction of its routine stands in the code.
    fn address(&self, callees: &[Callee], pc: u32) -> usize {
        callees.get(self.routine as usize).map_or(usize::MAX, |callee| (callee.address + pc) as usize)
    }
}

/// Passes a call's arguments from the caller's frame to the callee's, which begins at `base`, behind all of them.
fn pass(m: &mut Memory, fp: usize, base: usize, callee: &Callee, arguments: &[Operation]) -> Result<(), Trap> {
    let places = || arguments.iter().zip(&callee.caps);
    let longer = |(argument, capacity): (&Operation, &u8)| {
        *capacity > 0 && m[(fp + argument.a as usize) & MASK] > u32::from(*capacity)
    };
    if places().any(longer) {
        return Err(Trap::CapacityExceeded);
    }
    if base + callee.frame as usize > WORDS {
        return Err(Trap::OutOfMemory);
    }
    let mut to = base;
    for (argument, capacity) in places() {
        let from = fp + argument.a as usize;
        m[to & MASK] = if u32::from(argument.code) == PUSH_VALUE { argument.b } else { m[from & MASK] };
        if *capacity > 0 {
            shift(m, from + 1, to + 1, m[from & MASK] as usize);
        }
        to += 1 + usize::from(*capacity);
    }
    Ok(())
}
