//! Answers about the structure of documents: what can be folded, selected from inside out, found by name, and opened from
//! comments.

use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;

use serde_json::{Value, json};

use super::answers::outline;
use super::document::Document;
use super::positions::Position;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

/// Returns the blocks and the comments of several lines. The last line of a block, with its `}`, stays visible.
pub fn foldings(document: &Document) -> Vec<Value> {
    let (view, positions) = (document.program.view(), &document.positions);
    let line = |byte: usize| positions.position(byte).line;
    let block = |t| {
        let span = view.extent_span(t).filter(|_| view.role(t) == Role::Block)?;
        let (start, end) = (line(span.start), line(span.end).saturating_sub(1));
        (end > start).then(|| json!({ "startLine": start, "endLine": end }))
    };
    let mut found: Vec<Value> = view.nodes().filter_map(block).collect();
    let mut runs: Vec<Range<u32>> = Vec::new();
    for comment in comments(document).into_iter().filter(|comment| is_whole_line(&document.text, comment)) {
        let line = line(comment.start);
        match runs.last_mut().filter(|run| run.end == line) {
            Some(run) => run.end += 1,
            None => runs.push(line..line + 1),
        }
    }
    let folds = runs.into_iter().filter(|run| run.len() > 1);
    found.extend(folds.map(|run| json!({ "startLine": run.start, "endLine": run.end - 1, "kind": "comment" })));
    found
}

/// Returns the ranges around each position, from the token to the whole text, each the parent of the one before it.
pub fn selections(document: &Document, positions: &[Position]) -> Vec<Value> {
    let view = document.program.view();
    let extents: Vec<Range<usize>> = view.nodes().filter_map(|t| view.extent_span(t)).collect();
    let around = |position: &Position| {
        let byte = document.positions.byte(*position);
        let holds = |range: &&Range<usize>| range.start <= byte && byte <= range.end;
        let mut ranges: Vec<Range<usize>> = extents.iter().filter(holds).cloned().collect();
        ranges.extend(view.token_at(byte).and_then(|t| view.span(t)));
        ranges.push(0..document.text.len());
        ranges.sort_by_key(|range| std::cmp::Reverse(range.len()));
        ranges.dedup();
        // Of two neighbours that meet at the position, the one that is found first counts.
        let mut nested: Vec<Range<usize>> = Vec::new();
        for range in ranges {
            if nested.last().is_none_or(|outer| outer.start <= range.start && range.end <= outer.end) {
                nested.push(range);
            }
        }
        nested.into_iter().fold(Value::Null, |parent, range| {
            let range = document.positions.range(&range);
            if parent.is_null() {
                json!({ "range": range })
            } else {
                json!({ "range": range, "parent": parent })
            }
        })
    };
    positions.iter().map(around).collect()
}

/// Returns the functions, constants, tests and properties of the open documents whose names contain a query's letters in
/// order.
pub fn workspace(documents: &HashMap<String, Document>, query: &str) -> Vec<Value> {
    let mut uris: Vec<&String> = documents.keys().collect();
    uris.sort();
    let of = |uri: &String| {
        let symbols = outline(&documents[uri]).into_iter();
        let found = symbols.filter(|symbol| symbol["name"].as_str().is_some_and(|name| is_like(query, name)));
        let named = |symbol: Value| {
            json!({
                "name": symbol["name"],
                "kind": symbol["kind"],
                "location": { "uri": uri, "range": symbol["selectionRange"] },
            })
        };
        found.map(named).collect::<Vec<_>>()
    };
    uris.into_iter().flat_map(of).collect()
}

fn is_like(query: &str, name: &str) -> bool {
    let mut letters = name.chars().flat_map(char::to_lowercase);
    query.chars().flat_map(char::to_lowercase).all(|wanted| letters.any(|letter| letter == wanted))
}

/// Returns the links in comments: addresses of the web, and files next to the document.
pub fn links(document: &Document, uri: &str) -> Vec<Value> {
    let link = |bytes: Range<usize>| {
        let word = &document.text[bytes.clone()];
        let target = if word.starts_with("http://") || word.starts_with("https://") {
            word.to_string()
        } else {
            let folder = uri.rsplit_once('/')?.0;
            let path = Path::new(folder.strip_prefix("file://")?).join(word);
            let is_file = word.contains('.') && !word.contains(['%', '?', '#']) && path.is_file();
            is_file.then(|| format!("{folder}/{word}"))?
        };
        Some(json!({ "range": document.positions.range(&bytes), "target": target }))
    };
    comments(document).into_iter().flat_map(|comment| words(&document.text, comment)).filter_map(link).collect()
}

/// Returns the words of a comment, without brackets and marks around them.
fn words(text: &str, comment: Range<usize>) -> Vec<Range<usize>> {
    let inside = &text[comment.clone()];
    let place = |word: &str| word.as_ptr() as usize - inside.as_ptr() as usize + comment.start;
    let bare = |word: &str| {
        let start = word.trim_start_matches(['(', '<', '`', '"', '\'', '[']);
        let word = start.trim_end_matches([')', '>', '`', '"', '\'', ']', '.', ',', ';', ':', '!', '?']);
        place(start)..place(start) + word.len()
    };
    inside.split_whitespace().map(bare).filter(|bytes| !bytes.is_empty()).collect()
}

/// Returns the comments, each from its `//` to the end of its line.
fn comments(document: &Document) -> Vec<Range<usize>> {
    let view = document.program.view();
    let quoted = |t: &_| matches!(view.kind(*t), TokenKind::Str | TokenKind::Char);
    let quotes: Vec<Range<usize>> = view.all().iter().filter(quoted).filter_map(|t| view.span(t)).collect();
    let text = &*document.text;
    let mut found = Vec::new();
    let mut from = 0;
    while let Some(at) = text[from..].find("//").map(|at| from + at) {
        let quote = quotes.partition_point(|quote| quote.end <= at);
        if let Some(quote) = quotes.get(quote).filter(|quote| quote.start < at) {
            from = quote.end;
            continue;
        }
        let end = text[at..].find('\n').map_or(text.len(), |end| at + end);
        found.push(at..end);
        from = end;
    }
    found
}

/// Returns whether only blanks come before a comment in its line.
fn is_whole_line(text: &str, comment: &Range<usize>) -> bool {
    let start = text[..comment.start].rfind('\n').map_or(0, |at| at + 1);
    text[start..comment.start].trim().is_empty()
}
