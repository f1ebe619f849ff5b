//! The source of a page: an element for each token.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use crate::compiler::program::Compiled;
use crate::lang::index::Index;
use crate::lang::token::TokenKind;
use crate::report::html::escaped;

/// Writes the source, line by line, each with its values. Lines with survivors are marked.
pub fn section(
    page: &mut String,
    program: &Compiled,
    survivors: impl Iterator<Item = u32>,
    values: &BTreeMap<u32, String>,
) {
    let survivors: BTreeSet<u32> = survivors.collect();
    let view = program.view();
    let mut tokens = view.all().iter().filter_map(|t| Some((t, view.span(t)?))).peekable();
    page.push_str("<section id=\"source\" tabindex=\"-1\">\n<h2>Source</h2>\n<ol class=\"source\">\n");
    let mut start = 0;
    for (number, whole) in (1..).zip(program.text.split_inclusive('\n')) {
        let line = whole.trim_end_matches(['\n', '\r']);
        let end = start + line.len();
        let survived = if survivors.contains(&number) { " class=\"survived\"" } else { "" };
        let _ = write!(page, "<li{survived} id=\"L{number}\"><code>");
        let mut at = start;
        while let Some((t, span)) = tokens.next_if(|(_, span)| span.start < end) {
            let text = |from: usize, to: usize| escaped(program.text.get(from..to).unwrap_or(""));
            page.push_str(&text(at, span.start));
            let look = look(view.kind(t));
            let _ = write!(
                page,
                "<span data-t=\"{}\"{look}>{}</span>",
                t.number(),
                text(span.start, span.end.min(end))
            );
            at = span.end.min(end);
        }
        let rest = program.text.get(at..end).unwrap_or("");
        match rest.find("//") {
            Some(comment) => {
                let (before, comment) = rest.split_at(comment);
                let _ = write!(page, "{}<span class=\"dim\">{}</span>", escaped(before), escaped(comment));
            }
            None => page.push_str(&escaped(rest)),
        }
        page.push_str("</code>");
        if let Some(words) = values.get(&number) {
            let _ = write!(page, "<samp class=\"values\">{}</samp>", escaped(words));
        }
        page.push_str("</li>\n");
        start += whole.len();
    }
    page.push_str("</ol>\n</section>\n");
}

fn look(kind: TokenKind) -> &'static str {
    match kind {
        TokenKind::Int | TokenKind::Char | TokenKind::Str | TokenKind::True | TokenKind::False => {
            " class=\"value\""
        }
        kind if kind.spelling().is_some_and(|text| text.starts_with(|c: char| c.is_ascii_lowercase())) => {
            " class=\"word\""
        }
        _ => "",
    }
}
