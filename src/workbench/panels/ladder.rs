//! The Ladder panel: the line under the cursor in all phases of the compiler.

use ratatui::style::Style;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::lang::index::TokenId;
use crate::session::{BlockProfile, PassProfile};
use crate::workbench::ladder::{self, Columns, GAP, HEAD, LadderKey, LadderRow, LadderView, LineFindings};
use crate::workbench::marks;
use crate::workbench::panels::{List, Panel, cells, explained};
use crate::workbench::state::{Screen, State};
use crate::workbench::text::{fit, visible};
use crate::workbench::theme::{Look, Theme};

pub struct LadderListed;

impl List for LadderListed {
    fn count(&self, state: &State) -> usize {
        state.ladder.count()
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        state.ladder.token(row)
    }

    fn by_cell(&self, state: &State) -> bool {
        state.ladder.columns.is_some()
    }

    fn head(&self, state: &State) -> usize {
        if state.ladder.columns.is_some() { HEAD } else { 0 }
    }

    /// A heading is about the pass that it names. Side by side, the cell at the cursor counts.
    fn explains(&self, state: &State, row: usize) -> Vec<String> {
        let columns = state.ladder.columns.as_ref();
        let cell = columns.map_or(state.ladder.rows.get(row), |all| all.cell(state.ladder.column, row));
        let text: String =
            cell.map_or(String::new(), |cell| cell.parts.iter().map(|(_, text)| text.as_str()).collect());
        let title = columns.and_then(|all| all.all.get(state.ladder.column)).map(|column| column.title.clone());
        match (explained::terms(&text), cell.and_then(|cell| cell.token)) {
            (terms, Some(_)) => terms,
            (terms, None) if !terms.is_empty() => terms,
            _ => explained::passes(&title.unwrap_or(text)),
        }
    }

    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
        if let Some(columns) = &state.ladder.columns {
            return match row {
                0 => source(state, columns, width, theme),
                row => side_by_side(&state.screen, &state.ladder, columns, row, width, theme),
            };
        }
        let Some(row) = state.ladder.rows.get(row) else { return Line::default() };
        Line::from_iter(row.parts.iter().map(|(look, text)| Span::styled(text.clone(), theme.style(*look))))
    }
}

/// Builds the row with the source line and the range of visible columns.
fn source(state: &State, columns: &Columns, width: usize, theme: &Theme) -> Line<'static> {
    let shows = columns.showing(state.ladder.column, width);
    let number = format!("line {}  ", columns.line);
    let which = match columns.all.len() {
        all if shows.len() + 1 == all => "← → phase".to_string(),
        all if shows.len() == 1 => format!("← → phase, {} of {all}", shows.end),
        all => format!("← → phase, {} to {} of {all}", shows.start + 1, shows.end),
    };
    let room = width.saturating_sub(number.width() + which.width() + GAP);
    let parts = { marked(state, columns) }.map(|(look, text)| (look, visible(text))).to_vec();
    let mut spans = vec![Span::styled(number, theme.style(Look::CurrentNumber))];
    spans.extend(cut(Some(&LadderRow { token: None, parts }), room + GAP, Style::new(), theme));
    spans.push(Span::styled(which, theme.style(Look::Dim)));
    Line::from(spans)
}

/// Splits the line into the element under the cursor and the text before and after it.
fn marked<'a>(state: &State, columns: &'a Columns) -> [(Look, &'a str); 3] {
    let text = columns.source.as_str();
    let node = state.screen.followed.and_then(|link| state.shown()?.extent(link.node));
    let cut = |byte: usize| byte.saturating_sub(columns.start).min(text.len());
    let (lo, hi) = node.map_or((0, 0), |node| (cut(node.start), cut(node.end)));
    let piece = |from: usize, to: usize| text.get(from..to).unwrap_or_default();
    [(Look::Text, piece(0, lo)), (Look::Link, piece(lo, hi)), (Look::Text, piece(hi, text.len()))]
}

/// Builds a row of all visible columns; cells that belong to the element under the cursor are marked.
fn side_by_side(
    screen: &Screen,
    ladder: &LadderView,
    columns: &Columns,
    row: usize,
    width: usize,
    theme: &Theme,
) -> Line<'static> {
    let cursor = ladder.column;
    let mut spans = Vec::new();
    for number in std::iter::once(0).chain(columns.showing(cursor, width)) {
        let Some(column) = columns.all.get(number) else { continue };
        let title = LadderRow {
            token: None,
            parts: vec![(Look::Heading, column.title.clone()), (Look::Dim, column.more.clone())],
        };
        let cell = if row == 1 { Some(&title) } else { columns.cell(number, row) };
        let chosen = number == cursor && row > 1 && row == screen.list(Panel::LADDER).selected;
        let (glyph, over) = mark(screen, cell, chosen && screen.focus == Panel::LADDER, theme);
        spans.push(Span::styled(glyph, theme.style(Look::CurrentNumber).patch(over)));
        spans.extend(cut(cell, column.width - 1, over, theme));
        spans.push(Span::raw(" ".repeat(GAP)));
    }
    Line::from(spans)
}

/// Returns a cell's mark and highlight.
fn mark(screen: &Screen, cell: Option<&LadderRow>, chosen: bool, theme: &Theme) -> (&'static str, Style) {
    let linked = screen.followed.zip(cell.and_then(|cell| cell.token));
    match linked {
        _ if chosen => (marks::SELECTED.glyph, theme.style(Look::SelectedRow)),
        Some((link, token)) if token == link.node || token == link.token => {
            (marks::LINKED.glyph, theme.style(Look::Link))
        }
        Some((link, token)) if link.tokens.contains(token) => (marks::PART.glyph, theme.style(Look::Part)),
        _ => (" ", Style::new()),
    }
}

/// Fits a cell to exactly `width` screen cells.
fn cut(cell: Option<&LadderRow>, width: usize, over: Style, theme: &Theme) -> Vec<Span<'static>> {
    let mut left = width;
    let mut spans = Vec::new();
    for (look, text) in cell.map_or(&[][..], |cell| &cell.parts) {
        let text = fit(text, left);
        left -= text.width().min(left);
        spans.push(Span::styled(text, theme.style(*look).patch(over)));
    }
    spans.push(Span::styled(" ".repeat(left), over));
    spans
}

/// Returns the line's number.
pub fn figures(ladder: &LadderView) -> Vec<String> {
    let known = (ladder.count() > 0).then(|| format!("line {}", ladder.key.line));
    known.into_iter().collect()
}

impl State {
    /// Rebuilds the ladder if it is visible and its inputs have changed.
    pub fn refresh_ladder(&mut self) {
        if self.layout().slot(Panel::LADDER).is_none() {
            return;
        }
        let Some(shown) = self.shown() else { return };
        let under_cursor =
            self.results.shown_drift.back(self.document.buffer.byte_of(self.document.buffer.head()));
        let under_cursor = under_cursor.and_then(|byte| shown.token_at(byte));
        let linked = self.link().map(|link| link.token);
        let place = |token: TokenId| shown.span(token).map(|span| shown.place(span.start as u32).0);
        // The panel's own rows keep its line. If no token is under the cursor, the line stays as well.
        let of_line = if self.screen.focus == Panel::LADDER { under_cursor } else { linked };
        let line = of_line.and_then(place).unwrap_or(self.ladder.key.line.max(1));
        let found = &self.results.findings;
        let findings = LineFindings {
            climbed: found.current::<PassProfile>(),
            graph: found.current::<BlockProfile>().map(|profile| &*profile.graph),
        };
        let wide = cells(self, Panel::LADDER) >= ladder::WIDE;
        let revision = shown.revision;
        let key = LadderKey {
            revision,
            line,
            climbed: findings.climbed.is_some(),
            graph: findings.graph.is_some(),
            wide,
        };
        if key == self.ladder.key {
            return;
        }
        // A line without tokens has no phases.
        let columns = ladder::is_of(shown, line).then(|| ladder::columns(shown, line, findings));
        let (rows, columns) = match columns {
            Some(columns) if !wide => (ladder::rows(columns), None),
            columns => (vec![], columns),
        };
        let column = self.ladder.column;
        let there = columns.as_ref().is_none_or(|columns| columns.has_tokens(column));
        self.ladder = LadderView { key, rows, columns, column: if there { column } else { 0 } };
    }
}
