//! The page of a panel that is no list: lines of prose, rows of a table, bars. What does not fit into the panel's width
//! goes on in the next line, so that nothing that is said is cut.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::workbench::panels::figures::sparkline;
use crate::workbench::text::wrap;
use crate::workbench::theme::{Look, Theme};

/// Cells that a line is set in where it goes on with one begun above.
const INDENT: usize = 2;
/// Cells below which a bar says nothing.
const SHORTEST: usize = 4;
/// The longest history that is drawn, in values.
const HISTORY: usize = 60;

/// What a panel says that an idle job has not fed yet.
pub const WAITS: &str = "waits until the engine has nothing else to do";

/// A piece of a line. Spaces around it set it apart and align it.
pub type Part = (Look, String);

/// Lines that grow.
pub struct Page<'a> {
    theme: &'a Theme,
    /// What there is room for in a line.
    cells: usize,
    lines: Vec<Line<'static>>,
}

impl<'a> Page<'a> {
    /// For a panel of so many columns: the first remains empty, the last is the scrollbar's.
    pub fn new(columns: usize, theme: &'a Theme) -> Page<'a> {
        Page { theme, cells: columns.saturating_sub(2).max(1), lines: Vec::new() }
    }

    /// Cells of a line.
    pub fn room(&self) -> usize {
        self.cells
    }

    pub fn into_lines(self) -> Vec<Line<'static>> {
        self.lines
    }

    pub fn blank(&mut self) {
        self.lines.push(Line::default());
    }

    /// Sentences, broken between words where a line is full.
    pub fn prose(&mut self, look: Look, text: impl AsRef<str>) {
        for line in wrap(text.as_ref(), self.cells) {
            self.push(vec![(look, line)]);
        }
    }

    /// Parts side by side. One that does not fit any more begins another line, and is broken between its words only where
    /// that is too short as well.
    pub fn row(&mut self, parts: impl IntoIterator<Item = Part>) {
        let mut line: Vec<Part> = Vec::new();
        let mut used = 0;
        for (look, text) in parts {
            if used + text.trim_end().width() <= self.cells {
                used += text.width();
                line.push((look, text));
                continue;
            }
            let indent = if self.cells > 3 * INDENT { INDENT } else { 0 };
            for words in wrap(text.trim(), self.cells - indent) {
                // The first part of a row has no line to leave.
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

    /// A row that ends in a bar: so long a part of what is left of the line, of at most so many cells. No bar where hardly
    /// anything is left.
    pub fn bar(&mut self, parts: impl IntoIterator<Item = Part>, part: f64, most: usize) {
        let mut parts: Vec<Part> = parts.into_iter().collect();
        let taken: usize = parts.iter().map(|(_, text)| text.width()).sum();
        let room = self.cells.saturating_sub(taken).min(most);
        if room >= SHORTEST {
            let length = (part.clamp(0.0, 1.0) * room as f64).round() as usize;
            parts.push((Look::Bar, "▆".repeat(length)));
        }
        self.row(parts);
    }

    /// A history, the newest value last: as many as there is room for.
    pub fn history(&mut self, values: &[f64]) {
        let from = values.len().saturating_sub(self.cells.min(HISTORY));
        self.push(vec![(Look::Bar, sparkline(&values[from..]))]);
    }

    fn push(&mut self, parts: Vec<Part>) {
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
    fn parts_that_do_not_fit_go_on_below() {
        let parts = ["name   ", "12 ms", " measured", "  mean of three"];
        assert_eq!(row(40, &parts), ["name   12 ms measured  mean of three"]);
        assert_eq!(row(21, &parts), ["name   12 ms measured", "  mean of three"]);
        assert_eq!(row(12, &parts), ["name   12 ms", "  measured", "  mean of", "  three"]);
        assert_eq!(row(7, &parts), ["name", "  12 ms", "  measu", "  red", "  mean", "  of", "  three"]);
    }

    #[test]
    fn a_bar_takes_what_is_left() {
        let theme = Theme::plain();
        for (cells, part, drawn) in [(10, 0.5, "four▆▆▆"), (10, 7.0, "four▆▆▆▆▆▆"), (7, 1.0, "four")]
        {
            let mut page = Page::new(cells + 2, &theme);
            page.bar([(Look::Text, "four".to_string())], part, 8);
            assert_eq!(page.into_lines().iter().map(Line::to_string).collect::<Vec<_>>(), [drawn]);
        }
    }
}
