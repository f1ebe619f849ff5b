//! Generated functions reserved for evaluation.

use super::{EvaluationClass, EvaluationTask, Set};
use crate::compiler::stage::Compiler;
use crate::corpus::{self, Level};
use crate::lang::index::{Index, RoutineId};
use crate::network::source::{self, Source};

/// The corpus seed of these functions. Training must use another seed and skip similar functions.
pub const SEED: u64 = 0x6865_6c64_6f75_7421;

/// The number of programs examined per requested function. If too few fit the class, fewer functions are returned.
const TRIES: u64 = 20;
/// The minimum number of source words of a hard function, and the first program of the stream that may be one. Programs
/// before it may belong to the other sets.
pub const HARD_WORDS: usize = 150;
const HARD_FIRST: u64 = 1 << 20;

/// Returns functions of the corpus, half of them simple and half complex.
pub fn generated(functions: u32) -> Vec<EvaluationTask> {
    generated_from(SEED, functions)
}

/// Likewise for any seed of the corpus.
pub fn generated_from(seed: u64, functions: u32) -> Vec<EvaluationTask> {
    let complex = functions / 2;
    let of = |class: EvaluationClass, level, count| {
        let name = |index| format!("generated {} {index}", class.ident());
        let fits = |source: &Source| EvaluationClass::of(source) == class;
        chosen(seed, 0, level, count, &fits, &|index| (Set::Generated, name(index)))
    };
    let mut tasks = of(EvaluationClass::Simple, Level::Simple, functions - complex);
    tasks.extend(of(EvaluationClass::Complex, Level::Full, complex));
    tasks
}

/// Returns hard functions of the corpus: long ones.
pub fn hard_from(seed: u64, functions: u32) -> Vec<EvaluationTask> {
    let fits = |source: &Source| source.words.len() >= HARD_WORDS;
    let name = |index| (Set::Hard, format!("generated hard {index}"));
    chosen(seed, HARD_FIRST, Level::Full, functions, &fits, &name)
}

/// Returns the first functions of a stream, from program `first` on, that fit.
fn chosen(
    seed: u64,
    first: u64,
    level: Level,
    wanted: u32,
    fits: &dyn Fn(&Source) -> bool,
    name: &dyn Fn(u64) -> (Set, String),
) -> Vec<EvaluationTask> {
    let mut compiler = Compiler::default();
    let mut tasks = Vec::new();
    for index in first..first + u64::from(wanted) * TRIES {
        if tasks.len() as u32 == wanted {
            break;
        }
        let program = corpus::generate(seed, index, level);
        compiler.compile(&program.source);
        let function = RoutineId::at(program.function);
        let source = source::read(&compiler.program(&program.source), function);
        if compiler.compiles() && source.is_ok_and(|source| fits(&source)) {
            let (set, name) = name(index);
            tasks.push(EvaluationTask { set, name, text: program.source.into(), function: Some(function) });
        }
    }
    tasks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hard_tasks_are_long_and_differ_from_the_others() {
        let tasks = hard_from(SEED, 5);
        assert!(!tasks.is_empty() && tasks.len() <= 5, "long functions are rare: {}", tasks.len());
        let others = generated(200);
        assert!(tasks.iter().all(|task| others.iter().all(|other| other.text != task.text)));
        let mut compiler = Compiler::default();
        for task in tasks {
            compiler.compile(&task.text);
            let source = source::read(&compiler.program(&task.text), task.function.unwrap()).unwrap();
            assert!(source.words.len() >= HARD_WORDS && task.set == Set::Hard);
        }
    }

    #[test]
    fn half_of_the_generated_tasks_are_simple() {
        let tasks = generated(31);
        assert_eq!(tasks.len(), 31);
        let simple = tasks.iter().filter(|task| task.name.contains("simple")).count();
        assert_eq!(simple, 16);
        assert_eq!(tasks, generated(31), "the set is the same each time");
    }
}
