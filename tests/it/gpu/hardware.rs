//! The GPU engine with the shaders and amounts of work of hardware, on a software adapter.

use crate::common::extent::one_in;
use crate::common::{twins, typed};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::GpuEngine;
use myriad::engine::gpu::adapter::AdapterQuery;
use myriad::engine::gpu::device::Gpu;

use super::{TRAPS, compare, mutants};

/// Opens an engine that treats its adapter as hardware.
fn as_hardware(checked: bool) -> GpuEngine {
    let mut gpu = Gpu::open(&AdapterQuery::Any).unwrap_or_else(|error| panic!("{error}"));
    gpu.checked = checked;
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
    let (mut cpu, mut gpu) = (CpuEngine::new(), as_hardware(false));
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

/// With the compiler's bounds on loops, which the machine does not need.
#[test]
fn the_checked_machine_matches_the_cpu() {
    let (mut cpu, mut gpu) = (CpuEngine::new(), as_hardware(true));
    compare(&mut cpu, &mut gpu, TRAPS, 40);
    let text = std::fs::read_to_string("samples/sorting.myr").expect("a sample");
    compare(&mut cpu, &mut gpu, &text, mutants(40));
}
