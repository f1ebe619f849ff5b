//! Instructions as rows, with a heading where a function, test or property begins. Worked out once a program, when
//! first looked at.

use crate::report::listing::Line;

/// A row of the IR or of the bytecode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeRow {
    /// What begins here, and the token of its first instruction.
    Heading(String, u32),
    Instruction(Line),
}

impl CodeRow {
    pub fn is_instruction(&self) -> bool {
        matches!(self, CodeRow::Instruction(_))
    }

    /// The token that it comes from.
    pub fn token(&self) -> u32 {
        match self {
            CodeRow::Heading(_, token) => *token,
            CodeRow::Instruction(line) => line.token,
        }
    }
}

/// The rows of a listing.
pub fn rows(lines: Vec<Line>) -> Vec<CodeRow> {
    let mut rows = Vec::with_capacity(lines.len());
    for mut line in lines {
        if let Some(heading) = line.heading.take() {
            rows.push(CodeRow::Heading(heading, line.token));
        }
        rows.push(CodeRow::Instruction(line));
    }
    rows
}
