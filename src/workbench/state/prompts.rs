//! Prompts and questions, what waits for their answers, and the file to be opened next.

use std::path::PathBuf;

use crate::workbench::complete::Completion;
use crate::workbench::field::Field;
use crate::workbench::open::{OpenView, Target};
use crate::workbench::predict::Question;
use crate::workbench::run::RunMove;
use crate::workbench::state::waiting::{Conflict, PendingQuestions};
use crate::workbench::suggested::SuggestedView;
use crate::workbench::unsaved::UnsavedView;
use crate::workbench::welcome::WelcomeView;

/// A prompt or question that must be answered, or closed with Esc, before editing continues.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// The help with all keys and marks, filtered.
    Help(HelpView),
    Search(SearchBar),
    /// The new spelling of a name.
    Rename {
        name: String,
        field: Field,
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
    /// The proof of the chosen mutant, from this line on.
    Proof {
        top: usize,
    },
    /// The tests suggested for survivors.
    Suggested(SuggestedView),
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
    /// The welcome: the tour, recent files, samples and lessons.
    Welcome(WelcomeView),
}

/// The search bar.
#[derive(Clone, Debug)]
pub struct SearchBar {
    pub query: Field,
    /// The position where the search began.
    pub origin: usize,
    /// The text that replaces matches, once the user has asked for it.
    pub replacement: Option<Field>,
    /// Whether keys go to the replacement.
    pub replaces: bool,
}

impl SearchBar {
    pub fn new(query: &str, origin: usize) -> SearchBar {
        SearchBar { query: Field::new(query), origin, replacement: None, replaces: false }
    }

    /// Returns the field that keys go to.
    pub fn field(&self) -> &Field {
        self.replacement.as_ref().filter(|_| self.replaces).unwrap_or(&self.query)
    }
    pub fn field_mut(&mut self) -> &mut Field {
        self.replacement.as_mut().filter(|_| self.replaces).unwrap_or(&mut self.query)
    }
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
    /// The prefix key was pressed: the next key acts as alt with that key.
    pub prefixed: bool,
    /// The open list that completes a word.
    pub completion: Option<Completion>,
    /// Questions that stay pending until the user opens them.
    pub waiting: PendingQuestions,
    /// Quit once the text is saved.
    quit_when_saved: bool,
    /// Open this target once the text is saved.
    open_when_saved: Option<Target>,
    /// The file being opened, and the number of such requests so far.
    open_request: Option<Opening>,
    open_requests: u64,
    /// Why unsaved text is not journaled, if so.
    pub journal_error: Option<String>,
}

impl Prompts {
    /// Returns the state for another file.
    pub fn of_another_file(self) -> Prompts {
        let Prompts { open_requests, journal_error, prefixed, .. } = self;
        Prompts { open_requests, journal_error, prefixed, ..Prompts::default() }
    }

    /// Quits once the text is saved.
    pub fn quit_when_saved(&mut self) {
        self.quit_when_saved = true;
    }

    /// Opens a target once the text is saved.
    pub fn open_when_saved(&mut self, target: Target) {
        self.open_when_saved = Some(target);
    }

    /// Returns whether to quit, and the target to open, now that the text is saved.
    pub fn saved(&mut self) -> (bool, Option<Target>) {
        (std::mem::take(&mut self.quit_when_saved), self.open_when_saved.take())
    }

    /// Cancels the actions that wait until the text is saved.
    pub fn cancel_after_save(&mut self) {
        self.saved();
    }

    /// Requests a file for the text of a revision. Returns the request's number.
    pub fn request(&mut self, revision: u64, target: Target) -> u64 {
        self.open_requests += 1;
        self.open_request = Some(Opening { number: self.open_requests, revision, target });
        self.open_requests
    }

    /// Returns the request with this number if it is the current one, and forgets it.
    pub fn take_request(&mut self, number: u64) -> Option<Opening> {
        self.open_request.take_if(|request| request.number == number)
    }

    pub fn forget_request(&mut self) {
        self.open_request = None;
    }

    /// Returns the number of requests so far.
    pub fn requests(&self) -> u64 {
        self.open_requests
    }
}
