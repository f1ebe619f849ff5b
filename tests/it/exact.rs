//! Shortcuts of the CPU engine give the same results as running everything.

use crate::common::extent::{one_in, scaled};
use std::sync::Arc;

use crate::common::{cases, typed};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, EngineSettings};
use myriad::lang::index::{Index, Indices, MutantId};
use myriad::lang::verdict::Verdict;

/// Number of random programs.
fn programs() -> u64 {
    scaled(250)
}

struct Engines {
    exact: CpuEngine,
    brief: CpuEngine,
}

impl Engines {
    fn new() -> Engines {
        let mut exact = CpuEngine::new();
        exact.configure(EngineSettings { exact: true, ..exact.settings() });
        // More threads than the mutants left at the end, so that visits are shared.
        Engines { exact, brief: CpuEngine::with_threads(6) }
    }

    /// Compares both engines on mutants of a program: the first `count`, and as many second-order ones from a
    /// position that the seed determines.
    fn compare(&mut self, text: &str, count: u32, seed: u32) {
        let text: Arc<str> = text.into();
        for engine in [&mut self.exact, &mut self.brief] {
            engine.base(&text, &|| false).unwrap_or_else(|error| panic!("{error}"));
        }
        let variants = self.brief.variants();
        let pairs = variants.all - variants.first_order;
        let from = variants.first_order + seed.wrapping_mul(0x9e37_79b9) % pairs.max(1);
        for first in [0, from] {
            let [exact, brief] =
                [&mut self.exact, &mut self.brief].map(|engine| verdicts(engine, first, count));
            for (id, (exact, brief)) in (first..).zip(exact.iter().zip(&brief)) {
                assert_eq!(exact, brief, "mutant {id} of this program:\n{text}");
            }
            assert_eq!(exact.len(), brief.len());
        }
    }
}

/// Returns verdicts without resolving duplicates against other mutants.
fn verdicts(engine: &mut CpuEngine, first: u32, count: u32) -> Vec<Verdict> {
    let mut left = engine.variants().clip(Indices::starting(MutantId::new(first), count));
    let mut all = Vec::new();
    while !left.is_empty() {
        let part = engine.part(left, &|| false).unwrap_or_else(|error| panic!("{error}"));
        left = left.after(part.result.ids().end());
        all.extend(part.result.verdicts);
    }
    all
}

#[test]
fn shortcuts_match_full_runs_on_samples_and_cases() {
    let mut engines = Engines::new();
    for (name, text) in one_in(1, cases::programs(&["samples", "tests/conformance", "tests/cases"])) {
        engines.compare(&text, 300, name.len() as u32);
    }
}

#[test]
fn shortcuts_match_full_runs_on_random_programs() {
    let mut engines = Engines::new();
    for seed in 0..programs() {
        engines.compare(&typed::program(seed), 40, seed as u32);
    }
}

/// Calls that stay within memory, depth and fuel where the base makes them, but not where a mutant does.
#[test]
fn shortcuts_match_full_runs_at_resource_limits() {
    let mut engines = Engines::new();
    // The mutant's call recurs deeper, or takes more memory, than is left where the base makes it.
    engines.compare(
        "fn g(n: int) -> int { if n > 1 { return g(n - 1) + 1; } return 1; }
         fn down(n: int) -> int { if n == 0 { return g(20); } return down(n - 1); }
         test g(3) == 3; test down(100) == 20; test down(105) == 20; test g(127) == 127;
         prop n in 1..20 => g(n) == n; prop n in 60..107 => down(n) == 20;",
        600,
        1,
    );
    engines.compare(
        "fn g(n: int) -> int { let xs = [n; 60]; if n > 0 { return g(n - 1) + 0 * xs[0]; } return 1; }
         fn fat(n: int) -> int { let xs = [n; 64]; if n == 0 { return g(3); } return fat(n - 1) + 0 * xs[0]; }
         test g(9) == 1; test fat(50) == 1; test fat(53) == 1; prop n in 0..9 => g(n) == 1;
         prop n in 30..50 => fat(n) == 1;",
        600,
        2,
    );
    // Mutants return the same values in other numbers of steps.
    engines.compare(
        "fn spin(n: int) -> int { let i = 0; while i < n { i += 1; } return 7; }
         fn twice(n: int) -> int { let s = 0; for _k in 0..40 { s += spin(n); } return s; }
         test spin(5) == 7; test twice(3) == 280; prop n in 0..30 => spin(n) == 7; prop n in 0..30 => twice(n) == 280;",
        600,
        3,
    );
    // More distinct calls in an input than are cached for one.
    engines.compare(
        "fn square(n: int) -> int { return n * n; }
         fn sum(n: int) -> int { let s = 0; for i in 0..n { s += square(i); } return s; }
         test sum(3) == 5; prop n in 0..90 => sum(n) * 6 == (n - 1) * n * (2 * n - 1);
         prop n in 0..500 => square(n) >= n;",
        600,
        4,
    );
    // Lists as arguments and results, short and full.
    engines.compare(
        "fn rev(xs: [int]) -> [int] { let ys = []; for x in xs { ys = [x] + ys; } return ys; }
         fn pick(xs: [int], i: int) -> int { if i < len(xs) { return xs[i]; } return 0; }
         prop xs in [-2..3; 8] => rev(rev(xs)) == xs; prop xs in [-2..3; 8] => len(rev(xs)) == len(xs);
         prop xs in [-2..3; 8], i in 0..9 => i >= len(xs) || pick(rev(xs), len(xs) - 1 - i) == pick(xs, i);",
        600,
        5,
    );
}

/// Calls whose footprint equals that of other calls on different lists, and mutants that read more than the
/// footprint.
#[test]
fn shortcuts_match_full_runs_with_equal_footprints() {
    let mut engines = Engines::new();
    engines.compare(
        "fn cell(xs: [int; 9], r: int, c: int) -> int { if r < 0 || r > 2 || c < 0 || c > 2 { return 0; } return xs[r * 3 + c]; }
         fn around(xs: [int; 9], r: int, c: int) -> int { return cell(xs, r - 1, c) + cell(xs, r + 1, c) + cell(xs, r, c - 1) + cell(xs, r, c + 1); }
         fn next(xs: [int; 9]) -> [int; 9] { let ys = xs; for i in 0..9 { if i < len(xs) { ys[i] = around(xs, i / 3, i % 3); } } return ys; }
         test next([1, 0, 0, 0, 1, 0, 0, 0, 1]) == [0, 2, 0, 2, 0, 2, 0, 2, 0];
         prop xs in [0..2; 9] => len(xs) < 9 || len(next(xs)) == 9; prop xs in [0..2; 9] => len(xs) < 9 || next(xs)[0] <= 2;",
        600,
        1,
    );
    // Three cases: the base compares only the first element, but mutants compare others or all; only lengths
    // are compared; a list is modified.
    engines.compare(
        "fn first(xs: [int; 6], n: int) -> bool { let i = 0; while i < 1 { if i < len(xs) && xs[i] == n { return true; } i += 1; } return false; }
         fn long(xs: [int; 6], ys: [int; 6]) -> bool { return len(xs) > len(ys) && (len(ys) < 9 || ys[0] == xs[0]); }
         fn set(xs: [int; 6], i: int) -> int { if i < len(xs) { xs[i] = 1; return xs[0] + xs[i]; } return 0; }
         fn all(xs: [int; 6]) -> int { let s = 0; for i in 0..3 { if first(xs, i) || long(xs, [i]) { s += set(xs, i); } } return s; }
         prop xs in [0..3; 5] => all(xs) >= 0; prop xs in [0..3; 5] => all(xs) <= 9; prop xs in [0..3; 3], i in 0..4 => set(xs, i) < 4;",
        600,
        2,
    );
    // Only the first of all inputs is passed to the call; mutants read outside the footprint, directly or
    // through another function.
    engines.compare(
        "fn head(xs: [int; 4]) -> int { return xs[0]; }
         fn at(xs: [int; 4], i: int) -> int { return xs[i]; }
         fn second(n: int, xs: [int; 4]) -> int { return at(xs, 1) * n; }
         fn sum(xs: [int; 4], ys: [int; 4]) -> int { let s = 0; for i in 0..2 { s += xs[i] * ys[0]; } return s; }
         prop a in 0..3, b in 0..3 => head([1, 1 + a, b]) == 1;
         prop a in 0..3, b in 0..3 => second(2, [b / 3, 0, a]) == 0;
         prop a in 0..3, b in 0..3 => sum([0, 1, a], [5, 5 + b]) == 5;",
        600,
        3,
    );
}
