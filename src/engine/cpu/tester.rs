//! Tests programs. For a program that differs from the base in a few functions, only these are compiled;
//! others are compiled whole.
//!
//! A test's result depends only on the code of the functions that it can reach. A result therefore holds for
//! all programs in which these functions are equal, and a test that reaches no changed function ends as on
//! the base. The stored results are bounded; when they are full, all are dropped.

mod run;
mod test_cache;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::CpuEngine;
use super::fuel::FuelEnd;
use super::pool::{Pool, Worker};
use crate::compiler::program::Watch;
use crate::compiler::stage::splice::{RewriteResult, Segment};
use crate::engine::{CandidateChange, EngineError, EngineSettings, Tested, TestedCandidate, refuse_whole};
use crate::lang::limits;
use run::Whole;
pub use test_cache::TestCache;
use test_cache::{CacheKey, CachedCode};

/// The state of a program after its functions have been compiled.
enum Compiled {
    /// The call was cancelled.
    Stopped,
    Tested(Tested),
    /// The base with other functions: the code of each, and its segment if it was compiled just now.
    Near(Vec<(CachedCode, Option<Segment>)>),
}

/// The remaining work on a program.
enum Rest {
    Done(Option<Tested>),
    /// The program must run; the numbers of its codes that differ from the base's.
    Run(Vec<u32>),
    /// Equal to the program at this index.
    As(usize),
}

/// The results of running a program: the sum, and new results of single tests.
type Shown = (Tested, Vec<(CacheKey, FuelEnd)>);

impl CpuEngine {
    pub(super) fn test_candidates(
        &mut self,
        candidates: &[TestedCandidate],
        watch: &dyn Watch,
    ) -> Result<Vec<Option<Tested>>, EngineError> {
        let stop = AtomicBool::new(false);
        self.prepare_tester(candidates, &stop);
        let CpuEngine { pool, tester, settings: EngineSettings { exact, level, .. }, .. } = self;
        let whole = Whole { exact: *exact, level: level.of_variants() };
        let work = || test(pool, tester.as_mut().filter(|_| !*exact), candidates, whole, &stop);
        let tested = pool.run_unless(watch, &stop, work);
        tested.ok_or_else(|| EngineError::Bug("the threads have ended".into()))
    }

    /// Prepares the state for programs near the base, if any program is.
    fn prepare_tester(&mut self, candidates: &[TestedCandidate], stop: &AtomicBool) {
        let CpuEngine { pool, base, tester, settings: EngineSettings { exact, .. }, .. } = self;
        let near = candidates.iter().any(|candidate| candidate.changes.is_some());
        match base {
            Some(base)
                if near
                    && !*exact
                    && base.compiled.facts.compiles()
                    && refuse_whole(&base.compiled).is_ok() =>
            {
                if tester.as_ref().is_none_or(|tester| tester.number != base.number) {
                    *tester = pool.run(|| TestCache::new(pool, base, stop));
                }
            }
            _ => *tester = None,
        }
    }
}

/// Tests programs on all threads: they compile, one finds stored results, they run the rest.
fn test(
    pool: &Pool,
    tester: Option<&mut TestCache>,
    candidates: &[TestedCandidate],
    whole: Whole,
    stop: &AtomicBool,
) -> Vec<Option<Tested>> {
    let Some(tester) = tester else {
        let test = |candidate: &TestedCandidate| whole.test(&mut pool.worker(), candidate.text, stop);
        return candidates.par_iter().with_max_len(1).map(test).collect();
    };
    // Numbers of codes become invalid here, so this comes first.
    tester.preallocate_buffers();
    let cache = &*tester;
    let compiled: Vec<Compiled> = candidates
        .par_iter()
        .with_max_len(1)
        .map(|candidate| match stop.load(Ordering::Relaxed) {
            true => Compiled::Stopped,
            false => compile(cache, candidate, whole, &mut pool.worker(), stop),
        })
        .collect();
    let mut first: HashMap<Vec<u32>, usize> = HashMap::new();
    let mut rest = Vec::with_capacity(candidates.len());
    for (place, (candidate, compiled)) in candidates.iter().zip(compiled).enumerate() {
        rest.push(match compiled {
            Compiled::Stopped => Rest::Done(None),
            Compiled::Tested(tested) => Rest::Done(Some(tested)),
            Compiled::Near(parts) => match numbers(tester, candidate, parts) {
                None => Rest::Done(Some(Tested::Invalid)),
                Some(codes) => match first.get(&codes) {
                    Some(place) => Rest::As(*place),
                    None => {
                        first.insert(codes.clone(), place);
                        Rest::Run(codes)
                    }
                },
            },
        });
    }
    let cache = &*tester;
    let shown: Vec<Option<Shown>> = rest
        .par_iter()
        .with_max_len(1)
        .map(|rest| match rest {
            Rest::Run(codes) => run::near(cache, codes, &mut pool.worker(), stop),
            Rest::Done(_) | Rest::As(_) => None,
        })
        .collect();
    let ended: Vec<Option<Tested>> =
        shown.iter().map(|shown| shown.as_ref().map(|(tested, _)| *tested)).collect();
    tester.note(shown.into_iter().flatten().flat_map(|(_, ends)| ends));
    let tested = rest.iter().zip(&ended).map(|(rest, own)| match rest {
        Rest::Done(tested) => *tested,
        Rest::Run(_) => *own,
        Rest::As(place) => ended.get(*place).copied().flatten(),
    });
    tested.collect()
}

/// Compiles the changed functions. A program that cannot be handled this way is tested whole.
fn compile(
    cache: &TestCache,
    candidate: &TestedCandidate,
    whole: Whole,
    worker: &mut Worker,
    stop: &AtomicBool,
) -> Compiled {
    let near = candidate.changes.as_ref().filter(|_| candidate.text.len() <= limits::SOURCE_BYTES);
    let whole = |worker: &mut Worker| match whole.test(worker, candidate.text, stop) {
        Some(tested) => Compiled::Tested(tested),
        None => Compiled::Stopped,
    };
    let Some(changes) = near else { return whole(worker) };
    let mut parts = Vec::with_capacity(changes.len());
    for CandidateChange { function, text } in changes {
        let (code, segment) = match cache.code(*function, text) {
            Some(code) => (code, None),
            None => {
                let mut segment = Segment::default();
                let Worker { compiler, workshop, .. } = &mut *worker;
                let made = cache.compile(*function, text, (compiler, workshop), &mut segment);
                match made {
                    RewriteResult::Other => (CachedCode::Other, None),
                    RewriteResult::Invalid => (CachedCode::Invalid, None),
                    RewriteResult::Code(tokens) => (CachedCode::New(tokens), Some(segment)),
                }
            }
        };
        if code == CachedCode::Other {
            return whole(worker);
        }
        parts.push((code, segment));
    }
    Compiled::Near(parts)
}

/// Returns the sorted numbers of the codes that differ from the base's; `None` if the program does not
/// compile.
fn numbers(
    tester: &mut TestCache,
    candidate: &TestedCandidate,
    parts: Vec<(CachedCode, Option<Segment>)>,
) -> Option<Vec<u32>> {
    let mut codes = Vec::with_capacity(parts.len());
    let mut tokens = tester.tokens();
    let (mut valid, changes) = (true, candidate.changes.iter().flatten());
    for (change, (code, segment)) in changes.zip(parts) {
        match tester.number(change, code, segment) {
            Some((number, own)) => {
                tokens = (tokens + own).saturating_sub(tester.tokens_of(change.function));
                if !tester.is_own(number) {
                    codes.push(number);
                }
            }
            None => valid = false,
        }
    }
    codes.sort_unstable();
    (valid && tokens <= limits::TOKENS).then_some(codes)
}
