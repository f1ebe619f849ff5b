//! Events that change the workbench's state, and effects that the state requests from the outside world.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::choose::Preference;
use crate::lang::index::RoutineId;
use crate::lang::level::LevelChoice;
use crate::session::{RunRequest, Update, VisibleJobs};
use crate::workbench::example::NoTest;
use crate::workbench::facts::EntryDetail;
use crate::workbench::key::Key;
use crate::workbench::open::{OpenEntry, OpenPlace, Target};
use crate::workbench::race::RaceMessage;
use crate::workbench::state::{Arrangements, FileInfo, Panel};
use crate::workbench::unsaved::Unsaved;

/// A mouse action at a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mouse {
    /// The left button; the number counts clicks in quick succession.
    Click(u8),
    /// The left button with ctrl: to the declaration.
    Follow,
    /// The left button with alt: another cursor.
    AddCursor,
    Drag,
    /// Rows, downward positive.
    Scroll(i32),
    /// Columns, rightward positive.
    ScrollAcross(i32),
}

/// What a timer ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Fading {
    /// The echo of the key with this number.
    Echo(u64),
    /// The time in which a panel awaits an answer silently, from the revision with this number.
    Wait(Panel, u64),
    /// A frame of the replay of the race with this number.
    Race(u64),
    /// The time in which a loop without an end counts as unfinished, for the text with this revision.
    Typing(u64),
}

/// An event that the user causes. Tapes contain these events only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum UserInput {
    Key(Key),
    Mouse {
        what: Mouse,
        column: u16,
        row: u16,
        shift: bool,
    },
    /// A pasted text. Lines end with a line feed.
    Paste(String),
    /// A burst of keys. Lines end with a line feed.
    Burst {
        text: String,
        is_continuation: bool,
    },
    /// The screen has another size, in columns and rows.
    Resize(u16, u16),
}

impl UserInput {
    /// Returns the input that an event reports; `None` for all other events.
    pub fn of(event: &Event) -> Option<UserInput> {
        let lines = |text: &str| text.replace("\r\n", "\n").replace('\r', "\n");
        Some(match event {
            Event::Key(key) => UserInput::Key(*key),
            &Event::Mouse { what, column, row, shift } => UserInput::Mouse { what, column, row, shift },
            Event::Paste(text) => UserInput::Paste(lines(text)),
            Event::Burst { text, is_continuation } => {
                UserInput::Burst { text: lines(text), is_continuation: *is_continuation }
            }
            Event::Resize(width, height) => UserInput::Resize(*width, *height),
            _ => return None,
        })
    }
}

impl From<UserInput> for Event {
    fn from(input: UserInput) -> Event {
        match input {
            UserInput::Key(key) => Event::Key(key),
            UserInput::Mouse { what, column, row, shift } => Event::Mouse { what, column, row, shift },
            UserInput::Paste(text) => Event::Paste(text),
            // Terminals send enter as a carriage return.
            UserInput::Burst { text, is_continuation } => {
                Event::Burst { text: text.replace('\n', "\r"), is_continuation }
            }
            UserInput::Resize(width, height) => Event::Resize(width, height),
        }
    }
}

/// The contents found at the file's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FileContents {
    Text { text: Arc<str>, bom: bool },
    Gone,
    ReadError(String),
}

/// A file that was read in order to replace the one on screen.
#[derive(Clone, Debug)]
pub struct Opened {
    pub number: u64,
    pub file: FileInfo,
    pub text: Arc<str>,
    /// Where to place the cursor.
    pub place: Option<OpenPlace>,
    /// A note for the status bar.
    pub note: Option<String>,
}

/// Everything that can change the state.
#[derive(Clone, Debug)]
pub enum Event {
    Key(Key),
    Mouse {
        what: Mouse,
        column: u16,
        row: u16,
        shift: bool,
    },
    /// Text pasted by the terminal, or from the clipboard on request.
    Paste(String),
    /// Keys that arrived faster than anyone types, as text. If `is_continuation`, the text continues the previous
    /// burst.
    Burst {
        text: String,
        is_continuation: bool,
    },
    Resize(u16, u16),
    /// A timer has expired.
    Fade(Fading),
    /// A message of the engine; `since` is the time since the edit that it answers.
    Engine {
        update: Box<Update>,
        since: Duration,
    },
    /// The tests' results as values.
    Details {
        revision: u64,
        details: Vec<EntryDetail>,
    },
    EngineStopped(String),
    /// A test for a function of the text at a revision, or why none was found.
    Test {
        revision: u64,
        test: Result<String, NoTest>,
    },
    /// A message of the race with this number.
    Race {
        number: u64,
        news: RaceMessage,
    },
    /// The file was read again because it may have changed.
    FileContents(FileContents),
    Saved {
        path: PathBuf,
        text: Arc<str>,
        /// A note for the status bar.
        note: Option<String>,
    },
    /// Saving failed; the text is unchanged.
    SaveFailed(String),
    /// The file on disk holds content that this workbench neither read nor wrote.
    SaveConflict {
        theirs: Arc<str>,
        bom: bool,
    },
    /// A file with this name exists already.
    SaveExists(PathBuf),
    /// The text was saved under another name.
    CopySaved {
        path: PathBuf,
        text: Arc<str>,
    },
    /// An event of the open file with this number. It is ignored if the file has been closed.
    FileEvent {
        document: u64,
        event: Box<Event>,
    },
    /// The file to open is the open one with this number.
    AlreadyOpen {
        number: u64,
        document: u64,
        place: Option<OpenPlace>,
    },
    /// The text of a file, for the preview of the prompt, or why it could not be read.
    Previewed {
        path: String,
        text: Result<Arc<str>, String>,
    },
    /// The contents of a folder, or why they could not be read.
    Listed {
        folder: String,
        entries: Result<Vec<OpenEntry>, String>,
    },
    Opened(Box<Opened>),
    /// The path to open is this folder.
    OpenedFolder {
        number: u64,
        folder: String,
    },
    OpenFailed {
        number: u64,
        why: String,
    },
    Notice(String),
    /// The tape of the session ends here, for this reason.
    TapeEnded(String),
    /// Unsaved texts of earlier runs, the number of further ones, and whether another run holds one of the
    /// same file.
    Unsaved {
        texts: Vec<Unsaved>,
        more: usize,
        held: bool,
        /// The user asked for the list.
        asked: bool,
    },
    /// Why unsaved text is not journaled; `None` once it is.
    JournalFailed(Option<String>),
    /// The arrangements of the screen that an earlier run has kept.
    Arrangements(Arrangements),
    /// More rows can be compared with the filter of a list.
    Scan,
    /// The terminal's background colour, as red, green and blue.
    Background((u8, u8, u8)),
    /// The files opened last, the newest first.
    Recent(Vec<PathBuf>),
}

/// A request of the state to the outside world.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send the text to the engine, as `State::revision`.
    Compile,
    Use(Preference),
    /// Let this choose the level that programs are optimized to.
    Optimize(LevelChoice),
    /// Judge all variants of every text, or as many as the budget says.
    JudgeAll(bool),
    /// Compute the results that this panel needs, when there is time.
    Look(VisibleJobs),
    /// Record this run, of this text and of later texts, while the Run panel is shown.
    Run(Arc<RunRequest>),
    /// Race the text's variants, as the race with this number.
    Race(u64),
    StopRace,
    /// Find a test for this function of the shown program.
    WriteTest {
        revision: u64,
        function: RoutineId,
    },
    /// Start a new engine thread; the previous one has ended.
    RestartEngine,
    /// Write the text, if the file still holds what is expected.
    Save {
        path: PathBuf,
        expect: Option<Arc<str>>,
        overwrite: bool,
    },
    /// List the folder that the user typed.
    List(String),
    /// Read the target, to show it on screen if that succeeds. `open` has the numbers and paths of all open files.
    Open {
        number: u64,
        target: Target,
        open: Vec<(u64, PathBuf)>,
    },
    /// Read a file for the preview.
    Preview(String),
    /// A file was opened, and is now on screen.
    Opened,
    /// An open file is now on screen, or one was closed.
    Shown,
    /// Write the file's own text to a sibling file with another name, then the text on screen to the file.
    SaveKeepingTheirs {
        path: PathBuf,
        theirs: Arc<str>,
        bom: bool,
    },
    /// Write the text on screen to a sibling file with another name.
    SaveCopy,
    Copy(String),
    Paste,
    /// Keep the arrangements of the screen for later runs.
    KeepArrangements(Arrangements),
    /// Send [`Event::Scan`] after the events that have arrived.
    Scan,
    Suspend,
    Redraw,
    /// Send [`Event::Fade`] after a delay.
    Fade {
        what: Fading,
        after: Duration,
    },
    /// The text has been saved.
    Saved,
    /// All goals of the lesson with this name are reached.
    LessonDone(String),
    /// List the unsaved texts of all earlier runs, whatever their file.
    FindUnsaved,
    /// Remove an unsaved text from the journal.
    DropUnsaved(PathBuf),
    /// Offer an unsaved text from now on, but do not open it automatically.
    DeclineUnsaved(PathBuf),
    Quit,
}
