//! Counterexamples are small, even if binders can only change together.

use std::sync::Arc;

use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::explain::explain;
use myriad::lang::index::{EntryId, Index};
use myriad::lang::verdict::Outcome;

/// Returns the counterexample of a program's first test or property, as text.
#[track_caller]
fn shrunk(text: &str) -> String {
    let text: Arc<str> = text.into();
    let base = CpuEngine::with_threads(1).base(&text, &|| false).unwrap_or_else(|error| panic!("{error}"));
    assert!(!base.entries.is_empty(), "it does not compile: {text}");
    assert_ne!(base.entries[0].outcome, Outcome::Pass, "{text}");
    let explanation = explain(&base.compiled, EntryId::FIRST, &base.entries[0]);
    let values = explanation.counterexample.iter().map(|(name, value)| format!("{name} = {value}"));
    values.collect::<Vec<_>>().join(", ")
}

#[test]
fn numbers_with_a_fixed_difference_shrink_together() {
    assert_eq!(shrunk("prop a in 0..700, b in 0..700 => a != b + 1 || a <= 100;"), "a = 101, b = 100");
    assert_eq!(shrunk("prop a in -500..500, b in -500..500 => a != -b || abs(a) <= 20;"), "a = 21, b = -21");
}

#[test]
fn numbers_with_a_fixed_sum_shrink_to_one_number() {
    assert_eq!(shrunk("prop a in 0..800, b in 0..800 => a + b < 600 || a + b > 603;"), "a = 0, b = 600");
}

#[test]
fn proportional_numbers_shrink_together() {
    assert_eq!(shrunk("prop a in 0..600, b in 0..900 => b / 3 != a || a < 5;"), "a = 5, b = 15");
}

#[test]
fn three_dependent_numbers_shrink_together() {
    let text = "prop a in 0..40, b in 0..40, c in 0..80 => a + b != c || a < 6 || b < 6;";
    assert_eq!(shrunk(text), "a = 6, b = 6, c = 12");
}

#[test]
fn lists_of_equal_length_shrink_together() {
    let text = "prop xs in [0..100; 6], ys in [0..100; 6] => len(xs) != len(ys) || len(xs) < 2;";
    assert_eq!(shrunk(text), "xs = [0, 0], ys = [0, 0]");
}

#[test]
fn equal_lists_are_shrunk_together() {
    let text = "prop xs in [0..3; 8], ys in [0..3; 8] => xs != ys || len(xs) < 2;";
    assert_eq!(shrunk(text), "xs = [0, 0], ys = [0, 0]");
}

#[test]
fn list_shrinks_with_the_number_of_its_length() {
    let text = "prop xs in [0..100; 8], n in 0..9 => len(xs) != n || n < 2;";
    assert_eq!(shrunk(text), "xs = [0, 0], n = 2");
}

#[test]
fn list_shrinks_with_the_number_of_its_sum() {
    let text = "prop xs in [0..30; 8], n in 0..100 => sum(xs) != n || n < 10 || len(xs) < 3;
        fn sum(xs: [int]) -> int { let total = 0; for x in xs { total += x; } return total; }";
    assert_eq!(shrunk(text), "xs = [0, 0, 10], n = 10");
}

#[test]
fn element_shrinks_with_the_number_equal_to_it() {
    let text = "prop xs in [0..300; 6], n in 0..300 => !has(xs, n) || n < 6;
        fn has(xs: [int], n: int) -> bool { for x in xs { if x == n { return true; } } return false; }";
    assert_eq!(shrunk(text), "xs = [6], n = 6");
}

#[test]
fn joint_shrinking_keeps_domain_and_fault() {
    // One step too far, b leaves its domain, or the property fails instead of trapping.
    let text = "prop a in 0..700, b in 60..700 => pick(a, b);
        fn pick(a: int, b: int) -> bool { if a == b + 1 && a > 20 { return 1 / (a - b - 1) == 0; } return a != b || a > 90; }";
    assert_eq!(shrunk(text), "a = 61, b = 60");
}

/// A number is reduced further even if it cannot be halved.
#[test]
fn numbers_shrink_past_local_minima() {
    let digits = "fn id(x: int) -> int { return x; } prop x in 0..1000000 => ";
    assert_eq!(shrunk(&format!("{digits} id(x) % 10 != 7;")), "x = 7");
    assert_eq!(shrunk(&format!("{digits} id(x) % 100 != 7;")), "x = 7");
    assert_eq!(shrunk(&format!("{digits} id(x) & 7 != 5 || x / 8 & 1 != 0;")), "x = 5");
    let prime = "fn prime(n: int) -> bool {
            if n < 2 { return false; }
            let d = 2;
            while d * d <= n { if n % d == 0 { return false; } d += 1; }
            return true;
        } ";
    assert_eq!(shrunk(&format!("prop x in 0..1000000 => !prime(x); {prime}")), "x = 2");
    // Beyond the numbers that are tried in order: digits and bits are cleared, and the numbers just below are
    // tried.
    assert_eq!(shrunk(&format!("{digits} id(x) % 1000 < 777 || id(x) % 1000 > 787;")), "x = 777");
    assert_eq!(shrunk(&format!("{digits} id(x) & 1023 < 680 || id(x) & 1023 > 690;")), "x = 680");
    assert_eq!(shrunk(&format!("prop x in 0..1000000 => x < 1000 || !prime(x); {prime}")), "x = 1009");
    // On either side of 0, and with two numbers.
    let text = "prop x in -900000..900000, y in -900000..900000 => id(x) % 5 != -3 || id(y) % 5 != 2;
        fn id(x: int) -> int { return x; }";
    assert_eq!(shrunk(text), "x = -3, y = 2");
}

/// A shrunk counterexample keeps the fault of the original input: the same trap at the same instruction.
#[test]
fn a_shrunk_counterexample_keeps_the_fault() {
    let text = "fn g(x: int) -> int {
    if x > 1000 {
        return 1 / (x - x);
    }
    if x == 999 {
        return 5 % (x - 999);
    }
    return 0;
}
prop x in 0..1000000 => g(x) == 0;";
    let base = CpuEngine::with_threads(1).base(&text.into(), &|| false).expect("no device");
    let found = explain(&base.compiled, EntryId::FIRST, &base.entries[0]);
    assert_eq!((shrunk(text).as_str(), found.trap_line), ("x = 1001", Some(3)));
    // A false result is a different fault than a trap; the instruction at which steps run out is arbitrary.
    let text = "fn h(x: int) -> int { if 100 < x && x < 4000 { return 1 / (x - x); } return x; }
        prop x in 0..1000000 => h(x) < 5000;";
    assert_eq!(shrunk(text), "x = 5000");
    let text = "fn h(x: int) -> int { let y = 0; while y < x * 40000 { y += 1; } return y; }
        prop x in 0..50000 => h(x) >= 0;";
    assert_eq!(shrunk(text), "x = 3");
}
