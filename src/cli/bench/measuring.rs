//! Shared parts of the benchmarks: single engines and repeated measurement.

use std::sync::Arc;
use std::time::Instant;

use super::table::{BenchRow, BenchSubject, Contender};
use crate::cli::args::{Common, Effort};
use crate::cli::exit::{Exit, Failure};
use crate::cli::input::InputSource;
use crate::cli::session::{news, preference};
use crate::engine::choose::{Choice, Preference, Work, choose};
use crate::engine::cpu::CpuEngine;
use crate::engine::{Engine, EngineError, EngineSettings, Kind, MutantResult, open, time_limit};
use crate::lang::index::Indices;

/// Returns an engine's name in rows.
pub fn contender(engine: &dyn Engine) -> Contender {
    let name = match engine.kind() {
        Kind::Cpu => "cpu",
        Kind::Gpu => "gpu",
    };
    Contender { engine: name.into(), adapter: engine.describe() }
}

/// An engine with its name in rows.
pub struct Opened {
    pub engine: Box<dyn Engine>,
    pub who: Contender,
}

impl Opened {
    pub fn new(engine: Box<dyn Engine>) -> Opened {
        Opened { who: contender(engine.as_ref()), engine }
    }

    /// Sets what the call says about variants.
    fn configure(&mut self, common: Common) {
        let (settings, level) = (self.engine.settings(), common.level().of_variants());
        self.engine.configure(EngineSettings { exact: common.exact, level, ..settings });
    }

    /// Describes a measurement of a source with `k` of its variants.
    pub fn subject(&self, source: &InputSource, tests: usize, k: u32) -> BenchSubject {
        BenchSubject { k: k.into(), bytes: source.text.len(), tests }
    }
}

/// Opens the one engine that the call requests.
pub fn asked(common: Common) -> Result<Opened, Failure> {
    let engine = match preference(common.engine) {
        // Devices must be ready before the measurement begins.
        Preference::All => {
            let choice = choose(Preference::All, &open::adapters()?, Work::Programs)?;
            open::build(&choice, |engine| engine.warm())?
        }
        preference => open::open(preference, Work::Programs, &news())?,
    };
    let mut opened = Opened::new(engine);
    opened.configure(common);
    Ok(opened)
}

/// Engines that are measured separately, one after the other.
pub struct Engines {
    opened: Vec<Opened>,
    /// Whether the call names the devices. A failure of a named device ends the benchmark; any other is left out.
    named: bool,
}

impl Engines {
    /// Opens the requested engines: by default the CPU engine and all hardware.
    pub fn new(common: Common) -> Result<Engines, Failure> {
        let preference = preference(common.engine);
        let named = preference.is_named();
        let found = match preference {
            Preference::Cpu => vec![],
            Preference::Auto => open::adapters().unwrap_or_else(|error| {
                left_out("the GPU engine", &error.to_string());
                vec![]
            }),
            _ => open::adapters()?,
        };
        // Software adapters are measured too if the call asks for all engines.
        let work = if preference == Preference::All { Work::Programs } else { Work::Network };
        let choice = choose(preference, &found, work)?;
        let mut opened = Vec::new();
        if choice.cpu || !named {
            opened.push(Opened::new(Box::new(CpuEngine::new())));
        }
        for index in choice.adapters {
            match adapter(index) {
                Err(failure) if !named => left_out(&found[index].name, &failure.message),
                engine => opened.push(engine?),
            }
        }
        opened.iter_mut().for_each(|opened| opened.configure(common));
        Ok(Engines { opened, named })
    }

    pub fn replace_cpu(&mut self, engine: CpuEngine) {
        if let Some(opened) = self.opened.iter_mut().find(|opened| opened.engine.kind() == Kind::Cpu) {
            let settings = opened.engine.settings();
            *opened = Opened::new(Box::new(engine));
            opened.engine.configure(settings);
        }
    }

    /// Measures each engine.
    ///
    /// # Errors
    /// If the CPU engine or a device that the call names fails.
    pub fn measure(
        &mut self,
        mut work: impl FnMut(&mut Opened) -> Result<Vec<BenchRow>, Failure>,
    ) -> Result<Vec<BenchRow>, Failure> {
        let mut rows = Vec::new();
        let mut failed = Vec::new();
        for (index, opened) in self.opened.iter_mut().enumerate() {
            match work(opened) {
                Err(failure)
                    if !self.named && failure.exit == Exit::Engine && opened.engine.kind() == Kind::Gpu =>
                {
                    left_out(&opened.who.adapter, &failure.message);
                    failed.push(index);
                }
                found => rows.extend(found?),
            }
        }
        for index in failed.into_iter().rev() {
            let broken = self.opened.remove(index);
            // Closing a broken device may take long or never return.
            let _ = time_limit::detach(move || drop(broken));
        }
        Ok(rows)
    }
}

/// Reports a device that failed.
fn left_out(name: &str, why: &str) {
    news().notice(&format!("{name} is left out: {why}"));
}

/// Opens every adapter: the hardware, or software adapters if there is none.
pub fn adapters() -> Result<Vec<Opened>, Failure> {
    // Reports an error if there is no adapter at all.
    let found = open::adapters()?;
    choose(Preference::Gpu, &found, Work::Network)?;
    choose(Preference::All, &found, Work::Programs)?.adapters.into_iter().map(adapter).collect()
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
        engine.mutants(Indices::first(k), &|| false, &mut |part: MutantResult| {
            judged += part.verdicts.len() as u32
        })?;
        Ok::<_, EngineError>((judged, base.entries.len()))
    });
    let (judged, tests) = judged?;
    Ok((judged, tests, seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn measurement_over_its_time_budget_runs_once() {
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
    fn measured_engines_are_set_as_the_call_says() {
        let opt = Some(crate::lang::level::OptLevel::Lowered.into());
        let common = Common { engine: Some(Preference::Cpu), exact: true, opt, ..Common::default() };
        let one = asked(common).expect("the CPU engine").engine.settings();
        let mut several = Engines::new(common).expect("the CPU engine");
        several.replace_cpu(CpuEngine::with_threads(1));
        for settings in [one, several.opened[0].engine.settings()] {
            assert_eq!((settings.exact, settings.level.number()), (true, 0));
        }
    }

    #[test]
    fn judge_counts_verdicts_and_forget_clears_the_variants() {
        let mut engine = CpuEngine::with_threads(1);
        let text: Arc<str> = "fn f(a: int) -> int { return a + 1; } test f(1) == 2;".into();
        let (judged, tests, seconds) = judge(&mut engine, &text, 3).unwrap();
        assert_eq!((judged, tests), (3, 1));
        assert!(seconds > 0.0);
        forget(&mut engine).unwrap();
        assert_eq!(engine.variants().all, 0);
    }
}
