//! What happens to the workbench, and what it asks of the world outside.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use crate::engine::choose::Preference;
use crate::session::{Looked, Update, Wish};
use crate::workbench::example::NoTest;
use crate::workbench::facts::EntryDetail;
use crate::workbench::key::Key;
use crate::workbench::open::{Entry, Place, Target};
use crate::workbench::race::News;
use crate::workbench::state::FileInfo;
use crate::workbench::unsaved::Unsaved;

/// What the mouse did, at a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mouse {
    /// The left button, so many times in quick succession.
    Click(u8),
    Drag,
    /// Rows, downward positive.
    Scroll(i32),
    /// Columns, rightward positive.
    ScrollAcross(i32),
}

/// What was found where the file is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Disk {
    Text { text: Arc<str>, bom: bool },
    Gone,
    Unreadable(String),
}

/// A file that was read to take the place of the one on screen.
#[derive(Clone, Debug)]
pub struct Opened {
    /// The number that it was asked for by.
    pub number: u64,
    pub file: FileInfo,
    pub text: Arc<str>,
    /// Where the cursor is to stand.
    pub place: Option<Place>,
    /// What is to be said of it.
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
    /// Keys that came faster than anyone types, as the text that they type; `goes_on` where the one before ended.
    Burst {
        text: String,
        goes_on: bool,
    },
    Resize(u16, u16),
    /// The time is up for the echo of the keys up to this one.
    Fade(u64),
    /// The engine's word; `since` the edit that it answers.
    Engine {
        update: Box<Update>,
        since: Duration,
    },
    /// The tests' results in values.
    Details {
        revision: u64,
        details: Vec<EntryDetail>,
    },
    EngineStopped(String),
    /// A test of a function of the text as of a revision, or why there is none.
    Test {
        revision: u64,
        test: Result<String, NoTest>,
    },
    /// The word of the race with this number.
    Race {
        number: u64,
        news: News,
    },
    /// The file, when it may have changed.
    Disk(Disk),
    Saved {
        path: PathBuf,
        text: Arc<str>,
        /// What else is to be said of it.
        note: Option<String>,
    },
    /// Saving failed; the text is as it was.
    SaveFailed(String),
    /// The file holds something that was neither read nor written here.
    SaveConflict {
        theirs: Arc<str>,
        bom: bool,
    },
    /// There is a file under that name already.
    SaveExists(PathBuf),
    /// This text was put aside under this name.
    PutAside {
        path: PathBuf,
        text: Arc<str>,
    },
    /// What happened to the file that was opened as of this revision: nothing to the one that is on screen, if that is
    /// another.
    OfFile {
        opened: u64,
        event: Box<Event>,
    },
    /// What is in a folder, or why that is not known.
    Listed {
        folder: String,
        entries: Result<Vec<Entry>, String>,
    },
    Opened(Box<Opened>),
    /// What was to be opened is this folder.
    OpenedFolder {
        number: u64,
        folder: String,
    },
    OpenFailed {
        number: u64,
        why: String,
    },
    Notice(String),
    /// Unsaved texts that earlier runs left, and how many more; whether another run has one of the same file.
    Unsaved {
        texts: Vec<Unsaved>,
        more: usize,
        held: bool,
        /// Somebody asked for them.
        asked: bool,
    },
    /// Why unsaved text is not kept; `None` once it is.
    Unkept(Option<String>),
}

/// What the state asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send the text to the engine, as `State::revision`.
    Compile,
    Use(Preference),
    /// Do what this needs when there is time.
    Look(Looked),
    /// Record this run, of this text and those that follow, while it is looked at.
    Run(Arc<Wish>),
    /// Race the text's variants, as the race with this number.
    Race(u64),
    StopRace,
    /// Find a test of this function of the program that is shown.
    WriteTest {
        revision: u64,
        function: u32,
    },
    /// Start the engine thread anew; the one before is gone.
    RestartEngine,
    /// Write the text, if the file still is what it is expected to be.
    Save {
        path: PathBuf,
        expect: Option<Arc<str>>,
        overwrite: bool,
    },
    /// Say what is in a folder, as somebody typed it.
    List(String),
    /// Read what is to take the place of the file on screen, if it can be read.
    Open {
        number: u64,
        target: Target,
    },
    /// Another file is on screen now.
    Opened,
    /// Write the file's own text beside it, under another name, then the text on screen in its place.
    SaveBeside {
        path: PathBuf,
        theirs: Arc<str>,
        bom: bool,
    },
    /// Write the text on screen beside the file, under another name.
    PutAside,
    Copy(String),
    Paste,
    Suspend,
    Redraw,
    /// Say [`Event::Fade`] of this key after so long.
    Fade {
        number: u64,
        after: Duration,
    },
    /// The text is in the file.
    Saved,
    /// Every goal of the lesson that is known by this is reached.
    LessonDone(String),
    /// Say what all earlier runs left unsaved, of whatever file.
    FindUnsaved,
    /// Remove an unsaved text from the journal.
    DropUnsaved(PathBuf),
    Quit,
}
