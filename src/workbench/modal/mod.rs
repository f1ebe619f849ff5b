//! Modal editing: keys of the editor in the manner of vi or of helix.
//!
//! [`Modal::press`] turns keys without ctrl and alt into edits of the text, or into a request to the workbench. All other
//! keys keep their meaning from the table of keys, and so do all keys of insert mode but esc.

mod absent;
mod command;
mod edit;
mod grammar;
mod helix;
mod insertion;
mod keys;
mod macros;
mod motion;
mod multiple;
mod object;
mod registers;
mod substitute;
mod table;
mod vi;
mod visual;

use crossterm::event::KeyCode;

use crate::workbench::key::Key;
use crate::workbench::text::{Buffer, Motion, Selection};
use absent::{ABSENT, UNUSED};
use command::{Action, Command, Find, context};
use grammar::{Next, Parsed, parse};
use insertion::{Change, Insertion};
pub use keys::ModalRow;
use macros::Macros;
pub use multiple::select_matches;
use multiple::split_lines;
use registers::Registers;
pub use substitute::{LineRange, Substitution};

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
    /// The `count`-th match of the last search from here.
    Match {
        is_forward: bool,
        count: usize,
    },
    /// The line for commands such as `:w`, with this text in it.
    CommandLine(String),
    Definition,
    /// Search for the `count`-th whole word like the one at the cursor.
    SearchWord {
        is_forward: bool,
        count: usize,
    },
    /// The prompt for a regular expression whose matches in the selections are selected, or the text between them.
    SelectMatches {
        is_split: bool,
    },
    /// A row of helix' menu for the space key.
    Menu(char),
    /// Put this text on the clipboard.
    Copy(String),
    Say(&'static str),
}

/// The result of a command: a request, or why it does nothing; without a text if that is plain.
type Outcome = Result<Option<Request>, &'static str>;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Pressed {
    /// The key has its meaning from the table of keys.
    Other,
    Done,
    Wants(Request),
}

/// The state of modal editing.
#[derive(Clone, Debug, Default)]
pub struct Modal {
    set: KeySet,
    mode: Mode,
    /// The keys of the command so far.
    keys: Vec<char>,
    /// The keys that may follow them.
    next: Option<Next>,
    insertion: Option<Insertion>,
    /// The last command that changed the text.
    change: Option<Change>,
    /// The other end of the selection in vi's visual modes.
    origin: usize,
    /// Whether the selection was made by the mouse or a key of the table, so the character at its end does not belong to it.
    is_foreign: bool,
    /// The column that `j` and `k` aim for.
    goal: Option<usize>,
    /// The last search for a character in the line.
    last_find: Option<(Find, char)>,
    /// Whether the last search goes to the start of the text, as `#` does.
    searches_back: bool,
    registers: Registers,
    macros: Macros,
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
        let recorded = self.recorded().map_or(String::new(), |name| format!(" @{name}"));
        let begun: String = self.keys.iter().collect();
        Some(if begun.is_empty() { format!("{mode}{recorded}") } else { format!("{mode}{recorded} {begun}") })
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
        self.end_insertion(buffer).map_or(Pressed::Done, |why| Pressed::Wants(Request::Say(why)))
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
            let is_split = self.set == KeySet::Helix && key == (Key { alt: true, ..Key::typing('s') });
            return if is_split && split_lines(buffer) { Pressed::Done } else { Pressed::Other };
        }
        let wanted = match self.next {
            Some(Next::Line) if key.code == KeyCode::Enter => self.refuse(ABSENT),
            Some(Next::Line) => Some(Request::Say(UNUSED)),
            next => match if next == Some(Next::Argument) { argument(key) } else { letter(key) } {
                Some(c) => self.press_character(c, buffer),
                None if next.is_some_and(|_| self.is_incomplete()) => {
                    self.refuse("that key is not a character; nothing is changed")
                }
                None => {
                    self.forget();
                    return Pressed::Other;
                }
            },
        };
        wanted.map_or(Pressed::Done, Pressed::Wants)
    }

    /// Handles a character outside insert mode.
    fn press_character(&mut self, c: char, buffer: &mut Buffer) -> Option<Request> {
        self.keys.push(c);
        match parse(self.context(), &self.keys) {
            Parsed::More(next) => {
                self.next = Some(next);
                (next == Next::Line).then_some(Request::Say(UNUSED))
            }
            Parsed::Refused(why) => self.refuse(why),
            Parsed::Done(command) => {
                self.forget();
                self.run(command, buffer).unwrap_or_else(|why| self.refuse(why))
            }
        }
    }

    /// Returns the context of the next command.
    fn context(&self) -> u8 {
        let recording = if self.is_recording() { context::RECORDING } else { context::IDLE };
        match (self.set, self.mode) {
            (KeySet::Helix, _) => context::HELIX,
            (_, Mode::Normal | Mode::Insert) => context::NORMAL | recording,
            (_, Mode::Select | Mode::SelectLines) => context::VISUAL | recording,
        }
    }

    /// Runs a command.
    fn run(&mut self, command: Command, buffer: &mut Buffer) -> Outcome {
        let change = match self.set {
            KeySet::Helix => helix::repeatable(command),
            _ => self.repeatable_vi(command, buffer),
        };
        self.registers.chosen = command.register;
        let outcome = match self.set {
            KeySet::Helix => self.run_helix(command, buffer),
            _ => self.run_vi(command, buffer),
        };
        self.registers.chosen = None;
        if let Some(command) = change.filter(|_| outcome.is_ok()) {
            self.change = Some(Change { command, text: None });
        }
        outcome
    }

    /// Runs a command that both key sets have, or that asks the workbench.
    fn act_in_both(&mut self, buffer: &mut Buffer, action: Action, count: Option<usize>) -> Outcome {
        let n = count.unwrap_or(1);
        Ok(Some(match action {
            Action::Repeat => return self.repeat(buffer, count),
            Action::SetMark(name) => {
                buffer.set_mark(name, buffer.head());
                return Ok(None);
            }
            Action::Record(name) => return self.begin_recording(name),
            Action::EndRecord => return self.end_recording(),
            Action::Play(name) => return self.queue(name, n),
            Action::RecordOrEnd if self.is_recording() => return self.end_recording(),
            Action::RecordOrEnd => return self.begin_recording(self.registers.chosen.unwrap_or('@')),
            Action::PlayRecorded => return self.queue(self.registers.chosen.unwrap_or('@'), n),
            Action::Search => {
                self.searches_back = false;
                Request::Search
            }
            Action::NextMatch => Request::Match { is_forward: !self.searches_back, count: n },
            Action::PreviousMatch => Request::Match { is_forward: self.searches_back, count: n },
            Action::SearchWord { is_forward } => {
                self.searches_back = !is_forward;
                Request::SearchWord { is_forward, count: n }
            }
            Action::CommandLine => Request::CommandLine(String::new()),
            Action::Definition => Request::Definition,
            Action::SelectMatches { is_split } => Request::SelectMatches { is_split },
            Action::Menu(row) => Request::Menu(row),
            _ => return Err(ABSENT),
        }))
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
        !self.keys.is_empty()
    }

    /// Returns whether the keys so far are more than a number.
    fn is_incomplete(&self) -> bool {
        self.keys.iter().any(|c| !c.is_ascii_digit())
    }

    fn forget(&mut self) {
        self.keys.clear();
        self.next = None;
    }

    /// Ends a command without an effect; a macro ends with it.
    fn refuse(&mut self, why: &'static str) -> Option<Request> {
        self.forget();
        self.macros.has_failed = true;
        (!why.is_empty()).then_some(Request::Say(why))
    }

    /// In vi, the cursor is on a character, never after the last one of its line.
    fn settle(&mut self, buffer: &mut Buffer) {
        if self.set == KeySet::Vi && self.mode == Mode::Normal && buffer.others().is_empty() {
            let head = vi::within(buffer, buffer.head());
            if head != buffer.head() {
                buffer.select(Selection::at(head));
            }
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
