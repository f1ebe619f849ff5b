//! Compares the steps of two codes of a function.

use crate::compiler::program::{Compiled, Executable, Watch};
use crate::compiler::stage::execute::{Machine, Start};
use crate::lang::index::RoutineId;
use crate::lang::trap::Trap;
use crate::network::inputs::{Arguments, FUEL};
use crate::testing::decide::{call_words, calls_of_entries};

/// The seed and the number of random inputs of a function that no test calls.
const RANDOM: (u32, u32) = (1, 256);
/// Calls count as active from the first.
const DEPTH: u32 = 1;

/// Returns whether a function takes more steps in one program than in another, on the calls of the tests of `base`, or else
/// on random inputs. A call counts if it ends within the fuel of a candidate in `base`. Returns `None` if cancelled.
pub fn is_slower(
    base: &Compiled,
    [one, other]: [&Executable; 2],
    function: RoutineId,
    watch: &dyn Watch,
) -> Option<bool> {
    let arguments = Arguments::new(base, function);
    let types = base.program().parameters(function);
    let calls = calls_of_entries(base, function, &mut Machine::default(), watch)?;
    let words: Vec<Vec<u32>> = calls.iter().map(|given| call_words(given, &types)).collect();
    let random = if words.is_empty() { RANDOM.1 } else { 0 };
    let mut machines = [&base.executable, one, other].map(|program| {
        let mut machine = Machine::default();
        machine.load(program);
        (machine, program)
    });
    let mut sums = [0u64; 2];
    for number in 0..words.len() as u32 + random {
        if watch.cancelled() {
            return None;
        }
        let mut run = |at: usize, fuel: u32| {
            let (machine, program) = &mut machines[at];
            match words.get(number as usize) {
                Some(words) => {
                    machine.call(program, Start { routine: function, fuel, depth: DEPTH, origin: 0 }, words)
                }
                None => {
                    arguments.write(RANDOM.0, number, machine.frame());
                    machine.run(program, function, fuel, DEPTH)
                }
            }
        };
        if run(0, FUEL).trap == Trap::StepLimit {
            continue;
        }
        for (at, sum) in sums.iter_mut().enumerate() {
            *sum += u64::from(run(at + 1, FUEL.saturating_mul(4)).steps);
        }
    }
    Some(sums[0] > sums[1])
}
