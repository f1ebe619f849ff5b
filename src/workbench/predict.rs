//! Prediction: results stay hidden until the user has guessed them. This module stores questions and judges
//! guesses; the panels choose the questions.

use std::collections::HashSet;

use crate::engine::explain::Value;
use crate::lang::index::{MutantId, Position};
use crate::lang::verdict::MutantStatus;

/// The subject of a question. A subject stays revealed once it has been guessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum QuestionKey {
    /// The result or the destination of a step, in the run with this number.
    Step(u32, Position),
    /// Likewise, for a step with all calls that it makes.
    Over(u32, Position),
    /// The next line.
    Line(u32, Position),
    /// The result of an optimizer pass, for the text of a revision.
    Pass(u64, usize),
    Verdict(u64, MutantId),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    Value(Value),
    /// The step traps instead of yielding a value.
    Trap,
    Line(u32),
    Count(usize),
    Verdict(MutantStatus),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PredictQuestion {
    pub ask: QuestionKey,
    /// The text displayed before the guess.
    pub text: String,
    pub answer: Answer,
}

/// Verdicts that can be guessed. `ignored` is missing because a comment in the text reveals it.
pub const VERDICTS: [MutantStatus; 6] = [
    MutantStatus::Killed,
    MutantStatus::Survived,
    MutantStatus::Timeout,
    MutantStatus::Equivalent,
    MutantStatus::Duplicate,
    MutantStatus::Invalid,
];
/// The guess for a step that traps.
const TRAP: &str = "trap";

impl Answer {
    /// Returns the answer as a user would type it.
    pub fn text(&self) -> String {
        match self {
            Answer::Value(value) => value.to_string(),
            Answer::Trap => TRAP.to_string(),
            Answer::Line(line) => line.to_string(),
            Answer::Count(count) => count.to_string(),
            Answer::Verdict(status) => status.name().to_string(),
        }
    }

    pub fn accepted_guesses(&self) -> String {
        match self {
            // Listing only one type would reveal whether the step traps.
            Answer::Value(Value::Bool(_)) => "true or false, or trap".to_string(),
            Answer::Value(_) | Answer::Trap => "a value, or trap".to_string(),
            Answer::Line(_) => "a line's number".to_string(),
            Answer::Count(_) => "a number".to_string(),
            Answer::Verdict(_) => VERDICTS.map(MutantStatus::name).join(" "),
        }
    }

    /// Returns whether a guess is right, or `None` if it is not a guess of this kind.
    pub fn judge(&self, guess: &str) -> Option<bool> {
        let guess = guess.trim();
        match self {
            Answer::Line(line) => Some(guess.parse::<u32>().ok()? == *line),
            Answer::Count(count) => Some(guess.parse::<usize>().ok()? == *count),
            Answer::Verdict(status) => {
                let mut named =
                    VERDICTS.into_iter().filter(|one| !guess.is_empty() && one.name().starts_with(guess));
                Some(named.next()? == *status)
            }
            Answer::Trap if guess == TRAP => Some(true),
            Answer::Value(_) if guess == TRAP => Some(false),
            Answer::Trap => value(guess).map(|_| false),
            Answer::Value(Value::Ints(right)) if right.is_empty() => value(guess).map(|_| is_empty_list(guess)),
            Answer::Value(Value::Bools(right)) if right.is_empty() => {
                value(guess).map(|_| is_empty_list(guess))
            }
            Answer::Value(right) => Some(value(guess)? == *right),
        }
    }
}

fn is_empty_list(guess: &str) -> bool {
    guess.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).is_some_and(|inner| inner.trim().is_empty())
}

/// Parses a value in the language's syntax.
fn value(text: &str) -> Option<Value> {
    let Some(inner) = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')) else {
        let int = text.parse::<i32>().ok().map(Value::Int);
        return int.or_else(|| text.parse::<bool>().ok().map(Value::Bool));
    };
    let elements: Vec<&str> = inner.split(',').map(str::trim).filter(|element| !element.is_empty()).collect();
    let ints: Option<Vec<i32>> = elements.iter().map(|element| element.parse().ok()).collect();
    let bools = || elements.iter().map(|element| element.parse().ok()).collect::<Option<Vec<bool>>>();
    ints.map(Value::Ints).or_else(|| bools().map(Value::Bools))
}

/// The guesses made so far.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Predict {
    known: HashSet<QuestionKey>,
    pub right: u32,
    pub guesses: u32,
}

impl Predict {
    pub fn is_answered(&self, ask: QuestionKey) -> bool {
        self.known.contains(&ask)
    }

    /// Counts a guess, right or wrong, and reveals the answer.
    pub fn guessed(&mut self, ask: QuestionKey, right: bool) {
        self.known.insert(ask);
        self.guesses += 1;
        self.right += u32::from(right);
    }

    pub fn count(&self) -> String {
        format!("{} of {} right", self.right, self.guesses)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn guesses_are_parsed_as_values_of_the_language() {
        let ints = Answer::Value(Value::Ints(vec![1, -2]));
        for (answer, guess, right) in [
            (&Answer::Value(Value::Int(6)), " 6 ", Some(true)),
            (&Answer::Value(Value::Int(6)), "-6", Some(false)),
            (&Answer::Value(Value::Int(6)), "six", None),
            (&Answer::Value(Value::Int(6)), "trap", Some(false)),
            (&Answer::Trap, "trap", Some(true)),
            (&Answer::Trap, "0", Some(false)),
            (&Answer::Value(Value::Bool(true)), "true", Some(true)),
            (&ints, "[1,-2]", Some(true)),
            (&ints, "[ 1, 2 ]", Some(false)),
            (&ints, "[1, x]", None),
            (&Answer::Value(Value::Bools(vec![])), "[]", Some(true)),
            (&Answer::Value(Value::Bools(vec![])), "[true]", Some(false)),
            (&Answer::Line(7), "7", Some(true)),
            (&Answer::Count(7), "8", Some(false)),
            (&Answer::Verdict(MutantStatus::Survived), "s", Some(true)),
            (&Answer::Verdict(MutantStatus::Survived), "killed", Some(false)),
            (&Answer::Verdict(MutantStatus::Survived), "", None),
            (&Answer::Verdict(MutantStatus::Survived), "pending", None),
        ] {
            assert_eq!(answer.judge(guess), right, "{answer:?} {guess}");
            assert_eq!(answer.judge(&answer.text()), Some(true), "{answer:?}");
        }
    }

    #[test]
    fn right_guesses_are_counted() {
        let mut predict = Predict::default();
        predict.guessed(QuestionKey::Line(1, Position::default()), true);
        predict.guessed(QuestionKey::Step(1, Position::default()), false);
        assert_eq!(predict.count(), "1 of 2 right");
        assert!(
            predict.is_answered(QuestionKey::Line(1, Position::default()))
                && !predict.is_answered(QuestionKey::Line(2, Position::default()))
        );
    }
}
