//! Mutants of programs with errors. Their verdicts equal those of the program with stand-ins, unless a run reaches a hole
//! that the base does not reach.

use std::collections::HashMap;
use std::sync::Arc;

use myriad::compiler::program::{Compiled, ERROR_BEHIND};
use myriad::compiler::variants::Variants;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{BaseResult, Engine, EngineSettings, EntryResult};
use myriad::lang::diagnostic::Code;
use myriad::lang::index::{EntryId, Index, Indices, InputId, MutantId, TokenId};
use myriad::lang::level::OptLevel;
use myriad::lang::mutation::Group;
use myriad::lang::token::TokenKind;
use myriad::lang::trap::Trap;
use myriad::lang::verdict::{MutantStatus, Outcome, Verdict};
use myriad::testing::stand_ins::stand_ins;

use super::compiler;
use crate::common::extent::scaled;
use crate::common::{broken, typed};

/// The number of first mutants of a text that are judged.
const MOST: u32 = 3_000;

fn settings(engine: &dyn Engine, group: Group, level: OptLevel) -> EngineSettings {
    EngineSettings { holes: true, group, level, ..engine.settings() }
}

/// Judges the first mutants of a text; with `pairs`, some of second order as well.
fn judge(engine: &mut dyn Engine, text: &Arc<str>, pairs: u32) -> (BaseResult, Vec<Verdict>) {
    let base = engine.base(text, &|| false).unwrap_or_else(|error| panic!("{error}: {text}"));
    let counts = engine.variants();
    let count = if pairs > 0 { counts.all.min(counts.first_order + pairs) } else { counts.first_order };
    let mut verdicts = Vec::new();
    let mut sink = |part: myriad::engine::MutantResult| verdicts.extend(part.verdicts);
    if base.entries.iter().any(EntryResult::judges) {
        engine.mutants(Indices::first(count.min(MOST)), &|| false, &mut sink).expect("verdicts");
    }
    (base, verdicts)
}

/// An edit that does not depend on the numbers of tokens and names: its site and first token in the text with stand-ins,
/// the operator and the new text without spaces.
type Key = (usize, usize, String, String);

/// Returns the first-order mutants of a program by their keys, given its tokens' places in the text with stand-ins.
fn by_key(
    program: &Arc<Compiled>,
    count: usize,
    place: impl Fn(TokenId) -> Option<usize>,
) -> HashMap<Key, MutantId> {
    let variants = Variants::new(program.clone());
    let mut found = HashMap::new();
    for id in Indices::first(count.min(variants.first_order() as usize) as u32).iter() {
        let edit = variants.edits(id).expect("an edit").first;
        let described = variants.describe(id).expect("a description");
        let new: String = described.replacement.split_whitespace().collect();
        if let (Some(site), Some(lo)) = (place(edit.site), place(edit.lo)) {
            found.insert((site, lo, described.operator(), new), id);
        }
    }
    found
}

/// A verdict without the difference between mutants that do the same.
fn resolved(verdicts: &[Verdict], id: MutantId) -> Verdict {
    let verdict = verdicts[id.position()];
    match verdict.original {
        Some(original) => verdicts[original.position()],
        None if verdict.status == MutantStatus::Equivalent => Verdict::of(MutantStatus::Survived),
        None => verdict,
    }
}

#[derive(Debug, Default)]
struct Found {
    texts: usize,
    /// Texts whose stand-ins leave an error, as a statement after a `return`.
    other_errors: usize,
    same: usize,
    killed: usize,
    invalid: usize,
    /// Mutants that reach a hole, or that a property kills which is not finished on the base.
    left_out: usize,
    unfinished: usize,
}

/// Compares the verdicts on a text with those on its text with stand-ins.
fn compare(cpu: &mut CpuEngine, text: &str, level: OptLevel, found: &mut Found) {
    let mut lowered = compiler(OptLevel::Lowered);
    lowered.compile(text);
    if !lowered.facts.lowers() || lowered.facts.errors == 0 {
        return;
    }
    let (other, places) = stand_ins(&lowered.compiled(&text.into()));
    let group = if text.len().is_multiple_of(2) { Group::Default } else { Group::Strong };
    cpu.configure(settings(&*cpu, group, level));
    let (whole, expected) = judge(cpu, &other.as_str().into(), 0);
    found.other_errors += usize::from(whole.compiled.facts.errors > 0);
    if whole.compiled.facts.errors > 0 || expected.is_empty() {
        return;
    }
    found.texts += 1;
    let (base, verdicts) = judge(cpu, &text.into(), 0);
    let start = |at: u32| whole.compiled.tokens.lo.binary_search(&at).ok();
    let place = |t: TokenId| places.get(&t.number()).and_then(|at| start(*at));
    let own = by_key(&base.compiled, verdicts.len(), place);
    let others = by_key(&whole.compiled, expected.len(), |t| Some(t.position()));
    // Where braces are missing, stand-ins end functions that end otherwise, or not at all: a mutant without a `return` at the
    // end of one is invalid, and not so in the text with stand-ins.
    let braces = |kind: TokenKind| lowered.tokens.kind.iter().filter(|own| **own == kind as u32).count();
    let lacks_brace = braces(TokenKind::LeftBrace) != braces(TokenKind::RightBrace);
    // A statement without `;` goes on with what follows a deleted one, and may then be a hole.
    let missing = Code::MissingSemicolon as u32 | ERROR_BEHIND;
    let lacks_end = lowered.tree.error.contains(&missing);
    let is_partial = |id: EntryId| base.entries[id.position()].outcome == Outcome::Trap(Trap::Hole);
    for (key, id) in own {
        let Some(other_id) = others.get(&key) else { continue };
        let (verdict, wanted) = (resolved(&verdicts, id), resolved(&expected, *other_id));
        if verdict == wanted {
            found.same += 1;
            found.killed += usize::from(verdict.killer.is_some());
            found.invalid += usize::from(verdict.status == MutantStatus::Invalid);
            continue;
        }
        // The run in the endless loop of a hole ends at the step limit.
        let reaches_hole = wanted.status == MutantStatus::Timeout && verdict.status != MutantStatus::Invalid;
        let by_partial = verdict.killer.is_some_and(is_partial)
            || verdict.status == MutantStatus::Unfinished
                && base.entries.iter().any(|e| e.outcome == Outcome::Trap(Trap::Hole) && e.judges());
        assert!(
            (reaches_hole && verdict.status != MutantStatus::Survived)
                || by_partial
                || lacks_brace && verdict.status == MutantStatus::Invalid
                || lacks_end && key.2 == "deletion" && verdict.status == MutantStatus::Unfinished,
            "{key:?}: {verdict:?}, not {wanted:?}, at {level:?} of\n{text}\n----\n{other}"
        );
        found.left_out += 1;
        found.unfinished += usize::from(verdict.status == MutantStatus::Unfinished);
    }
}

#[test]
fn verdicts_of_damaged_programs_equal_those_with_stand_ins() {
    let (mut cpu, mut found) = (CpuEngine::new(), Found::default());
    for seed in 0..scaled(250) {
        let unended = broken::without_semicolons(seed).1;
        for text in [broken::without_tokens(seed), broken::without_bracket(seed), unended] {
            compare(&mut cpu, &text, OptLevel::Lowered, &mut found);
        }
    }
    for text in super::files().iter().step_by(5) {
        for part in [3, 5, 7] {
            let end = text.char_indices().nth(text.chars().count() * part / 8).expect("a character").0;
            compare(&mut cpu, &text[..end], OptLevel::Lowered, &mut found);
        }
    }
    for (seed, text) in
        (0..scaled(10)).flat_map(|n| super::files().into_iter().step_by(6).map(move |text| (n, text)))
    {
        compare(&mut cpu, &broken::lacking(&text, seed + text.len() as u64), OptLevel::Lowered, &mut found);
    }
    assert!(found.killed > 1_000 && found.invalid > 100 && found.unfinished > 4, "{found:?}");
    assert!(found.other_errors * 10 < found.texts, "{found:?}");
}

#[test]
fn engines_agree_on_mutants_of_programs_with_holes() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), crate::common::gpu::lend());
    let mut unfinished = 0;
    let mut texts: Vec<String> = (1_000..1_000 + scaled(24)).map(broken::without_tokens).collect();
    texts.extend((1_000..1_000 + scaled(8)).map(broken::without_bracket));
    texts.extend((0..scaled(16)).map(|seed| broken::without_semicolons(seed).1));
    texts.extend(PARTIAL.iter().map(|text| text.to_string()));
    for (n, text) in texts.into_iter().enumerate() {
        let text: Arc<str> = text.into();
        let group = [Group::Default, Group::Strong, Group::Repair][n % 3];
        let level = [OptLevel::Local, OptLevel::Lowered][n % 2];
        for exact in [false, true] {
            let [(base, expected), (other, found)] = [&mut cpu as &mut dyn Engine, &mut *gpu].map(|engine| {
                engine.configure(EngineSettings { exact, ..settings(&*engine, group, level) });
                judge(engine, &text, 200)
            });
            assert_eq!(other.entries, base.entries, "{text}");
            let differs = found.iter().zip(&expected).position(|(found, expected)| found != expected);
            let all = (found.len(), differs);
            assert_eq!(all, (expected.len(), None), "{group:?} at {level:?}, exact {exact}, of\n{text}");
            unfinished += found.iter().filter(|verdict| verdict.status == MutantStatus::Unfinished).count();
        }
    }
    assert!(unfinished > 10, "{unfinished}");
}

/// Properties some of whose inputs reach a hole.
const PARTIAL: [&str; 3] = [
    "fn half(n: int) -> int { if n > 5 { n = m; } return n / 2; }\nprop n in 0..9 => half(2 * n) == n;\n",
    "fn half(n: int) -> int { if n > 5 { n = m; } return n / 2; }\nprop n in 0..9 if half(n) > 0 => n < 8;\n",
    "fn f(n: int) -> int { if n == 3 { n = m; } return n; }\nprop n in 0..9 => n < 7 && f(n) == n;\nprop n in 3..4 if f(n) > 0 => true;\n",
];

#[test]
fn property_judges_by_inputs_that_reach_no_hole() {
    let mut cpu = CpuEngine::with_threads(1);
    cpu.configure(settings(&cpu, Group::Default, OptLevel::Local));
    let hole = Outcome::Trap(Trap::Hole);
    // In the second text, 6 is the first input whose condition reaches the hole.
    for (text, outcome, failing, inputs, unfinished) in
        [(PARTIAL[0], hole, 3, 9, 6), (PARTIAL[1], hole, 6, 9, 3), (PARTIAL[2], Outcome::Fail, 7, 8, 1)]
    {
        let (base, _) = judge(&mut cpu, &text.into(), 0);
        let entry = base.entries[0];
        assert_eq!((entry.outcome, entry.failing_input), (outcome, Some(InputId::new(failing))), "{text}");
        assert_eq!((entry.inputs, entry.unfinished), (inputs, unfinished), "{text}");
    }
    let (base, verdicts) = judge(&mut cpu, &PARTIAL[0].into(), 0);
    let variants = Variants::new(base.compiled.clone());
    let status = |original: &str, replacement: &str| {
        let is = |id: &MutantId| {
            variants
                .describe(*id)
                .is_some_and(|own| (&*own.original, &*own.replacement) == (original, replacement))
        };
        Indices::first(verdicts.len() as u32).iter().find(is).map(|id| resolved(&verdicts, id).status)
    };
    assert_eq!(status("/", "+"), Some(MutantStatus::Killed));
    // No input enters the block, and the others judge no mutant.
    assert_eq!(status("n > 5", "false"), Some(MutantStatus::Survived));
    assert_eq!(status("n > 5", "true"), Some(MutantStatus::Unfinished));
    assert_eq!(status("n = m;", ""), None, "a hole is not mutated");
}

#[test]
fn later_oracle_kills_a_mutant_that_reaches_a_hole() {
    let mut cpu = CpuEngine::with_threads(1);
    cpu.configure(settings(&cpu, Group::Default, OptLevel::Local));
    let text = "fn f(n: int) -> int { let x = n * 2; if x > 11 { n = m; } return x; }\ntest f(5) == 10;\n\
                test f(1) + f(1) + f(1) == 6;\n";
    let (base, verdicts) = judge(&mut cpu, &text.into(), 0);
    let variants = Variants::new(base.compiled.clone());
    let of = |original: &str, replacement: &str| {
        let mut ids = Indices::first(verdicts.len() as u32).iter();
        let is = |id: &MutantId| {
            variants
                .describe(*id)
                .is_some_and(|own| (&*own.original, &*own.replacement) == (original, replacement))
        };
        verdicts[ids.find(is).expect("the mutant").position()]
    };
    assert_eq!(of("11", "1").status, MutantStatus::Unfinished);
    // In the first test, 15 reaches the hole; the second fails.
    let killed = of("2", "3");
    assert_eq!((killed.status, killed.killer), (MutantStatus::Killed, Some(EntryId::new(1))));
}

#[test]
fn mutants_of_correct_programs_do_not_depend_on_holes() {
    let mut cpu = CpuEngine::new();
    for seed in 0..scaled(30) {
        let text: Arc<str> = typed::program(seed).into();
        let [with, without] = [true, false].map(|holes| {
            cpu.configure(EngineSettings { holes, ..settings(&cpu, Group::Default, OptLevel::Local) });
            judge(&mut cpu, &text, 0).1
        });
        assert_eq!(with, without, "{text}");
    }
}
