//! Draws the welcome over the whole screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crate::workbench::marks;
use crate::workbench::paint::{list, prompt};
use crate::workbench::state::State;
use crate::workbench::text::{fit, visible, wrap};
use crate::workbench::theme::{Look, Theme};
use crate::workbench::welcome::{ABOUT, Item, WelcomeView, items};

/// The width of the choices' names, in cells.
const NAMES: usize = 24;

/// The keyboard in one sentence, for the first run.
const KEYBOARD: &str = "If your terminal does not send alt (on macOS: Option as Meta) or takes F1, press ctrl-t and then the \
                        key. docs/terminals.md lists terminals.";

/// A line of the page, and the index of its choice; headings have none.
type WelcomeRow = (Line<'static>, Option<usize>);

fn row(item: &Item, width: usize, theme: &Theme) -> Line<'static> {
    let (name, about) = match item {
        Item::Tour => ("Take the tour".to_string(), "five minutes, step by step".to_string()),
        Item::Open => ("Open a file".to_string(), "ctrl-o, or type its name".to_string()),
        Item::New => ("New program".to_string(), "an empty text".to_string()),
        Item::Recent(path) => {
            let folder = path.parent().map_or(String::new(), |folder| folder.display().to_string());
            (path.file_name().unwrap_or_default().to_string_lossy().into_owned(), folder)
        }
        Item::Sample(sample) => (sample.name.to_string(), sample.about().to_string()),
        Item::Lesson(lesson) => (format!("{}. {}", lesson.number, lesson.name), lesson.title().to_string()),
    };
    Line::from(vec![
        Span::styled(format!("  {:<NAMES$}", visible(&name)), theme.style(Look::Text)),
        Span::styled(fit(&visible(&about), width.saturating_sub(2 + NAMES)), theme.style(Look::Comment)),
    ])
}

/// Returns the rows of choices with their headings, `width` cells wide.
fn rows(state: &State, width: usize, theme: &Theme) -> Vec<WelcomeRow> {
    let mut rows = Vec::new();
    let mut section = "";
    for (number, item) in items(&state.recent).iter().enumerate() {
        if item.section() != section {
            section = item.section();
            rows.push((Line::from(Span::styled(section, theme.style(Look::Heading))), None));
        }
        rows.push((row(item, width, theme), Some(number)));
    }
    rows
}

/// Returns the lines above the choices: the introduction, and what is pending.
fn head(state: &State, width: usize) -> Vec<(Look, String)> {
    let mut lines = Vec::new();
    for sentence in ABOUT {
        lines.extend(wrap(sentence, width).into_iter().map(|line| (Look::Text, line)));
    }
    // The welcome covers the banner, so repeat it here.
    if let Some(waits) = state.banner() {
        let text = visible(&format!("{} {waits}", marks::WARNING.glyph));
        lines.extend(wrap(&text, width).into_iter().map(|line| (Look::Bad, line)));
    }
    if state.recent.is_empty() {
        lines.extend(wrap(KEYBOARD, width).into_iter().map(|line| (Look::Dim, line)));
    }
    lines
}

/// Returns the area of the choices, and the first visible row, so that the selected choice and its heading are visible.
fn place(state: &State, view: WelcomeView, screen: Rect, rows: &[WelcomeRow]) -> (Rect, usize) {
    let width = usize::from(screen.width).saturating_sub(2);
    let above = (head(state, width).len() + 2).min(usize::from(screen.height) / 2);
    let height = usize::from(screen.height).saturating_sub(above + 1);
    let area = Rect { y: screen.y + above as u16, height: height as u16, ..screen };
    let chosen = rows.iter().position(|row| row.1 == Some(view.chosen)).unwrap_or(0);
    (area, (chosen + 1).saturating_sub(height))
}

/// Returns the choice on a line of the screen.
pub fn choice_at(state: &State, view: WelcomeView, y: u16) -> Option<usize> {
    let (width, height) = state.screen.size;
    let rows = rows(state, usize::from(width).saturating_sub(2), &Theme::plain());
    let (area, top) = place(state, view, Rect::new(0, 0, width, height), &rows);
    if !(area.top()..area.bottom()).contains(&y) {
        return None;
    }
    rows.get(top + usize::from(y - area.y))?.1
}

pub fn draw(state: &State, view: WelcomeView, screen: Rect, theme: &Theme, buffer: &mut Buffer) {
    let sheet = prompt::sheet(" Welcome to Myriad", screen, theme, buffer);
    let width = usize::from(screen.width).saturating_sub(2);
    let rows = rows(state, width, theme);
    let (area, top) = place(state, view, screen, &rows);
    for ((look, line), y) in head(state, width).iter().zip(sheet.y + 1..area.y.saturating_sub(1)) {
        buffer.set_stringn(screen.x + 1, y, line, width, theme.style(*look));
    }
    for ((line, number), y) in rows.iter().skip(top).zip(area.top()..area.bottom()) {
        buffer.set_line(area.x + 1, y, line, area.width.saturating_sub(1));
        if *number == Some(view.chosen) {
            prompt::select(Rect { y, height: 1, ..area }, theme, buffer);
        }
    }
    list::scrollbar(area, top, rows.len(), theme, buffer);
    let leaves = if state.document.is_blank() { "esc quits" } else { "esc back" };
    let keys = format!("↓ ↑ choose · enter opens · type a name to find a file · {leaves}");
    prompt::keys(&state.spelled(&keys), screen, theme, buffer);
}
