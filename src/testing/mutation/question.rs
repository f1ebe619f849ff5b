//! Finds a test that would kill a mutant: small arguments of the changed function on which mutant and program differ,
//! like those of the file's own tests if possible, with the program's result.

use std::sync::Arc;

use super::calls::MutationCalls;
use super::{ComparedMutant, Examiner, inputs};
use crate::compiler::program::{Compiled, Executable, Routine, Watch};
use crate::compiler::stage::chain::{Compiler, compile_at};
use crate::compiler::stage::execute::{self, Machine};
use crate::compiler::stage::mutate::{self, Edits};
use crate::engine::explain::Value;
use crate::host::measure::numbers::grouped;
use crate::lang::index::{Index, Indices, InputId, MutantId, RoutineId};
use crate::lang::limits;
use crate::lang::ty::Type;
use crate::network::inputs::Arguments;
use crate::testing::decide::{
    ArgumentDomain, CallOutcome, CallRecorder, Choice, Given, Pool, calls_of_entries, has_strings, is_text,
    smallest,
};

/// The maximum number of inputs to try, and of steps for all of them together.
const INPUTS: u32 = 100_000;
const STEPS: u64 = 40_000_000;

/// The result of searching for a test that kills a surviving mutant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum QuestionAnswer {
    Found(MutationQuestion),
    /// This number of inputs do not distinguish the mutant from the program. `all` says whether these are all inputs.
    Alike {
        inputs: u32,
        all: bool,
    },
}

/// A call on which a mutant differs from the program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MutationQuestion {
    pub function: RoutineId,
    pub arguments: Vec<Value>,
    /// The results of the program and of the mutant.
    pub value: Value,
    pub mutant: CallOutcome,
    /// The test as source text.
    pub test: String,
}

impl QuestionAnswer {
    /// Returns the answer as a sentence without a period.
    pub fn text(&self) -> String {
        match self {
            QuestionAnswer::Found(question) => {
                format!("{} – the mutant {}", question.test, question.mutant.text())
            }
            QuestionAnswer::Alike { all: true, .. } => {
                "equivalent: no input distinguishes it from the program".into()
            }
            QuestionAnswer::Alike { inputs, all: false } => {
                format!(
                    "probably equivalent: {} inputs do not distinguish it from the program",
                    grouped((*inputs).into())
                )
            }
        }
    }
}

impl Examiner {
    /// Returns a test that passes on the program and kills a surviving mutant, or the number of inputs that do not
    /// distinguish the two. Returns `None` if the work was cancelled or the mutant does not exist or compile.
    pub fn question(&mut self, id: MutantId, watch: &dyn Watch) -> Option<QuestionAnswer> {
        let pair = self.pair(id)?;
        let ComparedMutant { mutant, functions, .. } = &pair;
        let function = *functions.first()?;
        let known = self.known_calls(function, watch)?;
        let base = &*self.base;
        let types = base.program().parameters(function);
        if !self.near.contains_key(&function) {
            // Failing tests show the domain as well.
            let shown = calls_of_entries(base, function, &mut self.machines[0], watch)?;
            let pool = Pool::new(base, function, shown);
            let inputs = ArgumentDomain::new(base, &types, &pool.calls).map(|domain| domain.inputs(&pool));
            self.near.insert(function, Arc::new((pool, inputs.unwrap_or_default())));
        }
        let near = self.near.get(&function)?;
        let near = near.clone();
        let result = base.executable.routine(function).map_or(Type::INT, Routine::result);
        let machines = &mut self.machines;
        machines[0].translate(&base.executable);
        machines[1].translate(mutant);
        let mut calls = MutationCalls { base, mutant, machines, function, types: &types, result, left: STEPS };
        let arguments = Arguments::new(base, function);
        let (pool, near) = &*near;
        let domain = ArgumentDomain::new(base, &types, &pool.calls);
        let count = arguments.size.unwrap_or(INPUTS);
        let first = (known.len() + near.len()) as u32;
        let mut tried = 0;
        let mut found = None;
        for number in Indices::<InputId>::first(count.saturating_add(first)) {
            if watch.cancelled() {
                return None;
            }
            if calls.left == 0 {
                break;
            }
            tried += 1;
            let nth = || match number.position().checked_sub(known.len()) {
                Some(at) if at < near.len() => near[at].clone(),
                Some(at) => inputs::nth(&arguments, &known, InputId::at(known.len() + at - near.len())),
                None => known[number.position()].clone(),
            };
            let own = self.call_cache.call(function, number, |words| calls.own(&nth(), words));
            if calls.mutant_differs(own).is_some() {
                found = Some(nth());
                break;
            }
        }
        let Some(found) = found else {
            // Functions are pure. Both changes of a pair must be in this function for the search to cover them.
            let all = arguments.size.is_some() && calls.left > 0 && functions.len() == 1;
            return Some(QuestionAnswer::Alike { inputs: tried, all });
        };
        calls.left = STEPS;
        let choice = Choice { types: &types, domain: domain.as_ref(), pool };
        let differ = |given: &Given| if calls.left > 0 { calls.differ(given) } else { None };
        let (given, (value, mutant)) = smallest(&choice, differ, found.clone()).or_else(|| {
            calls.left = STEPS;
            Some((found.clone(), calls.differ(&found)?))
        })?;
        let values = given.iter().zip(&types).map(|(words, ty)| Value::from_words(*ty, words)).collect();
        let is_text = |place: usize| domain.as_ref().is_some_and(|domain| domain.is_text(place));
        let test = test_of(base, function, &literals(&given, &types, is_text), &value);
        let is_edge = mutant.exhausts() && base.facts.compiles();
        if is_edge && !kills(base, self.variants.edits(id)?, &test) {
            return Some(QuestionAnswer::Alike { inputs: tried, all: false });
        }
        Some(QuestionAnswer::Found(MutationQuestion { function, arguments: values, value, mutant, test }))
    }

    /// Returns distinct arguments with which oracles call a function, shortest first and at most [`CALLS`](crate::testing::decide::CALLS). Returns
    /// `None` if the work was cancelled.
    pub(super) fn known_calls(&mut self, function: RoutineId, watch: &dyn Watch) -> Option<Vec<Given>> {
        if let Some(known) = self.calls.get(&function) {
            return Some(known.clone());
        }
        let [machine, _] = &mut self.machines;
        let program = &self.base.executable;
        let mut callers = CallRecorder::new(program, function);
        machine.load(program);
        for oracle in &self.oracles {
            callers.run((machine, program), &oracle.domain, oracle.fuel, watch)?;
        }
        callers.found.sort_by_key(|given| given.iter().map(Vec::len).sum::<usize>());
        self.calls.insert(function, callers.found.clone());
        Some(callers.found)
    }
}

/// Returns whether a program passes a test that is added to it and its mutant fails it, judged as any other oracle: by the
/// steps of the test, at the program's level.
pub fn kills(base: &Compiled, edits: Edits, test: &str) -> bool {
    let level = base.level.of_variants();
    let own = compile_at(level, &format!("{}\n{test}\n", base.text));
    let (mut compiler, mut machine) = (Compiler::default(), Machine::default());
    mutate::apply(&own.tokens, edits, &mut compiler.tokens);
    compiler.mutant(&own.text, own.facts.names, level);
    let domains = execute::domains(&own.facts, &own.executable.routines, &own.binders, limits::SAMPLES);
    let Some(domain) = domains.last().filter(|_| compiler.compiles()) else { return false };
    let mut end = |program: &Executable, fuel: u32| {
        machine.load(program);
        execute::entry(&mut machine, program, domain, fuel, &|| false)
    };
    let passed = end(&own.executable, limits::STEPS);
    let its = end(&compiler.back.executable, execute::mutant_fuel(passed.costliest));
    execute::holds(&passed.last) && !execute::holds(&its.last)
}

/// Returns a call as source text. The arguments are literals.
pub fn call_text(base: &Compiled, function: RoutineId, arguments: &[String]) -> String {
    format!("{}({})", base.function_name(function), arguments.join(", "))
}

/// Returns a test of a call as source text.
pub fn test_of(base: &Compiled, function: RoutineId, arguments: &[String], value: &Value) -> String {
    let call = call_text(base, function, arguments);
    match value {
        Value::Bool(true) => format!("test {call};"),
        Value::Bool(false) => format!("test !{call};"),
        Value::Ints(list) => {
            let words: Vec<u32> = list.iter().map(|word| *word as u32).collect();
            let text = !words.is_empty() && is_text(&words) && has_strings(base.view());
            format!("test {call} == {};", literal(value, text))
        }
        value => format!("test {call} == {value};"),
    }
}

/// Returns arguments as literals; those that are lists of characters as strings if `is_text` says so for their place.
pub fn literals(given: &Given, types: &[Type], is_text: impl Fn(usize) -> bool) -> Vec<String> {
    let arguments = given.iter().zip(types).enumerate();
    arguments.map(|(place, (words, ty))| literal(&Value::from_words(*ty, words), is_text(place))).collect()
}

/// Returns a value as a literal; a list of characters as a string if `text`.
pub fn literal(value: &Value, text: bool) -> String {
    match value {
        Value::Ints(list) if text && list.iter().all(|word| (32..127).contains(word)) => {
            let escape = |word: &i32| match *word as u8 as char {
                special @ ('"' | '\\') => format!("\\{special}"),
                plain => plain.to_string(),
            };
            format!("\"{}\"", list.iter().map(escape).collect::<String>())
        }
        value => value.to_string(),
    }
}
