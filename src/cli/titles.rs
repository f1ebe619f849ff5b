//! The names of tests in output.

use crate::compiler::program::Compiled;
use crate::lang::role::Role;

/// Returns the text of a test's label, with escapes decoded.
pub fn name_of(program: &Compiled, head: u32) -> Option<String> {
    let view = program.view();
    let label = view.child(head, 0).filter(|child| view.is(*child, Role::Label))?;
    Some(crate::compiler::stage::lex::codes(view.text(label)).filter_map(char::from_u32).collect())
}

/// Returns the expression of a test on one line, with its binders if it has any.
pub fn title_of(program: &Compiled, head: u32) -> String {
    let view = program.view();
    let bytes = view.span(head + 1..view.extent(head).end).unwrap_or_default();
    let text = program.text.get(bytes).unwrap_or("").trim_end_matches(';');
    let words: Vec<&str> = text.lines().map(str::trim).collect();
    words.join(" ")
}
