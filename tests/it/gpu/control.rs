//! Progress, cancellation and loss of the device.

use std::sync::Arc;

use super::{compare, gpu};
use myriad::compiler::program::{Compiled, Watch};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::GpuEngine;
use myriad::engine::gpu::adapter::AdapterQuery;
use myriad::engine::{DeviceFailure, Engine, EngineError};
use myriad::lang::index::{EntryId, Index, Indices};

/// The calls of a watch.
#[derive(Default)]
struct Told {
    running: std::cell::RefCell<Vec<(u32, u32)>>,
}

impl Watch for Told {
    fn cancelled(&self) -> bool {
        false
    }

    fn running(&self, compiled: &Arc<Compiled>, entry: EntryId, inputs: u32) {
        assert_eq!(compiled.facts.functions, 1);
        self.running.borrow_mut().push((entry.number(), inputs));
    }
}

#[test]
fn base_progress_reports_the_running_test() {
    let text: Arc<str> = "
        fn spin(n: int) -> int { let i = 0; while i < n { i += 1; } return i; }
        test spin(3) == 3;
        prop a in 0..64 => spin(8000 + a) > 0;
        test spin(200000) == 200000;
    "
    .into();
    let (mut gpu, told) = (gpu(), Told::default());
    // The first base on a device also runs on the CPU engine, which reports too.
    assert!(gpu.base(&"test 1 == 1;".into(), &|| false).is_ok());
    assert!(gpu.base(&text, &told).is_ok());
    let told = told.running.into_inner();
    assert!(told.is_sorted(), "{told:?}");
    assert!(told.iter().all(|(entry, inputs)| (*entry, *inputs) < (2, 1) && *entry > 0), "{told:?}");
    assert!(told.iter().any(|(entry, inputs)| *entry == 1 && (1..64).contains(inputs)), "{told:?}");
    assert!(told.contains(&(2, 0)), "{told:?}");
}

#[test]
fn slow_base_is_cancelled_between_slices() {
    let text: Arc<str> = "
        fn spin(n: int) -> int { let i = 0; while i < n { i += 1; } return i; }
        prop a in 0..1000, b in 0..1000 => spin(100000 + a) > 0;
    "
    .into();
    let (mut gpu, looks) = (gpu(), std::cell::Cell::new(0));
    let impatient = || {
        looks.set(looks.get() + 1);
        looks.get() > 2
    };
    assert_eq!(gpu.base(&text, &impatient).map(|_| ()), Err(EngineError::Cancelled));
    // The device ran a part of each input's steps, not all of them.
    assert!(u64::from(gpu.spent()) < 1_024 * 100_000, "{} iterations", gpu.spent());
    assert_eq!(gpu.variants().all, 0, "there is no base whose mutants could be judged");
    compare(&mut CpuEngine::new(), &mut gpu, "fn f(a: int) -> int { return a + 1; } test f(1) == 2;", 8);
}

#[test]
fn lost_device_is_reported_as_lost() {
    // A separate engine, so that no other test uses it afterwards.
    let mut gpu = GpuEngine::new(&AdapterQuery::Any).expect("an adapter; a software one will do");
    let text: Arc<str> = "test 1 == 1;".into();
    assert!(gpu.base(&text, &|| false).is_ok());
    gpu.lose();
    let answer = gpu.base(&text, &|| false);
    assert!(matches!(answer, Err(EngineError::Device(DeviceFailure::Lost, _))), "{answer:?}");
    // Likewise before its shaders are compiled.
    let mut early = GpuEngine::new(&AdapterQuery::Any).expect("an adapter; a software one will do");
    early.lose();
    let answer = early.base(&text, &|| false);
    assert!(matches!(answer, Err(EngineError::Device(DeviceFailure::Lost, _))), "{answer:?}");
}

#[test]
fn mutants_are_cancelled_between_chunks() {
    let mut gpu = gpu();
    let text: Arc<str> = std::fs::read_to_string("samples/gcd.myr").expect("the sample").into();
    assert!(gpu.base(&text, &|| false).is_ok());
    let calls = std::cell::Cell::new(0);
    let cancelled = || {
        calls.set(calls.get() + 1);
        calls.get() > 1
    };
    assert_eq!(gpu.mutants(Indices::first(u32::MAX), &cancelled, &mut |_| {}), Err(EngineError::Cancelled));
}
