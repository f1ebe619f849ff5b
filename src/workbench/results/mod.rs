//! Results of the engine: for the newest text, and for the last one that compiled.
//!
//! The panels show the last good program. While the text on screen does not compile, or has no answer yet,
//! places are mapped by [`TextDelta`], and the panels are marked as stale.

mod answers;
mod drift;
mod findings;
mod functions;
mod mutants;
mod passed;
mod pinned;
mod shown;
mod steps;

use std::sync::Arc;
use std::time::Duration;

use crate::engine::{BaseResult, EntryResult, MutantResult};
use crate::host::measure::energy::Energy;
use crate::lang::index::{EntryId, Index};
use crate::lang::level::OptLevel;
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::{Diagnostic, diagnostics};
use crate::session::{Changes, Finding, Inputs, Proved, Shaders, Survivors};
use crate::workbench::facts::{self, EntryDetail};
pub use answers::{AnswerBatch, EngineAnswer, HISTORY, TextOrigin};
pub use drift::TextDelta;
pub use findings::Findings;
pub use mutants::{Listed, Mutants};
pub use passed::{LastPassing, change};
pub use pinned::MutantView;
pub use shown::Shown;
pub use steps::{StepsKey, StepsRow, StepsView};

/// The maximum number of texts that await an answer.
const SENT: usize = 64;

/// A test or property that runs long.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Running {
    pub revision: u64,
    /// The test's or property's label.
    pub name: String,
    /// The number of inputs finished so far.
    pub inputs: u32,
    pub taken: Duration,
}

#[derive(Debug, Default)]
pub struct Results {
    /// The newest answer, with or without errors.
    pub latest: Option<Arc<Shown>>,
    /// The program that the panels show: the last one that compiled, or the newest if none has.
    pub shown: Option<Arc<Shown>>,
    /// Diagnostics of `latest`, in order of position.
    pub problems: Vec<Diagnostic>,
    /// The tests' results as values; they arrive after the base.
    pub details: Vec<EntryDetail>,
    pub mutants: Mutants,
    /// The test that runs long, until the base arrives.
    pub running: Option<Running>,
    /// The findings of idle jobs.
    pub findings: Findings,
    /// Answers to typed texts only.
    pub history: Vec<EngineAnswer>,
    /// The answer to the last text that was loaded from a file.
    pub opened: Option<EngineAnswer>,
    /// The last batch that was judged completely.
    pub batch: Option<AnswerBatch>,
    /// The last program in which each failing test passed.
    pub passed: LastPassing,
    /// Why the engine is judging the newest base; `None` once that is complete.
    pub judging: Option<TextOrigin>,
    /// Texts that were sent and have no base yet, with their revisions.
    sent: Vec<(u64, TextOrigin)>,
    /// The drift from the shown text and from the newest answered text to the text on screen.
    pub shown_drift: TextDelta,
    pub latest_drift: TextDelta,
}

impl Results {
    /// Stores a base. Returns false if it is older than the newest one, which drops it.
    pub fn base(&mut self, revision: u64, result: BaseResult, text: &Arc<str>, since: Duration) -> bool {
        if self.latest.as_ref().is_some_and(|l| l.revision > revision) {
            return false;
        }
        self.running = None;
        let replaces = self.is_awaited_at_another_level(revision, result.compiled.level);
        let new = Arc::new(Shown::new(revision, result));
        self.problems = diagnostics(&new.compiled);
        let none_yet = self.shown.as_ref().is_none_or(|s| s.has_errors());
        if new.is_good() || none_yet {
            let opened =
                self.sent.iter().any(|(sent, cause)| *sent == revision && *cause == TextOrigin::Opened);
            self.passed.follow(self.shown.as_deref().filter(|_| !opened), &new);
            self.shown = Some(new.clone());
            self.mutants = Mutants::default();
            self.details.clear();
            self.findings.age();
        }
        self.latest = Some(new);
        self.drift(text);
        if !replaces {
            self.answered(revision, since);
        }
        true
    }

    /// Returns whether a base continues the answer to its text: the engine shows a program with long tests at two levels,
    /// one after the other, and judges its mutants once.
    fn is_awaited_at_another_level(&self, revision: u64, level: OptLevel) -> bool {
        let is_awaited = |answer: &EngineAnswer| answer.revision == revision && answer.awaited;
        self.history.last().into_iter().chain(&self.opened).any(is_awaited)
            && self
                .latest
                .as_ref()
                .is_some_and(|last| last.revision == revision && last.compiled.level != level)
    }

    /// Returns the newest program that compiled, or else the newest one.
    pub fn shown(&self) -> Option<&Arc<Shown>> {
        self.shown.as_ref()
    }

    /// Records that a text was sent to the engine; the first base with its revision answers it.
    pub fn expect(&mut self, revision: u64, cause: TextOrigin) {
        self.sent.retain(|(sent, _)| *sent != revision);
        if self.sent.len() >= SENT {
            self.sent.remove(0);
        }
        self.sent.push((revision, cause));
    }

    /// Forgets the texts that were sent, because the engine was replaced or restarted. Its answers to them
    /// would not measure its speed.
    pub fn forget_sent(&mut self) {
        self.sent.clear();
        self.await_no_more();
    }

    fn await_no_more(&mut self) {
        self.history.last_mut().into_iter().chain(&mut self.opened).for_each(|answer| answer.awaited = false);
    }

    /// Records the answer time of a base, which answers a text or judges it again. The previous batch stays
    /// incomplete.
    fn answered(&mut self, revision: u64, since: Duration) {
        self.await_no_more();
        let cause =
            self.sent.iter().find(|(sent, _)| *sent == revision).map_or(TextOrigin::Rejudged, |sent| sent.1);
        self.sent.retain(|(sent, _)| *sent > revision);
        self.judging = Some(cause);
        let answer =
            EngineAnswer { revision, base: since, all: None, awaited: true, shaders: None, energy: None };
        match cause {
            TextOrigin::Typed => {
                if self.history.len() >= HISTORY {
                    self.history.remove(0);
                }
                self.history.push(answer);
            }
            TextOrigin::Opened => self.opened = Some(answer),
            TextOrigin::Rejudged => {}
        }
    }

    /// Returns the newest answer, and the origin of its text.
    pub fn last_answer(&self) -> Option<(TextOrigin, &EngineAnswer)> {
        let typed = self.history.last().map(|answer| (TextOrigin::Typed, answer));
        let opened = self.opened.as_ref().map(|answer| (TextOrigin::Opened, answer));
        typed.into_iter().chain(opened).max_by_key(|(_, answer)| answer.revision)
    }

    /// Stores some verdicts. Returns false if they belong to another revision.
    pub fn mutants(&mut self, revision: u64, total: u32, first_order: u32, part: MutantResult) -> bool {
        let Some(shown) = self.shown.clone().filter(|s| s.revision == revision) else { return false };
        self.mutants.total = total;
        self.mutants.first_order = first_order;
        self.mutants.add(&shown, part);
        true
    }

    /// Stores proofs about survivors. Returns false if they belong to another revision.
    pub fn proved(&mut self, revision: u64, proved: Arc<Proved>) -> bool {
        let Some(shown) = self.shown.clone().filter(|shown| shown.revision == revision) else { return false };
        self.mutants.prove(&shown, proved);
        if let Some(survivors) = self.findings.current::<Survivors>() {
            self.mutants.rank(&shown, survivors);
        }
        true
    }

    /// Handles the end of a batch. Returns false if it belongs to another revision.
    pub fn done(&mut self, revision: u64, wall: Duration, energy: Energy, since: Duration) -> bool {
        let newest = self.latest.as_ref().is_some_and(|latest| latest.revision == revision);
        let cause = if newest { self.judging.take() } else { None };
        let answers = self.history.last_mut().into_iter().chain(&mut self.opened);
        let awaited = answers.filter(|answer| answer.revision == revision && answer.awaited);
        let Some(shown) = self.shown.as_ref().filter(|shown| shown.revision == revision) else {
            // A text with errors has no verdicts.
            awaited.for_each(|answer| answer.awaited = false);
            return false;
        };
        self.mutants.done = Some(wall);
        awaited.for_each(|answer| {
            answer.awaited = false;
            answer.all = (self.mutants.total > 0).then_some(since);
            answer.energy = Some(energy);
        });
        if let Some(cause) = cause {
            let mut timings = shown.timings;
            timings += &self.mutants.timings;
            self.batch = Some(AnswerBatch { cause, energy, wall, timings });
        }
        true
    }

    /// Returns the tests' outcomes for the shown program, including any inputs tested since.
    pub fn entries(&self) -> &[EntryResult] {
        let first = self.shown.as_ref().map_or(&[][..], |shown| &shown.entries);
        let extra = self.findings.current::<Inputs>().map(|inputs| inputs.ended.as_slice());
        extra.filter(|extra| extra.len() == first.len()).unwrap_or(first)
    }

    /// Returns whether a test does not pass.
    pub fn fails(&self) -> bool {
        self.entries().iter().any(|entry| entry.outcome != Outcome::Pass)
    }

    /// Returns a test's result as values, once it is known.
    pub fn detail(&self, entry: EntryId) -> Option<EntryDetail> {
        let extra = self.findings.current::<Inputs>().map_or(&[][..], |inputs| &inputs.explained);
        match extra.iter().find(|(explained, ..)| *explained == entry) {
            Some((_, explained, cause)) => Some(facts::detail(explained, cause.clone())),
            None => self.details.get(entry.position()).cloned(),
        }
    }

    /// Stores a finding about the shown base.
    pub fn found(&mut self, finding: Finding) {
        // Judging again on another engine is not a keystroke.
        let typed = self.batch.as_ref().is_some_and(|batch| batch.cause == TextOrigin::Typed);
        let last = self.history.last_mut().filter(|last| typed && last.revision == finding.revision);
        if let (Some(last), Some(Shaders { since, timings: Some(_), .. })) = (last, finding.what()) {
            last.shaders = Some(*since);
        }
        if let (Some(survivors), Some(shown)) = (finding.what::<Survivors>(), &self.shown) {
            self.mutants.rank(shown, survivors);
        }
        if let Some(changes) = finding.what::<Changes>() {
            self.mutants.change(changes);
        }
        self.findings.take(finding);
    }

    /// Updates both drifts after an edit of the text on screen.
    pub fn drift(&mut self, text: &Arc<str>) {
        let from = |shown: &Option<Arc<Shown>>| {
            shown.as_ref().map_or(TextDelta::default(), |s| TextDelta::between(&s.compiled.text, text))
        };
        self.latest_drift = from(&self.latest);
        self.shown_drift = match (&self.shown, &self.latest) {
            (Some(shown), Some(latest)) if Arc::ptr_eq(shown, latest) => self.latest_drift,
            (shown, _) => from(shown),
        };
    }
}
