//! Calls of the program's functions, as operations of the expressions for a hole.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use crate::compiler::program::{Compiled, Executable};
use crate::compiler::stage::execute::{Machine, Start};
use crate::fill::operation::Word;
use crate::fill::space::{Call, Function, Leaf};
use crate::lang::index::RoutineId;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;

/// The maximum number of functions.
pub const MOST: usize = 8;
/// The fuel of a call; one that needs more counts as a trap.
const FUEL: u32 = 1 << 14;
/// Results that a thread remembers.
const REMEMBERED: usize = 1 << 16;
/// Calls from which the mean of steps is known, and the mean up to which calls may be larger.
const SAMPLE: usize = 64;
const CHEAP: u32 = 128;

/// A machine that has the program, and the results of calls.
type Worker = (Box<Machine>, HashMap<[u32; 2], Word>);

struct Caller {
    program: Executable,
    function: RoutineId,
    is_unary: bool,
    workers: Mutex<Vec<Worker>>,
}

impl Caller {
    fn run(&self, machine: &mut Machine, arguments: [u32; 2]) -> (Word, u32) {
        let own = &arguments[usize::from(self.is_unary)..];
        let record = machine.call(&self.program, Start::call(self.function, FUEL), own);
        ((record.trap == Trap::None).then_some(record.value), record.steps)
    }

    fn machine(&self) -> Box<Machine> {
        let mut machine = Box::<Machine>::default();
        machine.translate(&self.program);
        machine
    }

    fn all(&self, arguments: &[[u32; 2]]) -> Vec<Word> {
        let workers = || self.workers.lock().unwrap_or_else(PoisonError::into_inner);
        let free = workers().pop();
        let (mut machine, mut known) = free.unwrap_or_else(|| (self.machine(), HashMap::new()));
        if known.len() > REMEMBERED {
            known.clear();
        }
        let result = |own: &[u32; 2]| {
            let own = [if self.is_unary { 0 } else { own[0] }, own[1]];
            *known.entry(own).or_insert_with(|| self.run(&mut machine, own).0)
        };
        let results = arguments.iter().map(result).collect();
        workers().push((machine, known));
        results
    }

    /// The mean of the steps of calls with values of leaves.
    fn mean_steps(&self, values: &[u32]) -> u32 {
        let mut machine = self.machine();
        let pairs = (0..SAMPLE.min(values.len())).map(|at| [values[at * 7 % values.len()], values[at]]);
        let steps: Vec<u32> = pairs.map(|own| self.run(&mut machine, own).1).collect();
        steps.iter().sum::<u32>() / (steps.len().max(1) as u32)
    }
}

/// Returns the functions that an expression in another one may call: with one or two ints, or bools.
pub fn callable(program: &Compiled, from: RoutineId) -> Vec<RoutineId> {
    let is_plain = |ty: Type| ty == Type::INT || ty == Type::BOOL;
    let is_callable = |function: &RoutineId| {
        let parameters = program.program().parameters(*function);
        let result = program.executable.routine(*function).map(|routine| routine.result());
        let [first, rest @ ..] = &parameters[..] else { return false };
        let fits = rest.len() < 2 && rest.iter().all(|ty| ty == first) && is_plain(*first);
        fits && result.is_some_and(is_plain) && *function != from
    };
    program.functions().iter().filter(is_callable).take(MOST).collect()
}

/// Returns a function as an operation on expressions, given the leaves on which its cost is measured.
pub fn operation(program: &Compiled, function: RoutineId, leaves: &[Leaf]) -> Option<Function> {
    let parameters = program.program().parameters(function);
    let (operand, is_unary) = (*parameters.first()?, parameters.len() == 1);
    let (executable, workers) = (program.executable.clone(), Mutex::default());
    let result = executable.routine(function)?.result();
    let caller = Caller { program: executable, function, is_unary, workers };
    let own = leaves.iter().filter(|leaf| leaf.ty == operand);
    let values: Vec<u32> = own.flat_map(|leaf| leaf.values.iter().flatten().copied()).collect();
    let largest = match caller.mean_steps(&values) {
        ..=CHEAP => 4 + u8::from(is_unary),
        _ => 3,
    };
    let text = program.function_name(function).to_string();
    let call = Call(Arc::new(move |arguments: &[[u32; 2]]| caller.all(arguments)));
    Some(Function { text, operand, is_unary, result, largest, call })
}
