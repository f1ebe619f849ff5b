//! Programs that are judged while somebody edits them elsewhere: the session, and what its results say in words. Serves
//! `myriad lsp` and `myriad watch`.

use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

use super::args::Common;
use crate::engine::choose::Preference;
use crate::engine::cpu::CpuEngine;
use crate::engine::extra_inputs::is_proved;
use crate::engine::{Engine, EngineSettings, EntryResult};
use crate::host::measure::energy::Meter;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{EntryId, Index, MutantId};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::verdict::{MutantStatus, Outcome};
use crate::session::job::{INPUTS, Job, REPAIRS, SURVIVORS};
use crate::session::{
    self, CompareExtent, Repairs, Request, Session, Survivors, Update, ValueHint, ValueHints, VisibleJobs,
};
use crate::testing::mutation::QuestionAnswer;
use crate::workbench::facts::{self, EntryDetail};
use crate::workbench::results::{Results, Shown};

/// Time without edits after which repairs, and tests for survivors, are sought.
const IDLE: Duration = Duration::from_millis(200);

/// An update of the session; of a base, with the values of its failing tests.
#[derive(Debug)]
pub struct News {
    pub update: Update,
    details: Vec<EntryDetail>,
}

/// Starts a session that judges on the CPU engine, and then seeks repairs and tests for survivors. `shown` are jobs whose
/// results are shown, too.
///
/// # Errors
/// If a thread cannot be started.
pub fn start(
    common: &Common,
    shown: &[&'static Job],
    tell: impl Fn(News) + Send + 'static,
) -> std::io::Result<Session> {
    let engine = common.config.engine;
    let level = common.level();
    let settings = EngineSettings {
        exact: common.exact,
        group: engine.group,
        level: level.of_variants(),
        reusing: true,
        holes: true,
    };
    let mut cpu = CpuEngine::new();
    cpu.configure(settings);
    let options = session::Options {
        cpu: Box::new(cpu),
        devices: None,
        wanted: Preference::Cpu,
        level: level.into(),
        budget: engine.budget,
        shaders: false,
        idle: IDLE,
        extent: CompareExtent::Off,
        // No more than the tests have run: the job INPUTS then tries only small domains, whole.
        inputs: limits::SAMPLES,
        filling: Duration::from_secs(engine.fill_seconds.into()),
        weights: Arc::new(|| Err("no network is used here".into())),
        meter: Meter::open(common.config.energy),
        history: None,
        learned: None,
    };
    let session = Session::start(options, move |update| {
        let details = match &update {
            Update::Base { result, .. } => facts::details(&result.compiled, &result.entries),
            _ => Vec::new(),
        };
        tell(News { update, details });
    })?;
    session.send(Request::Look(VisibleJobs {
        jobs: [&[&REPAIRS, &INPUTS, &SURVIVORS], shown].concat(),
        function: None,
        ..VisibleJobs::default()
    }));
    Ok(session)
}

/// The results for the newest revision that the session has answered.
#[derive(Default)]
pub struct Verdicts {
    pub results: Results,
}

pub struct Survivor {
    pub id: MutantId,
    /// Its first change, in bytes of the text.
    pub at: Range<usize>,
    /// What it changes: `` `<` → `<=` ``.
    pub change: String,
}

impl Verdicts {
    /// Stores an update. `text` is the newest text. Returns whether the answers may have changed.
    pub fn update(&mut self, text: &Arc<str>, news: News) -> bool {
        let results = &mut self.results;
        match news.update {
            Update::Base { revision, result, .. } => {
                let is_new = results.base(revision, result, text, Duration::ZERO);
                if is_new {
                    (results.details, results.has_old_details) = (news.details, false);
                }
                is_new
            }
            Update::Mutants { revision, total, first_order, part } => {
                results.mutants(revision, total, first_order, part);
                false
            }
            Update::Done { revision, wall, energy, .. } => results.done(revision, wall, energy, Duration::ZERO),
            Update::Proved { revision, proved } => results.proved(revision, proved),
            Update::Found(finding)
                if results.shown().is_some_and(|shown| shown.revision == finding.revision) =>
            {
                results.found(finding);
                true
            }
            _ => false,
        }
    }

    /// Returns the program of a revision, if that is the one judged and it compiles.
    pub fn shown(&self, revision: u64) -> Option<&Shown> {
        self.results
            .shown()
            .map(|shown| &**shown)
            .filter(|shown| shown.revision == revision && !shown.has_errors())
    }

    /// Returns the tests and properties of a revision with their results.
    pub fn entries(&self, revision: u64) -> impl Iterator<Item = (EntryId, &EntryResult)> {
        // A text with errors has results of the tests that reach none of them.
        let partial = self.results.latest.as_ref().filter(|latest| latest.revision == revision);
        let partial = partial.map_or(&[][..], |latest| &latest.entries);
        let entries = self.shown(revision).map_or(partial, |_| self.results.entries());
        EntryId::all().zip(entries)
    }

    /// Returns the outcome of a test or property in words.
    pub fn outcome(&self, id: EntryId, result: &EntryResult) -> String {
        let is_proved = self.results.shown().is_some_and(|shown| is_proved(&shown.compiled, id, result));
        let inputs = match result.inputs {
            1 => String::new(),
            inputs => format!(", {}{} inputs", if is_proved { "all " } else { "" }, grouped(inputs.into())),
        };
        let values = || match self.results.values(id) {
            [with, _] if with.is_empty() => String::new(),
            [with, sides] => format!("{}{with}", if sides.is_empty() { " " } else { ": " }),
        };
        match result.outcome {
            Outcome::Pass => format!("✓ {}{inputs}", plural(result.steps, "step")),
            Outcome::Discarded => "no input meets the condition".into(),
            Outcome::Fail => format!("✗ fails{}", values()),
            Outcome::Trap(Trap::Hole) => "… unfinished".into(),
            Outcome::Trap(trap) => format!("✗ traps ({}){}", trap.ident(), values()),
        }
    }

    /// Returns the survivors of a judged program, once all mutants are judged.
    pub fn survivors<'a>(&'a self, shown: &'a Shown) -> impl Iterator<Item = Survivor> + 'a {
        let ids = &self.results.mutants.ids[MutantStatus::Survived as usize];
        let ids = if self.results.mutants.done.is_some() { ids.as_slice() } else { &[] };
        ids.iter().filter_map(|id| {
            let site = shown.mutant(*id)?.edits.into_iter().next()?;
            let start = site.lo as usize;
            let change = match (site.original.as_str(), site.replacement.as_str()) {
                (original, "") => format!("`{original}` removed"),
                (original, replacement) => format!("`{original}` → `{replacement}`"),
            };
            Some(Survivor { id: *id, at: start..start + site.original.len(), change })
        })
    }

    /// Returns what is known about a test that would notice a survivor.
    pub fn answer(&self, id: MutantId) -> Option<&QuestionAnswer> {
        let found = self.results.findings.current::<Survivors>()?;
        found.answers.get(&id).map(|answer| &**answer)
    }

    /// Returns the values of a revision, by line; none if they are not known.
    pub fn values(&self, revision: u64) -> &[ValueHint] {
        let is_own = self.results.shown().is_some_and(|shown| shown.revision == revision);
        let found = self.results.findings.current::<ValueHints>().filter(|_| is_own);
        found.map_or(&[], |hints| &hints.0)
    }

    pub fn repairs(&self) -> Option<&Repairs> {
        self.results.findings.current()
    }
}
