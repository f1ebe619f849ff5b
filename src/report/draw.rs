//! Draws diagnostics: the source, carets under it, and help.

use std::ops::Range;

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};

use super::diagnostics::Diagnostic;
use super::places::Lines;
use super::visible::{Excerpt, visible};

/// Lines of more bytes are drawn in part, so that thousands of diagnostics on one line are drawn quickly.
const LONG: usize = 4_096;
/// Number of bytes shown on either side of the span in such a line.
const KEPT: usize = 512;
/// Marks a cut.
const CUT: &str = "…";
/// If the second span is further away, in bytes, it is drawn as a separate snippet, so that the cost depends
/// only on the lines shown.
const MAX_SNIPPET: usize = 4_096;

#[derive(Clone, Copy)]
pub struct Note<'a> {
    pub is_error: bool,
    /// The code of a diagnostic; `None` for other messages.
    pub code: Option<&'a str>,
    pub span: &'a Range<usize>,
    /// The column where the span begins, from 1.
    pub column: u32,
    pub message: &'a str,
    pub help: Option<&'a str>,
    /// A second span with its label.
    pub secondary: Option<&'a (Range<usize>, String)>,
}

impl<'a> Note<'a> {
    /// Returns an error without a code.
    pub fn error(span: &'a Range<usize>, column: u32, message: &'a str, help: Option<&'a str>) -> Note<'a> {
        Note { is_error: true, code: None, span, column, message, help, secondary: None }
    }
}

impl<'a> From<&'a Diagnostic> for Note<'a> {
    fn from(diagnostic: &'a Diagnostic) -> Note<'a> {
        Note {
            is_error: diagnostic.code.is_error(),
            code: Some(diagnostic.code.code()),
            span: &diagnostic.span,
            column: diagnostic.start.column,
            message: &diagnostic.message,
            help: diagnostic.help.as_deref(),
            secondary: diagnostic.secondary.as_ref(),
        }
    }
}

/// Draws diagnostics one below the other, each followed by a blank line. With `colours`, the output has escape
/// sequences, but never from a name or text.
pub fn draw(name: &str, text: &str, diagnostics: &[Diagnostic], colours: bool) -> String {
    notes(name, text, diagnostics.iter().map(Note::from), colours)
}

pub fn notes<'a>(name: &str, text: &str, all: impl IntoIterator<Item = Note<'a>>, colours: bool) -> String {
    let renderer = if colours { Renderer::styled() } else { Renderer::plain() };
    // A name from outside may contain escape sequences.
    let name = visible(name);
    let lines = Lines::new(text);
    let mut out = String::new();
    for note in all {
        let (group, column) = group(&name, text, &lines, note);
        let drawn = renderer.render(&[group]);
        out.push_str(&at_column(drawn, column, note.column as usize));
        out.push_str("\n\n");
    }
    out
}

/// Returns line and column of a byte offset, from 1, in characters; a byte order mark does not count.
pub fn place_in(text: &str, at: usize) -> (usize, usize) {
    let before = &text[..floor(text, at.min(text.len()))];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    let column = before[line..].trim_start_matches('\u{feff}').chars().count() + 1;
    (before.matches('\n').count() + 1, column)
}

/// Replaces the column in the drawing by that in the file. The two differ if placeholders precede it.
fn at_column(drawn: String, shown: usize, column: usize) -> String {
    // The file name and position are at the end of the second line.
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

/// Returns the snippets of a message, and the column where its span begins there. They contain only the lines
/// concerned, so that drawing is cheap in large files with many diagnostics.
fn group<'a>(name: &'a str, text: &str, lines: &Lines, note: Note<'a>) -> (Group<'a>, usize) {
    let mut primary = within(text, note.span);
    let mut secondary = note.secondary.map(|(span, label)| (within(text, span), label));
    let mut shown = primary.clone();
    let mut apart = None;
    if let Some((span, label)) = &secondary {
        let both = shown.start.min(span.start)..shown.end.max(span.end);
        if both.len() > MAX_SNIPPET {
            apart = second(name, text, lines, span, label);
            secondary = None;
        } else {
            shown = both;
        }
    }
    let mut window = lines_around(text, lines, &shown);
    let (mut behind, mut before) = ("", "");
    if lines.longest(&window) > LONG {
        (secondary, apart) = (None, None);
        primary.end = floor(text, primary.end.min(primary.start + KEPT));
        let line = lines_around(text, lines, &primary);
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
        .line_start(lines.line(window.start))
        .annotation(AnnotationKind::Primary.span(moved(&primary)));
    if let Some((span, label)) = &secondary {
        snippet = snippet.annotation(AnnotationKind::Context.span(moved(span)).label(visible(label)));
    }
    let level = if note.is_error { Level::ERROR } else { Level::WARNING };
    let title = level.primary_title(visible(note.message));
    let title = match note.code {
        Some(code) => title.id(code),
        None => title,
    };
    let mut group = title.element(snippet);
    if let Some(apart) = apart {
        group = group.element(apart);
    }
    if let Some(help) = note.help {
        group = group.element(Level::HELP.message(visible(help)));
    }
    (group, column)
}

/// Returns the second span as a separate snippet; `None` if its line is too long.
fn second<'a>(
    name: &'a str,
    text: &str,
    lines: &Lines,
    span: &Range<usize>,
    label: &str,
) -> Option<Snippet<'a, Annotation<'a>>> {
    let window = lines_around(text, lines, span);
    if lines.longest(&window) > LONG {
        return None;
    }
    let excerpt = Excerpt::new(&text[window.clone()]);
    let moved = excerpt.place(span.start - window.start)..excerpt.place(span.end - window.start);
    let annotation = AnnotationKind::Context.span(moved).label(visible(label));
    let snippet = Snippet::source(excerpt.text).path(name).line_start(lines.line(window.start));
    Some(snippet.annotation(annotation))
}

/// Clamps a span to the text's characters, after a byte order mark.
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

/// Returns the range of the whole lines that a span touches, without a byte order mark.
fn lines_around(text: &str, lines: &Lines, span: &Range<usize>) -> Range<usize> {
    let first = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let around = lines.around(span);
    around.start.max(first)..around.end.max(first)
}
