//! Draws the list of suggested tests over the whole screen.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::host::measure::numbers::plural;
use crate::workbench::paint::last_line;
use crate::workbench::paint::prompt::{keys, prompt, sheet};
use crate::workbench::suggested::{SuggestedView, Suggestion, UNCONFIRMED};
use crate::workbench::text::{fit, visible, wrap};
use crate::workbench::theme::{Look, Theme};

pub fn draw(view: &SuggestedView, screen: Rect, theme: &Theme, buffer: &mut Buffer) -> Option<Position> {
    let (kept, confirmed) = (
        view.rows.iter().filter(|row| row.kept).count(),
        view.rows.iter().filter(|row| row.kept && row.confirmed).count(),
    );
    let title = format!(" Suggested tests: {kept} of {} kept, {confirmed} confirmed", view.rows.len());
    let area = sheet(&title, screen, theme, buffer);
    let width = usize::from(area.width);
    let note = format!(
        "Each expects the value that the program returns now. Is it right? A test that is not confirmed is marked \
         `{UNCONFIRMED}`."
    );
    let note = wrap(&note, width.saturating_sub(2).max(1));
    let mut y = area.y + 1;
    for line in &note {
        buffer.set_stringn(area.x + 1, y, line, width.saturating_sub(1), theme.style(Look::Dim));
        y += 1;
    }
    let room = usize::from(area.bottom().saturating_sub(y));
    let first = (view.chosen + 1).saturating_sub(room);
    for (number, row) in view.rows.iter().enumerate().skip(first).take(room) {
        buffer.set_line(area.x, y, &line(row, number == view.chosen, width, theme), area.width);
        y += 1;
    }
    if let (Some(field), Some(row)) = (&view.field, view.rows.get(view.chosen)) {
        let note = match (view.refused, row.is_bool) {
            (true, true) => "expected: true or false ",
            (true, false) => "expected: a value ",
            _ => "enter confirms · esc leaves ",
        };
        return Some(prompt(&format!("{} == ", row.call), field, note, last_line(screen), theme, buffer));
    }
    keys(
        "space keep/drop · y right as it is · enter type the value · a add · esc leave",
        screen,
        theme,
        buffer,
    );
    None
}

fn line(row: &Suggestion, is_chosen: bool, width: usize, theme: &Theme) -> Line<'static> {
    let mark = format!("{} [{}] ", if is_chosen { "▶" } else { " " }, if row.kept { "x" } else { " " });
    let state = match (row.kept, row.confirmed) {
        (false, _) => " dropped".to_string(),
        (true, true) => " confirmed".to_string(),
        (true, false) => format!(" for {}", plural(row.mutants.into(), "mutant")),
    };
    let look = match (row.kept, row.confirmed) {
        (false, _) => Look::Dim,
        (true, true) => Look::Good,
        (true, false) => Look::Text,
    };
    let room = width.saturating_sub(mark.width() + state.width() + 1);
    Line::from(vec![
        Span::styled(mark, theme.style(if is_chosen { Look::Function } else { Look::Dim })),
        Span::styled(fit(&visible(&row.test()), room), theme.style(look)),
        Span::styled(state, theme.style(Look::Dim)),
    ])
}
