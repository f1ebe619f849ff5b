//! One program in detail.

use std::sync::Arc;

use super::{GCD, compiled, recorded};
use crate::common::compile::compile;
use crate::common::extent::scaled;
use crate::common::rng::Rng;
use crate::common::{gpu, typed};
use myriad::compiler::stage::{Compiler, compile_at};
use myriad::compiler::variants::Variants;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, EngineSettings};
use myriad::lang::index::{CallId, EntryId, Index, InputId, MutantId, Position, RoutineId};
use myriad::lang::level::OptLevel;
use myriad::lang::limits;
use myriad::lang::opcode::{Class, Op};
use myriad::lang::trap::Trap;
use myriad::lang::verdict::Outcome;
use myriad::testing::trace::{
    Divergence, RunDiff, Setting, Subject, Trace, cause_of_trap, compare, passing, record,
};

#[test]
fn recorded_call_has_its_steps_values_and_frames() {
    let program = compiled(GCD).unwrap();
    let target = Subject::of_call("gcd(12, 18)").unwrap().find(&program, &[]).unwrap();
    let trace = record(&program, target.routine, &target.frame, limits::STEPS);
    assert_eq!((trace.record.trap, trace.record.value), (Trap::None, 6));
    assert_eq!(trace.record.steps, trace.len());
    assert_eq!(trace.calls().len(), 1);
    assert_eq!(trace.calls()[0].end, Some(Position::new(trace.len())));
    assert!(trace.bytes() < 1 << 20, "{} bytes of a short run", trace.bytes());
    // At the end the value is on the stack, and the variables are set.
    let state = trace.state(trace.last());
    let frames = trace.frames(&state);
    let shown: Vec<(String, String)> = { &frames[0].variables }
        .iter()
        .map(|(v, value, _)| (v.name.clone(), value.as_ref().map_or("–".to_string(), ToString::to_string)))
        .collect();
    assert_eq!(shown[..2], [("a".into(), "6".into()), ("b".into(), "0".into())]);
    assert_eq!(frames[0].operands.len(), 1);
    assert_eq!(frames[0].operands[0].value.to_string(), "6");
    // At the beginning only the parameters are set.
    let first = trace.state(Position::default());
    let set: Vec<Setting> = trace.frames(&first)[0].variables.iter().map(|(.., set)| *set).collect();
    assert_eq!(set[..2], [Setting::Given, Setting::Given]);
    assert!(set[2..].iter().all(|set| *set == Setting::Never));
}

#[test]
fn failing_test_is_explained_at_its_comparison() {
    let program = compiled("fn f(n: int) -> int { return n + 1; }\ntest f(1) == 3;\n").unwrap();
    let (trace, _) = recorded(&program, EntryId::FIRST, InputId::FIRST).unwrap();
    let at = trace.failure_position();
    assert_eq!(trace.instruction(at).unwrap().0.op.name(), "COMPARE_EQ");
    // The compared value was returned, was added, was passed.
    let (mut source, mut met) = (trace.maker_of_operand(at, 1), Vec::new());
    while let Some(here) = source {
        met.push(trace.instruction(here.step).unwrap().0.op.name());
        source = trace.follow(here);
    }
    assert_eq!(met, ["RETURN", "BINARY_ADD", "CALL", "LOAD_CONST"]);
}

#[test]
fn trap_is_explained_at_its_instruction() {
    let program = compiled("fn f(n: int) -> int { return 8 / n; }\ntest f(0) == 3;\n").unwrap();
    let (trace, _) = recorded(&program, EntryId::FIRST, InputId::FIRST).unwrap();
    assert_eq!(trace.record.trap, Trap::DivideByZero);
    assert_eq!(trace.failure_position(), trace.last());
    assert_eq!(trace.step(trace.last()).map(|step| step.address()), trace.record.address);
    assert_eq!(trace.calls()[1].end, None, "it has not ended");
}

#[test]
fn endless_loop_trace_is_bounded_and_has_its_period() {
    let text = "fn f(n: int) -> int {\n    let x = n;\n    while x < 10 {\n        x += 0;\n    }\n    return x;\n}\ntest f(1) == 1;\n";
    let program = compiled(text).unwrap();
    let (trace, frame) = recorded(&program, EntryId::FIRST, InputId::FIRST).unwrap();
    assert_eq!((trace.record.trap, trace.len()), (Trap::StepLimit, limits::STEPS));
    let turn = trace.cycle().unwrap();
    assert!(turn.period < 20 && turn.from.number() < 2_000, "{turn:?}");
    let (one, next) = (trace.state(turn.from), trace.state(turn.from + turn.period));
    assert_eq!(one.words, next.words);
    assert_eq!(trace.step(turn.from).unwrap().pc, trace.step(turn.from + turn.period).unwrap().pc);
    assert!(trace.bytes() <= 64 << 20, "{} bytes", trace.bytes());
    // Any state can be computed quickly.
    let mut machine = myriad::compiler::stage::execute::Machine::default();
    machine.load(&program.executable);
    for position in [0, 4_095, 4_096, 4_097, 777_777, 999_999].map(Position::new) {
        assert_eq!(trace.state(position).words, super::oracle(&mut machine, &trace, &frame, position));
    }
}

#[test]
fn trace_steps_and_outcome_match_the_engines() {
    let mut cpu = CpuEngine::with_threads(1);
    let mut gpu = gpu::lend();
    for text in [GCD, include_str!("../../../samples/sorting.myr")] {
        let text: std::sync::Arc<str> = text.into();
        let bases = [cpu.base(&text, &|| false).unwrap(), gpu.base(&text, &|| false).unwrap()];
        for base in &bases {
            for (id, entry) in EntryId::all().zip(&base.entries) {
                if entry.inputs != 1 {
                    continue;
                }
                let (trace, _) = recorded(&base.compiled, id, InputId::FIRST).unwrap();
                assert_eq!(u64::from(trace.len()), entry.steps);
                let passes = trace.record.trap == Trap::None && trace.record.value == 1;
                assert_eq!(passes, entry.outcome == myriad::lang::verdict::Outcome::Pass);
            }
        }
    }
}

#[test]
fn runs_diverge_at_the_first_different_value() {
    let text =
        "fn f(n: int) -> int {\n    let a = n + 1;\n    let b = a * 2;\n    return b;\n}\ntest f(3) == 8;\n";
    let run = |text: &str| recorded(&compiled(text).unwrap(), EntryId::FIRST, InputId::FIRST).unwrap().0;
    let one = run(text);
    let compare = |one: &Trace, other: &Trace| compare(one, &other.replay_key().unwrap());
    let alike = Divergence { first: None, own: (0, 0) };
    assert_eq!(compare(&one, &run(text)), (alike, one.len()));
    // Another constant: the instruction is skipped, and its result differs.
    let other = run(&text.replace("n + 1", "n + 2"));
    let (own, others) = compare(&one, &other).0.first.unwrap();
    assert_eq!((one.line(own), other.line(others)), (2, 2));
    assert_eq!(one.line(own), other.line(others));
    // An additional line that changes nothing.
    let longer = run(&text.replace("    return b;", "    let c = 5;\n    return b;"));
    let (divergence, steps) = compare(&one, &longer);
    assert_eq!(steps, longer.len());
    assert!(divergence.first.is_none() && divergence.own.1 > 0, "{divergence:?}");
}

#[test]
fn variable_is_found_after_many_calls_of_its_function() {
    let text = "fn f(n: int) -> int {\n    let x = n + 1;\n    if n == 0 {\n        return x;\n    }\n    let s = 0;\n    for i in 0..20000 {\n        s += f(0);\n    }\n    return s + x;\n}\ntest f(1) == 20002;\n";
    let (trace, _) = recorded(&compiled(text).unwrap(), EntryId::FIRST, InputId::FIRST).unwrap();
    assert_eq!(trace.record.value, 1);
    let at = trace.calls()[1].end.and_then(Position::previous).and_then(Position::previous).unwrap();
    let frame = trace.frames(&trace.state(at)).swap_remove(0);
    let (x, value, setting) = frame.variables.iter().find(|(v, ..)| v.name == "x").unwrap();
    assert_eq!((value.as_ref().unwrap().to_string(), frame.call), ("2".to_string(), CallId::new(1)));
    let Setting::At(step) = setting else { panic!("{setting:?}") };
    assert!(step.number() < 20, "set at the begin of the call, in step {step}");
    assert_eq!(trace.next_change(CallId::new(1), x, step.next()), None);
    assert!(trace.bytes() < 64 << 20);
}

#[test]
fn run_diff_matches_the_other_runs_trace() {
    let text = include_str!("../../../samples/sorting.myr");
    let one = recorded(&compiled(text).unwrap(), EntryId::FIRST, InputId::FIRST).unwrap().0;
    for mutated in [text.replacen("+ 1", "+ 2", 1), text.replacen('<', ">", 1), text.to_string()] {
        let Some(program) = compiled(&mutated) else { continue };
        let other = recorded(&program, EntryId::FIRST, InputId::FIRST).unwrap().0;
        let beside = RunDiff::new(&one, &other.replay_key().unwrap(), "other".into(), 2, 4);
        assert_eq!(beside.steps, other.len());
        let Some((_, at)) = beside.divergence.first else {
            assert!(beside.around.is_empty());
            continue;
        };
        for around in &beside.around {
            let there = Position::new(u32::try_from(i64::from(at.number()) + around.offset).unwrap());
            assert_eq!(Some(&around.said), other.step_text(there).as_ref(), "{}", around.offset);
        }
    }
}

#[test]
fn a_counterexample_has_a_neighbour_that_passes() {
    let text = "fn half(n: int) -> int { return n / 2; }\nprop \"twice\": n in 0..100 => half(n) * 2 == n;\n\
                prop \"never\": n in 0..3 => half(n) > n;\nprop \"lists\": xs in [0..4; 3] => len(xs) < 3;\ntest half(3) == 2;\n";
    let mut cpu = CpuEngine::with_threads(1);
    let base = cpu.base(&text.into(), &|| false).unwrap();
    let found = |index: u32| {
        let id = EntryId::new(index);
        let label = myriad::testing::trace::entry_label(&base.compiled, id);
        let target = Subject::Entry { label, id }.find(&base.compiled, &base.entries).unwrap();
        passing(&base.compiled, &target).map(|target| target.title)
    };
    assert_eq!(found(0), Ok("twice with n = 2".to_string()));
    assert!(found(1).unwrap_err().contains("no passing input"));
    assert!(found(2).unwrap().starts_with("lists with xs = ["), "{:?}", found(2));
    assert!(found(3).is_err(), "a test has no other input");
}

#[test]
fn property_runs_on_a_typed_input() {
    let text =
        "prop \"sum\": a in 0..9, xs in [0..4; 3] => a + len(xs) < 9;\nprop a in 0..9 => (a < 5) || (a > 3);\n";
    let program = compiled(text).unwrap();
    let title = |call: &str| {
        Subject::of_call(call).and_then(|call| call.find(&program, &[])).map(|target| target.title)
    };
    assert_eq!(title("\"sum\"(4, [1, 2])"), Ok("sum with a = 4, xs = [1, 2]".to_string()));
    assert_eq!(title("(a < 5) || (a > 3)(7)"), Ok("(a < 5) || (a > 3) with a = 7".to_string()));
    assert!(title("\"sum\"(4)").unwrap_err().contains("2 arguments"));
    assert!(title("\"sum\"(4, [1, 2, 3, 4])").unwrap_err().contains("too long"));
    for id in EntryId::all().take(2) {
        let label = myriad::testing::trace::entry_label(&program, id);
        let entry = Subject::Entry { label, id };
        let own = entry.find(&program, &[]).unwrap();
        let trace = record(&program, own.routine, &own.frame, limits::STEPS);
        let call = entry.call_on(&program, &trace.arguments_and_result(CallId::default()).0).unwrap();
        let again = Subject::of_call(&call).unwrap().find(&program, &[]).unwrap();
        assert_eq!(again, own, "{call}");
    }
}

#[test]
fn endlessly_counting_loop_is_located() {
    let text = "fn f(n: int) -> int {\n    let x = n;\n    while x != 0 {\n        for i in 0..3 {\n            x += 0;\n        }\n        x += 1;\n    }\n    return x;\n}\ntest f(1) == 1;\n";
    for level in OptLevel::FIXED {
        let mut compiler = Compiler::at(level);
        compiler.compile(text);
        let (trace, _) =
            recorded(&Arc::new(compiler.compiled(&text.into())), EntryId::FIRST, InputId::FIRST).unwrap();
        assert_eq!((trace.record.trap, trace.cycle()), (Trap::StepLimit, None));
        let found = trace.unended_loop().unwrap();
        assert_eq!(
            (found.line, trace.line(trace.failure_position())),
            (3, trace.line(found.first)),
            "{level:?}"
        );
        assert!(found.turns > 1_000 && trace.failure_position() == found.first);
    }
}

/// The loop's first element is stored by `FOR_LIST`, the others by `NEXT_LIST`.
#[test]
fn rotated_loop_sets_its_variable_in_each_round() {
    let text = "fn f(n: int) -> int {\n    let r = n;\n    for x in [3, 5, 7] {\n        r += x;\n    }\n    return r;\n}\n";
    let program = Arc::new(compile_at(OptLevel::Whole, text));
    let target = Subject::of_call("f(1)").unwrap().find(&program, &[]).unwrap();
    let trace = record(&program, target.routine, &target.frame, limits::STEPS);
    assert_eq!((trace.record.trap, trace.record.value), (Trap::None, 16));
    let rounds: Vec<(Position, Op, Option<String>)> = (0..trace.len())
        .map(Position::new)
        .map(|at| (at, trace.instruction(at).unwrap().0.op, trace.left(at).map(|value| value.to_string())))
        .filter(|(_, op, _)| op.class() == Class::Loop)
        .collect();
    let stored: Vec<(Op, Option<&str>)> = rounds.iter().map(|(_, op, left)| (*op, left.as_deref())).collect();
    let expected =
        [(Op::ForList, Some("3")), (Op::NextList, Some("5")), (Op::NextList, Some("7")), (Op::NextList, None)];
    assert_eq!(stored, expected);
    let state = trace.state(trace.last());
    let frames = trace.frames(&state);
    let (_, _, setting) = frames[0].variables.iter().find(|(variable, ..)| variable.name == "x").unwrap();
    assert_eq!(*setting, Setting::At(rounds[2].0));
}

#[test]
fn recorded_call_depth_matches_the_engine_limit() {
    let text = "fn f(n: int) -> int {\n    if n == 0 {\n        return 0;\n    }\n    return f(n - 1);\n}\n";
    let mut cpu = CpuEngine::with_threads(1);
    let base = cpu.base(&text.into(), &|| false).unwrap();
    for n in 120..136 {
        let run = cpu.run(RoutineId::new(0), &[n], &|| false).unwrap();
        let trace = record(&base.compiled, RoutineId::new(0), &[n], limits::STEPS);
        assert_eq!((trace.record.trap, trace.len()), (run.trap, run.steps), "f({n})");
        assert_eq!(trace.step(Position::default()).unwrap().depth, 0);
    }
}

/// Returns the causes of all traps of a text at a level.
fn causes(text: &str, level: OptLevel) -> Vec<(EntryId, Trap, Option<String>)> {
    let mut cpu = CpuEngine::with_threads(1);
    cpu.configure(EngineSettings { level, ..cpu.settings() });
    let base = cpu.base(&text.into(), &|| false).expect("the CPU engine does not fail");
    let trapped = EntryId::all().zip(&base.entries).filter_map(|(id, result)| match result.outcome {
        Outcome::Trap(trap) => Some((id, trap, cause_of_trap(&base.compiled, id, result))),
        _ => None,
    });
    trapped.collect()
}

#[test]
fn cause_of_a_trap_is_the_same_at_every_level() {
    // The unrolled loop indexes with a constant; the list's capacity is a constant of the call.
    let folded = "fn f(xs: [int]) -> int { let s = 0; for i in 0..3 { s += xs[i]; } return s; }
fn h(xs: [int; 20]) -> int { let ys: [int; 4] = xs; return len(ys); }
test f([1, 2]) == 0;
test h([1, 2, 3, 4, 5]) == 5;
";
    // Level 3 divides another number by 0.
    let moved = "fn f(xs: [int; 8], k: int) -> int {
    if len(xs) < 4 { xs += [7]; }
    let i = 0;
    let s = 0;
    while i < 2 {
        s += len(xs) / i;
        i += 1;
    }
    return s + k;
}
test f([1], 4) == 0;
test f([1, 2], 4) == 0;
";
    let said =
        |text: &str| causes(text, OptLevel::Lowered).into_iter().map(|(.., cause)| cause).collect::<Vec<_>>();
    let some = |causes: [&str; 2]| causes.map(|cause| Some(cause.to_string()));
    assert_eq!(said(folded), some(["index 2 of a list of 2", "capacity 4 exceeded by 5"]));
    assert_eq!(said(moved), some(["division of 2 by 0", "division of 3 by 0"]));
    let mut texts = vec![folded.to_string(), moved.to_string()];
    // Mutants trap often.
    let mut rng = Rng::new(5);
    for seed in 0..scaled(60) {
        let variants = Variants::new(Arc::new(compile(&typed::program(seed))));
        let ids = (0..4).map(|_| MutantId::at(rng.below(variants.first_order().max(1) as usize)));
        texts.extend(ids.filter_map(|id| variants.source(id)));
    }
    let mut known = 0;
    for text in &texts {
        let plain = causes(text, OptLevel::Lowered);
        for level in [OptLevel::Local, OptLevel::Whole, OptLevel::Learned] {
            for own in causes(text, level) {
                // A limit of resources may be reached by one level only.
                let Some(wanted) = plain.iter().find(|(id, trap, _)| (*id, *trap) == (own.0, own.1)) else {
                    continue;
                };
                assert_eq!(own, *wanted, "{level:?}: {text}");
                known += u32::from(own.2.is_some());
            }
        }
    }
    assert!(known > 40, "{known} causes");
}
