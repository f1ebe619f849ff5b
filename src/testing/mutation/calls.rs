//! Calls a program and its mutant with the same arguments.

use super::call_cache::{CachedCall, StoredCall};
use crate::compiler::program::{Compiled, Executable};
use crate::compiler::stage::execute::{Machine, Start};
use crate::engine::explain::Value;
use crate::lang::index::RoutineId;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::network::inputs::FUEL;
use crate::testing::decide::{CallOutcome, Given, call_words, fuel_of_test};

/// A program and its mutant, to be called on the same arguments.
pub struct MutationCalls<'a> {
    pub base: &'a Compiled,
    pub mutant: &'a Executable,
    pub machines: &'a mut [Machine; 2],
    pub function: RoutineId,
    pub types: &'a [Type],
    pub result: Type,
    /// The number of steps that may still be executed.
    pub left: u64,
}

impl MutationCalls<'_> {
    /// Calls both. Returns the program's value and the mutant's outcome; `None` if the program returns no value, or the
    /// two do not differ.
    pub fn differ(&mut self, arguments: &Given) -> Option<(Value, CallOutcome)> {
        let mut words = Vec::new();
        let own = self.own(arguments, &mut words);
        self.mutant_differs(own.known(&words))
    }

    /// Calls the program. Appends the arguments and the result to `words`.
    pub fn own(&mut self, arguments: &Given, words: &mut Vec<u32>) -> StoredCall {
        let begin = words.len();
        words.extend(call_words(arguments, self.types));
        let start = Start::call(self.function, FUEL);
        let record = self.machines[0].call(&self.base.executable, start, &words[begin..]);
        let (value, gives) = (words.len(), record.trap == Trap::None);
        words.extend(self.machines[0].value(&record, self.result.is_list()).unwrap_or_default());
        StoredCall { arguments: begin, value, end: words.len(), steps: record.steps, gives }
    }

    /// Calls the mutant with the arguments of the program's call. Returns as [`MutationCalls::differ`].
    pub fn mutant_differs(&mut self, own: CachedCall) -> Option<(Value, CallOutcome)> {
        self.left = self.left.saturating_sub(u64::from(own.steps));
        let value = own.value?;
        let start = Start::call(self.function, fuel_of_test(own.steps, own.arguments.len() + value.len()));
        let machine = &mut self.machines[1];
        let record = machine.call(self.mutant, start, own.arguments);
        self.left = self.left.saturating_sub(u64::from(record.steps));
        // A hole decides nothing.
        let differs = record.trap != Trap::Hole && machine.value(&record, self.result.is_list()) != Some(value);
        let value = || Value::from_words(self.result, value);
        differs.then(|| (value(), CallOutcome::new(machine, &record, self.result)))
    }
}
