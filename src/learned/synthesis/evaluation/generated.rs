//! Generated functions reserved for evaluation.

use super::{Class, Set, Task};
use crate::compiler::stage::Compiler;
use crate::lang::index::{Index, RoutineId};
use crate::network::corpus::{self, Level};
use crate::network::source;

/// The corpus seed of these functions. Training must use another seed and skip similar functions.
pub const SEED: u64 = 0x6865_6c64_6f75_7421;

/// The number of programs examined per requested function. If too few fit the class, fewer functions are returned.
const TRIES: u64 = 20;

/// Returns functions of the corpus, half of them simple and half complex.
pub fn generated(functions: u32) -> Vec<Task> {
    generated_from(SEED, functions)
}

/// Likewise for any seed of the corpus.
pub fn generated_from(seed: u64, functions: u32) -> Vec<Task> {
    let complex = functions / 2;
    let mut tasks = of_class(seed, Class::Simple, Level::Simple, functions - complex);
    tasks.extend(of_class(seed, Class::Complex, Level::Full, complex));
    tasks
}

fn of_class(seed: u64, class: Class, level: Level, wanted: u32) -> Vec<Task> {
    let mut compiler = Compiler::default();
    let mut tasks = Vec::new();
    for index in 0..u64::from(wanted) * TRIES {
        if tasks.len() as u32 == wanted {
            break;
        }
        let program = corpus::generate(seed, index, level);
        compiler.compile(&program.source);
        let function = RoutineId::at(program.function);
        if compiler.compiles() && class_of(&compiler, &program.source, function) == Some(class) {
            tasks.push(Task {
                set: Set::Generated,
                name: format!("generated {} {index}", class.ident()),
                text: program.source.into(),
                function: Some(function),
            });
        }
    }
    tasks
}

/// Returns the class of a function of the program compiled last, or `None` if it is out of the model's reach.
fn class_of(compiler: &Compiler, text: &str, function: RoutineId) -> Option<Class> {
    source::read(&compiler.program(text), function).ok().map(|source| Class::of(&source))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_generated_tasks_are_simple() {
        let tasks = generated(31);
        assert_eq!(tasks.len(), 31);
        let simple = tasks.iter().filter(|task| task.name.contains("simple")).count();
        assert_eq!(simple, 16);
        assert_eq!(tasks, generated(31), "the set is the same each time");
    }
}
