//! The engine of automatic choice returns the CPU engine's results, whatever fails and when.

use crate::common::forward::forward_engine;
use std::ops::Range;
use std::sync::{Arc, Mutex};

use myriad::compiler::program::Watch;
use myriad::compiler::stage::execute::{Noise, NoisyRun};
use myriad::engine::automatic::{Automatic, Opened};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::news::{Report, Reporter};
use myriad::engine::{
    BaseResult, Candidate, Chunk, ChunkMode, Engine, EngineError, Kind, Noisy, RunResult, Sampler, Tested,
};
use myriad::lang::index::{Index, RoutineId};
use myriad::lang::verdict::Verdict;
use myriad::network::sampling::{Agreement, Candidate as Written, Draft, Inputs, Sampled, Sampling};
use myriad::network::source::{self, Source};
use myriad::network::weights::{Config, Weights};

/// Number of mutants that the device judges at once.
const CHUNK: u32 = 24;

/// A program with few mutants.
const SMALL: &str = "fn f(a: int, b: int) -> int { if a < b { return a + b; } return 3 * a - b; }
    test f(1, 2) == 3; test f(2, 1) == 5; prop a in 0..4, b in 0..4 => f(a, b) >= 0;";

/// A device that works a number of times and then fails. Its results are those of the CPU engine.
struct Failing {
    inner: CpuEngine,
    left: u32,
    error: EngineError,
}

impl Failing {
    fn used(&mut self) -> Result<(), EngineError> {
        if self.left == 0 {
            return Err(self.error.clone());
        }
        self.left -= 1;
        Ok(())
    }
}

impl Engine for Failing {
    forward_engine!(inner);
    fn kind(&self) -> Kind {
        Kind::Gpu
    }
    fn describe(&self) -> String {
        "a device".into()
    }
    fn set_exact(&mut self, exact: bool) {
        self.inner.set_exact(exact);
    }
    fn base(&mut self, text: &Arc<str>, watch: &dyn Watch) -> Result<BaseResult, EngineError> {
        self.used()?;
        self.inner.base(text, watch)
    }
    fn chunk(&mut self, ids: Range<u32>, ask: ChunkMode, watch: &dyn Watch) -> Result<Chunk, EngineError> {
        self.used()?;
        self.inner.chunk(ids.start..ids.end.min(ids.start + CHUNK), ask, watch)
    }
    fn run(
        &mut self,
        function: RoutineId,
        arguments: &[u32],
        watch: &dyn Watch,
    ) -> Result<RunResult, EngineError> {
        self.used()?;
        self.inner.run(function, arguments, watch)
    }
    fn test_all(
        &mut self,
        candidates: &[Candidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        self.used()?;
        self.inner.test_all(candidates, watch)
    }
    fn sampler(&mut self) -> Result<&mut dyn Sampler, EngineError> {
        Ok(self)
    }
    fn noisy(&mut self) -> Result<&mut dyn Noisy, EngineError> {
        Ok(self)
    }
}

impl Noisy for Failing {
    fn repeat(
        &mut self,
        noise: Noise,
        jobs: Range<u32>,
        watch: &dyn Watch,
    ) -> Result<Vec<NoisyRun>, EngineError> {
        self.used()?;
        self.inner.noisy()?.repeat(noise, jobs, watch)
    }
}

impl Sampler for Failing {
    fn weights(&mut self, weights: &Arc<Weights>) -> Result<(), EngineError> {
        self.used()?;
        self.inner.weights(weights)
    }
    fn sample(
        &mut self,
        source: &Source,
        sampling: &Sampling,
        watch: &dyn Watch,
        sink: &mut dyn FnMut(&Written),
    ) -> Result<Sampled, EngineError> {
        self.used()?;
        let sampled = self.inner.sample(source, sampling, watch, sink)?;
        // It may also fail after all results have been delivered.
        self.used()?;
        Ok(sampled)
    }
    fn write(
        &mut self,
        sources: &[&Source],
        sampling: &Sampling,
        watch: &dyn Watch,
    ) -> Result<Vec<Vec<Draft>>, EngineError> {
        self.used()?;
        self.inner.write(sources, sampling, watch)
    }
    fn agree(
        &mut self,
        function: RoutineId,
        codes: &[&[u32]],
        inputs: Inputs,
        watch: &dyn Watch,
    ) -> Result<Vec<Agreement>, EngineError> {
        self.used()?;
        self.inner.agree(function, codes, inputs, watch)
    }
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
    engine.mutants(0, count, &|| false, &mut |part| {
        assert_eq!(part.first as usize, answers.verdicts.len(), "in order, and none twice");
        answers.verdicts.extend(part.verdicts);
    })?;
    answers.part = engine.part(20, 4, &|| false)?.result.verdicts;
    answers.value = engine.run(RoutineId::new(0), &[1, 2], &|| false)?.value;
    let noise = Noise::new(1e-3, 100, 1);
    answers.noisy = engine.noisy()?.repeat(noise, 0..300, &|| false)?.len();
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
    let candidates = vec![Candidate { text: "test 1 == 1;", changes: None }; 300];
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
        let device = Failing { inner: CpuEngine::with_threads(1), left: uses, error };
        Ok(Some(Opened { engine: Box::new(device) as Box<dyn Engine>, from }))
    };
    (Automatic::new(Box::new(open), news), told)
}

/// The device fails at each of its uses in turn: while compiling, in the middle of the mutants, while drawing.
#[test]
fn failed_device_is_replaced_by_the_cpu_with_one_notice() {
    let expected = ask(&mut CpuEngine::with_threads(2), SMALL).expect("the CPU engine does not fail");
    assert!(expected.verdicts.len() > CHUNK as usize && !expected.candidates.is_empty());
    let lost = EngineError::Lost("unplugged".into());
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
        let (mut engine, told) = automatic(uses, 280, EngineError::Fault("a pipeline".into()));
        assert_eq!(ask(&mut engine, &large), Ok(expected.clone()), "after {uses} uses");
        let told = told.lock().expect("unpoisoned").len();
        assert_eq!(told, usize::from(uses < 100), "after {uses} uses");
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
    let done = engine.mutants(0, count, &|| false, &mut |part| judged += part.verdicts.len() as u32);
    assert_eq!((done, judged), (Ok(()), count));
    assert_eq!(engine.run(RoutineId::new(0), &[1], &|| false).expect("a call").value, [2]);
}

/// Cancelled or refused work is not a failure, and engines that disagree are an error.
#[test]
fn refused_or_cancelled_work_does_not_replace_the_device() {
    for error in [EngineError::Cancelled, EngineError::TooLarge("x".into()), EngineError::Differs("x".into())] {
        let (mut engine, told) = automatic(0, 0, error.clone());
        engine.open_now();
        assert_eq!(engine.base(&"test 1 == 1;".into(), &|| false).map(|_| ()), Err(error));
        assert!(told.lock().expect("unpoisoned").is_empty() && engine.kind() == Kind::Gpu);
    }
}

#[test]
fn a_device_that_cannot_be_opened_is_reported_once() {
    for (error, notices) in [(EngineError::Fault("no".into()), 1), (EngineError::NoAdapter("none".into()), 0)] {
        let told = Arc::new(Mutex::new(0));
        let count = told.clone();
        let news = Reporter::new(move |_| *count.lock().expect("unpoisoned") += 1);
        let mut engine = Automatic::new(Box::new(move || Err(error)), news);
        let expected = ask(&mut CpuEngine::with_threads(2), SMALL);
        assert_eq!(ask(&mut engine, SMALL), expected);
        assert_eq!(*told.lock().expect("unpoisoned"), notices);
    }
}
