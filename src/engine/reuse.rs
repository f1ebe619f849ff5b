//! What is known of a base and its mutants that holds for the next base, too: while somebody types, most of the program stays.
//!
//! A verdict follows from the code of the functions that the mutant changes, from the tests and properties that can reach them, and from all
//! code that these reach. Where all of it stays, the verdict does. Nothing is taken for equal because a hash is: tokens are compared by their text,
//! code by its words.

mod kept;

use std::ops::Range;

use crate::compiler::program::{Compiled, Routine, Tokens};
use crate::compiler::stage::splice::part::callable;
use crate::compiler::stage::splice::{Splice, code};
pub use kept::{kept, steps};

/// Whether two texts have the same tokens, and their edits the same numbers: they differ in comments and spaces alone.
pub fn same_tokens(old: &Compiled, new: &Compiled) -> bool {
    old.group == new.group
        && alike((old, &old.tokens, 0..old.tokens.kind.len()), (new, &new.tokens, 0..new.tokens.kind.len()))
}

/// Whether some tokens of two texts are the same, by their kinds and their text.
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

/// What stays of a base, by function.
pub struct Staying {
    /// The functions that are what they were, with all that their compiling depends on, and where their edits begin among those of first
    /// order: before, now, and how many there are.
    pub same: Vec<Option<(u32, u32, u32)>>,
    /// Those whose mutants end as they did.
    pub judged: Vec<bool>,
}

impl Staying {
    /// Compares two bases without errors, each with its functions' own programs and, for each token, how many edits the tokens before it have.
    /// `None` where functions, tests or properties have come or gone, or edits are of another group.
    pub fn of(old: (&Compiled, &Splice, &[u32]), new: (&Compiled, &Splice, &[u32])) -> Option<Staying> {
        let ((before, cut_before, sites_before), (now, cut_now, sites_now)) = (old, new);
        let functions = now.facts.functions;
        let routines = now.executable.routines().len();
        let same = |of: &Compiled| (of.group, of.facts.functions, of.executable.routines().len());
        if same(before) != same(now) {
            return None;
        }
        let same: Vec<_> = (0..functions as usize)
            .map(|function| {
                let (old, new) = (cut_before.tokens(function), cut_now.tokens(function));
                let tokens = alike((before, old, 0..old.kind.len()), (now, new, 0..new.kind.len()));
                let own = tokens && cut_before.own(before, function) == cut_now.own(now, function);
                let edits = |of: &Compiled, sites: &[u32]| {
                    let head = of.executable.routines.token[function] as usize;
                    (sites[head], sites[of.tree.hi[head] as usize])
                };
                let ((from, end), (to, _)) = (edits(before, sites_before), edits(now, sites_now));
                own.then_some((from, to, end - from))
            })
            .collect();
        let [calls_before, calls_now] = [before, now].map(calls);
        let changed: Vec<usize> = (0..functions as usize).filter(|f| same[*f].is_none()).collect();
        // Entries that are others, or reach functions that are; then the functions that such an entry reaches, or reached.
        let touched = spread(&calls_now, &changed, routines, |(caller, callee)| (callee, caller));
        let entry_changed = |entry: &usize| {
            let [old, new] = [before, now].map(|of| of.executable.routine(*entry as u32));
            touched[*entry] || old.zip(new).is_none_or(|(old, new)| !entry_alike((before, old), (now, new)))
        };
        let entries: Vec<usize> = (functions as usize..routines).filter(entry_changed).collect();
        let [old, new] =
            [&calls_before, &calls_now].map(|calls| spread(calls, &entries, routines, |call| call));
        let judged = (0..functions as usize).map(|f| same[f].is_some() && !old[f] && !new[f]).collect();
        Some(Staying { same, judged })
    }
}

/// Whether a test or property is what it was, but for the functions that it calls.
fn entry_alike((before, old): (&Compiled, Routine), (now, new): (&Compiled, Routine)) -> bool {
    let binders = |of: &Compiled, routine: Routine| -> Vec<[u32; 3]> {
        let binders = &of.binders;
        routine.binders().map(|b| [binders.lo[b], binders.hi[b], binders.max_len[b]]).collect()
    };
    alike_but_for_calls(old, new) && binders(before, old) == binders(now, new)
}

/// Whether the code of a routine is what it was, but for the functions that it calls.
fn alike_but_for_calls(old: Routine, new: Routine) -> bool {
    let row = |routine: Routine| {
        let capacities: [u32; 16] = std::array::from_fn(|j| routine.capacity(j as u32));
        (routine.frame(), routine.params(), capacities, routine.result())
    };
    row(old) == row(new) && code(old) == code(new)
}

/// Who calls whom, or does once it is mutated, by their numbers among the routines. Code that the optimizer leaves out counts, for a
/// mutant may keep it.
fn calls(program: &Compiled) -> Vec<(usize, usize)> {
    let of = |routine: Routine| {
        let Range { start, end } = program.view().extent(routine.head());
        let callable = callable(program, start as usize..end as usize).into_iter();
        callable.map(|callee| (routine.index as usize, callee as usize)).collect::<Vec<_>>()
    };
    program.executable.routines().flat_map(of).collect()
}

/// The routines that are reached from some, themselves included, along calls in the direction that is said.
fn spread(
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
