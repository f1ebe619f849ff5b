//! The editor: line numbers and marks, then coloured text overlaid with the selection, matches, the linked
//! element, brackets and flawed spans. A diagnostic's message follows its line.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;
use unicode_width::UnicodeWidthStr;

use crate::session::{Repairs, ValuesRun};
use crate::testing::trace::Subject;
use crate::workbench::highlight::Highlighter;
use crate::workbench::marks;
use crate::workbench::outcomes::LineOutcome;
use crate::workbench::panels::layout::COUNT;
use crate::workbench::panels::{Panel, figures};
use crate::workbench::state::{Overlay, State};
use crate::workbench::text::{ScreenRow, fit, glyphs, visible};
use crate::workbench::theme::{Look, Theme};

/// Styles over byte ranges of the text on screen.
struct Layers {
    layers: Vec<(Range<usize>, Style)>,
}

impl Layers {
    fn merge_bursts(state: &State, window: Range<usize>, theme: &Theme) -> Layers {
        let mut layers = Vec::new();
        let results = &state.results;
        // The extent of the element under the cursor, then the element itself.
        if let (Some(link), Some(shown)) = (state.screen.followed, state.shown()) {
            let carried =
                |r: Range<usize>| results.shown_drift.forward(r.start)..results.shown_drift.forward(r.end);
            let whole = shown.compiled.view().role(link.node).is_expression();
            if let Some(extent) =
                shown.extent(link.node).filter(|_| whole || state.screen.focus != Panel::EDITOR)
            {
                layers.push((carried(extent), theme.style(Look::Part)));
            }
            for token in [link.node, link.token] {
                if let Some(span) = shown.span(token) {
                    layers.push((carried(span), theme.style(Look::Link)));
                }
            }
        }
        for (number, problem) in results.problems.iter().enumerate() {
            let look = match results.mark_of(number) {
                mark if mark == &marks::UNFINISHED => continue,
                mark if mark == &marks::ERROR => Look::Flawed,
                _ => Look::Suspect,
            };
            let start = results.place_of(problem);
            let end =
                if problem.lacks.is_some() { start } else { results.latest_drift.forward(problem.span.end) };
            layers.push((start..end.max(start + 1), theme.style(look)));
        }
        if state.screen.focus == Panel::EDITOR
            && let Some((open, close)) = state.document.buffer.bracket_pair()
        {
            for at in [open, close] {
                let byte = state.document.buffer.byte_of(at);
                layers.push((byte..byte + 1, theme.style(Look::Bracket)));
            }
        }
        if !state.document.search.finder.is_empty() {
            let text = &state.document.buffer.text()[window.clone()];
            for found in state.document.search.finder.matches(text) {
                let range = found.start + window.start..found.end + window.start;
                layers.push((range, theme.style(Look::Match)));
            }
        }
        let text = &state.document.buffer;
        for own in text.others().iter().copied().chain([text.selection()]) {
            let range = own.range();
            let bytes = text.byte_of(range.start)..text.byte_of(range.end);
            layers.push((bytes, theme.style(Look::Selection)));
        }
        // The terminal draws the main cursor.
        for own in text.others() {
            let byte = text.byte_of(own.head);
            layers.push((byte..byte + 1, theme.style(Look::TabFocus)));
        }
        layers.retain(|(range, _)| range.start < window.end && window.start < range.end);
        Layers { layers }
    }

    fn style(&self, byte: usize, mut style: Style) -> Style {
        for (range, over) in &self.layers {
            if range.contains(&byte) {
                style = style.patch(*over);
            }
        }
        style
    }
}

pub fn draw(
    state: &State,
    area: Rect,
    theme: &Theme,
    highlighter: &mut Highlighter,
    buffer: &mut Buffer,
) -> Option<Position> {
    let gutter = state.gutter_width() as u16;
    if area.width <= gutter || area.height == 0 {
        return None;
    }
    let text = &state.document.buffer;
    let (rows, wraps) = (state.editor_rows(area.height.into()), state.wrap_width().is_some());
    let top = rows.first().map_or(0, |row| row.line);
    let bottom = rows.last().map_or(0, |row| row.line + 1);
    let window = text.byte_of(text.line_start(top))..text.byte_of(text.line_start(bottom));
    let outcomes = state.outcomes_by_line(&window);
    let layers = Layers::merge_bursts(state, window, theme);
    let (cursor_line, cursor_column) = text.place(text.head());
    // The line that a visible run executes.
    let executed = state.line_of_run().filter(|_| state.layout().slot(Panel::RUN).is_some());
    let repaired = state.repaired_lines();
    let mut place = None;
    let room = Rect { x: area.x + gutter, width: area.width - gutter, ..area };
    for (y, row) in (area.y..area.bottom()).zip(&rows) {
        let line = row.line;
        let current = match state.screen.focus {
            Panel::EDITOR => line == cursor_line,
            _ => Some(line) == executed,
        };
        if current {
            buffer.set_style(Rect { y, height: 1, ..area }, theme.style(Look::CurrentLine));
        }
        if row.start == text.line_start(line) {
            let area = Rect { y, height: 1, width: gutter, ..area };
            draw_gutter(state, line, outcomes.get(&line), current, area, theme, buffer);
        }
        if row.left > 0 && !wraps && state.run.breakpoint(line as u32 + 1).is_none() {
            buffer.set_string(room.x - 1, y, marks::CUT_BEFORE.glyph, theme.style(marks::CUT_BEFORE.look));
        }
        let end = draw_row(state, *row, Rect { y, height: 1, ..room }, &layers, theme, highlighter, buffer);
        if row.next.is_none() {
            let area = Rect { y, height: 1, x: end, width: room.right() - end };
            match repaired.get(&line) {
                Some(text) => draw_repaired(needed_on(state, line), text, area, theme, buffer),
                None => draw_message(state, line, outcomes.get(&line), area, theme, buffer),
            }
        }
        if line == cursor_line && row.holds(text.head()) {
            // The blank at the end of a wrapped row may be beyond its last cell.
            let last = usize::from(room.width) - 1;
            let column =
                cursor_column.checked_sub(row.left).map(|column| if wraps { column.min(last) } else { column });
            let column = column.filter(|column| *column <= last);
            place = column.map(|column| Position { x: room.x + column as u16, y });
        }
    }
    if let Some(example) = state.document.example() {
        draw_example(example, room, theme, buffer);
    }
    let searching = matches!(state.prompts.overlay, Some(Overlay::Search(_)));
    place.filter(|_| state.screen.focus == Panel::EDITOR || searching)
}

/// Draws the program that `tab` would write.
fn draw_example(example: &str, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    let hint = format!("   {} tab writes this", marks::MESSAGE.glyph);
    let last = example.lines().count() - 1;
    for (number, (y, line)) in (area.y..area.bottom()).zip(example.lines()).enumerate() {
        let text = if number == last { format!("{line}{hint}") } else { line.to_string() };
        buffer.set_stringn(area.x, y, text, area.width.into(), theme.style(Look::Dim));
    }
}

/// Draws the line number, a mark for the worst diagnostic or else the line's test, and the count of surviving first-order
/// mutants.
fn draw_gutter(
    state: &State,
    line: usize,
    outcome: Option<&LineOutcome>,
    current: bool,
    area: Rect,
    theme: &Theme,
    buffer: &mut Buffer,
) {
    let look = if current { Look::CurrentNumber } else { Look::LineNumber };
    let digits = state.document.buffer.lines().to_string().len().max(3);
    let counts = usize::from(area.width) > digits + 3;
    buffer.set_string(area.x, area.y, format!("{:>digits$}", line + 1), theme.style(look));
    let worst = state.worst_on(line).map(|(_, mark)| (mark, false));
    if let Some((mark, is_old)) = worst.or(outcome.map(|own| (own.mark, own.is_old))) {
        let style = if is_old { theme.stale() } else { theme.style(mark.look) };
        buffer.set_string(area.x + digits as u16, area.y, mark.glyph, style);
    }
    if state.run.breakpoint(line as u32 + 1).is_some() {
        let x = area.x + digits as u16 + 2;
        buffer.set_string(x, area.y, marks::BREAK.glyph, theme.style(marks::BREAK.look));
    }
    if let Some(times) = state.runs_of_line(line).filter(|times| counts && *times > 0) {
        let text = format!("{:>width$}", figures::times(times), width = COUNT - 1);
        let x = area.x + digits as u16 + 3;
        buffer.set_string(x, area.y, text, theme.style(marks::RUNS.look));
    }
    let survivors = survivors_on(state, line);
    if survivors > 0 {
        // The second cell is that of breakpoints, and next to the text.
        let is_free = state.run.breakpoint(line as u32 + 1).is_none();
        let is_free = is_free && state.document.buffer.line_text(line).starts_with(' ');
        let (glyph, look) = match survivors {
            few @ 1..10 => (few.to_string(), marks::FEW.look),
            _ if is_free => (marks::MANY.glyph.to_string(), marks::MANY.look),
            _ => (marks::MANY.glyph[1..].to_string(), marks::MANY.look),
        };
        let waits = state.results.has_old_verdicts() || state.results.tests_mark() == &marks::HOLE;
        let style = if waits { theme.stale() } else { theme.style(look) };
        buffer.set_string(area.x + digits as u16 + 1, area.y, glyph, style);
    }
}

/// Returns the number of first-order mutants that survive on a line. They are counted on the judged text and
/// carried over.
fn survivors_on(state: &State, line: usize) -> u32 {
    let Some(judged) = state.results.judged.as_ref().filter(|_| state.predict.is_none()) else { return 0 };
    let byte = state.document.buffer.byte_of(state.document.buffer.line_start(line));
    let Some(before) = state.results.judged_drift.back(byte) else { return 0 };
    let old = judged.place(before as u32).0 - 1;
    state.results.mutants.survivors.get(&old).copied().unwrap_or(0)
}

/// Draws a row: a line, or a part of a wrapped one. Returns the column after its end.
fn draw_row(
    state: &State,
    row: ScreenRow,
    area: Rect,
    layers: &Layers,
    theme: &Theme,
    highlighter: &mut Highlighter,
    buffer: &mut Buffer,
) -> u16 {
    let ScreenRow { line, left, next, .. } = row;
    let text = state.document.buffer.line_text(line);
    let pieces = highlighter.line(&text);
    let start = state.document.buffer.byte_of(state.document.buffer.line_start(line));
    let width = usize::from(area.width);
    let mut piece = pieces.iter().peekable();
    let (mut byte, mut column) = (0, 0);
    for glyph in glyphs(&text) {
        while piece.next_if(|(range, _)| range.end <= byte).is_some() {}
        let look = match piece.peek() {
            _ if glyph.placeholder => Look::Placeholder,
            Some((range, look)) if range.contains(&byte) => *look,
            _ => Look::Text,
        };
        let style = layers.style(start + byte, theme.style(look));
        // Glyphs cut by an edge become spaces.
        if column >= left && column + glyph.width <= left + width {
            buffer.set_string(area.x + (column - left) as u16, area.y, &glyph.shown, style);
        }
        byte += glyph.bytes;
        column += glyph.width;
        if column >= left + width || next.is_some_and(|(_, next)| column >= next) {
            break;
        }
    }
    // A selected line end is drawn as one cell.
    let end = column.saturating_sub(left).min(width) as u16;
    let whole = byte == text.len();
    if whole && usize::from(end) < width && column >= left {
        let style = layers.style(start + byte, Style::new());
        buffer.set_style(Rect { x: area.x + end, width: 1, ..area }, style);
    }
    if next.is_none() && (!whole || column > left + width) {
        // The weight of the text below must not show through.
        let style = theme.ground().patch(theme.style(marks::CUT.look));
        buffer.set_string(area.right() - 1, area.y, marks::CUT.glyph, style);
        return area.right();
    }
    area.x + end
}

/// Draws after a line what it will be, and the value that is needed in the place of its `?`.
fn draw_repaired(needed: Option<String>, text: &str, area: Rect, theme: &Theme, buffer: &mut Buffer) {
    let mark = &marks::REPAIRED;
    let needed = needed.map_or(String::new(), |needed| format!("{needed}  "));
    let text = visible(&format!("{needed}{} {text}", mark.glyph));
    if let Some(room) = usize::from(area.width).checked_sub(2) {
        buffer.set_string(area.x + 2, area.y, fit(&text, room), theme.style(mark.look));
    }
}

/// Draws a message after the line's text: about its worst diagnostic, else about its test, in the longest form that has
/// room; else its remarks or values.
fn draw_message(
    state: &State,
    line: usize,
    outcome: Option<&LineOutcome>,
    area: Rect,
    theme: &Theme,
    buffer: &mut Buffer,
) {
    let room = usize::from(area.width).saturating_sub(2);
    let said = match (state.worst_on(line), outcome) {
        (Some((problem, mark)), _) => Some((state.said(problem, mark), theme.style(mark.look))),
        (None, Some(own)) if !own.said.is_empty() => {
            Some((own.said.clone(), if own.is_old { theme.stale() } else { theme.style(own.mark.look) }))
        }
        _ => None,
    };
    if let Some((forms, style)) = said {
        let mut forms = forms
            .iter()
            .filter(|form| !form.is_empty())
            .map(|form| visible(&format!("{} {form}", marks::MESSAGE.glyph)));
        if let Some(text) = forms.find(|text| text.width() <= room) {
            buffer.set_string(area.x + 2, area.y, text, style);
        }
        return;
    }
    if area.width < 10 {
        return;
    }
    let (glyph, text, look) = match remarks_on(state, line) {
        Some(text) => (marks::NOT_EXPANDED.glyph, text, marks::NOT_EXPANDED.look),
        None => {
            let words = state.values.lines.get(&line).cloned();
            let words: Vec<String> = needed_on(state, line).into_iter().chain(words).collect();
            if words.is_empty() {
                return;
            }
            ("", words.join("  "), Look::Dim)
        }
    };
    let text = fit(&visible(&format!("{glyph} {text}")), room);
    buffer.set_string(area.x + 2, area.y, text, theme.style(look));
}

/// Returns the value that the test whose values are shown needs in the place of the `?` on a line, or that all tests need.
fn needed_on(state: &State, line: usize) -> Option<String> {
    let needed = &state.results.findings.current::<Repairs>()?.filling.as_ref()?.needed;
    let view = state.shown()?.compiled.view();
    view.holes().next().filter(|hole| view.line(*hole) as usize == line + 1 && state.shows_values())?;
    let run = state.results.findings.current::<ValuesRun>().and_then(|run| run.0.as_ref());
    let shown = run.and_then(|(subject, ..)| match subject {
        Subject::Entry { id, .. } => needed.iter().find(|(entry, _)| entry == id),
        _ => None,
    });
    let all = needed.first().filter(|(_, first)| needed.iter().all(|(_, own)| own == first));
    let (_, value) = shown.or(all)?;
    Some(format!("? = {value}"))
}

/// Returns a line's remarks in one text, `None` without any.
pub fn remarks_on(state: &State, line: usize) -> Option<String> {
    let texts: Vec<&str> = state.remarks_on(line).map(|remark| remark.text.as_str()).collect();
    (!texts.is_empty()).then(|| texts.join(" · "))
}
