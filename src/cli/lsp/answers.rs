//! Answers about names, types and layout, from the program of one document.

use std::ops::Range;

use serde_json::{Value, json};

use super::document::Document;
use super::positions::{Position, PositionRange};
use crate::lang::index::TokenId;
use crate::lang::role::Role;
use crate::lang::token::{TokenKind, spellings};
use crate::report::format::format;
use crate::report::symbols::{self, Expected, SymbolKind};

// The protocol's numbers of what completes a name, and of what an outline has.
const FUNCTION: u32 = 3;
const VARIABLE: u32 = 6;
const KEYWORD: u32 = 14;
const CONSTANT: u32 = 21;
const OUTLINED_FUNCTION: u32 = 12;
const OUTLINED_CONSTANT: u32 = 14;
const OUTLINED_EVENT: u32 = 24;

/// Returns what the name or expression at a position is: its declaration and comment, or its type.
pub fn hover(document: &Document, position: Position) -> Option<Value> {
    let view = document.program.view();
    let t = document.token(position)?;
    let text = match symbols::declaration(view, t) {
        Some(declared) => {
            let comment = symbols::comment(view, declared);
            format!("```myriad\n{}\n```\n{comment}", symbols::signature(view, declared)?)
        }
        None => match symbols::builtin(view.text(t)).filter(|_| symbols::is_call(view, t)) {
            Some(builtin) => format!("```myriad\n{}\n```\n{}", builtin.signature, builtin.does),
            None if view.role(t).is_expression() => format!("`{}`", view.ty(t)),
            None => return None,
        },
    };
    let contents = json!({ "kind": "markdown", "value": text.trim_end() });
    Some(json!({ "contents": contents, "range": range(document, t)? }))
}

fn range(document: &Document, t: TokenId) -> Option<PositionRange> {
    Some(document.positions.range(&document.program.view().span(t)?))
}

/// Returns the tokens of the name at a position: its declaration and its uses.
fn uses(document: &Document, position: Position) -> Vec<TokenId> {
    let view = document.program.view();
    let declared = document.token(position).and_then(|t| symbols::declaration(view, t));
    declared.map_or(Vec::new(), |declared| symbols::uses(view, declared))
}

pub fn definition(document: &Document, uri: &str, position: Position) -> Option<Value> {
    let declared = symbols::declaration(document.program.view(), document.token(position)?)?;
    Some(json!({ "uri": uri, "range": range(document, declared)? }))
}

pub fn references(document: &Document, uri: &str, position: Position, with_declaration: bool) -> Vec<Value> {
    let declares = |t: &TokenId| document.program.view().role(*t).declares();
    let found = uses(document, position).into_iter().filter(|t| with_declaration || !declares(t));
    found.filter_map(|t| Some(json!({ "uri": uri, "range": range(document, t)? }))).collect()
}

pub fn highlights(document: &Document, position: Position) -> Vec<Value> {
    let found = uses(document, position).into_iter().filter_map(|t| range(document, t));
    found.map(|range| json!({ "range": range })).collect()
}

/// Returns the range of the name at a position, if it can be renamed.
pub fn renamable(document: &Document, position: Position) -> Option<PositionRange> {
    let t = document.token(position)?;
    symbols::declaration(document.program.view(), t).and_then(|_| range(document, t))
}

/// Renames the name at a position.
///
/// # Errors
/// See [`symbols::rename`].
pub fn rename(document: &Document, uri: &str, position: Position, name: &str) -> Result<Value, String> {
    let t = document.token(position).ok_or("there is no name here")?;
    let renamed = symbols::rename(&document.program, t, name)?;
    let edits = renamed.places.into_iter().map(|place| (place, name.to_string())).collect();
    Ok(edit(document, uri, edits))
}

/// Returns an edit of the document, with its line ends.
pub fn edit(document: &Document, uri: &str, changes: Vec<(Range<usize>, String)>) -> Value {
    let ends_lines = |text: String| match document.text.contains("\r\n") {
        true => text.replace("\r\n", "\n").replace('\n', "\r\n"),
        false => text,
    };
    let changes = changes.into_iter().map(|(bytes, text)| (bytes, ends_lines(text)));
    let edits: Vec<Value> = changes.map(|(bytes, text)| text_edit(document, &bytes, &text)).collect();
    json!({ "changes": { uri: edits } })
}

fn text_edit(document: &Document, bytes: &Range<usize>, text: &str) -> Value {
    json!({ "range": document.positions.range(bytes), "newText": text })
}

/// Returns the edit that lays out the text, `None` if it has lexical or syntax errors.
pub fn formatting(document: &Document) -> Option<Vec<Value>> {
    let (old, new) = (&*document.text, format(&document.text)?);
    if old == new {
        return Some(Vec::new());
    }
    Some(vec![text_edit(document, &(0..old.len()), &new)])
}

/// Returns the names in scope at a position, nearest first, then built-ins and keywords, if they may stand there; nothing in
/// comments, strings and labels.
pub fn completion(document: &Document, position: Position) -> Vec<Value> {
    let view = document.program.view();
    let byte = document.positions.byte(position);
    if is_prose(document, byte) {
        return Vec::new();
    }
    let name = |t: TokenId| {
        let kind = match symbols::kind(view, t)? {
            SymbolKind::Function => FUNCTION,
            SymbolKind::Constant => CONSTANT,
            _ => VARIABLE,
        };
        let comment = Some(symbols::comment(view, t)).filter(|comment| !comment.is_empty());
        let label = view.text(t);
        Some(
            json!({ "label": label, "kind": kind, "detail": symbols::signature(view, t), "documentation": comment }),
        )
    };
    let builtin = |of: symbols::Builtin| json!({ "label": of.name, "kind": FUNCTION, "detail": of.signature, "documentation": of.does });
    let before = document.text[..byte].trim_end_matches(|c: char| c == '_' || c.is_ascii_alphanumeric());
    let expected = Expected::after(before);
    let keyword = |(spelling, _): (&str, TokenKind)| json!({ "label": spelling, "kind": KEYWORD });
    let names = symbols::in_scope(view, byte).into_iter().filter_map(name);
    let names = names.chain(symbols::builtins().map(builtin)).filter(|_| expected.has_names());
    let keywords = spellings().filter(|(spelling, _)| expected.has_keyword(spelling)).map(keyword);
    let items = names.chain(keywords);
    let placed = items.enumerate().map(|(place, mut item)| {
        // Clients sort by name otherwise.
        item["sortText"] = format!("{place:04}").into();
        without_nulls(item)
    });
    placed.collect()
}

/// Removes the fields of an object that are null: the protocol has optional fields instead.
fn without_nulls(mut object: Value) -> Value {
    if let Value::Object(fields) = &mut object {
        fields.retain(|_, value| !value.is_null());
    }
    object
}

/// Returns the header of the function whose call contains a position, and the index of the parameter there. `offsets` says
/// whether the client takes a parameter as two offsets into the header; they are text otherwise.
pub fn signature(document: &Document, position: Position, offsets: bool) -> Option<Value> {
    let (view, byte) = (document.program.view(), document.positions.byte(position));
    let call = symbols::call_around(view, byte).filter(|_| !is_prose(document, byte))?;
    let (header, about) = symbols::called(view, call.name)?;
    let start = header.find('(')? + 1;
    let inside = header.get(start..header.rfind(')')?)?;
    let mut from = start;
    let parameters = inside.split(", ").filter(|parameter| !parameter.is_empty()).map(|parameter| {
        let range = [from, from + parameter.len()];
        from = range[1] + 2;
        json!({ "label": if offsets { json!(range) } else { json!(parameter) } })
    });
    let parameters: Vec<Value> = parameters.collect();
    let about = Some(about).filter(|about| !about.is_empty());
    let signature = json!({ "label": header, "documentation": about, "parameters": parameters });
    Some(json!({
        "signatures": [without_nulls(signature)],
        "activeSignature": 0,
        "activeParameter": call.argument,
    }))
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
pub fn outline(document: &Document) -> Vec<Value> {
    let (view, positions) = (document.program.view(), &document.positions);
    let item = |t: TokenId| {
        let (kind, name) = match view.role(t) {
            // In broken text, an item can have no name.
            Role::Fn if view.is(t + 1, Role::FnName) => (OUTLINED_FUNCTION, t + 1),
            Role::Const if view.is(t + 1, Role::ConstName) => (OUTLINED_CONSTANT, t + 1),
            Role::Test | Role::Prop => (OUTLINED_EVENT, t),
            _ => return None,
        };
        let (selection, extent) = (view.span(name)?, view.extent_span(t)?);
        let label = match kind {
            OUTLINED_EVENT => view.source.get(extent.clone())?.lines().next()?,
            _ => view.text(name),
        };
        let symbol = json!({
            "name": label,
            "detail": symbols::signature(view, name),
            "kind": kind,
            "range": positions.range(&extent),
            "selectionRange": positions.range(&selection),
        });
        Some(without_nulls(symbol)).filter(|_| !label.is_empty())
    };
    view.nodes().filter_map(item).collect()
}
