//! The GPU engine with the shaders and amounts of work of hardware, on a software adapter.

use std::sync::Arc;

use crate::common::extent::one_in;
use crate::common::{twins, typed};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::GpuEngine;
use myriad::engine::gpu::adapter::AdapterQuery;
use myriad::engine::gpu::counts::Counts;
use myriad::engine::gpu::device::Gpu;
use myriad::engine::gpu::subgroups;

use super::{TRAPS, compare, mutants};

/// Opens an engine that treats its adapter as hardware. Without checks, threads of a group wait for each other.
fn as_hardware(counts: Counts, checked: bool) -> GpuEngine {
    let mut gpu = Gpu::open(&AdapterQuery::Any).unwrap_or_else(|error| panic!("{error}"));
    (gpu.counts, gpu.checked) = (Arc::new(counts), checked);
    gpu.subgroups = !checked && subgroups::serve(&gpu).unwrap_or_else(|error| panic!("{error}"));
    let software = gpu.adapter.software;
    gpu.adapter.software = false;
    let mut engine = GpuEngine::on(gpu).unwrap_or_else(|error| panic!("{error}"));
    if software {
        engine.bound_slices(2_048);
    }
    engine
}

/// On hardware the machine executes quick instructions by another shader, in more slots, with larger chunks.
#[test]
fn the_machine_of_hardware_matches_the_cpu() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), as_hardware(Counts::default(), false));
    compare(&mut cpu, &mut gpu, TRAPS, 40);
    for text in one_in(6, twins::files()) {
        compare(&mut cpu, &mut gpu, &text, mutants(8));
    }
    for seed in 0..20 {
        compare(&mut cpu, &mut gpu, &typed::program(seed + 7_000), mutants(8));
    }
    for sample in ["gcd", "calculator"] {
        let text = std::fs::read_to_string(format!("samples/{sample}.myr")).expect("a sample");
        compare(&mut cpu, &mut gpu, &text, 600);
    }
}

/// With the compiler's bounds on loops, and while the instructions of each thread are recorded.
#[test]
fn checked_and_counted_machines_match_the_cpu() {
    for (counts, checked) in [(Counts::default(), true), (Counts::of_lanes(true), false)] {
        let (mut cpu, mut gpu) = (CpuEngine::new(), as_hardware(counts, checked));
        let text = std::fs::read_to_string("samples/calculator.myr").expect("a sample");
        compare(&mut cpu, &mut gpu, &text, mutants(40));
        let figures = gpu.counts().take();
        let figure = |name| figures.iter().find(|(figure, ..)| *figure == name).map(|(.., value)| *value);
        if checked {
            assert!(figure("dispatches") > figure("waits") && figure("waits") >= Some(2.0), "{figures:?}");
            assert_eq!(figure("divergence"), None);
            continue;
        }
        let (steps, longest) = (figure("steps"), figure("steps of the longest chain"));
        assert!(steps > longest && longest > Some(100.0), "{figures:?}");
        let group = figure("threads of a group's step");
        assert_eq!(figure("instructions of a group's step"), Some(1.0));
        assert!(group > Some(1.0) && group <= Some(32.0), "{figures:?}");
        assert!(figure("turns of the longest group") > Some(100.0), "{figures:?}");
        assert!(figure("divergence") >= Some(1.0), "{figures:?}");
    }
}
