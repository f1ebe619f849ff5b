//! Programs tested in batches: the GPU engine agrees with the CPU engine, and with testing one after the other.

use std::cell::Cell;
use std::sync::Arc;

use crate::common::extent::{one_in, scaled, skip_unless_thorough};
use crate::common::gpu::lend;
use crate::common::{broken, confused, extremes, twins, typed};
use myriad::compiler::program::Watch;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::GpuEngine;
use myriad::engine::gpu::adapter::AdapterQuery;
use myriad::engine::{DeviceFailure, Engine, EngineError, Tested, TestedCandidate};
use myriad::lang::index::Indices;
use myriad::lang::limits;

/// Number of random programs of each kind.
fn programs() -> u64 {
    scaled(40)
}

fn candidates(texts: &[String]) -> Vec<TestedCandidate<'_>> {
    texts.iter().map(|text| TestedCandidate { text, changes: None }).collect()
}

fn test_all(engine: &mut dyn Engine, texts: &[String]) -> Vec<Tested> {
    let tested = engine.test_all(&candidates(texts), &|| false).unwrap_or_else(|error| panic!("{error}"));
    tested.into_iter().map(|tested| tested.expect("nobody has cancelled it")).collect()
}

/// Tests texts in parallel on the device; a software adapter does this only on request.
fn beside(gpu: &mut GpuEngine, texts: &[String]) -> Vec<Tested> {
    let tested = gpu.test_side_by_side(&candidates(texts), &|| false).unwrap_or_else(|error| panic!("{error}"));
    tested.into_iter().map(|tested| tested.expect("nobody has cancelled it")).collect()
}

/// Tests texts on both engines, as one batch; returns the results.
fn compare(texts: &[String]) -> Vec<Tested> {
    let (mut cpu, mut gpu) = (CpuEngine::new(), lend());
    let expected = test_all(&mut cpu, texts);
    let found = beside(&mut gpu, texts);
    for ((text, expected), found) in texts.iter().zip(&expected).zip(&found) {
        assert_eq!(expected, found, "of this program:\n{text}");
    }
    assert_eq!(expected.len(), found.len());
    found
}

#[test]
fn files_are_tested_side_by_side_as_on_the_cpu() {
    compare(&one_in(2, twins::files()));
}

#[test]
fn random_programs_are_tested_side_by_side_as_on_the_cpu() {
    let mut texts: Vec<String> = (0..programs()).map(typed::program).collect();
    texts.extend((0..programs()).map(broken::program));
    texts.extend((0..programs()).map(confused::program));
    let found = compare(&texts);
    // A program's result does not depend on the others in the batch.
    texts.reverse();
    let mut backwards = beside(&mut lend(), &texts);
    backwards.reverse();
    assert_eq!(found, backwards);
}

/// Texts at the limits and beyond, and an empty batch. All extremes if more is requested, otherwise some of
/// them.
#[test]
fn extremes_are_tested_side_by_side_as_on_the_cpu() {
    let mut texts = one_in(2, extremes::extremes());
    let long = |bytes: usize| format!("test 1 == 1;{}", " ".repeat(bytes - "test 1 == 1;".len()));
    texts.extend([
        String::new(),
        "test".into(),
        "// test prop in\n".into(),
        "const PROP = 3; test \"prop\" == [112, 114, 111, 112];".into(),
        long(limits::SOURCE_BYTES),
        long(limits::SOURCE_BYTES + 1),
        "test 1 == 1; ".repeat(limits::TESTS),
        "test 1 == 1; ".repeat(limits::TESTS + 1),
    ]);
    compare(&texts);
}

#[test]
fn endless_programs_in_a_batch_are_tested_as_on_the_cpu() {
    if skip_unless_thorough() {
        return;
    }
    let ever = "fn ever() -> int { while true { } } prop a in 0..9 => ever() == a;";
    let mut texts = vec![ever.to_string(), "test 1 == 1;".into()];
    for n in 0..3 {
        texts.push(format!(
            "fn down(n: int) -> int {{ if n == {n} {{ return 0; }} return 1 + down(n - 1); }}
             fn fat(n: int, xs: [int; 64]) -> int {{ if n == {n} {{ return len(xs); }} let ys = xs; return fat(n - 1, ys); }}
             fn from(a: int, b: int) -> int {{ while a >= b {{ }} return a; }}
             test down(100) == {}; test down({n}) == 0; test fat(20, [1; 64]) == 64;
             test from({n}, 5) == {n};
             prop a in 0..40, b in 0..40 if a != b => from(a, {n} + 10) == a && b >= 0;
             prop a in 0..2000 if a > 2000 => a == 0;
             prop xs in [-3..3; 4] => len(xs + xs) == 2 * len(xs) && down(len(xs) + {n}) != 3;
             test 1 / down({n}) == 1;",
            100 - n
        ));
    }
    compare(&texts);
}

#[test]
fn batch_results_equal_single_tests_and_keep_the_base() {
    let mut gpu = lend();
    let sample = |name: &str| std::fs::read_to_string(format!("samples/{name}.myr")).expect("the sample");
    let texts = [sample("gcd"), sample("sorting"), "test 1 == 2; test 1 == 1;".into(), "test x;".into()];
    let alone: Vec<Tested> = texts
        .iter()
        .map(|text| Tested::from(&gpu.base(&text.as_str().into(), &|| false).expect("a base")))
        .collect();
    let base: Arc<str> = texts[0].as_str().into();
    let verdicts = |gpu: &mut dyn Engine| {
        let mut all = Vec::new();
        gpu.mutants(Indices::first(40), &|| false, &mut |part| all.extend(part.verdicts)).expect("verdicts");
        all
    };
    gpu.base(&base, &|| false).expect("a base");
    let before = verdicts(&mut *gpu);
    assert_eq!(beside(&mut gpu, &texts), alone);
    assert_eq!(verdicts(&mut *gpu), before);
    assert_eq!(beside(&mut gpu, &[]), []);
    assert_eq!(test_all(&mut *gpu, &texts), alone);
}

/// A watch that acts on its n-th call; then it cancels the work, or not.
struct After<F: Fn()> {
    asked: Cell<u32>,
    then: u32,
    act: F,
    cancels: bool,
}

fn after<F: Fn()>(then: u32, cancels: bool, act: F) -> After<F> {
    After { asked: Cell::new(0), then, act, cancels }
}

impl<F: Fn()> Watch for After<F> {
    fn cancelled(&self) -> bool {
        self.asked.set(self.asked.get() + 1);
        if self.asked.get() == self.then {
            (self.act)();
        }
        self.cancels && self.asked.get() >= self.then
    }
}

const EVER: &str = "fn ever() -> int { while true { } } test ever() == 1;";

#[test]
fn cancelled_batch_returns_finished_results() {
    let mut gpu = lend();
    let texts: Vec<String> = std::iter::repeat_n("test 1 == 1;".into(), 300).chain([EVER.into()]).collect();
    for asked in [1, 2, 4, 9] {
        let tested = gpu.test_side_by_side(&candidates(&texts), &after(asked, true, || {})).expect("no fault");
        assert_eq!(tested.len(), texts.len());
        let done = tested.iter().take_while(|tested| tested.is_some()).count();
        assert!(tested[done..].iter().all(Option::is_none));
        // A device that polls seldom may be done before it is cancelled.
        assert!(asked > 2 || done < texts.len());
        assert!(asked > 1 || done == 0);
    }
    assert!(matches!(beside(&mut gpu, &texts[..3])[..], [Tested::Ended(_), ..]));
}

#[test]
fn device_lost_during_a_batch_is_reported() {
    // A separate engine, so that no other test uses it afterwards.
    let mut gpu = GpuEngine::new(&AdapterQuery::Any).expect("an adapter; a software one will do");
    let lose = gpu.device_destroyer();
    let texts = vec![EVER.to_string(); 3];
    // It is not cancelled and finds the device lost.
    let answer = gpu.test_side_by_side(&candidates(&texts), &after(3, false, lose));
    assert!(matches!(answer, Err(EngineError::Device(DeviceFailure::Lost, _))), "{answer:?}");
    let answer = gpu.test_side_by_side(&candidates(&texts), &|| false);
    assert!(matches!(answer, Err(EngineError::Device(DeviceFailure::Lost, _))), "{answer:?}");
}
