//! Programs at each level of optimization, on both engines.

use std::sync::Arc;

use serde_json::json;

use crate::common::cases::programs;
use crate::common::command::call;
use crate::common::extent::one_in;
use myriad::compiler::stage::optimize;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{BaseResult, Engine, EngineSettings, Tested, TestedCandidate, leveled};
use myriad::lang::index::Indices;
use myriad::lang::level::OptLevel;
use myriad::lang::verdict::Verdict;

const MUTANTS: u32 = 40;

/// Judges a text and its first mutants at a level; a base of level 2 has none.
fn judged(engine: &mut dyn Engine, text: &Arc<str>, level: OptLevel) -> (BaseResult, Vec<Verdict>, Tested) {
    engine.configure(EngineSettings { level, ..engine.settings() });
    let base = engine.base(text, &|| false).expect("a base");
    assert_eq!(base.compiled.level, level);
    let mut verdicts = Vec::new();
    if level == level.of_variants() {
        engine
            .mutants(Indices::first(MUTANTS), &|| false, &mut |part| verdicts.extend(part.verdicts))
            .expect("verdicts");
    }
    let candidate = TestedCandidate { text, changes: None };
    let tested = engine.test_all(&[candidate], &|| false).expect("results")[0].expect("a result");
    (base, verdicts, tested)
}

#[test]
fn engines_agree_at_each_level() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), crate::common::gpu::lend());
    let mut fewer = [0; 2];
    for (name, text) in one_in(3, programs(&["samples", "tests/cases"])) {
        let text: Arc<str> = text.into();
        let mut steps = Vec::new();
        for level in OptLevel::FIXED {
            let (expected, verdicts, tested) = judged(&mut cpu, &text, level);
            let found = judged(&mut *gpu, &text, level);
            assert_eq!(found.0.compiled.executable, expected.compiled.executable, "{name} at {level:?}");
            assert_eq!(found.0.entries, expected.entries, "{name} at {level:?}");
            assert_eq!((found.1, found.2), (verdicts, tested), "{name} at {level:?}");
            steps.push(expected.entries.iter().map(|entry| entry.steps).sum::<u64>());
        }
        assert!(steps.is_sorted_by(|plain, better| better <= plain), "{name}: {steps:?}");
        (0..2).for_each(|level| fewer[level] += u32::from(steps[level + 1] < steps[level]));
    }
    assert!(fewer.iter().all(|programs| *programs > 0), "no program takes fewer steps");
}

#[test]
fn level_0_code_equals_the_lowered_code() {
    let mut cpu = CpuEngine::with_threads(1);
    cpu.configure(EngineSettings { level: OptLevel::Lowered, ..cpu.settings() });
    for (name, text) in programs(&["samples"]) {
        let compiled = cpu.base(&text.into(), &|| false).expect("a base").compiled;
        assert_eq!(compiled.ir, compiled.lowered, "{name}");
        assert_eq!(optimize::snapshots(&compiled).len(), 1, "{name}");
    }
}

/// A text that is compiled again at another level keeps nothing of what was known at the first.
#[test]
fn reused_results_do_not_cross_optimization_levels() {
    let text: Arc<str> = "fn f(x: int) -> int { return x + 0; } test f(1) == 1;".into();
    let (mut cpu, mut gpu) = (CpuEngine::new(), crate::common::gpu::lend());
    for engine in [&mut cpu as &mut dyn Engine, &mut *gpu] {
        engine.configure(EngineSettings { reusing: true, ..engine.settings() });
        let [plain, local, _] = OptLevel::FIXED.map(|level| judged(engine, &text, level).0.entries[0].steps);
        assert_eq!((plain, local), (9, 7));
    }
}

/// A base of level 2 is shown at level 2, and its mutants have the verdicts of level 1.
#[test]
fn base_of_level_2_is_judged_at_level_1() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), crate::common::gpu::lend());
    for (name, text) in one_in(5, programs(&["samples", "tests/cases"])) {
        let text: Arc<str> = text.into();
        let (local, verdicts, _) = judged(&mut cpu, &text, OptLevel::Local);
        let (whole, ..) = judged(&mut cpu, &text, OptLevel::Whole);
        for engine in [&mut cpu as &mut dyn Engine, &mut *gpu] {
            let both =
                leveled::base(engine, OptLevel::Whole.into(), &text, &|| false, &mut |_| ()).expect("a base");
            assert_eq!(both.shown.compiled.executable, whole.compiled.executable, "{name}");
            assert_eq!(both.shown.entries, whole.entries, "{name}");
            assert_eq!(both.judged.compiled.executable, local.compiled.executable, "{name}");
            assert_eq!(both.judged.entries, local.entries, "{name}");
            let mut found = Vec::new();
            let mutants = Indices::first(MUTANTS);
            engine.mutants(mutants, &|| false, &mut |part| found.extend(part.verdicts)).expect("verdicts");
            assert_eq!(found, verdicts, "{name}");
        }
    }
}

/// Documents name the level that ran. `mutate` and `repair` print the same at levels 1 and 2, but the level.
#[test]
fn documents_name_the_level() {
    let at =
        |words: &str, level: u32| call(&format!("{words} --engine cpu --format json --opt {level}")).json();
    for words in ["check samples/gcd.myr", "test samples/gcd.myr", "stages samples/gcd.myr --stage ir"] {
        for level in 0..3 {
            assert_eq!(at(words, level)["opt"], level, "{words}");
        }
    }
    for words in ["mutate samples/roman.myr", "repair tests/repair/introclass-median-48b82975-000.myr"] {
        let [mut local, whole] = [1, 2].map(|level| at(words, level));
        assert_eq!((&local["opt"], &whole["opt"]), (&json!(1), &json!(2)), "{words}");
        local["opt"] = json!(2);
        assert_eq!(local, whole, "{words}");
    }
    let steps =
        [1, 2].map(|level| at("test samples/life.myr", level)["files"][0]["tests"][0]["steps"].as_u64());
    assert!(steps[0] > steps[1], "{steps:?}");
}
