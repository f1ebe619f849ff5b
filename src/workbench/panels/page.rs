//! The page of a prose panel: lines of text, table rows and bars. Content wider than the panel wraps, so
//! nothing is cut.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::workbench::panels::figures::sparkline;
use crate::workbench::text::wrap;
use crate::workbench::theme::{Look, Theme};

/// The indent of continuation lines, in cells.
const INDENT: usize = 2;
/// The minimum length of a bar, in cells.
const SHORTEST: usize = 4;
/// The maximum number of values in a history.
const HISTORY: usize = 60;

/// The text shown before an idle job has produced a result.
pub const WAITS: &str = "waiting until the engine has nothing else to do";

/// The text of a panel about programs without errors.
pub const NEEDS_NO_ERRORS: &str = "this comes when the text compiles: alt-8 lists what is missing";

/// A piece of a line, with the spaces that separate and align it.
pub type PageSection = (Look, String);

/// A page under construction.
pub struct Page<'a> {
    theme: &'a Theme,
    /// The width of a line, in cells.
    cells: usize,
    lines: Vec<Line<'static>>,
}

impl<'a> Page<'a> {
    /// Creates a page for a panel of a width in columns: the first stays empty, the last is the scrollbar's.
    pub fn new(columns: usize, theme: &'a Theme) -> Page<'a> {
        Page { theme, cells: columns.saturating_sub(2).max(1), lines: Vec::new() }
    }

    /// Returns the width of a line, in cells.
    pub fn room(&self) -> usize {
        self.cells
    }

    pub fn into_lines(self) -> Vec<Line<'static>> {
        self.lines
    }

    pub fn blank(&mut self) {
        self.lines.push(Line::default());
    }

    /// Adds text, wrapped between words.
    pub fn prose(&mut self, look: Look, text: impl AsRef<str>) {
        for line in wrap(text.as_ref(), self.cells) {
            self.push(vec![(look, line)]);
        }
    }

    /// Adds a row of parts. A part that does not fit starts another line; it is broken between words only if
    /// it does not fit there either.
    pub fn row(&mut self, parts: impl IntoIterator<Item = PageSection>) {
        let mut line: Vec<PageSection> = Vec::new();
        let mut used = 0;
        for (look, text) in parts {
            if used + text.trim_end().width() <= self.cells {
                used += text.width();
                line.push((look, text));
                continue;
            }
            let indent = if self.cells > 3 * INDENT { INDENT } else { 0 };
            // The first part of a row keeps its own indent.
            let text = if line.is_empty() { text.trim_end() } else { text.trim() };
            for words in wrap(text, self.cells - indent) {
                // The first part of a row starts on the current line.
                if !line.is_empty() {
                    self.push(std::mem::take(&mut line));
                    line.push((Look::Text, " ".repeat(indent)));
                }
                used = indent + words.width();
                line.push((look, words));
            }
        }
        self.push(line);
    }

    /// Adds a row that ends in a bar. The bar takes `part` of the room left in the line, at most `most`
    /// cells; it is omitted if hardly any room is left.
    pub fn bar(&mut self, parts: impl IntoIterator<Item = PageSection>, part: f64, most: usize) {
        let mut parts: Vec<PageSection> = parts.into_iter().collect();
        let taken: usize = parts.iter().map(|(_, text)| text.width()).sum();
        let room = self.cells.saturating_sub(taken).min(most);
        if room >= SHORTEST {
            let length = (part.clamp(0.0, 1.0) * room as f64).round() as usize;
            parts.push((Look::Bar, "▆".repeat(length)));
        }
        self.row(parts);
    }

    /// Adds a history of as many of the newest values as fit, newest last.
    pub fn history(&mut self, values: &[f64]) {
        let from = values.len().saturating_sub(self.cells.min(HISTORY));
        self.push(vec![(Look::Bar, sparkline(&values[from..]))]);
    }

    fn push(&mut self, parts: Vec<PageSection>) {
        let span = |(look, text)| Span::styled(text, self.theme.style(look));
        self.lines.push(Line::from(parts.into_iter().map(span).collect::<Vec<_>>()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(cells: usize, parts: &[&str]) -> Vec<String> {
        let theme = Theme::plain();
        let mut page = Page::new(cells + 2, &theme);
        page.row(parts.iter().map(|text| (Look::Text, text.to_string())));
        page.into_lines().iter().map(|line| line.to_string().trim_end().to_string()).collect()
    }

    #[test]
    fn row_parts_that_do_not_fit_wrap_to_the_next_line() {
        let parts = ["name   ", "12 ms", " measured", "  mean of three"];
        assert_eq!(row(40, &parts), ["name   12 ms measured  mean of three"]);
        assert_eq!(row(21, &parts), ["name   12 ms measured", "  mean of three"]);
        assert_eq!(row(12, &parts), ["name   12 ms", "  measured", "  mean of", "  three"]);
        assert_eq!(row(12, &["  10 add one two"]), ["  10 add", "  one two"]);
        assert_eq!(row(7, &parts), ["name", "  12 ms", "  measu", "  red", "  mean", "  of", "  three"]);
    }

    #[test]
    fn bar_fills_the_remaining_width() {
        let theme = Theme::plain();
        for (cells, part, drawn) in [(10, 0.5, "four▆▆▆"), (10, 7.0, "four▆▆▆▆▆▆"), (7, 1.0, "four")]
        {
            let mut page = Page::new(cells + 2, &theme);
            page.bar([(Look::Text, "four".to_string())], part, 8);
            assert_eq!(page.into_lines().iter().map(Line::to_string).collect::<Vec<_>>(), [drawn]);
        }
    }
}
