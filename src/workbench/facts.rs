//! Facts about a compiled program that several panels show, gathered from the stages' columns and from the
//! modules that own the wording.

use std::sync::Arc;

use crate::compiler::program::{Compiled, Routine, View};
use crate::compiler::stage::optimize::Snapshot;
use crate::compiler::variants::{VariantChange, Variants};
use crate::engine::EntryResult;
use crate::engine::explain::{Explanation, Value, explain};
use crate::lang::index::{EntryId, Index, MutantId, TokenId};
use crate::lang::role::Role;
use crate::report::listing;
use crate::testing::trace::cause_of_trap;
use crate::workbench::listing::Listing;

/// One replacement that a mutant makes, with byte offsets into the compiled text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactSite {
    pub token: TokenId,
    pub lo: u32,
    pub original: String,
    pub replacement: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactMutant {
    pub operator: String,
    pub edits: Vec<FactSite>,
}

/// The IR after one pass of the optimizer.
#[derive(Clone, Debug)]
pub struct Pass {
    /// The pass's number and name.
    pub name: String,
    pub rows: Listing,
}

/// The values of a failing test.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EntryDetail {
    pub left: Option<String>,
    pub right: Option<String>,
    /// The bound variables' values, by name, shrunk.
    pub counterexample: Vec<(String, String)>,
    /// The cause of a trap, if single values are the cause.
    pub cause: Option<String>,
}

pub fn mutant(variants: &Variants<Arc<Compiled>>, text: &str, id: MutantId) -> Option<FactMutant> {
    let found = variants.describe(id)?;
    let operator = found.operator();
    let site = |change: VariantChange| FactSite {
        token: change.site,
        lo: change.lo as u32,
        original: text.get(change.lo..change.hi).unwrap_or("").to_string(),
        replacement: change.replacement,
    };
    Some(FactMutant { operator, edits: found.changes.into_iter().map(site).collect() })
}

/// Returns the label of each test and property: its name, or else its expression as written.
pub fn labels(compiled: &Compiled) -> Vec<String> {
    let view = compiled.view();
    let label = |entry: Routine| match view.child(entry.head(), 0).filter(|t| view.is(*t, Role::Label)) {
        Some(label) => view.text(label).trim_matches('"').to_string(),
        None => view.child(entry.head(), 1).map_or(String::new(), |body| extent_text(view, body)),
    };
    // A test that is being typed has no expression yet.
    let label = |entry: Routine| match label(entry) {
        own if own.is_empty() => format!("line {}", view.line(entry.head())),
        own => own,
    };
    compiled.executable.routines().skip(compiled.facts.functions as usize).map(label).collect()
}

/// Returns the operator of the comparison that a test or property claims, if it claims one.
pub fn comparison(view: View<'_>, head: TokenId) -> Option<&str> {
    let inside = |t: &TokenId| view.child(*t, 0).filter(|_| view.is(*t, Role::Group));
    let claim = std::iter::successors(view.child(head, 1), inside).last()?;
    (view.is(claim, Role::Binary) && view.kind(claim).is_comparison()).then(|| view.text(claim))
}

/// Returns the IR after each pass that changed it. The first of the snapshots is the lowered code.
pub fn passes(compiled: &Compiled, snapshots: &[Snapshot]) -> Vec<Pass> {
    let passes = snapshots.iter().enumerate().skip(1);
    let pass = |(number, Snapshot { name, ir, .. }): (usize, &Snapshot)| Pass {
        name: format!("{number} {name}"),
        rows: Listing::new(listing::ir(compiled, ir)),
    };
    passes.map(pass).collect()
}

/// Returns the tests' results as values, by index. It reruns failed tests and shrinks counterexamples, which
/// is too slow for the drawing thread.
pub fn details(compiled: &Arc<Compiled>, entries: &[EntryResult]) -> Vec<EntryDetail> {
    let own = |(id, result): (EntryId, &EntryResult)| {
        detail(&explain(compiled, id, result), cause_of_trap(compiled, id, result))
    };
    EntryId::all().zip(entries).map(own).collect()
}

/// Converts an explanation's values to text in the language's syntax.
pub fn detail(explained: &Explanation, cause: Option<String>) -> EntryDetail {
    EntryDetail {
        left: explained.left.as_ref().map(Value::to_string),
        right: explained.right.as_ref().map(Value::to_string),
        counterexample: explained.counterexample.iter().map(|(n, v)| (n.clone(), v.to_string())).collect(),
        cause,
    }
}

/// Returns a node's whole extent as written, on one line.
pub fn extent_text(view: View, node: TokenId) -> String {
    let text = view.extent_span(node).and_then(|bytes| view.source.get(bytes)).unwrap_or("");
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
