//! The search for repairs on the device equals that of the host's threads, candidate for candidate.

use myriad::compiler::variants::Variants;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, EngineError, EngineSettings, Kind};
use myriad::lang::index::{Index, Indices, MutantId};
use myriad::lang::mutation::Group;
use myriad::lang::verdict::Outcome;
use myriad::testing::mutation::repair::Search;

use super::GCD;
use crate::common::command::myriad;
use crate::common::extent::{exhaustive, one_in, scaled, skip_unless_thorough};
use crate::common::gpu::{self, Lent};
use crate::common::rng::Rng;
use crate::common::{cases, typed};

/// Counts of the comparison.
#[derive(Debug, Default)]
struct Seen {
    searches: usize,
    candidates: u64,
    validated: u64,
    repairs: usize,
    moved: usize,
    parts: usize,
}

/// Searches on the device and on the host, batch by batch.
fn compare(gpu: &mut Lent, name: &str, text: &str, most: u64, seen: &mut Seen) {
    let host = CpuEngine::new().base(&text.into(), &|| false).unwrap_or_else(|error| panic!("{error}"));
    let Some(mut one) = Search::new(host.compiled, &host.entries, &|| false) else { return };
    // The device numbers edits itself if it makes the mutants of the same group.
    gpu.configure(EngineSettings {
        group: if seen.searches.is_multiple_of(2) { Group::Default } else { Group::Repair },
        ..EngineSettings::default()
    });
    let base = gpu.base(&text.into(), &|| false).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(base.entries, host.entries, "{name}");
    let mut other = Search::new(base.compiled, &base.entries, &|| false).expect("the same fails");
    let most = if exhaustive() { 20_000 } else { most };
    while !one.is_done() && one.searched() < most {
        one.step(&|| false).expect("nobody stops it");
        other.step_on(&mut **gpu, &|| false).expect("nobody stops it");
        assert_eq!(other.judged_by(), (Kind::Gpu, None), "{name}");
        assert_eq!((one.searched(), one.is_done()), (other.searched(), other.is_done()), "{name}");
        assert_eq!(one.kept(), other.kept(), "{name}: after {} candidates of\n{text}", one.searched());
    }
    let (found, repairs) = (one.repairs(&|| false), other.repairs(&|| false));
    assert_eq!(found, repairs, "{name}");
    assert_eq!(one.question(&found, &|| false), other.question(&repairs, &|| false), "{name}");
    seen.searches += 1;
    seen.candidates += other.searched();
    seen.validated += other.validated();
    seen.repairs += repairs.len();
    let (_, parts, moved) = other.kept();
    (seen.parts, seen.moved) = (seen.parts + parts.len(), seen.moved + moved.len());
}

/// Published bugs, and the failing samples.
#[test]
fn both_engines_find_the_same_repairs() {
    let (mut gpu, mut seen) = (gpu::lend(), Seen::default());
    for (name, text) in one_in(12, cases::programs(&["tests/repair"])) {
        compare(&mut gpu, &name, &text, 300, &mut seen);
    }
    for (name, text) in cases::programs(&["samples"]) {
        compare(&mut gpu, &name, &text, 300, &mut seen);
    }
    println!("{seen:?}");
    assert!(seen.searches >= scaled(4) as usize && seen.repairs > 0, "{seen:?}");
    assert!(seen.parts > 0 && seen.moved > 0, "{seen:?}");
    // The device can handle most candidates.
    assert!(seen.validated * 10 >= seen.candidates * 8, "{seen:?}");
}

/// Random programs, each with a mutant as its bug.
#[test]
fn both_engines_search_random_programs_alike() {
    let (mut gpu, mut seen, mut rng) = (gpu::lend(), Seen::default(), Rng::new(7));
    let mut cpu = CpuEngine::new();
    for seed in 0..200 {
        if seen.searches == if exhaustive() { 40 } else { scaled(4) as usize } {
            break;
        }
        let base = cpu.base(&typed::program(seed).into(), &|| false).expect("no device");
        if !base.entries.iter().any(|entry| entry.outcome == Outcome::Pass) {
            continue;
        }
        let variants = Variants::new(base.compiled.clone());
        let count = variants.first_order() as usize;
        let broken = (count > 0).then(|| variants.source(MutantId::at(rng.below(count)))).flatten();
        if let Some(broken) = broken {
            compare(&mut gpu, &format!("program {seed}"), &broken, 512, &mut seen);
        }
    }
    println!("{seen:?}");
    assert!(seen.searches >= scaled(4) as usize && seen.validated > scaled(700), "{seen:?}");
}

/// A search and mutants alternate on one engine without affecting each other; an interrupted search can
/// continue.
#[test]
fn searches_and_mutants_share_the_device() {
    if skip_unless_thorough() {
        return;
    }
    let (mut gpu, mut cpu) = (gpu::lend(), CpuEngine::new());
    let verdicts = |engine: &mut dyn Engine| {
        let mut verdicts = Vec::new();
        engine
            .mutants(Indices::first(90), &|| false, &mut |part| verdicts.extend(part.verdicts))
            .expect("a device");
        verdicts
    };
    let base = cpu.base(&GCD.into(), &|| false).expect("no device");
    let expected = verdicts(&mut cpu);
    let mut host = Search::new(base.compiled, &base.entries, &|| false).expect("it fails");
    let base = gpu.base(&GCD.into(), &|| false).expect("a device");
    let mut search = Search::new(base.compiled, &base.entries, &|| false).expect("it fails");
    assert_eq!(verdicts(&mut *gpu), expected);
    while !host.is_done() {
        host.step(&|| false).expect("nobody stops it");
        assert_eq!(search.step_on(&mut *gpu, &|| true), Err(EngineError::Cancelled));
        search.step_on(&mut *gpu, &|| false).expect("nobody stops it");
        assert_eq!(search.kept(), host.kept());
        assert_eq!(verdicts(&mut *gpu), expected);
    }
    assert_eq!(search.judged_by(), (Kind::Gpu, None));
}

/// After a comment or a space is typed, a search continues, and its repairs have their new positions.
#[test]
fn search_continues_after_a_layout_change() {
    let (mut gpu, mut cpu) = (gpu::lend(), CpuEngine::new());
    gpu.configure(EngineSettings { reusing: true, ..EngineSettings::default() });
    let other = format!("// a note\n{}", GCD.replace("return", " return"));
    for engine in [&mut *gpu as &mut dyn Engine, &mut cpu] {
        let base =
            |engine: &mut dyn Engine, text: &str| engine.base(&text.into(), &|| false).expect("it works");
        let first = base(engine, GCD);
        let mut search = Search::new(first.compiled, &first.entries, &|| false).expect("it fails");
        let searched = |search: &mut Search, engine: &mut dyn Engine, steps: usize| {
            for _ in 0..steps {
                search.step_on(engine, &|| false).expect("nobody stops it");
            }
        };
        searched(&mut search, engine, 1);
        let then = base(engine, &other);
        assert!(search.searched() > 0 && !search.is_done());
        search.rewritten(&then.compiled);
        let mut anew = Search::new(then.compiled, &then.entries, &|| false).expect("it fails");
        searched(&mut search, engine, 4);
        searched(&mut anew, engine, 5);
        assert_eq!((search.kept(), search.judged_by().1), (anew.kept(), None));
        let repairs = search.repairs(&|| false);
        assert_eq!(repairs, anew.repairs(&|| false));
        let mended = repairs.first().expect("a repair").apply(&other);
        assert!(base(engine, &mended).entries.iter().all(|entry| entry.outcome == Outcome::Pass), "{mended}");
    }
}

/// If the device is lost or has another program, the host continues, and this is reported.
#[test]
fn host_continues_the_search_when_the_device_refuses() {
    if skip_unless_thorough() {
        return;
    }
    let mut gpu = gpu::lend();
    let base = gpu.base(&GCD.into(), &|| false).expect("a device");
    let mut search = Search::new(base.compiled, &base.entries, &|| false).expect("it fails");
    gpu.base(&"fn f() -> int { return 1; } test f() == 2;".into(), &|| false).expect("a device");
    while !search.is_done() {
        search.step_on(&mut *gpu, &|| false).expect("nobody stops it");
        let (by, why) = search.judged_by();
        assert_eq!((by, why.is_some(), search.validated()), (Kind::Cpu, true, 0));
    }
    assert!(search.count() > 0);
    // The command has the same output on both engines, except for the engine's name.
    let mut said = ["cpu", "gpu"]
        .map(|engine| myriad(&["repair", "-", "--engine", engine, "--format", "json"], GCD.as_bytes()).json());
    for (document, engine) in said.iter_mut().zip(["cpu", "gpu"]) {
        let file = document["files"][0].as_object_mut().expect("a file");
        assert_eq!(file.remove("searched_by"), Some(engine.into()));
        assert_eq!(file.remove("refused"), None);
    }
    assert_eq!(said[0], said[1]);
}
