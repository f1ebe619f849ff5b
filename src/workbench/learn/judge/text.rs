//! Judges goals about diagnostics, tokens, tree and code of a text.

use super::{Case, GoalStatus, lines, no_function};
use crate::compiler::program::{ExecutableInstruction, Instructions, Routine};
use crate::host::measure::numbers::plural;
use crate::lang::diagnostic;
use crate::lang::index::{Index, TokenId};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::workbench::learn::goal::{GoalCode, Pattern};

pub(super) fn no_diagnostics(case: &Case) -> GoalStatus {
    match case.given.diagnostics {
        [] => GoalStatus::new(true, "none"),
        found => {
            let places = lines(found.iter().map(|diagnostic| diagnostic.start.line));
            GoalStatus::missing(format!("{} left: {places}", found.len()))
        }
    }
}

pub(super) fn diagnostic(case: &Case, code: diagnostic::Code) -> GoalStatus {
    let mut with = case.given.diagnostics.iter().filter(|diagnostic| diagnostic.code == code).peekable();
    match with.peek() {
        None => GoalStatus::missing("not there yet"),
        Some(_) => GoalStatus::new(true, lines(with.map(|diagnostic| diagnostic.start.line))),
    }
}

pub(super) fn tokens(case: &Case, most: u32, function: &str) -> GoalStatus {
    let Some(head) = case.head(function) else { return no_function(function) };
    let count = case.given.compiled.view().extent(head).len();
    GoalStatus::new(count <= most, plural(count.into(), "token"))
}

pub(super) fn token(case: &Case, text: &str, function: &str, wanted: bool) -> GoalStatus {
    let Some(head) = case.head(function) else { return no_function(function) };
    let view = case.given.compiled.view();
    let there: Vec<u32> =
        view.extent(head).iter().filter(|t| view.text(*t) == text).map(|t| view.line(t)).collect();
    let said = if there.is_empty() { "not there".to_string() } else { lines(there.iter().copied()) };
    GoalStatus::new(there.is_empty() != wanted, said)
}

pub(super) fn under(case: &Case, inner: &str, outer: &str, function: &str) -> GoalStatus {
    let Some(head) = case.head(function) else { return no_function(function) };
    let view = case.given.compiled.view();
    let is =
        |t: TokenId, text: &str| matches!(view.role(t), Role::Binary | Role::Unary) && view.text(t) == text;
    let above = |t: TokenId| {
        let mut parent = view.parent(t)?;
        // The loop is bounded, since a tree has no more levels than tokens.
        for _ in 0..view.len() {
            if !view.is(parent, Role::Group) {
                break;
            }
            parent = view.parent(parent)?;
        }
        Some(parent)
    };
    let found =
        view.extent(head).iter().find(|t| is(*t, inner) && above(*t).is_some_and(|parent| is(parent, outer)));
    match found {
        Some(t) => GoalStatus::new(true, lines([view.line(t)])),
        None => GoalStatus::missing(format!("no `{inner}` is an operand of a `{outer}` yet")),
    }
}

/// Returns the routine of a function in a program that compiles.
fn routine<'a>(case: &Case<'a>, function: &str) -> Option<Routine<'a>> {
    let compiled = case.given.compiled;
    let head = case.head(function)?;
    compiled
        .executable
        .routines()
        .take(compiled.facts.functions as usize)
        .find(|routine| routine.head() == head)
}

pub(super) fn has(case: &Case, code: GoalCode, function: &str, pattern: &Pattern, wanted: bool) -> GoalStatus {
    let Some(routine) = routine(case, function) else { return no_function(function) };
    let there: Vec<TokenId> = match code {
        GoalCode::Bytecode => {
            let fits = |instruction: &ExecutableInstruction| pattern.fits(instruction.op, instruction.operand);
            let fitting = Instructions::of(routine.words()).filter(fits);
            let token = |at: usize| routine.token_at(at);
            fitting.filter_map(|instruction| token(instruction.at)).collect()
        }
        GoalCode::Lowered => {
            let (ir, extent) =
                (&case.given.compiled.lowered, case.given.compiled.view().extent(routine.head()));
            let of_it = (0..ir.op.len()).filter(|i| extent.contains(TokenId::new(ir.token[*i])));
            let fits = |i: &usize| Op::from_u32(ir.op[*i]).is_some_and(|op| pattern.fits(op, ir.arg[*i]));
            of_it.filter(fits).map(|i| TokenId::new(ir.token[i])).collect()
        }
    };
    let said = match there.len() {
        0 => format!("no {}", pattern.text()),
        _ => format!("{}: {}", pattern.text(), lines(there.iter().map(|token| case.line(*token)))),
    };
    GoalStatus::new(there.is_empty() != wanted, said)
}

pub(super) fn instructions(case: &Case, most: u32, function: &str) -> GoalStatus {
    let Some(routine) = routine(case, function) else { return no_function(function) };
    let count = Instructions::of(routine.words()).count() as u32;
    GoalStatus::new(count <= most, plural(count.into(), "instruction"))
}
