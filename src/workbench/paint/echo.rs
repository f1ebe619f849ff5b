//! The key echo in large letters, for an audience. It covers neither the cursor's line nor the chosen row.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;
use unicode_width::UnicodeWidthStr;

use crate::workbench::block::{self, BlockSize};
use crate::workbench::echo::{Echo, KeyPress};

use crate::workbench::panels::Panel;
use crate::workbench::state::State;
use crate::workbench::text::{fit, visible};
use crate::workbench::theme::{Look, Theme};

/// The number of screen rows from which the larger letters are used.
const TALL: u16 = 36;

pub fn draw(state: &State, echo: &Echo, cursor: Option<Position>, theme: &Theme, buffer: &mut Buffer) {
    let Some((last, before)) = echo.shown() else { return };
    let screen = *buffer.area();
    let kept = kept(state, cursor);
    let sizes = [(BlockSize::Double, screen.height >= TALL), (BlockSize::Half, true)];
    let blocks =
        sizes.into_iter().filter(|(_, fits)| *fits).filter_map(|(size, _)| block::word(&big(last), size));
    let room = usize::from(screen.width).saturating_sub(2);
    let words =
        blocks.chain([Vec::new()]).filter(|lines| lines.first().is_none_or(|line| line.width() <= room));
    let banners = words.map(|lines| banner(&lines, last, before, room));
    // Use the largest banner that covers nothing important, at worst a single line.
    let mut places = banners.flat_map(|lines| {
        places(screen, lines.len() as u16).into_iter().map(move |area| (lines.clone(), area))
    });
    let free = places.find(|(_, area)| !kept.iter().any(|y| (area.top()..area.bottom()).contains(y)));
    let Some((lines, area)) = free else { return };
    let look = if echo.fading() { Look::Status } else { Look::Prompt };
    let style = theme.ground().patch(theme.style(look));
    for (line, y) in lines.iter().zip(area.top()..) {
        buffer.set_string(area.x, y, " ".repeat(area.width.into()), style);
        buffer.set_string(area.x + 1, y, line, style.add_modifier(Modifier::BOLD));
    }
}

/// Returns the text in large letters: the typed character, or else the key.
fn big(pressed: &KeyPress) -> String {
    match pressed.key.typed() {
        Some(c) if pressed.typed.is_some() && c != ' ' => c.to_string(),
        _ => pressed.name(),
    }
}

/// Returns the lines of a banner: the key in block letters if they fit, its description, and the keys before
/// it.
fn banner(blocks: &[String], last: &KeyPress, before: &[KeyPress], room: usize) -> Vec<String> {
    let what = last.does.unwrap_or(if last.typed.is_some() { "types" } else { "" });
    let mut lines = blocks.to_vec();
    let earlier: Vec<String> = before.iter().map(KeyPress::brief).collect();
    // The description's line names the key again.
    lines.push(format!("{}  {what}", last.brief()));
    if !blocks.is_empty() && !earlier.is_empty() {
        lines.push(format!("before: {}", earlier.join("  ")));
    }
    lines.iter().map(|line| fit(&visible(line), room)).collect()
}

/// Returns the possible places of a banner with this height: above the last two lines of the screen, or below
/// the first.
fn places(screen: Rect, height: u16) -> Vec<Rect> {
    let foot = if screen.height >= 8 { 2 } else { 1 };
    let bottom = screen.height.saturating_sub(foot);
    let at = |y| Rect { y, height, ..screen };
    let mut places = Vec::new();
    if height < bottom {
        places.push(at(bottom - height));
        places.push(at(1));
    }
    places
}

/// Returns the screen rows to keep visible: the cursor's, the editor line's, and the focused panel's chosen
/// row.
fn kept(state: &State, cursor: Option<Position>) -> Vec<u16> {
    let layout = state.layout();
    let row = |panel: Panel, line: usize, top: usize| {
        let area = layout.content(panel)?;
        let y = u16::try_from(line.checked_sub(top)?).ok()?;
        (y < area.height).then_some(area.y + y)
    };
    let (line, _) = state.document.buffer.place(state.document.buffer.head());
    let view = state.list(state.screen.focus);
    let chosen =
        state.screen.focus.is_list().then(|| row(state.screen.focus, view.selected, view.top)).flatten();
    let editor = row(Panel::EDITOR, line, state.screen.editor_top);
    // Overlays that cover the panels have their own cursor.
    let covered = state.prompts.overlay.is_some() || state.race.shown().is_some();
    let of_panels = [editor, chosen].into_iter().flatten().filter(|_| !covered);
    cursor.map(|at| at.y).into_iter().chain(of_panels).collect()
}
