//! Compiling only the changed functions of a mutant gives, word for word, the code of compiling all of it.

use crate::common::cases::programs;
use crate::common::compile::compile;
use crate::common::extent::{exhaustive, one_in, scaled, skip_unless_thorough};
use myriad::compiler::program::{Compiled, Executable};
use myriad::compiler::stage::mutate::{Piece, Plan, apply};
use myriad::compiler::stage::splice::{Splice, SpliceScratch};
use myriad::compiler::stage::{Compiler, judge};
use myriad::engine::cpu::spliced::Spliced;
use myriad::engine::gpu::GpuEngine;
use myriad::engine::{ChunkJudge, ChunkMode, Engine, EngineSettings, MutantCounts};
use myriad::lang::index::{Index, Indices, MutantId, TokenId};
use myriad::lang::mutation::Group;
use myriad::lang::token::{STR_CODES, TokenKind};
use myriad::lang::verdict::{MutantStatus, Verdict};

/// Number of consecutive mutants that are compared together, if not all are.
const ROW: u32 = 40;
/// Highest id of first-order mutants that are compared on the device, except in programs made to have every
/// kind of edit. All mutants before a compared one are compiled, to find duplicates.
const LAST: u32 = 400;

/// Compares up to `most` mutants of a program with the operators of the repair group, evenly spaced; returns
/// how many of them compile.
fn compare(name: &str, text: &str, most: u32) -> u32 {
    let program = Compiled { group: Group::Repair, ..compile(text) };
    if program.facts.errors > 0 {
        return 0;
    }
    let base = program.view();
    let mut plan = Plan::default();
    plan.build(base, program.group);
    let splice = Splice::new(&program);
    let (mut whole, mut parts, mut scratch) =
        (Compiler::default(), Compiler::default(), SpliceScratch::default());
    let mut executable = Executable::default();
    let mut compiled = 0;
    let singles = plan.first_order();
    let step = singles.div_ceil(most).max(1) as usize;
    let ids = (0..singles).step_by(step).chain(singles..plan.all().min(singles + most));
    for id in ids.map(MutantId::new) {
        let edits = plan.variant(base, id).expect("a variant");
        let valid = apply(base.tokens, edits, &mut whole.tokens) && {
            whole.mutant(text, program.facts.names, program.level);
            whole.compiles()
        };
        let made = splice.compile(&program, edits, &mut parts, &mut scratch, &mut executable);
        assert_eq!(valid, made, "{name}, mutant {id} {edits:?}\n{text}");
        if valid {
            assert_eq!(
                whole.back.executable.code.word, executable.code.word,
                "{name}, mutant {id} {edits:?}\n{text}"
            );
            let (expected, routines) = (&whole.back.executable.routines, &executable.routines);
            assert_eq!(
                (&expected.address, &expected.frame),
                (&routines.address, &routines.frame),
                "{name}, mutant {id}"
            );
            assert_eq!(
                (&expected.caps0, &expected.result),
                (&routines.caps0, &routines.result),
                "{name}, mutant {id}"
            );
            compiled += 1;
        }
    }
    compiled
}

#[test]
fn spliced_mutants_of_samples_equal_full_compilation() {
    let mut compiled = compare("strong", crate::groups::STRONG, 2_000);
    for (name, text) in programs(&["samples", "tests/conformance", "tests/cases"]) {
        compiled += compare(&name, &text, 200);
    }
    assert!(compiled > 5_000, "only {compiled} mutants compile");
}

#[test]
fn spliced_mutants_of_random_programs_equal_full_ones() {
    let mut compiled = 0;
    for seed in 0..scaled(60) {
        let text = crate::common::typed::program(seed);
        compiled += compare(&format!("seed {seed}"), &text, 60);
    }
    assert!(compiled > 500, "only {compiled} mutants compile");
}

#[test]
fn spliced_mutants_of_hostile_programs_equal_full_ones() {
    for (name, text) in crate::common::programs::hostile() {
        compare(&name, &text, 5);
    }
}

/// Returns for mutants spliced by the device the hash of their whole bytecode, or `None` if they do not
/// compile.
fn spliced(gpu: &mut GpuEngine, ids: Indices<MutantId>) -> Vec<Option<[u32; 2]>> {
    gpu.prepare(ids.end()).unwrap_or_else(|error| panic!("{error}"));
    let mut all = Vec::new();
    while (all.len() as u32) < ids.len() {
        let (_, left) = ids.split_at(all.len() as u32);
        let chunk = gpu.chunk(left, ChunkMode::Compare, &|| false);
        let chunk = chunk.unwrap_or_else(|error| panic!("{error}"));
        let hash = |(verdict, hash): (&Verdict, &[u32; 2])| {
            Some(*hash).filter(|_| verdict.status != MutantStatus::Invalid)
        };
        all.extend(chunk.result.verdicts.iter().zip(&chunk.hashes).map(hash));
    }
    all
}

/// Removes tests and properties from a text, so that its mutants are not run; returns the text itself if the
/// rest does not compile.
fn without_oracles(text: String) -> String {
    let oracle = |line: &&str| line.starts_with("test ") || line.starts_with("prop ");
    let rest: String = text.lines().filter(|line| !oracle(line)).map(|line| format!("{line}\n")).collect();
    if compile(&rest).facts.errors == 0 { rest } else { text }
}

/// Compares mutants with the twin's: the first of each order, up to `most`, and rows of one in `part` of the
/// first-order ones up to `last`. Returns how many of them compile.
fn compare_device(gpu: &mut GpuEngine, name: &str, text: &str, most: u32, (part, last): (usize, u32)) -> u32 {
    let base = gpu.base(&text.into(), &|| false).unwrap_or_else(|error| panic!("{name}: {error}")).compiled;
    if base.facts.errors > 0 {
        return 0;
    }
    let MutantCounts { first_order, all } = gpu.variants();
    let mut twin = Spliced::new(&base);
    let mut compiled = 0;
    let first = first_order.min(most);
    let last = if exhaustive() { first_order } else { first_order.min(last) };
    let rows = (first..last).step_by(ROW as usize).map(|id| id..last.min(id + ROW));
    let pairs = if last < first_order { 0 } else { most };
    let firsts = [0..first, first_order..all.min(first_order + pairs)];
    for ids in firsts.into_iter().chain(one_in(part, rows)).map(Indices::numbered) {
        for (id, found) in ids.iter().zip(spliced(gpu, ids)) {
            let expected = twin.sequence(id).map(|sequence| judge::hash(&sequence));
            assert_eq!(expected, found, "{name}, mutant {id}\n{text}");
            compiled += u32::from(found.is_some());
        }
    }
    compiled
}

/// Compares mutants of random programs.
fn compare_random(gpu: &mut GpuEngine, programs: u64, most: u32, part: (usize, u32)) -> u32 {
    let text = crate::common::typed::program;
    (0..programs).map(|seed| compare_device(gpu, &format!("seed {seed}"), &text(seed), most, part)).sum()
}

#[test]
fn device_spliced_mutants_equal_full_compilation() {
    let mut gpu = crate::common::gpu::lend();
    let mut compiled = 0;
    for (name, text) in one_in(2, programs(&["samples", "tests/conformance", "tests/cases"])) {
        compiled += compare_device(&mut gpu, &name, &without_oracles(text), 6, (12, LAST));
    }
    compiled += compare_random(&mut gpu, 6, 20, (12, LAST));
    assert!(compiled > 400, "only {compiled} mutants compile");
}

/// Edits of the larger groups insert several tokens and copies: rows of them from programs that contain all
/// kinds, and some from other programs.
#[test]
fn device_spliced_coarse_edits_equal_full_compilation() {
    if skip_unless_thorough() {
        return;
    }
    let mut gpu = crate::common::gpu::lend();
    gpu.configure(EngineSettings { group: Group::Repair, ..EngineSettings::default() });
    let mut compiled = 0;
    for (name, text) in [("strong", crate::groups::STRONG), ("repair", crate::groups::REPAIR)] {
        compiled += compare_device(&mut gpu, name, &without_oracles(text.into()), 20, (8, u32::MAX));
    }
    for (name, text) in one_in(3, programs(&["samples"])) {
        compiled += compare_device(&mut gpu, &name, &without_oracles(text), 10, (5, LAST));
    }
    compiled += compare_random(&mut gpu, 5, 10, (5, LAST));
    assert!(compiled > 500, "only {compiled} mutants compile");
}

/// No edit makes a program longer than the space on the device.
#[test]
fn edits_fit_the_reserved_space() {
    let mut checked = 0;
    for (name, text) in programs(&["samples", "tests/conformance", "tests/cases"]) {
        let program = compile(&text);
        if program.facts.errors > 0 {
            continue;
        }
        let mut plan = Plan::default();
        plan.build(program.view(), Group::Repair);
        let codes = |tokens: Indices<TokenId>| tokens.iter().map(|t| program.view().codes(t)).sum::<u32>();
        for id in Indices::first(plan.first_order()) {
            let edit = plan.edit(program.view(), id).expect("an edit");
            let most = i64::from(edit.operator.group().added());
            assert!(edit.growth() <= most, "{name}, mutant {id}: {edit:?}");
            let put = edit.pieces().map(|piece| match piece {
                Piece::Copy(tokens) => codes(tokens),
                Piece::New(TokenKind::Str, value) => value & STR_CODES,
                Piece::New(..) => 0,
            });
            assert!(put.sum::<u32>() <= codes(edit.lo.up_to(edit.hi)), "{name}, mutant {id}: {edit:?}");
            checked += 1;
        }
    }
    assert!(checked > 50_000, "{checked}");
}
