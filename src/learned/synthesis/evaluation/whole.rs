//! The steps of a function at level 2 of the optimizer, the best code of the deterministic compiler.

use crate::compiler::program::{Compiled, Watch};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::execute::Machine;
use crate::lang::index::RoutineId;
use crate::lang::level::OptLevel;
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::network::inputs::{Arguments, FUEL};
use crate::network::sampling::Inputs;

/// The call depth of a called function: its own call counts.
const DEPTH: u32 = 1;

/// Returns the steps of a function, compiled at level 2, on those inputs on which it returns a value at the program's
/// own level. [`Agreement::base_steps`](crate::network::sampling::Agreement) counts the steps of its own level on the same
/// inputs. Returns `None` if the work was cancelled.
pub fn whole_steps(compiled: &Compiled, function: RoutineId, inputs: Inputs, watch: &dyn Watch) -> Option<u64> {
    let mut compiler = Compiler::default();
    compiler.tokens.clone_from(&compiled.tokens);
    compiler.tokens_at(&compiled.text, compiled.facts.names, OptLevel::Whole);
    let programs = [&compiled.executable, &compiler.back.executable];
    let mut machines: [Machine; 2] = Default::default();
    machines.iter_mut().zip(programs).for_each(|(machine, program)| machine.translate(program));
    let arguments = Arguments::new(compiled, function);
    let mut steps = 0;
    for input in (0..arguments.count(inputs)).map(|i| inputs.first.wrapping_add(i)) {
        if watch.cancelled() {
            return None;
        }
        let [own, whole] = [0, 1].map(|at| {
            arguments.write(inputs.seed, input, machines[at].frame());
            let fuel = [FUEL, limits::STEPS][at];
            machines[at].run(programs[at], function, fuel, DEPTH)
        });
        steps += if own.trap == Trap::None { u64::from(whole.steps) } else { 0 };
    }
    Some(steps)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::stage::compile;

    #[test]
    fn level_2_takes_fewer_steps_on_the_same_inputs() {
        let text = "fn f(a: int) -> int { let s = 0; for i in 0..4 { s += 6 / a; } return s; }";
        let compiled = compile(text);
        let inputs = Inputs { seed: 1, first: 0, count: 64 };
        let mut machine = Machine::default();
        machine.translate(&compiled.executable);
        let arguments = Arguments::new(&compiled, RoutineId::default());
        let own: u64 = (0..64)
            .map(|input| {
                arguments.write(1, input, machine.frame());
                machine.run(&compiled.executable, RoutineId::default(), FUEL, DEPTH)
            })
            .filter(|record| record.trap == Trap::None)
            .map(|record| u64::from(record.steps))
            .sum();
        let whole = whole_steps(&compiled, RoutineId::default(), inputs, &|| false);
        assert!(whole.is_some_and(|whole| 0 < whole && whole < own), "{whole:?} {own}");
    }
}
