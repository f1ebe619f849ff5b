//! Instructions as rows, with a heading where a function, test or property begins. Each listing is computed
//! once per program, when it is first displayed.

use std::ops::Deref;

use unicode_width::UnicodeWidthStr;

use crate::lang::index::TokenId;
use crate::report::align::Comparable;
use crate::report::listing::Line;
use crate::workbench::text::visible;

/// A row of the IR or of the bytecode.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CodeRow {
    /// The name of the routine that begins here, and the token of its first instruction.
    Heading(String, Option<TokenId>),
    Instruction(Line),
}

impl CodeRow {
    pub fn is_instruction(&self) -> bool {
        matches!(self, CodeRow::Instruction(_))
    }

    /// Returns the part of the row that a comparison of listings compares.
    pub fn comparable(&self) -> Comparable {
        match self {
            CodeRow::Heading(text, _) => Comparable::of(text.clone()),
            CodeRow::Instruction(line) => line.comparable(),
        }
    }

    /// Returns the token that the row was compiled from.
    pub fn token(&self) -> Option<TokenId> {
        match self {
            CodeRow::Heading(_, token) => *token,
            CodeRow::Instruction(line) => line.token,
        }
    }
}

/// The column widths of a listing, in cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Widths {
    /// The index or the address.
    pub at: usize,
    /// The block; 0 if the rows have none.
    pub block: usize,
    pub op: usize,
    pub operands: usize,
}

impl Widths {
    /// Longer operands do not widen the column.
    const LONGEST_OPERANDS: usize = 16;

    /// Returns the smallest widths that hold these instructions.
    pub fn of<'a>(lines: impl IntoIterator<Item = &'a Line>) -> Widths {
        let mut widths = Widths::default();
        for line in lines {
            widths.at = widths.at.max(line.at.to_string().len());
            if let Some(block) = line.block {
                widths.block = widths.block.max(1 + block.to_string().len());
            }
            widths.op = widths.op.max(line.op.len());
            let operands = visible(&line.operands).width();
            if operands <= Widths::LONGEST_OPERANDS {
                widths.operands = widths.operands.max(operands);
            }
        }
        widths
    }

    /// Returns widths that suffice for most programs, so that columns stay in place from one program to the
    /// next.
    pub fn ample(self) -> Widths {
        let block = if self.block > 0 { self.block.max(3) } else { 0 };
        Widths { at: self.at.max(4), block, op: self.op.max(14), operands: self.operands.max(9) }
    }

    /// Returns the cells up to the end of the operands, with one space after each column.
    pub fn sum(self) -> usize {
        let block = if self.block > 0 { self.block + 1 } else { 0 };
        self.at + 1 + block + self.op + 1 + self.operands + 1
    }
}

/// The rows of a listing and their column widths.
#[derive(Clone, Debug)]
pub struct Listing {
    rows: Vec<CodeRow>,
    pub widths: Widths,
}

impl Listing {
    pub fn new(lines: Vec<Line>) -> Listing {
        let widths = Widths::of(&lines);
        let mut rows = Vec::with_capacity(lines.len());
        for mut line in lines {
            if let Some(heading) = line.heading.take() {
                rows.push(CodeRow::Heading(heading, line.token));
            }
            rows.push(CodeRow::Instruction(line));
        }
        Listing { rows, widths }
    }
}

impl Deref for Listing {
    type Target = [CodeRow];

    fn deref(&self) -> &[CodeRow] {
        &self.rows
    }
}
