//! Prompts and questions, what waits for their answers, and the file to be opened next.

use std::path::PathBuf;

use crate::workbench::complete::Completion;
use crate::workbench::field::Field;
use crate::workbench::open::{OpenView, Target};
use crate::workbench::predict::PredictQuestion;
use crate::workbench::run::RunMove;
use crate::workbench::state::waiting::{Conflict, PendingQuestions};
use crate::workbench::suggested::SuggestedView;
use crate::workbench::theme::Palette;
use crate::workbench::unsaved::UnsavedView;
use crate::workbench::welcome::WelcomeView;

/// A prompt or question that must be answered, or closed with Esc, before editing continues.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// The help with all keys and marks, filtered.
    Help(HelpView),
    Search(SearchBar),
    /// A prompt of one line.
    Ask(Ask, Field),
    /// The list of arrangements, with the selected one.
    Arrange(usize),
    /// The list of palettes.
    Theme(ThemeView),
    Page(PageView),
    /// The tests suggested for survivors.
    Suggested(SuggestedView),
    /// The prompt that opens another file.
    Open(OpenView),
    /// Closing the file while its text is unsaved.
    Close,
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

impl Overlay {
    /// Returns whether it covers the last line only.
    pub fn is_one_line(&self) -> bool {
        matches!(self, Overlay::Search(_) | Overlay::Ask(..))
    }

    pub fn field(&mut self) -> Option<&mut Field> {
        match self {
            Overlay::Help(view) => Some(&mut view.filter),
            Overlay::Search(bar) => Some(bar.field_mut()),
            Overlay::Ask(_, field) => Some(field),
            Overlay::Open(view) => Some(&mut view.field),
            Overlay::Suggested(view) => view.field.as_mut(),
            _ => None,
        }
    }
}

/// The question of a prompt of one line.
#[derive(Clone, Debug)]
pub enum Ask {
    /// The new spelling of this name.
    Rename(String),
    Line,
    /// A command of modal editing, such as `w`.
    Command,
    /// A regular expression whose matches in the selections are selected, or the text between them.
    Matches {
        is_split: bool,
    },
    /// A step number of the run to go to.
    Step,
    /// A call to run.
    Call,
    /// The answer of a question, and how to move in the run after the guess.
    Guess {
        question: PredictQuestion,
        way: RunMove,
        /// The last input was not a guess of the question's kind.
        refused: bool,
    },
    /// The condition of this line's breakpoint.
    Condition(u32),
    /// The name to save under.
    FileName,
    /// The filter of the focused list.
    Filter,
}

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

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelpView {
    pub filter: Field,
    /// The first visible line.
    pub top: usize,
    /// The index of the chosen binding in the list.
    pub chosen: usize,
}

/// The list of palettes: the chosen one, and the palette before the list was opened.
#[derive(Clone, Copy, Debug)]
pub struct ThemeView {
    pub chosen: usize,
    pub before: Option<Palette>,
}

/// A page over the whole screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PageView {
    /// An explanation, as Markdown; `None` for the proof of the chosen mutant.
    pub text: Option<String>,
    /// The first visible line.
    pub top: usize,
}

/// An action that waits until the text is saved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AfterSave {
    Quit,
    Close,
    Open(Target),
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
    /// The action that waits until the text of the document with this number is saved.
    after_save: Option<(u64, AfterSave)>,
    /// The number of the request for a file that is being opened, and the number of such requests so far.
    open_request: Option<u64>,
    open_requests: u64,
    /// A mistake in the configuration, with what to do, in brief.
    pub config_error: Option<String>,
    /// Why unsaved text is not journaled, if so.
    pub journal_error: Option<String>,
    /// Whether the session goes on without its tape.
    pub tape_ended: bool,
}

impl Prompts {
    /// Closes prompts and forgets what waits for the text to be saved, because another file comes on screen.
    pub fn close(&mut self) {
        (self.overlay, self.after_save, self.open_request) = (None, None, None);
        self.completion = None;
    }

    /// Does this once the document is saved.
    pub fn after_save(&mut self, document: u64, next: AfterSave) {
        self.after_save = Some((document, next));
    }

    /// Returns what to do now that a document is saved.
    pub fn saved(&mut self, document: u64) -> Option<AfterSave> {
        self.after_save.take_if(|(waiting, _)| *waiting == document).map(|(_, next)| next)
    }

    /// Cancels the action that waits until the text is saved.
    pub fn cancel_after_save(&mut self) {
        self.after_save = None;
    }

    pub fn request(&mut self) -> u64 {
        self.open_requests += 1;
        self.open_request = Some(self.open_requests);
        self.open_requests
    }

    /// Returns whether the request with this number is the current one, and forgets it.
    pub fn take_request(&mut self, number: u64) -> bool {
        self.open_request.take_if(|request| *request == number).is_some()
    }

    pub fn is_requested(&self) -> bool {
        self.open_request.is_some()
    }

    pub fn forget_request(&mut self) {
        self.open_request = None;
    }

    pub fn requests(&self) -> u64 {
        self.open_requests
    }
}
