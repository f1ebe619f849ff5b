//! What is kept of one base for the next gives the verdicts that judging from scratch gives.

use std::sync::Arc;

use crate::common::rng::Rng;
use crate::common::typed;
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::lang::mutation::Group;
use myriad::lang::verdict::Verdict;

/// Scripts of edits; more by the environment variable `MYRIAD_SCRIPTS`.
fn scripts() -> u64 {
    std::env::var("MYRIAD_SCRIPTS").ok().and_then(|n| n.parse().ok()).unwrap_or(200)
}

/// Verdicts on the first mutants of a text, and how many of them were known.
fn judged(engine: &mut CpuEngine, text: &Arc<str>, count: u32) -> (Vec<Verdict>, u32) {
    engine.base(text, &|| false).unwrap_or_else(|error| panic!("{error}"));
    let (mut verdicts, mut reused) = (Vec::new(), 0);
    let mut sink = |part: myriad::engine::MutantResult| {
        verdicts.extend(part.verdicts);
        reused += part.reused;
    };
    engine.mutants(0, count, &|| false, &mut sink).unwrap_or_else(|error| panic!("{error}"));
    (verdicts, reused)
}

fn reusing() -> CpuEngine {
    let mut engine = of_group(Group::Default);
    engine.set_reusing(true);
    engine
}

fn of_group(group: Group) -> CpuEngine {
    let mut engine = CpuEngine::with_threads(1);
    engine.set_group(group);
    engine
}

/// Does to a text what people do: another digit or operator, a comment, a line away, a line twice, a step back.
fn edited(text: &str, before: &str, rng: &mut Rng) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let line = rng.below(lines.len() + 1);
    let with = |change: &dyn Fn(&mut Vec<String>)| {
        let mut lines: Vec<String> = lines.iter().map(|line| line.to_string()).collect();
        change(&mut lines);
        lines.join("\n") + "\n"
    };
    let exchanged = |from: &[char], to: &str, rng: &mut Rng| {
        let places: Vec<(usize, &str)> = text.match_indices(from).collect();
        let Some((at, found)) = places.get(rng.below(places.len().max(1))) else {
            return text.into();
        };
        format!("{}{to}{}", &text[..*at], &text[at + found.len()..])
    };
    match rng.below(8) {
        0 | 1 => {
            let digit = rng.below(10).to_string();
            exchanged(&['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'], &digit, rng)
        }
        2 => {
            let operator = ["+", "-", "*", "/"][rng.below(4)];
            exchanged(&['+', '*', '/'], operator, rng)
        }
        3 => with(&|lines| lines.insert(line, "// a note".into())),
        4 => with(&|lines| {
            if line < lines.len() {
                lines.remove(line);
            }
        }),
        5 => with(&|lines| {
            if let Some(again) = lines.get(line).cloned() {
                lines.insert(line, again);
            }
        }),
        6 => text.replacen("    ", " ", 1 + rng.below(3)),
        _ => before.to_string(),
    }
}

#[test]
fn scripts_of_edits() {
    let mut engine = reusing();
    let (mut known, mut compared) = (0, 0);
    for seed in 0..scripts() {
        let group = if seed % 4 == 3 { Group::Repair } else { Group::Default };
        engine.set_group(group);
        let mut rng = Rng::new(seed);
        let mut text = typed::program(seed);
        let mut before = text.clone();
        for _ in 0..4 {
            let source: Arc<str> = text.as_str().into();
            // Some keystrokes come before all mutants are judged.
            let count = [40, 120, 3][rng.below(3)];
            let (found, reused) = judged(&mut engine, &source, count);
            let (expected, _) = judged(&mut of_group(group), &source, count);
            assert_eq!(found, expected, "script {seed}, this text:\n{text}");
            known += reused;
            compared += found.len() as u32;
            let next = edited(&text, &before, &mut rng);
            before = std::mem::replace(&mut text, next);
        }
    }
    assert!(
        known * 4 > compared && compared > 10 * scripts() as u32,
        "{known} of {compared} verdicts were known"
    );
}

fn sample(name: &str) -> String {
    let path = format!("{}/samples/{name}.myr", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a sample")
}

/// An edit that touches no code judges nothing anew; one in one function leaves the others' mutants alone.
#[test]
fn comments_and_single_functions() {
    let mut engine = reusing();
    let text = sample("sorting");
    let all = judged(&mut engine, &text.as_str().into(), 1_024);
    assert_eq!((all.0.len(), all.1), (1_024, 0));
    for comment in ["// a note\n", "  ", "// \"text\"\n"] {
        let (verdicts, reused) = judged(&mut engine, &format!("{comment}{text}").as_str().into(), 1_024);
        assert_eq!((verdicts, reused), (all.0.clone(), 1_024));
    }
    // A text that does not compile in between takes nothing away.
    let (verdicts, _) = judged(&mut engine, &format!("{text}fn").as_str().into(), 1_024);
    assert!(verdicts.is_empty());
    assert_eq!(judged(&mut engine, &text.as_str().into(), 1_024), (all.0, 1_024));
}

/// A mutant calls what the program does not: what the optimizer leaves out of it, or another function of the same type.
#[test]
fn what_only_mutants_call_counts() {
    for (group, before, after) in [
        (
            Group::Default,
            "fn h() -> int { return 0; } fn g() -> int { if false { return h(); } return 0; } test g() == 0;",
            "fn h() -> int { return 1; } fn g() -> int { if false { return h(); } return 0; } test g() == 0;",
        ),
        (
            Group::Repair,
            "fn a(n: int) -> int { return n + 1; } fn b(n: int) -> int { return n + 1; } fn f(n: int) -> int { return a(n); } test f(1) == 2;",
            "fn a(n: int) -> int { return n + 1; } fn b(n: int) -> int { return n + 2; } fn f(n: int) -> int { return a(n); } test f(1) == 2;",
        ),
    ] {
        let mut engine = reusing();
        engine.set_group(group);
        let first = judged(&mut engine, &before.into(), 500).0;
        let then = judged(&mut engine, &after.into(), 500).0;
        assert_ne!(first, then);
        assert_eq!(then, judged(&mut of_group(group), &after.into(), 500).0, "{after}");
    }
}

/// Who measures, and who asks for all runs, gets nothing that was known.
#[test]
fn nothing_is_reused_unasked() {
    let text: Arc<str> = sample("gcd").as_str().into();
    let mut plain = CpuEngine::with_threads(1);
    let mut exact = reusing();
    exact.set_exact(true);
    for engine in [&mut plain, &mut exact] {
        let first = judged(engine, &text, 200);
        assert_eq!(judged(engine, &text, 200), first);
        assert_eq!(first.1, 0);
    }
}
