//! Judges goals about the results of tests and properties.

use super::{Case, GoalStatus, JudgeEntry, lines};
use crate::compiler::program::View;
use crate::host::measure::numbers::plural;
use crate::lang::index::{Index, TokenId};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;

pub(super) fn pass(case: &Case) -> GoalStatus {
    let entries = case.entries();
    let own = case.lesson.own.items.iter().filter(|item| item.is_entry()).count();
    let there = entries.iter().filter(|entry| entry.own).count();
    // Items of the lesson that the learner has deleted count as not passing.
    let all = entries.len() + own.saturating_sub(there);
    let failing: Vec<&JudgeEntry> =
        entries.iter().filter(|entry| entry.result.outcome != Outcome::Pass).collect();
    let passing = entries.len() - failing.len();
    if all == 0 {
        return GoalStatus::missing("there is no test");
    }
    let mut said = format!("{passing} of {}", plural(all as u64, "test"));
    if !failing.is_empty() {
        said.push_str(&format!("; not {}", lines(failing.iter().map(|entry| case.line(entry.routine.head())))));
    }
    GoalStatus::new(passing == all, said)
}

pub(super) fn steps(case: &Case, most: u32, label: &str) -> GoalStatus {
    let view = case.given.compiled.view();
    let head = case.lesson.own.labelled(label).and_then(|item| item.find(view));
    let entry = case.entries().into_iter().find(|entry| Some(entry.routine.head()) == head);
    let Some(entry) = entry else { return GoalStatus::missing(format!("\"{label}\" is missing or changed")) };
    let steps = plural(entry.result.steps, "step");
    match entry.result.outcome {
        Outcome::Pass => GoalStatus::new(entry.result.steps <= u64::from(most), steps),
        _ => GoalStatus::missing(format!("{steps}, and it does not pass")),
    }
}

pub(super) fn traps(case: &Case, trap: Trap) -> GoalStatus {
    let added = case.added(Role::Test);
    let (asking, others): (Vec<&JudgeEntry>, Vec<&JudgeEntry>) =
        added.iter().partition(|entry| calls_the_lessons(case, entry));
    let trapped = asking.iter().find(|entry| entry.result.outcome == Outcome::Trap(trap));
    match trapped {
        Some(entry) => GoalStatus::new(true, lines([case.line(entry.routine.head())])),
        None if added.is_empty() => GoalStatus::missing("no test of yours yet"),
        None if asking.is_empty() => GoalStatus::missing(format!(
            "{}: to call functions of the lesson, and no others",
            lines(others.iter().map(|entry| case.line(entry.routine.head())))
        )),
        None => GoalStatus::missing("no test of yours ends so"),
    }
}

/// Returns whether an entry calls functions of the lesson and no others.
fn calls_the_lessons(case: &Case, entry: &JudgeEntry) -> bool {
    let view = case.given.compiled.view();
    let calls = view
        .extent(entry.routine.head())
        .iter()
        .filter(|t| view.is(*t, Role::Call) && view.declaration(*t).is_some());
    let mut calls = calls.map(|t| view.text(t)).peekable();
    calls.peek().is_some()
        && calls.all(|name| case.lesson.own.named(name).is_some_and(|item| item.role == Role::Fn))
}

pub(super) fn breaks(case: &Case, label: &str) -> GoalStatus {
    let view = case.given.compiled.view();
    let head = case.lesson.own.labelled(label).and_then(|item| item.find(view));
    let Some(head) = head else { return GoalStatus::missing(format!("\"{label}\" is missing or changed")) };
    let added = case.added(Role::Test);
    let (asking, others): (Vec<&JudgeEntry>, Vec<&JudgeEntry>) =
        added.iter().partition(|entry| is_instance(view, head, entry.routine.head()));
    if let Some(entry) = asking.iter().find(|entry| entry.result.outcome != Outcome::Pass) {
        return GoalStatus::new(true, format!("line {} does", case.line(entry.routine.head())));
    }
    let places = |entries: &[&JudgeEntry]| lines(entries.iter().map(|entry| case.line(entry.routine.head())));
    GoalStatus::missing(match (&asking[..], &others[..]) {
        ([], []) => "no test of yours yet".into(),
        ([], others) => {
            let asked = view.child(head, 1).and_then(|body| view.source.get(view.extent_span(body)?));
            format!("{}: not `{}` with values for its names", places(others), asked.unwrap_or_default())
        }
        (asking, _) => format!("{}: these values do not break it", places(asking)),
    })
}

/// Returns whether a test's expression is that of a property with a value in place of each of its names.
fn is_instance(view: View, prop: TokenId, test: TokenId) -> bool {
    let body = |head: TokenId| view.child(head, 1).map(|body| view.extent(body));
    let (Some(pattern), Some(text)) = (body(prop), body(test)) else { return false };
    let mut values: Vec<(&str, String)> = Vec::new();
    let mut at = text.start();
    for t in pattern {
        let declared = view.declaration(t).filter(|declared| view.is(*declared, Role::Binder));
        let Some(binder) = declared.filter(|_| view.is(t, Role::Var)) else {
            if at >= text.end() || view.text(at) != view.text(t) {
                return false;
            }
            at = at.next();
            continue;
        };
        let Some(end) = value(view, at, text.end()) else { return false };
        let written: String = at.up_to(end).iter().map(|t| view.text(t)).collect();
        let name = view.text(binder);
        match values.iter().find(|(known, _)| *known == name) {
            Some((_, known)) if *known != written => return false,
            Some(_) => {}
            None => values.push((name, written)),
        }
        at = end;
    }
    at == text.end()
}

/// Returns the end of a literal value: a number with or without sign, or a list of such; with or without
/// brackets.
fn value(view: View, at: TokenId, end: TokenId) -> Option<TokenId> {
    let mut t = at;
    let mut open = Vec::new();
    loop {
        if t >= end {
            return None;
        }
        match view.kind(t) {
            TokenKind::LeftParen => open.push(TokenKind::RightParen),
            TokenKind::LeftBracket => open.push(TokenKind::RightBracket),
            TokenKind::Minus => {}
            TokenKind::Comma if !open.is_empty() => {}
            TokenKind::Int | TokenKind::Char | TokenKind::Str | TokenKind::True | TokenKind::False => {}
            closing if open.last() == Some(&closing) => drop(open.pop()),
            _ => return None,
        }
        if open.is_empty() && view.kind(t) != TokenKind::Minus {
            return Some(t.next());
        }
        t = t.next();
    }
}
