//! Explanations in panels: the names that a text contains, and pages of Markdown as lines.

use ratatui::text::Line;

use crate::lang::diagnostic::Code;
use crate::lang::opcode::Op;
use crate::lang::trap::Trap;
use crate::report::steps;
use crate::workbench::text::{visible, wrap};
use crate::workbench::theme::{Look, Theme};

/// Returns the instructions, traps and codes of diagnostics that a text names, each once.
pub fn terms(text: &str) -> Vec<String> {
    let is_term = |word: &str| {
        let is_trap = Trap::ALL.iter().any(|trap| *trap != Trap::None && trap.ident() == word);
        is_trap || Op::ALL.iter().any(|op| op.name() == word) || Code::from_code(word).is_some()
    };
    words(text, is_term)
}

pub fn passes(text: &str) -> Vec<String> {
    words(text, |word| steps::names().any(|name| name == word))
}

fn words(text: &str, is_wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    for word in text.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| is_wanted(word)) {
        if !found.iter().any(|known| known == word) {
            found.push(word.to_string());
        }
    }
    found
}

/// Wraps a page of Markdown. Lines of examples are kept as they are, indented.
pub fn wrapped(text: &str, cells: usize) -> Vec<String> {
    let (mut example, mut paragraph) = (false, String::new());
    let mut rows = Vec::new();
    let flush = |paragraph: &mut String, rows: &mut Vec<String>| {
        let said = std::mem::take(paragraph);
        let said = visible(&without_links(&said));
        rows.extend((!said.is_empty()).then(|| wrap(&said, cells)).into_iter().flatten());
    };
    for line in text.lines() {
        let fence = line.starts_with("```");
        if !fence && !example && !line.is_empty() && !line.starts_with("# ") {
            // Join the lines of a paragraph, to wrap it again.
            if !paragraph.is_empty() {
                paragraph.push(' ');
            }
            paragraph.push_str(line);
            continue;
        }
        flush(&mut paragraph, &mut rows);
        match (fence, example) {
            (true, _) => example = !example,
            (false, true) => rows.push(format!("    {}", visible(line))),
            (false, false) if line.is_empty() => rows.push(String::new()),
            (false, false) => rows.extend(wrap(&visible(line), cells)),
        }
    }
    flush(&mut paragraph, &mut rows);
    rows
}

/// Returns Markdown with the text of each link in its place, since a screen has no links.
fn without_links(text: &str) -> String {
    let (mut plain, mut rest) = (String::new(), text);
    while let Some((before, name, after)) = next_link(rest) {
        plain.extend([before, name]);
        rest = after;
    }
    plain + rest
}

/// Returns the text before the first link, the link's own text, and the text after it.
fn next_link(text: &str) -> Option<(&str, &str, &str)> {
    let (before, _) = text.split_once("](")?;
    let open = before.rfind('[')?;
    let after = &text[before.len() + 2..];
    let (_, after) = after.split_once(')')?;
    Some((&text[..open], &before[open + 1..], after))
}

/// Returns a page as lines of a width: headings, text and examples differ in their looks.
pub fn lines(text: &str, cells: usize, theme: &Theme) -> Vec<Line<'static>> {
    let mut is_heading = false;
    let rows = wrapped(text, cells).into_iter().map(|row| {
        // A heading ends at an empty line.
        is_heading = row.starts_with("# ") || is_heading && !row.is_empty();
        let look = match () {
            () if is_heading => Look::Heading,
            () if row.starts_with("    ") => Look::Str,
            () => Look::Text,
        };
        Line::styled(row.strip_prefix("# ").map_or(row.clone(), str::to_string), theme.style(look))
    });
    rows.collect()
}

#[cfg(test)]
mod tests {
    use super::without_links;

    #[test]
    fn links_are_replaced_by_their_text() {
        assert_eq!(without_links("see [proofs](prove.md#loops), [cfg](a.md)."), "see proofs, cfg.");
        assert_eq!(without_links("a[i] (no link) ]("), "a[i] (no link) ](");
    }
}
