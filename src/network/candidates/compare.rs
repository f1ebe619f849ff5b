//! Compares candidates with the base's own code on random inputs.
//!
//! Both get the same arguments. The base gets [`FUEL`]; a candidate gets the fuel of a mutant for the base's
//! number of steps. They agree if they return the same value or end in the same trap. If the base runs out of
//! steps, memory or call depth, the input is skipped, because a candidate may need less.

use crate::compiler::program::{Executable, Watch};
use crate::compiler::stage::execute::{Machine, mutant_fuel};
use crate::lang::index::RoutineId;
use crate::lang::trap::Trap;
use crate::network::inputs::{Arguments, FUEL};
use crate::network::sampling::{Agreement, Inputs};

/// The call depth of a called function: its own call counts.
const DEPTH: u32 = 1;

/// A range of inputs on which codes are compared.
#[derive(Clone, Copy, Debug)]
pub struct InputChunk<'a> {
    pub arguments: &'a Arguments,
    pub function: RoutineId,
    pub list: bool,
    pub inputs: Inputs,
}

/// How the base ended on an input.
struct BaseOutcome {
    input: u32,
    trap: Trap,
    steps: u32,
    /// The range of its value among all values.
    value: std::ops::Range<usize>,
}

impl InputChunk<'_> {
    /// Compares codes; a code of `None` has disagreed before. Returns `None` if cancelled.
    pub fn run(
        &self,
        machine: &mut Machine,
        (base, candidate): (&Executable, &mut Executable),
        codes: &[Option<&[u32]>],
        watch: &dyn Watch,
    ) -> Option<Vec<Agreement>> {
        let Inputs { seed, first, count } = self.inputs;
        let (mut by_code, mut values) = (Vec::with_capacity(count as usize), Vec::new());
        machine.translate(base);
        for input in (0..count).map(|i| first.wrapping_add(i)) {
            if watch.cancelled() {
                return None;
            }
            self.arguments.write(seed, input, machine.frame());
            let record = machine.run(base, self.function, FUEL, DEPTH);
            if matches!(record.trap, Trap::StepLimit | Trap::OutOfMemory | Trap::RecursionTooDeep) {
                continue;
            }
            let from = values.len();
            values.extend_from_slice(self.value(machine, record.trap, &record.value));
            by_code.push(BaseOutcome {
                input,
                trap: record.trap,
                steps: record.steps,
                value: from..values.len(),
            });
        }
        let mut compare = |code: &[u32]| {
            candidate.set_function(self.function, base.end(), code);
            machine.exchange(candidate, [self.function]);
            let mut agreement = Agreement::NOTHING;
            for own in &by_code {
                if watch.cancelled() {
                    return None;
                }
                self.arguments.write(seed, own.input, machine.frame());
                let record = machine.run(candidate, self.function, mutant_fuel(own.steps), DEPTH);
                agreement.compared += 1;
                agreement.trapping += u32::from(own.trap != Trap::None);
                let value = self.value(machine, record.trap, &record.value);
                if record.trap != own.trap || *value != values[own.value.clone()] {
                    agreement.differs_at = Some(own.input);
                    break;
                }
                if own.trap == Trap::None {
                    agreement.steps += u64::from(record.steps);
                    agreement.base_steps += u64::from(own.steps);
                }
            }
            Some(agreement)
        };
        codes.iter().map(|code| code.map_or(Some(Agreement::NOTHING), &mut compare)).collect()
    }

    /// Returns the value of a run; for a list its elements.
    fn value<'m>(&self, machine: &'m mut Machine, trap: Trap, value: &'m u32) -> &'m [u32] {
        match trap {
            Trap::None if self.list => {
                let frame = machine.frame();
                &frame[..(*value as usize).min(frame.len())]
            }
            Trap::None => std::slice::from_ref(value),
            _ => &[],
        }
    }
}

/// Adds the result on later inputs to that on earlier ones.
pub fn merge(sum: &mut Agreement, later: &Agreement) {
    if sum.agrees() {
        sum.differs_at = later.differs_at;
        sum.compared += later.compared;
        sum.trapping += later.trapping;
        sum.steps += later.steps;
        sum.base_steps += later.base_steps;
    }
}
