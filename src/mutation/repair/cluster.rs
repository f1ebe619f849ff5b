//! Which repairs do the same: they give the same on many inputs of all functions.

use super::judge::hash;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::neural::inputs::Arguments;
use crate::program::{Compiled, Executable, Routine};
use crate::stage::execute::Machine;

/// Inputs of each function.
const INPUTS: u32 = 256;
/// Steps that a call may take.
const FUEL: u32 = 4_096;
const SEED: u32 = 7;

/// Tells programs apart by what their functions give.
pub struct Behaviour {
    /// Of each function its inputs, and whether its result is a list.
    functions: Vec<(Arguments, bool)>,
    machine: Machine,
}

impl Behaviour {
    pub fn new(base: &Compiled) -> Behaviour {
        let of = |function: u32| {
            let result = base.executable.routine(function).map_or(Type::UNKNOWN, Routine::result);
            (Arguments::new(base, function), result.is_list())
        };
        Behaviour { functions: (0..base.facts.functions).map(of).collect(), machine: Machine::default() }
    }

    /// What a program's functions give, as a number.
    pub fn of(&mut self, program: &Executable) -> u64 {
        let Behaviour { functions, machine } = self;
        machine.translate(program);
        let mut given = Vec::new();
        for (function, (arguments, list)) in (0..).zip(functions) {
            for input in 0..arguments.size.unwrap_or(INPUTS).min(INPUTS) {
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
}
