//! The engine of automatic choice returns the CPU engine's results, whatever fails and when.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};

use crate::common::hooked::{Call, Hooked};
use myriad::compiler::stage::execute::Noise;
use myriad::engine::automatic::{Automatic, Opened};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::news::{Report, Reporter};
use myriad::engine::{Abilities as _, DeviceFailure, Engine, EngineError, Kind, Tested, TestedCandidate};
use myriad::lang::index::{Index, Indices, RoutineId};
use myriad::lang::verdict::Verdict;
use myriad::network::sampling::{Inputs, Sampling};
use myriad::network::source;
use myriad::network::weights::{Config, Weights};

/// Number of mutants that the device judges at once.
const CHUNK: u32 = 24;

/// A program with few mutants.
const SMALL: &str = "fn f(a: int, b: int) -> int { if a < b { return a + b; } return 3 * a - b; }
    test f(1, 2) == 3; test f(2, 1) == 5; prop a in 0..4, b in 0..4 => f(a, b) >= 0;";

/// Returns a device that works a number of times and then fails. Its results are those of the CPU engine.
fn failing(mut left: u32, error: EngineError) -> Hooked {
    let hook = move |_| {
        left = left.checked_sub(1).ok_or_else(|| error.clone())?;
        Ok(())
    };
    let device = Hooked::new(CpuEngine::with_threads(1), "a device", Box::new(hook));
    Hooked { kind: Kind::Gpu, chunk: CHUNK, ..device }
}

/// All results of an engine on a program.
#[derive(Clone, Debug, Default, PartialEq)]
struct Answers {
    entries: usize,
    verdicts: Vec<Verdict>,
    part: Vec<Verdict>,
    value: Vec<u32>,
    tested: Vec<Option<Tested>>,
    noisy: usize,
    candidates: Vec<Vec<u16>>,
    agreements: usize,
}

/// Collects all results of an engine on a program.
fn ask(engine: &mut dyn Engine, text: &str) -> Result<Answers, EngineError> {
    let text: Arc<str> = text.into();
    let mut answers = Answers::default();
    let base = engine.base(&text, &|| false)?;
    answers.entries = base.entries.len();
    let count = engine.variants().first_order;
    engine.mutants(Indices::first(count), &|| false, &mut |part| {
        assert_eq!(part.first.position(), answers.verdicts.len(), "in order, and none twice");
        answers.verdicts.extend(part.verdicts);
    })?;
    answers.part = engine.part(Indices::numbered(20..24), &|| false)?.result.verdicts;
    answers.value = engine.run(RoutineId::new(0), &[1, 2], &|| false)?.value;
    let noise = Noise::new(1e-3, 100, 1);
    answers.noisy = engine.repeat(noise, Indices::first(300), &|| false)?.len();
    let weights = Arc::new(Weights::random(Config::new(32, 1), 0));
    engine.sampler()?.weights(&weights)?;
    let source = source::read(&base.compiled.program(), RoutineId::new(0)).expect("a function of the model");
    let sampling = Sampling { k: 4, ..Sampling::default() };
    engine.sampler()?.sample(&source, &sampling, &|| false, &mut |candidate| {
        answers.candidates.push(candidate.words.clone());
    })?;
    answers.agreements = engine
        .sampler()?
        .agree(RoutineId::new(0), &[&[]], Inputs { seed: 0, first: 0, count: 4 }, &|| false)?
        .len();
    let candidates = vec![TestedCandidate { text: "test 1 == 1;", changes: None }; 300];
    answers.tested = engine.test_all(&candidates, &|| false)?;
    Ok(answers)
}

/// Returns an engine whose device fails after a number of uses, and the list of notices.
fn automatic(uses: u32, from: u32, error: EngineError) -> (Automatic, Arc<Mutex<Vec<String>>>) {
    let told = Arc::new(Mutex::new(Vec::new()));
    let list = told.clone();
    let news = Reporter::new(move |report| {
        if let Report::Notice(text) = report {
            list.lock().expect("unpoisoned").push(text.to_string());
        }
    });
    let open = move || {
        let engine: Box<dyn Engine> = Box::new(failing(uses, error));
        Ok(Some(Opened { engine, from, measured: None }))
    };
    (Automatic::new(Box::new(open), news), told)
}

/// The device fails at each of its uses in turn: while compiling, in the middle of the mutants, while drawing.
#[test]
fn failed_device_is_replaced_by_the_cpu_with_one_notice() {
    let expected = ask(&mut CpuEngine::with_threads(2), SMALL).expect("the CPU engine does not fail");
    assert!(expected.verdicts.len() > CHUNK as usize && !expected.candidates.is_empty());
    let lost = EngineError::Device(DeviceFailure::Lost, "unplugged".into());
    let mut failures = 0;
    for uses in 0.. {
        let (mut engine, told) = automatic(uses, 0, lost.clone());
        engine.open_now();
        let found = ask(&mut engine, SMALL).unwrap_or_else(|error| panic!("{error} after {uses} uses"));
        assert_eq!(found, expected, "after {uses} uses");
        let told = told.lock().expect("unpoisoned").clone();
        if told.is_empty() {
            assert_eq!(engine.kind(), Kind::Gpu);
            break;
        }
        assert_eq!(told, ["the CPU engine goes on; a device: the device was lost: unplugged"]);
        assert_eq!(engine.kind(), Kind::Cpu);
        failures += 1;
    }
    assert!(failures > 8, "{failures} moments at which it can fail");
}

/// Likewise if the device judges only batches: it takes the base over from the CPU, and the CPU takes it back.
#[test]
fn batch_of_a_failed_device_is_finished_by_the_cpu() {
    let large = std::fs::read_to_string("samples/gcd.myr").expect("the sample");
    let expected = ask(&mut CpuEngine::with_threads(2), &large).expect("the CPU engine does not fail");
    assert!(expected.verdicts.len() > 280);
    for uses in [0, 2, 5, 100] {
        let (mut engine, told) =
            automatic(uses, 280, EngineError::Device(DeviceFailure::Command, "a pipeline".into()));
        assert_eq!(ask(&mut engine, &large), Ok(expected.clone()), "after {uses} uses");
        let told = told.lock().expect("unpoisoned").len();
        assert_eq!(told, usize::from(uses < 100), "after {uses} uses");
    }
}

/// A chunk takes 20 ms on one engine and 1 ms on the other, by the clock of the test. Whichever it is, and whichever begins,
/// the other one judges the mutants after some keystrokes.
#[test]
fn the_engine_that_is_faster_at_a_program_judges_its_mutants() {
    let expected = ask(&mut CpuEngine::with_threads(2), SMALL).expect("the CPU engine does not fail").verdicts;
    for (faster, from) in [(Kind::Cpu, 1), (Kind::Cpu, 1_000), (Kind::Gpu, 1), (Kind::Gpu, 1_000)] {
        let spent = Arc::new(AtomicU32::new(0));
        let timed = |kind| -> Box<dyn Engine> {
            let (spent, chunk) = (spent.clone(), if kind == faster { 1 } else { 20 });
            let hook = move |call| {
                spent.fetch_add(if call == Call::Chunk { chunk } else { 0 }, Ordering::Relaxed);
                Ok(())
            };
            let engine = Hooked::new(CpuEngine::with_threads(1), "an engine", Box::new(hook));
            Box::new(Hooked { kind, chunk: CHUNK, ..engine })
        };
        let device = timed(Kind::Gpu);
        let open = Box::new(move || Ok(Some(Opened { engine: device, from, measured: None })));
        let clock = {
            let spent = spent.clone();
            Arc::new(move || f64::from(spent.load(Ordering::Relaxed)) / 1e3)
        };
        let mut engine = Automatic::with(timed(Kind::Cpu), open, clock, Reporter::none());
        engine.open_now();
        let mut keystroke = |number: usize| {
            let text: Arc<str> = format!("{SMALL} // {number}").into();
            engine.base(&text, &|| false).expect("no engine fails");
            let mut found = Vec::new();
            let all = Indices::first(engine.variants().first_order);
            engine.mutants(all, &|| false, &mut |part| found.extend(part.verdicts)).expect("no engine fails");
            assert_eq!(found, expected);
            (engine.kind(), engine.choice().unwrap_or_default())
        };
        let begins = keystroke(0).0;
        assert_eq!(begins, if from == 1 { Kind::Gpu } else { Kind::Cpu });
        // The device has its trial when this may take 50 ms, a twenty-fifth of all time.
        let found = (1..40).find(|number| keystroke(*number).1.contains(", and "));
        assert!(found.is_some() || faster == begins, "no trial");
        let slower = (40..50).filter(|number| keystroke(*number).0 != faster).count();
        assert_eq!(slower, 0, "keystrokes of 10 that are left to the slower engine");
    }
}

/// Small work never waits for a driver.
#[test]
fn small_batch_opens_no_device() {
    let open = || -> Result<Option<Opened>, EngineError> { panic!("a device was looked for") };
    let mut engine = Automatic::new(Box::new(open), Reporter::none());
    let text: Arc<str> = "fn f(a: int) -> int { return a + 1; } test f(1) == 2;".into();
    engine.base(&text, &|| false).expect("the CPU engine does not fail");
    let count = engine.variants().first_order;
    assert!((1..200).contains(&count));
    let mut judged = 0;
    let done =
        engine.mutants(Indices::first(count), &|| false, &mut |part| judged += part.verdicts.len() as u32);
    assert_eq!((done, judged), (Ok(()), count));
    assert_eq!(engine.run(RoutineId::new(0), &[1], &|| false).expect("a call").value, [2]);
}

/// Cancelled, refused or wrong work is not a failure, and engines that disagree are an error.
#[test]
fn refused_or_cancelled_work_does_not_replace_the_device() {
    let refused = [EngineError::TooLarge, EngineError::Differs, EngineError::Call].map(|of| of("x".into()));
    for error in refused.into_iter().chain([EngineError::Cancelled]) {
        let (mut engine, told) = automatic(0, 0, error.clone());
        engine.open_now();
        assert_eq!(engine.base(&"test 1 == 1;".into(), &|| false).map(|_| ()), Err(error));
        assert!(told.lock().expect("unpoisoned").is_empty() && engine.kind() == Kind::Gpu);
    }
}

#[test]
fn a_device_that_cannot_be_opened_is_reported_once() {
    for (error, notices) in [
        (EngineError::Device(DeviceFailure::Opening, "no".into()), 1),
        (EngineError::Device(DeviceFailure::Missing, "none".into()), 0),
    ] {
        let told = Arc::new(Mutex::new(0));
        let count = told.clone();
        let news = Reporter::new(move |_| *count.lock().expect("unpoisoned") += 1);
        let mut engine = Automatic::new(Box::new(move || Err(error)), news);
        let expected = ask(&mut CpuEngine::with_threads(2), SMALL);
        assert_eq!(ask(&mut engine, SMALL), expected);
        assert_eq!(*told.lock().expect("unpoisoned"), notices);
    }
}
