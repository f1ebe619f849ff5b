//! Counts the steps of a function's code at all levels, and measures its compilation.

use crate::compiler::program::{Compiled, Executable, Watch};
use crate::compiler::stage::execute::{Machine, Start};
use crate::lang::index::RoutineId;
use crate::lang::level::OptLevel;
use crate::lang::trap::Trap;
use crate::network::inputs::{Arguments, FUEL};
use crate::network::sampling::Inputs;
use crate::testing::decide::{Given, calls_of_entries};

use super::times::compile_time;
use super::workload::{all_instructions, instructions};

/// The random inputs of a function that no test calls.
const INPUTS: u32 = 256;
/// Calls count as active from the first.
const DEPTH: u32 = 1;

/// The calls on which steps are counted.
#[derive(Clone, Debug, PartialEq)]
pub enum Calls {
    /// Different calls by the program's tests and properties.
    OfTests(Vec<Given>),
    /// Random inputs, as for the network's candidates.
    Random(Inputs),
}

impl Calls {
    /// Returns the calls of a program's tests, or random ones if no test calls the function. Returns `None` if cancelled.
    pub fn of(program: &Compiled, function: RoutineId, watch: &dyn Watch) -> Option<Calls> {
        let calls = calls_of_entries(program, function, &mut Machine::default(), watch)?;
        Some(match calls.is_empty() {
            true => Calls::Random(Inputs { seed: 1, first: 0, count: INPUTS }),
            false => Calls::OfTests(calls),
        })
    }
}

/// A program at all levels.
pub struct Levels {
    pub programs: [Compiled; 4],
    /// The seconds to compile the whole program to each level.
    pub seconds: [f64; 4],
}

impl Levels {
    /// Compiles a checked program without errors to all levels.
    pub fn of(program: &Compiled) -> Levels {
        let compiled = OptLevel::ALL.map(|level| compile_time(program, level));
        let seconds = [0, 1, 2, 3].map(|level: usize| compiled[level].0.as_secs_f64());
        Levels { programs: compiled.map(|(_, program)| program), seconds }
    }

    /// The seconds to compile a function to each level: its part of the program's time.
    pub fn part(&self, function: RoutineId) -> [f64; 4] {
        let program = &self.programs[OptLevel::Local.number() as usize];
        let part = f64::from(instructions(program, function)) / f64::from(all_instructions(program));
        self.seconds.map(|seconds| seconds * part)
    }

    /// The mean steps of an execution at each level. Returns `None` if cancelled.
    pub fn steps(&self, function: RoutineId, calls: &Calls, watch: &dyn Watch) -> Option<[f64; 4]> {
        let [a, b, c, d] = &self.programs;
        // Level 1 decides which calls count.
        let programs = [b, a, c, d].map(|program| &program.executable);
        let [b, a, c, d] = mean_steps(b, programs, function, calls, watch)?;
        Some([a, b, c, d])
    }
}

/// Returns the mean steps of a function's executions in each program. A call counts if it ends within the first program's
/// fuel. Functions without such a call take 0 steps. Returns `None` if cancelled.
pub fn mean_steps<const N: usize>(
    compiled: &Compiled,
    programs: [&Executable; N],
    function: RoutineId,
    calls: &Calls,
    watch: &dyn Watch,
) -> Option<[f64; N]> {
    let mut machines: [Machine; N] = std::array::from_fn(|_| Machine::default());
    machines.iter_mut().zip(programs).for_each(|(machine, program)| machine.load(program));
    let arguments = Arguments::new(compiled, function);
    let count = match calls {
        Calls::OfTests(calls) => calls.len(),
        Calls::Random(inputs) => arguments.count(*inputs) as usize,
    };
    let (mut sums, mut counted) = ([0u64; N], 0u32);
    for number in 0..count {
        if watch.cancelled() {
            return None;
        }
        let mut run = |at: usize, fuel: u32| {
            let machine = &mut machines[at];
            let start = Start { routine: function, fuel, depth: DEPTH, origin: 0 };
            match calls {
                Calls::OfTests(calls) => machine.call(programs[at], start, &words(&arguments, &calls[number])),
                Calls::Random(inputs) => {
                    let input = inputs.first.wrapping_add(number as u32);
                    arguments.write(inputs.seed, input, machine.frame());
                    machine.run(programs[at], function, fuel, DEPTH)
                }
            }
        };
        let first = run(0, FUEL);
        if first.trap == Trap::StepLimit {
            continue;
        }
        counted += 1;
        sums[0] += u64::from(first.steps);
        for (at, sum) in sums.iter_mut().enumerate().skip(1) {
            *sum += u64::from(run(at, FUEL.saturating_mul(4)).steps);
        }
    }
    Some(sums.map(|sum| sum as f64 / f64::from(counted.max(1))))
}

/// The argument words of a call: a list has its length first.
fn words(arguments: &Arguments, given: &Given) -> Vec<u32> {
    let mut words = Vec::new();
    for (parameter, values) in arguments.parameters.iter().zip(given) {
        if parameter.capacity > 0 {
            words.push(values.len() as u32);
        }
        words.extend_from_slice(values);
    }
    words
}
