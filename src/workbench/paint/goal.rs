//! Draws the next goal of the lesson or tour in one line, while the panel with all goals is hidden.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::workbench::learn::judge;
use crate::workbench::marks;
use crate::workbench::state::State;
use crate::workbench::text::{fit, visible};
use crate::workbench::theme::{Look, Theme};

pub fn draw(state: &State, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    let Some((mark, text)) = next(state) else { return };
    let style = theme.style(Look::Tabs);
    buffer.set_string(area.x, area.y, " ".repeat(area.width.into()), style);
    let text = fit(&format!(" {} {}", mark.glyph, visible(&text)), usize::from(area.width));
    buffer.set_string(area.x, area.y, text, style.patch(theme.style(mark.look)));
}

fn next(state: &State) -> Option<(&'static marks::Mark, String)> {
    if let Some(goal) = state.tour_goal() {
        return Some((&marks::OPEN, format!("tour: {goal}")));
    }
    let course = state.document.file.lesson.as_ref()?;
    let judged = state.lesson.judged.as_ref();
    let standing = |number: usize| judged.and_then(|judged| judged.standings.get(number));
    let is_open =
        |number: &usize| standing(*number).is_none_or(|standing| standing.state != judge::JudgeState::Reached);
    match (0..course.lesson.aims.len()).find(is_open) {
        Some(number) => {
            let progress = standing(number).map_or(String::new(), |standing| format!("  {}", standing.text));
            Some((&marks::OPEN, format!("goal {}: {}{progress}", number + 1, course.lesson.aims[number].text)))
        }
        None => Some((&marks::REACHED, "every goal is reached; alt-l shows what comes next".to_string())),
    }
}
