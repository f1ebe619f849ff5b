//! Calls a program and its mutant with the same arguments.

use super::call_cache::{CachedCall, Call};
use crate::compiler::program::{Compiled, Executable};
use crate::compiler::stage::execute::{Machine, Start, mutant_fuel};
use crate::lang::index::RoutineId;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::network::inputs::FUEL;
use crate::testing::decide::Given;

/// A program and its mutant, to be called on the same arguments.
pub struct Calls<'a> {
    pub base: &'a Compiled,
    pub mutant: &'a Executable,
    pub machines: &'a mut [Machine; 2],
    pub function: RoutineId,
    pub result: Type,
    /// The number of steps that may still be executed.
    pub left: u64,
}

/// The results of both for the same arguments.
pub struct Both {
    pub value: Vec<u32>,
    pub mutant: Result<Vec<u32>, Trap>,
}

impl Calls<'_> {
    /// Calls both. Returns `None` if the program returns no value, or the results do not differ.
    pub fn differ(&mut self, arguments: &Given) -> Option<Both> {
        let mut words = Vec::new();
        let own = self.own(arguments, &mut words);
        self.mutant_differs(own.known(&words))
    }

    /// Calls the program. Appends the arguments and the result to `words`.
    pub fn own(&mut self, arguments: &Given, words: &mut Vec<u32>) -> Call {
        let begin = words.len();
        let routine = self.base.executable.routine(self.function);
        for (place, given) in (0..).zip(arguments) {
            let is_list = routine.is_some_and(|routine| routine.capacity(place) > 0);
            words.extend(is_list.then_some(given.len() as u32));
            words.extend(given);
        }
        let start = self.start(FUEL);
        let record = self.machines[0].call(&self.base.executable, start, &words[begin..]);
        let (value, gives) = (words.len(), record.trap == Trap::None);
        if gives {
            words.extend(given(&self.machines[0], self.result, &record.value));
        }
        Call { arguments: begin, value, end: words.len(), steps: record.steps, gives }
    }

    /// Calls the mutant with the arguments of the program's call.
    pub fn mutant_differs(&mut self, own: CachedCall) -> Option<Both> {
        self.left = self.left.saturating_sub(u64::from(own.steps));
        let value = own.value?;
        let start = self.start(mutant_fuel(own.steps));
        let machine = &mut self.machines[1];
        let record = machine.call(self.mutant, start, own.arguments);
        self.left = self.left.saturating_sub(u64::from(record.steps));
        let mutant = match record.trap {
            Trap::None => Ok(given(machine, self.result, &record.value)),
            trap => Err(trap),
        };
        let differs = mutant != Ok(value);
        differs.then(|| Both { value: value.to_vec(), mutant: mutant.map(<[u32]>::to_vec) })
    }

    fn start(&self, fuel: u32) -> Start {
        Start { routine: self.function, fuel, depth: 1, origin: 0 }
    }
}

/// Returns the words of a call's result: the elements of a list, or one word.
fn given<'a>(machine: &'a Machine, result: Type, word: &'a u32) -> &'a [u32] {
    match result.is_list() {
        true => machine.words(0, *word),
        false => std::slice::from_ref(word),
    }
}
