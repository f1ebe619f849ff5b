//! Comparing a run with others.

use crate::lang::trap::Trap;
use crate::session::CompareWith;
use crate::testing::trace::ReplayKey;
use crate::workbench::event::Effect;
use crate::workbench::results::change;
use crate::workbench::state::{State, Tone};

/// The title of the run of the last program that passed.
pub const PASSED: &str = "when it passed";

impl State {
    /// Returns the same run in the last program that passed, titled with the changes since.
    fn passed(&self) -> Option<CompareWith> {
        let (wish, trace) = (self.run.wish.as_ref()?, self.run.trace()?);
        let program = self.results.passed.of(wish.subject.name())?;
        let routine = wish.subject.routine(program)?;
        let room = program.executable.routine(routine)?.frame() as usize;
        let again = trace.replay_key()?;
        let frame = again.frame.get(..room.min(again.frame.len()))?.into();
        let title = format!("{PASSED}, {}", change(&program.text, &trace.compiled.text));
        Some(CompareWith::Run(title, ReplayKey { compiled: program.clone(), routine, frame }))
    }

    /// Returns the runs that the current one can be compared with: of the last program that passed; of the
    /// text before the last change; on the previous input; for a failing property, on an input that passes;
    /// of the chosen mutant. If there is no earlier run, the current run is offered, for comparison with
    /// later ones.
    pub(super) fn others(&self) -> Vec<CompareWith> {
        let before = self
            .run
            .before
            .clone()
            .map(|run| CompareWith::Run("the run before the last change".to_string(), run));
        let earlier = self.run.earlier.clone().map(|(title, run)| CompareWith::Run(title, run));
        let fails = self.run.trace().is_some_and(|trace| {
            let call = trace.calls().first();
            let is_entry = call.is_some_and(|call| trace.compiled.facts.entry_of(call.function).is_some());
            let ended = (trace.record.trap, trace.record.value);
            is_entry && trace.has_input() && !matches!(ended, (Trap::None, 1)) && !trace.is_discarded()
        });
        let mutant =
            self.chosen_mutant().filter(|_| self.results.is_judged()).map(|(id, _)| CompareWith::Mutant(id));
        let mut others: Vec<CompareWith> = self.passed().into_iter().chain(before).chain(earlier).collect();
        others.extend(fails.then_some(CompareWith::Passing));
        if others.is_empty() {
            let now = self.run.trace().and_then(|trace| trace.replay_key());
            others.extend(now.map(|run| CompareWith::Run("the run as it was".to_string(), run)));
        }
        others.extend(mutant);
        others
    }

    /// Compares with the next of these runs; after the last one, the comparison ends.
    pub(super) fn compare_runs(&mut self, effects: &mut Vec<Effect>) {
        let others = self.others();
        let here =
            self.run.against.as_ref().and_then(|against| others.iter().position(|other| other == against));
        let next = match (&self.run.against, here) {
            // A run kept for comparison is not in the list; the mutant comes after it.
            (Some(CompareWith::Run(..)), None) => {
                others.iter().position(|other| matches!(other, CompareWith::Mutant(_)))
            }
            (Some(_), None) => None,
            (_, here) => Some(here.map_or(0, |here| here + 1)),
        };
        self.run.against = next.and_then(|next| others.get(next).cloned());
        let said = match &self.run.against {
            Some(CompareWith::Run(title, _)) => format!("compared with {title}"),
            Some(CompareWith::Passing) => "compared with a nearby input that passes".to_string(),
            Some(CompareWith::Mutant(id)) => format!("compared with mutant #{id}"),
            None => "alone".to_string(),
        };
        let more = next.is_some_and(|next| next + 1 < others.len());
        let keys = match (&self.run.against, more) {
            (None, _) => "",
            (_, true) => ": X goes to where they diverge, x to the next run",
            (_, false) => ": X goes to where they diverge",
        };
        self.say(Tone::Plain, format!("{said}{keys}"));
        self.repeat_run(effects);
    }
}
