//! Finds results of one base that still hold for the next, since most of a program stays the same while a
//! user types.
//!
//! A verdict depends on the functions that the mutant changes, on the entries that can reach them, and on all
//! code that these entries reach. If all of that is unchanged, so is the verdict. Equality never rests on a
//! hash: tokens are compared by text, code by its words.

//!
//! Functions are matched by name, entries by content and in the order of the text. Their numbers may differ.

mod kept;

use std::collections::HashMap;
use std::ops::Range;

use crate::compiler::program::{Compiled, Instructions, Routine, Tokens};
use crate::compiler::stage::splice::part::callable;
use crate::compiler::stage::splice::{Segment, Splice, code};
use crate::lang::index::{EntryId, Index, RoutineId};
use crate::lang::opcode::{Shape, word};
use crate::lang::verdict::Verdict;
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
    /// Returns the number of the first edit of a function, and of the first edit after it.
    fn edits(&self, function: RoutineId) -> (u32, u32) {
        let head = self.compiled.executable.routines.token[function.position()] as usize;
        (self.sites[head], self.sites[self.compiled.tree.hi[head] as usize])
    }
}

/// The functions of a base whose results hold for the next base.
pub struct UnchangedFunctions {
    /// For each function of the next base that is unchanged, with all that its compilation depends on: the number of its
    /// first first-order edit before and now, and the count of its edits.
    pub same: Vec<Option<(u32, u32, u32)>>,
    /// For each function of the next base, whether the verdicts on its mutants are unchanged.
    pub judged: Vec<bool>,
    /// For each function of the earlier base, its number in the next one, and likewise for each entry.
    pub functions: Vec<Option<RoutineId>>,
    pub entries: Vec<Option<EntryId>>,
}

impl UnchangedFunctions {
    /// Compares two bases. Returns `None` if the mutation group or level differs.
    pub fn of(old: ComparedBase, new: ComparedBase) -> Option<UnchangedFunctions> {
        let (before, now) = (old.compiled, new.compiled);
        if (before.group, before.level) != (now.group, now.level) {
            return None;
        }
        let functions = numbers(before, now);
        let mut earlier = vec![None; now.facts.functions as usize];
        for (was, is) in before.functions().iter().zip(&functions) {
            is.iter().for_each(|is| earlier[is.position()] = Some(was));
        }
        let same = |function: RoutineId| {
            let earlier = earlier[function.position()]?;
            let [was, is] = [old.splice.tokens(earlier), new.splice.tokens(function)];
            let tokens = alike((before, was, 0..was.kind.len()), (now, is, 0..is.kind.len()));
            let own = renumbered(&old.splice.own(before, earlier), &functions)?;
            let ((from, end), (to, behind)) = (old.edits(earlier), new.edits(function));
            (tokens && own == new.splice.own(now, function) && behind - to == end - from).then_some((
                from,
                to,
                end - from,
            ))
        };
        let same: Vec<_> = now.functions().iter().map(same).collect();
        let [calls_before, calls_now] = [before, now].map(calls);
        let [routines_before, routines] = [before, now].map(|of| of.executable.routines().len());
        let changed: Vec<usize> = (0..same.len()).filter(|function| same[*function].is_none()).collect();
        // Find the entries that changed or reach a changed function, then all functions that such an entry
        // reaches now or reached before.
        let touched = reachable_from(&calls_now, &changed, routines, |(caller, callee)| (callee, caller));
        let mut entries = vec![None; before.entries().len() as usize];
        let mut changed = Vec::new();
        for (is, was) in now.entries().iter().zip(matched(before, now, &functions)) {
            let routine = now.facts.entry(is).position();
            match was.filter(|_| !touched[routine]) {
                Some(was) => entries[was.position()] = Some(is),
                None => changed.push(routine),
            }
        }
        let changed_before = before.entries().iter().filter(|was| entries[was.position()].is_none());
        let changed_before: Vec<usize> = changed_before.map(|was| before.facts.entry(was).position()).collect();
        let reached_before = reachable_from(&calls_before, &changed_before, routines_before, |call| call);
        let reached = reachable_from(&calls_now, &changed, routines, |call| call);
        let is_judged = |(function, same): (usize, &Option<_>)| {
            let was = earlier[function].filter(|_| same.is_some());
            was.is_some_and(|was| !reached_before[was.position()] && !reached[function])
        };
        let judged = same.iter().enumerate().map(is_judged).collect();
        Some(UnchangedFunctions { same, judged, functions, entries })
    }

    /// Whether the verdicts on the mutants of a function of the earlier base hold.
    pub fn holds(&self, earlier: RoutineId) -> bool {
        let now = self.functions.get(earlier.position()).copied().flatten();
        now.is_some_and(|now| self.judged[now.position()])
    }

    /// Returns a verdict of the earlier base that holds, with the number that its killer has now.
    pub fn verdict(&self, earlier: Verdict) -> Option<Verdict> {
        let killer = match earlier.killer {
            Some(killer) => Some(self.entries.get(killer.position()).copied().flatten()?),
            None => None,
        };
        Some(Verdict { killer, ..earlier })
    }
}

/// Returns, for each function of a program, the number of the function of the same name in another; `None` if it has no
/// such function or several.
fn numbers(before: &Compiled, now: &Compiled) -> Vec<Option<RoutineId>> {
    let mut named: HashMap<&str, Option<RoutineId>> = HashMap::new();
    for function in now.functions().iter() {
        let number = named.entry(now.function_name(function));
        number.and_modify(|number| *number = None).or_insert(Some(function));
    }
    before.functions().iter().map(|was| named.remove(before.function_name(was)).flatten()).collect()
}

/// Returns the code of a function with new numbers of functions; `None` if one of them has none.
pub fn renumbered(segment: &Segment, numbers: &[Option<RoutineId>]) -> Option<Segment> {
    let number = |function: RoutineId| numbers.get(function.position()).copied().flatten();
    let (function, mut words) = (number(segment.function)?, segment.words.clone());
    renumber(&mut words, numbers)?;
    Some(Segment { function, words, frame: segment.frame })
}

/// Replaces the numbers of called functions in a routine's code. Returns `None` if one has no new number.
fn renumber(words: &mut [u32], numbers: &[Option<RoutineId>]) -> Option<()> {
    let calls = Instructions::of(words).filter(|instruction| instruction.op.shape() == Shape::Function);
    for call in calls.collect::<Vec<_>>() {
        let number = numbers.get(call.function().position()).copied().flatten()?;
        words[call.at] = word(call.op, number.number());
    }
    Some(())
}

/// Returns, for each entry of a program, the entry of the program before that has the same content, at the same distance
/// from the first entry or from the last. They are in the same order.
fn matched(before: &Compiled, now: &Compiled, functions: &[Option<RoutineId>]) -> Vec<Option<EntryId>> {
    let count = before.entries().len() as usize;
    let shift = count.wrapping_sub(now.entries().len() as usize);
    let mut from = 0;
    let same = |is: EntryId| {
        let new = now.entry(is)?;
        let places = [is.position(), is.position().wrapping_add(shift)].into_iter();
        let was = { places }.filter(|place| (from..count).contains(place)).map(EntryId::at).find(|was| {
            before.entry(*was).is_some_and(|old| same_entry((before, old), (now, new), functions))
        })?;
        from = was.position() + 1;
        Some(was)
    };
    now.entries().iter().map(same).collect()
}

/// Whether an entry is unchanged, apart from the bodies of the functions that it calls.
fn same_entry(
    (before, old): (&Compiled, Routine),
    (now, new): (&Compiled, Routine),
    functions: &[Option<RoutineId>],
) -> bool {
    let binders = |of: &Compiled, routine: Routine| -> Vec<[u32; 3]> {
        let binders = &of.binders;
        routine.binders().map(|b| [binders.lo[b], binders.hi[b], binders.max_len[b]]).collect()
    };
    same_code_except_calls(old, new, functions) && binders(before, old) == binders(now, new)
}

/// Whether the code of a routine is unchanged, apart from the bodies of the functions that it calls.
fn same_code_except_calls(old: Routine, new: Routine, functions: &[Option<RoutineId>]) -> bool {
    let row = |routine: Routine| {
        let capacities: [u32; 16] = std::array::from_fn(|j| routine.capacity(j as u32));
        (routine.frame(), routine.params(), capacities, routine.result())
    };
    let mut words = code(old);
    row(old) == row(new) && renumber(&mut words, functions).is_some() && words == code(new)
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
