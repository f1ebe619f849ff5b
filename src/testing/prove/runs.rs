//! Runs both functions on an input.

use super::Question;
use crate::compiler::program::{Compiled, Routine};
use crate::compiler::stage::execute::{Machine, Start};
use crate::engine::explain::Value;
use crate::lang::index::RoutineId;
use crate::lang::limits;
use crate::lang::ty::Type;
use crate::testing::decide::{
    ArgumentDomain, CallOutcome, Choice, Given, Pool, call_words, calls_of_entries, fuel_of_test, smallest,
};

/// The maximum number of steps of a search for a small input.
const STEPS: u64 = 1 << 25;
/// The maximum number of random inputs of the domain on which the base might return a value.
const INSIDE: usize = 4_096;

/// Both functions, ready to run.
pub struct Runs<'a> {
    question: &'a Question<'a>,
    machines: [Machine; 2],
    pub types: Vec<Type>,
    pub steps: u64,
    /// Whether a function exhausted its resources in the last run.
    pub exhausted: bool,
}

impl<'a> Runs<'a> {
    pub fn new(question: &'a Question<'a>) -> Runs<'a> {
        let mut machines: [Machine; 2] = Default::default();
        machines[0].translate(&question.base.executable);
        machines[1].translate(&question.other.executable);
        let types = question.base.arguments(question.function);
        Runs { question, machines, types, steps: 0, exhausted: false }
    }

    /// Returns both outcomes if they differ. A run that exhausts its resources decides nothing. The exception is a
    /// mutant's run if the base's run ends; its fuel is then a multiple of the base's steps.
    pub fn differ(&mut self, given: &Given) -> Option<[CallOutcome; 2]> {
        let Question { base, function, other, other_function, edit } = *self.question;
        let words = call_words(given, &self.types);
        let [own, its] = &mut self.machines;
        let (own, steps) = outcome(own, (base, function), &words, limits::STEPS);
        let size = own.value().map_or(0, Value::size);
        let fuel = if edit.is_some() { fuel_of_test(steps, words.len() + size) } else { limits::STEPS };
        let (its, its_steps) = outcome(its, (other, other_function), &words, fuel);
        self.steps += u64::from(steps) + u64::from(its_steps);
        self.exhausted = own.exhausts() || its.exhausts();
        let decides = !own.exhausts() && (edit.is_some() || !its.exhausts());
        (decides && own != its).then_some([own, its])
    }

    /// Returns the smallest input found on which they differ, from one on which they do. Inputs like those of the base's
    /// tests are preferred. For a mutant, so are inputs on which the base returns a value, because no test expects a trap.
    pub fn smallest(&mut self, given: Given) -> Option<(Given, [CallOutcome; 2])> {
        let Question { base, function, edit, .. } = *self.question;
        let types = self.types.clone();
        let known = calls_of_entries(base, function, &mut Machine::default(), &|| false)?;
        let domain = ArgumentDomain::new(base, &types, &known);
        let pool = Pool::new(base, function, known);
        let last = self.steps + STEPS;
        let mut differ = |given: &Given| if self.steps < last { self.differ(given) } else { None };
        let mut valued = |given: &Given| differ(given).filter(|[own, _]| own.value().is_some());
        let choice = Choice { types: &types, domain: domain.as_ref(), pool: &pool };
        let inside =
            domain.iter().flat_map(|domain| domain.inputs(&pool).into_iter().chain(domain.some(&pool, INSIDE)));
        let start =
            edit.and_then(|_| std::iter::once(given.clone()).chain(inside).find(|g| valued(g).is_some()));
        let found = match start {
            Some(start) => smallest(&choice, valued, start),
            None => smallest(&choice, differ, given.clone()),
        };
        found.or_else(|| Some((given.clone(), self.differ(&given)?)))
    }
}

/// Calls a function. Returns the outcome and the number of steps.
fn outcome(
    machine: &mut Machine,
    (program, function): (&Compiled, RoutineId),
    words: &[u32],
    fuel: u32,
) -> (CallOutcome, u32) {
    let record = machine.call(&program.executable, Start::call(function, fuel), words);
    let result = program.executable.routine(function).map_or(Type::INT, Routine::result);
    (CallOutcome::new(machine, &record, result), record.steps)
}
