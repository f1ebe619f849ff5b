//! The GPU engine returns the CPU engine's results: bases, verdicts on all their mutants, and calls.

mod cache;
mod control;
mod hardware;
mod moved;

use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

use crate::common::extent::{one_in, scaled, skip_unless_thorough};
use crate::common::gpu::{Lent, lend};
use crate::common::{broken, extremes, twins, typed};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::GpuEngine;
use myriad::engine::gpu::adapter::AdapterQuery;
use myriad::engine::gpu::device::Gpu;
use myriad::engine::timings::StageTimes;
use myriad::engine::{Clock, Engine, Timings, Transfer};
use myriad::lang::index::{Index, Indices, RoutineId};
use myriad::lang::verdict::Verdict;

fn gpu() -> Lent {
    lend()
}

fn verdicts(engine: &mut dyn Engine, numbers: Range<u32>) -> Vec<Verdict> {
    let mut all = Vec::new();
    engine
        .mutants(Indices::numbered(numbers.clone()), &|| false, &mut |part| {
            assert_eq!(part.first.number(), numbers.start + all.len() as u32);
            all.extend(part.verdicts);
        })
        .unwrap_or_else(|error| panic!("{error}"));
    all
}

/// Compares both engines on a text: the base, and the first `count` mutants.
pub fn compare(cpu: &mut CpuEngine, gpu: &mut GpuEngine, text: &str, count: u32) {
    compare_base(cpu, gpu, text);
    compare_mutants(cpu, gpu, text, 0..count);
}

/// Compares the results of both engines on a base.
pub fn compare_base(cpu: &mut CpuEngine, gpu: &mut GpuEngine, text: &str) {
    let text: Arc<str> = text.into();
    let expected = cpu.base(&text, &|| false).unwrap_or_else(|error| panic!("{error}"));
    let found = gpu.base(&text, &|| false).unwrap_or_else(|error| panic!("{error}\n{text}"));
    if let Some(difference) = twins::difference(&expected.compiled, &found.compiled) {
        panic!("{difference}\n---- of this program:\n{text}");
    }
    assert_eq!(expected.entries, found.entries, "---- of this program:\n{text}");
    assert_eq!(cpu.variants(), gpu.variants(), "---- of this program:\n{text}");
}

/// Compares the verdicts of both engines on mutants of their common base; ids that do not exist are skipped.
pub fn compare_mutants(cpu: &mut CpuEngine, gpu: &mut GpuEngine, text: &str, ids: Range<u32>) {
    let (expected, found) = (verdicts(cpu, ids.clone()), verdicts(gpu, ids.clone()));
    for ((id, cpu), gpu) in ids.zip(&expected).zip(&found) {
        assert_eq!(cpu, gpu, "mutant {id} of this program:\n{text}");
    }
    assert_eq!(expected.len(), found.len());
}

/// Compares stage output and verdicts with scans by memory. The engine scans by subgroups if the adapter has
/// them, as the software adapter of these tests does; a single stage scans by memory.
#[test]
fn memory_scans_match_the_cpu() {
    if !lend().scans_by_subgroups() {
        println!("the adapter has no subgroups that serve: scans by them are left out of all tests");
    }
    let device = Gpu::open(&AdapterQuery::Any).unwrap_or_else(|error| panic!("{error}"));
    let mut gpu = GpuEngine::on(device).unwrap_or_else(|error| panic!("{error}"));
    let mut cpu = CpuEngine::new();
    let mut texts = twins::files();
    texts.extend((0..60).map(|seed| typed::program(seed + 9_000)));
    texts.extend((0..60).map(|seed| broken::program(seed + 9_000)));
    texts.extend(extremes::extremes());
    for text in one_in(6, texts) {
        compare_base(&mut cpu, &mut gpu, &text);
    }
    for sample in ["gcd", "calculator"] {
        let text = std::fs::read_to_string(format!("samples/{sample}.myr")).expect("a sample");
        compare(&mut cpu, &mut gpu, &text, 200);
    }
}

#[test]
fn cases_and_their_mutants_match_the_cpu() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    // The stages' own tests compare all of them.
    for text in one_in(3, twins::files()) {
        let started = Instant::now();
        compare(&mut cpu, &mut gpu, &text, mutants(24));
        println!("{:.2} s: {}", started.elapsed().as_secs_f64(), text.lines().next().unwrap_or_default());
    }
}

#[test]
fn transfer_times_are_part_of_the_wall_time() {
    let mut gpu = gpu();
    let software = gpu.adapter().software;
    let gpu_backend = gpu.adapter().backend.clone();
    let text: Arc<str> = include_str!("../../samples/gcd.myr").into();
    let check = |timings: &Timings| {
        let split = timings.split();
        let parts = split.stages.iter().sum::<Duration>() + split.transfer.unwrap_or_default() + split.rest;
        assert!(parts.abs_diff(timings.wall) < Duration::from_micros(1), "{timings:?}");
        match (timings.clock, timings.transfer) {
            (Clock::Timestamps, Transfer::Measured { time, software: copies }) => {
                assert_eq!(copies, software);
                assert!(time > Duration::ZERO && time < timings.wall, "{timings:?}");
                // Nothing is counted twice: device time and transfers fit into the wall time.
                assert!(timings.parts.iter().sum::<Duration>() + time <= timings.wall, "{timings:?}");
            }
            (Clock::Wall, transfer) => {
                assert_eq!((transfer, timings.parts), (Transfer::Untimed, StageTimes::default()));
            }
            // Not every backend can time copies.
            (Clock::Timestamps, Transfer::Untimed) => {
                assert!(timings.parts.iter().sum::<Duration>() <= timings.wall, "{timings:?}");
                assert_ne!(gpu_backend, "Vulkan", "{timings:?}");
            }
            (_, transfer) => panic!("{transfer:?}"),
        }
    };
    for _ in 0..2 {
        check(&gpu.base(&text, &|| false).unwrap_or_else(|error| panic!("{error}")).timings);
        let mut chunks = 0;
        let mut each = |part: myriad::engine::MutantResult| {
            check(&part.timings);
            chunks += 1;
        };
        gpu.mutants(Indices::first(100), &|| false, &mut each).unwrap_or_else(|error| panic!("{error}"));
        assert!(chunks > 0);
    }
}

/// Number of mutants to judge per program.
pub fn mutants(usual: u32) -> u32 {
    scaled(usual.into()) as u32
}

/// Number of well-typed random programs to run.
fn runs() -> u64 {
    scaled(60)
}

#[test]
fn random_programs_match_the_cpu() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    for seed in 0..runs() {
        compare(&mut cpu, &mut gpu, &typed::program(seed), mutants(if seed % 10 == 0 { 16 } else { 0 }));
    }
    for seed in 0..runs() / 10 {
        compare(&mut cpu, &mut gpu, &broken::program(seed), mutants(16));
    }
}

#[test]
fn extreme_programs_and_their_mutants_match_the_cpu() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    // The stages' own tests compare all of them.
    for text in one_in(6, extremes::extremes()) {
        compare(&mut cpu, &mut gpu, &text, 2);
    }
}

/// Every trap, deep recursion, full memory and long runs, which need many slices and all memory.
const TRAPS: &str = "
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

#[test]
fn traps_and_calls_match_the_cpu() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    compare(&mut cpu, &mut gpu, TRAPS, 40);
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
        assert_eq!(
            cpu.run(RoutineId::new(function), &arguments, &|| false),
            gpu.run(RoutineId::new(function), &arguments, &|| false),
            "function {function}"
        );
    }
}

/// Second-order mutants, and ranges of ids requested out of order.
#[test]
fn second_order_mutants_and_id_ranges_match_the_cpu() {
    let text = "fn f(a: int, b: int) -> int { if a < b { return a + b; } return 3; }
        test f(1, 2) == 3; prop a in 0..9, b in 0..9 => f(a, b) >= 3 || a < b;";
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    compare(&mut cpu, &mut gpu, text, 600);
    let all = verdicts(&mut cpu, 0..600);
    for (first, count) in [(20, 30), (10, 5), (300, 40), (0, 3)] {
        let mut found = Vec::new();
        let result = gpu.mutants(Indices::numbered(first..first + count), &|| false, &mut |part| {
            found.extend(part.verdicts)
        });
        assert_eq!(result, Ok(()));
        assert_eq!(found[..], all[first as usize..][..count as usize], "{first} and {count} more");
    }
}

/// Counts the steps of all tests and properties as specified: up to the first input that does not pass.
fn steps(cpu: &mut CpuEngine, text: &str) -> u64 {
    let base = cpu.base(&text.into(), &|| false).unwrap_or_else(|error| panic!("{error}"));
    base.entries.iter().map(|entry| entry.steps).sum()
}

/// All inputs start in parallel, but on the CPU only the first one reaches the step limit, so most of the
/// others' work would be wasted.
#[test]
fn endless_properties_take_a_bounded_multiple_of_the_cpu_steps() {
    if skip_unless_thorough() {
        return;
    }
    // Endless from the first input on, from a later one on, after short and after long ones, and with full
    // memory.
    let text = "
        fn ever(a: int) -> int { while true { a += 1; } }
        fn from(a: int, b: int) -> int { while a >= b { } return a; }
        fn after(a: int, b: int) -> int { let i = 0; while i < 9000 { i += 1; } return from(a, b); }
        fn wide(a: int, b: int) -> int {
            let xs = [a; 64]; let ys = [a; 64]; let zs = [b; 64]; let us = [1; 64];
            while true { a += xs[0] + ys[0] + zs[0] + us[0]; }
        }
        prop a in 0..1000, b in 0..1000 => ever(a) == b;
        prop a in 0..1000 => from(a, 100) == a;
        prop a in 0..1000 => after(a, 20) == a;
        prop a in 0..1000, b in 0..1000 => wide(a, b) == 0;
        prop a in 0..30 => from(a, 30) == a;
        test from(1, 2) == 1;
    ";
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    compare(&mut cpu, &mut gpu, text, 0);
    // Each of 1,024 inputs of five properties may start; and for each required run, as many steps on
    // neighbouring inputs.
    let lanes = if gpu.adapter().software { 8 } else { 64 };
    let bound = 5 * 1024 * 1024 * lanes + 2 * lanes * steps(&mut cpu, text);
    assert!(u64::from(gpu.spent()) < bound, "{} iterations of at most {bound}", gpu.spent());
}

/// Runs that wait for others lose nothing.
#[test]
fn long_passing_properties_take_about_as_many_steps_as_the_cpu() {
    if skip_unless_thorough() {
        return;
    }
    let text = "
        fn spin(n: int) -> int { let i = 0; while i < n { i += 1; } return i; }
        prop a in 0..1000, b in 0..1000 => spin(1500 + a) >= 1500;
        prop a in 0..200 => spin(3000 - a) == 3000 - a;
    ";
    let (mut cpu, mut gpu) = (CpuEngine::new(), gpu());
    compare(&mut cpu, &mut gpu, text, 0);
    let steps = steps(&mut cpu, text);
    assert!(u64::from(gpu.spent()) < steps + steps / 4, "{} iterations for {steps} steps", gpu.spent());
}
