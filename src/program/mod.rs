//! What a compiled program is: the columns that its stages left, and the views of them.

mod columns;
mod executable;
mod view;
mod watch;

use std::sync::Arc;

use crate::lang::diagnostic::Code;
pub use columns::*;
pub use executable::{Executable, Instruction, Instructions, Routine};
pub use view::{Children, View};
pub use watch::Watch;

/// Everything that the stages leave of one program: what the panels show.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compiled {
    pub text: Arc<str>,
    pub facts: Facts,
    pub tokens: Tokens,
    pub tree: Tree,
    pub checked: Checked,
    /// As lowered, before any pass; empty where the program has errors, as all that follows.
    pub lowered: Ir,
    /// After optimize.
    pub ir: Ir,
    pub routines: Routines,
    pub binders: Binders,
    pub code: Bytecode,
}

impl Compiled {
    /// Its text and tree, to be read by token.
    pub fn view(&self) -> View<'_> {
        View { source: &self.text, tokens: &self.tokens, tree: &self.tree, checked: &self.checked }
    }

    /// A function's name; empty where there is no such function.
    pub fn function_name(&self, function: u32) -> &str {
        let head = self.routines.token.get(function as usize).filter(|_| function < self.facts.functions);
        head.map_or("", |head| self.view().text(head + 1))
    }
}

/// What a program as a whole is, beside its columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The diagnostic that stops compilation, or `Code::None` as a number.
    pub fatal: u32,
    /// The token at which it is reported.
    pub fatal_token: u32,
    /// The count that its message names.
    pub fatal_count: u32,
    /// Errors reported by lex, parse and check together. A program with any is not lowered.
    pub errors: u32,
    /// Number of functions among the routines; tests and properties follow them.
    pub functions: u32,
    /// One past the greatest name id: `FIRST_NAME` + the number of tokens lexed. A mutant keeps its base's.
    pub names: u32,
}

impl Facts {
    /// Whether a stage has stopped compilation.
    pub fn stopped(&self) -> bool {
        self.fatal != Code::None as u32
    }
}
