//! The workbench's state. Events change it, drawing reads it; it does no IO and knows no clock.

mod panel;
pub mod waiting;

use std::path::PathBuf;
use std::sync::Arc;

use crate::engine::Kind;
use crate::engine::choose::Preference;
use crate::host::measure::energy::Watts;
use crate::lang::diagnostic::Code;
use crate::lang::samples::Sample;
use crate::lang::verdict::MutantStatus;
use crate::report::diagnostics::Diagnostic;
use crate::session::{Device, Extent, Looked};
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
use crate::workbench::results::{Cause, Listed, MutantView, Results, Shown};
use crate::workbench::rounds::RoundsView;
use crate::workbench::run::{RunView, Way};
use crate::workbench::text::{Buffer, Finder, Found};
use crate::workbench::unsaved::UnsavedView;
pub use panel::{ListView, Panel};
use waiting::{Conflict, Waiting};

/// The file behind the text.
#[derive(Clone, Debug, Default)]
pub struct FileInfo {
    /// `None` until a name is given.
    pub path: Option<PathBuf>,
    /// Whether the file begins with a byte order mark, which is no part of the text.
    pub bom: bool,
    /// What the file held when it was last read or written; `None` where there is none.
    pub on_disk: Option<Arc<str>>,
    /// The sample that the text began as, while it is in no file.
    pub sample: Option<Sample>,
    /// The lesson that the file is the work in.
    pub lesson: Option<Arc<Course>>,
}

impl FileInfo {
    pub fn name(&self) -> String {
        match self.path.as_ref().and_then(|p| p.file_name()) {
            Some(name) => name.to_string_lossy().into_owned(),
            None => self.sample.map_or("untitled".to_string(), |sample| format!("sample: {}", sample.name)),
        }
    }

    /// The name to save it under, as far as one is known.
    pub fn suggested(&self) -> String {
        match &self.path {
            Some(path) => path.display().to_string(),
            None => self.sample.map_or(String::new(), |sample| sample.name.to_string()),
        }
    }
}

/// An unsaved text of an earlier run that is in the text on screen now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Adopted {
    /// The journal's file that holds it.
    pub entry: PathBuf,
    /// Steps that could be undone once it was taken over: with fewer, it has been undone.
    pub steps: usize,
}

/// Something that must be answered, or left with Esc, before editing goes on.
#[derive(Clone, Debug)]
pub enum Overlay {
    /// The keys, filtered.
    Help(HelpView),
    /// The search line; `origin` is where the search began.
    Search {
        query: Field,
        origin: usize,
    },
    GotoLine(Field),
    /// The step of the run that is gone to.
    Step(Field),
    /// The call that is to be run.
    Run(Field),
    /// What comes next, to be guessed; and the way in the run that its answer leads.
    Guess {
        question: Question,
        way: Way,
        field: Field,
        /// What was typed last is no guess of its kind.
        refused: bool,
    },
    /// The condition of a breakpoint of a line.
    Condition {
        line: u32,
        field: Field,
    },
    SaveAs(Field),
    /// The prompt for another file.
    Open(OpenView),
    /// Opening another file with unsaved text.
    Leave(Target),
    /// The file changed on both sides.
    Conflict(Conflict),
    /// Saving under a name that is taken.
    Overwrite(PathBuf),
    /// Quitting with unsaved text.
    Quit,
    /// What earlier runs left unsaved.
    Unsaved(UnsavedView),
}

/// The help as it is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HelpView {
    pub filter: Field,
    /// The first line that shows.
    pub top: usize,
    /// Which of the bindings listed is chosen.
    pub chosen: usize,
}

/// A file that was asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opening {
    pub number: u64,
    /// The text on screen at that time.
    pub revision: u64,
    pub target: Target,
}

/// How loudly something is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    Plain,
    Good,
    Bad,
}

/// Characters of a message at most. Drivers and file systems say what they like, and each frame sets it in lines.
const LONGEST_MESSAGE: usize = 2_000;

/// What the status bar says until the next key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub tone: Tone,
    pub text: String,
}

/// Which mutants are listed: pairs are never among single changes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MutantFilter {
    /// All single changes, those that survive first.
    #[default]
    Singles,
    /// Single changes whose verdict the last edit changed.
    Changed,
    /// Single changes of this status.
    Status(MutantStatus),
    /// All pairs.
    Pairs,
}

impl MutantFilter {
    /// What is listed, in a word.
    pub fn word(self) -> &'static str {
        match self {
            MutantFilter::Singles => marks::SINGLES.word,
            MutantFilter::Changed => "changed",
            MutantFilter::Status(status) => marks::of_status(status).word,
            MutantFilter::Pairs => marks::PAIRS.word,
        }
    }
}

/// Which form of the intermediate code is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IrView {
    Lowered,
    /// After this many passes.
    Pass(usize),
    Optimized,
}

/// Which engine runs, as far as it has said.
#[derive(Clone, Debug, Default)]
pub struct EngineInfo {
    pub kind: Option<Kind>,
    pub description: String,
    pub reason: String,
    /// What measures its energy, or why nothing does.
    pub meter: String,
    /// How far the GPU engine is, whichever runs.
    pub device: Device,
    /// What the user asked for last.
    pub wanted: Preference,
    /// The engine thread is gone.
    pub stopped: bool,
}

/// The element under the cursor, in tokens of the shown program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    /// The token itself.
    pub token: u32,
    /// The node that it heads or belongs to.
    pub node: u32,
    /// The node's tokens.
    pub lo: u32,
    pub hi: u32,
}

/// Everything that is on the screen, and what is needed to change it.
#[derive(Debug)]
pub struct State {
    pub buffer: Buffer,
    pub file: FileInfo,
    /// Raised by each edit.
    pub revision: u64,
    /// Columns and rows of the screen.
    pub size: (u16, u16),
    pub focus: Panel,
    /// When each panel was last asked for: of panels that share a place, the latest shows.
    pub recency: [u32; Panel::MOST],
    /// When the diagnostics were asked for before an error brought them to the front, and when that was; `None` once it is
    /// mended.
    pub brought: Option<(u32, u32)>,
    pub zoomed: bool,
    /// The last keys, for an audience; only in presenter's mode.
    pub echo: Option<Echo>,
    pub lists: [ListView; Panel::MOST],
    /// First line and first column of the editor's view.
    pub editor_top: usize,
    pub editor_left: usize,
    pub overlay: Option<Overlay>,
    pub finder: Finder,
    pub found: Option<Found>,
    pub message: Option<Message>,
    pub engine: EngineInfo,
    pub results: Results,
    pub filter: MutantFilter,
    /// The diagnostic whose page shows below it.
    pub explained: Option<Code>,
    pub ir_view: IrView,
    pub ladder: LadderView,
    pub mutant: MutantView,
    pub rounds: RoundsView,
    pub run: RunView,
    pub lesson: LessonView,
    pub paper: PaperView,
    /// What is guessed, while somebody predicts.
    pub predict: Option<Predict>,
    pub watts: Watts,
    /// Whether every text goes through the shaders, whichever engine serves.
    pub shaders: bool,
    /// What is done while nobody types.
    pub idle: Extent,
    /// Internal clipboard, for when no other can be reached.
    pub clipboard: String,
    /// Questions that wait until somebody asks for them.
    pub waiting: Waiting,
    /// Why unsaved text is not kept, where it is not.
    pub unkept: Option<String>,
    /// An unsaved text of an earlier run that was taken over.
    pub adopted: Option<Adopted>,
    /// Quit as soon as the text is in the file.
    pub quit_when_saved: bool,
    /// Open this as soon as the text is in the file.
    pub open_when_saved: Option<Target>,
    /// What is being read to take the place of the file, and how often that was asked for.
    pub opening: Option<Opening>,
    pub openings: u64,
    /// The revision at which the file was opened.
    pub opened: u64,
    /// What was followed last; the views move only when it changes.
    pub followed: Option<Link>,
    /// The lists' views and the size as they were when the views were last settled.
    pub settled: [ListView; Panel::MOST],
    pub last_size: (u16, u16),
    /// What the engine was last told of what is looked at.
    pub looked: Looked,
    /// The race on the whole screen, if it is looked at.
    pub race: Option<RaceView>,
    /// The last race that has a result, once it has been left.
    pub left_race: Option<RaceView>,
    /// How many races there have been.
    pub races: u64,
}

impl State {
    pub fn new(text: &str, file: FileInfo) -> State {
        let mut results = Results::default();
        results.expect(1, Cause::Opened);
        State {
            buffer: Buffer::new(text),
            file,
            revision: 1,
            size: (80, 24),
            focus: Panel::default(),
            recency: Default::default(),
            brought: None,
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
            idle: Extent::default(),
            clipboard: String::new(),
            waiting: Waiting::default(),
            unkept: None,
            adopted: None,
            quit_when_saved: false,
            open_when_saved: None,
            opening: None,
            openings: 0,
            opened: 1,
            followed: None,
            settled: Default::default(),
            last_size: (0, 0),
            looked: Looked::default(),
            race: None,
            left_race: None,
            races: 0,
        }
    }

    /// Whether the text differs from the file's.
    pub fn dirty(&self) -> bool {
        match &self.file.on_disk {
            Some(saved) => !Arc::ptr_eq(saved, self.buffer.text()) && saved != self.buffer.text(),
            // Of a sample that is as it was nothing can be lost.
            None => self.file.sample.map_or("", |sample| sample.text) != &**self.buffer.text(),
        }
    }

    pub fn list(&self, panel: Panel) -> ListView {
        self.lists[panel.index()]
    }

    /// The text does not compile: the panels show an older program.
    pub fn stale(&self) -> bool {
        match (&self.results.shown, &self.results.latest) {
            (Some(shown), Some(latest)) => shown.revision != latest.revision,
            _ => false,
        }
    }
    /// The newest text that has an answer has errors.
    pub fn broken(&self) -> bool {
        self.results.latest.as_ref().is_some_and(|latest| latest.has_errors())
    }
    /// No answer for the newest text is in yet.
    pub fn pending(&self) -> bool {
        self.results.latest.as_ref().is_none_or(|l| l.revision < self.revision)
    }

    pub fn shown(&self) -> Option<&Arc<Shown>> {
        self.results.shown.as_ref()
    }

    /// Ids of the mutants that the filter lets through.
    pub fn listed_mutants(&self) -> Listed<'_> {
        let mutants = &self.results.mutants;
        match self.filter {
            // Survivors first would tell which survive.
            MutantFilter::Singles if self.predict.is_some() => Listed::ascending(&mutants.judged),
            MutantFilter::Singles => mutants.singles(),
            MutantFilter::Changed => Listed::ascending(&mutants.changed),
            MutantFilter::Status(status) => Listed::ascending(&mutants.ids[status as usize]),
            MutantFilter::Pairs => Listed::ascending(&mutants.pairs),
        }
    }

    /// Diagnostics that begin on a line of the text on screen.
    pub fn problems_on(&self, line: usize) -> impl Iterator<Item = &Diagnostic> {
        let start = self.buffer.byte_of(self.buffer.line_start(line));
        let last = line + 1 >= self.buffer.lines();
        let end = if last { usize::MAX } else { self.buffer.byte_of(self.buffer.line_start(line + 1)) };
        let drift = self.results.latest_drift;
        self.results.problems.iter().filter(move |p| (start..end).contains(&drift.forward(p.span.start)))
    }
    /// The worst diagnostic of a line, of equals the first.
    pub fn worst_on(&self, line: usize) -> Option<&Diagnostic> {
        self.problems_on(line).min_by_key(|problem| !problem.code.is_error())
    }

    /// Says something in the status bar; of what is very long the beginning.
    pub fn say(&mut self, tone: Tone, text: impl Into<String>) {
        let mut text = text.into();
        if let Some((end, _)) = text.char_indices().nth(LONGEST_MESSAGE) {
            text.truncate(end);
            text.push('…');
        }
        self.message = Some(Message { tone, text });
    }
}
