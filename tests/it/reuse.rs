//! Reusing results of the previous base yields the same verdicts as judging from scratch.

use crate::common::extent::scaled;
use std::sync::Arc;

use crate::common::gpu::lend;
use crate::common::rng::Rng;
use crate::common::typed;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{BaseResult, Engine, EngineSettings};
use myriad::lang::index::Indices;
use myriad::lang::mutation::Group;
use myriad::lang::verdict::Verdict;

/// Number of scripts of edits.
fn scripts(usual: u64) -> u64 {
    scaled(usual)
}

/// Returns the verdicts on the first mutants of a text, and how many of them were reused.
fn judged(engine: &mut dyn Engine, text: &Arc<str>, count: u32) -> (Vec<Verdict>, u32) {
    base(engine, text);
    mutants(engine, count)
}

pub fn base(engine: &mut dyn Engine, text: &Arc<str>) -> BaseResult {
    engine.base(text, &|| false).unwrap_or_else(|error| panic!("{error}"))
}

pub fn mutants(engine: &mut dyn Engine, count: u32) -> (Vec<Verdict>, u32) {
    let (mut verdicts, mut reused) = (Vec::new(), 0);
    let mut sink = |part: myriad::engine::MutantResult| {
        verdicts.extend(part.verdicts);
        reused += part.reused;
    };
    engine.mutants(Indices::first(count), &|| false, &mut sink).unwrap_or_else(|error| panic!("{error}"));
    (verdicts, reused)
}

fn reusing() -> CpuEngine {
    let mut engine = of_group(Group::Default);
    engine.configure(EngineSettings { reusing: true, ..engine.settings() });
    engine
}

fn of_group(group: Group) -> CpuEngine {
    let mut engine = CpuEngine::with_threads(1);
    engine.configure(EngineSettings { group, ..engine.settings() });
    engine
}

/// Makes a typical edit: a changed digit or operator, a comment, a deleted or duplicated line, an undo.
pub fn edited(text: &str, before: &str, rng: &mut Rng) -> String {
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
fn reused_results_match_fresh_runs_after_edits() {
    follow(&mut reusing(), 0..scripts(200));
}

#[test]
fn device_reused_results_match_fresh_runs_after_edits() {
    let mut engine = lend();
    engine.configure(EngineSettings { reusing: true, ..EngineSettings::default() });
    follow(&mut *engine, 0..scripts(8));
}

/// Judges each text of some scripts on an engine that reuses results, and from scratch.
fn follow(engine: &mut dyn Engine, seeds: std::ops::Range<u64>) {
    let (mut known, mut compared, count) = (0, 0, seeds.end as u32);
    for seed in seeds {
        let group = if seed % 4 == 3 { Group::Repair } else { Group::Default };
        engine.configure(EngineSettings { group, ..engine.settings() });
        let mut rng = Rng::new(seed);
        let mut text = typed::program(seed);
        let mut before = text.clone();
        for _ in 0..4 {
            let source: Arc<str> = text.as_str().into();
            // Some keystrokes arrive before all mutants are judged.
            let count = [40, 120, 3][rng.below(3)];
            let mut fresh = of_group(group);
            let difference = base(engine, &source).difference_from(&base(&mut fresh, &source));
            assert_eq!(difference, None, "script {seed}, this text:\n{text}");
            let (found, reused) = mutants(engine, count);
            assert_eq!(found, mutants(&mut fresh, count).0, "script {seed}, this text:\n{text}");
            known += reused;
            compared += found.len() as u32;
            let next = edited(&text, &before, &mut rng);
            before = std::mem::replace(&mut text, next);
        }
    }
    assert!(known * 4 > compared && compared > 10 * count, "{known} of {compared} verdicts were known");
}

#[test]
fn reused_results_match_fresh_runs_after_items_break_and_mend() {
    let (mut processor, mut device) = (reusing(), lend());
    device.configure(EngineSettings { reusing: true, ..EngineSettings::default() });
    mend(&mut processor, 0..scripts(60));
    mend(&mut *device, 0..scripts(4));
}

/// Breaks and mends texts with holes: every other text of a script has an error.
fn mend(engine: &mut dyn Engine, seeds: std::ops::Range<u64>) {
    let (mut known, mut judged) = (0, 0);
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let holes =
            |engine: &dyn Engine| EngineSettings { holes: true, group: Group::Default, ..engine.settings() };
        engine.configure(holes(engine));
        let mut text = typed::program(seed);
        for turn in 0..6 {
            let shown = match turn % 2 {
                0 => text.clone(),
                _ => broken_by(&text, &mut rng),
            };
            let source: Arc<str> = shown.as_str().into();
            let mut fresh = CpuEngine::with_threads(1);
            fresh.configure(holes(&fresh));
            let difference = base(engine, &source).difference_from(&base(&mut fresh, &source));
            assert_eq!(difference, None, "script {seed}, this text:\n{shown}");
            let count = [40, 120, 3][rng.below(3)].min(fresh.variants().all);
            let (found, reused) = mutants(engine, count);
            assert_eq!(found, mutants(&mut fresh, count).0, "script {seed}, this text:\n{shown}");
            known += reused;
            judged += if turn % 2 == 1 { found.len() } else { 0 };
            if turn == 3 {
                text = edited(&text, &text, &mut rng);
            }
        }
    }
    assert!(known > 0 && judged > 0, "{known} verdicts were known, {judged} mutants of texts with errors");
}

/// Inserts a line with an error.
pub fn broken_by(text: &str, rng: &mut Rng) -> String {
    let mut lines: Vec<&str> = text.lines().collect();
    let broken = ["let x = ;", "missing();", "fn", "}", "test f0(;", "const A = 1 / 0;", "if true {"];
    lines.insert(rng.below(lines.len() + 1), broken[rng.below(broken.len())]);
    lines.join("\n") + "\n"
}

pub fn sample(name: &str) -> String {
    let path = format!("{}/samples/{name}.myr", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(path).expect("a sample")
}

/// An edit that touches no code judges nothing again; an edit in one function does not affect the others'
/// mutants.
#[test]
fn mutants_untouched_by_an_edit_are_not_rejudged() {
    not_judged_anew(&mut reusing(), &sample("sorting"), 1_024);
    let mut device = lend();
    device.configure(EngineSettings { reusing: true, ..EngineSettings::default() });
    not_judged_anew(&mut *device, &sample("bits"), 120);
}

fn not_judged_anew(engine: &mut dyn Engine, text: &str, count: u32) {
    let all = judged(engine, &text.into(), count);
    assert_eq!((all.0.len() as u32, all.1), (count, 0));
    for comment in ["// a note\n", "  ", "// \"text\"\n"] {
        let (verdicts, reused) = judged(engine, &format!("{comment}{text}").into(), count);
        assert_eq!((verdicts, reused), (all.0.clone(), count));
    }
    // A text in between that does not compile discards nothing.
    let (verdicts, _) = judged(engine, &format!("{text}fn").into(), count);
    assert!(verdicts.is_empty());
    assert_eq!(judged(engine, &text.into(), count), (all.0, count));
    // So does an added function, whatever its number. One before all others gives each of them a new one.
    let more = format!("{text}fn more() -> int {{ return 0; }}");
    let first = format!("fn first() -> int {{ return 0; }}\n{text}");
    for other in [more.clone(), more.replace("return 0", "return 1"), first, text.to_string()] {
        let (found, reused) = judged(engine, &other.as_str().into(), count);
        assert!(reused * 2 > count, "{reused} of {} mutants are known:\n{other}", found.len());
        assert_eq!(found, judged(&mut of_group(Group::Default), &other.into(), count).0);
    }
}

/// Returns the items of a program: each begins on its own line.
fn items(text: &str) -> Vec<String> {
    let mut items: Vec<String> = Vec::new();
    for line in text.lines() {
        let begins = ["fn ", "test ", "prop ", "const "].iter().any(|word| line.starts_with(word));
        match items.last_mut().filter(|_| !begins) {
            Some(item) => *item += &format!("\n{line}"),
            None => items.push(line.to_string()),
        }
    }
    items
}

/// Inserts, renames, deletes, exchanges, breaks or mends an item. `whole` are the items before anything was changed.
fn changed_items(items: &[String], whole: &[String], rng: &mut Rng) -> Vec<String> {
    let mut items = items.to_vec();
    let (at, other) = (rng.below(items.len().max(1)), rng.below(items.len().max(1)));
    let number = rng.below(1_000);
    match rng.below(9) {
        0 => items.insert(at, format!("fn more{number}(n: int) -> int {{ return n * {number}; }}")),
        1 => items.insert(at, format!("test {number} > 500;")),
        2 => {
            let name = whole.iter().filter_map(|item| item.strip_prefix("fn ")?.split('(').next());
            let names: Vec<&str> = name.collect();
            if let Some(name) = names.get(other % names.len().max(1)) {
                let new = format!("renamed{number}(");
                items.iter_mut().for_each(|item| *item = item.replace(&format!("{name}("), &new));
            }
        }
        _ if items.is_empty() => items = whole.to_vec(),
        3 => drop(items.remove(at)),
        4 => items.swap(at, other),
        5 | 6 => {
            let tokens: Vec<&str> = items[at].split_inclusive(' ').collect();
            let gone = rng.below(tokens.len());
            let rest = tokens.iter().enumerate().filter(|(token, _)| *token != gone);
            items[at] = rest.map(|(_, token)| *token).collect();
        }
        _ => items = whole.to_vec(),
    }
    items
}

#[test]
fn results_follow_items_that_come_go_and_break() {
    let mut device = lend();
    device.configure(EngineSettings { reusing: true, holes: true, ..EngineSettings::default() });
    let mut processor = reusing();
    processor.configure(EngineSettings { holes: true, ..processor.settings() });
    for (engine, count) in [(&mut processor as &mut dyn Engine, scripts(60)), (&mut *device, scripts(3))] {
        let (mut known, mut compared, mut broken) = (0, 0, 0);
        for seed in 0..count {
            let group = if seed % 4 == 3 { Group::Repair } else { Group::Default };
            engine.configure(EngineSettings { group, ..engine.settings() });
            let mut rng = Rng::new(seed);
            let text = if seed % 3 == 0 { row_of_functions(5) } else { typed::program(seed) };
            let whole = items(&text);
            let mut now = whole.clone();
            for _ in 0..8 {
                let source: Arc<str> = (now.join("\n") + "\n").into();
                let mut fresh = of_group(group);
                fresh.configure(EngineSettings { holes: true, ..fresh.settings() });
                let found = base(engine, &source);
                let difference = found.difference_from(&base(&mut fresh, &source));
                assert_eq!(difference, None, "script {seed} by {}:\n{source}", engine.describe());
                assert_eq!(engine.variants(), fresh.variants());
                if engine.variants().all > 0 {
                    let (verdicts, reused) = mutants(engine, 60);
                    assert_eq!(verdicts, mutants(&mut fresh, 60).0, "script {seed}:\n{source}");
                    (known, compared) = (known + reused, compared + verdicts.len() as u32);
                }
                broken += u32::from(found.compiled.facts.errors > 0);
                now = changed_items(&now, &whole, &mut rng);
            }
        }
        assert!(
            known * 4 > compared && compared > 50 * count as u32 && broken > 0,
            "{known} of {compared}, {broken}"
        );
    }
}

/// A program of many tests with long runs, in which each function calls the previous one. An edit in one
/// function affects the tests of the later ones.
fn row_of_functions(n: usize) -> String {
    let function = |i: usize| match i {
        0 => "fn f0(n: int) -> int { let s = 0; for i in 0..n { s += i * i % 7; } return s; }\n".into(),
        i => format!("fn f{i}(n: int) -> int {{ return f{}(n) + {i}; }}\n", i - 1),
    };
    let test = |i: usize| {
        let wrong = if i % 3 == 2 { "1" } else { "0" };
        format!(
            "test f{i}(300) == f{i}(300) + {wrong};\nprop n in 0..90 => f{i}(n) >= 0;\nprop a in 0..2000 => [a / 3][a / 1500 * {i}] == a / 3;\n"
        )
    };
    (0..n).map(function).chain((0..n).map(test)).collect()
}

/// Tests that no change reaches are not run again, even if they have moved; their results are still correct.
#[test]
fn tests_not_reached_by_an_edit_keep_correct_results() {
    let first = row_of_functions(6);
    let edits: [&dyn Fn(&str) -> String; 7] = [
        &|text| text.replace("+ 4;", "+ 40;"),
        &|text| format!("test 1 == 2;\n{text}"),
        &|text| format!("{text}prop a in 0..100 => f1(a) == f1(a) + a / 99;\n"),
        &|text| text.replace("i * i % 7", "i * i % 5"),
        &|text| {
            text.replacen(
                "test f0",
                "fn g(a: int) -> int { return f5(a) / (a - 3); }\ntest g(3) == 1;\ntest f0",
                1,
            )
        },
        &|text| text.replace("0..90", "0..80"),
        &|text| text.replace("+ 2;", "+ 2 ;;"),
    ];
    let mut device = lend();
    device.configure(EngineSettings { reusing: true, ..EngineSettings::default() });
    let mut processor = reusing();
    for engine in [&mut *device as &mut dyn Engine, &mut processor] {
        let mut text = first.clone();
        for (number, edit) in edits.iter().enumerate() {
            base(engine, &text.as_str().into());
            // For some texts, mutants are requested: the device then runs all tests, with the same results.
            if number % 2 == 1 {
                mutants(engine, 20);
            }
            let before = std::mem::take(&mut text);
            text = edit(&before);
            assert_ne!(text, before, "edit {number}");
            let source: Arc<str> = text.as_str().into();
            let (found, expected) = (base(engine, &source), base(&mut of_group(Group::Default), &source));
            assert_eq!(found.difference_from(&expected), None, "edit {number} by {}", engine.describe());
            assert_eq!(found.entries, expected.entries);
        }
    }
}

/// State that an engine has skipped for a base whose tests it did not run again is available on request.
#[test]
fn base_with_changed_layout_supports_every_request() {
    let text = sample("gcd");
    let (mut device, mut processor) = (lend(), reusing());
    device.configure(EngineSettings { reusing: true, ..EngineSettings::default() });
    for engine in [&mut *device as &mut dyn Engine, &mut processor] {
        let few = judged(engine, &text.as_str().into(), 10);
        // Some of its mutants are known, and the others are judged now.
        let again = judged(engine, &format!("// a note\n{text}").into(), 80);
        assert_eq!((&again.0[..10], again.1), (&few.0[..], 10));
        assert_eq!(again.0, judged(&mut of_group(Group::Default), &text.as_str().into(), 80).0);
        // Compiling a text without judging it discards nothing.
        let compiled = engine.compile(&format!("// to look at\n{text}").into(), &|| false);
        assert_eq!(compiled.map(|(compiled, _)| compiled.facts.errors), Ok(0));
        assert_eq!(engine.variants().all, 0);
        assert_eq!(judged(engine, &text.as_str().into(), 80), (again.0.clone(), 80));
        // Repetitions under noise need its inputs; no mutants were requested since.
        let entries = base(engine, &format!("// another\n{text}").into()).entries.len() as u32;
        let noise = myriad::compiler::stage::execute::Noise { seed: 1, threshold: 0, repetitions: 2 };
        let runs = engine.repeat(noise, Indices::first(2 * entries), &|| false);
        assert_eq!(runs.unwrap_or_else(|error| panic!("{error}")).len() as u32, 2 * entries);
        // Numbers of edits belong to one group.
        engine.configure(EngineSettings { group: Group::Repair, ..engine.settings() });
        let (found, reused) = judged(engine, &text.as_str().into(), 40);
        assert_eq!((found, reused), (judged(&mut of_group(Group::Repair), &text.as_str().into(), 40).0, 0));
    }
}

/// A mutant calls code that the program does not: a call that the optimizer removes, or another function of the
/// same type.
#[test]
fn changed_code_called_only_by_mutants_prevents_reuse() {
    let mut device = lend();
    device.configure(EngineSettings { reusing: true, ..EngineSettings::default() });
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
        let mut processor = reusing();
        for engine in [&mut *device as &mut dyn Engine, &mut processor] {
            engine.configure(EngineSettings { group, ..engine.settings() });
            let first = judged(engine, &before.into(), 500).0;
            let then = judged(engine, &after.into(), 500).0;
            assert_ne!(first, then);
            assert_eq!(then, judged(&mut of_group(group), &after.into(), 500).0, "{after}");
        }
    }
}

/// Measurements and exact runs reuse nothing.
#[test]
fn results_are_not_reused_by_default_or_in_exact_runs() {
    let text: Arc<str> = sample("gcd").as_str().into();
    let (mut plain, mut exact, mut device) = (CpuEngine::with_threads(1), reusing(), lend());
    exact.configure(EngineSettings { exact: true, ..exact.settings() });
    let mut engines = [&mut plain as &mut dyn Engine, &mut exact, &mut *device];
    for engine in &mut engines {
        let first = judged(*engine, &text, 60);
        assert_eq!(judged(*engine, &text, 60), first);
        assert_eq!(first.1, 0);
    }
}
