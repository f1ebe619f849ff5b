//! Every operation on ints and bools has the same result at the edges of its operands: as a constant in check,
//! folded by the optimizer, executed by both machines, and in the table.

use std::fmt::Write;

use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, EntryResult};
use myriad::lang::arithmetic;
use myriad::lang::opcode::{Class, Op, OperandSource};
use myriad::lang::token::BUILTINS;
use myriad::lang::trap::Trap;
use myriad::lang::verdict::Outcome;

const INTS: [i32; 7] = [0, 1, -1, 2, 33, i32::MAX, i32::MIN];

/// Formats a binary operation on literals or on names.
fn binary(op: Op, a: &str, b: &str) -> String {
    match op.source() {
        OperandSource::Builtin(name) => format!("{}({a}, {b})", BUILTINS[name as usize]),
        OperandSource::Infix(kind) => format!("{a} {} {b}", kind.spelling().expect("an operator is spelled")),
        other => panic!("{} stands for {other:?}", op.name()),
    }
}

fn unary(op: Op, a: &str) -> String {
    match op.source() {
        OperandSource::Builtin(name) => format!("{}({a})", BUILTINS[name as usize]),
        OperandSource::Prefix(kind) => format!("{} {a}", kind.spelling().expect("an operator is spelled")),
        other => panic!("{} stands for {other:?}", op.name()),
    }
}

/// The program for one operation, with the expected outcomes of its tests.
#[derive(Default)]
struct Page {
    text: String,
    expected: Vec<Outcome>,
}

impl Page {
    /// Adds tests of one case: the operation called, folded and, where allowed, as a constant.
    fn case(&mut self, op: Op, number: usize, call: &str, literal: &str, value: Result<u32, Trap>) {
        let boolean =
            op == Op::Not || matches!(op.source(), OperandSource::Infix(kind) if kind.is_comparison());
        let (ty, constant) =
            (if boolean { "bool" } else { "int" }, !matches!(op.source(), OperandSource::Builtin(_)));
        let outcome = value.map_or_else(Outcome::Trap, |_| Outcome::Pass);
        let value = value.unwrap_or(0);
        let value = if boolean { (value != 0).to_string() } else { format!("({})", value as i32) };
        let mut test = |expression: &str| {
            let _ = writeln!(self.text, "test ({expression}) == {value};");
            self.expected.push(outcome);
        };
        test(call);
        test(&format!("folded{number}()"));
        if constant && outcome == Outcome::Pass {
            test(&format!("C{number}"));
            let _ = writeln!(self.text, "const C{number} = {literal};");
        }
        let _ = writeln!(self.text, "fn folded{number}() -> {ty} {{ return {literal}; }}");
    }

    fn of(op: Op) -> Page {
        let mut page = Page::default();
        let int = |n: i32| format!("({n})");
        match op.class() {
            Class::Binary => {
                let compares = matches!(op.source(), OperandSource::Infix(kind) if kind.is_comparison());
                let ty = if compares { "bool" } else { "int" };
                page.text = format!("fn f(a: int, b: int) -> {ty} {{ return {}; }}\n", binary(op, "a", "b"));
                for (number, (a, b)) in INTS.iter().flat_map(|a| INTS.map(|b| (*a, b))).enumerate() {
                    let value = arithmetic::binary(op as u32, a as u32, b as u32);
                    page.case(op, number, &format!("f({a}, {b})"), &binary(op, &int(a), &int(b)), value);
                }
            }
            _ if op == Op::Not => {
                page.text = "fn f(a: bool) -> bool { return !a; }\n".into();
                for a in [false, true] {
                    let value = Ok(arithmetic::unary(op as u32, a as u32));
                    page.case(op, a as usize, &format!("f({a})"), &format!("!{a}"), value);
                }
            }
            _ => {
                page.text = format!("fn f(a: int) -> int {{ return {}; }}\n", unary(op, "a"));
                for (number, a) in INTS.into_iter().enumerate() {
                    let value = Ok(arithmetic::unary(op as u32, a as u32));
                    page.case(op, number, &format!("f({a})"), &unary(op, &int(a)), value);
                }
            }
        }
        page
    }
}

fn entries(engine: &mut dyn Engine, text: &str) -> Vec<EntryResult> {
    engine.base(&text.into(), &|| false).unwrap_or_else(|error| panic!("{error}\n{text}")).entries
}

#[test]
fn all_operations_agree_at_the_edges_of_their_operands() {
    let mut cpu = CpuEngine::new();
    let mut gpu = crate::common::gpu::lend();
    for &op in Op::ALL.iter().filter(|op| matches!(op.class(), Class::Unary | Class::Binary)) {
        let Page { text, expected } = Page::of(op);
        let on_cpu = entries(&mut cpu, &text);
        let found: Vec<Outcome> = on_cpu.iter().map(|entry| entry.outcome).collect();
        assert_eq!(found, expected, "{} in this program:\n{text}", op.name());
        assert_eq!(entries(&mut *gpu, &text), on_cpu, "{} in this program:\n{text}", op.name());
    }
}
