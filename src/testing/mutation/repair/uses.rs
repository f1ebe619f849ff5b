//! Other uses of the functions that a repair changes.

use std::collections::BTreeSet;

use super::{OtherUse, RepairCandidate, Search};
use crate::compiler::program::{Executable, Instructions};
use crate::engine::explain::Value;
use crate::lang::index::{Index, RoutineId};
use crate::lang::opcode::Op;
use crate::testing::decide::ArgumentDomain;
use crate::testing::mutation::behaviour::{self, RunVariants};
use crate::testing::mutation::question::{call_text, literals};

impl Search {
    /// Returns the functions that call a function which a candidate changes, and that no failing entry enters.
    pub(super) fn other_callers(&self, candidate: &RepairCandidate) -> Vec<String> {
        let base = &self.ground.base;
        let changed: BTreeSet<RoutineId> = candidate.iter().map(|one| self.catalogue.function(*one)).collect();
        let calls = |caller: RoutineId| {
            let words = base.executable.routine(caller).map_or(&[][..], |routine| routine.words());
            Instructions::of(words)
                .any(|instruction| instruction.op == Op::Call && changed.contains(&instruction.function()))
        };
        let is_other = |caller: &RoutineId| {
            self.entered.get(caller.position()) == Some(&0) && !changed.contains(caller) && calls(*caller)
        };
        base.functions().iter().filter(is_other).map(|caller| base.function_name(caller).to_string()).collect()
    }

    /// Returns a call in a passing entry of a function that a candidate changes, whose result differs with it.
    pub(super) fn other_use(&self, candidate: &RepairCandidate, program: &Executable) -> Option<OtherUse> {
        let base = &self.ground.base;
        let programs = [&base.executable, program];
        let mut variants = RunVariants::new(&programs);
        let functions: BTreeSet<RoutineId> =
            candidate.iter().map(|one| self.catalogue.function(*one)).collect();
        functions.into_iter().find_map(|function| {
            let types = base.program().parameters(function);
            let result = base.executable.routine(function)?.result();
            let calls = self.judge.passing_calls(base, function);
            let domain = ArgumentDomain::new(base, &types, &calls);
            calls.iter().find_map(|given| {
                let [before, after] = [0, 1]
                    .map(|at| variants.value(at, function, (given, &types), result.is_list(), behaviour::FUEL));
                (before != after).then(|| {
                    let shown = |words: Option<Vec<u32>>| {
                        words.map(|words| Value::from_words(result, &words).to_string())
                    };
                    let text = |place: usize| domain.as_ref().is_some_and(|domain| domain.is_text(place));
                    let call = call_text(base, function, &literals(given, &types, text));
                    OtherUse { call, before: shown(before), after: shown(after) }
                })
            })
        })
    }
}
