//! Prompts and questions at the bottom, the help screen over everything.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::super::field::Field;
use super::super::key::Key;
use super::super::keys::{Context, TABLE};
use super::super::state::{Overlay, State};
use super::super::text::visible;
use super::theme::{Look, Theme};
use super::{fit, wrap};

pub fn draw(
    state: &State,
    overlay: &Overlay,
    screen: Rect,
    theme: &Theme,
    buffer: &mut Buffer,
) -> Option<Position> {
    let bottom = Rect { y: screen.bottom() - 1, height: 1, ..screen };
    match overlay {
        Overlay::Help { filter, top } => help(state, filter, *top, screen, theme, buffer),
        Overlay::Search { query, .. } => {
            let found = match state.found {
                Some(found) => format!("{} of {}", found.index, found.count),
                None if query.text.is_empty() => String::new(),
                None => "not found".to_string(),
            };
            let note = format!("{found}  enter stays · ↓ ↑ next, before · esc back ");
            Some(prompt("search: ", query, &note, bottom, theme, buffer))
        }
        Overlay::GotoLine(field) => {
            Some(prompt("line: ", field, "LINE or LINE:COLUMN ", bottom, theme, buffer))
        }
        Overlay::SaveAs(field) => {
            Some(prompt("save as: ", field, "enter saves · esc leaves ", bottom, theme, buffer))
        }
        Overlay::Quit => {
            let name = state.file.name();
            let text = format!("{name} is not saved.");
            question(&text, &[("s", "save and quit"), ("d", "discard"), ("esc", "stay")], screen, theme, buffer)
        }
        Overlay::Overwrite(path) => {
            let text = format!("{} exists.", path.display());
            question(&text, &[("o", "overwrite"), ("esc", "do not save")], screen, theme, buffer)
        }
        Overlay::Conflict { theirs, .. } => {
            let name = state.file.name();
            let (mine, theirs) = (state.buffer.text().lines().count(), theirs.lines().count());
            let text = format!("{name} changed outside too (yours {mine} lines, theirs {theirs}).");
            let choices = [
                ("k", "keep mine"),
                ("t", "take theirs"),
                ("b", "both: put mine aside, take theirs"),
                ("esc", "decide later"),
            ];
            question(&text, &choices, screen, theme, buffer)
        }
        Overlay::Recovered { text } => {
            let said = format!(
                "A run before this one ended abruptly and left {} unsaved lines.",
                text.lines().count()
            );
            question(
                &said,
                &[("u", "use them"), ("d", "discard"), ("esc", "leave them")],
                screen,
                theme,
                buffer,
            )
        }
    }
}

/// A line of input at the bottom, with a note at its right; gives the cursor's place.
fn prompt(label: &str, field: &Field, note: &str, area: Rect, theme: &Theme, buffer: &mut Buffer) -> Position {
    let style = theme.style(Look::Prompt);
    buffer.set_string(area.x, area.y, " ".repeat(area.width.into()), style);
    let label = format!(" {label}");
    buffer.set_string(area.x, area.y, &label, style);
    let x = area.x + label.width() as u16;
    let room = usize::from(area.right().saturating_sub(x + 1));
    // The end of a long input stays in sight.
    let before: String = visible(&field.text.chars().take(field.cursor).collect::<String>());
    let after = visible(&field.text.chars().skip(field.cursor).collect::<String>());
    let hidden = before.width().saturating_sub(room);
    let shown: String = skip_cells(&before, hidden);
    let cursor = x + (shown.width() as u16).min(room as u16);
    let text = fit(&format!("{shown}{after}"), room + 1);
    buffer.set_string(x, area.y, &text, style);
    let end = x + text.width() as u16;
    let note_width = note.width() as u16;
    if end + note_width + 2 < area.right() {
        buffer.set_string(area.right() - note_width, area.y, note, style);
    }
    Position { x: cursor.min(area.right() - 1), y: area.y }
}

fn skip_cells(text: &str, cells: usize) -> String {
    let mut left = cells;
    text.chars()
        .skip_while(|c| {
            let width = c.to_string().width();
            let skip = left > 0;
            left = left.saturating_sub(width);
            skip
        })
        .collect()
}

/// A question with its answers by letter, over the last lines.
fn question(
    text: &str,
    choices: &[(&str, &str)],
    screen: Rect,
    theme: &Theme,
    buffer: &mut Buffer,
) -> Option<Position> {
    let width = usize::from(screen.width);
    let mut lines = vec![String::new()];
    let pieces =
        std::iter::once(text.to_string()).chain(choices.iter().map(|(key, does)| format!("[{key}] {does}")));
    for piece in pieces.flat_map(|p| wrap(&p, width.saturating_sub(2).max(1))) {
        let Some(last) = lines.last_mut() else { break };
        if !last.is_empty() && last.width() + 3 + piece.width() + 1 > width {
            lines.push(piece);
        } else if last.is_empty() {
            *last = piece;
        } else {
            last.push_str("   ");
            last.push_str(&piece);
        }
    }
    let height = (lines.len() as u16).min(screen.height);
    let style = theme.style(Look::Prompt);
    let from = lines.len() - usize::from(height);
    for (y, line) in (screen.bottom() - height..screen.bottom()).zip(&lines[from..]) {
        buffer.set_string(screen.x, y, " ".repeat(width), style);
        buffer.set_stringn(screen.x + 1, y, visible(line), width - 1, style);
    }
    None
}

/// The table of keys; what is typed filters it.
fn help(
    state: &State,
    filter: &Field,
    top: usize,
    screen: Rect,
    theme: &Theme,
    buffer: &mut Buffer,
) -> Option<Position> {
    let wanted = filter.text.to_lowercase();
    let mut lines: Vec<Line> = Vec::new();
    for context in Context::ALL {
        let mut first = true;
        for binding in TABLE.iter().filter(|b| b.context == context) {
            let keys: Vec<String> =
                binding.keys.iter().filter_map(|name| Key::parse(name)).map(|key| key.to_string()).collect();
            let keys = keys.join(" ");
            let text = format!("{keys} {} {}", binding.does, context.title()).to_lowercase();
            if !wanted.split_whitespace().all(|word| text.contains(word)) {
                continue;
            }
            if std::mem::take(&mut first) {
                lines.push(Line::from(Span::styled(context.title(), theme.style(Look::Heading))));
            }
            let why = (binding.disabled)(state);
            let look = if why.is_some() { Look::Dim } else { Look::Text };
            let mut spans = vec![
                Span::styled(format!("  {keys:<18} "), theme.style(Look::Keyword)),
                Span::styled(binding.does, theme.style(look)),
            ];
            if let Some(why) = why {
                spans.push(Span::styled(format!("  ({why})"), theme.style(Look::Warning)));
            }
            lines.push(Line::from(spans));
        }
    }
    if lines.is_empty() {
        lines.push(Line::from(Span::styled("no key does that", theme.style(Look::Dim))));
    }
    let area = Rect { height: screen.height - 1, ..screen };
    let page = usize::from(area.height.saturating_sub(1));
    let top = top.min(lines.len().saturating_sub(page));
    for y in area.top()..area.bottom() {
        buffer.set_string(area.x, y, " ".repeat(area.width.into()), theme.ground());
    }
    buffer.set_style(area, theme.ground());
    let title = " Keys";
    buffer.set_string(
        area.x,
        area.y,
        format!("{title:<width$}", width = usize::from(area.width)),
        theme.style(Look::TabFocus),
    );
    for (y, line) in (area.y + 1..area.bottom()).zip(lines.iter().skip(top)) {
        buffer.set_line(area.x + 1, y, line, area.width.saturating_sub(1));
    }
    let shown = (top + page).min(lines.len());
    let note = format!("{shown} of {} · ↓ ↑ scroll · esc leaves ", lines.len());
    let bottom = Rect { y: screen.bottom() - 1, height: 1, ..screen };
    Some(prompt("filter: ", filter, &note, bottom, theme, buffer))
}
