//! Prints the output of the stages as text (`myriad stages`).

use std::fmt::Write;

use super::document::Span;
use super::stages::{NodeRow, StageRows};
use super::visible;
use crate::lang::index::Index;

/// Maximum indentation; deeper nodes show their depth as a number.
const INDENTED: usize = 24;

/// Lists the tokens, one per line.
pub fn tokens(rows: &StageRows) -> String {
    let mut page = String::new();
    for row in rows.tokens() {
        let _ = writeln!(page, "{:6}  {:>8}  {:<16} {}", row.index, place(row.span), row.kind, short(row.text));
    }
    page
}

/// Prints the syntax tree, with children indented below their parents.
pub fn ast(rows: &StageRows) -> String {
    let (nodes, tokens) = (rows.ast(), rows.tokens());
    let mut by_token: Vec<Option<&NodeRow>> = vec![None; tokens.len() + 1];
    for node in &nodes {
        if let Some(entry) = by_token.get_mut(node.token.position()) {
            *entry = Some(node);
        }
    }
    let mut page = String::new();
    // An explicit stack, since trees may be thousands of levels deep.
    let mut open: Vec<(&NodeRow, usize)> =
        nodes.iter().filter(|n| n.parent.is_none()).map(|n| (n, 0)).rev().collect();
    while let Some((node, depth)) = open.pop() {
        let indent = "  ".repeat(depth.min(INDENTED));
        let deeper = if depth > INDENTED { format!("({depth}) ") } else { String::new() };
        let text = tokens.get(node.token.position()).map_or("", |token| token.text);
        let _ = writeln!(
            page,
            "{:6}  {:>8}  {indent}{deeper}{} {}",
            node.token,
            place(node.span),
            node.kind,
            short(text)
        );
        let children =
            node.children.iter().rev().filter_map(|child| by_token.get(child.position()).copied().flatten());
        open.extend(children.map(|child| (child, depth + 1)));
    }
    page
}

/// Lists the types of nodes, one per line.
pub fn types(rows: &StageRows) -> String {
    let tokens = rows.tokens();
    let mut page = String::new();
    for row in rows.types() {
        let text = tokens.get(row.token.position()).map_or("", |token| token.text);
        let _ = writeln!(page, "{:6}  {:>8}  {:<12} {}", row.token, place(row.span), row.ty, short(text));
    }
    page
}

fn place(span: Span) -> String {
    format!("{}:{}", span.line, span.column)
}

/// Escapes text and shortens it to fit a line.
fn short(text: &str) -> String {
    let mut out = visible::visible(&text.chars().take(60).collect::<String>());
    if text.chars().nth(60).is_some() {
        out.push('…');
    }
    out
}
