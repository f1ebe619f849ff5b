//! The engine of a command, opened once for all its files.

use std::fmt::Write;
use std::io::{self, IsTerminal};
use std::sync::Arc;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};

use super::args::Common;
use super::exit::Failure;
use super::input::InputSource;
use super::{output, progress_line};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::Stage;
use crate::engine::choose::{Preference, Work, choose};
use crate::engine::cpu::CpuEngine;
use crate::engine::leveled::{self, LeveledBase};
use crate::engine::news::{Report, Reporter};
use crate::engine::timings::StageTimes;
use crate::engine::{self, BaseResult, Clock, Engine, EngineError, EngineSettings, Kind, open};
use crate::lang::level::OptLevel;
use crate::report::visible::visible;
use crate::workbench::config::{Config, Engines};

/// An engine, ready to work.
pub struct Session {
    common: Common,
    engine: Box<dyn Engine>,
}

impl Session {
    /// Opens the requested engine, to judge programs and their mutants.
    pub fn new(common: Common) -> Result<Session, Failure> {
        let level = common.level().of_variants();
        Session::open(common, Work::Programs, level)
    }

    /// Opens the requested engine for neural compilation.
    pub fn of_network(common: Common) -> Result<Session, Failure> {
        let level = common.level().of_variants();
        Session::open(common, Work::Network, level)
    }

    fn open(common: Common, work: Work, level: OptLevel) -> Result<Session, Failure> {
        // No shader applies what was learned.
        let preference = if level == OptLevel::Learned { Preference::Cpu } else { preference(common.engine) };
        let mut engine = open::open(preference, work, &news())?;
        let group = common.config.engine.group;
        let settings = EngineSettings { exact: common.exact, group, level, reusing: false, holes: false };
        engine.configure(settings);
        Ok(Session { common, engine })
    }

    /// Opens an engine for commands that compile and run single programs. Finding a device would take longer
    /// than it could save, so the CPU is used unless the call or the configuration names an engine.
    pub fn for_single_program(common: Common) -> Result<Session, Failure> {
        let level = common.level();
        Session::without_search(common, level)
    }

    /// Like [`Self::for_single_program`], for programs whose variants are judged.
    pub fn for_repair(common: Common) -> Result<Session, Failure> {
        let level = common.level().of_variants();
        Session::without_search(common, level)
    }

    /// The same for filling holes: a device joins a long search.
    pub fn for_fill(common: Common) -> Result<Session, Failure> {
        Session::open(common, Work::Programs, common.level().of_variants())
    }

    fn without_search(common: Common, level: OptLevel) -> Result<Session, Failure> {
        let engine = match preference(common.engine) {
            Preference::Auto => Some(Preference::Cpu),
            _ => common.engine,
        };
        Session::open(Common { engine, ..common }, Work::Programs, level)
    }

    /// Decides whether the errors of later programs become holes.
    pub fn make_holes(&mut self, holes: bool) {
        let settings = self.engine.settings();
        self.engine.configure(EngineSettings { holes, ..settings });
    }

    /// Compiles a program, without running its tests.
    pub fn compile(&mut self, source: &InputSource) -> Result<(Arc<Compiled>, Option<Timings>), Failure> {
        let (compiled, timings) = self.engine.compile(&source.text, &|| false)?;
        Ok((compiled, self.timings(&timings)))
    }

    /// Compiles a program and runs its tests.
    pub fn base(&mut self, source: &InputSource) -> Result<BaseResult, Failure> {
        Ok(self.engine.base(&source.text, &|| false)?)
    }

    /// Like [`Self::base`], with a watch that may cancel the work; returns `None` in that case.
    pub fn base_with_watch(
        &mut self,
        source: &InputSource,
        watch: &dyn Watch,
    ) -> Result<Option<BaseResult>, Failure> {
        finished(self.engine.base(&source.text, watch))
    }

    /// Like [`Self::base_with_watch`], for a program whose variants are judged next.
    pub fn leveled(&mut self, source: &InputSource, watch: &dyn Watch) -> Result<Option<LeveledBase>, Failure> {
        let level = self.common.level().into();
        finished(leveled::base(self.engine.as_mut(), level, &source.text, watch, &mut |_| ()))
    }

    pub fn engine(&mut self) -> &mut dyn Engine {
        self.engine.as_mut()
    }

    /// Returns the measured times if the call requests them.
    pub fn timings(&self, timings: &engine::Timings) -> Option<Timings> {
        self.common.timings.then(|| {
            let shares = self.engine.shares().into_iter();
            let shares = shares.map(|share| Share { engine: share.engine, programs: share.programs }).collect();
            Timings { shares, choice: self.engine.choice(), ..Timings::new(self.engine.describe(), timings) }
        })
    }
}

/// Returns the result, or `None` if the work was cancelled.
fn finished<T>(result: Result<T, EngineError>) -> Result<Option<T>, Failure> {
    match result {
        Err(EngineError::Cancelled) => Ok(None),
        result => Ok(Some(result?)),
    }
}

/// Returns the handler of an engine's messages: notices go to standard error, progress to a terminal.
pub fn news() -> Reporter {
    Reporter::new(|report| match report {
        Report::Notice(text) => {
            if io::stderr().is_terminal() {
                progress_line::clear();
            }
            output::print_error(&format!("note: {}\n", visible(text)));
        }
        Report::Progress("") if io::stderr().is_terminal() => progress_line::clear(),
        Report::Progress(text) if io::stderr().is_terminal() => progress_line::paint(&visible(text)),
        Report::Progress(_) => {}
    })
}

/// Returns the requested choice; the default is automatic.
pub fn preference(choice: Option<Preference>) -> Preference {
    choice.unwrap_or_default()
}

/// Returns the configuration with what the call sets.
pub fn settings(common: &Common) -> Config {
    let choice = preference(common.engine);
    let engine = Engines { choice, exact: common.exact, opt: common.level_choice(), ..common.config.engine };
    Config { engine, ..common.config }
}

/// Workers that compile many functions, each with its own engine. A device serves one worker; on the CPU there
/// is one per core.
pub struct Workers {
    pub count: usize,
    preference: Preference,
    kind: Kind,
    exact: bool,
    level: OptLevel,
}

impl Workers {
    pub fn new(common: Common) -> Result<Workers, Failure> {
        let preference = preference(common.engine);
        let kind = match preference {
            Preference::Cpu => Kind::Cpu,
            _ => choose(preference, &open::adapters()?, Work::Network)?.kind(),
        };
        let threads = std::thread::available_parallelism().map_or(1, |n| n.get());
        Ok(Workers {
            count: if kind == Kind::Gpu { 1 } else { threads },
            preference,
            kind,
            exact: common.exact,
            level: common.level().of_variants(),
        })
    }

    /// Opens an engine for one worker.
    pub fn open(&self) -> Result<Box<dyn Engine>, EngineError> {
        let mut engine = match self.kind {
            Kind::Gpu => open::open(self.preference, Work::Network, &news())?,
            Kind::Cpu => Box::new(CpuEngine::with_threads(1)),
        };
        let (exact, level) = (self.exact, self.level);
        engine.configure(EngineSettings { exact, level, ..EngineSettings::default() });
        Ok(engine)
    }
}

/// Measured times in JSON, in microseconds.
#[derive(Clone, Debug, Serialize)]
pub struct Timings {
    engine: String,
    wall: f64,
    clock: &'static str,
    /// Processor time of each stage, summed over `threads` threads.
    #[serde(serialize_with = "by_name")]
    stages: Vec<(&'static str, f64)>,
    threads: u32,
    /// The share of `wall` that each stage took.
    #[serde(serialize_with = "by_name")]
    of_wall: Vec<(&'static str, f64)>,
    /// Transfer time to and from a device's memory, if a device was used and measured it.
    #[serde(skip_serializing_if = "Option::is_none")]
    transfer: Option<f64>,
    /// The number of mutants that each engine judged, if several share them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    shares: Vec<Share>,
    /// Why automatic choice took this engine, if it had a choice.
    #[serde(skip_serializing_if = "Option::is_none")]
    choice: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
struct Share {
    engine: String,
    programs: u32,
}

impl Timings {
    fn new(engine: String, timings: &engine::Timings) -> Timings {
        let microseconds = |time: std::time::Duration| (time.as_secs_f64() * 1e7).round() / 10.0;
        let named = |times: StageTimes, proofs: std::time::Duration| {
            let stages = Stage::ALL.iter().zip(times).map(|(stage, time)| (stage.name(), time));
            let proofs = (!timings.proofs.spent.is_zero()).then_some(("prove", proofs));
            stages.chain(proofs).map(|(name, time)| (name, microseconds(time))).collect()
        };
        let split = timings.split();
        Timings {
            engine,
            wall: microseconds(timings.wall),
            clock: match timings.clock {
                Clock::Wall => "wall",
                Clock::Timestamps => "timestamps",
            },
            stages: named(timings.stages, timings.proofs.spent),
            threads: timings.threads,
            of_wall: named(split.stages, split.proofs),
            transfer: timings.transfer.time().map(microseconds),
            shares: vec![],
            choice: None,
        }
    }

    /// Formats the times on one line: the wall time, and the share of each stage.
    pub fn line(&self) -> String {
        let mut line = format!("{}: {} µs", self.engine, self.wall);
        let stages = self.of_wall.iter().filter(|(_, time)| *time > 0.0);
        for (before, (stage, time)) in std::iter::once(", of which ").chain(std::iter::repeat(", ")).zip(stages)
        {
            let _ = write!(line, "{before}{stage} {time}");
        }
        if let Some(transfer) = self.transfer {
            let _ = write!(line, "; transfer {transfer}");
        }
        for Share { engine, programs } in &self.shares {
            let _ = write!(line, "; {programs} mutants by {engine}");
        }
        if let Some(choice) = &self.choice {
            let _ = write!(line, "; {choice}");
        }
        line + "\n"
    }
}

fn by_name<S: Serializer>(stages: &[(&'static str, f64)], serializer: S) -> Result<S::Ok, S::Error> {
    let mut map = serializer.serialize_map(Some(stages.len()))?;
    for (stage, time) in stages {
        map.serialize_entry(stage, time)?;
    }
    map.end()
}
