//! What a compiled program is: the columns that its stages left, and the views of them.

mod columns;
mod errors;
mod executable;
mod view;
mod watch;

use std::ops::Deref;
use std::sync::Arc;

use crate::lang::diagnostic::Code;
use crate::lang::mutation::Group;
use crate::lang::role::Role;
use crate::lang::ty::Type;
pub use columns::*;
pub use errors::Statement;
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
    pub binders: Binders,
    pub executable: Executable,
    /// Whose operators make its mutants.
    pub group: Group,
}

impl Compiled {
    /// Its text and tree, to be read by token.
    pub fn view(&self) -> View<'_> {
        View { source: &self.text, tokens: &self.tokens, tree: &self.tree, checked: &self.checked }
    }

    /// All of it, to be read.
    pub fn program(&self) -> Program<'_> {
        Program { view: self.view(), executable: &self.executable, functions: self.facts.functions }
    }

    /// A test or property, by its index among them.
    pub fn entry(&self, index: u32) -> Option<Routine<'_>> {
        self.executable.routine(self.facts.functions.checked_add(index)?)
    }

    /// How many tests and properties there are.
    pub fn entries(&self) -> u32 {
        (self.executable.routines().len() as u32).saturating_sub(self.facts.functions)
    }

    /// A function's name; empty where there is no such function.
    pub fn function_name(&self, function: u32) -> &str {
        let head =
            self.executable.routines.token.get(function as usize).filter(|_| function < self.facts.functions);
        head.map_or("", |head| self.view().text(head + 1))
    }
}

/// A compiled program, to be read: its tree by way of [`View`], and what runs.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    pub view: View<'a>,
    pub executable: &'a Executable,
    /// Number of functions among the routines.
    pub functions: u32,
}

impl<'a> Deref for Program<'a> {
    type Target = View<'a>;

    fn deref(&self) -> &View<'a> {
        &self.view
    }
}

impl<'a> Program<'a> {
    /// A function by its number.
    pub fn function(self, function: u32) -> Option<Routine<'a>> {
        self.executable.routine(function).filter(|_| function < self.functions)
    }

    /// The types of a function's parameters, in order.
    pub fn parameters(self, function: u32) -> Vec<Type> {
        let Some(function) = self.function(function) else { return Vec::new() };
        let head = function.head();
        let mut parameters: Vec<u32> =
            self.extent(head).filter(|t| self.is(*t, Role::Param) && self.parent(*t) == Some(head)).collect();
        parameters.sort_by_key(|t| self.slot(*t));
        parameters.into_iter().map(|t| self.ty(t)).collect()
    }

    /// The function whose name is declared at a token.
    pub fn declared_at(self, name: u32) -> Option<Routine<'a>> {
        let functions = self.executable.routines().take(self.functions as usize);
        { functions }.find(|function| function.head() + 1 == name)
    }

    /// The function that a call calls; `None` for a built-in one.
    pub fn callee(self, call: u32) -> Option<Routine<'a>> {
        self.declared_at(self.declaration(call)?)
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

    /// Whether the program runs: no stage has stopped, and none has found an error.
    pub fn compiles(&self) -> bool {
        !self.stopped() && self.errors == 0
    }
}
