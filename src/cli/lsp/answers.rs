//! Answers about names, types and layout, from the program of one document.

use std::collections::HashMap;
use std::ops::Range;

use lsp_types::{
    CompletionItem, CompletionItemKind, DocumentHighlight, DocumentSymbol, Hover, HoverContents, Location,
    MarkupContent, MarkupKind, Position, SymbolKind as Shape, TextEdit, Uri, WorkspaceEdit,
};

use super::document::Document;
use crate::lang::index::TokenId;
use crate::lang::role::Role;
use crate::lang::token::{TokenKind, spellings};
use crate::report::format::format;
use crate::report::symbols::{self, SymbolKind};

/// Returns what the name or expression at a position is: its declaration and comment, or its type.
pub fn hover(document: &Document, position: Position) -> Option<Hover> {
    let view = document.program.view();
    let t = document.token(position)?;
    let text = match symbols::declaration(view, t) {
        Some(declared) => {
            let comment = symbols::comment(view, declared);
            format!("```myriad\n{}\n```\n{comment}", symbols::signature(view, declared)?)
        }
        None => match symbols::builtin(view.text(t)).filter(|_| view.is(t, Role::Call)) {
            Some(builtin) => format!("```myriad\n{}\n```\n{}", builtin.signature, builtin.does),
            None if view.role(t).is_expression() => format!("`{}`", view.ty(t)),
            None => return None,
        },
    };
    let contents =
        HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: text.trim_end().into() });
    Some(Hover { contents, range: range(document, t) })
}

/// Returns the range of a token.
fn range(document: &Document, t: TokenId) -> Option<lsp_types::Range> {
    Some(document.positions().range(&document.program.view().span(t)?))
}

/// Returns the tokens of the name at a position: its declaration and its uses.
fn uses(document: &Document, position: Position) -> Vec<TokenId> {
    let view = document.program.view();
    let declared = document.token(position).and_then(|t| symbols::declaration(view, t));
    declared.map_or(Vec::new(), |declared| symbols::uses(view, declared))
}

pub fn definition(document: &Document, uri: &Uri, position: Position) -> Option<Location> {
    let declared = symbols::declaration(document.program.view(), document.token(position)?)?;
    Some(Location::new(uri.clone(), range(document, declared)?))
}

pub fn references(document: &Document, uri: &Uri, position: Position, with_declaration: bool) -> Vec<Location> {
    let declares = |t: &TokenId| document.program.view().role(*t).declares();
    let found = uses(document, position).into_iter().filter(|t| with_declaration || !declares(t));
    found.filter_map(|t| Some(Location::new(uri.clone(), range(document, t)?))).collect()
}

pub fn highlights(document: &Document, position: Position) -> Vec<DocumentHighlight> {
    let found = uses(document, position).into_iter().filter_map(|t| range(document, t));
    found.map(|range| DocumentHighlight { range, kind: None }).collect()
}

/// Returns the range of the name at a position, if it can be renamed.
pub fn renamable(document: &Document, position: Position) -> Option<lsp_types::Range> {
    let t = document.token(position)?;
    symbols::declaration(document.program.view(), t).and_then(|_| range(document, t))
}

/// Renames the name at a position.
///
/// # Errors
/// See [`symbols::rename`].
pub fn rename(document: &Document, uri: &Uri, position: Position, name: &str) -> Result<WorkspaceEdit, String> {
    let t = document.token(position).ok_or("there is no name here")?;
    let renamed = symbols::rename(&document.program, t, name)?;
    let edits = renamed.places.into_iter().map(|place| (place, name.to_string())).collect();
    Ok(edit(document, uri, edits))
}

/// Returns an edit of the document, with its line ends.
pub fn edit(document: &Document, uri: &Uri, changes: Vec<(Range<usize>, String)>) -> WorkspaceEdit {
    let positions = document.positions();
    let ends_lines = |text: String| match document.text.contains("\r\n") {
        true => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => text,
    };
    let changes = changes.into_iter().map(|(bytes, text)| (bytes, ends_lines(text)));
    let edits = changes.map(|(bytes, text)| TextEdit::new(positions.range(&bytes), text)).collect();
    #[allow(clippy::mutable_key_type, reason = "the protocol's type; nothing changes the keys")]
    let changes = HashMap::from([(uri.clone(), edits)]);
    WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() }
}

/// Returns the edit that lays out the text, `None` if it has lexical or syntax errors.
pub fn formatting(document: &Document) -> Option<Vec<TextEdit>> {
    let (old, new) = (&*document.text, format(&document.text)?);
    if old == new {
        return Some(Vec::new());
    }
    Some(vec![TextEdit::new(document.positions().range(&(0..old.len())), new)])
}

/// Returns the names in scope at a position, nearest first, then built-ins and keywords; nothing in comments, strings and
/// labels.
pub fn completion(document: &Document, position: Position) -> Vec<CompletionItem> {
    let view = document.program.view();
    let byte = document.positions().byte(position);
    if is_prose(document, byte) {
        return Vec::new();
    }
    let name = |t: TokenId| {
        let kind = match symbols::kind(view, t)? {
            SymbolKind::Function => CompletionItemKind::FUNCTION,
            SymbolKind::Constant => CompletionItemKind::CONSTANT,
            _ => CompletionItemKind::VARIABLE,
        };
        let documentation = Some(symbols::comment(view, t)).filter(|comment| !comment.is_empty());
        Some(CompletionItem {
            label: view.text(t).into(),
            kind: Some(kind),
            detail: symbols::signature(view, t),
            documentation: documentation.map(lsp_types::Documentation::String),
            ..CompletionItem::default()
        })
    };
    let builtin = |builtin: symbols::Builtin| CompletionItem {
        label: builtin.name.into(),
        kind: Some(CompletionItemKind::FUNCTION),
        detail: Some(builtin.signature.into()),
        documentation: Some(lsp_types::Documentation::String(builtin.does.into())),
        ..CompletionItem::default()
    };
    let is_word = |spelling: &str| spelling.chars().all(|c| c.is_ascii_alphabetic());
    let keyword = |(spelling, _): (&str, TokenKind)| CompletionItem {
        label: spelling.into(),
        kind: Some(CompletionItemKind::KEYWORD),
        ..CompletionItem::default()
    };
    let names = symbols::in_scope(view, byte).into_iter().filter_map(name);
    let keywords = spellings().filter(|(spelling, _)| is_word(spelling)).map(keyword);
    let mut items: Vec<CompletionItem> =
        names.chain(symbols::builtins().map(builtin)).chain(keywords).collect();
    // Clients sort by name otherwise.
    for (place, item) in items.iter_mut().enumerate() {
        item.sort_text = Some(format!("{place:04}"));
    }
    items
}

/// Returns whether a byte is inside of a comment, a string or a label.
fn is_prose(document: &Document, byte: usize) -> bool {
    let view = document.program.view();
    let before = view.all().iter().filter_map(|t| Some((t, view.span(t)?)));
    let Some((t, span)) = before.take_while(|(_, span)| span.start < byte).last() else {
        return document.text[..byte].rsplit('\n').next().is_some_and(|line| line.contains("//"));
    };
    match byte < span.end {
        true => matches!(view.kind(t), TokenKind::Str | TokenKind::Char),
        false => document.text[span.end..byte].rsplit('\n').next().is_some_and(|line| line.contains("//")),
    }
}

/// Returns the functions, constants, tests and properties.
pub fn outline(document: &Document) -> Vec<DocumentSymbol> {
    let (view, positions) = (document.program.view(), document.positions());
    let item = |t: TokenId| {
        let (kind, name) = match view.role(t) {
            Role::Fn => (Shape::FUNCTION, t + 1),
            Role::Const => (Shape::CONSTANT, t + 1),
            Role::Test | Role::Prop => (Shape::EVENT, t),
            _ => return None,
        };
        let selection = view.span(name)?;
        let whole = view.extent_span(t)?;
        // In broken text, the name can be outside of its item.
        let extent = whole.start.min(selection.start)..whole.end.max(selection.end);
        let label = match kind {
            Shape::EVENT => view.source.get(extent.clone())?.lines().next()?.into(),
            _ => view.text(name).into(),
        };
        #[allow(deprecated, reason = "the protocol's type has the field")]
        Some(DocumentSymbol {
            name: label,
            detail: symbols::signature(view, name),
            kind,
            tags: None,
            deprecated: None,
            range: positions.range(&extent),
            selection_range: positions.range(&selection),
            children: None,
        })
    };
    view.nodes().filter_map(item).filter(|symbol| !symbol.name.is_empty()).collect()
}
