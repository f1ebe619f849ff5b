//! Goals of a lesson. The table in `super::goals` defines their syntax, `super::judge` when they are reached.

use crate::lang::diagnostic;
use crate::lang::opcode::{Op, Shape};
use crate::lang::trap::Trap;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// Every test and property passes.
    TestsPass,
    /// There are no errors and no warnings.
    NoDiagnostics,
    /// A diagnostic with this code exists.
    Diagnostic(diagnostic::Code),
    /// A function has at most `most` tokens.
    Tokens { most: u32, function: String },
    /// A function contains this token, or does not, depending on `wanted`.
    Token { text: String, function: String, wanted: bool },
    /// In the tree of a function, operator `inner` is an operand of operator `outer`.
    Under { inner: String, outer: String, function: String },
    /// The code of a function contains a matching instruction, or does not, depending on `wanted`.
    Has { code: GoalCode, function: String, pattern: Pattern, wanted: bool },
    /// The bytecode of a function has at most `most` instructions.
    Instructions { most: u32, function: String },
    /// Control may reach at most `most` basic blocks of a function.
    Blocks { most: u32, function: String },
    /// The analysis finds this fact about a variable or an expression where a block of a function begins.
    Fact { text: String, function: String },
    /// Every value that a function stores in a variable may be read.
    NoDeadStore { function: String },
    /// At level 2, this pass or expansion changes a function.
    Changes { pass: &'static str, function: String },
    /// The lesson's test with this label passes and takes at most `most` steps.
    Steps { most: u32, label: String },
    /// At least `least` rules of the text are proved, and all others, too.
    Rules { least: u32 },
    /// The lesson's test with this label passes at level 0 after the text's rules, and takes at most `most` steps.
    RuleSteps { most: u32, label: String },
    /// A group of a device's threads executes at most `most` instructions for the lesson's property with this label.
    Group { most: u32, label: String },
    /// A failing test of the learner is the lesson's property with this label, with values in place of its
    /// names.
    Breaks { label: String },
    /// A test of the learner that calls only functions of the lesson, and at least one, ends in this trap.
    Traps(Trap),
    /// Tests notice every first-order mutant of the program, or of a function, that some input distinguishes
    /// from it.
    NoSurvivors { function: Option<String> },
    /// Properties of the learner are the first to notice this number of first-order mutants.
    PropertyNotices(u32),
}

impl Goal {
    /// Returns whether the lesson's functions and constants must remain unchanged, because the goal is about
    /// them.
    pub fn keeps_program(&self) -> bool {
        matches!(self, Goal::Breaks { .. } | Goal::Traps(_))
    }

    /// Returns whether the goal is about rules.
    pub fn needs_rules(&self) -> bool {
        matches!(self, Goal::Rules { .. } | Goal::RuleSteps { .. })
    }

    /// Returns whether the goal depends on the verdicts on mutants and on the analysis of survivors.
    pub fn needs_verdicts(&self) -> bool {
        matches!(self, Goal::NoSurvivors { .. } | Goal::PropertyNotices(_))
    }
}

/// A form of a function's code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoalCode {
    /// The intermediate code before any optimizer pass.
    Lowered,
    Bytecode,
}

/// A pattern for instructions: an operation, with a given operand or with any.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pattern {
    pub op: Op,
    pub operand: Option<i64>,
}

impl Pattern {
    /// Parses a pattern such as `LOAD_CONST 42` or `CALL`.
    pub fn read(words: &[&str]) -> Result<Pattern, String> {
        let (name, rest) = words.split_first().ok_or("an instruction is missing")?;
        let op = Op::ALL.iter().copied().find(|op| op.name() == *name && *op != Op::Nop);
        let op = op.ok_or_else(|| format!("there is no instruction `{name}`"))?;
        let operand = match rest {
            [] => None,
            [_] if op.shape() == Shape::Plain => return Err(format!("{name} has no operand")),
            [number] => Some(number.parse().map_err(|_| format!("`{number}` is not a number"))?),
            _ => return Err("an instruction is a name, and a number where it has an operand".into()),
        };
        Ok(Pattern { op, operand })
    }

    /// Returns whether an instruction matches.
    pub fn fits(&self, op: Op, operand: u32) -> bool {
        // The compiler chooses between the two instructions by the constant's size; a goal about the value
        // means both.
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
