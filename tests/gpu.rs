//! The GPU engine gives what the CPU engine gives: bases, verdicts on all their mutants, and calls.

mod common;

use std::sync::Arc;
use std::time::Instant;

use common::{broken, extremes, twins, typed};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::GpuEngine;
use myriad::engine::gpu::device::Wanted;
use myriad::engine::{Engine, Verdict};

fn gpu() -> GpuEngine {
    GpuEngine::new(&Wanted::Any).unwrap_or_else(|error| {
        panic!(
            "these tests need an adapter, if only a software one: apt-get install mesa-vulkan-drivers ({error})"
        )
    })
}

fn verdicts(engine: &mut dyn Engine, count: u32) -> Vec<Verdict> {
    let mut all = Vec::new();
    engine
        .mutants(0, count, &|| false, &mut |part| {
            assert_eq!(part.first as usize, all.len());
            all.extend(part.verdicts);
        })
        .unwrap_or_else(|error| panic!("{error}"));
    all
}

/// Compares both engines on a text: the base, and mutants up to `count`.
fn compare(cpu: &mut CpuEngine, gpu: &mut GpuEngine, text: &str, count: u32) {
    let text: Arc<str> = text.into();
    let expected = cpu.base(&text).unwrap_or_else(|error| panic!("{error}"));
    let found = gpu.base(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    if let Some(difference) = twins::difference(&expected.compiled, &found.compiled) {
        panic!("{difference}\n---- of this program:\n{text}");
    }
    assert_eq!(expected.entries, found.entries, "---- of this program:\n{text}");
    assert_eq!(cpu.variants(), gpu.variants(), "---- of this program:\n{text}");
    let expected = verdicts(cpu, count);
    let found = verdicts(gpu, count);
    for (id, (cpu, gpu)) in expected.iter().zip(&found).enumerate() {
        assert_eq!(cpu, gpu, "mutant {id} of this program:\n{text}");
    }
    assert_eq!(expected.len(), found.len());
}

#[test]
fn cases_and_their_mutants() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    for text in twins::files() {
        let started = Instant::now();
        compare(&mut cpu, &mut gpu, &text, 400);
        println!("{:.2} s: {}", started.elapsed().as_secs_f64(), text.lines().next().unwrap_or_default());
    }
}

/// Well-typed random programs to run; more by the environment variable `MYRIAD_RUNS`.
fn runs() -> u64 {
    std::env::var("MYRIAD_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(500)
}

#[test]
fn random_programs() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    for seed in 0..runs() {
        compare(&mut cpu, &mut gpu, &typed::program(seed), 24);
    }
    for seed in 0..runs() / 10 {
        compare(&mut cpu, &mut gpu, &broken::program(seed), 24);
    }
}

#[test]
fn extremes_and_some_of_their_mutants() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    for text in extremes::extremes() {
        compare(&mut cpu, &mut gpu, &text, 4);
    }
}
