//! The values beside the code, compared with what the second machine sets.

use std::sync::Arc;

use super::GCD;
use crate::common::extent::scaled;
use crate::common::reference::{Store, call_with_stores};
use crate::common::{called, holed, looped, typed};
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::compile_at;
use myriad::engine::explain::Value;
use myriad::lang::index::{CallId, Index};
use myriad::lang::level::OptLevel;
use myriad::testing::trace::{CallValues, Subject, Trace, ValuePlace, ValuesFocus, record};

const STEPS: u32 = 20_000;

fn lowered(text: &str) -> Arc<Compiled> {
    Arc::new(compile_at(OptLevel::Lowered, text))
}

fn called(text: &str, call: &str) -> Trace {
    let program = lowered(text);
    let target = Subject::of_call(call).unwrap().find(&program, &[]).unwrap();
    record(&program, target.routine, &target.frame, STEPS)
}

fn texts(trace: &Trace, focus: ValuesFocus) -> Vec<(u32, String)> {
    trace.values(focus).texts(|line| line == focus.line)
}

fn words(value: &Value) -> Vec<i32> {
    match value {
        Value::Int(int) => vec![*int],
        Value::Bool(bool) => vec![i32::from(*bool)],
        Value::Ints(ints) => ints.clone(),
        Value::Bools(bools) => bools.iter().map(|bool| i32::from(*bool)).collect(),
    }
}

/// Every variable and element that a run sets is counted at its place, and the values shown are those that the second
/// machine sets at these steps.
#[test]
fn values_are_those_that_the_second_machine_sets() {
    let (mut programs, mut shown, mut calls) = (0, 0, 0);
    for seed in 0..scaled(400) {
        for text in [typed::program(seed), called::program(seed), looped::program(seed), holed::program(seed)] {
            let program = lowered(&text);
            if !program.facts.compiles() {
                continue;
            }
            for entry in program.entries().iter() {
                let routine = program.facts.entry(entry);
                if !program.executable.routine(routine).is_some_and(|own| own.binders().is_empty()) {
                    continue;
                }
                let trace = record(&program, routine, &[], STEPS);
                let mut stores = Vec::new();
                call_with_stores(&program.executable, routine, &[], STEPS, &mut |store| stores.push(store));
                if trace.is_empty() {
                    continue;
                }
                let mut counted = 0;
                for call in 0..trace.calls().len() {
                    let values = trace.values(ValuesFocus { call: CallId::at(call), ..ValuesFocus::default() });
                    counted += compare(&trace, &values, &stores, &text);
                    shown += values.lines.iter().map(|line| line.values.len()).sum::<usize>();
                    calls += 1;
                }
                // A step that the recorded run did not finish set nothing.
                let set = stores.iter().filter(|store| store.step + 1 < trace.len()).count() as u32;
                assert!(
                    counted == set || counted == stores.len() as u32,
                    "{counted} of {}:\n{text}",
                    stores.len()
                );
            }
            programs += 1;
        }
    }
    assert!(
        programs >= 150 && shown >= 1_000 && calls >= 500,
        "{programs} programs, {shown} places, {calls} calls"
    );
}

/// Compares the values of a call; returns the number of those that a step set.
fn compare(trace: &Trace, values: &CallValues, stores: &[Store], text: &str) -> u32 {
    let mut counted = 0;
    for place in values.lines.iter().flat_map(|line| &line.values) {
        let is_given =
            trace.call(CallId::default()).is_some() && place.seen.iter().all(|seen| !is_set(trace, seen.step));
        if is_given || !matches!(place.place, ValuePlace::Variable(_) | ValuePlace::Element(_)) {
            continue;
        }
        counted += place.count;
        assert!(
            place.cut || place.seen.iter().map(|seen| seen.times).sum::<u32>() == place.count,
            "{place:?}\n{text}"
        );
        for seen in place.seen.iter().chain(&place.own) {
            let at = stores.binary_search_by_key(&seen.step.number(), |store| store.step);
            let store = &stores[at.unwrap_or_else(|_| panic!("{place:?} is set nowhere\n{text}"))];
            assert_eq!(seen.value.as_ref().map(words), Some(store.value.clone()), "{place:?}\n{text}");
            assert_eq!(seen.index, store.index.map(|index| index as u32), "{place:?}\n{text}");
        }
    }
    counted
}

/// Whether the step at which a value was seen set it; that of a parameter is the first of its call.
fn is_set(trace: &Trace, step: myriad::lang::index::Position) -> bool {
    use myriad::lang::opcode::Op::*;
    let op = trace.instruction(step).map(|(instruction, _)| instruction.op);
    op.is_some_and(|op| matches!(op, StoreVar | StoreList | StoreIndex | ForRange | ForList))
}

#[test]
fn rounds_stand_on_the_cursors_line_and_one_round_elsewhere() {
    let trace = called(GCD, "gcd(12, 18)");
    let at = |line, round| texts(&trace, ValuesFocus { call: CallId::default(), line, round });
    let line = |text: &[(u32, String)], line| {
        text.iter().find(|(own, _)| *own == line).map_or("", |(_, text)| text.as_str()).to_string()
    };
    let first = at(13, None);
    assert_eq!(line(&first, 11), "a = 12  b = 18");
    assert_eq!(line(&first, 12), "true");
    assert_eq!(line(&first, 13), "t = 12, 6, 0");
    assert_eq!(line(&first, 17), "→ 6");
    assert_eq!(line(&first, 14), "a = 18");
    let last = at(12, Some(2));
    assert_eq!(line(&last, 12), "true ×3, false");
    assert_eq!(line(&last, 13), "t = 0");
    assert_eq!(
        trace.values(ValuesFocus { line: 12, round: Some(2), ..ValuesFocus::default() }).round,
        Some((2, 3))
    );
    // A round that does not exist is the last one.
    assert_eq!(
        trace.values(ValuesFocus { line: 12, round: Some(9), ..ValuesFocus::default() }).round,
        Some((2, 3))
    );
}

/// In nested loops, the inner loop's rounds on the cursor's line are those within the round of the outer loop.
#[test]
fn inner_rounds_are_those_of_the_chosen_outer_round() {
    let text = "fn f(n: int) -> int {\n    let s = 0;\n    for i in 0..n {\n        for j in 0..i {\n            s += j;\n        }\n        s *= 2;\n    }\n    return s;\n}\n";
    let trace = called(text, "f(4)");
    let at = |line, round| texts(&trace, ValuesFocus { call: CallId::default(), line, round });
    // Of the rounds of the inner loop, the fourth is the first of the outer loop's fourth.
    assert_eq!(
        at(5, Some(3)),
        [
            (1, "n = 4".into()),
            (3, "i = 3".into()),
            (4, "j = 0".into()),
            (5, "s = 2, 3, 5".into()),
            (7, "s = 10".into()),
            (9, "→ 10".into()),
        ]
    );
    assert_eq!(at(7, Some(1))[3..], [(5, "s = 0".into()), (7, "s = 0 ×2, 2, 10".into()), (9, "→ 10".into())]);
}

#[test]
fn lines_not_reached_long_lists_and_many_rounds_are_short() {
    let text = "fn f(n: int) -> int {\n    let xs = [n; 20];\n    if n > 9 {\n        return 1;\n    }\n    for i in 0..100 {\n        xs[i % 20] = i;\n    }\n    let ys = xs;\n    return xs[3] / (n - n);\n}\n";
    let trace = called(text, "f(7)");
    let shown = texts(&trace, ValuesFocus { line: 6, ..ValuesFocus::default() });
    assert_eq!(
        shown,
        [
            (1, "n = 7".into()),
            (2, "xs = [7, 7, …, 7] 20".into()),
            (3, "false".into()),
            (4, "·".into()),
            (6, "i = 0, 1, 2, …, 98, 99 ×100".into()),
            (7, "[0] = 0".into()),
            (9, "ys = [80, 81, …, 99] 20".into()),
        ]
    );
}

#[test]
fn counts_of_a_cut_recording_say_that_there_is_more() {
    let text =
        "fn f(n: int) -> int {\n    while n > 0 {\n        n += 0;\n    }\n    return n;\n}\ntest f(4) == 0;\n";
    let program = lowered(text);
    let target = Subject::of_call("f(4)").unwrap().find(&program, &[]).unwrap();
    let of = |fuel: u32| {
        let trace = record(&program, target.routine, &target.frame, fuel);
        texts(&trace, ValuesFocus { line: 2, ..ValuesFocus::default() })[1].1.clone()
    };
    assert_eq!(of(800), "true ×89…");
    assert!(!of(myriad::lang::limits::STEPS).ends_with('…'), "a run that ends at the step limit is whole");
}

#[test]
fn calls_of_itself_have_arguments_and_results() {
    let text = "fn fib(n: int) -> int {\n    if n < 2 {\n        return n;\n    }\n    return fib(n - 1) + fib(n - 2);\n}\ntest fib(4) == 3;\n";
    let trace = called(text, "fib(4)");
    let of = |call: u32| texts(&trace, ValuesFocus { call: CallId::new(call), ..ValuesFocus::default() });
    assert_eq!(of(0)[3], (5, "fib(3) → 2  fib(2) → 1  → 3".into()));
    let first = trace.call_of_line(3).unwrap();
    assert_eq!(
        of(first.number()),
        [(1, "n = 1".into()), (2, "true".into()), (3, "→ 1".into()), (5, "·".into()),]
    );
    assert_eq!(trace.call_of_line(5), Some(CallId::default()));
    // A test's line belongs to the test, which this run does not have.
    assert_eq!(trace.call_of_line(7), None);
    assert_eq!(trace.call_of_line(0), None);
}
