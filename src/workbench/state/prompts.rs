//! Prompts and questions, what waits for their answers, and the file to be opened next.

use std::path::PathBuf;

use crate::workbench::field::Field;
use crate::workbench::open::{OpenView, Target};
use crate::workbench::predict::Question;
use crate::workbench::run::RunMove;
use crate::workbench::state::waiting::{Conflict, Waiting};
use crate::workbench::unsaved::UnsavedView;

/// A prompt or question that must be answered, or closed with Esc, before editing continues.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// The help with all keys and marks, filtered.
    Help(HelpView),
    /// The search line; `origin` is where the search began.
    Search {
        query: Field,
        origin: usize,
    },
    GotoLine(Field),
    /// A step number of the run to go to.
    Step(Field),
    /// A call to run.
    Run(Field),
    /// A question whose answer the user guesses, and how to move in the run after the guess.
    Guess {
        question: Question,
        way: RunMove,
        field: Field,
        /// The last input was not a guess of the question's kind.
        refused: bool,
    },
    /// The condition of a line's breakpoint.
    Condition {
        line: u32,
        field: Field,
    },
    SaveAs(Field),
    /// The prompt that opens another file.
    Open(OpenView),
    /// Opening another file while the text is unsaved.
    Leave(Target),
    /// The file changed on both sides.
    Conflict(Conflict),
    /// Saving under a name that is taken.
    Overwrite(PathBuf),
    /// Quitting with unsaved text.
    Quit,
    /// The unsaved texts of earlier runs.
    Unsaved(UnsavedView),
}

/// The state of the help screen.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelpView {
    pub filter: Field,
    /// The first visible line.
    pub top: usize,
    /// The index of the chosen binding in the list.
    pub chosen: usize,
}

/// A request to open a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    pub number: u64,
    /// The revision on screen when it was requested.
    pub revision: u64,
    pub target: Target,
}

/// The prompts and pending questions.
#[derive(Debug, Default)]
pub struct Prompts {
    /// The open prompt or question.
    pub overlay: Option<Overlay>,
    /// Questions that stay pending until the user opens them.
    pub waiting: Waiting,
    /// Quit once the text is saved.
    pub quit_when_saved: bool,
    /// Open this target once the text is saved.
    pub open_when_saved: Option<Target>,
    /// The file being opened, and the number of such requests so far.
    pub open_request: Option<Opening>,
    pub open_requests: u64,
    /// Why unsaved text is not journaled, if so.
    pub journal_error: Option<String>,
}
