//! The names of tests in output.

use crate::compiler::program::{Compiled, Routine};
use crate::lang::index::{EntryId, TokenId};
use crate::lang::role::Role;

/// The words that documents use for a test or property.
#[derive(Debug, Default)]
pub struct Heading {
    pub name: Option<String>,
    /// The name, or else the expression.
    pub title: String,
    pub line: u32,
}

/// Returns the heading of the test or property with this index; an empty one if there is no such entry.
pub fn heading(program: &Compiled, id: EntryId) -> Heading {
    let Some(head) = program.entry(id).map(Routine::head) else { return Heading::default() };
    let name = name_of(program, head);
    let title = name.clone().unwrap_or_else(|| title_of(program, head));
    Heading { name, title, line: program.view().line(head) }
}

/// Returns the text of a test's label, with escapes decoded.
fn name_of(program: &Compiled, head: TokenId) -> Option<String> {
    let view = program.view();
    let label = view.child(head, 0).filter(|child| view.is(*child, Role::Label))?;
    Some(crate::compiler::stage::lex::codes(view.text(label)).filter_map(char::from_u32).collect())
}

/// Returns the expression of a test on one line, with its binders if it has any.
fn title_of(program: &Compiled, head: TokenId) -> String {
    let view = program.view();
    let bytes = view.span(head + 1..view.extent(head).end()).unwrap_or_default();
    let text = program.text.get(bytes).unwrap_or("").trim_end_matches(';');
    let words: Vec<&str> = text.lines().map(str::trim).collect();
    words.join(" ")
}
