//! Level 2 by the engine's own choice: where tests are long, results at level 2 come first, and nothing else changes.

use std::sync::Arc;

use myriad::engine::cpu::CpuEngine;
use myriad::engine::leveled::{self, LeveledBase};
use myriad::engine::{BaseResult, Engine, EngineSettings};
use myriad::lang::index::Indices;
use myriad::lang::level::{LevelChoice, OptLevel};
use myriad::lang::trap::Trap;
use myriad::lang::verdict::{Outcome, Verdict};

const MUTANTS: u32 = 60;

/// A test of 570,000 steps, of which level 2 takes 50,000.
const LONG: &str = "fn square(x: int) -> int { return x * x; }
fn sum(n: int) -> int {
    let total = 0;
    for i in 0..n {
        for j in 0..4 { total = total + square(j) % 8; }
    }
    return total;
}
fn half(x: int) -> int { return 100 / x; }
test sum(10000) > 0;
test sum(2) == 12;
test half(0) == 1;
prop n in 1..9 => half(n) > 11;
";

fn engine() -> CpuEngine {
    let mut engine = CpuEngine::with_threads(2);
    engine.configure(EngineSettings { reusing: true, ..engine.settings() });
    engine
}

/// Types a text. Returns the base, the levels that were shown in turn, and the verdicts on its first mutants.
fn typed(engine: &mut CpuEngine, text: &str) -> (LeveledBase, Vec<OptLevel>, Vec<Verdict>) {
    let mut levels = Vec::new();
    let mut show = |shown: &BaseResult| levels.push(shown.compiled.level);
    let base = leveled::base(engine, LevelChoice::Automatic, &text.into(), &|| false, &mut show);
    let base = base.expect("the CPU engine does not fail");
    let mut verdicts = Vec::new();
    let mut sink = |part: myriad::engine::MutantResult| verdicts.extend(part.verdicts);
    engine.mutants(Indices::first(MUTANTS), &|| false, &mut sink).expect("verdicts");
    (base, levels, verdicts)
}

/// Compares a typed text with engines that have no history. Returns the levels that were shown.
#[track_caller]
fn follow(engine: &mut CpuEngine, text: &str) -> Vec<OptLevel> {
    let (base, levels, verdicts) = typed(engine, text);
    let source: Arc<str> = text.into();
    let fresh = |level: OptLevel| {
        let mut engine = CpuEngine::with_threads(1);
        engine.configure(EngineSettings { level, ..engine.settings() });
        (engine.base(&source, &|| false).expect("the CPU engine does not fail"), engine)
    };
    let (local, mut judge) = fresh(OptLevel::Local);
    assert_eq!(base.judged.difference_from(&local), None, "{text}");
    assert_eq!(base.shown.difference_from(&fresh(base.shown.compiled.level).0), None, "{text}");
    assert_eq!(levels.last(), Some(&base.shown.compiled.level), "{text}");
    let mut expected = Vec::new();
    let mut sink = |part: myriad::engine::MutantResult| expected.extend(part.verdicts);
    judge.mutants(Indices::first(MUTANTS), &|| false, &mut sink).expect("verdicts");
    assert_eq!(verdicts, expected, "{text}");
    levels
}

#[test]
fn long_tests_are_shown_at_level_2_and_nothing_else_changes() {
    use OptLevel::{Local, Whole};
    let mut engine = engine();
    assert_eq!(follow(&mut engine, LONG), [Local, Whole], "the first text runs at both levels");
    assert_eq!(follow(&mut engine, &LONG.replace("% 8", "% 4")), [Whole]);
    assert_eq!(follow(&mut engine, &LONG.replace("% 8", "% 4 // a note\n")), [Whole]);
    assert_eq!(follow(&mut engine, &LONG.replace("% 8", "% ")), [Local], "errors");
    assert_eq!(follow(&mut engine, &LONG.replace("100 /", "200 /")), [Whole], "a part of the tests");
    assert_eq!(follow(&mut engine, &format!("{LONG}test sum(3) == 5;\n")), [Whole]);
    assert_eq!(follow(&mut engine, &LONG.replace("10000", "3")), [Whole], "the last one that was long");
    assert_eq!(follow(&mut engine, &LONG.replace("10000", "4")), [Local]);
    assert_eq!(follow(&mut engine, LONG), [Local, Whole]);
}

#[test]
fn a_run_out_of_steps_at_level_1_alone_is_shown_at_level_1() {
    use OptLevel::{Local, Whole};
    let endless = |entry: &str| LONG.replace("sum(2) == 12", entry);
    let mut engine = engine();
    assert_eq!(follow(&mut engine, LONG), [Local, Whole]);
    // Level 2 alone ends within the limit of steps: it is shown until level 1 has run.
    let text = endless("sum(18000) > 0");
    assert_eq!(follow(&mut engine, &text), [Whole, Local]);
    let (base, levels, _) = typed(&mut engine, &text);
    assert_eq!(base.shown.entries[1].outcome, Outcome::Trap(Trap::StepLimit));
    assert_eq!(levels, [Local], "once is enough");
    assert_eq!(follow(&mut engine, LONG), [Local, Whole]);
    // Level 2 does not end either.
    for _ in 0..2 {
        assert_eq!(follow(&mut engine, &endless("sum(900000) > 0")), [Local]);
    }
    assert_eq!(follow(&mut engine, LONG), [Local, Whole]);
}

#[test]
fn tests_that_level_2_does_not_shorten_stay_at_level_1() {
    let mut engine = engine();
    let slow =
        "fn f(n: int) -> int { if n < 2 { return n; } return f(n - 1) + f(n - 2); }\ntest f(22) == 17711;\n";
    for text in [slow.to_string(), slow.replace("n < 2", "n <= 1")] {
        assert_eq!(follow(&mut engine, &text), [OptLevel::Local]);
    }
}

#[test]
fn a_fixed_level_and_an_engine_without_history_choose_nothing() {
    let mut fixed = engine();
    for _ in 0..2 {
        let mut levels = Vec::new();
        let mut show = |shown: &BaseResult| levels.push(shown.compiled.level);
        let level = OptLevel::Local.into();
        leveled::base(&mut fixed, level, &LONG.into(), &|| false, &mut show).expect("a base");
        assert_eq!(levels, [OptLevel::Local]);
    }
    let mut plain = CpuEngine::with_threads(1);
    for _ in 0..2 {
        assert_eq!(typed(&mut plain, LONG).1, [OptLevel::Local]);
    }
}
