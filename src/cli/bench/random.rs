//! Random programs with tests, for comparing engines: functions of the corpus, with tests from their results on
//! random arguments.
//!
//! The expected value of a test is the one computed by this program's own machine, so most tests pass and can
//! judge mutants; tests that trap are kept. A property runs a function on many inputs. One program in eight is
//! corrupted and has errors.

use std::fmt::Write;

use crate::compiler::program::{Compiled, Routine};
use crate::compiler::stage::Compiler;
use crate::compiler::stage::execute::Machine;
use crate::corpus::{self, Level};
use crate::engine::cpu::call;
use crate::engine::explain::Value;
use crate::lang::index::RoutineId;
use crate::lang::random::Rng;
use crate::lang::trap::Trap;
use crate::lang::ty::Type;
use crate::network::inputs::Arguments;

/// The seed stream of these programs, used for nothing else.
const STREAM: u64 = 0x6465_7669_6365_7321;
/// Number of tests per function, and of functions that have any.
const TESTS: u32 = 3;
const FUNCTIONS: usize = 6;

/// Generates random program `index`.
pub fn program(index: u64) -> String {
    let mut rng = Rng::new(STREAM, index);
    let level = [Level::Simple, Level::Medium, Level::Full][rng.below(3)];
    let mut text = corpus::generate(STREAM, index, level).source;
    let mut compiler = Compiler::default();
    compiler.compile(&text);
    if compiler.compiles() {
        let compiled = compiler.compiled(&text.as_str().into());
        let seed = rng.below(1 << 20) as u32;
        for function in compiled.functions().iter().take(FUNCTIONS) {
            tests(&mut text, &compiled, function, seed);
            text.push_str(&property(&compiled, function).unwrap_or_default());
        }
    }
    if rng.below(8) == 0 { spoilt(&text, &mut rng) } else { text }
}

/// Adds tests of a function from its results.
fn tests(out: &mut String, compiled: &Compiled, function: RoutineId, seed: u32) {
    let (name, parameters) = (compiled.function_name(function), compiled.program().parameters(function));
    let arguments = Arguments::new(compiled, function);
    let result = compiled.executable.routine(function).map_or(Type::UNKNOWN, Routine::result);
    for input in 0..arguments.size.unwrap_or(TESTS).min(TESTS) {
        let mut frame = vec![0; arguments.words() as usize];
        arguments.write(seed, input, &mut frame);
        let ran = call(&mut Machine::default(), &compiled.executable, function, &frame);
        let mut rest = &frame[..];
        let mut value = |ty: &Type| {
            let (own, behind) = rest.split_at_checked(ty.words() as usize).unwrap_or((rest, &[]));
            rest = behind;
            let words = match (ty.is_list(), own.split_first()) {
                (true, Some((length, elements))) => elements.get(..*length as usize).unwrap_or(elements),
                _ => own,
            };
            Value::from_words(*ty, words).to_string()
        };
        let given: Vec<String> = parameters.iter().map(&mut value).collect();
        let expected = match ran.trap {
            Trap::None => Value::from_words(result, &ran.value).to_string(),
            _ if result.is_list() => "[]".into(),
            _ if result == Type::BOOL => "true".into(),
            _ => "0".into(),
        };
        let _ = writeln!(out, "test {name}({}) == {expected};", given.join(", "));
    }
}

/// Returns a property that runs a function on many inputs; `None` if it has no parameters, or one that cannot
/// be drawn.
fn property(compiled: &Compiled, function: RoutineId) -> Option<String> {
    let name = compiled.function_name(function);
    let (mut binders, mut given) = (Vec::new(), Vec::new());
    for (index, ty) in compiled.program().parameters(function).into_iter().enumerate() {
        let (binder, argument) = match (ty.is_list(), ty) {
            (true, ty) if ty.element() == Type::INT => {
                (format!("q{index} in [-3..9; {}]", ty.capacity()), format!("q{index}"))
            }
            (true, _) => return None,
            (false, Type::BOOL) => (format!("q{index} in 0..2"), format!("q{index} == 1")),
            (false, _) => (format!("q{index} in -9..40"), format!("q{index}")),
        };
        binders.push(binder);
        given.push(argument);
    }
    let call = format!("{name}({})", given.join(", "));
    (!binders.is_empty()).then(|| format!("prop {} => {call} == {call};\n", binders.join(", ")))
}

/// Deletes a random part of a text.
fn spoilt(text: &str, rng: &mut Rng) -> String {
    let from = rng.below(text.len().max(1));
    let to = from + 1 + rng.below(4);
    text.char_indices().filter(|(at, _)| *at < from || *at >= to).map(|(_, c)| c).collect()
}

#[cfg(test)]
mod tests {
    use super::program;
    use crate::engine::Engine;
    use crate::engine::cpu::CpuEngine;
    use crate::lang::verdict::Outcome;

    #[test]
    fn most_random_programs_compile_and_pass_their_tests() {
        let (mut engine, mut compile, mut pass, mut tests) = (CpuEngine::with_threads(1), 0, 0, 0);
        for index in 0..200 {
            let text = program(index);
            assert_eq!(text, program(index), "the same each time");
            let base = engine.base(&text.as_str().into(), &|| false).unwrap();
            compile += usize::from(base.compiled.facts.compiles());
            tests += base.entries.len();
            pass += base.entries.iter().filter(|entry| entry.outcome == Outcome::Pass).count();
        }
        assert!((140..200).contains(&compile), "{compile} compile");
        assert!(tests > 600 && pass * 10 > tests * 7, "{pass} of {tests} pass");
    }
}
