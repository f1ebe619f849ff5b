//! Candidates of the engine: their code is what the assembler makes of their words, their verdicts are those of
//! the CPU's machine, and they do not depend on how many are drawn at once.

use crate::common::extent::skip_unless_thorough;
use std::sync::Arc;

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::Stage;
use myriad::compiler::stage::execute::{Machine, domains, entry, mutant_fuel};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::GpuEngine;
use myriad::engine::{Abilities, Engine};
use myriad::lang::index::{EntryId, Index, Indices, RoutineId};
use myriad::lang::limits;
use myriad::lang::trap::Trap;
use myriad::network::assembler::{assemble, is_valid};
use myriad::network::refuted::Refuted;
use myriad::network::sampling::{Candidate, Draft, Inputs, Sampled, Sampling, Status};
use myriad::network::source::{self, Source};
use myriad::network::weights::{Config, Weights};

use super::turn;

/// Tests that let much pass, so that candidates of untrained weights have all kinds of results.
const LENIENT: [&str; 3] = [
    "fn f(a: int, b: bool) -> int { if b { return a * 2; } return a + 1; }
     test f(1, true) == 2 || true;
     test f(3, false) < 1000;
     prop a in 0..5 => f(a, false) != 3 || a == 2;
     prop a in -20..20 => f(a, a > 3) < 3 || f(a, false) > -100;
     test f(0, true) == 5;",
    "fn g(xs: [int; 8], n: int) -> int { let s = 0; for i in 0..n { s += xs[i]; } return s; }
     test g([1, 2, 3], 2) >= 0 || g([1], 1) < 7;
     prop xs in [-3..3; 8], n in 0..3 => g(xs, n) == 0 || g(xs + [], 0) < 1;
     fn user(n: int) -> int { return g([n; 8], n & 7) + 1; }
     test user(3) == user(3);",
    "fn h(n: int) -> [int; 4] { if n < 1 { return []; } let rest = h(n - 1); return [n] + rest; }
     test len(h(0)) < 5;
     prop n in 0..4 => len(h(n)) <= 4 && h(n) == h(n);",
];

/// Judges a candidate entry by entry, starting with those that take the base the fewest steps.
fn judged(
    compiled: &Compiled,
    function: RoutineId,
    candidate: &Candidate,
) -> (Status, Option<EntryId>, u32, u64) {
    let mut machine = Machine::default();
    let base = &compiled.executable;
    let program = &base.with_function(function, &candidate.code);
    let domains = domains(&compiled.facts, &compiled.executable.routines, &compiled.binders, limits::SAMPLES);
    machine.load(base);
    let mut run = |e| entry(&mut machine, base, &domains[e], limits::STEPS, &|| false);
    let mut judging: Vec<_> =
        (0..domains.len()).map(|e| (e, run(e))).filter(|(_, tally)| tally.passes()).collect();
    judging.sort_by_key(|(_, tally)| tally.steps);
    let (mut passed, mut steps) = (0, 0);
    machine.load(program);
    for (e, tally) in judging {
        let tally = entry(&mut machine, program, &domains[e], mutant_fuel(tally.costliest), &|| false);
        steps += tally.steps;
        if !tally.passes() {
            let status = match tally.last.trap {
                Trap::None => Status::Wrong,
                Trap::StepLimit => Status::Timeout,
                _ => Status::Trap,
            };
            return (status, Some(EntryId::at(e)), passed, steps);
        }
        passed += 1;
    }
    (Status::Passed, None, passed, steps)
}

fn sample(engine: &mut GpuEngine, source: &Source, sampling: Sampling) -> Sampled {
    let mut seen = 0;
    let sampled = engine
        .sampler()
        .and_then(|sampler| sampler.sample(source, &sampling, &|| false, &mut |_| seen += 1))
        .unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(seen, sampled.candidates.len());
    sampled
}

#[test]
fn batched_functions_get_the_candidates_of_single_runs() {
    if skip_unless_thorough() {
        return;
    }
    let _turn = turn();
    let mut engine = crate::common::gpu::lend();
    let weights = Arc::new(Weights::random(Config::new(32, 1), 12));
    engine.sampler().and_then(|sampler| sampler.weights(&weights)).expect("weights");
    let mut sources = Vec::new();
    for text in LENIENT {
        let compiled = crate::common::twins::compile(text, Stage::Emit);
        let read = |function| source::read(&compiled.program(), function).expect("a source");
        sources.extend(compiled.functions().iter().map(read));
    }
    // More functions than fit in a batch, some of them the same.
    let many: Vec<&Source> = (0..40).map(|n| &sources[(n * n) % sources.len()]).collect();
    let sampling = Sampling { k: 3, first: 1, seed: 5, ..Default::default() };
    let mut write = |sources: &[&Source], sampling: &Sampling| {
        let sampler = engine.sampler().expect("a sampler");
        sampler.write(sources, sampling, &|| false).unwrap_or_else(|error| panic!("{error}"))
    };
    let all = write(&many, &sampling);
    assert_eq!(all.len(), many.len());
    let alone: Vec<Vec<Draft>> = sources.iter().flat_map(|source| write(&[source], &sampling)).collect();
    let (mut whole, mut drawn) = (0, 0);
    for (n, drafts) in all.iter().enumerate() {
        assert!(*drafts == alone[(n * n) % sources.len()], "function {n}");
        assert_eq!(drafts.iter().map(|draft| draft.samples).sum::<u32>(), sampling.k);
        for draft in drafts {
            assert_eq!(draft.whole, is_valid(&many[n].tables, &draft.words));
            whole += u32::from(draft.whole);
            drawn += 1;
        }
    }
    assert!(drawn > 60 && whole < drawn, "{whole} of {drawn}");
    assert!(write(&[], &sampling).is_empty());
    // Judged candidates are the same as written ones.
    let compiled = engine.base(&LENIENT[0].into(), &|| false).expect("a base").compiled;
    let source = source::read(&compiled.program(), RoutineId::new(0)).expect("a source");
    let sampled = sample(&mut engine, &source, sampling);
    let sampler = engine.sampler().expect("a sampler");
    let drafts = sampler.write(&[&source], &sampling, &|| false).expect("drafts").remove(0);
    for candidate in &sampled.candidates {
        let same = drafts.iter().find(|draft| draft.number == candidate.number).expect("the same");
        assert_eq!((&same.words, same.log_p.to_bits()), (&candidate.words, candidate.log_p.to_bits()));
        assert_eq!(same.whole, candidate.status != Status::Invalid);
    }
}

#[test]
fn candidates_are_assembled_and_judged() {
    let _turn = turn();
    let mut engine = crate::common::gpu::lend();
    let weights = Arc::new(Weights::random(Config::new(32, 1), 11));
    engine.sampler().and_then(|sampler| sampler.weights(&weights)).expect("weights");
    let mut ends = std::collections::BTreeMap::new();
    for text in LENIENT {
        let compiled = engine.base(&text.into(), &|| false).expect("a base").compiled;
        assert_eq!(compiled.facts.errors, 0, "{text}");
        for function in compiled.functions() {
            let source = source::read(&compiled.program(), function).expect("a source");
            let sampling = Sampling { k: 16, seed: function.number(), temperature: 1.0, ..Default::default() };
            let all = sample(&mut engine, &source, sampling);
            let samples: u32 = all.candidates.iter().map(|candidate| candidate.samples).sum();
            assert_eq!(samples, sampling.k);
            assert!(all.candidates.is_sorted_by_key(|candidate| candidate.number));
            for (i, candidate) in all.candidates.iter().enumerate() {
                *ends.entry(candidate.status).or_insert(0) += candidate.samples;
                assert!(all.candidates[..i].iter().all(|other| other.code != candidate.code), "one code twice");
                if candidate.status == Status::Invalid {
                    assert!(candidate.code.is_empty() && !is_valid(&source.tables, &candidate.words));
                    continue;
                }
                let origin = compiled.executable.end();
                assert_eq!(assemble(&source.tables, &candidate.words, origin).as_ref(), Ok(&candidate.code));
                let found = (candidate.status, candidate.differing, candidate.passed, candidate.steps);
                assert_eq!(found, judged(&compiled, function, candidate), "{:?}\n{text}", candidate.words);
            }
            // Drawing only some of the numbers yields the same candidates.
            let part = sample(&mut engine, &source, Sampling { k: 4, first: 9, ..sampling });
            for candidate in &part.candidates {
                let same = all.candidates.iter().find(|other| other.code == candidate.code).expect("the same");
                assert!(same.number <= candidate.number && same.samples >= candidate.samples);
                assert_eq!((same.status, same.steps), (candidate.status, candidate.steps));
                if same.number == candidate.number {
                    assert_eq!(same, &Candidate { samples: same.samples, ..candidate.clone() });
                }
            }
            assert_eq!((all.oracles, all.base_steps), (part.oracles, part.base_steps));
        }
        // Sampling does not affect the mutants.
        let mut verdicts = Vec::new();
        engine
            .mutants(Indices::first(8), &|| false, &mut |part| verdicts.extend(part.verdicts))
            .expect("mutants");
        assert_eq!(verdicts.len(), 8);
    }
    println!("{ends:?}");
    assert!(ends.len() >= 4 && ends[&Status::Passed] > 2, "{ends:?}");
}

/// Compares the results of two engines on one function, including the greedy candidate. Returns the number of samples
/// that differ.
fn compare(cpu: &Sampled, gpu: &Sampled) -> u32 {
    let (first, other) = (&cpu.candidates[0], &gpu.candidates[0]);
    assert_eq!((&first.words, first.status), (&other.words, other.status), "the greedy candidate");
    compare_draws(cpu, gpu)
}

/// Compares the results of two engines on one function: verdicts must be the same, and draws mostly. Returns
/// the number of samples that differ.
fn compare_draws(cpu: &Sampled, gpu: &Sampled) -> u32 {
    assert_eq!((cpu.oracles, cpu.base_steps), (gpu.oracles, gpu.base_steps));
    let mut differing = 0;
    for candidate in &cpu.candidates {
        let Some(other) = gpu.candidates.iter().find(|other| other.code == candidate.code) else {
            differing += candidate.samples;
            continue;
        };
        differing += candidate.samples.abs_diff(other.samples);
        assert_eq!(
            (candidate.status, candidate.differing, candidate.passed, candidate.steps),
            (other.status, other.differing, other.passed, other.steps)
        );
        if candidate.words == other.words {
            assert!(
                (candidate.log_p - other.log_p).abs() < 1e-3 * (1.0 - candidate.log_p),
                "{candidate:?}\n{other:?}"
            );
            let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-3;
            assert!(candidate.shares.iter().zip(&other.shares).all(near), "{candidate:?}\n{other:?}");
            assert_eq!(candidate.shares.len(), other.shares.len());
        }
    }
    differing
}

#[test]
fn engines_draw_and_judge_equal_candidates() {
    let _turn = turn();
    let (mut cpu, mut gpu) = (CpuEngine::new(), crate::common::gpu::lend());
    let (mut samples, mut differing) = (0, 0);
    // Once more than a batch of the software adapter, and once more than a chunk.
    for (config, seed, k) in [(Config::new(32, 1), 5, 110), (Config::new(64, 2), 6, 24)] {
        let weights = Arc::new(Weights::random(config, seed));
        for engine in [&mut cpu as &mut dyn Engine, &mut *gpu] {
            engine.sampler().and_then(|sampler| sampler.weights(&weights)).expect("weights");
        }
        for text in LENIENT.iter().skip(usize::from(k < 100)).take(1) {
            let compiled = cpu.base(&(*text).into(), &|| false).expect("a base").compiled;
            gpu.base(&(*text).into(), &|| false).expect("a base");
            let source = source::read(&compiled.program(), RoutineId::new(0)).expect("a source");
            let sampling = Sampling { k, first: 0, seed, temperature: 0.9, top_p: 0.95 };
            let expected = cpu.sampler().and_then(|s| s.sample(&source, &sampling, &|| false, &mut |_| {}));
            let found = sample(&mut gpu, &source, sampling);
            differing += compare(&expected.expect("candidates"), &found);
            samples += k;
            // The drawn codes have the same comparison results.
            let codes: Vec<&[u32]> =
                found.candidates.iter().map(|c| &c.code[..]).filter(|code| !code.is_empty()).take(5).collect();
            let inputs = Inputs { seed, first: 0, count: 50 };
            let agree =
                |engine: &mut dyn Engine| engine.sampler()?.agree(RoutineId::new(0), &codes, inputs, &|| false);
            assert_eq!(agree(&mut cpu), agree(&mut *gpu));
        }
    }
    println!("{samples} samples, {differing} differ");
    assert!(differing * 50 <= samples, "{differing} of {samples}");
}

#[test]
fn engines_avoid_the_same_refuted_prefixes() {
    let _turn = turn();
    let (mut cpu, mut gpu) = (CpuEngine::new(), crate::common::gpu::lend());
    let weights = Arc::new(Weights::random(Config::new(32, 1), 7));
    for engine in [&mut cpu as &mut dyn Engine, &mut *gpu] {
        engine.sampler().and_then(|sampler| sampler.weights(&weights)).expect("weights");
        engine.base(&LENIENT[0].into(), &|| false).expect("a base");
    }
    let compiled = cpu.base(&LENIENT[0].into(), &|| false).expect("a base").compiled;
    let source = source::read(&compiled.program(), RoutineId::new(0)).expect("a source");
    let sampling = Sampling { k: 40, first: 1, seed: 3, temperature: 0.6, top_p: 0.98 };
    let draw = |engine: &mut dyn Engine, refuted: &Refuted| {
        let sampler = engine.sampler().expect("a sampler");
        sampler.sample_unrefuted(&source, &sampling, refuted, &|| false, &mut |_| {}).expect("candidates")
    };
    let plain = draw(&mut cpu, &Refuted::default());
    assert!(plain.candidates.iter().all(|candidate| candidate.shares.len() == candidate.words.len()));
    let mut refuted = Refuted::default();
    let mut prefixes = Vec::new();
    for (candidate, length) in plain.candidates.iter().zip([1, 2, 3, 5, 8].into_iter().cycle()).step_by(2) {
        let length = length.min(candidate.words.len());
        if refuted.add(&candidate.words[..length], &candidate.shares) {
            prefixes.push(candidate.words[..length].to_vec());
        }
    }
    let (expected, found) = (draw(&mut cpu, &refuted), draw(&mut *gpu, &refuted));
    for candidate in expected.candidates.iter().chain(&found.candidates) {
        assert!(prefixes.iter().all(|prefix| !candidate.words.starts_with(prefix)), "{:?}", candidate.words);
    }
    let differing = compare_draws(&expected, &found);
    println!("{} prefixes, {} differ", prefixes.len(), differing);
    assert!(prefixes.len() > 5 && differing <= 2, "{} prefixes, {differing} differ", prefixes.len());
    assert_ne!(expected, plain);
}

#[test]
fn sampling_without_weights_or_base_is_refused() {
    let _turn = turn();
    let mut engine = crate::common::gpu::fresh();
    let source = Source::default();
    let refused = |engine: &mut GpuEngine| {
        let result =
            engine.sampler().and_then(|s| s.sample(&source, &Sampling::default(), &|| false, &mut |_| {}));
        assert!(result.is_err());
    };
    refused(&mut engine);
    let weights = Arc::new(Weights::random(Config::new(32, 1), 1));
    engine.sampler().and_then(|sampler| sampler.weights(&weights)).expect("weights");
    refused(&mut engine);
}
