//! Compiled programs: the columns that the stages write, and views of them.

mod columns;
mod errors;
mod executable;
mod view;
mod watch;

use std::ops::Deref;
use std::sync::Arc;

use crate::lang::diagnostic::Code;
use crate::lang::index::{EntryId, Index, Indices, RoutineId, TokenId};
use crate::lang::level::OptLevel;
use crate::lang::mutation::Group;
use crate::lang::role::Role;
use crate::lang::ty::Type;
pub use columns::*;
pub use errors::Statement;
pub use executable::{Executable, ExecutableInstruction, Instructions, Routine};
pub use view::{Children, CommonEnds, View};
pub use watch::Watch;

/// The output of all stages for one program, as shown in the panels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Compiled {
    pub text: Arc<str>,
    pub facts: Facts,
    pub tokens: Tokens,
    pub tree: Tree,
    pub checked: Checked,
    /// The code before optimize. If the program has errors, this and the following columns are empty.
    pub lowered: Ir,
    /// The code after optimize.
    pub ir: Ir,
    pub binders: Binders,
    pub executable: Executable,
    /// The group of operators that make its mutants.
    pub group: Group,
    /// The level that it was optimized to; its mutants are optimized to the same level.
    pub level: OptLevel,
}

impl Compiled {
    /// Returns a view of the text and the tree.
    pub fn view(&self) -> View<'_> {
        View { source: &self.text, tokens: &self.tokens, tree: &self.tree, checked: &self.checked }
    }

    /// Whether the program has mutants: it has no errors, or these are holes. Edits of the repair group copy from anywhere,
    /// also from holes.
    pub fn has_mutants(&self) -> bool {
        self.facts.compiles() || self.facts.lowers() && self.group < Group::Repair
    }

    /// Returns a view of the whole program.
    pub fn program(&self) -> Program<'_> {
        Program { view: self.view(), executable: &self.executable, functions: self.functions() }
    }

    pub fn functions(&self) -> Indices<RoutineId> {
        self.facts.functions()
    }

    /// Returns a test or property.
    pub fn entry(&self, id: EntryId) -> Option<Routine<'_>> {
        self.executable.routine(self.facts.entry(id))
    }

    /// The tests and properties.
    pub fn entries(&self) -> Indices<EntryId> {
        Indices::first((self.executable.routines().len() as u32).saturating_sub(self.facts.functions))
    }

    /// The types of a routine's arguments: a function's parameters, or the binders of a property.
    pub fn arguments(&self, routine: RoutineId) -> Vec<Type> {
        if self.functions().contains(routine) {
            return self.program().parameters(routine);
        }
        let Some(entry) = self.executable.routine(routine) else { return Vec::new() };
        let ty = |capacity| if capacity == 0 { Type::INT } else { Type::list(Type::INT, capacity) };
        (0..entry.params()).map(|j| ty(entry.capacity(j))).collect()
    }

    /// Returns a function's name, or "" if there is no such function.
    pub fn function_name(&self, function: RoutineId) -> &str {
        self.program().function(function).map_or("", |function| self.view().text(function.head() + 1))
    }
}

/// A view of a compiled program: its tree ([`View`]) and its executable.
#[derive(Clone, Copy, Debug)]
pub struct Program<'a> {
    pub view: View<'a>,
    pub executable: &'a Executable,
    pub functions: Indices<RoutineId>,
}

impl<'a> Deref for Program<'a> {
    type Target = View<'a>;

    fn deref(&self) -> &View<'a> {
        &self.view
    }
}

impl<'a> Program<'a> {
    pub fn function(self, function: RoutineId) -> Option<Routine<'a>> {
        self.executable.routine(function).filter(|_| self.functions.contains(function))
    }

    pub fn parameters(self, function: RoutineId) -> Vec<Type> {
        let Some(function) = self.function(function) else { return Vec::new() };
        let head = function.head();
        let mut parameters: Vec<TokenId> = self
            .extent(head)
            .iter()
            .filter(|t| self.is(*t, Role::Param) && self.parent(*t) == Some(head))
            .collect();
        parameters.sort_by_key(|t| self.slot(*t));
        parameters.into_iter().map(|t| self.ty(t)).collect()
    }

    /// Returns the function whose name is declared at token `name`.
    pub fn function_named_at(self, name: TokenId) -> Option<Routine<'a>> {
        let functions = self.executable.routines().take(self.functions.len() as usize);
        { functions }.find(|function| function.head() + 1 == name)
    }

    /// Returns the function that a call calls; `None` for a built-in.
    pub fn callee(self, call: TokenId) -> Option<Routine<'a>> {
        self.function_named_at(self.declaration(call)?)
    }
}

/// The least [`Facts::holes`] of a part of a program with errors.
pub const PART: u32 = 2;

/// Facts about a program as a whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    /// The number of the diagnostic that stops compilation; `Code::None` if nothing does.
    pub fatal: u32,
    /// The token at which that diagnostic is reported.
    pub fatal_token: u32,
    /// The count that its message names.
    pub fatal_count: u32,
    /// Errors reported by lex, parse and check together. A program with any is lowered only with holes. A part of a
    /// program with errors (`holes` from [`PART`] on) also counts muted errors, and E0501 as many.
    pub errors: u32,
    /// Whether a statement with an error becomes a hole (1), or an error stops lowering (0). In a part of a program
    /// with errors: [`PART`] plus the errors that it has without an edit. Set before lex; check clears it if the
    /// program has too many items.
    pub holes: u32,
    /// Number of functions among the routines; tests and properties follow them.
    pub functions: u32,
    /// One past the greatest name id: `FIRST_NAME` + the number of tokens lexed. A mutant keeps the number of
    /// its base.
    pub names: u32,
}

impl Facts {
    pub fn functions(&self) -> Indices<RoutineId> {
        Indices::first(self.functions)
    }

    /// Returns the routine of a test or property.
    pub fn entry(&self, entry: EntryId) -> RoutineId {
        RoutineId::new(self.functions.saturating_add(entry.number()))
    }

    /// Returns the test or property that a routine runs; `None` for a function.
    pub fn entry_of(&self, routine: RoutineId) -> Option<EntryId> {
        routine.number().checked_sub(self.functions).map(EntryId::new)
    }

    /// Returns whether a stage has stopped compilation.
    pub fn stopped(&self) -> bool {
        self.fatal != Code::None as u32
    }

    /// Returns whether the program can run: no stage has stopped compilation or found an error. A part may have as many
    /// errors as without an edit.
    pub fn compiles(&self) -> bool {
        !self.stopped() && self.errors <= self.holes.saturating_sub(PART)
    }

    /// Returns whether some statements may be holes.
    pub fn has_holes(&self) -> bool {
        self.lowers() && (self.errors > 0 || self.is_part())
    }

    /// Returns whether this is a part of a program with errors.
    pub fn is_part(&self) -> bool {
        self.holes >= PART
    }

    /// Returns whether the program is lowered: it has no errors, or these become holes.
    pub fn lowers(&self) -> bool {
        !self.stopped() && (self.errors == 0 || self.holes != 0)
    }
}
