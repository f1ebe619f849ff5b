//! Looks up the function that contains a position.

use std::ops::Range;

use crate::compiler::program::Routine;
use crate::lang::index::{RoutineId, TokenId};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::ty::Type;
use crate::workbench::results::Shown;

impl Shown {
    /// Returns the functions, each with its source bytes, from `fn` to the closing brace.
    fn functions(&self) -> impl Iterator<Item = (RoutineId, Range<usize>)> {
        let functions = self.compiled.executable.routines().take(self.compiled.facts.functions as usize);
        functions.filter_map(|function| Some((function.id, self.extent(function.head())?)))
    }

    pub fn function_of(&self, token: TokenId) -> Option<RoutineId> {
        let span = self.span(token)?;
        self.functions().find(|(_, extent)| extent.contains(&span.start)).map(|(function, _)| function)
    }

    /// Returns the index of the function, test or property that contains a token.
    pub fn routine_of(&self, token: TokenId) -> Option<usize> {
        let head = |routine: &Routine| self.compiled.view().extent(routine.head()).contains(token);
        self.compiled.executable.routines().position(|routine| head(&routine))
    }

    /// Returns the index of the function, test or property that contains a byte.
    pub fn routine_at(&self, byte: usize) -> Option<usize> {
        let holds = |routine: &Routine| {
            self.extent(routine.head()).is_some_and(|extent| (extent.start..=extent.end).contains(&byte))
        };
        self.compiled.executable.routines().position(|routine| holds(&routine))
    }

    /// Returns the number of routines whose code comes before that of a routine.
    pub fn order_of_routine(&self, routine: usize) -> usize {
        let tokens = &self.compiled.executable.routines.token;
        let own = tokens.get(routine).copied().unwrap_or_default();
        tokens.iter().filter(|other| **other < own).count()
    }

    /// Returns the index of the routine whose code comes after that of `before` others.
    pub fn routine_in_order(&self, before: usize) -> Option<usize> {
        let tokens = &self.compiled.executable.routines.token;
        (0..tokens.len()).find(|routine| self.order_of_routine(*routine) == before)
    }

    /// Returns a routine's name as a heading: `fn gcd`, `test "coprime"`.
    pub fn routine_name(&self, routine: usize) -> String {
        let all = self.compiled.executable.routines();
        let functions = self.compiled.facts.functions as usize;
        match { all }.nth(routine) {
            Some(own) if routine < functions => format!("`{}`", self.function_name(own.id)),
            Some(_) => format!("`{}`", self.labels.get(routine - functions).map_or("", String::as_str)),
            None => "this code".to_string(),
        }
    }

    /// Returns the function that contains a byte; between two adjacent functions, the second.
    pub fn function_at(&self, byte: usize) -> Option<RoutineId> {
        let holding = self.functions().filter(|(_, extent)| extent.start <= byte && byte <= extent.end);
        holding.max_by_key(|(_, extent)| extent.start).map(|(function, _)| function)
    }

    /// Returns the function that encloses a byte range.
    pub fn function_around(&self, bytes: Range<usize>) -> Option<RoutineId> {
        let mut around = self.functions().filter(|(_, e)| e.start < bytes.start && bytes.end < e.end);
        around.next().map(|(function, _)| function)
    }

    /// Returns the function that the statement with an error at a token calls, if it does not exist or has an error in its
    /// header.
    pub fn awaited(&self, hole: TokenId) -> Option<&str> {
        let view = self.compiled.view();
        let is_whole = |function: Routine| function.words().first() != Some(&(Op::Hole as u32));
        let is_missing = |call: &TokenId| match view.declaration(*call) {
            Some(name) => !self.compiled.program().function_named_at(name).is_none_or(is_whole),
            None => view.ty(*call) == Type::UNKNOWN,
        };
        let mut own = view.rest_of_statement(hole);
        let call = own.find(|token| view.is(*token, Role::Call) && is_missing(token))?;
        Some(view.text(call))
    }

    pub fn function_name(&self, function: RoutineId) -> String {
        self.compiled.function_name(function).to_string()
    }
}
