//! Generates a test that pins a function's current value: a start for a file without tests.

use std::sync::Arc;

use crate::compiler::program::Compiled;
use crate::compiler::stage::execute::Machine;
use crate::engine::cpu::{CpuEngine, call};
use crate::engine::explain::Value;
use crate::engine::{Engine, EngineSettings};
use crate::lang::index::RoutineId;
use crate::lang::trap::Trap;
use crate::lang::ty::{KIND_BOOL, KIND_BOOL_LIST, KIND_INT, Type};
use crate::lang::verdict::Outcome;

/// An argument's source text, and its words: one word, or the elements of a list.
type Argument = (String, Vec<u32>);

const INTS: [i32; 11] = [12, 18, 5, 3, 10, 7, 2, 1, 4, 0, -3];
const LISTS: [&[i32]; 6] = [&[3, 1, 2], &[5, -2, 4, 1], &[1, 2, 3, 4], &[2, 2], &[7], &[]];
const TEXTS: [&str; 2] = ["abc", "12"];
const BOOLS: [bool; 2] = [true, false];
const FLAGS: [&[bool]; 4] = [&[true, false, true], &[false, true], &[true], &[]];

/// The number of argument sets that are tried.
const TRIES: usize = 24;
/// The maximum number of instructions of a call: a reader expects the test's result at once.
const STEPS: u32 = 100_000;

/// Why no test is offered for a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoTest {
    /// With every argument set, the call traps or exceeds the step limit.
    NoValue,
    /// The program already contains every test that would be offered.
    Written,
}

/// Returns a test for a function, to be appended to the program. The program does not contain it yet, and it
/// compiles and passes.
///
/// # Errors
/// If no such test is found.
pub fn generate_test(compiled: &Compiled, function: RoutineId) -> Result<String, NoTest> {
    let name = compiled.function_name(function);
    let parameters = compiled.program().parameters(function);
    let result = compiled.executable.routine(function).ok_or(NoTest::NoValue)?.result();
    let view = compiled.view();
    let written: String = view.all().iter().map(|token| view.text(token)).collect();
    let mut known = false;
    let program = &compiled.executable;
    let mut machine = Machine::default();
    let mut found: Vec<(u32, String)> = Vec::new();
    for number in 0..if parameters.is_empty() { 1 } else { TRIES } {
        let arguments: Vec<Argument> =
            (0..).zip(&parameters).map(|(place, ty)| argument(*ty, number + place)).collect();
        let mut frame = Vec::new();
        for ((_, words), ty) in arguments.iter().zip(&parameters) {
            let end = frame.len() + ty.words() as usize;
            frame.extend(ty.is_list().then_some(words.len() as u32));
            frame.extend(words);
            frame.resize(end, 0);
        }
        let called = call(&mut machine, program, function, &frame);
        if called.trap != Trap::None || called.steps > STEPS {
            continue;
        }
        let plain = called.value.iter().all(|word| *word == 0);
        let given = arguments.iter().any(|(_, words)| *words == called.value);
        let texts: Vec<&str> = arguments.iter().map(|(text, _)| text.as_str()).collect();
        let value = Value::from_words(result, &called.value);
        let body = format!("{name}({}) == {value};", texts.join(", "));
        if written.contains(&body.replace(' ', "")) {
            known = true;
            continue;
        }
        let line = format!("test {body}");
        found.push((u32::from(!plain) + u32::from(!plain && !given), line));
    }
    // Prefer the most informative value: neither zero nor equal to an argument.
    let best = found.iter().map(|(says, _)| *says).max();
    let line = found.into_iter().find(|(says, _)| Some(*says) == best).map(|(_, line)| line);
    let line = line.filter(|line| passes(compiled, line));
    line.ok_or(if known { NoTest::Written } else { NoTest::NoValue })
}

/// Returns sample argument `number` of a type, cut to the type's capacity.
fn argument(ty: Type, number: usize) -> Argument {
    let fits = |length: usize| length.min(ty.capacity() as usize);
    match ty.kind() {
        KIND_INT => {
            let n = INTS[number % INTS.len()];
            (n.to_string(), vec![n as u32])
        }
        KIND_BOOL => {
            let b = BOOLS[number % BOOLS.len()];
            (b.to_string(), vec![u32::from(b)])
        }
        KIND_BOOL_LIST => {
            let list = FLAGS[number % FLAGS.len()];
            let list = &list[..fits(list.len())];
            (format!("{list:?}"), list.iter().map(|b| u32::from(*b)).collect())
        }
        _ => match number % (LISTS.len() + TEXTS.len()) {
            list if list < LISTS.len() => {
                let list = &LISTS[list][..fits(LISTS[list].len())];
                (format!("{list:?}"), list.iter().map(|n| *n as u32).collect())
            }
            text => {
                let text = TEXTS[text - LISTS.len()];
                let text = &text[..fits(text.len())];
                (format!("{text:?}"), text.bytes().map(u32::from).collect())
            }
        },
    }
}

/// Returns whether a test passes when it is appended to a program. The program may have errors elsewhere.
fn passes(program: &Compiled, test: &str) -> bool {
    let text: Arc<str> = format!("{}\n{test}\n", program.text).into();
    let mut engine = CpuEngine::with_threads(1);
    engine.configure(EngineSettings { holes: true, ..engine.settings() });
    engine.base(&text, &|| false).is_ok_and(|base| {
        base.compiled.facts.errors == program.facts.errors
            && base.entries.len() == program.entries().len() as usize + 1
            && base.entries.last().is_some_and(|entry| entry.outcome == Outcome::Pass)
    })
}
