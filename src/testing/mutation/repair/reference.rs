//! A reference says what is right: a second program, whose functions of the same name and type give what this one's should. It takes
//! the place of the program's own tests, which may be as wrong as the program.

use std::sync::Arc;

use crate::compiler::program::{Compiled, Routine, Watch};
use crate::compiler::stage::execute::{Machine, Start, mutant_fuel};
use crate::engine::BaseResult;
use crate::engine::explain::Value;
use crate::lang::token::TokenKind;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::network::inputs::{Arguments, FUEL};
use crate::testing::mutation::Examiner;
use crate::testing::mutation::inputs::nth;
use crate::testing::mutation::question::{Given, test};

/// Where the reference's own tests call a function with so many arguments, these are what it is meant for; else random ones besides.
const ENOUGH: usize = 32;
/// Arguments that are tried of each function.
const TRIED: u32 = 2_000;
/// Tests that are made of those on which both differ, and of those on which they do not; of all functions together at most.
const DIFFERING: usize = 12;
const AGREEING: usize = 12;
const TESTS: usize = 192;

/// A program beside a reference.
pub struct Reference {
    /// The program without its own tests, which blanks stand for, and behind it a test for each of some inputs: what the reference gives.
    pub text: Arc<str>,
    /// Functions that both have, and of them those that differ.
    pub compared: Vec<String>,
    pub differ: Vec<String>,
    /// Functions of the reference that the program lacks, or has with another type.
    pub missing: Vec<String>,
    cases: Vec<Cases>,
}

/// What a function should give.
struct Cases {
    name: String,
    given: Vec<(Given, Vec<u32>)>,
}

impl Reference {
    /// Of two programs without errors. `None` if it was stopped.
    pub fn new(program: &Arc<Compiled>, reference: &BaseResult, watch: &dyn Watch) -> Option<Reference> {
        let mut examiner = Examiner::new(reference.compiled.clone(), &reference.entries);
        let right = &reference.compiled;
        let (mut compared, mut differ, mut missing) = (Vec::new(), Vec::new(), Vec::new());
        let (mut cases, mut tests) = (Vec::new(), Vec::new());
        for function in 0..right.facts.functions {
            let name = right.function_name(function);
            let Some(own) = same(program, right, function) else {
                missing.push(name.to_string());
                continue;
            };
            compared.push(name.to_string());
            let known = examiner.known_calls(function, watch)?;
            let arguments = Arguments::new(right, function);
            let random = if known.len() < ENOUGH { arguments.size.unwrap_or(TRIED) } else { 0 };
            let [mut says, mut gives] = [Caller::new(right, function), Caller::new(program, own)];
            let (mut right_given, mut differing, mut agreeing) = (Vec::new(), Vec::new(), Vec::new());
            for number in 0..known.len() as u32 + random {
                if watch.cancelled() {
                    return None;
                }
                let given = nth(&arguments, &known, number);
                // What the reference has no value for is nobody's duty.
                let Some((value, steps)) = says.call(&given, FUEL) else { continue };
                let same = gives.call(&given, mutant_fuel(steps)).is_some_and(|(own, _)| own == value);
                if same { &mut agreeing } else { &mut differing }.push((given.clone(), value.clone()));
                right_given.push((given, value));
            }
            if !differing.is_empty() {
                differ.push(name.to_string());
            }
            let types = right.program().parameters(function);
            let result = says.result();
            for (mut some, most) in [(differing, DIFFERING), (agreeing, AGREEING)] {
                some.sort_by_cached_key(|(given, _)| size(given));
                some.dedup();
                for (given, value) in some.into_iter().take(most.min(TESTS.saturating_sub(tests.len()))) {
                    let values: Vec<Value> =
                        given.iter().zip(&types).map(|(words, ty)| Value::from_words(*ty, words)).collect();
                    tests.push(test(name, &values, &Value::from_words(result, &value)));
                }
            }
            cases.push(Cases { name: name.into(), given: right_given });
        }
        let text = format!("{}\n{}\n", without_tests(program), tests.join("\n")).into();
        Some(Reference { text, compared, differ, missing, cases })
    }

    /// Whether a program without errors gives what the reference gives on all inputs that were tried.
    pub fn agrees(&self, program: &Compiled) -> bool {
        self.cases.iter().all(|Cases { name, given }| {
            let mut functions = 0..program.facts.functions;
            let Some(own) = functions.find(|own| program.function_name(*own) == name) else { return false };
            let mut caller = Caller::new(program, own);
            given.iter().all(|(given, value)| caller.call(given, FUEL).is_some_and(|(own, _)| own == *value))
        })
    }
}

/// The function of this name and type.
fn same(program: &Compiled, reference: &Compiled, function: u32) -> Option<u32> {
    let name = reference.function_name(function);
    let own = (0..program.facts.functions).find(|own| program.function_name(*own) == name)?;
    let result = |program: &Compiled, function| program.executable.routine(function).map(Routine::result);
    let types = |program: &Compiled, function| program.program().parameters(function);
    let alike = types(program, own) == types(reference, function)
        && result(program, own) == result(reference, function);
    alike.then_some(own)
}

/// How much there is to read of arguments.
fn size(given: &Given) -> u64 {
    let words =
        |words: &Vec<u32>| words.iter().map(|word| 1 + u64::from((*word as i32).unsigned_abs())).sum::<u64>();
    given.iter().map(words).sum()
}

/// The program's text with blanks for its tests and properties: all else stays at its place.
fn without_tests(program: &Compiled) -> String {
    let view = program.view();
    let mut text = program.text.to_string();
    for entry in program.executable.routines().skip(program.facts.functions as usize) {
        // The `;` belongs to no node.
        let mut tokens = view.extent(entry.head());
        tokens.end += u32::from(tokens.end < view.len() && view.kind(tokens.end) == TokenKind::Semicolon);
        let Some(span) = view.span(tokens) else { continue };
        let blank: String = text[span.clone()].bytes().map(|b| if b == b'\n' { '\n' } else { ' ' }).collect();
        text.replace_range(span, &blank);
    }
    text
}

/// Calls one function of a program.
struct Caller<'a> {
    program: &'a Compiled,
    function: u32,
    machine: Machine,
}

impl Caller<'_> {
    fn new(program: &Compiled, function: u32) -> Caller<'_> {
        let mut machine = Machine::default();
        machine.load(&program.executable);
        Caller { program, function, machine }
    }

    fn result(&self) -> Type {
        self.program.executable.routine(self.function).map_or(Type::INT, Routine::result)
    }

    /// The value of a call and the steps that it took; `None` where it traps.
    fn call(&mut self, given: &Given, fuel: u32) -> Option<(Vec<u32>, u32)> {
        let routine = self.program.executable.routine(self.function)?;
        let mut flat = Vec::new();
        for (place, words) in (0..).zip(given) {
            flat.extend((routine.capacity(place) > 0).then_some(words.len() as u32));
            flat.extend(words);
        }
        let start = Start { routine: self.function, fuel, depth: 1, origin: 0 };
        let record = self.machine.call(&self.program.executable, start, &flat);
        let value = || match routine.result().is_list() {
            true => self.machine.words(0, record.value).to_vec(),
            false => vec![record.value],
        };
        (record.trap == Trap::None).then(|| (value(), record.steps))
    }
}
