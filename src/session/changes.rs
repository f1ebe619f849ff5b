//! Verdicts that the last edit changed: mutants that are newly noticed, and mutants that newly survive.

use std::collections::HashMap;
use std::sync::Arc;

use super::follow::{Ends, SessionChange};
use super::judged::Judged;
use super::task::{Step, Task};
use crate::compiler::program::Compiled;
use crate::compiler::stage::mutate::Edit;
use crate::compiler::variants::Variants;
use crate::engine::EngineError;
use crate::lang::index::{Indices, MutantId};
use crate::lang::verdict::{MutantStatus, Verdict};

/// Verdicts changed by the last edit. Ids are of first-order mutants, ascending.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changes {
    /// The revision of the text that is compared with.
    pub since: u64,
    /// Mutants that survived before and are noticed now.
    pub noticed: Vec<MutantId>,
    /// Mutants that were noticed before and survive now.
    pub survive: Vec<MutantId>,
    /// Surviving mutants of new code.
    pub fresh: Vec<MutantId>,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        self.noticed.is_empty() && self.survive.is_empty() && self.fresh.is_empty()
    }

    /// Returns all ids, ascending.
    pub fn ids(&self) -> Vec<MutantId> {
        let mut ids = [&*self.noticed, &self.survive, &self.fresh].concat();
        ids.sort_unstable();
        ids
    }

    /// Compares the verdicts on the mutants of two programs. Two mutants are the same if they make the same
    /// change to the same token. Tokens are the same if they are in the programs' common prefix or common
    /// suffix.
    pub fn between(before: (&Arc<Compiled>, &[Verdict]), after: (&Arc<Compiled>, &[Verdict])) -> Changes {
        let ends = Ends::of(before.0, after.0);
        let known: HashMap<SessionChange, Verdict> = singles(before)
            .filter_map(|(_, edit, verdict)| {
                Some((SessionChange::of(edit, ends.place(edit.site, 0)?), verdict))
            })
            .collect();
        let mut changes = Changes::default();
        for (id, edit, verdict) in singles(after) {
            let place = ends.place(edit.site, 1);
            let old = place.and_then(|place| known.get(&SessionChange::of(edit, place)));
            let survives = verdict.status == MutantStatus::Survived;
            match old.map(|old| old.status) {
                Some(MutantStatus::Survived) if is_noticed(verdict.status) => changes.noticed.push(id),
                Some(status) if is_noticed(status) && survives => changes.survive.push(id),
                None if survives => changes.fresh.push(id),
                _ => {}
            }
        }
        changes
    }
}

fn is_noticed(status: MutantStatus) -> bool {
    matches!(status, MutantStatus::Killed | MutantStatus::Timeout)
}

/// Iterates over the first-order mutants of a program with their verdicts.
fn singles<'a>(
    (program, verdicts): (&Arc<Compiled>, &'a [Verdict]),
) -> impl Iterator<Item = (MutantId, Edit, Verdict)> + 'a {
    let variants = Variants::new(program.clone());
    let singles = variants.first_order();
    let of = move |(id, verdict): (MutantId, &Verdict)| Some((id, variants.edits(id)?.first, *verdict));
    Indices::first(singles).iter().zip(verdicts).filter_map(of)
}

/// Compares with the text judged before; reports [`Changes`].
pub fn serve(before: &mut Option<Arc<Judged>>, task: &Task) -> Result<Step, EngineError> {
    let now = &task.judged;
    // If no test passes, nothing is judged, and while a test is unfinished, mutants survive that it would notice. The next
    // result is then compared with the last text that all tests judged.
    let waits = now.base.entries.iter().any(|entry| entry.outcome.is_unfinished());
    if now.counted.is_empty() || waits {
        return Ok(Step::Done);
    }
    let known =
        before.replace(now.clone()).filter(|before| before.base.compiled.text != now.base.compiled.text);
    if let Some(old) = known {
        let (were, are) = ((&old.base.compiled, &*old.counted), (&now.base.compiled, &*now.counted));
        task.found(Changes { since: old.revision, ..Changes::between(were, are) });
    }
    Ok(Step::Done)
}
