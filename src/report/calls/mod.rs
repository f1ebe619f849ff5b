//! The call graph of a program: as rows for JSON, as an indented tree, and as a graph for Graphviz. Calls are those of the
//! source. Effects are those that flow finds in the code as lowered, before the optimizer moves code between functions.

mod dot;
mod tree;

use serde::Serialize;

use super::cfg::Effects;
use super::document::Span;
use super::listing;
use super::places::Lines;
use crate::compiler::program::Compiled;
use crate::compiler::stage::flow::Flow;
use crate::lang::index::{Index, TokenId};
use crate::lang::role::Role;
pub use dot::dot;
pub use tree::{TreeMark, TreeRow, page, tree};

/// A function, test or property, in the order of the source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CallRow {
    /// The item as in the source: `fn gcd`, `test "coprime"`.
    pub routine: String,
    /// Whether it is a function; tests and properties cannot be called.
    #[serde(skip)]
    pub is_function: bool,
    #[serde(flatten)]
    pub effects: Effects,
    /// The functions that it calls, in the order of the first call.
    pub calls: Vec<ReportCallee>,
    /// The items that call it.
    pub called_by: Vec<String>,
    pub token: TokenId,
    #[serde(flatten)]
    pub span: Span,
}

/// A function that another routine calls.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReportCallee {
    pub routine: String,
    /// Its index among the rows.
    #[serde(skip)]
    pub row: usize,
    /// Whether it may call the caller again.
    pub recursive: bool,
    pub sites: Vec<ReportSite>,
}

/// A call in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct ReportSite {
    pub token: TokenId,
    #[serde(flatten)]
    pub span: Span,
}

/// Returns the routines of a program with their calls. `flow` is that of the code as lowered.
pub fn rows(program: &Compiled, flow: &Flow) -> Vec<CallRow> {
    let (view, lines) = (program.view(), Lines::new(&program.text));
    let known = program.executable.routines.token.len().min(flow.calls.recursive.len());
    let mut order: Vec<usize> = (0..known).collect();
    order.sort_by_key(|routine| program.executable.routines.token[*routine]);
    let row_of = |routine: usize| order.iter().position(|own| *own == routine);
    let heads: Vec<TokenId> =
        order.iter().map(|own| TokenId::new(program.executable.routines.token[*own])).collect();
    let names: Vec<String> = heads.iter().map(|head| listing::heading(program, *head)).collect();
    let span = |token: TokenId| lines.span(view.span(token).unwrap_or_default());
    let functions = program.facts.functions as usize;
    let mut rows: Vec<CallRow> = Vec::with_capacity(known);
    for (routine, head) in order.iter().zip(&heads) {
        let mut calls: Vec<ReportCallee> = Vec::new();
        for token in view.extent(*head).iter().filter(|t| view.is(*t, Role::Call)) {
            let callee = program.program().callee(token).and_then(|callee| row_of(callee.id.position()));
            let Some(row) = callee else { continue };
            let site = ReportSite { token, span: span(token) };
            match calls.iter_mut().find(|own| own.row == row) {
                Some(own) => own.sites.push(site),
                None => calls.push(ReportCallee {
                    routine: names[row].clone(),
                    row,
                    recursive: false,
                    sites: vec![site],
                }),
            }
        }
        rows.push(CallRow {
            routine: names[rows.len()].clone(),
            is_function: *routine < functions,
            effects: Effects::of(flow, *routine),
            calls,
            called_by: Vec::new(),
            token: *head,
            span: span(*head),
        });
    }
    link(&mut rows);
    rows
}

/// Fills in the callers, and which calls are recursive.
fn link(rows: &mut [CallRow]) {
    let edges: Vec<Vec<usize>> =
        rows.iter().map(|row| row.calls.iter().map(|callee| callee.row).collect()).collect();
    for (caller, callees) in edges.iter().enumerate() {
        for callee in callees {
            let name = rows[caller].routine.clone();
            rows[*callee].called_by.push(name);
        }
    }
    for callee in 0..rows.len() {
        if !rows[callee].effects.recursive {
            continue;
        }
        let reached = reached_from(callee, &edges);
        for (caller, row) in rows.iter_mut().enumerate().filter(|(caller, _)| reached[*caller]) {
            let back = row
                .calls
                .iter_mut()
                .filter(|own| own.row == callee && (row.effects.recursive || caller == callee));
            back.for_each(|own| own.recursive = true);
        }
    }
}

/// Returns which rows a row reaches by one call or more.
fn reached_from(row: usize, edges: &[Vec<usize>]) -> Vec<bool> {
    let mut reached = vec![false; edges.len()];
    let mut open = edges[row].clone();
    while let Some(next) = open.pop() {
        if !std::mem::replace(&mut reached[next], true) {
            open.extend(&edges[next]);
        }
    }
    reached
}

impl CallRow {
    /// Describes what a call may do, in a few words.
    pub fn effects(&self) -> String {
        let bounds = match (self.effects.recursive, self.effects.depth) {
            (true, _) => "recursive".to_string(),
            (_, Some(0)) => "calls nothing".to_string(),
            (_, Some(depth)) => format!("{depth} deep"),
            _ => "reaches recursion".to_string(),
        };
        format!("{}, {bounds}", if self.effects.traps { "may trap" } else { "traps only at limits" })
    }
}
