//! Values past an error: what is not marked as a guess is what the program sets without the error.

use std::sync::Arc;

use crate::common::extent::scaled;
use crate::common::{called, looped, typed};
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::Compiler;
use myriad::engine::explain::Value;
use myriad::lang::index::{CallId, Index, Position};
use myriad::lang::level::OptLevel;
use myriad::lang::opcode::Op;
use myriad::lang::trap::Trap;
use myriad::testing::trace::{Subject, Trace, ValuesFocus, record, record_past_errors};

const STEPS: u32 = 20_000;

fn compiled(text: &str) -> Arc<Compiled> {
    let mut compiler = Compiler::at(OptLevel::Lowered);
    compiler.holes = true;
    compiler.compile(text);
    Arc::new(compiler.compiled(&text.into()))
}

/// Returns the lines, values and steps of what a run sets and returns.
fn sets(trace: &Trace) -> Vec<(u32, Option<Value>, Position)> {
    let positions = (0..trace.len()).map(Position::new);
    let is_set = |position: &Position| {
        let op = trace.instruction(*position).map(|(instruction, _)| instruction.op);
        matches!(
            op,
            Some(Op::StoreVar | Op::StoreList | Op::StoreIndex | Op::ForRange | Op::ForList | Op::Return)
        )
    };
    positions.filter(is_set).map(|position| (trace.line(position), trace.left(position), position)).collect()
}

/// In random programs, each statement in turn gets an error.
#[test]
fn values_that_are_no_guess_do_not_depend_on_the_statement_with_the_error() {
    let (mut programs, mut past, mut guesses) = (0, 0, 0);
    for seed in 0..scaled(1000) {
        for text in [typed::program(seed), called::program(seed), looped::program(seed)] {
            let correct = compiled(&text);
            if !correct.facts.compiles() {
                continue;
            }
            let broken = text.match_indices(" = ").filter(|(at, _)| {
                let line = text[text[..*at].rfind('\n').map_or(0, |at| at + 1)..].lines().next().unwrap_or("");
                line.ends_with(';') && !line.starts_with("const")
            });
            for (at, _) in broken {
                let program = compiled(&format!("{} = + {}", &text[..at], &text[at + 3..]));
                for entry in correct.entries().iter() {
                    let routine = correct.facts.entry(entry);
                    if correct.executable.routine(routine).is_none_or(|own| !own.binders().is_empty()) {
                        continue;
                    }
                    let [whole, trace] = [
                        record(&correct, routine, &[], STEPS),
                        record_past_errors(&program, routine, &[], STEPS),
                    ];
                    // A skipped statement is taken to end, and without a trap.
                    if whole.record.trap != Trap::None || program.facts.functions != correct.facts.functions {
                        continue;
                    }
                    let first = (0..trace.len()).map(Position::new).find(|position| trace.is_guess(*position));
                    let mut all = sets(&whole).into_iter();
                    for (line, value, position) in sets(&trace) {
                        if trace.is_guess(position) {
                            guesses += 1;
                            continue;
                        }
                        past += u32::from(first.is_some_and(|first| first < position));
                        assert!(
                            all.any(|(own, wanted, _)| (own, &wanted) == (line, &value)),
                            "line {line}, {position:?}: {value:?} is set nowhere in\n{text}\nwithout the error in\n{}",
                            program.text
                        );
                    }
                    programs += 1;
                }
            }
        }
    }
    assert!(
        programs > 1_000 && past > 50 && guesses > 1_000,
        "{programs} runs, {past} past, {guesses} guesses"
    );
}

fn values(text: &str, call: &str, line: u32) -> Vec<String> {
    let program = compiled(text);
    let target = Subject::of_call(call).unwrap().find(&program, &[]).unwrap();
    let trace = record_past_errors(&program, target.routine, &target.frame, STEPS);
    let values = trace.values(ValuesFocus { call: CallId::default(), line, round: None });
    let said = values.texts(|own| own == line);
    (1..=text.lines().count() as u32)
        .map(|line| said.iter().find(|(own, _)| *own == line).map_or(String::new(), |(_, said)| said.clone()))
        .collect()
}

#[test]
fn what_depends_on_a_skipped_statement_is_marked() {
    let text = "fn f(n: int) -> int {\n    let a = n + 1;\n    let b = n + ;\n    a += 2;\n    let c = 0;\n\
                \x20   if a > 2 { c = a + 1; }\n    return c;\n}\n";
    assert_eq!(values(text, "f(3)", 1), ["n = 3", "a = 4", "", "a = 6", "", "true  c = 7", "→ 7", ""]);
    // The variable that it sets, what is computed from this, and all that happens after a decision by it.
    let text = text.replace("let b = n + ;", "a = n + ;");
    assert_eq!(values(&text, "f(3)", 1), ["n = 3", "a = 4", "", "a = ~6", "", "~true  c = ~7", "→ ~7", ""]);
    // A loop that is being typed.
    let text = "fn sum(n: int) -> int {\n    let s = 0;\n    for i in 0..n {\n        s += i;\n        let t = s +\n    }\n    return s;\n}\n";
    assert_eq!(values(text, "sum(4)", 4), ["n = 4", "", "i = 0", "s = 0, 1, 3, 6", "", "", "→ 6", ""]);
}
