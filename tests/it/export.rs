//! A third implementation as a check: exported to C and compiled by another compiler, every test and property
//! ends as on the CPU engine.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use crate::common::cases::programs;
use crate::common::command::{call, call_with};
use crate::common::compile::compile;
use myriad::compiler::export::c::{self, ExportedEntry, Unit};
use myriad::compiler::export::compiler::ExportCompiler;
use myriad::compiler::program::Compiled;
use myriad::compiler::stage::execute::mutant_fuel;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, EntryResult, oracles};
use myriad::lang::index::{EntryId, Index, Indices, MutantId};
use myriad::lang::trap::Trap;
use myriad::lang::verdict::{MutantStatus, Outcome, Verdict};

/// Outcomes in C: by unit number, the indices and outcomes of its entries in order.
type Ends = BTreeMap<usize, Vec<(u32, Outcome)>>;

/// Compiles units into one program, without warnings, and runs it.
fn run(compiler: &ExportCompiler, units: &[Unit], flags: &[&str]) -> Ends {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, program) = (folder.path().join("program.c"), folder.path().join("program"));
    std::fs::write(&source, c::source(units)).expect("room for a file");
    if let Err(error) = compiler.compile(&source, &program, flags) {
        let kept = std::env::temp_dir().join("myriad-export.c");
        let _ = std::fs::copy(&source, &kept);
        panic!("{error}\nsee {}", kept.display());
    }
    let output = Command::new(&program).output().expect("it runs");
    let said = String::from_utf8(output.stdout).expect("UTF-8");
    let mut ends = Ends::new();
    let mut unit = 0;
    for line in said.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        match words[..] {
            ["unit", number] => unit = number.parse().expect("a number"),
            [index, "line", _, ref end @ ..] => {
                let outcome = match end {
                    ["pass"] => Outcome::Pass,
                    ["fail"] => Outcome::Fail,
                    ["discarded"] => Outcome::Discarded,
                    ["trap", name] => Outcome::Trap(trap(name)),
                    _ => panic!("{line}"),
                };
                ends.entry(unit).or_default().push((index.parse().expect("an index"), outcome));
            }
            _ => panic!("{line}"),
        }
    }
    let all_pass = ends.values().flatten().all(|(_, outcome)| *outcome == Outcome::Pass);
    assert_eq!(output.status.code(), Some(i32::from(!all_pass)));
    ends
}

fn trap(name: &str) -> Trap {
    *Trap::ALL.iter().find(|trap| trap.ident() == name).expect("a trap")
}

/// Resources that C counts differently: such traps come later there, or not at all.
fn counts_resources(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Trap(Trap::StepLimit | Trap::OutOfMemory))
}

fn compiler() -> ExportCompiler {
    ExportCompiler::find().expect("a C compiler: `apt-get install tcc`, or another of tcc, gcc and cc")
}

fn base(text: &str) -> (Arc<Compiled>, Vec<EntryResult>) {
    let result =
        CpuEngine::with_threads(1).base(&Arc::from(text), &|| false).expect("the CPU engine does not fail");
    (result.compiled, result.entries)
}

fn compare(found: &Ends, programs: &[(String, Arc<Compiled>, Vec<EntryResult>)]) {
    let (mut equal, mut later) = (0, 0);
    for (unit, (name, _, entries)) in programs.iter().enumerate() {
        let ends = found.get(&unit).map_or(&[][..], |ends| ends);
        assert_eq!(ends.len(), entries.len(), "{name}");
        for ((index, end), entry) in ends.iter().zip(entries) {
            if *end == entry.outcome {
                equal += 1;
            } else {
                assert!(
                    counts_resources(entry.outcome),
                    "{name}, {index}: {end:?} in C, {:?} here",
                    entry.outcome
                );
                later += 1;
            }
        }
    }
    assert!(equal > 20 * later, "{equal} are equal, {later} count resources");
}

fn units<'a>(
    programs: &'a [(String, Arc<Compiled>, Vec<EntryResult>)],
    entries: &'a [Vec<ExportedEntry>],
) -> Vec<Unit<'a>> {
    let pairs = programs.iter().zip(entries);
    pairs.map(|((_, program, _), entries)| Unit { program, entries, stop_at_first_failure: false }).collect()
}

#[test]
fn exported_tests_match_the_cpu_engine() {
    let mut texts = programs(&["samples", "tests/conformance", "tests/cases", "assets/neural/written"]);
    texts.extend((0..60).map(|seed| (format!("random program {seed}"), crate::common::typed::program(seed))));
    texts.extend(crate::common::programs::hostile().into_iter().map(|(name, text)| (name.to_string(), text)));
    let mut compiled = vec![];
    for (name, text) in texts {
        let (program, entries) = base(&text);
        // The command refuses programs with `?`.
        let is_whole = program.facts.errors == 0 && program.view().holes().next().is_none();
        if is_whole && !entries.is_empty() {
            compiled.push((name, program, entries));
        }
    }
    assert!(compiled.len() > 80, "only {} programs compile", compiled.len());
    let entries: Vec<_> = compiled.iter().map(|(_, program, _)| c::all_entries(program)).collect();
    compare(&run(&compiler(), &units(&compiled, &entries), &["-Wall"]), &compiled);
    // Other compilers have additional warnings.
    for name in ["gcc", "cc"] {
        let Some(compiler) = ExportCompiler::named(name) else { continue };
        let flags = ["-std=c99", "-pedantic", "-Wall", "-Wextra"];
        compare(&run(&compiler, &units(&compiled[..30], &entries[..30]), &flags), &compiled[..30]);
        break;
    }
}

#[test]
fn exported_mutants_are_killed_by_the_same_test() {
    let compiler = compiler();
    let (mut judged, mut timeouts) = (0, 0);
    for sample in ["gcd", "sorting", "crc", "roman", "queens", "text"] {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(format!("samples/{sample}.myr"));
        let text = std::fs::read_to_string(path).expect("a sample");
        let mut engine = CpuEngine::with_threads(1);
        let result = engine.base(&Arc::from(&*text), &|| false).expect("the CPU engine does not fail");
        let judging = oracles::order(&result.entries);
        let entries: Vec<ExportedEntry> = judging
            .into_iter()
            .map(|id| ExportedEntry { id, fuel: mutant_fuel(result.entries[id.position()].costliest) })
            .collect();
        let count = engine.variants().first_order.min(120);
        let mut verdicts: Vec<Verdict> = vec![];
        engine
            .mutants(Indices::first(count), &|| false, &mut |part| verdicts.extend(part.verdicts))
            .expect("verdicts");
        let variants = myriad::compiler::variants::Variants::new(&*result.compiled);
        let mutants: Vec<Compiled> =
            Indices::first(count).iter().map(|id| compile(&variants.source(id).expect("a variant"))).collect();
        let units: Vec<Unit> = mutants
            .iter()
            .map(|program| Unit { program, entries: &entries, stop_at_first_failure: true })
            .collect();
        let found = run(&compiler, &units, &["-Wall"]);
        for id in 0..count as usize {
            let mut verdict = verdicts[id];
            if let Some(original) = verdict.original {
                verdict = verdicts[original.position()];
            }
            let Some(ends) = found.get(&id) else {
                assert_eq!(verdict.status, MutantStatus::Invalid, "{sample}, mutant {id}");
                continue;
            };
            let killer = ends.iter().find(|(_, end)| end.fails());
            if verdict.status == MutantStatus::Timeout {
                timeouts += 1;
                continue;
            }
            let source = || variants.source(MutantId::at(id)).unwrap_or_default();
            assert_eq!(
                killer.map(|(index, _)| EntryId::new(*index)),
                verdict.killer,
                "{sample}, mutant {id}:\n{}",
                source()
            );
            let out_of_turns = killer.is_some_and(|(_, end)| *end == Outcome::Trap(Trap::StepLimit));
            assert!(!out_of_turns, "{sample}, mutant {id} has no timeout here:\n{}", source());
            judged += 1;
        }
    }
    assert!(judged > 300, "only {judged} mutants");
    assert!(timeouts * 5 < judged, "{timeouts} timeouts, {judged} others");
}

#[test]
fn export_prints_source_and_document() {
    let text = call("export samples/gcd.myr --to c --engine cpu");
    assert_eq!(text.code, 0);
    assert!(text.stdout.contains("int main(void)"));
    let document = call("export samples/gcd.myr --to c --engine cpu --format json");
    let file = document.file();
    assert_eq!(file["to"], "c");
    assert_eq!(file["source"].as_str(), Some(&*text.stdout));
    let broken = call_with("export - --to c --engine cpu --format json", "fn f() -> int { return true; }");
    assert_eq!(broken.code, 1);
    assert!(broken.file().get("source").is_none());
    assert_eq!(call("export samples/gcd.myr").code, 2);
    assert_eq!(call("export samples/gcd.myr --to pascal").code, 2);
}
