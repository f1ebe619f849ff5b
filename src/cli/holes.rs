//! Messages of commands about programs that are not finished: those with `?`.

use super::FileReport;
use super::exit::{Exit, Failure};
use super::input::InputSource;
use crate::compiler::program::Compiled;
use crate::lang::index::{Index, RoutineId, TokenId};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::report::places::Lines;

/// Advice about a `?`.
pub const FILL: &str = "write an expression in its place; `myriad check` lists all holes";
/// Advice about a hole that an error leaves.
const MEND: &str = "fix the error; `myriad check --partial` lists all that errors leave out";

/// Returns advice about a hole.
pub fn advice(program: &Compiled, hole: TokenId) -> &'static str {
    if program.view().is(hole, Role::Hole) { FILL } else { MEND }
}

/// Returns the place of a token, counted from 1.
pub fn place(program: &Compiled, hole: TokenId) -> (u32, u32) {
    let span = program.view().span(hole).unwrap_or_default();
    let place = Lines::new(&program.text).place(span.start);
    (place.line, place.column)
}

/// Returns the place of a hole in words.
pub fn at(program: &Compiled, hole: TokenId) -> String {
    let (line, column) = place(program, hole);
    let what = if program.view().is(hole, Role::Hole) { "`?`" } else { "error" };
    format!("the {what} on line {line}, column {column}")
}

/// A hole in a document: a `?` with its type, or what an error leaves out.
#[derive(serde::Serialize)]
pub struct HoleRow {
    line: u32,
    column: u32,
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    ty: Option<String>,
}

impl std::fmt::Display for HoleRow {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let HoleRow { line, column, ty } = self;
        match ty {
            Some(ty) => write!(f, "{line}:{column}: a hole of type {ty}"),
            None => write!(f, "{line}:{column}: a hole, because of an error"),
        }
    }
}

/// Returns the holes of a program in the order of the text. It has those of errors only if these become holes.
pub fn all(program: &Compiled) -> Vec<HoleRow> {
    let (view, code) = (program.view(), &program.lowered);
    let made = { code.op.iter().zip(&code.token) }.filter(|(op, _)| **op == Op::Hole as u32);
    let mut tokens: Vec<TokenId> = made.map(|(_, token)| TokenId::new(*token)).chain(view.holes()).collect();
    tokens.sort_unstable();
    tokens.dedup();
    let row = |hole: TokenId| {
        let (line, column) = place(program, hole);
        let ty = view.is(hole, Role::Hole).then(|| view.ty(hole).to_string());
        HoleRow { line, column, ty }
    };
    tokens.into_iter().map(row).collect()
}

/// Returns the first hole that a call of a routine may arrive at.
pub fn reached(program: &Compiled, routine: RoutineId) -> Option<TokenId> {
    let (own, mut routines) = (program.program(), vec![routine]);
    let mut at = 0;
    while let Some(routine) = routines.get(at).and_then(|routine| program.executable.routine(*routine)) {
        at += 1;
        for t in own.extent(routine.head()).iter() {
            match own.role(t) {
                Role::Hole => return Some(t),
                Role::Call => {
                    let callee =
                        own.callee(t).map(|callee| callee.id).filter(|callee| !routines.contains(callee));
                    routines.extend(callee);
                }
                _ => {}
            }
        }
    }
    None
}

impl FileReport {
    /// Records a failure if a call of some routine may arrive at a hole.
    pub fn refuse_holes(
        &mut self,
        source: &InputSource,
        program: &Compiled,
        routines: impl FnOnce() -> Result<Vec<RoutineId>, Failure>,
    ) -> Result<(), Failure> {
        if self.exit == Exit::Good && program.view().holes().next().is_some() {
            let hole = routines()?.into_iter().find_map(|routine| reached(program, routine));
            self.refuse_hole(source, program, hole);
        }
        Ok(())
    }

    /// Records a failure if the program has a hole. Returns whether it has one.
    pub fn refuse_any_hole(&mut self, source: &InputSource, program: &Compiled) -> bool {
        let hole = program.view().holes().next().filter(|_| self.exit == Exit::Good);
        self.refuse_hole(source, program, hole);
        hole.is_some()
    }

    fn refuse_hole(&mut self, source: &InputSource, program: &Compiled, hole: Option<TokenId>) {
        if let Some(hole) = hole {
            self.add_failure(format!("{} is not finished: {}", source.shown(), at(program, hole)), FILL);
        }
    }
}
