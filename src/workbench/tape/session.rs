//! A live session as the lines of a tape: the program, then the user's input with pauses.

use std::time::Duration;

use crossterm::event::KeyCode;

use super::line::{mark_lines, quoted};
use super::{Act, PRESSES, Tape, mouse};
use crate::report::visible::visible;
use crate::workbench::event::UserInput;
use crate::workbench::key::Key;
use crate::workbench::panels::layout::{LEAST, MOST};

/// Longer pauses of the user are written as this one.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// Keys pressed within this time of each other are written as one command.
pub const TOGETHER: Duration = Duration::from_millis(500);
/// Shorter pauses are not written.
const SHORTEST_PAUSE: Duration = Duration::from_millis(10);
/// Limit of the keys that are written as one command.
const MOST_TOGETHER: usize = 500;
/// Limit of the size of a tape, in bytes.
pub const LARGEST: usize = 32 << 20;
/// The name of a program without a file name that a tape can contain.
const UNNAMED: &str = "program.myr";
/// The key that leaves the prefix.
const ESCAPE: Key = Key { code: KeyCode::Esc, ctrl: false, alt: false, shift: false };
/// The last line of a tape that has reached a limit.
const FULL: &str = "# The session goes on, but a tape cannot be longer.\n";

#[derive(Clone, Debug)]
pub struct Beginning<'a> {
    /// The size of the screen, in columns and rows.
    pub size: (u16, u16),
    /// The name of the program's file, without folders.
    pub name: Option<&'a str>,
    pub text: &'a str,
    /// Line and column of the cursor, from 1, in characters.
    pub cursor: (usize, usize),
    pub presenter: bool,
    /// Lines of the configuration.
    pub config: &'a [String],
}

impl Beginning<'_> {
    fn lines(&self) -> String {
        let (width, height) = playable(self.size);
        let mut tape = format!(
            "# A recorded session. `myriad demo` plays it.\nSet Width {width}\nSet Height {height}\nSet TypingSpeed 0ms\nSet Clipboard taped\n"
        );
        if self.presenter {
            tape += "Set Presenter on\n";
        }
        for line in self.config {
            tape += &format!("Set Config '{line}'\n");
        }
        let name = self.name.filter(|name| visible(name) == *name).map(quoted);
        let name = match name.as_deref() {
            Some([name]) => name,
            _ => UNNAMED,
        };
        let place = match self.cursor {
            (1, 1) => String::new(),
            (line, column) => format!(" {line}:{column}"),
        };
        tape + &format!("Open {name}{place}\n{}", mark_lines(self.text))
    }
}

/// Keys that are written as one command: characters, or one key several times.
#[derive(Debug)]
struct SessionRun {
    keys: Vec<Key>,
    /// Times of the first and the last key.
    began: Duration,
    ended: Duration,
}

impl SessionRun {
    fn takes(&self, key: Key, at: Duration) -> bool {
        let soon = at.saturating_sub(self.ended) < TOGETHER && self.keys.len() < MOST_TOGETHER;
        let text = character(key).is_some() && self.keys.iter().all(|key| character(*key).is_some());
        soon && (text || self.keys.iter().all(|known| *known == key))
    }

    /// Returns the mean time between two keys, in whole milliseconds.
    fn pause(&self) -> Duration {
        let gaps = (self.keys.len() as u64 - 1).max(1);
        Duration::from_millis((self.ended - self.began).as_millis() as u64 / gaps)
    }

    fn lines(&self) -> String {
        let speed = match self.pause().as_millis() {
            0 => String::new(),
            pause => format!("@{pause}ms"),
        };
        let text: Option<String> = self.keys.iter().map(|key| character(*key)).collect();
        if let Some(text) = text {
            return quoted(&text).iter().map(|text| format!("Type{speed} {text}\n")).collect();
        }
        let times = if self.keys.len() > 1 { format!(" {}", self.keys.len()) } else { String::new() };
        let line = format!("{}{speed}{times}\n", self.keys[0]);
        // Some keys have no name in a tape. No command has such a key.
        let is_read = Tape::parse(&line).is_ok_and(|tape| {
            matches!(&tape.steps[..], [step] if matches!(&step.act, Act::Press { keys, .. } if *keys == self.keys))
        });
        if is_read { line } else { "# a key without a name\n".to_string() }
    }
}

/// Returns the nearest size that a tape may have.
fn playable((width, height): (u16, u16)) -> (u16, u16) {
    (width.clamp(LEAST.0, MOST.0), height.clamp(LEAST.1, MOST.1))
}

/// Returns the character that `Type` has for a key.
fn character(key: Key) -> Option<char> {
    key.typed().filter(|c| Key::typing(*c) == key)
}

/// The tape of a session that goes on. Methods return the lines to append.
#[derive(Debug)]
pub struct SessionTape {
    /// The time that the lines so far cover, since the beginning of the session.
    covered: Duration,
    /// The last keys, which are not written yet.
    run: Option<SessionRun>,
    presses: usize,
    bytes: usize,
    is_full: bool,
}

impl SessionTape {
    /// Begins a tape. Also returns its first lines.
    pub fn begin(beginning: &Beginning) -> (SessionTape, String) {
        let lines = beginning.lines();
        let tape =
            SessionTape { covered: Duration::ZERO, run: None, presses: 0, bytes: lines.len(), is_full: false };
        (tape, lines)
    }

    /// Records input at a time since the beginning of the session.
    pub fn record(&mut self, at: Duration, input: &UserInput) -> String {
        if let (UserInput::Key(key), Some(run)) = (input, &mut self.run)
            && run.takes(*key, at)
        {
            run.keys.push(*key);
            run.ended = at;
            return String::new();
        }
        let before = self.flush();
        let command = match input {
            UserInput::Key(key) => {
                self.run = Some(SessionRun { keys: vec![*key], began: at, ended: at });
                return before;
            }
            UserInput::Paste(text) => with_text("Paste", text),
            UserInput::Burst { text, is_continuation: false } => with_text("Burst", text),
            UserInput::Burst { text, is_continuation: true } => with_text("Burst@0", text),
            UserInput::Mouse { what, column, row, shift } => mouse::write(*what, *column, *row, *shift),
            UserInput::Resize(columns, rows) => {
                let (columns, rows) = playable((*columns, *rows));
                format!("Resize {columns} {rows}\n")
            }
        };
        before + &self.add(at, at, &command, 1)
    }

    /// Whether keys wait for more keys, which would be in the same command.
    pub fn waits(&self) -> bool {
        self.run.is_some()
    }

    /// Returns the lines for the last keys, if they are not written yet.
    pub fn flush(&mut self) -> String {
        let Some(run) = self.run.take() else { return String::new() };
        self.add(run.began, run.ended + run.pause(), &run.lines(), run.keys.len())
    }

    /// Removes the last keys, if they are not written yet.
    pub fn forget(&mut self) {
        self.run = None;
    }

    /// Removes the last key, if it is not written yet. After the prefix key, esc takes its place, which leaves the prefix.
    pub fn refuse(&mut self, prefixed: bool) -> String {
        let Some(run) = &mut self.run else { return String::new() };
        let at = run.ended;
        run.keys.pop();
        if run.keys.is_empty() {
            self.run = None;
        }
        if !prefixed {
            return String::new();
        }
        let before = self.flush();
        self.run = Some(SessionRun { keys: vec![ESCAPE], began: at, ended: at });
        before
    }

    /// Whether the tape has reached a limit, so that nothing is added.
    pub fn is_full(&self) -> bool {
        self.is_full
    }

    /// Returns a command that begins and ends at these times, after the pause before it.
    fn add(&mut self, began: Duration, ended: Duration, command: &str, presses: usize) -> String {
        if self.is_full {
            return String::new();
        }
        let pause = began.saturating_sub(self.covered).min(LONGEST_PAUSE);
        let mut lines = String::new();
        if pause >= SHORTEST_PAUSE {
            lines = format!("Sleep {}ms\n", pause.as_millis());
            self.covered = began;
        }
        lines += command;
        if self.presses + presses > PRESSES || self.bytes + lines.len() + FULL.len() > LARGEST {
            self.is_full = true;
            return FULL.to_string();
        }
        self.covered = self.covered.max(ended);
        self.presses += presses;
        self.bytes += lines.len();
        lines
    }
}

/// Returns a command with a text, in quotes or in the lines that follow.
fn with_text(command: &str, text: &str) -> String {
    match &quoted(text)[..] {
        [one] if !text.contains(['\n', '\r']) => format!("{command} {one}\n"),
        _ => format!("{command}\n{}", mark_lines(text)),
    }
}
