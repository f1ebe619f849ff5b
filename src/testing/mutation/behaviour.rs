//! Groups variants by behaviour on many inputs of all functions, and finds inputs that separate variants that differ.

use std::collections::HashSet;

use super::inputs;
use crate::compiler::program::{Compiled, Executable, Routine};
use crate::compiler::stage::execute::Machine;
use crate::compiler::stage::judge::hash;
use crate::lang::index::{Index, RoutineId};
use crate::lang::limits;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::network::inputs::Arguments;
use crate::testing::decide::Given;

/// The number of inputs of each function, and of all functions together.
const INPUTS: u32 = 256;
const ALL: u32 = 4_096;
/// The maximum steps of a call.
const FUEL: u32 = 4_096;
const SEED: u32 = 7;

/// Distinguishes programs by the results of their functions.
pub struct Behaviour {
    /// For each function, its inputs and whether its result is a list.
    functions: Vec<(Arguments, bool)>,
    /// The number of inputs of each function.
    inputs: u32,
    machine: Machine,
}

impl Behaviour {
    pub fn new(base: &Compiled) -> Behaviour {
        let of = |function: RoutineId| {
            let result = base.executable.routine(function).map_or(Type::UNKNOWN, Routine::result);
            (Arguments::new(base, function), result.is_list())
        };
        let functions: Vec<_> = base.functions().iter().map(of).collect();
        let inputs = INPUTS.min(ALL / functions.len().max(1) as u32);
        Behaviour { functions, inputs, machine: Machine::default() }
    }

    /// Returns a hash of the results of a program's functions.
    pub fn of(&mut self, program: &Executable) -> [u32; 2] {
        let Behaviour { functions, inputs, machine } = self;
        machine.translate(program);
        let mut given = Vec::new();
        for (function, (arguments, list)) in (0..).map(RoutineId::new).zip(functions) {
            for input in 0..arguments.size.unwrap_or(*inputs).min(*inputs) {
                arguments.write(SEED, input, machine.frame());
                let record = machine.run(program, function, FUEL, 1);
                given.push(record.trap as u32);
                match record.trap {
                    Trap::None if *list => given.extend_from_slice(machine.words(0, record.value)),
                    Trap::None => given.push(record.value),
                    _ => {}
                }
            }
        }
        hash(&given)
    }

    /// Returns the call that best separates some programs. Such a call splits them into even groups and is small enough
    /// for a person to answer.
    pub fn divergence(&mut self, programs: &[&Executable]) -> Option<Divergence> {
        let Behaviour { functions, inputs: most, machine } = self;
        let mut best: Option<(u64, u32, Divergence)> = None;
        for (function, (arguments, list)) in (0..).map(RoutineId::new).zip(functions.iter()) {
            let count = arguments.size.unwrap_or(*most).min(*most);
            let mut given: Vec<Vec<Option<Vec<u32>>>> = vec![Vec::new(); count as usize];
            for program in programs {
                machine.translate(program);
                for (input, given) in (0..).zip(&mut given) {
                    arguments.write(SEED, input, machine.frame());
                    given.push(value(machine, program, function, *list, FUEL));
                }
            }
            for (input, given) in (0..).zip(given) {
                let alike = |one: &Option<Vec<u32>>| given.iter().filter(|other| *other == one).count();
                // The sum of the squares of the group sizes.
                let uneven: u64 = given.iter().map(|one| alike(one) as u64).sum();
                let values: HashSet<_> = given.iter().flatten().collect();
                if values.len() < 2 {
                    continue;
                }
                let arguments = inputs::drawn(arguments, SEED, input);
                let size = |words: &Vec<u32>| {
                    words.iter().map(|word| 1 + u64::from((*word as i32).unsigned_abs())).sum::<u64>()
                };
                let size: u64 = arguments.iter().map(size).sum();
                let key = uneven + 2 * u64::from((size + 1).ilog2());
                if best.as_ref().is_none_or(|(known, _, _)| key < *known) {
                    best = Some((key, input, Divergence { function, arguments, given }));
                }
            }
        }
        let (_, input, mut parting) = best?;
        // The answer becomes a test, which may take the full number of steps.
        let (arguments, list) = functions.get(parting.function.position())?;
        for (program, given) in programs.iter().zip(&mut parting.given).filter(|(_, given)| given.is_none()) {
            machine.translate(program);
            arguments.write(SEED, input, machine.frame());
            *given = value(machine, program, parting.function, *list, limits::STEPS);
        }
        Some(parting)
    }
}

/// Returns the value of a call whose arguments are in the machine's frame, or `None` if it traps.
fn value(
    machine: &mut Machine,
    program: &Executable,
    function: RoutineId,
    list: bool,
    fuel: u32,
) -> Option<Vec<u32>> {
    let record = machine.run(program, function, fuel, 1);
    match record.trap {
        Trap::None if list => Some(machine.words(0, record.value).to_vec()),
        Trap::None => Some(vec![record.value]),
        _ => None,
    }
}

/// A call on which programs differ.
pub struct Divergence {
    pub function: RoutineId,
    pub arguments: Given,
    /// The result of each program, or `None` if it traps.
    pub given: Vec<Option<Vec<u32>>>,
}
