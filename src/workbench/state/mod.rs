//! The workbench's state: a part for each concern. Events change it and drawing reads it; it does no IO and reads no
//! clock.

mod arrangement;
mod document;
mod engine;
mod files;
mod filter;
mod mutants;
mod pinned;
mod prompts;
mod rules;
mod screen;
mod status;
pub mod waiting;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use crate::report::diagnostics::Diagnostic;
use crate::report::steps::Remark;
use crate::workbench::keymap::Keymap;
use crate::workbench::ladder::LadderView;
use crate::workbench::lesson::LessonView;
use crate::workbench::marks::{self, Mark};
use crate::workbench::modal::Modal;
use crate::workbench::paper::PaperView;
use crate::workbench::predict::Predict;
use crate::workbench::race::Races;
use crate::workbench::results::{Listed, Results, Shown, TextOrigin};
use crate::workbench::rounds::RoundsView;
use crate::workbench::run::RunView;
use crate::workbench::theme::Palette;
use crate::workbench::tour::TourView;
use crate::workbench::values::ValuesView;
pub use arrangement::{Arrangement, Arrangements, Kept};
pub use document::{EditorOptions, FileInfo, TextSearch, WorkbenchDocument};
pub use engine::EngineInfo;
pub use files::{Files, OpenFile};
pub use filter::Filter;
pub use mutants::{MutantChoice, MutantFilter, OwnProgram};
pub use pinned::Pinned;
pub use prompts::{AfterSave, Ask, HelpView, Overlay, PageView, Prompts, SearchBar, ThemeView};
pub use rules::RulesPass;
pub use screen::{BORDERS, IrView, Link, ListView, Panel, Screen};
pub use status::{Message, Status, Tone};

/// Everything that is on the screen or needed to change it.
#[derive(Debug)]
pub struct State {
    pub document: WorkbenchDocument,
    pub files: Files,
    pub screen: Screen,
    pub prompts: Prompts,
    pub status: Status,
    /// The keys in use; `None` for the default keys.
    pub keys: Option<Arc<Keymap>>,
    pub modal: Modal,
    pub engine: EngineInfo,
    pub results: Results,
    /// Whether the last event on the cursor's line was an edit, a moment ago.
    pub typing: bool,
    pub mutants: MutantChoice,
    pub rules: RulesPass,
    pub run: RunView,
    pub values: ValuesView,
    pub ladder: LadderView,
    pub rounds: RoundsView,
    pub lesson: LessonView,
    pub paper: PaperView,
    /// The guesses, while the user predicts.
    pub predict: Option<Predict>,
    pub race: Races,
    /// The progress of the tour, while it is on.
    pub tour: Option<TourView>,
    pub arrangements: Arrangements,
    /// Whether the user shows the tabs and keys of the laboratory.
    pub laboratory: bool,
    pub pinned: Option<Pinned>,
    /// The palette that the user chose while the program runs.
    pub palette: Option<Palette>,
    /// The files opened last, the newest first.
    pub recent: Vec<PathBuf>,
}

impl State {
    pub fn new(text: &str, file: FileInfo) -> State {
        let mut results = Results::default();
        results.expect(1, TextOrigin::Opened);
        State {
            document: WorkbenchDocument::new(text, file),
            files: Files::default(),
            screen: Screen::new(),
            prompts: Prompts::default(),
            status: Status::default(),
            keys: None,
            modal: Modal::default(),
            engine: EngineInfo { shaders: true, ..EngineInfo::default() },
            results,
            typing: false,
            mutants: MutantChoice::default(),
            rules: RulesPass::default(),
            run: RunView::default(),
            values: ValuesView::default(),
            ladder: LadderView::default(),
            rounds: RoundsView::default(),
            lesson: LessonView::default(),
            paper: PaperView::default(),
            predict: None,
            race: Races::default(),
            tour: None,
            arrangements: Arrangements::default(),
            laboratory: false,
            pinned: None,
            palette: None,
            recent: Vec::new(),
        }
    }

    /// Returns whether the text differs from the file's.
    pub fn dirty(&self) -> bool {
        self.document.dirty()
    }

    pub fn list(&self, panel: Panel) -> ListView {
        self.screen.list(panel)
    }

    /// Returns whether the panels show an older program because the text is too large to be compiled.
    pub fn stale(&self) -> bool {
        match (&self.results.shown, &self.results.latest) {
            (Some(shown), Some(latest)) => shown.revision != latest.revision,
            _ => false,
        }
    }
    /// Returns whether the newest text has no answer yet.
    pub fn pending(&self) -> bool {
        self.results.latest.as_ref().is_none_or(|l| l.revision < self.document.revision)
    }

    /// Returns whether a panel awaits an answer for so long that a mark says so.
    pub fn is_late(&self, panel: Panel) -> bool {
        self.engine.awaited.get(&panel).is_some_and(|(_, is_late)| *is_late)
    }

    pub fn shown(&self) -> Option<&Arc<Shown>> {
        self.results.shown.as_ref()
    }

    /// Returns the ids of the mutants that pass the filter.
    pub fn listed_mutants(&self) -> Listed<'_> {
        let mutants = &self.results.mutants;
        match self.mutants.filter {
            // Listing survivors first would reveal them.
            MutantFilter::Singles if self.predict.is_some() => Listed::ascending(&mutants.judged),
            MutantFilter::Singles => mutants.singles(),
            MutantFilter::Changed => Listed::ascending(&mutants.changed),
            MutantFilter::Status(status) => Listed::ascending(&mutants.ids[status as usize]),
            MutantFilter::Pairs => Listed::ascending(&mutants.pairs),
        }
    }

    /// Returns the diagnostics that are shown on a line of the text on screen, with their marks.
    pub fn problems_on(&self, line: usize) -> impl Iterator<Item = (&Diagnostic, &'static Mark)> {
        let start = self.document.buffer.byte_of(self.document.buffer.line_start(line));
        let last = line + 1 >= self.document.buffer.lines();
        let end = if last {
            usize::MAX
        } else {
            self.document.buffer.byte_of(self.document.buffer.line_start(line + 1))
        };
        let results = &self.results;
        let marked = results.problems.iter().enumerate().map(|(number, own)| (own, results.mark_of(number)));
        marked.filter(move |(problem, _)| (start..end).contains(&results.place_of(problem)))
    }
    /// Returns the most severe diagnostic of a line, the first of equals, with its mark.
    pub fn worst_on(&self, line: usize) -> Option<(&Diagnostic, &'static Mark)> {
        let severity = [&marks::ERROR, &marks::WARNING, &marks::UNFINISHED];
        self.problems_on(line).min_by_key(|(_, mark)| severity.iter().position(|one| one == mark))
    }

    /// Returns the limit that the newest text exceeds, if it is too large to be compiled.
    pub fn exceeded_limit(&self) -> Option<(&Diagnostic, &'static Mark)> {
        let is_refused = self.results.latest.as_ref().is_some_and(|latest| !latest.is_lowered());
        self.results.problems.first().filter(|_| is_refused).map(|problem| (problem, &marks::ERROR))
    }

    /// Returns what level 2 does not expand on a line of the text on screen, if the editor shows this.
    pub fn remarks_on(&self, line: usize) -> impl Iterator<Item = &Remark> {
        let shown = self.shown().filter(|_| self.screen.remarks && self.predict.is_none());
        let byte = self.document.buffer.byte_of(self.document.buffer.line_start(line));
        let old = shown.zip(self.results.shown_drift.back(byte));
        let old = old.map(|(shown, byte)| (shown, shown.place(byte as u32).0 as u32));
        let all = old.map(|(shown, line)| shown.remarks().iter().filter(move |own| own.span.line == line));
        all.into_iter().flatten()
    }

    /// Returns a text that names the keys in use instead of the default keys.
    pub fn spelled<'a>(&self, text: &'a str) -> Cow<'a, str> {
        self.keys.as_ref().map_or(Cow::Borrowed(text), |keys| keys.spelled(text))
    }

    /// Shows a message in the status bar.
    pub fn say(&mut self, tone: Tone, text: impl Into<String>) {
        let text = text.into();
        self.status.say(tone, self.spelled(&text));
    }
}
