//! Handles messages of the engine.

use std::sync::Arc;
use std::time::Duration;

use crate::lang::index::{Index, MutantId};
use crate::session::{Changes, Finding, Follow, Recorded, Rounds, Shaders, Update, ValuesRun};
use crate::workbench::facts;
use crate::workbench::panels::Panel;
use crate::workbench::panels::figures::differs;
use crate::workbench::results::{Running, Shown};
use crate::workbench::state::{State, Tone};

impl State {
    /// Stores a finding if it belongs to the shown base.
    fn found(&mut self, finding: Finding) {
        // Verdicts of another file's text do not count as changed by an edit.
        if finding.what::<Changes>().is_some_and(|changes| changes.since < self.document.opened) {
            return;
        }
        if self.shown().is_some_and(|shown| shown.revision == finding.revision) {
            if finding.what::<ValuesRun>().is_some() {
                self.values.is_kept = self.keeps_values(&finding);
                if self.values.is_kept {
                    return;
                }
            }
            let recorded = finding.what::<Recorded>().cloned();
            let rounds = finding.what::<Rounds>().cloned();
            self.keeping_chosen(|state| state.results.found(finding));
            if let Some(recorded) = recorded {
                self.run_recorded(recorded);
            }
            if let Some(rounds) = rounds {
                self.rounds_recorded(rounds);
            }
        } else if let Some(Shaders { adapter, difference: Some(difference), .. }) = finding.what() {
            // No panel shows findings for a text that does not compile.
            self.say(Tone::Bad, differs(adapter, difference));
        }
    }

    /// Changes the list of mutants. The chosen one stays chosen.
    fn keeping_chosen(&mut self, change: impl FnOnce(&mut State)) {
        let row = self.list(Panel::MUTANTS).selected;
        let chosen = self.listed_mutants().get(row).filter(|_| row > 0);
        let before = self.results.judged.as_ref().map(Arc::as_ptr);
        change(self);
        // The mutants of another program have other numbers.
        let chosen = chosen.filter(|_| before == self.results.judged.as_ref().map(Arc::as_ptr));
        if let Some(row) = chosen.and_then(|id| self.listed_mutants().row(id)) {
            self.screen.select(Panel::MUTANTS, row);
        }
    }

    /// Changes the list of mutants, perhaps to that of a newer program, in which the mutant that is followed is chosen.
    fn listing(&mut self, change: impl FnOnce(&mut State)) {
        let before = self.results.judged.as_ref().map(Arc::as_ptr);
        self.keeping_chosen(change);
        let followed = self.mutants.followed.filter(|_| self.results.is_judged());
        if let Some(row) = followed.and_then(|id| self.listed_mutants().row(id)) {
            self.screen.select(Panel::MUTANTS, row);
            self.mutants.followed = None;
        } else if before != self.results.judged.as_ref().map(Arc::as_ptr) {
            self.screen.select(Panel::MUTANTS, 0);
        }
    }

    /// Returns the mutant that stays chosen when the program changes: the chosen one, unless it is the list's first.
    fn followed_mutant(&self) -> Option<MutantId> {
        let row = self.list(Panel::MUTANTS).selected;
        self.mutants.followed.or_else(|| self.listed_mutants().get(row).filter(|_| row > 0))
    }

    /// Finds the mutant of the program before in the one that is shown now.
    fn follow_mutant(&mut self, before: Option<Arc<Shown>>, chosen: Option<MutantId>) {
        let before = before.filter(|before| before.revision >= self.document.opened);
        let Some((before, now)) = before.zip(self.results.shown.as_ref()) else { return };
        if !Arc::ptr_eq(&before, now) {
            let follow = Follow::new(before.as_variants(), now.as_variants());
            self.mutants.followed = chosen.and_then(|id| follow.mutant(id));
        }
    }

    pub(super) fn engine_update(&mut self, update: Update, since: Duration) {
        match update {
            // The answer belongs to the previous file.
            Update::Base { revision, .. } if revision < self.document.opened => {}
            Update::Base { revision, result, .. } => {
                let text = self.document.buffer.text().clone();
                let results = &self.results;
                let known = if self.mutants.followed.is_some() { &results.shown } else { &results.judged };
                let (before, left) = (known.clone(), self.mutants.left.take());
                let chosen = self.followed_mutant().filter(|id| Some(*id) != left);
                if self.results.base(revision, result, &text, since) {
                    self.follow_mutant(before, chosen);
                    self.clamp_lists();
                }
            }
            Update::Mutants { revision, total, first_order, part } => {
                // Verdicts that an edit cannot have changed are not judged again.
                let judged = (part.verdicts.len() as u64).saturating_sub(part.reused.into());
                self.engine.judged.add(revision, judged);
                self.listing(|state| {
                    state.results.mutants(revision, total, first_order, part);
                });
            }
            Update::Proved { revision, proved } => {
                self.keeping_chosen(|state| {
                    state.results.proved(revision, proved);
                });
                self.clamp_lists();
            }
            Update::Done { revision, wall, energy, .. } => {
                self.engine.judged.done(revision, wall);
                self.listing(|state| {
                    state.results.done(revision, wall, energy, since);
                });
                self.clamp_lists();
            }
            Update::Running { revision, compiled, entry, inputs, taken } => {
                if self.document.revision == revision {
                    let name = facts::labels(&compiled).into_iter().nth(entry.position()).unwrap_or_default();
                    self.results.running = Some(Running { revision, name, inputs, taken });
                }
            }
            Update::Found(finding) => self.found(finding),
            Update::Engine { kind, description, reason, meter, device, preparing } => {
                let before = (self.engine.kind, &self.engine.description);
                if self.engine.kind.is_some() && before != (Some(kind), &description) {
                    self.results.forget_sent();
                }
                self.engine.kind = Some(kind);
                self.engine.description = description;
                self.engine.reason = reason;
                self.engine.meter = meter;
                self.engine.device = device;
                self.engine.preparing = preparing;
                self.engine.stopped = false;
            }
            Update::Notice(text) => self.say(Tone::Bad, text),
        }
    }
}
