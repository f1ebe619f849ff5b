//! Reads keys and the mouse on a separate thread, because a terminal that goes away may block its reader
//! forever.

use std::time::{Duration, Instant};

use crossterm::event::{Event as Raw, KeyEventKind, KeyModifiers, MouseButton, MouseEventKind};

use crate::workbench::burst::merge_bursts;
use crate::workbench::edge::received::Input;
use crate::workbench::event::{Event, Mouse};

/// Clicks closer together than this are a double click.
const DOUBLE: Duration = Duration::from_millis(400);

/// Bursts closer together than this are one.
const PAUSE: Duration = Duration::from_millis(100);

/// Reads events until `take` returns false or the terminal is gone.
pub fn read(mut take: impl FnMut(Event) -> bool + Send + 'static) -> std::io::Result<()> {
    let mut source = source::Source::open()?;
    let work = move || {
        let mut clicks = Clicks::default();
        let mut burst: Option<Instant> = None;
        while let Some(raw) = source.next() {
            let event = |input| match input {
                Input::Event(raw) => translate(raw, &mut clicks),
                Input::Background(red, green, blue) => Some(Event::Background((red, green, blue))),
            };
            let events = raw.into_iter().filter_map(event).collect();
            let (events, is_burst) = merge_bursts(events, burst.is_some_and(|ended| ended.elapsed() < PAUSE));
            burst = is_burst.then(Instant::now);
            if !events.into_iter().all(&mut take) {
                return;
            }
        }
    };
    std::thread::Builder::new().name("input".into()).spawn(work)?;
    Ok(())
}

/// Reads and decodes the terminal's bytes. crossterm is not used here because it takes shift-F3 of xterm and
/// tmux for a cursor position report.
#[cfg(unix)]
mod source {
    use std::fs::File;
    use std::io::{self, IsTerminal, Read, stdin};
    use std::os::fd::AsFd;

    use crossterm::event::Event as Raw;
    use rustix::event::{PollFd, PollFlags, Timespec, poll};

    use crate::workbench::edge::decode::{PASTE, PASTE_END, awaits_end, decode, is_rest, is_string};
    use crate::workbench::edge::received::Input;

    /// The number of bytes per read.
    const CHUNK: usize = 4096;
    /// The maximum number of bytes read before decoding, while more are available.
    const MOST: usize = 1 << 16;
    /// Longer pastes are delivered in pieces.
    /// So memory is bounded, whatever a terminal sends.
    const LONGEST_PASTE: usize = 16 << 20;
    /// The maximum time between parts of a sequence that may be a key, in milliseconds; after it, ESC is the key.
    const REST: i64 = 25;
    /// The maximum time between parts of a paste or control string, in milliseconds; after it, the part
    /// received is complete.
    const REST_OF_PASTE: i64 = 1_000;

    pub struct Source {
        /// The terminal, or, in tests, a pipe.
        terminal: File,
        bytes: Vec<u8>,
        /// The start of a sequence whose rest did not arrive in time.
        given_up: Vec<u8>,
        /// Whether the sequence at the front of `bytes` was given up before.
        is_late: bool,
    }

    impl Source {
        pub fn open() -> io::Result<Source> {
            let terminal = match stdin().is_terminal() {
                true => File::from(stdin().as_fd().try_clone_to_owned()?),
                false => File::open("/dev/tty")?,
            };
            Ok(Source::reading(terminal))
        }

        fn reading(terminal: File) -> Source {
            Source { terminal, bytes: Vec::new(), given_up: Vec::new(), is_late: false }
        }

        /// Waits for events and returns all that are available; `None` once the terminal is gone.
        pub fn next(&mut self) -> Option<Vec<Input>> {
            loop {
                if !self.bytes.is_empty() && !self.goes_on() {
                    let events = self.broken_off();
                    if !events.is_empty() {
                        return Some(events);
                    }
                }
                let before = self.bytes.len();
                self.read()?;
                while self.bytes.len() < MOST && self.more(0) {
                    self.read()?;
                }
                self.rejoin();
                if self.within_paste(before) {
                    if self.bytes.len() >= LONGEST_PASTE {
                        return Some(self.broken_off());
                    }
                    continue;
                }
                let events = self.decoded(false);
                if !events.is_empty() {
                    return Some(events);
                }
            }
        }

        /// Puts the start of a sequence that was given up before its rest, which is not typed.
        fn rejoin(&mut self) {
            let start = std::mem::take(&mut self.given_up);
            if !start.is_empty() && is_rest(&start, &self.bytes) {
                self.bytes.splice(0..0, start);
                // The text of a paste is wanted, however late.
                self.is_late = !self.bytes.starts_with(PASTE);
            }
        }

        /// Returns whether more of an incomplete sequence is awaited, or arrives in time.
        fn goes_on(&self) -> bool {
            if awaits_end(&self.bytes) {
                return true;
            }
            let long = self.bytes.starts_with(PASTE) || is_string(&self.bytes);
            self.more(if long { REST_OF_PASTE } else { REST })
        }

        /// Decodes an incomplete sequence, so that keys do not wait for its end forever.
        fn broken_off(&mut self) -> Vec<Input> {
            if !self.bytes.starts_with(PASTE) {
                // The first bytes show which kind of sequence it is.
                let start = self.bytes.iter().copied().take(3).collect();
                let events = self.decoded(true);
                // The rest may still arrive, and must not be typed into the text.
                if self.bytes.is_empty() {
                    self.given_up = start;
                }
                return events;
            }
            let bytes = std::mem::take(&mut self.bytes);
            // An incomplete character at the end is kept for the next piece.
            let whole = match std::str::from_utf8(&bytes) {
                Err(error) if error.error_len().is_none() => error.valid_up_to(),
                _ => bytes.len(),
            };
            self.bytes.extend_from_slice(&bytes[whole..]);
            let text = String::from_utf8_lossy(&bytes[PASTE.len()..whole]).into_owned();
            vec![Input::Event(Raw::Paste(text))]
        }

        /// Returns whether a paste has begun whose end is not among the bytes from `from` on. The bytes before
        /// them were searched when they arrived.
        fn within_paste(&self, from: usize) -> bool {
            let new = &self.bytes[from.saturating_sub(PASTE_END.len() - 1).min(self.bytes.len())..];
            self.bytes.starts_with(PASTE) && !new.windows(PASTE_END.len()).any(|part| part == PASTE_END)
        }

        /// Blocks until bytes have been read; `None` once the terminal is gone.
        fn read(&mut self) -> Option<()> {
            let mut chunk = [0; CHUNK];
            loop {
                match self.terminal.read(&mut chunk) {
                    Ok(0) => return None,
                    Ok(count) => {
                        self.bytes.extend_from_slice(&chunk[..count]);
                        return Some(());
                    }
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => return None,
                }
            }
        }

        /// Returns whether input arrives within a number of milliseconds.
        fn more(&self, milliseconds: i64) -> bool {
            let wait = Timespec { tv_sec: milliseconds / 1_000, tv_nsec: milliseconds % 1_000 * 1_000_000 };
            let mut fds = [PollFd::new(&self.terminal, PollFlags::IN)];
            poll(&mut fds, Some(&wait)).is_ok_and(|ready| ready > 0) && fds[0].revents().contains(PollFlags::IN)
        }

        fn decoded(&mut self, all: bool) -> Vec<Input> {
            let mut events = Vec::new();
            let mut at = 0;
            while let Some((used, event)) = decode(&self.bytes[at..], all) {
                at += used;
                let is_late = std::mem::take(&mut self.is_late);
                events.extend(event.filter(|_| !is_late));
            }
            self.bytes.drain(..at);
            events
        }
    }

    #[cfg(test)]
    mod tests {
        use std::io::Write;
        use std::time::Instant;

        use super::*;

        /// Returns a source and the other end of its pipe.
        fn terminal() -> (Source, File) {
            let (read, write) = std::io::pipe().expect("a pipe");
            let (terminal, keyboard) = (std::os::fd::OwnedFd::from(read), std::os::fd::OwnedFd::from(write));
            (Source::reading(terminal.into()), keyboard.into())
        }
        /// Returns the names of the next events.
        fn next(source: &mut Source) -> Vec<String> {
            let name = |input| match input {
                Input::Event(Raw::Key(key)) => crate::workbench::key::Key::from(key).to_string(),
                Input::Event(Raw::Paste(text)) => format!("paste {text}"),
                other => format!("{other:?}"),
            };
            source.next().expect("the terminal is there").into_iter().map(name).collect()
        }

        #[test]
        fn final_escape_key_does_not_wait_for_another_key() {
            let (mut source, mut keyboard) = terminal();
            keyboard.write_all(b"ab\x1b").expect("typed");
            assert_eq!(next(&mut source), ["a", "b"]);
            assert_eq!(next(&mut source), ["esc"], "though nothing comes after it");
            keyboard.write_all(b"c\x1b[").expect("typed");
            assert_eq!(next(&mut source), ["c"]);
            assert_eq!(next(&mut source), ["alt-["]);
        }

        #[test]
        fn split_terminal_reply_is_discarded_whole() {
            let (mut source, mut keyboard) = terminal();
            keyboard.write_all(b"a\x1b]11;rgb:00").expect("written");
            assert_eq!(next(&mut source), ["a"]);
            let rest = std::thread::spawn(move || {
                // Longer than the parts of a key may take.
                std::thread::sleep(std::time::Duration::from_millis(4 * REST as u64));
                keyboard.write_all(b"00/0000\x1b\\b").expect("written");
                keyboard
            });
            assert_eq!(next(&mut source), ["b"]);
            let mut keyboard = rest.join().expect("written");
            // A string without an end delays keys for at most a second.
            keyboard.write_all(b"\x1bP1+r54").expect("written");
            let typed = std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(1_500));
                keyboard.write_all(b"c").expect("typed");
                keyboard
            });
            assert_eq!(next(&mut source), ["c"]);
            drop(typed.join());
        }

        /// Writes the parts with pauses longer than the parts of a key may take.
        fn write_slowly(mut keyboard: File, parts: &'static [&'static str]) -> std::thread::JoinHandle<File> {
            std::thread::spawn(move || {
                for part in parts {
                    std::thread::sleep(std::time::Duration::from_millis(4 * REST as u64));
                    keyboard.write_all(part.as_bytes()).expect("written");
                }
                keyboard
            })
        }

        #[test]
        fn sequence_that_pauses_is_not_typed() {
            let (mut source, mut keyboard) = terminal();
            let all: [&'static [&'static str]; 8] = [
                &["\x1b[1", "A"],
                &["\x1b[1;", "1", "A"],
                &["\x1b[", "<35;1", "0;9M", "\x1b[A"],
                &["\x1b[<3", "5;10;9", "M\x1b[A"],
                &["\x1b", "[<35;10;9M", "\x1b[A"],
                &["\x1b", "[<35;", "10;9M", "\x1b[A"],
                &["\x1b[M", " ", "*", "%\x1b[A"],
                &["\x1b[", "1;5D", "\x1b[A"],
            ];
            for parts in all {
                let rest = write_slowly(keyboard, parts);
                let mut names = Vec::new();
                while names.last().is_none_or(|last| last != "up") {
                    names.extend(next(&mut source).into_iter().filter(|name| !name.contains("Mouse")));
                }
                // The start of a sequence is also a key.
                names.retain(|name| !["esc", "alt-["].contains(&name.as_str()));
                assert_eq!(names, ["up"], "{parts:?}");
                keyboard = rest.join().expect("written");
            }
            // Keys after esc are typed, although they resemble a sequence.
            let rest = write_slowly(keyboard, &["\x1b", "[1]", "\x1b", "x"]);
            for name in ["esc", "[", "1", "]", "esc", "x"] {
                let names = if name == "1" || name == "]" { continue } else { next(&mut source) };
                assert_eq!(names[0], name);
            }
            drop(rest.join());
        }

        #[test]
        fn rest_of_a_terminal_reply_given_up_is_discarded() {
            let (mut source, mut keyboard) = terminal();
            keyboard.write_all(b"a\x1b]11;rgb:00").expect("written");
            assert_eq!(next(&mut source), ["a"]);
            let late = std::thread::spawn(move || {
                std::thread::sleep(std::time::Duration::from_millis(REST_OF_PASTE as u64 + 500));
                keyboard.write_all(b"00/0000/0000\x1b\\b").expect("written");
                keyboard
            });
            assert_eq!(next(&mut source), ["b"]);
            drop(late.join());
        }

        #[test]
        fn unterminated_paste_delays_keys_for_at_most_a_second() {
            let (mut source, mut keyboard) = terminal();
            keyboard.write_all("x\x1b[200~abc ä".as_bytes()).expect("typed");
            keyboard.write_all(&"ö".as_bytes()[..1]).expect("typed");
            assert_eq!(next(&mut source), ["x"]);
            let begun = Instant::now();
            assert_eq!(next(&mut source), ["paste abc ä"]);
            assert!(begun.elapsed().as_millis() as i64 >= REST_OF_PASTE);
            keyboard.write_all(&"ö".as_bytes()[1..]).expect("typed");
            assert_eq!(next(&mut source), ["ö"]);
            // The end of the paste arrives late.
            keyboard.write_all(b"\x1b[201~y").expect("typed");
            assert_eq!(next(&mut source), ["y"]);
        }
    }
}
#[cfg(not(unix))]
mod source {
    use std::io;
    use std::time::Duration;

    use crossterm::event::{poll, read};

    use crate::workbench::edge::received::Input;

    pub struct Source;

    impl Source {
        pub fn open() -> io::Result<Source> {
            Ok(Source)
        }

        /// Waits for events and returns all that are available; `None` once the terminal is gone.
        pub fn next(&mut self) -> Option<Vec<Input>> {
            let mut events = vec![Input::Event(read().ok()?)];
            while poll(Duration::ZERO).unwrap_or(false) {
                events.push(Input::Event(read().ok()?));
            }
            Some(events)
        }
    }
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
                MouseEventKind::Down(MouseButton::Left) if mouse.modifiers.contains(KeyModifiers::CONTROL) => {
                    Mouse::Follow
                }
                MouseEventKind::Down(MouseButton::Left) if mouse.modifiers.contains(KeyModifiers::ALT) => {
                    Mouse::AddCursor
                }
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
