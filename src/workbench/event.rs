//! What happens to the workbench, and what it asks of the world outside.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::facts::EntryDetail;
use super::key::Key;
use super::race::News;
use crate::engine::Kind;
use crate::engine::session::{Update, Wish};

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
    Resize(u16, u16),
    /// The engine's word; `since` the edit that it answers.
    Engine {
        update: Update,
        since: Duration,
    },
    /// The tests' results in values.
    Details {
        revision: u64,
        details: Vec<EntryDetail>,
    },
    EngineStopped(String),
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
    /// The text was put aside under this name.
    PutAside(PathBuf),
    Notice(String),
    /// Text that a run before this one left.
    Recovered(Arc<str>),
}

/// What the state asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Effect {
    /// Send the text to the engine, as `State::revision`.
    Compile,
    Use(Option<Kind>),
    /// Compile this function neurally when there is time; `None`: none.
    Neural(Option<Wish>),
    /// Race the text's variants, as the race with this number.
    Race(u64),
    StopRace,
    /// Simulate noise when there is time, or no more.
    Noise(bool),
    /// Start the engine thread anew; the one before is gone.
    RestartEngine,
    /// Write the text, if the file still is what it is expected to be.
    Save {
        path: PathBuf,
        expect: Option<Arc<str>>,
        overwrite: bool,
    },
    /// Write the text beside the file, under another name.
    PutAside,
    Copy(String),
    Paste,
    Suspend,
    Redraw,
    /// The text is in the file.
    Saved,
    /// What a run before this one left is in the text now: its file is to go once that is saved.
    AdoptRecovery,
    /// Remove what a run before this one left.
    DropRecovery,
    Quit,
}
