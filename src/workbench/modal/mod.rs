//! Modal editing: keys of the editor in the manner of vi or of helix.
//!
//! [`Modal::press`] turns keys without ctrl and alt into edits of the text, or into a request to the workbench. All other
//! keys keep their meaning from the table of keys, and so do all keys of insert mode but esc.

mod absent;
mod edit;
mod helix;
mod insertion;
mod keys;
mod motion;
mod vi;

use crossterm::event::KeyCode;

use crate::workbench::key::Key;
use crate::workbench::text::{Buffer, Motion, Selection};
use absent::{ABSENT, Rest, UNUSED};
use edit::Register;
use insertion::Insertion;
pub use keys::ModalRow;
use motion::Find;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeySet {
    /// Without modes.
    #[default]
    Standard,
    Helix,
    Vi,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    #[default]
    Normal,
    Insert,
    /// Motions extend the selection: vi's visual mode, helix' select mode.
    Select,
    /// The selection consists of whole lines; vi only.
    SelectLines,
}

/// A request to the workbench that a key makes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    Search,
    NextMatch,
    PreviousMatch,
    /// The line for commands such as `:w`.
    CommandLine,
    Definition,
    /// Put this text on the clipboard.
    Copy(String),
    Say(&'static str),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// The key has its meaning from the table of keys.
    Other,
    Done,
    Wants(Request),
}

/// The maximum of a count before a command.
const MOST: usize = 9_999;

/// The beginning of a command of several keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Prefix {
    /// `g`
    Go,
    /// `m`, helix only.
    Match,
    /// `r`
    Replace,
    Find(Find),
    /// The first key of a command that is absent, and the keys of it that follow.
    Absent(char, Rest),
}

/// The state of modal editing.
#[derive(Clone, Debug, Default)]
pub struct Modal {
    set: KeySet,
    mode: Mode,
    count: Option<usize>,
    /// The operator that waits for its motion, and the count before it; vi only.
    operator: Option<(char, Option<usize>)>,
    prefix: Option<Prefix>,
    /// Whether the command is for a register with a name, which is absent.
    is_refused: bool,
    /// The insertion that a number repeats.
    insertion: Option<Insertion>,
    /// The other end of the selection in vi's visual modes.
    origin: usize,
    /// Whether the selection was made by the mouse or a key of the table, so the character at its end does not belong to it.
    is_foreign: bool,
    /// The column that `j` and `k` aim for.
    goal: Option<usize>,
    register: Register,
    /// The document and the position of its cursor after the last key.
    last: (u64, usize),
}

impl Modal {
    pub fn new(set: KeySet) -> Modal {
        Modal { set, ..Modal::default() }
    }

    /// Returns whether typed characters go into the text.
    pub fn inserts(&self) -> bool {
        self.set == KeySet::Standard || self.mode == Mode::Insert
    }

    /// Returns the name of the mode, with the beginning of a command; `None` without modes.
    pub fn shown(&self) -> Option<String> {
        let mode = match (self.set, self.mode) {
            (KeySet::Standard, _) => return None,
            (_, Mode::Normal) => "NORMAL",
            (_, Mode::Insert) => "INSERT",
            (KeySet::Helix, _) => "SELECT",
            (_, Mode::Select) => "VISUAL",
            (_, Mode::SelectLines) => "V-LINE",
        };
        let number = |count: Option<usize>| count.map_or(String::new(), |count| count.to_string());
        let operator = self.operator.map(|(operator, count)| format!("{}{operator}", number(count)));
        let prefix = match self.prefix {
            None => String::new(),
            Some(Prefix::Go) => "g".to_string(),
            Some(Prefix::Match) => "m".to_string(),
            Some(Prefix::Replace) => "r".to_string(),
            Some(Prefix::Find(find)) => find.key().to_string(),
            Some(Prefix::Absent(key, _)) => key.to_string(),
        };
        let register = if self.is_refused { "\"" } else { "" };
        let begun = format!("{register}{}{}{prefix}", operator.unwrap_or_default(), number(self.count));
        Some(if begun.is_empty() { mode.to_string() } else { format!("{mode} {begun}") })
    }

    /// Handles a key in the text of a document with this number.
    pub fn press(&mut self, key: Key, buffer: &mut Buffer, document: u64) -> Pressed {
        if self.set == KeySet::Standard {
            return Pressed::Other;
        }
        self.follow(buffer, document);
        let pressed = match self.mode {
            Mode::Insert => self.press_inserting(key, buffer),
            _ => self.press_commanding(key, buffer),
        };
        if !self.is_begun() {
            self.settle(buffer);
        }
        self.last = (document, buffer.head());
        pressed
    }

    /// Takes over what happened since the last key: another file came on screen, or the mouse or a command moved the cursor.
    fn follow(&mut self, buffer: &Buffer, document: u64) {
        let same = document == self.last.0;
        if !same {
            self.forget();
            self.insertion = None;
            self.mode = Mode::Normal;
        }
        if same && buffer.head() == self.last.1 {
            return;
        }
        self.goal = None;
        if self.set == KeySet::Vi && self.mode != Mode::Insert {
            let selection = buffer.selection();
            self.mode = if selection.is_empty() { Mode::Normal } else { Mode::Select };
            self.is_foreign = !selection.is_empty();
            self.origin = match selection.head < selection.anchor {
                true => buffer.target(Motion::Left, selection.anchor, 0),
                false => selection.anchor,
            };
        }
    }

    fn press_inserting(&mut self, key: Key, buffer: &mut Buffer) -> Pressed {
        if key.code != KeyCode::Esc {
            if moves(key.code) {
                // The text is then inserted at several places.
                self.insertion = None;
            }
            return Pressed::Other;
        }
        self.mode = Mode::Normal;
        let said = self.insertion.take().and_then(|insertion| insertion.repeat(buffer));
        buffer.join_gathered_steps();
        let head = buffer.head();
        if self.set == KeySet::Vi && head > buffer.line_start(buffer.line_of(head)) {
            buffer.select(Selection::at(buffer.target(Motion::Left, head, 0)));
        }
        said.map_or(Pressed::Done, |why| Pressed::Wants(Request::Say(why)))
    }

    fn press_commanding(&mut self, key: Key, buffer: &mut Buffer) -> Pressed {
        if key.code == KeyCode::Esc && (self.is_begun() || self.mode != Mode::Normal) {
            self.forget();
            self.mode = Mode::Normal;
            buffer.select(Selection::at(buffer.head()));
            return Pressed::Done;
        }
        if key.ctrl || key.alt || matches!(key.code, KeyCode::F(_)) {
            self.forget();
            return Pressed::Other;
        }
        if matches!(self.prefix, Some(Prefix::Absent(_, Rest::Line))) {
            if key.code == KeyCode::Enter {
                self.forget();
                return Pressed::Wants(Request::Say(ABSENT));
            }
            return Pressed::Wants(Request::Say(UNUSED));
        }
        let c = if self.prefix.is_some() { argument(key) } else { letter(key) };
        let wanted = match c {
            Some(c) => self.press_character(c, buffer),
            None if self.prefix.is_some() || self.operator.is_some() => {
                self.refuse("that key is not a character; nothing is changed")
            }
            None => {
                self.forget();
                return Pressed::Other;
            }
        };
        wanted.map_or(Pressed::Done, Pressed::Wants)
    }

    /// Handles a character outside insert mode.
    fn press_character(&mut self, c: char, buffer: &mut Buffer) -> Option<Request> {
        if self.is_refused {
            return self.press_refused(c, buffer);
        }
        if let Some(Prefix::Absent(first, rest)) = self.prefix {
            return self.swallow(first, rest, c);
        }
        if let Some(rest) = self.rest_of_absent(c) {
            return self.begin_absent(c, rest);
        }
        match self.set {
            KeySet::Helix => self.press_helix(c, buffer),
            _ => self.press_vi(c, buffer),
        }
    }

    /// In vi, the search for the next match starts after the character at the cursor.
    pub fn step_past_match(&self, buffer: &mut Buffer) {
        if self.set == KeySet::Vi {
            buffer.select(Selection::at(buffer.target(Motion::Right, buffer.head(), 0)));
        }
    }

    /// In vi, the cursor goes to the start of a match, which is not selected.
    pub fn leave_match(&self, buffer: &mut Buffer) {
        if self.set == KeySet::Vi {
            buffer.select(Selection::at(buffer.selection().range().start));
        }
    }

    /// Returns whether the keys so far are the beginning of a command.
    fn is_begun(&self) -> bool {
        self.count.is_some() || self.operator.is_some() || self.prefix.is_some() || self.is_refused
    }

    fn forget(&mut self) {
        (self.count, self.operator, self.prefix, self.is_refused) = (None, None, None, false);
    }

    /// Ends a command without an effect.
    fn refuse(&mut self, why: &'static str) -> Option<Request> {
        self.forget();
        Some(Request::Say(why))
    }

    /// Adds a digit to the count. Returns whether the key was one.
    fn counts(&mut self, c: char) -> bool {
        let Some(digit) = c.to_digit(10).filter(|digit| *digit > 0 || self.count.is_some()) else {
            return false;
        };
        self.count = Some((self.count.unwrap_or(0) * 10 + digit as usize).min(MOST));
        true
    }

    /// In vi, the cursor is on a character, never after the last one of its line.
    fn settle(&mut self, buffer: &mut Buffer) {
        if self.set == KeySet::Vi && self.mode == Mode::Normal && buffer.others().is_empty() {
            let head = buffer.head();
            let line = buffer.line_of(head);
            if head > buffer.line_start(line) && head >= buffer.line_end(line) {
                buffer.select(Selection::at(buffer.target(Motion::Left, head, 0)));
            }
        }
    }
}

/// Returns whether a key moves the cursor in insert mode.
fn moves(code: KeyCode) -> bool {
    use KeyCode::{Down, End, Home, Left, PageDown, PageUp, Right, Up};
    matches!(code, Down | End | Home | Left | PageDown | PageUp | Right | Up)
}

/// Returns the character that a key is for a command that takes one; `\n` for enter.
fn argument(key: Key) -> Option<char> {
    match key.code {
        KeyCode::Char(c) => Some(c),
        KeyCode::Enter if !key.shift => Some('\n'),
        KeyCode::Tab if !key.shift => Some('\t'),
        _ => None,
    }
}

/// Returns the letter that a key acts as outside insert mode; `None` for keys of the table of keys.
fn letter(key: Key) -> Option<char> {
    if key.ctrl || key.alt || key.shift {
        return None;
    }
    Some(match key.code {
        KeyCode::Char(c) => c,
        KeyCode::Left | KeyCode::Backspace => 'h',
        KeyCode::Down => 'j',
        KeyCode::Up => 'k',
        KeyCode::Right => 'l',
        KeyCode::Home => '0',
        KeyCode::End => '$',
        KeyCode::Delete => 'x',
        // They would change the text.
        KeyCode::Enter => 'j',
        KeyCode::Tab => '\t',
        _ => return None,
    })
}
