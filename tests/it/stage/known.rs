//! What only the processor does at level 2: values that data flow knows, and copies of short code.

use crate::common::compile::compile_at;
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::optimize;
use myriad::engine::cpu::call;
use myriad::lang::index::{Index, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::lang::opcode::Op;
use myriad::lang::trap::Trap;

/// The operations of the first function at level 2.
fn ops(text: &str) -> Vec<Op> {
    let program = compile_at(OptLevel::Whole, text);
    assert!(program.facts.compiles(), "{text}");
    of(&program, 0)
}

fn of(program: &Compiled, routine: usize) -> Vec<Op> {
    let begins = &program.executable.routines.ir;
    let from = begins[routine];
    let end = begins.iter().copied().filter(|at| *at > from).min().unwrap_or(program.ir.op.len() as u32);
    (from..end).filter_map(|i| Op::from_u32(program.ir.op[i as usize])).collect()
}

fn count(ops: &[Op], op: Op) -> usize {
    ops.iter().filter(|own| **own == op).count()
}

#[test]
fn value_that_a_variable_holds_is_not_computed_again() {
    let held = ops("fn f(a: int, b: int) -> int { let s = a * b; if s > 9 { return a * b; } return s + a; }");
    assert_eq!(count(&held, Op::Mul), 1, "{held:?}");
    let stored = ops(
        "fn f(a: int, b: int) -> int { let s = a * b; if s > 9 { a = 2; } if b > s { return a * b; } return s; }",
    );
    assert_eq!(count(&stored, Op::Mul), 2, "one path has stored an operand: {stored:?}");
    let one = ops(
        "fn f(a: int, b: int) -> int { let s = 0; if a > 9 { s = a * b; } if b > a { return a * b; } return s; }",
    );
    assert_eq!(count(&one, Op::Mul), 2, "one path has not computed it: {one:?}");
}

#[test]
fn tested_call_is_not_made_again() {
    let text = "fn f(n: int) -> int { if n < 2 { return n; } return f(n - 1) + f(n - 2); }
        fn g(n: int) -> bool { return f(n) > 3 && (f(n) <= 3 || n > 4); }";
    let program = compile_at(OptLevel::Whole, text);
    assert_eq!(count(&of(&program, 1), Op::Call), 1, "{:?}", of(&program, 1));
}

#[test]
fn ranges_decide_conditions() {
    let text =
        "fn f(xs: [int; 8]) -> int { let s = 0; for i in 1..len(xs) { if i > 0 { s += xs[i]; } } return s; }";
    let decided = ops(text);
    assert_eq!(count(&decided, Op::Gt) + count(&decided, Op::Le), 0, "{decided:?}");
    let open = ops(&text.replace("i > 0", "i > 1"));
    assert_eq!(count(&open, Op::Gt) + count(&open, Op::Le), 1, "{open:?}");
}

#[test]
fn stores_that_nothing_reads_go_unless_their_value_may_trap() {
    let dead = ops("fn f(a: int) -> int { let b = a * 3; if a > 2 { b = a + 7; } return a; }");
    assert_eq!(count(&dead, Op::StoreVar), 0, "{dead:?}");
    let traps = "fn f(a: int) -> int { let b = 7 / a; return a; }";
    let program = compile_at(OptLevel::Whole, traps);
    let found = call(&mut Default::default(), &program.executable, RoutineId::new(0), &[0]);
    assert_eq!(found.trap, Trap::DivideByZero);
}

/// The store is not live either once the load of its value is gone.
#[test]
fn value_of_a_dropped_copy_does_not_stay_on_the_stack() {
    let text =
        "fn f(a: int) -> int { for i in 0..a & 3 { let b = int(i > 1 || a == 2); let c = b; } return 65535; }
        fn g(a: int) -> bool { return 9 == 2 * f(a) - 131061; }";
    let program = compile_at(OptLevel::Whole, text);
    let found = call(&mut Default::default(), &program.executable, RoutineId::new(1), &[3]);
    assert_eq!((found.trap, found.value), (Trap::None, vec![1]));
}

#[test]
fn copies_of_lists_are_read_from_where_they_come_from() {
    let text =
        "fn f(xs: [int; 4]) -> int { let ys = xs; let a = ys[0]; if a > 3 { return ys[0]; } return len(ys); }";
    let read = ops(text);
    assert_eq!((count(&read, Op::StoreList), count(&read, Op::LoadIndexVar)), (0, 1), "{read:?}");
    let program = compile_at(OptLevel::Whole, text);
    for (words, expected) in [([2, 7, 5], 7), ([2, 3, 5], 2)] {
        let found = call(&mut Default::default(), &program.executable, RoutineId::new(0), &words);
        assert_eq!((found.trap, found.value), (Trap::None, vec![expected]));
    }
}

#[test]
fn jump_to_short_code_becomes_a_copy() {
    let text = "fn f(n: int) -> int { let s = 1; if n < 0 { s = -1; } else { s = n; } return s * 7; }";
    let copied = ops(text);
    assert_eq!((count(&copied, Op::Jump), count(&copied, Op::Return)), (0, 2), "{copied:?}");
}

/// A device's code of level 2, completed on the processor, is the processor's.
#[test]
fn refined_code_is_that_of_level_2() {
    for (name, text) in crate::common::cases::programs(&["samples"]) {
        let expected = compile_at(OptLevel::Whole, &text);
        let mut program =
            crate::common::twins::device_at(OptLevel::Whole, &text, myriad::compiler::stage::Stage::Emit);
        optimize::refine(&mut program, &mut Default::default());
        assert_eq!(program.ir, expected.ir, "{name}");
    }
}
