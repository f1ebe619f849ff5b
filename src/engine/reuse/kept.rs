//! Finds results of tests and properties that hold for the next program, since most tests do not reach the
//! function that the user is editing.
//!
//! An entry's result is unchanged if its code, its domain and all code that it reaches are unchanged.
//! So is that of an entry in a text with errors: a hole is code, too.

use std::sync::Arc;

use super::{matched, numbers, reachable_from, same_code_except_calls};
use crate::compiler::program::{Compiled, Instructions, Routine};
use crate::engine::EntryResult;
use crate::lang::index::{Address, EntryId, Index, RoutineId};
use crate::lang::opcode::Op;

/// The last program that was lowered, with the results of its tests.
#[derive(Default)]
pub struct LastResults(Option<(Arc<Compiled>, Vec<EntryResult>)>);

impl LastResults {
    pub fn set(&mut self, compiled: &Arc<Compiled>, entries: &[EntryResult]) {
        self.0 = Some((compiled.clone(), entries.to_vec()));
    }

    /// The program and its results.
    pub fn get(&self) -> Option<(&Compiled, &[EntryResult])> {
        self.0.as_ref().map(|(program, results)| (&**program, &results[..]))
    }

    /// Whether the tests executed at least this number of instructions: the work that kept results can save.
    pub fn cost(&self, least: u64) -> bool {
        let steps = |results: &[EntryResult]| results.iter().map(|result| result.steps).sum::<u64>();
        self.0.as_ref().is_some_and(|(_, results)| steps(results) >= least)
    }

    /// Returns the results that hold for the next program, which must be lowered: see [`kept`].
    pub fn kept(&self, now: &Compiled) -> Vec<Option<EntryResult>> {
        self.0.as_ref().map_or_else(Vec::new, |(before, results)| kept((before, results), now))
    }
}

/// Returns, for each entry of `now`, its result in the previous program if that still holds. Both programs
/// must be lowered.
fn kept(before: (&Compiled, &[EntryResult]), now: &Compiled) -> Vec<Option<EntryResult>> {
    let (old, results) = before;
    let (functions, routines) = (numbers(old, now), now.executable.routines().len());
    let mut changed = vec![true; now.facts.functions as usize];
    for (was, is) in functions.iter().enumerate().filter_map(|(was, is)| Some((RoutineId::at(was), (*is)?))) {
        let routines = old.executable.routine(was).zip(now.executable.routine(is));
        let same = routines.is_some_and(|(was, is)| same_code_except_calls(was, is, &functions));
        changed[is.position()] = !same;
    }
    let changed: Vec<usize> = (0..changed.len()).filter(|function| changed[*function]).collect();
    let calls: Vec<(usize, usize)> = now.executable.routines().flat_map(calls).collect();
    let touched = reachable_from(&calls, &changed, routines, |(caller, callee)| (callee, caller));
    let result = |(is, was): (EntryId, Option<EntryId>)| {
        let was = was.filter(|_| !touched[now.facts.entry(is).position()])?;
        // A property that judges mutants needs to know which of its inputs reach a hole; they are not stored.
        let result = results.get(was.position()).filter(|result| result.unfinished == 0 || !result.judges())?;
        let trap_address = match result.trap_address {
            Some(address) => Some(moved(address, (old, old.entry(was)?), (now, now.entry(is)?), &functions)?),
            None => None,
        };
        Some(EntryResult { trap_address, ..*result })
    };
    now.entries().iter().zip(matched(old, now, &functions)).map(result).collect()
}

/// Returns the pairs (caller, callee) of one routine, by routine number.
fn calls(caller: Routine) -> impl Iterator<Item = (usize, usize)> {
    let calls = Instructions::of(caller.words()).filter(|instruction| instruction.op == Op::Call);
    calls.map(move |call| (caller.id.position(), call.function().position()))
}

/// Returns the new address of an instruction of an entry or of a function that it reaches.
fn moved(
    address: Address,
    (old, was): (&Compiled, Routine),
    (now, is): (&Compiled, Routine),
    functions: &[Option<RoutineId>],
) -> Option<Address> {
    let own = was.extent().contains(address).then_some((was, is));
    let function = || {
        let holds = |routine: &Routine| routine.extent().contains(address);
        let was = old.executable.routines().find(holds)?;
        Some((was, now.executable.routine((*functions.get(was.id.position())?)?)?))
    };
    let (was, is) = own.or_else(function)?;
    Some(is.address() + (address - was.address()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::cpu::CpuEngine;
    use crate::engine::{Engine, EngineSettings};
    use crate::lang::verdict::Outcome;

    const TEXT: &str = "fn f(n: int) -> int { return n + 1; }\nfn g(n: int) -> int { return f(n) / n; }\n\
        test f(1) == 2;\ntest g(0) == 1;\nprop n in 1..9 => g(n) < 9;\ntest 1 == 1;\n";

    /// Returns which entries are kept when one text follows another, and checks them against a run from
    /// scratch.
    fn kept_of(before: &str, now: &str) -> Vec<bool> {
        let mut engine = CpuEngine::with_threads(1);
        engine.configure(EngineSettings { holes: true, ..engine.settings() });
        let mut base = |text: &str| engine.base(&text.into(), &|| false).expect("the CPU engine does not fail");
        let (before, now) = (base(before), base(now));
        let kept = kept((&before.compiled, &before.entries), &now.compiled);
        assert_eq!(kept.len(), now.entries.len());
        for (kept, result) in kept.iter().zip(&now.entries) {
            assert!(kept.as_ref().is_none_or(|kept| kept == result), "{kept:?}, {result:?}");
        }
        kept.iter().map(Option::is_some).collect()
    }

    #[test]
    fn results_of_entries_not_reaching_the_edit_are_kept() {
        assert_eq!(kept_of(TEXT, TEXT), [true; 4]);
        assert_eq!(kept_of(TEXT, &TEXT.replace("n + 1", "n + 2")), [false, false, false, true]);
        assert_eq!(kept_of(TEXT, &TEXT.replace("f(n) /", "f(n) + 1 /")), [true, false, false, true]);
        assert_eq!(kept_of(TEXT, &TEXT.replace("1..9", "1..8")), [true, true, false, true]);
    }

    #[test]
    fn results_are_kept_across_inserted_entries_and_functions() {
        let with = |what: &str, before: &str| TEXT.replacen(before, &format!("{what}\n{before}"), 1);
        assert_eq!(kept_of(TEXT, &with("test 2 == 2;", "test f")), [false, true, true, true, true]);
        assert_eq!(kept_of(TEXT, &with("test 2 == 3;", "test 1")), [true, true, true, false, true]);
        // A function after all others has a new number; one before them renumbers the others.
        let behind = with("fn h() -> int { return 7; }", "test f");
        assert_eq!(kept_of(TEXT, &behind), [true; 4]);
        let first = format!("fn h() -> int {{ return 7; }}\n{TEXT}");
        assert_eq!(kept_of(TEXT, &first), [true; 4]);
        assert_eq!(kept_of(&first, TEXT), [true; 4]);
        // Another function with the number of the earlier one.
        assert_eq!(kept_of(TEXT, &TEXT.replace("f(", "e(")), [false, false, false, true]);
        assert_eq!(kept_of(TEXT, &TEXT.replace("fn f", "fn f(){} fn f")), [false, false, false, true]);
    }

    #[test]
    fn results_are_kept_while_an_item_is_broken_and_mended() {
        let broken = TEXT.replace("f(n) / n", "f(n) / ");
        assert_eq!(kept_of(TEXT, &broken), [true, false, false, true]);
        assert_eq!(kept_of(&broken, &format!("{broken} // more")), [true; 4]);
        assert_eq!(kept_of(&broken, TEXT), [true, false, false, true]);
        let partial = TEXT.replace("return f(n) /", "if n > 5 { n + } return f(n) /");
        assert_eq!(kept_of(&partial, &partial), [true, true, false, true]);
        let header = TEXT.replace("fn g(n: int)", "fn g(n: )");
        assert_eq!(kept_of(TEXT, &header), [true, false, false, true]);
        let test = TEXT.replace("test g(0) ==", "test g(0) =");
        assert_eq!(kept_of(TEXT, &test), [true, false, true, true]);
        assert_eq!(kept_of(&test, TEXT), [true, false, true, true]);
    }

    #[test]
    fn kept_trap_address_follows_the_moved_instruction() {
        let longer = TEXT.replace("n + 1", "n * n * n + 1");
        let of = |text: &str| {
            let mut engine = CpuEngine::with_threads(1);
            engine.base(&text.into(), &|| false).expect("the CPU engine does not fail")
        };
        let [before, now] = [TEXT, &longer].map(of);
        let (g, entry) = (RoutineId::new(1), RoutineId::new(3));
        assert!(matches!(before.entries[1].outcome, Outcome::Trap(_)));
        let routine = |of: &Compiled, number| of.executable.routine(number).map(|routine| routine.address());
        assert_ne!(routine(&before.compiled, g), routine(&now.compiled, g));
        let address = before.entries[1].trap_address.expect("a trap");
        let [old, new] = [&before, &now].map(|base| (&*base.compiled, base.compiled.executable.routine(entry)));
        let functions = numbers(old.0, new.0);
        let at =
            moved(address, (old.0, old.1.expect("an entry")), (new.0, new.1.expect("an entry")), &functions);
        assert_eq!(at, now.entries[1].trap_address);
    }
}
