//! Classifies functions as simple or complex.

use crate::network::source::Source;
use crate::network::vocabulary::{Family, Mark};

/// The class of a function in the evaluation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum EvaluationClass {
    /// At most one loop, and at most [`SIMPLE_WORDS`] source words.
    Simple,
    Complex,
}

/// The maximum number of source words of a simple function.
pub const SIMPLE_WORDS: usize = 40;

impl EvaluationClass {
    pub const ALL: [EvaluationClass; 2] = [EvaluationClass::Simple, EvaluationClass::Complex];

    /// Returns the class of a function as the model reads it.
    pub fn of(source: &Source) -> EvaluationClass {
        let loops = [Mark::While, Mark::For].map(|mark| Family::Mark.word(mark as u32));
        let loops = source.words.iter().filter(|word| loops.contains(word)).count();
        if loops <= 1 && source.words.len() <= SIMPLE_WORDS {
            EvaluationClass::Simple
        } else {
            EvaluationClass::Complex
        }
    }

    pub fn ident(self) -> &'static str {
        match self {
            EvaluationClass::Simple => "simple",
            EvaluationClass::Complex => "complex",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::stage::compile;
    use crate::lang::index::{Index, RoutineId};
    use crate::network::source;

    fn class(text: &str) -> EvaluationClass {
        let compiled = compile(text);
        EvaluationClass::of(&source::read(&compiled.program(), RoutineId::new(0)).unwrap())
    }

    #[test]
    fn loops_and_length_decide_the_class_of_a_function() {
        assert_eq!(class("fn f(a: int) -> int { return a + 1; }"), EvaluationClass::Simple);
        assert_eq!(
            class("fn f(n: int) -> int { let s = 0; for i in 0..n { s += i; } return s; }"),
            EvaluationClass::Simple
        );
        let two = "fn f(n: int) -> int { while n > 9 { n -= 9; } while n > 2 { n -= 2; } return n; }";
        assert_eq!(class(two), EvaluationClass::Complex);
        let long = format!("fn f(a: int) -> int {{ return a{}; }}", " + a".repeat(30));
        assert_eq!(class(&long), EvaluationClass::Complex);
    }
}
