//! Limits of the functions that a candidate may replace. A candidate that replaced the code that judges it would pass whatever
//! it does.

use super::near::{AssembledProgram, Outline};
use super::record::Status;
use crate::lang::index::RoutineId;

/// The number of names of functions in a message.
const NAMED: usize = 3;

/// The effect of the functions of a line on their base.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rights {
    /// Why they are not tested: they leave the tested code of the base as it is, or replace more than one function.
    pub wrong: Option<(Status, String)>,
    /// Without `replaces`: the function that they replace.
    pub replaced: Option<String>,
    /// Without `replaces`: another function of the base that tests call. The next candidate may replace it.
    pub exposed: Option<String>,
}

impl Rights {
    /// Checks functions that are combined with a base. `own` is the number of bytes before the tests of the call, and
    /// `wanted` is the function in `replaces`.
    pub fn new(base: &Outline, own: usize, whole: &AssembledProgram, wanted: Option<RoutineId>) -> Rights {
        let is_own = |function: &RoutineId| base.start(*function) < own;
        let replaced = &whole.replaced[..];
        let wrong = match wanted {
            Some(wanted) => bound(base, whole, wanted),
            None => free(base, replaced, is_own),
        };
        if wanted.is_some() || wrong.is_some() {
            return Rights { wrong, ..Rights::default() };
        }
        let name = |function: &RoutineId| base.name(*function).to_string();
        let others = base.used().iter().filter(|function| is_own(function) && !replaced.contains(function));
        Rights {
            wrong,
            replaced: replaced.first().map(name),
            exposed: others.map(name).next().filter(|_| !replaced.is_empty()),
        }
    }
}

/// Checks functions of a line with `replaces`.
fn bound(base: &Outline, whole: &AssembledProgram, wanted: RoutineId) -> Option<(Status, String)> {
    let name = base.name(wanted);
    if !whole.replaced.contains(&wanted) {
        return Some((Status::Missing, format!("it does not define `{name}`")));
    }
    let other = whole.replaced.iter().find(|function| **function != wanted);
    let what = match other {
        Some(other) => format!("it replaces `{}`, too", base.name(*other)),
        None if whole.brings_tests => "it has tests of its own".to_string(),
        None => return None,
    };
    Some((Status::Refused, format!("{what}: with `replaces`, it brings `{name}` and new functions only")))
}

/// Checks functions of a line without `replaces`.
fn free(
    base: &Outline,
    replaced: &[RoutineId],
    is_own: impl Fn(&RoutineId) -> bool,
) -> Option<(Status, String)> {
    if let Some(judge) = replaced.iter().find(|function| !is_own(function)) {
        let name = base.name(*judge);
        return Some((Status::Refused, format!("it replaces `{name}`, which belongs to the tests")));
    }
    match replaced {
        [] if base.names().is_empty() => None,
        [] => {
            let names = base.names();
            let more = if names.len() > NAMED { ", …" } else { "" };
            let names: Vec<String> = names.iter().take(NAMED).map(|name| format!("`{name}`")).collect();
            Some((Status::Missing, format!("it defines no function of its base: {}{more}", names.join(", "))))
        }
        [_] => None,
        [first, second, ..] => {
            let [first, second] = [first, second].map(|function| base.name(*function));
            let why =
                format!("it replaces `{first}` and `{second}`: a candidate replaces one function of its base");
            Some((Status::Refused, why))
        }
    }
}
