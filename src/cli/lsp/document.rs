//! An open document: its text as the client has it, and the program that it is.

use std::sync::Arc;

use lsp_types::{Position, TextDocumentContentChangeEvent};

use super::positions::Positions;
use crate::compiler::program::Compiled;
use crate::compiler::stage::Compiler;
use crate::lang::index::TokenId;
use crate::lang::level::OptLevel;

pub struct Document {
    /// The client's version of the text.
    pub version: i32,
    /// Raised by each edit of any document.
    pub revision: u64,
    pub text: Arc<str>,
    pub program: Compiled,
}

impl Document {
    pub fn new(version: i32, revision: u64, text: &str) -> Document {
        let text: Arc<str> = text.into();
        Document { version, revision, program: compile(&text), text }
    }

    /// Applies the client's edits, each to the text that the one before it left.
    pub fn change(&mut self, version: i32, revision: u64, changes: &[TextDocumentContentChangeEvent]) {
        let mut text = String::from(&*self.text);
        for change in changes {
            match change.range {
                Some(range) => {
                    let bytes = Positions::new(&text).bytes(range);
                    text.replace_range(bytes, &change.text);
                }
                None => text.clone_from(&change.text),
            }
        }
        *self = Document::new(version, revision, &text);
    }

    pub fn positions(&self) -> Positions<'_> {
        Positions::new(&self.text)
    }

    /// Returns the token at a position, or the one that ends there.
    pub fn token(&self, position: Position) -> Option<TokenId> {
        self.program.view().token_at(self.positions().byte(position))
    }
}

/// Compiles a text on this thread.
pub fn compile(text: &Arc<str>) -> Compiled {
    let mut compiler = Compiler::at(OptLevel::default());
    compiler.compile(text);
    compiler.compiled(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(from: (u32, u32), to: (u32, u32), text: &str) -> TextDocumentContentChangeEvent {
        let at = |(line, column)| Position::new(line, column);
        let range = Some(lsp_types::Range::new(at(from), at(to)));
        TextDocumentContentChangeEvent { range, range_length: None, text: text.into() }
    }

    #[test]
    fn edits_apply_one_after_the_other() {
        let mut document = Document::new(1, 1, "const A = 1;\n");
        document.change(
            2,
            2,
            &[change((0, 10), (0, 11), "23"), change((0, 12), (0, 12), "4"), change((1, 0), (9, 9), "//")],
        );
        assert_eq!(&*document.text, "const A = 234;\n//");
        assert_eq!((document.version, document.program.facts.errors), (2, 0));
    }
}
