//! The GPU engine gives what the CPU engine gives: bases, verdicts on all their mutants, and calls.

mod common;

use std::sync::Arc;
use std::time::Instant;

use common::{broken, extremes, twins, typed};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::GpuEngine;
use myriad::engine::gpu::device::Wanted;
use myriad::engine::{Engine, EngineError, Verdict};

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
        compare(&mut cpu, &mut gpu, &text, mutants(96));
        println!("{:.2} s: {}", started.elapsed().as_secs_f64(), text.lines().next().unwrap_or_default());
    }
}

/// Mutants to judge of each program; more by the environment variable `MYRIAD_MUTANTS`.
fn mutants(usual: u32) -> u32 {
    std::env::var("MYRIAD_MUTANTS").ok().and_then(|n| n.parse().ok()).unwrap_or(usual)
}

/// Well-typed random programs to run; more by the environment variable `MYRIAD_RUNS`.
fn runs() -> u64 {
    std::env::var("MYRIAD_RUNS").ok().and_then(|n| n.parse().ok()).unwrap_or(500)
}

#[test]
fn random_programs() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    for seed in 0..runs() {
        compare(&mut cpu, &mut gpu, &typed::program(seed), mutants(if seed % 10 == 0 { 16 } else { 0 }));
    }
    for seed in 0..runs() / 10 {
        compare(&mut cpu, &mut gpu, &broken::program(seed), mutants(16));
    }
}

#[test]
fn extremes_and_some_of_their_mutants() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    for text in extremes::extremes() {
        compare(&mut cpu, &mut gpu, &text, 4);
    }
}

/// Every trap, deep recursion, full memory and long runs: what needs many slices and full memory.
#[test]
fn traps_and_calls() {
    let text = "
        fn down(n: int) -> int { if n == 0 { return 0; } return 1 + down(n - 1); }
        fn fat(n: int, xs: [int; 64]) -> int { if n == 0 { return len(xs); } let ys = xs; return fat(n - 1, ys); }
        fn spin(n: int) -> int { let i = 0; while i < n { i += 1; } return i; }
        fn ever() -> int { while true { } }
        fn twice(xs: [int; 32]) -> [int; 64] { return xs + xs; }
        fn short(xs: [int; 2]) -> int { return len(xs); }
        fn pick(xs: [int], i: int) -> int { return xs[i]; }
        test down(100) == 100;
        test down(127) == 127;
        test down(128) == 128;
        test fat(5, [1; 64]) == 64;
        test fat(60, [1; 64]) == 64;
        test spin(100000) == 100000;
        test spin(900000) == 900000;
        test ever() == 1;
        test twice([1, 2]) == [1, 2, 1, 2];
        test short([1, 2, 3]) == 3;
        test 1 / spin(0) == 1;
        prop a in 0..60 => down(a) == a;
        prop a in 0..2000 => down(a % 130) == a % 130;
        prop xs in [-3..3; 4] => len(xs + xs) == 2 * len(xs);
        prop xs in [0..9; 20], i in -1..20 => pick(xs + [1], i) >= 0;
    ";
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    compare(&mut cpu, &mut gpu, text, 40);
    let list = |n: u32| [vec![n], (0..n).map(|i| i * i).collect(), vec![0; 32 - n as usize]].concat();
    for (function, arguments) in [
        (0, vec![5]),
        (0, vec![126]),
        (0, vec![127]),
        (2, vec![200_000]),
        (2, vec![0x7fff_ffff]),
        (3, vec![]),
        (4, list(3)),
        (4, list(32)),
        (6, [list(4)[..17].to_vec(), vec![2]].concat()),
        (6, [list(4)[..17].to_vec(), vec![u32::MAX]].concat()),
    ] {
        assert_eq!(cpu.run(function, &arguments), gpu.run(function, &arguments), "function {function}");
    }
}

/// Pairs of edits, and parts of a numbering asked for out of order.
#[test]
fn second_order_and_parts() {
    let text = "fn f(a: int, b: int) -> int { if a < b { return a + b; } return 3; }
        test f(1, 2) == 3; prop a in 0..9, b in 0..9 => f(a, b) >= 3 || a < b;";
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    compare(&mut cpu, &mut gpu, text, 600);
    let all = verdicts(&mut cpu, 600);
    for (first, count) in [(20, 30), (10, 5), (300, 40), (0, 3)] {
        let mut found = Vec::new();
        let result = gpu.mutants(first, count, &|| false, &mut |part| found.extend(part.verdicts));
        assert_eq!(result, Ok(()));
        assert_eq!(found[..], all[first as usize..][..count as usize], "{first} and {count} more");
    }
}

#[test]
fn a_lost_device_is_told() {
    let mut gpu = gpu();
    let text: Arc<str> = "test 1 == 1;".into();
    assert!(gpu.base(&text).is_ok());
    gpu.lose();
    let answer = gpu.base(&text);
    assert!(matches!(answer, Err(EngineError::Lost(_))), "{answer:?}");
}

#[test]
fn work_is_called_off_between_chunks() {
    let mut gpu = gpu();
    let text: Arc<str> = std::fs::read_to_string("samples/gcd.myr").expect("the sample").into();
    assert!(gpu.base(&text).is_ok());
    let calls = std::cell::Cell::new(0);
    let cancelled = || {
        calls.set(calls.get() + 1);
        calls.get() > 1
    };
    assert_eq!(gpu.mutants(0, u32::MAX, &cancelled, &mut |_| {}), Err(EngineError::Cancelled));
}

/// Prints what stages take: `cargo test --release --test gpu figures -- --ignored --nocapture`.
#[test]
#[ignore = "measures, checks nothing"]
fn figures() {
    let text: Arc<str> = std::fs::read_to_string("samples/gcd.myr").expect("the sample").into();
    let started = Instant::now();
    let mut gpu = gpu();
    println!("{}: opened in {:?}", gpu.describe(), started.elapsed());
    let started = Instant::now();
    gpu.warm().unwrap_or_else(|error| panic!("{error}"));
    println!("warmed in {:?}", started.elapsed());
    let started = Instant::now();
    gpu.warm_neural().unwrap_or_else(|error| panic!("{error}"));
    println!("the neural path in {:?}", started.elapsed());
    for _ in 0..4 {
        let base = gpu.base(&text).unwrap_or_else(|error| panic!("{error}"));
        println!("base: {:?}", base.timings);
    }
    let count = gpu.variants().first_order;
    let started = Instant::now();
    gpu.mutants(0, count, &|| false, &mut |part| {
        println!("{} mutants: {:?}", part.verdicts.len(), part.timings)
    })
    .unwrap_or_else(|error| panic!("{error}"));
    println!("{count} mutants in {:?}", started.elapsed());
}
