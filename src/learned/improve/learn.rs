//! Learns better code for a function of a program: from the store, or by a search.

use std::collections::BTreeMap;
use std::time::{SystemTime, UNIX_EPOCH};

use super::function::{FunctionSearch, Tried, improve, with_code};
use super::store::{Entry, Store};
use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::execute::{Machine, domains, entry};
use crate::compiler::stage::optimize::learned::key::{Keyed, LearnedKey, hash, keys};
use crate::compiler::stage::optimize::learned::rule::apply;
use crate::compiler::stage::optimize::learned::{Learned, fits};
use crate::compiler::stage::optimize::{learned::code, lowered_routines};
use crate::lang::index::{Index, RoutineId};
use crate::lang::limits;
use crate::testing::decide::Effort;
use crate::testing::prove::{ProveVerdict, same_function};
use crate::testing::trace::entry_label;

/// The result for a function.
#[derive(Clone, Debug)]
pub enum LearnOutcome {
    /// The table already has code for it.
    Known,
    /// A file of the store that was ignored is proved again.
    ProvedAgain(Entry),
    /// A search found it, with these moves.
    Better(Entry, Tried),
    Nothing(Tried),
}

impl LearnOutcome {
    /// The code to keep.
    pub fn entry(&self) -> Option<&Entry> {
        match self {
            LearnOutcome::ProvedAgain(entry) | LearnOutcome::Better(entry, _) => Some(entry),
            LearnOutcome::Known | LearnOutcome::Nothing(_) => None,
        }
    }

    /// The moves of the search.
    pub fn tried(&self) -> Tried {
        match self {
            LearnOutcome::Better(_, tried) | LearnOutcome::Nothing(tried) => *tried,
            LearnOutcome::Known | LearnOutcome::ProvedAgain(_) => Tried::default(),
        }
    }
}

/// Names a routine for people: a function by its name, a test by its label or its expression.
pub fn name(program: &Compiled, routine: RoutineId) -> String {
    match program.facts.entry_of(routine) {
        Some(entry) => format!("test {}", entry_label(program, entry)),
        None => program.function_name(routine).to_string(),
    }
}

pub fn routines(program: &Compiled) -> Vec<RoutineId> {
    program.executable.routines().map(|routine| routine.id).collect()
}

pub fn keyed(program: &Compiled, function: RoutineId) -> Option<Keyed> {
    keys(&program.lowered, &lowered_routines(program)).into_iter().nth(function.position())
}

/// Everything that a search for better code of a routine depends on: its own key, and a hash of the keys of the tests that
/// may call it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Identity {
    own: LearnedKey,
    tests: u128,
}

pub fn identities(program: &Compiled) -> Vec<Identity> {
    let all = keys(&program.lowered, &lowered_routines(program));
    let tests = all.get(program.facts.functions as usize..).unwrap_or_default();
    let words = |key: &LearnedKey| (0..4).map(|part| (key.0 >> (32 * part)) as u32).collect::<Vec<u32>>();
    (0..all.len() as u32)
        .zip(&all)
        .map(|(routine, keyed)| {
            let callers = tests.iter().filter(|test| test.closure.contains(&routine));
            Identity { own: keyed.key, tests: hash(callers.flat_map(|test| words(&test.key))) }
        })
        .collect()
}

/// A hash of the names of a program's functions, which identifies it while its code changes.
pub fn names_hash(program: &Compiled) -> u64 {
    let names = program.functions().iter().map(|function| program.function_name(function));
    hash(names.flat_map(|name| name.bytes().chain([0])).map(u32::from)) as u64
}

/// Returns how often each rule applies to the code of a program at level 2.
pub fn rule_hits(program: &Compiled, learned: &Learned) -> BTreeMap<String, u32> {
    let mut hits: BTreeMap<String, u32> = BTreeMap::new();
    for routine in 0..program.executable.routines.ir.len() {
        let mut own = code::of(&program.ir, &program.executable.routines, routine);
        apply(learned.active(), &mut own, &mut |rule| *hits.entry(rule.name.clone()).or_default() += 1);
    }
    hits
}

/// Learns better code for a function. `program` is compiled at level 2. Returns `None` if the work was cancelled.
pub fn learn(
    program: &Compiled,
    function: RoutineId,
    learned: &Learned,
    store: Option<&Store>,
    watch: &dyn Watch,
) -> Option<LearnOutcome> {
    let Some(keyed) = keyed(program, function) else { return Some(LearnOutcome::Nothing(Tried::default())) };
    if learned.functions.contains_key(&keyed.key) {
        return Some(LearnOutcome::Known);
    }
    if let Some(entry) = store.and_then(|store| store.unchecked(keyed.key))
        && is_proved(program, function, &keyed, &entry, watch)?
    {
        return Some(LearnOutcome::ProvedAgain(entry));
    }
    let FunctionSearch { improved, tried } = improve(program, function, learned, watch)?;
    Some(match improved {
        None => LearnOutcome::Nothing(tried),
        Some(found) => {
            let entry = Entry {
                key: keyed.key,
                code: found.code,
                steps: found.steps,
                moves: found.moves.iter().map(|name| name.to_string()).collect(),
                time: SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs()),
            };
            LearnOutcome::Better(entry, tried)
        }
    })
}

/// Returns whether the code of an entry is proved equal to that of a function.
fn is_proved(
    program: &Compiled,
    function: RoutineId,
    keyed: &Keyed,
    entry: &Entry,
    watch: &dyn Watch,
) -> Option<bool> {
    let routines = &program.executable.routines;
    let Some(new) = entry.code.placed(keyed, routines) else { return Some(false) };
    let of = |routine: usize| code::of(&program.ir, routines, routine);
    if !fits(&of, routines, function.position(), (&new, entry.code.frame)) {
        return Some(false);
    }
    let changed = with_code(program, function, &new, entry.code.frame);
    let verdict = same_function(program, &changed, function, Effort::FULL, watch)?;
    Some(matches!(verdict, ProveVerdict::Proved(_)))
}

/// Returns the steps of all tests and properties of a program, on all their inputs. Returns `None` if cancelled.
pub fn steps(program: &Compiled, watch: &dyn Watch) -> Option<u64> {
    let mut machine = Machine::default();
    machine.load(&program.executable);
    let Compiled { facts, executable, binders, .. } = program;
    let mut steps = 0;
    for domain in domains(facts, &executable.routines, binders, limits::SAMPLES) {
        steps += entry(&mut machine, executable, &domain, limits::STEPS, watch).steps;
    }
    (!watch.cancelled()).then_some(steps)
}
