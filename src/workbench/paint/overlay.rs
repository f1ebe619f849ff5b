//! Draws prompts and questions at the bottom of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use unicode_width::UnicodeWidthStr;

use crate::host::measure::numbers::{grouped, plural};
use crate::workbench::paint::prompt::{over_last_lines, prompt};
use crate::workbench::paint::{arrange, help, last_line, open, page, suggested, unsaved, welcome};
use crate::workbench::panels;
use crate::workbench::state::waiting::Conflict;
use crate::workbench::state::{Ask, Overlay, SearchBar, State};
use crate::workbench::text::{fit, visible, wrap};
use crate::workbench::theme::{Look, Palette, Theme};

pub fn draw(
    state: &State,
    overlay: &Overlay,
    screen: Rect,
    theme: &Theme,
    buffer: &mut Buffer,
) -> Option<Position> {
    let bottom = last_line(screen);
    match overlay {
        Overlay::Help(view) => Some(help::draw(state, view, screen, theme, buffer)),
        Overlay::Search(bar) => Some(search(state, bar, bottom, theme, buffer)),
        Overlay::Ask(ask, field) => {
            let (label, note) = asked(state, ask);
            Some(prompt(&label, field, &note, bottom, theme, buffer))
        }
        Overlay::Page(view) => {
            page::draw(state, view, screen, theme, buffer);
            None
        }
        Overlay::Suggested(view) => suggested::draw(view, screen, theme, buffer),
        Overlay::Open(view) => Some(open::draw(state, view, screen, theme, buffer)),
        Overlay::Close => {
            let text = format!("{} is not saved.", state.document.file.name());
            question(
                &text,
                &[("s", "save and close"), ("d", "discard"), ("esc", "stay")],
                screen,
                theme,
                buffer,
            )
        }
        Overlay::Quit => {
            let name = state.document.file.name();
            let more =
                state.files.others.iter().filter(|file| file.document.dirty() && !file.document.discarded);
            let text = match more.count() as u64 {
                0 => format!("{name} is not saved."),
                more => format!("{name} is not saved, and {} after it.", plural(more, "file")),
            };
            question(&text, &[("s", "save and quit"), ("d", "discard"), ("esc", "stay")], screen, theme, buffer)
        }
        Overlay::Overwrite(path) => {
            let text = format!("{} exists.", path.display());
            question(&text, &[("o", "overwrite"), ("esc", "do not save")], screen, theme, buffer)
        }
        Overlay::Conflict(Conflict { theirs, .. }) => {
            let name = state.document.file.name();
            let (mine, theirs) = (state.document.buffer.text().lines().count(), theirs.lines().count());
            let text =
                format!("{name} was also changed by another program (lines: yours {mine}, theirs {theirs}).");
            let choices = [
                ("m", "save mine, put theirs aside"),
                ("t", "take theirs, put mine aside"),
                ("esc", "decide later"),
            ];
            question(&text, &choices, screen, theme, buffer)
        }
        Overlay::Arrange(chosen) => {
            arrange::draw(state, *chosen, screen, theme, buffer);
            None
        }
        Overlay::Theme(view) => {
            let names = Palette::CHOICES.iter().map(|(name, _)| name.to_string());
            let lines =
                arrange::choices("Colours:", names, view.chosen, "enter keeps them · esc takes them back");
            over_last_lines(&lines, screen, theme, buffer);
            None
        }
        Overlay::Welcome(view) => {
            welcome::draw(state, *view, screen, theme, buffer);
            None
        }
        Overlay::Unsaved(view) => {
            unsaved::draw(state, *view, screen, theme, buffer);
            None
        }
    }
}

/// Returns the label of a prompt, and the note at its right.
fn asked(state: &State, ask: &Ask) -> (String, String) {
    let (label, note) = match ask {
        Ask::Rename(name) => (format!("rename {name} to: "), "enter renames every use".to_string()),
        Ask::Line => ("line: ".to_string(), "LINE or LINE:COLUMN".to_string()),
        Ask::Command => (":".to_string(), "w saves · q quits · wq both · LINE goes there".to_string()),
        Ask::Matches { is_split } => {
            let does =
                if *is_split { "enter selects the text between matches" } else { "enter selects the matches" };
            ("regular expression: ".to_string(), does.to_string())
        }
        Ask::Guess { question, refused, .. } => {
            let wanted = question.answer.accepted_guesses();
            (
                format!("{} ", question.text),
                if *refused { format!("expected: {wanted}") } else { wanted.to_string() },
            )
        }
        Ask::Step => {
            let steps = state.run.trace().map_or(0, |trace| trace.len());
            ("step: ".to_string(), format!("1 to {} · enter goes there", grouped(steps.into())))
        }
        Ask::Call => ("run: ".to_string(), "a call with literals · enter runs it".to_string()),
        Ask::Condition(line) => (format!("stop in line {line} if: "), "like n > 3 · empty: always".to_string()),
        Ask::Filter => {
            let shown = grouped(panels::shown_count(state, state.screen.focus) as u64);
            let of = grouped(panels::count(state, state.screen.focus) as u64);
            return (
                "filter: ".to_string(),
                format!("{shown} of {of} · 3: is line 3 · enter keeps it · esc: all rows "),
            );
        }
        Ask::FileName => ("save as: ".to_string(), "enter saves".to_string()),
    };
    (label, format!("{note} · esc leaves "))
}

/// Draws the search bar: the query or its replacement, the number of matches, and the keys.
fn search(state: &State, bar: &SearchBar, area: Rect, theme: &Theme, buffer: &mut Buffer) -> Position {
    let search = &state.document.search;
    let found = match (search.found, search.finder.error()) {
        (Some(found), _) => format!("{} of {}", found.index, found.count),
        (None, Some(error)) => error.to_string(),
        // A message says why nothing was replaced.
        (None, None) if bar.query.text.is_empty() || state.status.message.is_some() => String::new(),
        (None, None) => "not found".to_string(),
    };
    let kind = if search.is_regex { "regex" } else { "search" };
    // The longest hint that leaves room for the text.
    let note = |found: &str, hints: &[&str], label: &str| {
        let room = usize::from(area.width).saturating_sub(bar.field().text.width() + label.width() + 4);
        let hint = hints.iter().find(|hint| found.width() + hint.width() < room);
        format!("{found} {}", hint.unwrap_or(&""))
    };
    if bar.replaces {
        let query = fit(&visible(&bar.query.text), usize::from(area.width) / 3);
        let label = format!("{kind} {query} → ");
        let hints = [" enter replaces · ctrl-a all · tab search · esc ends ", " ctrl-a all · tab search ", ""];
        return prompt(&label, bar.field(), &note(&found, &hints, &label), area, theme, buffer);
    }
    let label = format!("{kind}: ");
    let hints = [
        " enter stays · ↓ ↑ next, previous · tab replace · ctrl-r regex · esc back ",
        " enter stays · tab replace · ctrl-r regex · esc back ",
        "",
    ];
    prompt(&label, bar.field(), &note(&found, &hints, &label), area, theme, buffer)
}

/// Draws a question over the last lines, with a letter for each answer.
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
    let lines: Vec<(Look, String)> = lines.into_iter().map(|line| (Look::Prompt, line)).collect();
    over_last_lines(&lines, screen, theme, buffer);
    None
}
