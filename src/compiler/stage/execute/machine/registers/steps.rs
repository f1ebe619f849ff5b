//! The interpreter loop of the register form.

use super::arguments::pass_reads;
use super::codes::*;
use super::powers::{quotient, remainder};
use super::{
    CALL_TOP, CALL_WITH, COPY_LIST, DIVIDE_BY_POWER, Forms, IMMEDIATE, ITERATE_LIST, LOAD_INDEX_REFERENCE,
    NEXT_OF_LIST, NEXT_OF_RANGE, Operation, PUSH, PUSH_LIST, PUSH_VALUE, REFERENCE, REMAINDER_BY_POWER,
    RETURN_VARIABLE, SET_TOP, STACK, STACK_BRANCH, TOP, immediate,
};
use crate::compiler::stage::execute::machine::lists::{place_arguments, shift};
use crate::compiler::stage::execute::machine::position::{At, PositionEnd};
use crate::compiler::stage::execute::machine::reads::ReadTracker;
use crate::compiler::stage::execute::machine::witness::{CallEvent, RunObserver};
use crate::compiler::stage::execute::machine::{MASK, MachineCall, Space, WORDS};
use crate::lang::arithmetic::{binary, operations};
use crate::lang::index::{Index, RoutineId};
use crate::lang::limits::CALL_DEPTH;
use crate::lang::opcode::number::*;
use crate::lang::trap::Trap;

impl Forms {
    /// Runs a routine from its beginning, with the same result as the stack machine: the end, and the index
    /// past the stack's top. A witness observes calls, but not steps.
    pub fn run<W: RunObserver>(
        &self,
        space: &mut Space,
        readings: &mut ReadTracker,
        routine: RoutineId,
        from: At,
        fuel: &mut u32,
        witness: &mut W,
    ) -> (PositionEnd, usize) {
        let (code, callees) = (space.code, space.callees);
        let (memory, calls) = (&mut *space.memory, &mut *space.calls);
        let operations = &self.operations[..];
        let At { mut fp, mut sp, mut depth, bottom, .. } = from;
        let mut left = *fuel;
        let mut at: usize;
        // The operation at `at`.
        let mut operation: &Operation;

        // Lets the stack machine finish the run from here.
        macro_rules! finish_on_stack_machine {
            ($routine:expr, $pc:expr) => {{
                let from = At { pc: $pc, fp, sp, depth, bottom };
                *fuel = left;
                return self.finish_on_stack_machine(space, readings, ($routine, from), fuel, witness);
            }};
        }
        // Continues at the block that begins with an operation, and pays for the block.
        macro_rules! go {
            ($to:expr) => {{
                at = $to as usize;
                let Some(next) = operations.get(at) else { finish_on_stack_machine!(None, usize::MAX) };
                if left < next.cost {
                    let from = At { pc: at, fp, sp, depth, bottom };
                    *fuel = left;
                    return self.finish_block_on_stack_machine(space, readings, from, fuel, witness);
                }
                left -= next.cost;
                operation = next;
                continue;
            }};
        }
        macro_rules! enter {
            ($function:expr, $callee:ident) => {{
                let function = RoutineId::new($function);
                let Some(entry) = self.entry(function, fp) else {
                    finish_on_stack_machine!(Some(function), $callee.address as usize)
                };
                go!(entry.first)
            }};
        }
        macro_rules! trap {
            ($trap:expr) => {{
                *fuel = left;
                return (self.trap($trap, at, callees, fuel), sp);
            }};
        }
        macro_rules! attempt {
            ($result:expr) => {
                match $result {
                    Ok(result) => result,
                    Err(trap) => trap!(trap),
                }
            };
        }
        macro_rules! register {
            ($offset:expr) => {
                memory.words[(fp + $offset as usize) & MASK]
            };
        }
        // The second operand: a register or an immediate value.
        macro_rules! second {
            ($operation:ident) => {
                match u32::from($operation.code) & IMMEDIATE {
                    0 => register!($operation.b),
                    _ => $operation.b,
                }
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
        // Starts the next iteration of a loop, whose body is the block at operation `$round`, or leaves the loop.
        macro_rules! for_range {
            ($operation:ident, $round:expr, $exit:expr) => {{
                let rounds = register!($operation.a + 2);
                if rounds == 0 {
                    go!($exit)
                }
                let next = register!($operation.a + 1);
                register!($operation.a) = next;
                register!($operation.a + 1) = next.wrapping_add(1);
                register!($operation.a + 2) = rounds - 1;
                go!($round)
            }};
        }
        macro_rules! for_list {
            ($operation:ident, $round:expr, $exit:expr) => {{
                let index = register!($operation.a + 1);
                if index == register!($operation.a + 2) {
                    go!($exit)
                }
                register!($operation.a) = register!($operation.a as usize + 3 + index as usize);
                register!($operation.a + 1) = index.wrapping_add(1);
                go!($round)
            }};
        }
        // Charges a step for the loop's own instruction: operation `b`, a block of its own.
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
                let Some($callee) = callees.get($operation.b as usize) else {
                    finish_on_stack_machine!(None, usize::MAX)
                };
                if W::READS {
                    readings.open(depth + 1, self.references(RoutineId::new($operation.b)), $callee);
                }
                let base = $base;
                if base + $callee.frame as usize > WORDS {
                    trap!(Trap::OutOfMemory)
                }
                calls[depth] = MachineCall { pc: usize::MAX, fp, operation: $behind };
                depth += 1;
                if W::ON {
                    // A call ends its block, so the number of steps left is exact.
                    let (function, elements) = (RoutineId::new($operation.b), &memory.elements[..]);
                    let (references, memory) = (self.references(function), &memory.words[..]);
                    let (origin, depth, callee) = (base as u32, depth as u32, $callee);
                    witness.called(CallEvent {
                        function,
                        origin,
                        depth,
                        left,
                        callee,
                        memory,
                        references,
                        elements,
                    });
                }
                (fp, sp) = (base, base + $callee.frame as usize);
                enter!($operation.b, $callee)
            }};
        }
        // Ends the run, or reports the end of a call to the witness.
        macro_rules! ends {
            ($value:expr, $words:expr) => {{
                if depth == bottom {
                    *fuel = left;
                    return (PositionEnd { trap: Trap::None, value: $value, address: 0 }, sp);
                }
                if W::ON {
                    if W::READS {
                        witness.read(readings.of(depth));
                    }
                    witness.returned($words, left);
                }
            }};
        }
        macro_rules! back {
            () => {{
                if W::READS {
                    readings.close(depth);
                }
                depth -= 1;
                let MachineCall { fp: before, operation, .. } = calls[depth];
                fp = before;
                go!(operation)
            }};
        }

        // Index of the elements of a list variable, and its length. All elements count as read.
        macro_rules! list {
            ($operation:ident) => {{
                if W::READS && $operation.a & REFERENCE != 0 {
                    readings.read_all(depth, $operation.param);
                }
                memory.list(fp, $operation)
            }};
        }
        // Returns the list at an index of memory from the call.
        macro_rules! give_list {
            ($operation:ident, $length:ident, $from:expr) => {{
                if $length > $operation.b {
                    trap!(Trap::CapacityExceeded)
                }
                shift(&mut memory.words, $from, fp, $length as usize);
                ends!($length, memory.words.get(fp..fp + $length as usize).unwrap_or_default());
                sp = fp + $length as usize;
                memory.words[sp & MASK] = $length;
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
                            register!(operation.to) = quotient(register!(operation.a), operation.b);
                        }
                        REMAINDER_BY_POWER => {
                            register!(operation.to) = remainder(register!(operation.a), operation.b);
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
                            let index = second!(operation);
                            if index >= register!(operation.a) {
                                trap!(Trap::IndexOutOfBounds)
                            }
                            register!(operation.to) = register!(operation.a as usize + 1 + index as usize);
                        }
                        LOAD_INDEX_REFERENCE | LOAD_INDEX_REFERENCE_IMMEDIATE => {
                            let index = second!(operation);
                            if index >= register!(operation.a) {
                                trap!(Trap::IndexOutOfBounds)
                            }
                            if W::READS {
                                readings.read(depth, operation.param, index);
                            }
                            let from = usize::from(memory.elements[(fp + operation.a as usize) & MASK]);
                            register!(operation.to) = memory.words[(from + index as usize) & MASK];
                        }
                        STORE_INDEX | STORE_INDEX_IMMEDIATE => {
                            let value = second!(operation);
                            let index = register!(operation.a);
                            if index >= register!(operation.to) {
                                trap!(Trap::IndexOutOfBounds)
                            }
                            register!(operation.to as usize + 1 + index as usize) = value;
                        }
                        RANGE_ITER | RANGE_IMMEDIATE | RANGE_ITER_INCLUSIVE | RANGE_INCLUSIVE_IMMEDIATE => {
                            let end = second!(operation);
                            let begin = register!(operation.a);
                            let (low, high) = (begin as i32, end as i32);
                            register!(operation.to + 1) = begin;
                            register!(operation.to + 2) = match u32::from(operation.code) & !IMMEDIATE {
                                RANGE_ITER if low < high => end.wrapping_sub(begin),
                                RANGE_ITER_INCLUSIVE if low <= high => end.wrapping_sub(begin).saturating_add(1),
                                _ => 0,
                            };
                        }
                        FOR_RANGE => for_range!(operation, operation.b, operation.to),
                        FOR_LIST => for_list!(operation, operation.b, operation.to),
                        NEXT_OF_RANGE => {
                            again!(operation);
                            for_range!(operation, operation.b + 1, operation.to)
                        }
                        NEXT_OF_LIST => {
                            again!(operation);
                            for_list!(operation, operation.b + 1, operation.to)
                        }
                        CALL => call!(operation, callee, at + 1, fp + operation.a as usize),
                        CALL_TOP => call!(operation, callee, at + 1, {
                            let base = match callee.lists {
                                true => attempt!(place_arguments(&mut memory.words, sp, callee)),
                                false => sp.wrapping_sub(callee.params as usize),
                            };
                            memory.reference_own_places(self.references(RoutineId::new(operation.b)), base, callee);
                            base
                        }),
                        CALL_WITH => {
                            let behind = at + 1 + operation.to as usize;
                            let arguments = operations.get(at + 1..behind).unwrap_or_default();
                            let base = fp + operation.a as usize;
                            let references = self.references(RoutineId::new(operation.b));
                            call!(operation, callee, behind, {
                                if W::READS {
                                    pass_reads(readings, depth, references, arguments);
                                }
                                attempt!(memory.pass(fp, arguments, (callee, references, base)));
                                base
                            })
                        }
                        RETURN_VARIABLE => {
                            let (from, length) = list!(operation);
                            give_list!(operation, length, from)
                        }
                        COPY_LIST | ITERATE_LIST => {
                            let (from, length) = list!(operation);
                            if length > operation.b {
                                trap!(Trap::CapacityExceeded)
                            }
                            let to = fp + operation.to as usize;
                            let to = if u32::from(operation.code) == COPY_LIST { to } else { to + 2 };
                            shift(&mut memory.words, from, to + 1, length as usize);
                            memory.words[to & MASK] = length;
                            if u32::from(operation.code) == ITERATE_LIST {
                                memory.words[(to - 1) & MASK] = 0;
                            }
                        }
                        SET_TOP => sp = fp + operation.a as usize,
                        PUSH | PUSH_VALUE => {
                            let value = u32::from(operation.code) == PUSH_VALUE;
                            memory.words[sp & MASK] = if value { operation.b } else { register!(operation.a) };
                            sp += 1;
                        }
                        PUSH_LIST => {
                            let (from, length) = list!(operation);
                            shift(&mut memory.words, from, sp, length as usize);
                            sp += length as usize;
                            memory.words[sp & MASK] = length;
                            sp += 1;
                        }
                        RETURN | RETURN_IMMEDIATE => {
                            let value = second!(operation);
                            ends!(value, &[value]);
                            memory.words[fp & MASK] = value;
                            sp = fp + 1;
                            back!()
                        }
                        RETURN_LIST => {
                            let length = memory.words[sp.wrapping_sub(1) & MASK];
                            give_list!(operation, length, sp.wrapping_sub(1 + length as usize))
                        }
                        HOLE => trap!(Trap::Hole),
                        STACK => {
                            if operation.a != TOP {
                                sp = fp + operation.a as usize;
                            }
                            let from = At { pc: at, fp, sp, depth, bottom };
                            let space = &mut Space { code, callees, memory: &mut *memory, calls: &mut *calls };
                            *fuel = left;
                            let (end, top) = self.stack(space, from, operation.b, fuel);
                            if end.trap != Trap::StepLimit {
                                return (end, top);
                            }
                            sp = top;
                        }
                        STACK_BRANCH => {
                            let from = At { pc: at, fp, sp, depth, bottom };
                            let space = &mut Space { code, callees, memory: &mut *memory, calls: &mut *calls };
                            let (jumps, top) = self.stack_branch(space, from);
                            sp = top;
                            if jumps {
                                go!(operation.to)
                            }
                            go!(at + 1)
                        }
                        _ => finish_on_stack_machine!(None, usize::MAX),
                    }
                    at += 1;
                    let Some(next) = operations.get(at) else { finish_on_stack_machine!(None, usize::MAX) };
                    operation = next;
                }
            };
        }
        if let (true, Some(callee)) = (W::READS, callees.get(routine.position())) {
            readings.open(depth, self.references(routine), callee);
        }
        let own = callees.get(routine.position()).zip(self.entry(routine, fp));
        let Some((callee, entry)) = own else { finish_on_stack_machine!(None, from.pc) };
        memory.reference_own_places(entry.references, fp, callee);
        at = entry.first as usize;
        match operations.get(at) {
            Some(first) if first.cost <= left => (left, operation) = (left - first.cost, first),
            _ => finish_on_stack_machine!(None, from.pc),
        }
        operations!(run)
    }
}
