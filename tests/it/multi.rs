//! Engines that share a batch find the same results as a single engine, whichever judges what and whichever is
//! lost.

mod engines;

use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use myriad::compiler::stage::execute::Noise;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::gpu::GpuEngine;
use myriad::engine::gpu::adapter::AdapterQuery;
use myriad::engine::multi::{MultiEngine, Opening};
use myriad::engine::news::{Report, Reporter};
use myriad::engine::{
    Abilities, DeviceFailure, Engine, EngineError, EngineSettings, MutantCounts, TestedCandidate,
};
use myriad::lang::index::{Index, Indices, MutantId, RoutineId};
use myriad::lang::mutation::Group;
use myriad::lang::verdict::{MutantStatus, Verdict};

use engines::{Call, meeting, mortal, with_straggler};

use crate::common::typed;

const SMALL: &str = "fn f(a: int, b: int) -> int { if a < b { return a + b; } return 3 * a - b; }
    test f(1, 2) == 3; test f(2, 1) == 5; prop a in 0..4, b in 0..4 => f(a, b) >= 0;";

fn gpu() -> Box<dyn Engine> {
    Box::new(GpuEngine::new(&AdapterQuery::Any).unwrap_or_else(|error| {
        panic!(
            "these tests need an adapter, if only a software one: apt-get install mesa-vulkan-drivers ({error})"
        )
    }))
}

fn cpu() -> Box<dyn Engine> {
    Box::new(CpuEngine::with_threads(1))
}

fn shared(engines: Vec<Box<dyn Engine>>) -> MultiEngine {
    MultiEngine::new(engines, &Reporter::none())
}
/// Cancels work that would never end, so that the test fails.
fn in_time() -> impl Fn() -> bool {
    let started = Instant::now();
    move || started.elapsed() > Duration::from_secs(300)
}

fn verdicts(engine: &mut dyn Engine, first: u32, count: u32) -> Vec<Verdict> {
    let mut all = Vec::new();
    let ids = Indices::starting(MutantId::new(first), count);
    let judged = engine.mutants(ids, &in_time(), &mut |part| {
        assert_eq!(part.first.position(), first as usize + all.len(), "parts come in order");
        all.extend(part.verdicts);
    });
    judged.unwrap_or_else(|error| panic!("{error}"));
    all
}

/// Programs are tested by all engines with results in order, even if an engine is lost; the rest of a cancelled
/// batch is not tested.
#[test]
fn shared_engines_test_programs_like_a_single_engine() {
    let texts: Vec<String> = (0..120).map(typed::program).collect();
    let candidates: Vec<TestedCandidate> =
        texts.iter().map(|text| TestedCandidate { text, changes: None }).collect();
    let expected = CpuEngine::new().test_all(&candidates, &|| false).expect("no device");
    let mut shared = shared(vec![mortal(2), cpu(), gpu()]);
    assert_eq!(shared.test_all(&candidates, &|| false), Ok(expected.clone()));
    // With a base, mutants are unaffected afterwards.
    shared.base(&SMALL.into(), &|| false).expect("somebody is left");
    assert_eq!(shared.test_all(&candidates, &|| false), Ok(expected));
    let mut alone = CpuEngine::new();
    alone.base(&SMALL.into(), &|| false).expect("no device");
    assert_eq!(verdicts(&mut shared, 0, 40), verdicts(&mut alone, 0, 40));
    let stopped = shared.test_all(&candidates, &|| true).expect("nothing fails");
    assert_eq!(stopped.len(), texts.len());
    let nobody = MultiEngine::new(vec![mortal(0)], &Reporter::none()).test_all(&candidates, &|| false);
    assert!(matches!(nobody, Err(EngineError::Device(DeviceFailure::Lost, _))), "{nobody:?}");
}

/// Compares engines that share with a single one: the base, and the first `count` mutants.
fn compare(engines: Vec<Box<dyn Engine>>, text: &str, count: u32) -> MultiEngine {
    let text: Arc<str> = text.into();
    let (mut alone, mut shared) = (CpuEngine::new(), shared(engines));
    let expected = alone.base(&text, &|| false).unwrap_or_else(|error| panic!("{error}"));
    let found = shared.base(&text, &|| false).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(found.difference_from(&expected), None);
    assert_eq!(alone.variants(), shared.variants());
    let expected = verdicts(&mut alone, 0, count);
    let found = verdicts(&mut shared, 0, count);
    for (id, (alone, shared)) in expected.iter().zip(&found).enumerate() {
        assert_eq!(alone, shared, "mutant {id} of this program:\n{text}");
    }
    assert_eq!(expected.len(), found.len());
    shared
}

fn sample(name: &str) -> String {
    std::fs::read_to_string(format!("samples/{name}.myr")).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn cpu_engines_share_a_batch_with_unchanged_results() {
    for (name, text) in crate::common::cases::programs(&["samples", "tests/cases"]) {
        println!("{name}");
        compare(vec![cpu(), cpu(), cpu()], &text, 700);
    }
    let (engines, meeting) = meeting(vec![cpu(), cpu()]);
    let shared = compare(engines, &sample("gcd"), 2000);
    let shares = shared.shares();
    assert_eq!(shares.iter().map(|share| share.programs).sum::<u32>(), 2000, "{shares:?}");
    // A member may take over the stretch of the other one, so the shares themselves say little.
    assert!(meeting.all_came());
}

#[test]
fn two_device_engines_share_a_batch_with_unchanged_results() {
    let (engines, meeting) = meeting(vec![gpu(), gpu()]);
    compare(engines, SMALL, 120);
    assert!(meeting.all_came());
}

#[test]
fn device_and_cpu_share_a_batch_with_unchanged_results() {
    let mut shared = compare(vec![gpu(), cpu()], SMALL, 400);
    // The same engines continue with another program, a broken one, and one that is only inspected.
    let text: Arc<str> = "fn f(a: int) -> int { return a; } test f(1) == 1;".into();
    assert!(shared.base(&text, &|| false).is_ok());
    assert!(!verdicts(&mut shared, 0, 99).is_empty());
    assert_eq!(shared.run(RoutineId::new(0), &[7], &|| false).map(|run| run.value), Ok(vec![7]));
    assert!(shared.base(&"fn f(".into(), &|| false).is_ok());
    assert!(verdicts(&mut shared, 0, 99).is_empty());
    assert!(shared.compile(&text, &|| false).is_ok());
    assert_eq!(shared.variants(), MutantCounts::default());
    assert_eq!(shared.run(RoutineId::new(0), &[8], &|| false).map(|run| run.value), Ok(vec![8]));
    assert!(shared.sampler().is_ok());
}

#[test]
fn parts_judged_out_of_order_have_unchanged_verdicts() {
    let text: Arc<str> = SMALL.into();
    let (mut alone, mut shared) = (CpuEngine::new(), shared(vec![cpu(), cpu()]));
    assert!(alone.base(&text, &|| false).is_ok() && shared.base(&text, &|| false).is_ok());
    let all = verdicts(&mut alone, 0, 600);
    assert!(all.iter().any(|verdict| verdict.status == MutantStatus::Duplicate));
    for (first, count) in [(20, 30), (10, 5), (300, 40), (0, 3), (3, 64), (67, 64), (500, 100)] {
        let found = verdicts(&mut shared, first, count);
        assert_eq!(found[..], all[first as usize..][..count as usize], "{first} and {count} more");
    }
    // An engine that has judged parts finds out itself what is missing.
    let mut engine = CpuEngine::new();
    assert!(engine.base(&text, &|| false).is_ok());
    assert!(engine.part(Indices::numbered(200..220), &|| false).is_ok());
    assert_eq!(verdicts(&mut engine, 230, 70)[..], all[230..300]);
}

/// Collects notices.
fn notices() -> (Reporter, Arc<Mutex<Vec<String>>>) {
    let said = Arc::new(Mutex::new(Vec::new()));
    let kept = said.clone();
    let news = Reporter::new(move |report| match report {
        Report::Notice(text) => kept.lock().expect("nobody panics here").push(text.to_string()),
        Report::Progress(_) => {}
    });
    (news, said)
}

/// Repeats work until `lost` members are lost. Once may not be enough: healthy members may finish all of it before a
/// failing member has begun.
fn until_lost(shared: &mut MultiEngine, lost: usize) {
    let text: Arc<str> = sample("gcd").into();
    for _ in 0..500 {
        if shared.describe().ends_with(&format!("({lost} lost)")) {
            return;
        }
        assert!(shared.base(&text, &|| false).is_ok());
        verdicts(shared, 0, 600);
    }
    panic!("{}", shared.describe());
}

#[test]
fn lost_engine_loses_no_verdicts() {
    for parts in [0, 1, 3] {
        let mut shared = compare(vec![mortal(parts), cpu()], &sample("gcd"), 1200);
        until_lost(&mut shared, 1);
        assert_eq!(shared.describe(), "CPU engine, 1 thread (1 lost)");
    }
    let mut shared = compare(vec![mortal(0), mortal(2), gpu()], SMALL, 60);
    until_lost(&mut shared, 2);
}

#[test]
fn wrong_call_is_an_error_and_loses_no_member() {
    let mut shared = shared(vec![cpu(), cpu()]);
    shared.base(&SMALL.into(), &|| false).expect("no device");
    assert!(matches!(shared.run(RoutineId::new(9_999), &[], &|| false), Err(EngineError::Call(_))));
    assert_eq!(shared.shares().len(), 2);
}

#[test]
fn a_lost_member_is_reported_once_and_the_last_one_is_an_error() {
    let (news, said) = notices();
    let mut shared = MultiEngine::new(vec![mortal(0), mortal(1), cpu()], &news);
    until_lost(&mut shared, 2);
    let expected = "mortal engine is left out: the device was lost: unplugged";
    assert_eq!(*said.lock().expect("nobody panics here"), [expected; 2]);
    verdicts(&mut shared, 0, 100);
    assert_eq!(said.lock().expect("nobody panics here").len(), 2);
    let (news, said) = notices();
    let mut shared = MultiEngine::new(vec![mortal(0)], &news);
    assert!(shared.base(&SMALL.into(), &|| false).is_ok());
    assert!(matches!(
        shared.mutants(Indices::first(9), &|| false, &mut |_| {}),
        Err(EngineError::Device(DeviceFailure::Lost, _))
    ));
    assert_eq!(said.lock().expect("nobody panics here").len(), 0);
}

/// The processor takes over the stretch of a blocked device, and the device's late answer changes nothing.
#[test]
fn a_blocked_device_delays_no_verdict() {
    let text: Arc<str> = SMALL.into();
    let mut alone = CpuEngine::new();
    assert!(alone.base(&text, &|| false).is_ok());
    let expected = verdicts(&mut alone, 0, 400);
    let later = verdicts(&mut alone, 400, 200);
    for at in [Call::Base, Call::Chunk] {
        let (mut shared, gate) = with_straggler(at);
        assert!(shared.base(&text, &|| false).is_ok());
        assert_eq!(verdicts(&mut shared, 0, 400), expected, "{at:?}");
        let judged =
            |shared: &MultiEngine| -> Vec<u32> { shared.shares().iter().map(|share| share.programs).collect() };
        assert_eq!((gate.stopped(), judged(&shared)), (1, vec![0, 400]), "{at:?}");
        // Work of a single engine does not wait either, nor does the next program.
        assert_eq!(shared.run(RoutineId::new(0), &[1, 2], &|| false).map(|run| run.value), Ok(vec![3]));
        assert_eq!(verdicts(&mut shared, 400, 200), later, "{at:?}");
        assert_eq!(judged(&shared), [0, 600], "{at:?}");
        assert!(shared.base(&sample("gcd").into(), &|| false).is_ok());
        assert!(shared.base(&text, &|| false).is_ok());
        assert_eq!(gate.stopped(), 1, "{at:?}");
        gate.open();
        assert_eq!(verdicts(&mut shared, 0, 400), expected, "{at:?}: with a late answer");
        assert_eq!(judged(&shared).iter().sum::<u32>(), 400, "{at:?}");
    }
}

#[test]
fn a_blocked_device_delays_neither_candidates_nor_noise() {
    let texts: Vec<String> = (0..200).map(typed::program).collect();
    let candidates: Vec<TestedCandidate> =
        texts.iter().map(|text| TestedCandidate { text, changes: None }).collect();
    let mut alone = CpuEngine::new();
    let expected = alone.test_all(&candidates, &|| false);
    let (mut shared, gate) = with_straggler(Call::Test);
    assert_eq!(shared.test_all(&candidates, &in_time()), expected);
    assert_eq!(gate.stopped(), 1);
    gate.open();
    assert_eq!(shared.test_all(&candidates, &in_time()), expected);

    let noise = Noise::new(0.01, 300, 7);
    let text: Arc<str> = SMALL.into();
    let (mut shared, gate) = with_straggler(Call::Repeat);
    assert!(alone.base(&text, &|| false).is_ok() && shared.base(&text, &|| false).is_ok());
    let expected = alone.repeat(noise, Indices::numbered(100..500), &|| false);
    assert!(expected.as_ref().is_ok_and(|runs| runs.len() == 400), "{expected:?}");
    assert_eq!(shared.repeat(noise, Indices::numbered(100..500), &in_time()), expected);
    assert_eq!(gate.stopped(), 1);
    gate.open();
    let stopped = shared.repeat(noise, Indices::numbered(100..500), &|| true);
    assert_eq!(stopped, Err(EngineError::Cancelled));
}

#[test]
fn devices_join_while_others_work() {
    let (open, may_open) = mpsc::channel::<()>();
    let (opened, has_opened) = mpsc::channel::<bool>();
    let (news, said) = notices();
    let open_one = move |opening: Opening| {
        let _ = may_open.recv();
        let _ = opened.send(opening.add(meeting(vec![cpu()]).0.remove(0)));
        drop(opening);
    };
    let text: Arc<str> = sample("gcd").into();
    let mut shared = MultiEngine::with_devices(cpu(), open_one, &news);
    assert!(shared.base(&text, &|| false).is_ok());
    let before = verdicts(&mut shared, 0, 300);
    assert_eq!(shared.describe(), "CPU engine, 1 thread");
    open.send(()).expect("the thread waits");
    assert_eq!(has_opened.recv(), Ok(true));
    assert_eq!(verdicts(&mut shared, 0, 300), before);
    assert_eq!(shared.describe(), "CPU engine, 1 thread + mortal engine");
    // A device that joins receives the settings, and does all work if it is the last member.
    let open_one = |opening: Opening| _ = opening.add(cpu());
    let (mut alone, mut shared) =
        (CpuEngine::new(), MultiEngine::with_devices(mortal(0), open_one, &Reporter::none()));
    alone.configure(EngineSettings { group: Group::Strong, ..alone.settings() });
    shared.configure(EngineSettings { group: Group::Strong, ..shared.settings() });
    assert!(alone.base(&text, &|| false).is_ok() && shared.base(&text, &|| false).is_ok());
    assert_eq!(verdicts(&mut shared, 0, 300), verdicts(&mut alone, 0, 300));
    assert_eq!(shared.describe(), "CPU engine, 1 thread (1 lost)");
    // A caller that needs devices waits for them, up to a limit.
    let (forever, never) = mpsc::channel::<()>();
    let hang = move |opening: Opening| {
        let _ = never.recv();
        drop(opening);
    };
    let mut shared = MultiEngine::with_devices(cpu(), hang, &news);
    shared.complete(Duration::from_millis(10));
    assert_eq!(*said.lock().expect("nobody panics here"), ["preparing devices has taken longer than 0.01 s"]);
    assert!(shared.base(&text, &|| false).is_ok());
    assert_eq!(verdicts(&mut shared, 0, 300), before);
    drop(forever);
}

#[test]
fn loss_of_all_engines_is_an_error() {
    let mut shared = shared(vec![mortal(1), mortal(2)]);
    let text: Arc<str> = sample("gcd").into();
    assert!(shared.base(&text, &|| false).is_ok());
    let mut judged = 0;
    let answer = shared.mutants(Indices::first(5000), &|| false, &mut |part| judged += part.verdicts.len());
    assert_eq!(answer, Err(EngineError::Device(DeviceFailure::Lost, "unplugged".into())));
    assert!(judged < 5000);
    assert!(matches!(shared.base(&text, &|| false), Err(EngineError::Device(DeviceFailure::Lost, _))));
}

#[test]
fn cancelled_work_can_be_judged_again() {
    let mut shared = shared(vec![cpu(), cpu()]);
    let text: Arc<str> = sample("gcd").into();
    let expected = {
        let mut alone = CpuEngine::new();
        assert!(alone.base(&text, &|| false).is_ok());
        verdicts(&mut alone, 0, 900)
    };
    assert!(shared.base(&text, &|| false).is_ok());
    let judged = std::cell::Cell::new(false);
    let answer = shared.mutants(Indices::first(4000), &|| judged.get(), &mut |_| judged.set(true));
    assert_eq!(answer, Err(EngineError::Cancelled));
    assert_eq!(verdicts(&mut shared, 0, 900), expected, "and judged from the beginning afterwards");
}
