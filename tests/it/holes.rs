//! Programs with errors and with `?`. Each is compared with a correct program that has stand-ins: an endless loop for each
//! hole, and for each `?` a call of a function with such a loop. A run that ends before a hole must end the same way in both.

mod mutants;

use std::sync::Arc;

use myriad::compiler::program::{Compiled, STMT_BROKEN};
use myriad::compiler::stage::chain::Compiler;
use myriad::compiler::stage::execute::{self, Machine, Tally};
use myriad::compiler::variants::Variants;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::explain::explain;
use myriad::engine::{Engine, EngineSettings, EntryResult, MutantCounts};
use myriad::lang::diagnostic::Code;
use myriad::lang::index::{EntryId, Index, MutantId};
use myriad::lang::level::OptLevel;
use myriad::lang::mutation::Group;
use myriad::lang::opcode::Op;
use myriad::lang::role::Role;
use myriad::lang::token::TokenKind;
use myriad::lang::trap::Trap;
use myriad::lang::verdict::Outcome;
use myriad::report::diagnostics::diagnostics;
use myriad::report::format::format;
use myriad::testing::stand_ins::stand_ins;
use myriad::testing::trace::cause_of_trap;

use crate::common::compile::compile;
use crate::common::extent::scaled;
use crate::common::rng::Rng;
use crate::common::{broken, holed, repository, typed};

/// Steps of each run, enough for all but a few tests.
const FUEL: u32 = 3_000;
const SAMPLES: u32 = 20;

fn compiler(level: OptLevel) -> Compiler {
    let mut compiler = Compiler::at(level);
    compiler.holes = true;
    compiler
}

fn run(c: &Compiler) -> Vec<Tally> {
    let executable = &c.back.executable;
    let mut machine = Machine::default();
    machine.load(executable);
    let domains = execute::domains(&c.facts, &executable.routines, &c.back.binders, SAMPLES);
    domains.iter().map(|own| execute::entry(&mut machine, executable, own, FUEL, &|| false)).collect()
}

/// Compares a program at every level with its stand-ins. Returns the numbers of entries that end and of those that
/// reach a hole.
fn compare(text: &str) -> [usize; 2] {
    let mut lowered = compiler(OptLevel::Lowered);
    lowered.compile(text);
    if !lowered.facts.lowers() {
        return [0, 0];
    }
    let mut without = Compiler::at(OptLevel::Lowered);
    without.compile(text);
    if without.facts.compiles() {
        assert_eq!(without.back.lowered, lowered.back.lowered, "{text}");
    }
    let (other, _) = stand_ins(&lowered.compiled(&text.into()));
    let mut stands_in = compiler(OptLevel::Lowered);
    stands_in.compile(&other);
    let harmless =
        |code: &u32| [Code::None, Code::MissingReturn, Code::Unreachable].iter().any(|c| *c as u32 == *code);
    let correct = stands_in.checked.error.iter().all(harmless)
        && stands_in.tree.stmt.iter().all(|stmt| stmt & STMT_BROKEN == 0);
    assert!(correct && !stands_in.facts.stopped(), "{text}\n---- stand-ins:\n{other}");
    let expected = run(&stands_in);
    let mut counts = [0, 0];
    for level in [OptLevel::Lowered, OptLevel::Local, OptLevel::Whole] {
        let mut c = compiler(level);
        c.compile(text);
        let found = run(&c);
        assert_eq!(found.len(), expected.len(), "{text}");
        for (i, (found, expected)) in found.iter().zip(&expected).enumerate() {
            let shown =
                || format!("entry {i}: {found:?}, not {expected:?}, at {level:?} of\n{text}\n----\n{other}");
            let (own, wanted) = (found.last, expected.last);
            if !found.unfinished.is_empty() {
                let broken = wanted.steps <= 2;
                // A stand-in for `?` is a call, which may be too deep.
                assert!(wanted.trap.counts_resources() || broken, "{}", shown());
                counts[1] += 1;
            } else if wanted.trap != Trap::StepLimit || level == OptLevel::Lowered {
                assert_eq!(
                    (own.trap, own.value, found.inputs),
                    (wanted.trap, wanted.value, expected.inputs),
                    "{}",
                    shown()
                );
                assert!(level != OptLevel::Lowered || found.steps == expected.steps, "{}", shown());
                counts[0] += 1;
            }
        }
    }
    counts
}

fn files() -> Vec<String> {
    let folders = ["samples", "assets/neural/written"].map(|folder| repository::repository().join(folder));
    let entries = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("a folder").flatten());
    let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|e| e == "myr"));
    paths.sort();
    paths.iter().map(|path| std::fs::read_to_string(path).expect("a program")).collect()
}

#[test]
fn correct_programs_have_no_holes() {
    for text in files().into_iter().chain((0..scaled(300)).map(typed::program)) {
        let (mut with, mut without) = (compiler(OptLevel::Lowered), Compiler::at(OptLevel::Lowered));
        with.compile(&text);
        without.compile(&text);
        if with.facts.errors > 0 {
            continue;
        }
        assert_eq!(with.back.lowered, without.back.lowered);
        // As if it had an error elsewhere.
        let more = text + "\ntest missing;";
        with.compile(&more);
        let holes =
            with.back.lowered.op.iter().zip(&with.back.lowered.token).filter(|(op, _)| **op == Op::Hole as u32);
        let closers = |t: &u32| with.tokens.kind[*t as usize] == TokenKind::RightBrace as u32;
        assert_eq!(holes.filter(|(_, t)| !closers(t)).count(), 1, "{more}");
    }
}

/// Statements that lack only their `;` mean what they mean with it.
#[test]
fn missing_semicolons_change_no_run() {
    let mut errors = 0;
    for (text, other) in (0..scaled(400)).map(broken::without_semicolons) {
        for level in [OptLevel::Lowered, OptLevel::Local, OptLevel::Whole] {
            let (mut with, mut without) = (compiler(level), compiler(level));
            with.compile(&text);
            without.compile(&other);
            errors += without.facts.errors;
            let (expected, found) = (run(&with), run(&without));
            assert_eq!(found.len(), expected.len(), "{other}");
            for (found, expected) in found.iter().zip(&expected) {
                let outcome = |tally: &Tally| (tally.last.trap, tally.last.value, tally.inputs);
                assert_eq!(outcome(found), outcome(expected), "{level:?} of\n{other}");
                let is_exact = level == OptLevel::Lowered;
                assert!(!is_exact || found.steps == expected.steps, "{level:?} of\n{other}");
            }
        }
    }
    assert!(errors > 500, "{errors}");
}

#[test]
fn runs_of_prefixes_end_as_with_stand_ins() {
    let mut counts = [0, 0];
    for text in files() {
        let mut c = compiler(OptLevel::Lowered);
        c.compile(&text);
        let n = c.tokens.hi.len();
        let step = (n / scaled(30) as usize).max(1);
        for t in (step / 2..n).step_by(step) {
            let found = compare(&text[..c.tokens.hi[t] as usize]);
            (counts[0], counts[1]) = (counts[0] + found[0], counts[1] + found[1]);
        }
    }
    assert!(counts[0] > 100 && counts[1] > 50, "{counts:?}");
}

#[test]
fn runs_of_damaged_programs_end_as_with_stand_ins() {
    let mut counts = [0, 0];
    for seed in 0..scaled(1_500) {
        for text in [broken::without_tokens(seed), broken::without_bracket(seed), broken::program(seed)] {
            let found = compare(&text);
            (counts[0], counts[1]) = (counts[0] + found[0], counts[1] + found[1]);
        }
    }
    assert!(counts[0] > 200 && counts[1] > 200, "{counts:?}");
}

#[test]
fn runs_of_programs_with_question_marks_end_as_with_stand_ins() {
    let (mut counts, mut correct, all) = ([0, 0], 0, scaled(1_500));
    for seed in 0..all {
        let text = holed::program(seed);
        let found = compare(&text);
        counts = [counts[0] + found[0], counts[1] + found[1]];
        let mut c = Compiler::at(OptLevel::Lowered);
        c.compile(&text);
        correct += u64::from(c.facts.compiles());
    }
    assert!(
        counts[0] > 500 && counts[1] > 500 && correct > all * 4 / 5,
        "{counts:?}, {correct} without errors"
    );
}

#[test]
fn what_comes_before_a_question_mark_runs_first() {
    let outcomes = |text: &str| {
        let mut cpu = CpuEngine::new();
        let base = cpu.base(&text.into(), &|| false).expect("a base");
        assert_eq!(base.compiled.facts.errors, 0, "{text}");
        base.entries.iter().map(|entry| entry.outcome).collect::<Vec<_>>()
    };
    let hole = Outcome::Trap(Trap::Hole);
    let text = "fn f(a: int, b: int) -> int { return a / b + ?; }
        fn g(x: int) -> [int] { if x > 0 { return ?; } return [x]; }
        fn h(b: bool) -> bool { return b && ?; }
        test f(1, 0) == 3; test f(1, 1) == 3; test g(0) == [0]; test g(1) == [0];
        test !h(false); test h(true); test g(0) == ?; prop n in -3..1 => g(n) == [n];
        prop n in -3..3 => g(n) == [n];";
    let zero = Outcome::Trap(Trap::DivideByZero);
    let wanted = [zero, hole, Outcome::Pass, hole, Outcome::Pass, hole, hole, Outcome::Pass, hole];
    assert_eq!(outcomes(text), wanted);
}

#[test]
fn question_mark_has_the_type_that_its_place_requires() {
    for (text, wanted) in [
        ("fn f() -> bool { return ?; }", "bool"),
        ("fn f(xs: [bool; 4]) -> int { return 0; } test f(?) == 0;", "[bool]"),
        ("fn f() -> int { let x = ?; return x; }", "int"),
        ("fn f() -> int { let x: [int; 9] = ?; return x[0]; }", "[int]"),
        ("fn f() -> int { let x = [true]; x = ?; return 0; }", "[bool]"),
        ("fn f() -> int { let x = [true]; x[0] = ?; return 0; }", "bool"),
        ("fn f() -> int { let x = [true]; x += ?; return 0; }", "[bool]"),
        ("fn f() -> int { let x = [true]; x[?] = true; return 0; }", "int"),
        ("fn f() -> int { if (?) { return 1; } return 0; }", "bool"),
        ("fn f() -> int { for i in 0..? { } return 0; }", "int"),
        ("fn f() -> [int] { return [0][?..1]; }", "int"),
        ("fn f() -> [bool] { return [true, ?]; }", "bool"),
        ("fn f() -> int { return int(?); }", "bool"),
        ("fn f() -> int { return max(1, ?); }", "int"),
        ("test ? == true;", "bool"),
        ("test [1] == (?);", "[int]"),
        ("test (?) == [1] + [2];", "[int]"),
        ("test true || ?;", "bool"),
        ("test !?;", "bool"),
        ("test 1 < -?;", "int"),
        ("test ? == (? + 1);", "int"),
        ("prop n in 0..3 if ? => true;", "bool"),
    ] {
        let program = compile(text);
        assert_eq!(program.facts.errors, 0, "{text}");
        let view = program.view();
        let hole = view.nodes().find(|t| view.is(*t, Role::Hole)).expect("a hole");
        assert_eq!(view.ty(hole).to_string(), wanted, "{text}");
    }
}

#[test]
fn no_mutant_changes_a_question_mark() {
    let mut seen = 0;
    for seed in 0..scaled(60) {
        let text = holed::program(seed);
        let program = Arc::new(Compiled { group: Group::Repair, ..Compiled::clone(&compile(&text)) });
        let count = |text: &str| text.matches('?').count();
        if !program.facts.compiles() || count(&text) == 0 {
            continue;
        }
        let variants = Variants::new(program.clone());
        for id in (0..variants.first_order()).map(MutantId::new) {
            let source = variants.source(id).expect("a mutant");
            assert_eq!(count(&source), count(&text), "{source}\nof\n{text}");
            seen += 1;
        }
    }
    assert!(seen > 1_000, "{seen}");
}

#[test]
fn damaged_programs_with_question_marks_are_explained_without_a_panic() {
    let (mut cpu, mut holes) = (CpuEngine::new(), 0);
    cpu.configure(EngineSettings { holes: true, ..cpu.settings() });
    for seed in 0..scaled(2_000) {
        let (mut text, mut rng) = (broken::program(seed), Rng::new(seed));
        for _ in 0..1 + rng.below(3) {
            let ends: Vec<usize> = text.char_indices().map(|(at, _)| at).chain([text.len()]).collect();
            text.insert(*rng.pick(&ends), '?');
        }
        let text: Arc<str> = text.into();
        let base = cpu.base(&text, &|| false).expect("a base");
        diagnostics(&base.compiled);
        format(&text);
        for (id, result) in EntryId::all().zip(&base.entries).take(3) {
            holes += usize::from(explain(&base.compiled, id, result).hole.is_some());
            cause_of_trap(&base.compiled, id, result);
        }
    }
    assert!(holes > 100, "{holes}");
}

#[test]
fn engines_agree_on_programs_with_holes() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), crate::common::gpu::lend());
    let mut holes = 0;
    let mut texts: Vec<String> = (0..scaled(40)).map(broken::without_tokens).collect();
    texts.extend((0..scaled(20)).map(broken::without_bracket));
    texts.extend((0..scaled(40)).map(holed::program));
    texts.extend(files().into_iter().step_by(7).map(|text| {
        let (at, _) = text.char_indices().nth(text.chars().count() * 2 / 3).expect("a character");
        text[..at].to_string()
    }));
    for text in texts {
        let text: Arc<str> = text.into();
        for level in OptLevel::FIXED {
            let [expected, found] = [&mut cpu as &mut dyn Engine, &mut *gpu].map(|engine| {
                engine.configure(EngineSettings { level, holes: true, ..engine.settings() });
                engine.base(&text, &|| false).expect("a base")
            });
            assert_eq!(found.compiled.executable, expected.compiled.executable, "{level:?} of\n{text}");
            assert_eq!(found.entries, expected.entries, "{level:?} of\n{text}");
            let is_hole = |entry: &&EntryResult| entry.outcome == Outcome::Trap(Trap::Hole);
            holes += found.entries.iter().filter(is_hole).count();
        }
    }
    assert!(holes > 5, "{holes}");
}

#[test]
fn program_without_holes_has_no_results_if_it_has_errors() {
    let text: Arc<str> = "fn f() -> int { return x; } test true;".into();
    let mut cpu = CpuEngine::new();
    assert_eq!(cpu.base(&text, &|| false).expect("a base").entries, []);
    cpu.configure(EngineSettings { holes: true, ..cpu.settings() });
    let base = cpu.base(&text, &|| false).expect("a base");
    assert_eq!(base.entries.iter().map(|entry| entry.outcome).collect::<Vec<_>>(), [Outcome::Pass]);
    assert_eq!(cpu.variants(), MutantCounts::default(), "a hole is not mutated");
}
