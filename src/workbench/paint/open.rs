//! Draws the prompt for another file, over the whole screen: the choices that match, and the text of the selected one.

use std::path::Path;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::text::{Line, Span};

use crate::workbench::marks;
use crate::workbench::open::{Choice, OpenView, names_a_file};
use crate::workbench::paint::{last_line, prompt};
use crate::workbench::state::State;
use crate::workbench::text::{fit, visible, wrap};
use crate::workbench::theme::{Look, Theme};

/// The width from which the selected choice's text is shown, in cells.
const WIDE: u16 = 70;

fn row(choice: &Choice, theme: &Theme) -> Line<'static> {
    let (kind, name, look) = match choice {
        Choice::Open { name, dirty: true, .. } => ("open ●", name.clone(), Look::Text),
        Choice::Open { name, .. } => ("open", name.clone(), Look::Text),
        Choice::Recent(name) => ("recent", name.clone(), Look::Text),
        Choice::File(name) => ("", name.clone(), Look::Text),
        Choice::Sample(sample) => ("sample", sample.name.to_string(), Look::Text),
        Choice::Lesson(lesson) => ("lesson", format!("{}. {}", lesson.number, lesson.title()), Look::Text),
        Choice::Folder(name) => ("folder", format!("{name}/"), Look::Function),
        Choice::New(name) => ("new", name.clone(), Look::Text),
    };
    Line::from(vec![
        Span::styled(format!("{kind:<7}"), theme.style(Look::Dim)),
        Span::styled(visible(&name), theme.style(look)),
    ])
}

/// Returns why there are no choices, or why the chosen one was not opened.
fn said(view: &OpenView, choices: &[Choice]) -> Option<(Look, String)> {
    if let Some(problem) = &view.problem {
        return Some((Look::Bad, problem.clone()));
    }
    let (folder, typed) = (view.folder(), view.parts().1);
    match &view.found {
        Some((of, Err(why))) if of == folder => {
            let folder = if folder.is_empty() { "this folder" } else { folder };
            Some((Look::Bad, format!("{folder} cannot be read: {why}")))
        }
        Some((of, Ok(_))) if of == folder && choices.is_empty() => Some((
            Look::Dim,
            match typed {
                "" => "no programs here".to_string(),
                typed if names_a_file(Path::new(&view.field.text)) => {
                    format!("nothing here matches {typed}; enter starts a new program with that name")
                }
                typed => format!("nothing here matches {typed}"),
            },
        )),
        _ => None,
    }
}

/// Returns the text of a choice for the preview, or why there is none.
fn preview(state: &State, view: &OpenView, choice: &Choice) -> Result<String, String> {
    match choice {
        Choice::Open { id, .. } => {
            Ok(state.document_of(*id).map_or(String::new(), |document| document.buffer.text().to_string()))
        }
        Choice::Sample(sample) => Ok(sample.text.to_string()),
        Choice::Lesson(lesson) => Ok(lesson.text.to_string()),
        Choice::Folder(_) => Err("a folder: enter lists it".to_string()),
        Choice::New(name) => Err(format!("a new program: ctrl-s creates {name}")),
        Choice::Recent(_) | Choice::File(_) => match &view.preview {
            Some((path, text)) if view.path_of(choice).as_ref() == Some(path) => {
                text.as_ref().map(|text| text.to_string()).map_err(|why| format!("cannot be read: {why}"))
            }
            _ => Ok(String::new()),
        },
    }
}

/// The places on the screen: the messages above, the choices, the preview, and the first visible choice.
struct Places {
    messages: Vec<(Look, String)>,
    list: Rect,
    preview: Option<Rect>,
    top: usize,
}

fn places(state: &State, view: &OpenView, choices: &[Choice], screen: Rect) -> Places {
    let width = usize::from(screen.width);
    // The prompt covers the banner, so repeat it here.
    let waits = state.banner().map(|text| (Look::Bad, format!("{} {text}", marks::WARNING.glyph)));
    let texts = waits.into_iter().chain(said(view, choices));
    let wrapped = |(look, text): (Look, String)| {
        wrap(&visible(&text), width.saturating_sub(2)).into_iter().map(move |line| (look, line))
    };
    let mut messages: Vec<(Look, String)> = texts.flat_map(wrapped).collect();
    let room = usize::from(screen.height).saturating_sub(2);
    messages.truncate(room);
    let area =
        Rect { y: screen.y + 1 + messages.len() as u16, height: (room - messages.len()) as u16, ..screen };
    let (list, preview) = match screen.width >= WIDE {
        true => {
            let left = screen.width * 9 / 20;
            let right = Rect { x: area.x + left + 1, width: area.width - left - 1, ..area };
            (Rect { width: left, ..area }, Some(right))
        }
        false => (area, None),
    };
    // Scroll so that the chosen row is visible.
    let top = (view.chosen + 1).saturating_sub(usize::from(list.height));
    Places { messages, list, preview, top }
}

/// Returns the index of the choice at a cell.
pub fn choice_at(state: &State, view: &OpenView, at: Position) -> Option<usize> {
    let choices = view.choices();
    let (width, height) = state.screen.size;
    let Places { list, top, .. } = places(state, view, &choices, Rect::new(0, 0, width, height));
    let number = top + usize::from(at.y.checked_sub(list.y)?);
    (list.contains(at) && number < choices.len()).then_some(number)
}

/// Draws the prompt. Returns the cursor's place in it.
pub fn draw(state: &State, view: &OpenView, screen: Rect, theme: &Theme, buffer: &mut Buffer) -> Position {
    let choices = view.choices();
    let root = if view.root.is_empty() { String::new() } else { format!(" (in {})", visible(&view.root)) };
    prompt::sheet(&format!(" Open: type letters of a name, or a path{root}"), screen, theme, buffer);
    let Places { messages, list, preview: beside, top } = places(state, view, &choices, screen);
    for ((look, line), y) in messages.iter().zip(screen.y + 1..) {
        buffer.set_stringn(
            screen.x + 1,
            y,
            line,
            usize::from(screen.width).saturating_sub(1),
            theme.style(*look),
        );
    }
    for ((number, choice), y) in choices.iter().enumerate().skip(top).zip(list.top()..list.bottom()) {
        buffer.set_line(list.x + 1, y, &row(choice, theme), list.width.saturating_sub(1));
        if number == view.chosen {
            prompt::select(Rect { y, height: 1, ..list }, theme, buffer);
        }
    }
    if let (Some(area), Some(choice)) = (beside, choices.get(view.chosen)) {
        let (look, text) = match preview(state, view, choice) {
            Ok(text) => (Look::Text, text),
            Err(why) => (Look::Dim, why),
        };
        let mut lines = text.lines();
        for y in area.top()..area.bottom() {
            buffer.set_string(area.x - 1, y, "│", theme.style(Look::Rule));
            if let Some(line) = lines.next() {
                let line = fit(&visible(line), usize::from(area.width).saturating_sub(1));
                buffer.set_string(area.x + 1, y, line, theme.style(look));
            }
        }
    }
    let note = "tab completes · ↓ ↑ choose · enter opens · esc leaves ";
    prompt::prompt("open: ", &view.field, note, last_line(screen), theme, buffer)
}
