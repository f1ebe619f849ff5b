//! Judges goals about the rules in a text's comments.

use super::{Case, GoalStatus, lines};
use crate::host::measure::numbers::plural;
use crate::lang::index::Index;
use crate::lang::verdict::Outcome;
use crate::testing::rules::{IN_PROGRAMS, ProgramRules, UserVerdict};

/// Returns the rules of the text, or the state of a goal without them.
fn rules<'a>(case: &Case<'a>) -> Result<&'a ProgramRules, GoalStatus> {
    match case.given.rules {
        Some(rules) if !rules.lines.is_empty() => Ok(rules),
        None if case.given.compiled.text.contains(IN_PROGRAMS) => Err(GoalStatus::unknown("not known yet")),
        _ => Err(GoalStatus::missing("no rule yet")),
    }
}

pub(super) fn proved(case: &Case, least: u32) -> GoalStatus {
    let rules = match rules(case) {
        Ok(rules) => rules,
        Err(status) => return status,
    };
    let both = rules.lines.iter().zip(&rules.verdicts);
    let wrong = both.filter(|(_, verdict)| !matches!(verdict, Some(UserVerdict::Proved { .. })));
    let wrong: Vec<u32> = wrong.map(|(line, _)| line.number).collect();
    let mut said = format!("{} proved", plural(rules.proved() as u64, "rule"));
    if !wrong.is_empty() {
        said.push_str(&format!("; not {}", lines(wrong.iter().copied())));
    }
    GoalStatus::new(wrong.is_empty() && rules.proved() >= least as usize, said)
}

pub(super) fn steps(case: &Case, most: u32, label: &str) -> GoalStatus {
    let rules = match rules(case) {
        Ok(rules) => rules,
        Err(status) => return status,
    };
    let head = case.lesson.own.labelled(label).and_then(|item| item.find(case.given.compiled.view()));
    let entry = case.entries().into_iter().find(|entry| Some(entry.routine.head()) == head);
    let tally = entry.and_then(|entry| rules.applied.tallies.get(entry.id.position()));
    let Some(tally) = tally else { return GoalStatus::missing(format!("\"{label}\" is missing or changed")) };
    let steps = plural(tally.steps, "step");
    match tally.outcome() {
        Outcome::Pass => GoalStatus::new(tally.steps <= u64::from(most), steps),
        _ => GoalStatus::missing(format!("{steps}, and it does not pass")),
    }
}
