//! The workbench's state. Events change it and drawing reads it; it does no IO and reads no clock.

mod panel;
pub mod waiting;

use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::Kind;
use crate::engine::choose::Preference;
use crate::host::measure::energy::Watts;
use crate::lang::diagnostic::Code;
use crate::lang::index::{Indices, TokenId};
use crate::lang::samples::Sample;
use crate::lang::verdict::MutantStatus;
use crate::report::diagnostics::Diagnostic;
use crate::session::{CompareExtent, Device, VisibleJobs};
use crate::workbench::echo::Echo;
use crate::workbench::field::Field;
use crate::workbench::ladder::LadderView;
use crate::workbench::learn::Course;
use crate::workbench::lesson::LessonView;
use crate::workbench::marks;
use crate::workbench::open::{OpenView, Target};
use crate::workbench::paper::PaperView;
use crate::workbench::predict::{Predict, Question};
use crate::workbench::race::RaceView;
use crate::workbench::results::{Listed, MutantView, Results, Shown, TextOrigin};
use crate::workbench::rounds::RoundsView;
use crate::workbench::run::{RunView, Way};
use crate::workbench::text::{Buffer, Finder, Found};
use crate::workbench::unsaved::UnsavedView;
pub use panel::{ListView, Panel};
use waiting::{Conflict, Waiting};

/// The file that the text belongs to.
#[derive(Clone, Debug, Default)]
pub struct FileInfo {
    /// `None` until a name is given.
    pub path: Option<PathBuf>,
    /// Whether the file begins with a byte order mark, which is not part of the text.
    pub bom: bool,
    /// The file's content when it was last read or written; `None` if the file does not exist.
    pub on_disk: Option<Arc<str>>,
    /// The sample that the text started from, while it has no file.
    pub sample: Option<Sample>,
    /// The lesson that the file is work on.
    pub lesson: Option<Arc<Course>>,
}

impl FileInfo {
    pub fn name(&self) -> String {
        match self.path.as_ref().and_then(|p| p.file_name()) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => self.sample.map_or("untitled".to_string(), |sample| format!("sample: {}", sample.name)),
        }
    }

    /// Returns a default name to save under; empty if none is known.
    pub fn suggested(&self) -> String {
        match &self.path {
            Some(path) => path.display().to_string(),
            None => self.sample.map_or(String::new(), |sample| sample.name.to_string()),
        }
    }
}

/// An unsaved text of an earlier run that now replaces the text on screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adopted {
    /// The journal file that holds it.
    pub entry: PathBuf,
    /// The length of the undo history after it was taken over; a shorter history means that this was undone.
    pub steps: usize,
}

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
        way: Way,
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

/// The tone of a status message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Bad,
}

/// The maximum length of a message, in characters. Drivers and file systems may return texts of any length,
/// and each frame wraps the message.
const LONGEST_MESSAGE: usize = 2_000;

/// The message that the status bar shows until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub tone: Tone,
    pub text: String,
}

/// The filter of the list of mutants. The two orders are never mixed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MutantFilter {
    /// All first-order mutants, survivors first.
    #[default]
    Singles,
    /// First-order mutants whose verdict the last edit changed.
    Changed,
    /// First-order mutants with this status.
    Status(MutantStatus),
    /// All second-order mutants.
    Pairs,
}

impl MutantFilter {
    /// Returns the filter's name, one word.
    pub fn word(self) -> &'static str {
        match self {
            MutantFilter::Singles => marks::SINGLES.word,
            MutantFilter::Changed => "changed",
            MutantFilter::Status(status) => marks::of_status(status).word,
            MutantFilter::Pairs => marks::PAIRS.word,
        }
    }
}

/// The form of the intermediate code on display.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IrView {
    Lowered,
    /// After this many passes.
    Pass(usize),
    Optimized,
}

/// The engine in use, according to its last message.
#[derive(Clone, Debug, Default)]
pub struct EngineInfo {
    pub kind: Option<Kind>,
    pub description: String,
    pub reason: String,
    /// The meter that measures the engine's energy, or why it has none.
    pub meter: String,
    /// The progress of the GPU engine, whichever engine serves.
    pub device: Device,
    /// The user's last choice.
    pub wanted: Preference,
    /// The engine thread has ended.
    pub stopped: bool,
}

/// The element under the cursor, as tokens of the shown program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The token itself.
    pub token: TokenId,
    /// The node that the token heads or belongs to.
    pub node: TokenId,
    /// The node's tokens.
    pub tokens: Indices<TokenId>,
}

/// Everything that is on the screen or needed to change it.
#[derive(Debug)]
pub struct State {
    pub buffer: Buffer,
    pub file: FileInfo,
    /// Raised by each edit.
    pub revision: u64,
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    pub focus: Panel,
    /// When each panel was last requested; among panels that share a place, the latest is shown.
    pub recency: [u32; Panel::MOST],
    /// The recency of the diagnostics panel before an error brought it to the front, and after; `None` once
    /// the error is fixed.
    pub diagnostics_raised: Option<(u32, u32)>,
    pub zoomed: bool,
    /// The key echo, in presenter's mode only.
    pub echo: Option<Echo>,
    pub lists: [ListView; Panel::MOST],
    /// The first visible line and column of the editor.
    pub editor_top: usize,
    pub editor_left: usize,
    pub overlay: Option<Overlay>,
    pub finder: Finder,
    pub found: Option<Found>,
    pub message: Option<Message>,
    pub engine: EngineInfo,
    pub results: Results,
    pub filter: MutantFilter,
    /// The diagnostic whose explanation is shown below it.
    pub explained: Option<Code>,
    pub ir_view: IrView,
    pub ladder: LadderView,
    pub mutant: MutantView,
    pub rounds: RoundsView,
    pub run: RunView,
    pub lesson: LessonView,
    pub paper: PaperView,
    /// The guesses, while the user predicts.
    pub predict: Option<Predict>,
    pub watts: Watts,
    /// Whether every text also runs through the shaders, whichever engine serves.
    pub shaders: bool,
    /// The amount of idle work.
    pub idle: CompareExtent,
    /// The internal clipboard, used when no other is available.
    pub clipboard: String,
    /// Questions that stay pending until the user opens them.
    pub waiting: Waiting,
    /// Why unsaved text is not journaled, if so.
    pub journal_error: Option<String>,
    /// The unsaved text of an earlier run that was taken over.
    pub adopted: Option<Adopted>,
    /// Quit once the text is saved.
    pub quit_when_saved: bool,
    /// Open this target once the text is saved.
    pub open_when_saved: Option<Target>,
    /// The file being opened, and the number of such requests so far.
    pub open_request: Option<Opening>,
    pub open_requests: u64,
    /// The revision at which the file was opened.
    pub opened: u64,
    /// The last link followed; views scroll only when it changes.
    pub followed: Option<Link>,
    /// The list views and the size when the views were last settled.
    pub settled: [ListView; Panel::MOST],
    pub last_size: (u16, u16),
    /// The last message to the engine about what is on display.
    pub looked: VisibleJobs,
    /// The race, if it covers the screen.
    pub race: Option<RaceView>,
    /// The last race with a result that was left.
    pub left_race: Option<RaceView>,
    /// The number of races so far.
    pub races: u64,
}

impl State {
    pub fn new(text: &str, file: FileInfo) -> State {
        let mut results = Results::default();
        results.expect(1, TextOrigin::Opened);
        State {
            buffer: Buffer::new(text),
            file,
            revision: 1,
            size: (80, 24),
            focus: Panel::default(),
            recency: Default::default(),
            diagnostics_raised: None,
            zoomed: false,
            echo: None,
            lists: Default::default(),
            editor_top: 0,
            editor_left: 0,
            overlay: None,
            finder: Finder::default(),
            found: None,
            message: None,
            engine: EngineInfo::default(),
            results,
            filter: MutantFilter::default(),
            explained: None,
            ir_view: IrView::Optimized,
            ladder: LadderView::default(),
            mutant: MutantView::default(),
            rounds: RoundsView::default(),
            run: RunView::default(),
            lesson: LessonView::default(),
            paper: PaperView::default(),
            predict: None,
            watts: Watts::default(),
            shaders: true,
            idle: CompareExtent::default(),
            clipboard: String::new(),
            waiting: Waiting::default(),
            journal_error: None,
            adopted: None,
            quit_when_saved: false,
            open_when_saved: None,
            open_request: None,
            open_requests: 0,
            opened: 1,
            followed: None,
            settled: Default::default(),
            last_size: (0, 0),
            looked: VisibleJobs::default(),
            race: None,
            left_race: None,
            races: 0,
        }
    }

    /// Returns whether the text differs from the file's.
    pub fn dirty(&self) -> bool {
        match &self.file.on_disk {
            Some(saved) => !Arc::ptr_eq(saved, self.buffer.text()) && saved != self.buffer.text(),
            // An unchanged sample has nothing to lose.
            None => self.file.sample.map_or("", |sample| sample.text) != &**self.buffer.text(),
        }
    }

    pub fn list(&self, panel: Panel) -> ListView {
        self.lists[panel.index()]
    }

    /// Returns whether the panels show an older program because the text does not compile.
    pub fn stale(&self) -> bool {
        match (&self.results.shown, &self.results.latest) {
            (Some(shown), Some(latest)) => shown.revision != latest.revision,
            _ => false,
        }
    }
    /// Returns whether the newest text with an answer has errors.
    pub fn broken(&self) -> bool {
        self.results.latest.as_ref().is_some_and(|latest| latest.has_errors())
    }
    /// Returns whether the newest text has no answer yet.
    pub fn pending(&self) -> bool {
        self.results.latest.as_ref().is_none_or(|l| l.revision < self.revision)
    }

    pub fn shown(&self) -> Option<&Arc<Shown>> {
        self.results.shown.as_ref()
    }

    /// Returns the ids of the mutants that pass the filter.
    pub fn listed_mutants(&self) -> Listed<'_> {
        let mutants = &self.results.mutants;
        match self.filter {
            // Listing survivors first would reveal them.
            MutantFilter::Singles if self.predict.is_some() => Listed::ascending(&mutants.judged),
            MutantFilter::Singles => mutants.singles(),
            MutantFilter::Changed => Listed::ascending(&mutants.changed),
            MutantFilter::Status(status) => Listed::ascending(&mutants.ids[status as usize]),
            MutantFilter::Pairs => Listed::ascending(&mutants.pairs),
        }
    }

    /// Returns the diagnostics that begin on a line of the text on screen.
    pub fn problems_on(&self, line: usize) -> impl Iterator<Item = &Diagnostic> {
        let start = self.buffer.byte_of(self.buffer.line_start(line));
        let last = line + 1 >= self.buffer.lines();
        let end = if last { usize::MAX } else { self.buffer.byte_of(self.buffer.line_start(line + 1)) };
        let drift = self.results.latest_drift;
        self.results.problems.iter().filter(move |p| (start..end).contains(&drift.forward(p.span.start)))
    }
    /// Returns the most severe diagnostic of a line, the first of equals.
    pub fn worst_on(&self, line: usize) -> Option<&Diagnostic> {
        self.problems_on(line).min_by_key(|problem| !problem.code.is_error())
    }

    /// Shows a message in the status bar, cut to its maximum length.
    pub fn say(&mut self, tone: Tone, text: impl Into<String>) {
        let mut text = text.into();
        if let Some((end, _)) = text.char_indices().nth(LONGEST_MESSAGE) {
            text.truncate(end);
            text.push('…');
        }
        self.message = Some(Message { tone, text });
    }
}
