//! Computes an oracle's exact result on a program that differs from the base in a few functions, using the
//! visits of these functions.

use std::sync::atomic::{AtomicBool, Ordering};

use super::verdict::VerdictMutant;
use super::{CallProfile, Visit};
use crate::compiler::program::Executable;
use crate::compiler::stage::execute::{self, Domain, Start};
use crate::engine::cpu::call_answers::{CallAnswer, CallAnswers};
use crate::engine::cpu::fuel::{Fuel, FuelEnd, InputSums};
use crate::engine::cpu::mount::PatchedProgram;
use crate::lang::index::{Index, InputId, RoutineId};
use crate::lang::limits;
use crate::lang::trap::Trap;

/// After this many calls with other values, calls are no longer tried: the inputs are run.
const OTHERS: usize = 4;

/// A test or property that the base passes.
pub struct Passing<'a> {
    /// Its index among the oracles whose visits are recorded.
    pub place: u32,
    pub domain: &'a Domain,
    pub costliest: u32,
    /// The base's sums over the inputs before each input.
    pub before: &'a [InputSums],
}

impl Passing<'_> {
    /// Returns the base's sums over the inputs before this one.
    fn before(&self, input: InputId) -> InputSums {
        self.before.get(input.position()).copied().unwrap_or_default()
    }

    /// Whether this input does not meet the condition on the base.
    fn discards(&self, input: InputId) -> bool {
        self.before(input.next()).discarded > self.before(input).discarded
    }
}

impl CallProfile {
    /// Forgets the answers of all calls of these functions.
    pub fn forget(&self, changed: &[RoutineId], tried: &mut CallAnswers) {
        let answers = &mut tried.first;
        answers.clear();
        if let [function] = changed
            && let Some(visited) = self.functions.get(function.position())
        {
            answers.resize(visited.calls.len(), CallAnswer::Unknown);
        }
    }

    /// Returns the result of a passing oracle on the mounted program, which differs from the base only in
    /// these functions. Runs only the necessary inputs. Returns `None` if stopped.
    pub fn end(
        &self,
        mount: &mut PatchedProgram,
        changed: &[RoutineId],
        passing: &Passing,
        tried: &mut CallAnswers,
        stop: &AtomicBool,
    ) -> Option<FuelEnd> {
        let PatchedProgram { machine, program, .. } = mount;
        let program: &Executable = program;
        let mut mutant = VerdictMutant { program, machine };
        let (mut longer, mut others, mut unfinished) = (0i64, 0, None);
        let all = passing.before(passing.domain.inputs().end());
        let mut discarded = all.discarded;
        let inputs = self.inputs(changed, passing.place);
        for (n, visit) in inputs.iter().enumerate() {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            // Running a single input is as fast as running its calls. The first of several inputs is also
            // run, because most failing programs fail on it.
            let known = match changed {
                [function] if n > 0 && others < OTHERS => {
                    self.difference(&mut mutant, *function, visit, tried, &mut others)
                }
                _ => None,
            };
            let difference = match known {
                Some(difference) => difference,
                None => {
                    let fuel = Fuel { expected: passing.costliest };
                    let record = fuel.run(mutant.machine, program, passing.domain, visit.input);
                    if record.trap == Trap::Hole {
                        unfinished.get_or_insert(execute::outcome(&record));
                    } else if !execute::holds(&record) {
                        let before = passing.before(visit.input).steps as i64;
                        let steps = (before + longer + i64::from(record.steps)) as u64;
                        return Some(FuelEnd { outcome: execute::outcome(&record), steps });
                    }
                    discarded -= u32::from(passing.discards(visit.input));
                    discarded += u32::from(execute::discards(&record));
                    i64::from(record.steps) - i64::from(visit.steps)
                }
            };
            longer += difference;
        }
        let outcome = unfinished.unwrap_or(execute::passed(passing.domain.inputs().len(), discarded));
        Some(FuelEnd { outcome, steps: (all.steps as i64 + longer) as u64 })
    }

    /// Returns an oracle's inputs that enter one of some functions, in order. An input that enters several
    /// functions is listed with one of its visits.
    fn inputs(&self, changed: &[RoutineId], oracle: u32) -> Vec<&Visit> {
        let mut inputs: Vec<&Visit> = Vec::new();
        for visited in changed.iter().filter_map(|function| self.functions.get(function.position())) {
            let first = visited.visits.partition_point(|visit| visit.oracle < oracle);
            inputs.extend(visited.visits[first..].iter().take_while(|visit| visit.oracle == oracle));
        }
        if changed.len() > 1 {
            inputs.sort_by_key(|visit| visit.input);
            inputs.dedup_by_key(|visit| visit.input);
        }
        inputs
    }

    /// Returns by how many steps a run is longer than on the base, if all its outer calls of the only changed
    /// function return the base's values. Nested calls are not counted, so the number is exact.
    fn difference(
        &self,
        mutant: &mut VerdictMutant,
        function: RoutineId,
        visit: &Visit,
        tried: &mut CallAnswers,
        others: &mut usize,
    ) -> Option<i64> {
        let visited = self.functions.get(function.position())?;
        let answers = &mut tried.first;
        let uses = visited.uses.get(visit.uses.start as usize..visit.uses.end as usize)?;
        if uses.is_empty() {
            return None;
        }
        let start =
            Start { routine: function, fuel: limits::STEPS, depth: visited.depth, origin: visited.origin };
        let mut longer = 0;
        for own in uses {
            let call = visited.calls.get(own.call as usize)?;
            let answer = answers.get_mut(own.call as usize)?;
            if matches!(answer, CallAnswer::Unknown) {
                // A much longer call is not finished; its input is run instead.
                let start = Start { fuel: execute::mutant_fuel(call.steps), ..start };
                *answer = mutant.answer(start, visited, call);
            }
            let CallAnswer::Same(steps) = *answer else {
                *others += 1;
                return None;
            };
            longer += (i64::from(steps) - i64::from(call.steps)) * i64::from(own.times);
        }
        let steps = i64::from(visit.steps) + longer;
        (steps < i64::from(limits::STEPS)).then_some(longer)
    }
}
