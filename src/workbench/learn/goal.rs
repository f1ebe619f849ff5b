//! What a goal asks for. How it is written says the table in `super::goals`, when it is reached `super::judge`.

use crate::lang::diagnostic;
use crate::lang::opcode::{Op, Shape};
use crate::lang::trap::Trap;

/// What is to be reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Every test and property passes.
    TestsPass,
    /// There is no error and no warning.
    NoDiagnostics,
    /// There is this one.
    Diagnostic(diagnostic::Code),
    /// A function has no more tokens.
    Tokens { most: u32, function: String },
    /// A function has this token, or has none.
    Token { text: String, function: String, wanted: bool },
    /// In the tree of a function, an operator is an operand of another one.
    Under { inner: String, outer: String, function: String },
    /// Code of a function has such an instruction, or has none.
    Has { code: Code, function: String, pattern: Pattern, wanted: bool },
    /// The bytecode of a function has no more instructions.
    Instructions { most: u32, function: String },
    /// The lesson's test of this label passes and takes no more steps.
    Steps { most: u32, label: String },
    /// A test of the learner's is the lesson's property of this label with values in place of its names, and does not pass.
    Breaks { label: String },
    /// A test of the learner's that calls the lesson's functions and no others ends in this trap.
    Traps(Trap),
    /// Tests notice every single change of the program, or of a function, that some input tells from it.
    NoSurvivors { function: Option<String> },
    /// Properties of the learner's are the first to notice so many single changes.
    PropertyNotices(u32),
}

impl Goal {
    /// Whether all functions and constants of the lesson have to stay: it asks something about them as they are.
    pub fn keeps_program(&self) -> bool {
        matches!(self, Goal::Breaks { .. } | Goal::Traps(_))
    }

    /// Whether it waits for the verdicts on mutants, and for what is found on those that survive.
    pub fn needs_verdicts(&self) -> bool {
        matches!(self, Goal::NoSurvivors { .. } | Goal::PropertyNotices(_))
    }
}

/// Which code of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// The intermediate code before any pass of the optimizer.
    Lowered,
    Bytecode,
}

/// What an instruction has to be: an operation, with an operand or with any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    pub op: Op,
    pub operand: Option<i64>,
}

impl Pattern {
    /// `LOAD_CONST 42`, `CALL`.
    pub fn read(words: &[&str]) -> Result<Pattern, String> {
        let (name, rest) = words.split_first().ok_or("an instruction is missing")?;
        let op = Op::ALL.iter().copied().find(|op| op.name() == *name && *op != Op::Nop);
        let op = op.ok_or_else(|| format!("there is no instruction `{name}`"))?;
        let operand = match rest {
            [] => None,
            [_] if op.shape() == Shape::Plain => return Err(format!("{name} has no operand")),
            [number] => Some(number.parse().map_err(|_| format!("`{number}` is no number"))?),
            _ => return Err("an instruction is a name, and a number where it has an operand".into()),
        };
        Ok(Pattern { op, operand })
    }

    /// Whether an instruction is such a one.
    pub fn fits(&self, op: Op, operand: u32) -> bool {
        // A constant is one instruction or the other by how wide it is: of whoever asks for the value both are meant.
        let same = op == self.op || matches!((self.op, op), (Op::LoadConst, Op::LoadConstWide));
        let value = match op.shape() {
            Shape::Value | Shape::Wide => i64::from(operand as i32),
            _ => i64::from(operand),
        };
        same && self.operand.is_none_or(|wanted| wanted == value)
    }

    pub fn text(&self) -> String {
        match self.operand {
            Some(operand) => format!("{} {operand}", self.op.name()),
            None => self.op.name().to_string(),
        }
    }
}
