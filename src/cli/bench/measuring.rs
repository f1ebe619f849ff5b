//! Shared parts of the benchmarks: single engines and repeated measurement.

use std::sync::Arc;
use std::time::Instant;

use super::table::{Contender, Subject};
use crate::cli::args::{Common, Effort};
use crate::cli::exit::Failure;
use crate::cli::input::Source;
use crate::cli::session::{news, preference};
use crate::engine::choose::{Choice, Preference, Work, choose};
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, EngineError, Kind, MutantResult, open};

/// An engine with its name in rows.
pub struct Opened {
    pub engine: Box<dyn Engine>,
    pub who: Contender,
}

impl Opened {
    pub fn new(engine: Box<dyn Engine>) -> Opened {
        let name = match engine.kind() {
            Kind::Cpu => "cpu",
            Kind::Gpu => "gpu",
        };
        let who = Contender { engine: name.into(), adapter: engine.describe() };
        Opened { engine, who }
    }

    /// Describes a measurement of a source with `k` of its variants.
    pub fn subject(&self, source: &Source, tests: usize, k: u32) -> Subject {
        Subject { k: k.into(), bytes: source.text.len(), tests }
    }
}

/// Opens the one engine that the call requests.
pub fn asked(common: Common) -> Result<Opened, Failure> {
    Ok(Opened::new(open::open(preference(common.engine), Work::Programs, &news())?))
}

/// Opens every engine that the call requests, separately: by default the CPU engine and all hardware.
pub fn each(common: Common) -> Result<Vec<Opened>, Failure> {
    let preference = preference(common.engine);
    let choice = match preference {
        Preference::Cpu => choose(preference, &[], Work::Network),
        _ => choose(preference, &open::adapters()?, Work::Network),
    }?;
    let mut engines = Vec::new();
    if choice.cpu || preference == Preference::Auto {
        engines.push(Opened::new(Box::new(CpuEngine::new())));
    }
    for index in choice.adapters {
        engines.push(adapter(index)?);
    }
    Ok(engines)
}

/// Opens every adapter: the hardware, or software adapters if there is none.
pub fn adapters() -> Result<Vec<Opened>, Failure> {
    // Reports an error if there is no adapter at all.
    let found = open::adapters()?;
    choose(Preference::Gpu, &found, Work::Network)?;
    choose(Preference::All, &found, Work::Network)?.adapters.into_iter().map(adapter).collect()
}

/// Opens an adapter and compiles its shaders, so that compilation is not measured.
fn adapter(index: usize) -> Result<Opened, Failure> {
    let alone = Choice { adapters: vec![index], cpu: false, from: 0, reason: String::new() };
    Ok(Opened::new(open::build(&alone, |engine| engine.warm())?))
}

/// Makes an engine drop its last program, with everything cached about its variants.
pub fn forget(engine: &mut dyn Engine) -> Result<(), EngineError> {
    engine.base(&Arc::from("test 1 == 1;"), &|| false).map(drop)
}

/// Measures repeatedly, within the limits of `effort` but at least once.
pub fn repeat(effort: &Effort, mut once: impl FnMut() -> Result<f64, Failure>) -> Result<Vec<f64>, Failure> {
    let started = Instant::now();
    let mut values = vec![once()?];
    while (values.len() as u32) < effort.repetitions && started.elapsed().as_secs_f64() < effort.seconds {
        values.push(once()?);
    }
    Ok(values)
}

/// Runs `work`; returns its result and the seconds that it takes.
pub fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let done = work();
    (done, started.elapsed().as_secs_f64())
}

/// Judges the first `k` variants of a program without cached results. Returns the number of variants, the
/// number of tests, and the seconds from the text to the last verdict.
pub fn judge(engine: &mut dyn Engine, text: &Arc<str>, k: u32) -> Result<(u32, usize, f64), Failure> {
    forget(engine)?;
    let (judged, seconds) = timed(|| {
        let base = engine.base(text, &|| false)?;
        let mut judged = 0;
        engine.mutants(0, k, &|| false, &mut |part: MutantResult| judged += part.verdicts.len() as u32)?;
        Ok::<_, EngineError>((judged, base.entries.len()))
    });
    let (judged, tests) = judged?;
    Ok((judged, tests, seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_takes_long_is_measured_once() {
        let effort = |seconds| Effort { repetitions: 4, seconds, ..Effort::default() };
        let mut calls = 0;
        let mut once = || {
            calls += 1;
            Ok(f64::from(calls))
        };
        assert_eq!(repeat(&effort(0.0), &mut once), Ok(vec![1.0]));
        assert_eq!(repeat(&effort(1e9), &mut once), Ok(vec![2.0, 3.0, 4.0, 5.0]));
    }

    #[test]
    fn variants_are_counted_and_what_was_known_is_forgotten() {
        let mut engine = CpuEngine::with_threads(1);
        let text: Arc<str> = "fn f(a: int) -> int { return a + 1; } test f(1) == 2;".into();
        let (judged, tests, seconds) = judge(&mut engine, &text, 3).unwrap();
        assert_eq!((judged, tests), (3, 1));
        assert!(seconds > 0.0);
        forget(&mut engine).unwrap();
        assert_eq!(engine.variants().all, 0);
    }
}
