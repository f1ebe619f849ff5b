//! Results of the engine for the newest text.
//!
//! The panels show the newest program that runs up to its errors. While the text on screen has no answer yet, or is too
//! large to be compiled, places are mapped by [`TextDelta`]. The verdicts on screen may be those of an earlier program.

mod answers;
mod drift;
mod findings;
mod functions;
mod mutants;
mod passed;
mod pinned;
mod ruled;
mod shown;
mod steps;

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::{BaseResult, EntryResult, MutantResult};
use crate::host::measure::energy::Energy;
use crate::lang::index::{EntryId, Index};
use crate::lang::level::OptLevel;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::{Diagnostic, diagnostics};
use crate::session::{Changes, Finding, Follow, Inputs, Proofs, Proved, Shaders, Survivors};
use crate::workbench::facts::{self, EntryDetail};
use crate::workbench::marks::{self, Mark};
pub use answers::{AnswerBatch, EngineAnswer, HISTORY, TextOrigin};
pub use drift::TextDelta;
pub use findings::Findings;
use mutants::LastScore;
pub use mutants::{Listed, Mutants};
pub use passed::{LastPassing, change};
pub use pinned::MutantView;
pub use ruled::{RULE, RuledCode};
pub use shown::Shown;
pub use steps::{StepsKey, StepsRow, StepsView};

/// The maximum number of texts that await an answer.
const SENT: usize = 64;

/// The time of judging after which verdicts are shown as they arrive, and of waiting after which a mark says so.
pub const LONG: Duration = Duration::from_millis(500);

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
    /// The program that the panels show: the newest one that was lowered, or the newest if none was.
    pub shown: Option<Arc<Shown>>,
    /// The program that the verdicts on screen are of. They stay until all verdicts on a newer one have arrived, or until
    /// that takes [`LONG`].
    pub judged: Option<Arc<Shown>>,
    /// Diagnostics of `latest`, in order of position.
    pub problems: Vec<Diagnostic>,
    /// For each of them, whether it is unfinished, and not wrong.
    pub unfinished: Vec<bool>,
    /// The tests' results, if some of them are shown as unfinished because their runs do not end where somebody types.
    pub without_end: Option<Vec<EntryResult>>,
    /// The newest text with such results, and whether nobody has typed for a while since, so that they are shown as they are.
    pub endless: u64,
    pub has_rested: bool,
    /// The tests' results as values; they arrive after the base.
    pub details: Vec<EntryDetail>,
    /// Whether they are those of an earlier text.
    pub has_old_details: bool,
    /// Whether a test failed in the last program without unfinished tests.
    failed: bool,
    pub mutants: Mutants,
    /// The verdicts on a newer program, which will replace those on screen.
    coming: Option<(Arc<Shown>, Mutants)>,
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
    /// The drifts from these programs' texts to the text on screen.
    pub shown_drift: TextDelta,
    pub latest_drift: TextDelta,
    pub judged_drift: TextDelta,
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
        self.unfinished.clear();
        self.without_end = None;
        if new.is_lowered() || self.shown.as_ref().is_none_or(|shown| !shown.is_lowered()) {
            let opened =
                self.sent.iter().any(|(sent, cause)| *sent == revision && *cause == TextOrigin::Opened);
            if opened {
                self.mutants.forget();
            }
            self.passed.follow(self.shown.as_deref().filter(|_| !opened), &new);
            self.details = self.kept_details(&new);
            self.has_old_details = true;
            self.shown = Some(new.clone());
            self.findings.age(false);
            self.failed = self.needs_repair();
            if self.mutants.total == 0 {
                self.list_verdicts_on(&new);
            }
        }
        self.latest = Some(new);
        self.drift(text);
        if !replaces {
            self.answered(revision, since);
        }
        true
    }

    /// Returns the values known of tests that failed before in the same way: until the new ones arrive, rows that show
    /// them must not come and go with each key.
    fn kept_details(&mut self, new: &Shown) -> Vec<EntryDetail> {
        let Some(old) = &self.shown else { return Vec::new() };
        let old = old.labels.iter().zip(&old.entries).zip(std::mem::take(&mut self.details));
        let mut known: HashMap<&str, (Outcome, EntryDetail)> =
            old.map(|((label, entry), detail)| (label.as_str(), (entry.outcome, detail))).collect();
        let mut own = |label: &String, entry: &EntryResult| {
            known
                .remove(label.as_str())
                .filter(|(outcome, _)| *outcome == entry.outcome)
                .map(|(_, detail)| detail)
        };
        new.labels
            .iter()
            .zip(&new.entries)
            .map(|(label, entry)| own(label, entry).unwrap_or_default())
            .collect()
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

    pub fn shown(&self) -> Option<&Arc<Shown>> {
        self.shown.as_ref()
    }

    /// Returns whether the verdicts on screen are of the shown program.
    pub fn is_judged(&self) -> bool {
        is_same(&self.judged, &self.shown)
    }

    /// Returns whether the verdicts on screen are of an earlier text than the newest answered one.
    pub fn has_old_verdicts(&self) -> bool {
        !is_same(&self.judged, &self.latest)
    }

    /// Returns the verdicts on the shown program that have arrived: those on screen, or those that will replace them.
    fn verdicts_on(&mut self, shown: &Arc<Shown>) -> &mut Mutants {
        if self.is_judged() && self.mutants.total > 0 {
            return &mut self.mutants;
        }
        let coming = self.coming.take().filter(|(of, _)| Arc::ptr_eq(of, shown));
        let (_, mutants) = self.coming.insert(coming.unwrap_or_else(|| {
            let before = self.judged.as_ref();
            let follow = before.map(|before| Follow::new(before.as_variants(), shown.as_variants()));
            (shown.clone(), self.mutants.next(before.map(|before| &**before).zip(follow)))
        }));
        mutants
    }

    /// Lists verdicts on the shown program from now on.
    fn list_verdicts_on(&mut self, shown: &Arc<Shown>) {
        self.verdicts_on(shown);
        if let Some((shown, coming)) = self.coming.take() {
            let before = std::mem::replace(&mut self.mutants, coming);
            self.mutants.last = before.last;
            self.judged = Some(shown);
            self.judged_drift = self.shown_drift;
            self.findings.age(true);
        }
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
        let Some(shown) = self.shown.clone().filter(|shown| shown.revision == revision) else { return false };
        let mutants = self.verdicts_on(&shown);
        (mutants.total, mutants.first_order) = (total, first_order);
        mutants.add(&shown, part);
        if mutants.timings.wall >= LONG {
            self.list_verdicts_on(&shown);
        }
        true
    }

    /// Keeps the score for the time in which the next one does not count. One of failing tests replaces none of passing tests.
    fn keep_score(&mut self) {
        let all_passed = self.score_counts();
        let known = self.mutants.last.as_ref().is_some_and(|last| last.all_passed);
        if self.is_scored() && (all_passed || !known) {
            let survived = self.mutants.tally.first_order.survived;
            let texts = self.mutants.score_texts();
            self.mutants.last = texts.map(|texts| LastScore { texts, survived, all_passed });
        }
    }

    /// Stores proofs about survivors. Returns false if they belong to another revision.
    pub fn proved(&mut self, revision: u64, proved: Arc<Proved>) -> bool {
        let on_screen = self.judged.clone().map(|judged| (judged, &mut self.mutants));
        let coming = self.coming.as_mut().map(|(shown, coming)| (shown.clone(), coming));
        let Some((shown, mutants)) =
            coming.into_iter().chain(on_screen).find(|(of, _)| of.revision == revision)
        else {
            return false;
        };
        mutants.prove(&shown, proved);
        self.keep_score();
        true
    }

    /// Handles the end of a batch: its verdicts and proofs are complete. Returns false if it belongs to another revision.
    pub fn done(&mut self, revision: u64, wall: Duration, energy: Energy, since: Duration) -> bool {
        let judged = self.shown.clone().filter(|shown| shown.revision == revision);
        let newest = self.latest.as_ref().is_some_and(|latest| latest.revision == revision);
        let cause = if newest { self.judging.take() } else { None };
        let answers = self.history.last_mut().into_iter().chain(&mut self.opened);
        let awaited = answers.filter(|answer| answer.revision == revision && answer.awaited);
        let Some(shown) = judged else {
            awaited.for_each(|answer| answer.awaited = false);
            return false;
        };
        let mutants = self.coming.as_ref().map_or(&self.mutants, |(_, coming)| coming);
        let has_verdicts = mutants.total > 0;
        awaited.for_each(|answer| {
            answer.awaited = false;
            answer.all = has_verdicts.then_some(since);
            answer.energy = Some(energy);
        });
        if self.coming.is_some() || !self.is_judged() {
            self.list_verdicts_on(&shown);
        }
        self.mutants.done = Some(wall);
        self.keep_score();
        if let Some(cause) = cause {
            let mut timings = shown.timings;
            timings += &self.mutants.timings;
            self.batch = Some(AnswerBatch { cause, energy, wall, timings });
        }
        true
    }

    /// Returns the tests' outcomes for the shown program, including any inputs tested since.
    pub fn entries(&self) -> &[EntryResult] {
        self.without_end.as_deref().unwrap_or_else(|| self.ended())
    }

    /// Returns the same as the runs end.
    pub fn ended(&self) -> &[EntryResult] {
        let first = self.shown.as_ref().map_or(&[][..], |shown| &shown.entries);
        let extra = self.findings.current::<Inputs>().map(|inputs| inputs.ended.as_slice());
        extra.filter(|extra| extra.len() == first.len()).unwrap_or(first)
    }

    /// Returns whether a test ends otherwise than it should. One that is unfinished does not end.
    pub fn fails(&self) -> bool {
        self.tests_mark() == &marks::FAILS
    }

    /// Returns whether the score counts: every test passes, and all mutants of the first order are judged. A test that fails
    /// or is unfinished judges no mutant.
    pub fn score_counts(&self) -> bool {
        self.tests_mark() == &marks::PASSES && self.is_judged() && self.mutants.is_judged()
    }

    /// Returns whether all mutants of the first order are judged, by tests that are not unfinished.
    pub fn is_scored(&self) -> bool {
        self.tests_mark() != &marks::HOLE && self.is_judged() && self.mutants.is_judged()
    }

    /// Returns the score as text, in full and in brief, and the number of survivors: the last ones that counted while verdicts
    /// are missing or a test is unfinished, so that no figure moves while somebody types.
    pub fn scores(&self) -> (Option<[String; 2]>, u32) {
        let own = || (self.mutants.score_texts(), self.mutants.tally.first_order.survived);
        let last = self.mutants.last.clone().filter(|_| !self.is_scored());
        last.map_or_else(own, |last| (Some(last.texts), last.survived))
    }

    /// Returns whether a test fails, or waits for a `?` to be filled, or failed before tests became unfinished: while a line
    /// is typed, no tab comes or goes.
    pub fn needs_repair(&self) -> bool {
        let is_filled = || {
            let shown = self.shown.as_ref().filter(|shown| shown.compiled.facts.compiles());
            shown.is_some_and(|shown| shown.compiled.view().holes().next().is_some())
        };
        self.fails() || self.tests_mark() == &marks::HOLE && (self.failed || is_filled())
    }

    /// Returns the mark of all tests together.
    pub fn tests_mark(&self) -> &'static Mark {
        let mut mark = &marks::PASSES;
        for entry in self.entries() {
            match entry.outcome {
                Outcome::Pass => {}
                Outcome::Trap(Trap::Hole) => mark = &marks::HOLE,
                _ => return &marks::FAILS,
            }
        }
        mark
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
        if let (Some(survivors), Some(judged)) = (finding.what::<Survivors>(), &self.judged) {
            self.mutants.examine(judged, survivors);
        }
        if let Some(proofs) = finding.what::<Proofs>() {
            self.mutants.take_proofs(proofs);
        }
        if let Some(changes) = finding.what::<Changes>() {
            self.mutants.change(changes);
        }
        self.findings.take(finding);
    }

    /// Updates the drifts after an edit of the text on screen.
    pub fn drift(&mut self, text: &Arc<str>) {
        let from = |program: &Option<Arc<Shown>>| {
            program.as_ref().map_or(TextDelta::default(), |own| TextDelta::between(&own.compiled.text, text))
        };
        self.latest_drift = from(&self.latest);
        let is_newest = is_same(&self.shown, &self.latest);
        self.shown_drift = if is_newest { self.latest_drift } else { from(&self.shown) };
        self.judged_drift = if self.is_judged() { self.shown_drift } else { from(&self.judged) };
    }
}

fn is_same(one: &Option<Arc<Shown>>, other: &Option<Arc<Shown>>) -> bool {
    one.as_ref().zip(other.as_ref()).is_some_and(|(one, other)| Arc::ptr_eq(one, other))
}
