//! Simulates a program's tests on a machine that errs. The contract is `docs/noise.md`.
//!
//! [`measure`] has an engine repeat each test under random faults ([`Noise`]). It counts how often the verdict holds,
//! how it fails, and where the faults that changed it struck ([`fragile`]). It also computes how many repetitions must
//! vote for a sufficiently certain answer ([`vote`]).

pub mod fragile;
pub mod vote;

use crate::compiler::program::Watch;
use crate::compiler::stage::execute::{Noise, NoisyEnd, NoisyRun};
use crate::engine::{BaseResult, Engine, EngineError, EntryResult};
use crate::host::measure::statistics::{Interval, wilson};
use crate::lang::index::{EntryId, Index, Indices};
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use fragile::Fragility;
use vote::Vote;

/// The parameters of a simulation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NoiseSettings {
    /// The probability that a step goes wrong.
    pub rate: f64,
    pub repetitions: u32,
    pub seed: u32,
    /// The upper bound for the error rate of a vote.
    pub bound: f64,
    /// The confidence level of all intervals.
    pub confidence: f64,
}

impl Default for NoiseSettings {
    fn default() -> NoiseSettings {
        NoiseSettings { rate: 0.001, repetitions: 1000, seed: 1, bound: 0.001, confidence: 0.95 }
    }
}

pub const REPETITIONS: u32 = 100_000;

/// The number of repetitions per call to the engine. Cancellation is checked between calls.
const BATCH: u32 = 4096;

/// The effect of noise on one test or property.
#[derive(Clone, Debug, PartialEq)]
pub struct TestReport {
    /// The test's index among all tests and properties.
    pub entry: EntryId,
    /// The number of repetitions that ended as without noise, and the confidence interval of the true rate.
    pub held: u32,
    pub rate: Interval,
    pub wrong: u32,
    pub trapped: u32,
    pub timeout: u32,
    /// The number of faults that struck, over all repetitions.
    pub faults: u64,
    /// `None` if no number of repetitions is enough.
    pub vote: Option<Vote>,
}

/// The effect of noise on a program.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Report {
    /// The tests that pass without noise, in source order.
    pub tests: Vec<TestReport>,
    pub fragility: Fragility,
    /// The number of tests not run because the work was cancelled.
    pub left: usize,
}

/// Repeats the tests of `base`, the last base, under noise, or only the test with index `only`. `progress` receives the number of
/// repetitions done and their total. If the work is cancelled, the report covers the tests completed so far.
///
/// # Errors
/// If the engine fails.
pub fn measure(
    engine: &mut dyn Engine,
    base: &BaseResult,
    only: Option<EntryId>,
    settings: &NoiseSettings,
    watch: &dyn Watch,
    progress: &mut dyn FnMut(u64, u64),
) -> Result<Report, EngineError> {
    let k = settings.repetitions.clamp(1, REPETITIONS);
    let noise = Noise::new(settings.rate, k, settings.seed);
    let runs = |(id, entry): &(EntryId, &EntryResult)| {
        entry.outcome == Outcome::Pass && entry.inputs > 0 && only.is_none_or(|only| only == *id)
    };
    let wanted: Vec<EntryId> = EntryId::all().zip(&base.entries).filter(runs).map(|(id, _)| id).collect();
    let mut report = Report::default();
    let mut struck = fragile::FragileCounts::default();
    let all = wanted.len() as u64 * u64::from(k);
    // Consecutive tests share a batch if it stays within `BATCH` repetitions.
    let mut ended: Vec<NoisyRun> = Vec::new();
    let mut at = 0;
    'tests: while at < wanted.len() {
        let from = (wanted[at].number()..).map(EntryId::new);
        let beside = wanted[at..].iter().zip(from).take_while(|(id, next)| *id == next).count();
        let together = beside.min((BATCH / k).max(1) as usize);
        let jobs = Indices::starting(noise.jobs(wanted[at]).start(), together as u32 * k);
        ended.clear();
        let mut left = jobs;
        while !left.is_empty() {
            if watch.cancelled() {
                break 'tests;
            }
            let (next, rest) = left.split_at(BATCH);
            match engine.repeat(noise, next, watch) {
                Err(EngineError::Cancelled) => break 'tests,
                repeated => ended.extend(repeated?),
            }
            left = rest;
            progress(at as u64 * u64::from(k) + u64::from(jobs.len() - left.len()), all);
        }
        for (id, runs) in wanted[at..at + together].iter().zip(ended.chunks(k as usize)) {
            report.tests.push(test_report(*id, runs, settings));
            runs.iter().for_each(|run| struck.add(run));
        }
        at += together;
    }
    report.left = wanted.len() - at;
    report.fragility = struck.of(&base.compiled);
    Ok(report)
}

/// Summarizes a test's repetitions.
fn test_report(entry: EntryId, runs: &[NoisyRun], settings: &NoiseSettings) -> TestReport {
    let count = |is: &dyn Fn(NoisyEnd) -> bool| runs.iter().filter(|run| is(run.end)).count() as u32;
    let timeout = count(&|end| end == NoisyEnd::Trapped(Trap::StepLimit));
    let held = count(&|end| end == NoisyEnd::Held);
    let rate = wilson(u64::from(held), runs.len() as u64, settings.confidence);
    TestReport {
        entry,
        held,
        rate,
        wrong: count(&|end| end == NoisyEnd::Wrong),
        trapped: count(&|end| matches!(end, NoisyEnd::Trapped(_))) - timeout,
        timeout,
        faults: runs.iter().map(|run| u64::from(run.faults)).sum(),
        vote: vote::size(1.0 - rate.low, settings.bound).map(|size| {
            let held: Vec<bool> = runs.iter().map(|run| run.end == NoisyEnd::Held).collect();
            Vote::measured(size, 1.0 - rate.low, &held)
        }),
    }
}
