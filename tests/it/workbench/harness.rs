//! Texts with a cursor, keys by name, pictures of the screen.

use std::cell::RefCell;

use myriad::workbench::event::{Effect, Event, Fading};
use myriad::workbench::highlight::Highlighter;
use myriad::workbench::key::Key;
use myriad::workbench::paint::draw;
use myriad::workbench::state::{FileInfo, State};
use myriad::workbench::text::Selection;
use myriad::workbench::theme::{Depth, Theme};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Color;

thread_local! {
    static HIGHLIGHTER: RefCell<Highlighter> = RefCell::default();
}

/// Returns a state whose text has its cursor at `‸` and its selection between `«` and `»`.
pub fn state(marked: &str) -> State {
    let mut text = String::new();
    let (mut head, mut start, mut end) = (None, None, None);
    for c in marked.chars() {
        let here = Some(text.chars().count());
        match c {
            '‸' => head = here,
            '«' => start = here,
            '»' => end = here,
            c => text.push(c),
        }
    }
    let head = head.expect("the text has a cursor ‸");
    let anchor = match (start, end) {
        (Some(start), Some(end)) if head == start => end,
        (Some(start), Some(_)) => start,
        _ => head,
    };
    let on_disk = Some(std::sync::Arc::from(text.as_str()));
    let file = FileInfo { path: Some("sample.myr".into()), on_disk, ..FileInfo::default() };
    let mut state = State::new(&text, file);
    state.document.buffer.select(Selection { anchor, head });
    state.apply(Event::Resize(80, 24));
    state
}

/// Returns the text of a state, marked as for [`state`].
pub fn marked(state: &State) -> String {
    let Selection { anchor, head } = state.document.buffer.selection();
    let mut out = String::new();
    let text: Vec<char> = state.document.buffer.text().chars().collect();
    for i in 0..=text.len() {
        if i == anchor.max(head) && anchor != head {
            out.push_str(if head == i { "‸»" } else { "»" });
        }
        if i == anchor.min(head) && anchor != head {
            out.push_str(if head == i { "«‸" } else { "«" });
        }
        if i == head && anchor == head {
            out.push('‸');
        }
        out.extend(text.get(i));
    }
    out
}

/// Parses keys: characters, and names in angle brackets.
pub fn keys(script: &str) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = script;
    while let Some(c) = rest.chars().next() {
        let name = match rest.strip_prefix('<').and_then(|r| r.split_once('>')) {
            Some((name, tail)) => {
                rest = tail;
                name.to_string()
            }
            None => {
                rest = &rest[c.len_utf8()..];
                c.to_string()
            }
        };
        keys.push(match name.as_str() {
            "lt" => Key::parse("<").expect("a key"),
            name => Key::parse(name).unwrap_or_else(|| panic!("no key {name}")),
        });
    }
    keys
}

/// Types keys; returns the effects other than compiling, waiting for it, and previews.
pub fn type_keys(state: &mut State, script: &str) -> Vec<Effect> {
    let mut effects = Vec::new();
    for key in keys(script) {
        let wanted = |effect: &Effect| {
            let waits = matches!(effect, Effect::Fade { what: Fading::Wait(..), .. });
            !waits && !matches!(effect, Effect::Compile | Effect::Preview(_))
        };
        effects.extend(state.apply(Event::Key(key)).into_iter().filter(wanted));
    }
    effects
}

/// Checks that keys turn one text into another.
#[track_caller]
pub fn check(before: &str, script: &str, after: &str) {
    let mut state = state(before);
    type_keys(&mut state, script);
    assert_eq!(marked(&state), after, "{before:?} with {script}");
}

/// Draws the screen of a state in a theme.
pub fn drawn(state: &State, theme: &Theme) -> Buffer {
    let (width, height) = state.screen.size;
    let mut buffer = Buffer::empty(Rect::new(0, 0, width, height));
    HIGHLIGHTER.with_borrow_mut(|highlighter| draw(state, theme, highlighter, &mut buffer));
    buffer
}

/// Returns the colour of the first occurrence of a text on screen.
#[track_caller]
pub fn colour(state: &State, text: &str) -> Color {
    let buffer = drawn(state, &Theme::new(Depth::True));
    let cells: Vec<&str> = buffer.content().iter().map(|cell| cell.symbol()).collect();
    let wanted: Vec<String> = text.chars().map(String::from).collect();
    let at = cells.windows(wanted.len()).position(|cells| cells == wanted);
    buffer.content()[at.unwrap_or_else(|| panic!("{text} is not on screen"))].fg
}

/// Returns the screen's characters, without colours.
pub fn picture(state: &State) -> String {
    let (width, height) = state.screen.size;
    let buffer = drawn(state, &Theme::plain());
    let mut out = String::new();
    for y in 0..height {
        let mut line = String::new();
        let mut x = 0;
        while x < width {
            let symbol = buffer[(x, y)].symbol();
            line.push_str(symbol);
            x += unicode_width::UnicodeWidthStr::width(symbol).max(1) as u16;
        }
        out.push_str(line.trim_end());
        out.push('\n');
    }
    out
}

/// Returns the picture at another size.
pub fn picture_at(state: &mut State, width: u16, height: u16) -> String {
    state.apply(Event::Resize(width, height));
    picture(state)
}

/// Returns the words of a picture, without line breaks and marks.
pub fn words(picture: &str) -> String {
    let unmarked = picture.replace(['▶', '›', '▐'], " ");
    unmarked.split_whitespace().collect::<Vec<_>>().join(" ")
}
