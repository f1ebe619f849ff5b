//! Diagnostics drawn for a person: the source, carets under it, and help.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::diagnostics::Diagnostic;
use super::visible::{Excerpt, visible};

/// Of a line of more bytes than that only a part is drawn, so that thousands of findings on one line are drawn soon.
const LONG: usize = 4_096;
/// Bytes of it on either side of what is pointed at.
const KEPT: usize = 512;
/// Stands where it is cut.
const CUT: &str = "…";

/// Draws diagnostics one below the other, each ended by a blank line. `colours` allows escape sequences; none comes from a name or a text.
pub fn draw(name: &str, text: &str, diagnostics: &[Diagnostic], colours: bool) -> String {
    let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
    let name = visible(name);
    let mut out = String::new();
    for diagnostic in diagnostics {
        let (group, column) = group(&name, text, diagnostic);
        let drawn = renderer.render(&[group]);
        out.push_str(&at_column(drawn, column, diagnostic.start.column as usize));
        out.push_str("\n\n");
    }
    out
}

/// With the column of the file behind the name, for a placeholder is longer than what it stands for.
fn at_column(drawn: String, shown: usize, column: usize) -> String {
    // The name stands on the second line, with its place at the end.
    let from = drawn.find('\n').map_or(drawn.len(), |at| at + 1);
    let end = drawn[from..].find('\n').map_or(drawn.len(), |at| from + at);
    match drawn[from..end].rfind(&format!(":{shown}")).filter(|_| shown != column) {
        Some(at) => {
            let place = from + at + 1;
            format!("{}{column}{}", &drawn[..place], &drawn[place + shown.to_string().len()..])
        }
        None => drawn,
    }
}

/// What is drawn of a diagnostic, and the column where it begins there. Only the lines that it speaks of are handed on: drawing stays cheap
/// in a large file with many findings.
fn group<'a>(name: &'a str, text: &str, diagnostic: &Diagnostic) -> (Group<'a>, usize) {
    let mut primary = within(text, &diagnostic.span);
    let mut secondary = diagnostic.secondary.as_ref().map(|(span, label)| (within(text, span), label));
    let mut shown = primary.clone();
    if let Some((span, _)) = &secondary {
        shown = shown.start.min(span.start)..shown.end.max(span.end);
    }
    let mut window = lines_around(text, &shown);
    let (mut behind, mut before) = ("", "");
    if text[window.clone()].split('\n').any(|line| line.len() > LONG) {
        secondary = None;
        primary.end = floor(text, primary.end.min(primary.start + KEPT));
        let line = lines_around(text, &primary);
        window = floor(text, line.start.max(primary.start.saturating_sub(KEPT)))
            ..floor(text, line.end.min(primary.end + KEPT));
        behind = if window.start > line.start { CUT } else { "" };
        before = if window.end < line.end { CUT } else { "" };
    }
    let excerpt = Excerpt::new(&format!("{behind}{}{before}", &text[window.clone()]));
    let place = |at: usize| excerpt.place(behind.len() + at - window.start);
    let moved = |span: &Range<usize>| place(span.start)..place(span.end);

    let ahead = &excerpt.text[..place(primary.start)];
    let column = ahead[ahead.rfind('\n').map_or(0, |at| at + 1)..].chars().count() + 1;
    let mut snippet = Snippet::source(excerpt.text.clone())
        .path(name)
        .line_start(1 + text[..window.start].matches('\n').count())
        .annotation(AnnotationKind::Primary.span(moved(&primary)));
    if let Some((span, label)) = &secondary {
        snippet = snippet.annotation(AnnotationKind::Context.span(moved(span)).label(visible(label)));
    }
    let level = if diagnostic.code.is_error() { Level::ERROR } else { Level::WARNING };
    let mut group =
        level.primary_title(visible(&diagnostic.message)).id(diagnostic.code.code()).element(snippet);
    if let Some(help) = &diagnostic.help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    (group, column)
}

/// The span moved onto the text's characters, which a byte order mark is none of.
fn within(text: &str, span: &Range<usize>) -> Range<usize> {
    let first = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let start = floor(text, span.start.clamp(first, text.len().max(first)));
    start..floor(text, span.end.min(text.len())).max(start)
}

fn floor(text: &str, mut at: usize) -> usize {
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// The whole lines that a span touches, without a byte order mark.
fn lines_around(text: &str, span: &Range<usize>) -> Range<usize> {
    let first = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let start = text[..span.start].rfind('\n').map_or(0, |at| at + 1).max(first);
    let end = text[span.end..].find('\n').map_or(text.len(), |at| span.end + at + 1);
    start..end
}
