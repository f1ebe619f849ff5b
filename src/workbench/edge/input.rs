//! Keys and mouse, read on a thread of their own: a terminal that goes away may keep its reader busy forever.

use std::time::{Duration, Instant};

use crossterm::event::{Event as Raw, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};

use super::super::event::{Event, Mouse};

/// Clicks closer together than this are one double click.
const DOUBLE: Duration = Duration::from_millis(400);

/// Reads events for as long as someone takes them.
pub fn read(mut take: impl FnMut(Event) -> bool + Send + 'static) -> std::io::Result<()> {
    let work = move || {
        let mut clicks = Clicks::default();
        while let Ok(raw) = crossterm::event::read() {
            if let Some(event) = translate(raw, &mut clicks)
                && !take(event)
            {
                return;
            }
        }
    };
    std::thread::Builder::new().name("input".into()).spawn(work)?;
    Ok(())
}

/// Counts clicks in quick succession at one place.
#[derive(Default)]
struct Clicks {
    last: Option<(Instant, u16, u16)>,
    count: u8,
}

impl Clicks {
    fn count(&mut self, column: u16, row: u16) -> u8 {
        let now = Instant::now();
        let again =
            self.last.is_some_and(|(then, c, r)| (c, r) == (column, row) && now.duration_since(then) < DOUBLE);
        self.count = if again && self.count < 3 { self.count + 1 } else { 1 };
        self.last = Some((now, column, row));
        self.count
    }
}

fn translate(raw: Raw, clicks: &mut Clicks) -> Option<Event> {
    match raw {
        Raw::Key(key) if key.kind != KeyEventKind::Release => Some(Event::Key(key.into())),
        Raw::Paste(text) => Some(Event::Paste(text)),
        Raw::Resize(width, height) => Some(Event::Resize(width, height)),
        Raw::Mouse(mouse) => {
            let what = match mouse.kind {
                MouseEventKind::Down(MouseButton::Left) => Mouse::Click(clicks.count(mouse.column, mouse.row)),
                MouseEventKind::Drag(MouseButton::Left) => Mouse::Drag,
                MouseEventKind::ScrollUp => Mouse::Scroll(-1),
                MouseEventKind::ScrollDown => Mouse::Scroll(1),
                MouseEventKind::ScrollLeft => Mouse::ScrollAcross(-1),
                MouseEventKind::ScrollRight => Mouse::ScrollAcross(1),
                _ => return None,
            };
            let shift = mouse.modifiers.contains(KeyModifiers::SHIFT);
            Some(Event::Mouse { what, column: mouse.column, row: mouse.row, shift })
        }
        _ => None,
    }
}
