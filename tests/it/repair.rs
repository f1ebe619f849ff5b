//! Repairs: every offered repair passes all tests, and the bug's own repair is among the first.

mod device;
mod published;
mod questions;
mod reference;
mod stopped;

use std::sync::Arc;

use crate::common::command::myriad;
use crate::common::extent::{one_in, scaled};
use crate::common::{cases, programs};
use myriad::compiler::variants::Variants;
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::lang::index::{Index, Indices, MutantId};
use myriad::lang::verdict::{MutantStatus, Outcome};
use myriad::testing::mutation::repair::{Repair, RepairQuestion, Rule, Search, reasons};

/// Number of mutants of each sample that are repaired.
fn per_sample() -> usize {
    scaled(4).max(2) as usize
}

/// Returns all repairs of a program; checks that each one passes every test.
fn repairs(engine: &mut CpuEngine, text: &str) -> Vec<Repair> {
    let base = engine.base(&text.into(), &|| false).unwrap_or_else(|error| panic!("{error}"));
    let Some(mut search) = Search::new(base.compiled, &base.entries, &|| false) else { return Vec::new() };
    while !search.is_done() && search.searched() < 20_000 {
        search.step(&|| false).expect("nobody stops it");
    }
    let repairs = search.repairs(&|| false);
    if let Some(question) = search.question(&repairs, &|| false) {
        answers_tell_apart(engine, text, &repairs, &question);
    }
    for repair in &repairs {
        let mended: Arc<str> = repair.apply(text).into();
        let base = engine.base(&mended, &|| false).unwrap();
        assert_eq!(base.compiled.facts.errors, 0, "{repair:?} of\n{text}");
        assert!(base.entries.iter().all(|e| e.outcome == Outcome::Pass), "{repair:?} of\n{text}");
    }
    repairs
}

/// Each answer as a test passes with the repairs that it lists, and fails with the others in question.
fn answers_tell_apart(engine: &mut CpuEngine, text: &str, repairs: &[Repair], question: &RepairQuestion) {
    assert!(question.answers.len() > 1);
    for (test, ranks) in &question.answers {
        for (rank, repair) in (1..).zip(repairs.iter().take(8)) {
            let with: Arc<str> = format!("{}\n{test}\n", repair.apply(text)).into();
            let base = engine.base(&with, &|| false).unwrap();
            assert_eq!(base.compiled.facts.errors, 0, "{with}");
            let passes = base.entries.last().unwrap().outcome == Outcome::Pass;
            assert_eq!(passes, ranks.contains(&rank), "repair {rank} and {test} of\n{text}");
        }
    }
}

/// Returns the changes of each repair as `old → new`.
fn written(text: &str, repairs: &[Repair]) -> Vec<Vec<String>> {
    let change = |repair: &Repair| {
        let of = |change: &myriad::testing::mutation::repair::Change| {
            format!("{} → {}", &text[change.lo..change.hi], change.replacement.trim())
        };
        repair.changes.iter().map(of).collect()
    };
    repairs.iter().map(change).collect()
}

const GCD: &str = "\
fn gcd(a: int, b: int) -> int {
    while b != 0 {
        let t = a % b;
        a = b;
        b = a;
    }
    return a;
}
test gcd(12, 18) == 6;
test gcd(35, 64) == 1;
test gcd(7, 0) == 7;
";

const FIND: &str = "\
fn find(xs: [int], x: int) -> int {
    let i = 0;
    while xs[i] != x { i += 1; }
    return i;
}
test find([5, 6], 6) == 1;
test find([5], 5) == 0;
test find([5, 6], 7) == 2;
test find([], 7) == 0;
";

#[test]
fn single_edit_bugs_are_repaired_by_that_edit() {
    let mut engine = CpuEngine::new();
    for (text, wanted) in [
        (GCD, "a → t"),
        (FIND, "xs[i] != x → i < len(xs) && xs[i] != x"),
        (
            "fn f(n: int) -> int { let s = 0; for i in 0..n { s += i; } return s; }
          test f(0) == 0; test f(1) == 1; test f(4) == 10; test f(7) == 28;",
            ".. → ..=",
        ),
        (
            "fn half(a: int, b: int) -> int { return (a + b) / 2; }
          prop a in 0..2147483647, b in 0..2147483647 => half(a, b) >= min(a, b) && half(a, b) <= max(a, b);
          test half(3, 9) == 6; test half(2, 5) == 3;",
            "(a + b) / 2 → a + (b - a) / 2",
        ),
        (
            "fn both(a: bool, b: bool) -> bool { return a || b; }
          test both(true, true); test !both(true, false); test !both(false, true); test !both(false, false);",
            "|| → &&",
        ),
        (
            "fn mean(xs: [int]) -> int { let t = 0; for x in xs { t += x; } return t / len(xs); }
          test mean([2, 4]) == 3; test mean([]) == 0; test mean([9]) == 9; test mean([-4, 2]) == -1;",
            "len(xs) → max(len(xs), 1)",
        ),
        (
            "fn rest(xs: [int]) -> [int] { return xs[0..len(xs)]; }
          test rest([1, 2, 3]) == [2, 3]; test rest([4]) == []; test len(rest([1, 2])) == 1;",
            "0 → 1",
        ),
        (
            "fn sums(xs: [int]) -> [int] { let all: [int] = []; let s = 0; for x in xs { s += x; all += [s]; } return all; }
          test sums([]) == [0]; test sums([3]) == [0, 3]; test sums([1, 2]) == [0, 1, 3]; test len(sums([7, 7])) > 1;",
            "[] → [0]",
        ),
        (
            "fn ends(xs: [int], n: int) -> [int] { return xs[0..n] + xs[n..len(xs)]; }
          test ends([1, 2, 3], 1) == [2, 3, 1]; test ends([1, 2], 0) == [1, 2]; test ends([4, 5], 1) == [5, 4];",
            "xs[0..n] + xs[n..len(xs)] → xs[n..len(xs)] + xs[0..n]",
        ),
        (
            "fn first(xs: [int], k: int) -> int { let s = 0; for x in xs { s += x; } return s; }
          test first([1, 2, 3], 2) == 3; test first([5], 1) == 5; test first([4, 9], 1) == 4; test first([7, 1], 0) == 0;",
            "xs → xs[0..k]",
        ),
        (
            "fn area(w: int, h: int, gap: int) -> int { return w * h; }
          test area(3, 2, 0) == 6; test area(3, 5, 1) == 12; test area(2, 9, 4) == 10; test area(7, 8, 8) == 0;",
            "h → (h - gap)",
        ),
    ] {
        let found = repairs(&mut engine, text);
        let said = written(text, &found);
        let rank = said.iter().position(|changes| *changes == [wanted]);
        assert!(rank.is_some_and(|rank| rank < 5), "{wanted} is not among the first of {said:?}\n{text}");
    }
}

/// The changes of a repair that mend failures alone are marked, and its lines are whole.
#[test]
fn independent_changes_can_be_taken_alone() {
    let text = "fn low(a: int, b: int) -> int { if a > b { return a; } return b; }\nfn high(a: int, b: int) -> int {\n    return min(a, b);\n}\n\
                test low(1, 2) == 1;\ntest low(4, 3) == 3;\ntest low(2, 2) == 2;\ntest high(1, 2) == 2;\ntest high(5, 4) == 5;\n";
    let found = repairs(&mut CpuEngine::new(), text);
    let best = found.first().expect("a repair");
    let mends: Vec<u32> = best.changes.iter().map(|change| change.mends).collect();
    assert_eq!(mends, [2, 2], "{best:?}");
    assert_eq!(
        best.lines(text),
        [
            (0..1, "fn low(a: int, b: int) -> int { if a < b { return a; } return b; }".to_string()),
            (2..3, "    return max(a, b);".to_string()),
        ]
    );
    let why = reasons(&found);
    assert!(why[0].starts_with("cost 5 (operator + callee), changes 18 of 23 results, suspicion "), "{why:?}");
}

/// Several bugs at once: each is repaired by its own change, even if another bug hides a test's result.
#[test]
fn several_bugs_are_repaired_together() {
    let mut engine = CpuEngine::new();
    let midpoint =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/samples/midpoint.myr")).unwrap();
    let found = repairs(&mut engine, &midpoint);
    let best = found.first().expect("a repair of the sample");
    assert!((5..=7).contains(&best.changes.len()), "{best:?}");
    assert!(best.changes.iter().any(|change| change.rule == Rule::Halve), "{best:?}");
    // One change removes a trap, and a second one repairs the rest.
    let text = "fn first_even(xs: [int]) -> int { let i = 0; while xs[i] % 2 != 0 { i += 1; } return xs[i]; }
                test first_even([1, 4]) == 4; test first_even([2]) == 2; test first_even([1, 3]) == 0; test first_even([]) == 0;";
    let found = repairs(&mut engine, text);
    let guards = |repair: &Repair| {
        repair.changes.iter().filter(|change| change.replacement.contains("return 0")).count()
    };
    assert!(found.iter().any(|repair| guards(repair) == 2), "{:?}", written(text, &found));
}

#[test]
fn passing_and_invalid_programs_get_no_repair() {
    let mut engine = CpuEngine::new();
    for text in ["", "fn f() -> int { return 1; } test f() == 1;", "fn f( { test 1 == 2;"] {
        assert_eq!(repairs(&mut engine, text), vec![], "{text}");
    }
    // Without a function there is nothing to change.
    assert_eq!(repairs(&mut engine, "test 1 == 2;"), vec![]);
}

/// A killed mutant is a program with a bug of one edit; a repair is nearly always found.
#[test]
fn killed_mutants_of_samples_are_mostly_repaired() {
    let mut engine = CpuEngine::new();
    let (mut mended, mut tried) = (0, 0);
    for name in ["gcd", "primes", "search", "roman", "queens"] {
        let path = format!("{}/samples/{name}.myr", env!("CARGO_MANIFEST_DIR"));
        let text = std::fs::read_to_string(path).unwrap();
        let base = engine.base(&text.as_str().into(), &|| false).unwrap();
        let mut verdicts = Vec::new();
        let variants = Variants::new(base.compiled.clone());
        let count = variants.first_order();
        engine.mutants(Indices::first(count), &|| false, &mut |part| verdicts.extend(part.verdicts)).unwrap();
        let killed = |id: &MutantId| verdicts[id.position()].status == MutantStatus::Killed;
        for id in Indices::first(count).iter().filter(killed).step_by(count as usize / 5).take(per_sample()) {
            let broken = variants.source(id).unwrap();
            tried += 1;
            mended += usize::from(!repairs(&mut engine, &broken).is_empty());
        }
    }
    assert!(tried >= 4 * per_sample() && mended * 10 >= tried * 7, "{mended} of {tried}");
}

#[test]
fn repair_command_prints_and_applies_repairs() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("gcd.myr");
    std::fs::write(&path, GCD).unwrap();
    let file = path.to_str().unwrap();
    let called = myriad(&["repair", file, "--engine", "cpu"], b"");
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert!(called.stdout.contains("1.    5:13  variable    a → t"), "{}", called.stdout);
    let document = myriad(&["repair", file, "--engine", "cpu", "--format", "json", "--most", "1"], b"").json();
    let repairs = &document["files"][0]["repairs"];
    assert_eq!(repairs.as_array().map(Vec::len), Some(1));
    assert_eq!((&repairs[0]["rank"], &repairs[0]["tests_passed"]), (&1.into(), &3.into()));
    assert_eq!(repairs[0]["edits"][0]["replacement"], "t");
    assert!(document["files"][0]["searched"].as_u64().is_some_and(|n| n > 50));
    let again = myriad(&["repair", file, "--engine", "cpu", "--format", "json", "--most", "1"], b"").json();
    assert_eq!(document, again, "the same on every run");
    let called = myriad(&["repair", "--apply", file, "--engine", "cpu"], b"");
    assert_eq!(called.code, 0, "{}", called.stderr);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), GCD.replace("b = a;", "b = t;"));
    assert!(myriad(&["repair", file, "--engine", "cpu"], b"").stdout.contains("nothing to repair"));
    // Failure is reported, and standard input cannot be written to.
    let called = myriad(&["repair", "-", "--engine", "cpu"], b"fn f() -> int { return 3; } test f() == 77;");
    assert_eq!(
        (called.code, called.stderr.contains("no repair of the 1 failing test")),
        (1, true),
        "{}",
        called.stderr
    );
    let called = myriad(&["repair", "--apply", "-", "--engine", "cpu"], GCD.as_bytes());
    assert_eq!((called.code, called.stderr.contains("standard input cannot")), (2, true), "{}", called.stderr);
}

/// Searching programs that fail in any way does no harm.
#[test]
fn failing_programs_of_any_kind_are_searched() {
    let mut engine = CpuEngine::new();
    let small = cases::programs(&["tests/conformance"]).into_iter().filter(|(_, text)| text.len() < 1_500);
    // The largest programs are searched in part.
    for (_, text) in one_in(2, small.chain(programs::hostile())) {
        let base = engine.base(&text.as_str().into(), &|| false).unwrap();
        if let Some(mut search) = Search::new(base.compiled, &base.entries, &|| false) {
            search.step(&|| false).expect("nobody stops it");
            search.repairs(&|| false);
        }
    }
}

/// The correct fix takes 20,000 steps more than all runs of the base.
const LONG: &str = "\
fn f(n: int) -> int {
    let xs = [0];
    let t = xs[1];
    for _i in 0..n { t += 1; }
    return t;
}
test f(4000) == 4000;
test f(7) == 7;
";

/// A repair that runs out of steps is judged again with the language's full step limit, on every engine.
#[test]
fn slow_repairs_are_judged_with_the_full_step_limit() {
    let first = |engine: &str| {
        let document = myriad(&["repair", "-", "--engine", engine, "--format", "json"], LONG.as_bytes()).file();
        document["repairs"][0]["edits"][0].clone()
    };
    let edit = first("cpu");
    assert_eq!((&edit["original"], &edit["replacement"]), (&"1".into(), &"0".into()), "{edit}");
    assert_eq!(first("gpu"), edit);
    // Also if the step limit hides a test that passes on the base.
    let hidden =
        LONG.replace("test f(7) == 7;", "test f(0) == 0 || f(3000) == 3000;").replace("xs[1]", "xs[0] + 1");
    let document = myriad(&["repair", "-", "--format", "json"], hidden.as_bytes()).file();
    assert!(!document["repairs"].as_array().expect("a list").is_empty(), "{document}");
}

/// The final advice names a limit only if it ended the search.
#[test]
fn advice_names_only_reached_limits() {
    let hopeless = "fn f(n: int) -> int { return n; }\ntest f(1) == 7; test f(2) == 1; test f(3) == 77;\n";
    let slow = "fn f(n: int) -> int { let i = 0; while i < 90000 { i += 1; } return n * 2 + i - i; }
        test f(1) == 7; test f(2) == 1; test f(3) == 77; test f(4) == -7; test f(5) == 0;\n";
    let said_of = |text: &str, options: &[&str]| {
        let called = myriad(&[&["repair", "-"], options].concat(), text.as_bytes());
        assert_eq!(called.code, 1, "{called:?}");
        called.stderr
    };
    let said = |options: &[&str]| said_of(hopeless, options);
    let all = said(&[]);
    assert!(all.contains("fix it by hand") && !all.contains("search longer"), "{all}");
    let few = said(&["--budget", "3"]);
    assert!(few.contains("search longer by --budget, or fix it by hand"), "{few}");
    let short = said_of(slow, &["--seconds", "0.1"]);
    assert!(short.contains("search longer by --seconds, or fix it by hand"), "{short}");
}

#[test]
fn a_repair_of_a_loop_without_end_changes_results() {
    let text = "fn upto(n: int) -> int { let i = 0; while i < n { i = i - 1; } return i; }\ntest upto(3) == 3;\ntest upto(5) == 5;\n";
    let repairs = repairs(&mut CpuEngine::new(), text);
    let first = repairs.first().expect("i + 1");
    assert!(first.changed > 0 && first.changed <= first.calls, "{} of {}", first.changed, first.calls);
}
