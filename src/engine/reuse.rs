//! Finds results of one base that still hold for the next, since most of a program stays the same while a
//! user types.
//!
//! A verdict depends on the functions that the mutant changes, on the entries that can reach them, and on all
//! code that these entries reach. If all of that is unchanged, so is the verdict. Equality never rests on a
//! hash: tokens are compared by text, code by its words.

mod kept;

use std::ops::Range;

use crate::compiler::program::{Compiled, Routine, Tokens};
use crate::compiler::stage::splice::part::callable;
use crate::compiler::stage::splice::{Splice, code};
use crate::lang::index::{Index, RoutineId};
use crate::lang::level::OptLevel;
use crate::lang::mutation::Group;
pub use kept::LastResults;

/// Whether two texts have the same tokens, number their edits alike and are optimized to the same level, so
/// that they differ only in comments and spaces.
pub fn same_tokens(old: &Compiled, new: &Compiled) -> bool {
    old.level == new.level && same_source(old, new)
}

/// Like [`same_tokens`], at any two levels.
pub fn same_source(old: &Compiled, new: &Compiled) -> bool {
    // Another group numbers other edits.
    old.group == new.group
        && alike((old, &old.tokens, 0..old.tokens.kind.len()), (new, &new.tokens, 0..new.tokens.kind.len()))
}

/// Whether two ranges of tokens are equal in kind and text.
fn alike(
    (old, olds, some): (&Compiled, &Tokens, Range<usize>),
    (new, news, others): (&Compiled, &Tokens, Range<usize>),
) -> bool {
    fn text<'a>(of: &'a Compiled, tokens: &Tokens, t: usize) -> Option<&'a [u8]> {
        of.text.as_bytes().get(tokens.lo[t] as usize..tokens.hi[t] as usize)
    }
    some.len() == others.len()
        && some
            .zip(others)
            .all(|(a, b)| olds.kind[a] == news.kind[b] && text(old, olds, a) == text(new, news, b))
}

/// A base without errors, as [`UnchangedFunctions`] compares it.
#[derive(Clone, Copy)]
pub struct ComparedBase<'a> {
    pub compiled: &'a Compiled,
    /// The programs of its functions.
    pub splice: &'a Splice,
    /// For each token, the number of edits at earlier tokens.
    pub sites: &'a [u32],
}

impl ComparedBase<'_> {
    fn functions(&self) -> (Group, OptLevel, u32, usize) {
        let of = self.compiled;
        (of.group, of.level, of.facts.functions, of.executable.routines().len())
    }

    /// Returns the number of the first edit of a function, and of the first edit after it.
    fn edits(&self, function: RoutineId) -> (u32, u32) {
        let head = self.compiled.executable.routines.token[function.position()] as usize;
        (self.sites[head], self.sites[self.compiled.tree.hi[head] as usize])
    }
}

/// The functions of a base whose results hold for the next base.
pub struct UnchangedFunctions {
    /// For each function that is unchanged, with all that its compilation depends on: the number of its first
    /// first-order edit before and now, and the count of its edits.
    pub same: Vec<Option<(u32, u32, u32)>>,
    /// Whether the verdicts on a function's mutants are unchanged.
    pub judged: Vec<bool>,
}

impl UnchangedFunctions {
    /// Compares two bases. Returns `None` if functions or entries were added or removed, or the mutation group
    /// or level differs.
    pub fn of(old: ComparedBase, new: ComparedBase) -> Option<UnchangedFunctions> {
        // Numbers of functions are part of the code, so nothing could be compared by number.
        if old.functions() != new.functions() {
            return None;
        }
        let (before, now) = (old.compiled, new.compiled);
        let (functions, routines) = (now.facts.functions, now.executable.routines().len());
        let same: Vec<_> = { now.functions().iter() }
            .map(|function| {
                let [was, is] = [old, new].map(|base| base.splice.tokens(function));
                let tokens = alike((before, was, 0..was.kind.len()), (now, is, 0..is.kind.len()));
                let own = tokens && old.splice.own(before, function) == new.splice.own(now, function);
                let ((from, end), (to, _)) = (old.edits(function), new.edits(function));
                own.then_some((from, to, end - from))
            })
            .collect();
        let [calls_before, calls_now] = [before, now].map(calls);
        let changed: Vec<usize> = (0..functions as usize).filter(|f| same[*f].is_none()).collect();
        // Find the entries that changed or reach a changed function, then all functions that such an entry
        // reaches now or reached before.
        let touched = reachable_from(&calls_now, &changed, routines, |(caller, callee)| (callee, caller));
        let entry_changed = |entry: &usize| {
            let [old, new] = [before, now].map(|of| of.executable.routine(RoutineId::at(*entry)));
            touched[*entry] || old.zip(new).is_none_or(|(old, new)| !same_entry((before, old), (now, new)))
        };
        let entries: Vec<usize> = (functions as usize..routines).filter(entry_changed).collect();
        let [old, new] =
            [&calls_before, &calls_now].map(|calls| reachable_from(calls, &entries, routines, |call| call));
        let judged = (0..functions as usize).map(|f| same[f].is_some() && !old[f] && !new[f]).collect();
        Some(UnchangedFunctions { same, judged })
    }
}

/// Whether an entry is unchanged, apart from the bodies of the functions that it calls.
fn same_entry((before, old): (&Compiled, Routine), (now, new): (&Compiled, Routine)) -> bool {
    let binders = |of: &Compiled, routine: Routine| -> Vec<[u32; 3]> {
        let binders = &of.binders;
        routine.binders().map(|b| [binders.lo[b], binders.hi[b], binders.max_len[b]]).collect()
    };
    same_code_except_calls(old, new) && binders(before, old) == binders(now, new)
}

/// Whether the code of a routine is unchanged, apart from the bodies of the functions that it calls.
fn same_code_except_calls(old: Routine, new: Routine) -> bool {
    let row = |routine: Routine| {
        let capacities: [u32; 16] = std::array::from_fn(|j| routine.capacity(j as u32));
        (routine.frame(), routine.params(), capacities, routine.result())
    };
    row(old) == row(new) && code(old) == code(new)
}

/// Returns the pairs (caller, callee) by routine number, including calls that a mutant may add. Code that the
/// optimizer removes counts, because a mutant may keep it.
fn calls(program: &Compiled) -> Vec<(usize, usize)> {
    let of = |routine: Routine| {
        let callable = callable(program, program.view().extent(routine.head())).into_iter();
        callable.map(|callee| (routine.id.position(), callee.position())).collect::<Vec<_>>()
    };
    program.executable.routines().flat_map(of).collect()
}

/// Returns the routines reachable from `from`, including those, along calls in the given direction.
fn reachable_from(
    calls: &[(usize, usize)],
    from: &[usize],
    routines: usize,
    direction: impl Fn((usize, usize)) -> (usize, usize),
) -> Vec<bool> {
    let mut next = vec![Vec::new(); routines];
    for (a, b) in calls.iter().map(|call| direction(*call)).filter(|(a, b)| *a.max(b) < routines) {
        next[a].push(b);
    }
    let mut reached = vec![false; routines];
    let mut open = from.to_vec();
    while let Some(routine) = open.pop() {
        if !std::mem::replace(&mut reached[routine], true) {
            open.extend(&next[routine]);
        }
    }
    reached
}
