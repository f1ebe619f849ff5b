//! Compares a program with a reference: a second program whose functions of the same name and type return the correct
//! results. It replaces the program's own tests, which may be as wrong as the program.

use std::sync::Arc;

use crate::compiler::program::{Compiled, Routine, Watch};
use crate::compiler::stage::execute::{Machine, Start, mutant_fuel};
use crate::engine::BaseResult;
use crate::engine::explain::Value;
use crate::lang::index::{Indices, InputId, RoutineId};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;
use crate::network::inputs::{Arguments, FUEL};
use crate::testing::decide::{ArgumentDomain, Given, call_words, size};
use crate::testing::mutation::Examiner;
use crate::testing::mutation::inputs::nth;
use crate::testing::mutation::question::{literals, test_of};

/// If the reference's tests call a function with at least this number of arguments, only these are tried. Otherwise
/// random arguments are added.
const ENOUGH: usize = 32;
/// The number of random arguments that are tried for each function.
const TRIED: u32 = 2_000;
/// The maximum number of tests made per function from inputs on which the programs differ, and from those on which they
/// agree; and the maximum for all functions together.
const DIFFERING: usize = 12;
const AGREEING: usize = 12;
const TESTS: usize = 192;

pub struct Reference {
    /// The program with its own tests blanked out, followed by generated tests that expect the reference's results.
    pub text: Arc<str>,
    /// The functions that both programs have, and those of them that differ.
    pub compared: Vec<String>,
    pub differ: Vec<String>,
    /// Functions of the reference that the program lacks or has with another type, and those of them that the tests of
    /// the reference call: without these, the program does not do what is asked.
    pub missing: Vec<String>,
    pub required: Vec<String>,
    cases: Vec<Cases>,
}

/// The correct results of a function.
struct Cases {
    name: String,
    given: Vec<(Given, Vec<u32>)>,
}

impl Reference {
    /// Compares two programs without errors. Returns `None` if the work was cancelled.
    pub fn new(program: &Arc<Compiled>, reference: &BaseResult, watch: &dyn Watch) -> Option<Reference> {
        let mut examiner = Examiner::new(reference.compiled.clone(), &reference.entries);
        let right = &reference.compiled;
        let (mut compared, mut differ, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        let (view, mut required) = (right.view(), Vec::new());
        let entries = right.entries().iter().filter_map(|entry| right.entry(entry));
        let tokens = entries.flat_map(|entry| view.extent(entry.head()).iter());
        let called: Vec<&str> = tokens.filter(|t| view.is(*t, Role::Call)).map(|t| view.text(t)).collect();
        let (mut cases, mut tests) = (Vec::new(), Vec::new());
        for function in right.functions() {
            let name = right.function_name(function);
            let Some(own) = same(program, right, function) else {
                missing.push(name.to_string());
                required.extend(called.contains(&name).then(|| name.to_string()));
                continue;
            };
            compared.push(name.to_string());
            let known = examiner.known_calls(function, watch)?;
            let arguments = Arguments::new(right, function);
            let random = if known.len() < ENOUGH { arguments.size.unwrap_or(TRIED) } else { 0 };
            let [mut says, mut gives] = [Caller::new(right, function), Caller::new(program, own)];
            let (mut right_given, mut differing, mut agreeing) = (Vec::new(), Vec::new(), Vec::new());
            for number in Indices::<InputId>::first(known.len() as u32 + random) {
                if watch.cancelled() {
                    return None;
                }
                let given = nth(&arguments, &known, number);
                // Inputs for which the reference returns no value are ignored.
                let Some((value, steps)) = says.call(&given, FUEL) else { continue };
                let same = gives.call(&given, mutant_fuel(steps)).is_some_and(|(own, _)| own == value);
                if same { &mut agreeing } else { &mut differing }.push((given.clone(), value.clone()));
                right_given.push((given, value));
            }
            if !differing.is_empty() {
                differ.push(name.to_string());
            }
            let (types, result) = (says.types, says.result);
            let domain = ArgumentDomain::new(right, &types, &known);
            for (mut some, most) in [(differing, DIFFERING), (agreeing, AGREEING)] {
                some.sort_by_cached_key(|(given, _)| size(given));
                some.dedup();
                for (given, value) in some.into_iter().take(most.min(TESTS.saturating_sub(tests.len()))) {
                    let text = |place: usize| domain.as_ref().is_some_and(|domain| domain.is_text(place));
                    let texts = literals(&given, &types, text);
                    tests.push(test_of(right, function, &texts, &Value::from_words(result, &value)));
                }
            }
            cases.push(Cases { name: name.into(), given: right_given });
        }
        let text = format!("{}\n{}\n", without_tests(program), tests.join("\n")).into();
        Some(Reference { text, compared, differ, missing, required, cases })
    }

    /// Returns whether a program without errors agrees with the reference on all inputs that were tried.
    pub fn agrees(&self, program: &Compiled) -> bool {
        self.cases.iter().all(|Cases { name, given }| {
            let mut functions = program.functions().iter();
            let Some(own) = functions.find(|own| program.function_name(*own) == name) else { return false };
            let mut caller = Caller::new(program, own);
            given.iter().all(|(given, value)| caller.call(given, FUEL).is_some_and(|(own, _)| own == *value))
        })
    }
}

/// Returns the program's function with the same name and type as the reference's.
fn same(program: &Compiled, reference: &Compiled, function: RoutineId) -> Option<RoutineId> {
    let name = reference.function_name(function);
    let own = program.functions().iter().find(|own| program.function_name(*own) == name)?;
    let result = |program: &Compiled, function| program.executable.routine(function).map(Routine::result);
    let types = |program: &Compiled, function| program.program().parameters(function);
    let alike = types(program, own) == types(reference, function)
        && result(program, own) == result(reference, function);
    alike.then_some(own)
}

/// Returns the program's text with spaces in place of its tests and properties, so that all positions stay valid.
fn without_tests(program: &Compiled) -> String {
    let view = program.view();
    let mut text = program.text.to_string();
    for entry in program.executable.routines().skip(program.facts.functions as usize) {
        // The `;` is not part of a node.
        let tokens = view.extent(entry.head());
        let has_semicolon = view.has(tokens.end()) && view.kind(tokens.end()) == TokenKind::Semicolon;
        let Some(span) = view.span(tokens.start()..tokens.end() + u32::from(has_semicolon)) else { continue };
        let blank: String = text[span.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
        text.replace_range(span, &blank);
    }
    text
}

struct Caller<'a> {
    program: &'a Compiled,
    function: RoutineId,
    types: Vec<Type>,
    result: Type,
    machine: Machine,
}

impl Caller<'_> {
    fn new(program: &Compiled, function: RoutineId) -> Caller<'_> {
        let mut machine = Machine::default();
        machine.load(&program.executable);
        let result = program.executable.routine(function).map_or(Type::INT, Routine::result);
        Caller { program, function, types: program.program().parameters(function), result, machine }
    }

    /// Returns the value of a call and its steps, or `None` if it traps.
    fn call(&mut self, given: &Given, fuel: u32) -> Option<(Vec<u32>, u32)> {
        let words = call_words(given, &self.types);
        let record = self.machine.call(&self.program.executable, Start::call(self.function, fuel), &words);
        Some((self.machine.value(&record, self.result.is_list())?.to_vec(), record.steps))
    }
}
