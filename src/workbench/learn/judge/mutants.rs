//! Judges goals about the quality of tests, from the verdicts on first-order mutants.

use std::collections::HashSet;

use super::{Case, GoalStatus, lines, no_function};
use crate::compiler::stage::mutate::Edits;
use crate::compiler::variants::Variants;
use crate::host::measure::numbers::plural;
use crate::lang::index::{EntryId, Index, MutantId};
use crate::lang::role::Role;
use crate::lang::verdict::{MutantStatus, Outcome};

pub(super) fn no_survivors(case: &Case, function: Option<&str>) -> GoalStatus {
    let view = case.given.compiled.view();
    let extent = match function.map(|name| (name, case.head(name))) {
        None => view.all(),
        Some((_, Some(head))) => view.extent(head),
        Some((name, None)) => return no_function(name),
    };
    if !case.given.entries.iter().any(|entry| entry.outcome == Outcome::Pass) {
        return GoalStatus::missing("no test passes, so none can notice a change");
    }
    let Some(mutants) = case.given.mutants else {
        return GoalStatus::unknown("not known yet: the changes are being judged");
    };
    let variants = Variants::new(case.given.compiled);
    let (mut indistinguishable, mut unknown, mut noticed) = (0, 0, 0);
    let (mut left, mut ignored) = (Vec::new(), Vec::new());
    for (id, verdict) in MutantId::all().zip(mutants.verdicts) {
        let Some(Edits { first: edit, second: None }) = variants.edits(id) else { continue };
        if !extent.contains(edit.lo) {
            continue;
        }
        match verdict.status {
            MutantStatus::Ignored => ignored.push(view.line(edit.lo)),
            MutantStatus::Killed | MutantStatus::Timeout => noticed += 1,
            MutantStatus::Survived => match (mutants.indistinguishable)(id) {
                Some(true) => indistinguishable += 1,
                Some(false) => left.push(view.line(edit.lo)),
                None => unknown += 1,
            },
            _ => {}
        }
    }
    if !ignored.is_empty() {
        return GoalStatus::missing(format!("a comment ignores changes: {}", lines(ignored)));
    }
    if !left.is_empty() {
        let survivors = plural(left.len() as u64 + unknown, "survivor");
        return GoalStatus::missing(format!("{survivors} left: {}", lines(left)));
    }
    if unknown > 0 {
        let survivors = plural(unknown, "survivor");
        return GoalStatus::unknown(format!("not known yet: {survivors} still looked into"));
    }
    let besides = match indistinguishable {
        0 => String::new(),
        n => format!("; besides, {} without an input that shows a difference", plural(n, "change")),
    };
    match noticed {
        0 => GoalStatus::missing("there is no change to notice"),
        n => GoalStatus::new(true, format!("{} noticed{besides}", plural(n, "change"))),
    }
}

pub(super) fn property_notices(case: &Case, wanted: u32) -> GoalStatus {
    let added: HashSet<EntryId> = case.added(Role::Prop).iter().map(|entry| entry.id).collect();
    if added.is_empty() {
        return GoalStatus::missing("no property of yours yet");
    }
    let passes = |id: &EntryId| case.given.entries[id.position()].outcome == Outcome::Pass;
    if !added.iter().any(passes) {
        return GoalStatus::missing("your property does not pass");
    }
    let Some(mutants) = case.given.mutants else {
        return GoalStatus::unknown("not known yet: the changes are being judged");
    };
    let by_them = mutants.verdicts.iter().filter(|verdict| {
        matches!(verdict.status, MutantStatus::Killed | MutantStatus::Timeout)
            && verdict.killer.is_some_and(|killer| added.contains(&killer))
    });
    let count = by_them.count() as u32;
    GoalStatus::new(count >= wanted, format!("{} noticed by it first", plural(count.into(), "change")))
}
