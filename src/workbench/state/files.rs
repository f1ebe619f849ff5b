//! The open files. One is on screen; the others keep everything that belongs to them alone: text, undo history, cursor,
//! verdicts, scroll positions and pending questions.

use std::path::Path;

use crate::workbench::ladder::LadderView;
use crate::workbench::lesson::LessonView;
use crate::workbench::predict::Predict;
use crate::workbench::results::Results;
use crate::workbench::rounds::RoundsView;
use crate::workbench::run::RunView;
use crate::workbench::state::document::FIRST_ID;
use crate::workbench::state::waiting::PendingQuestions;
use crate::workbench::state::{FileInfo, MutantChoice, Screen, State, WorkbenchDocument};
use crate::workbench::unsaved::UnsavedText;

/// Everything that belongs to one file.
#[derive(Debug)]
pub struct OpenFile {
    pub document: WorkbenchDocument,
    pub waiting: PendingQuestions,
    screen: Screen,
    results: Results,
    mutants: MutantChoice,
    run: RunView,
    ladder: LadderView,
    rounds: RoundsView,
    lesson: LessonView,
    predict: Option<Predict>,
}

impl OpenFile {
    /// Creates the state of a file that has just been read.
    pub fn new(text: &str, file: FileInfo, id: u64) -> OpenFile {
        let mut document = WorkbenchDocument::new(text, file);
        document.id = id;
        OpenFile {
            document,
            waiting: PendingQuestions::default(),
            screen: Screen::new(),
            results: Results::default(),
            mutants: MutantChoice::default(),
            run: RunView::default(),
            ladder: LadderView::default(),
            rounds: RoundsView::default(),
            lesson: LessonView::default(),
            predict: None,
        }
    }
}

/// The open files that are not on screen, and the order in which files were on screen.
#[derive(Debug, Default)]
pub struct Files {
    /// The file that was on screen last is the last.
    pub others: Vec<OpenFile>,
    /// The number of files opened so far.
    opened: u64,
    /// The files visited one after the other, and the index of the current visit.
    visits: Vec<u64>,
    visit: usize,
}

/// The maximum number of open files. Clean ones beyond it are closed, the oldest first; while this many have unsaved texts,
/// no other is opened.
pub const MOST: usize = 50;
/// The number of files, most recent first, whose verdicts are kept. Those of others are found again when they are shown.
const JUDGED: usize = 10;

/// The maximum number of visits that are remembered.
const VISITS: usize = 100;

impl Files {
    /// Returns a number for another file.
    pub fn new_id(&mut self) -> u64 {
        self.opened += 1;
        FIRST_ID + self.opened
    }

    /// Closes clean files beyond the maximum, and drops verdicts of files that were on screen long ago.
    fn tidy(&mut self) {
        while self.others.len() > MOST
            && let Some(oldest) = self.others.iter().position(|file| !file.document.dirty())
        {
            self.others.remove(oldest);
        }
        let old = self.others.len().saturating_sub(JUDGED);
        for file in &mut self.others[..old] {
            file.results = Results::default();
            let breakpoints = std::mem::take(&mut file.run.breakpoints);
            file.run = RunView::default();
            file.run.breakpoints = breakpoints;
        }
    }

    /// Returns whether no more files can be opened until some are saved.
    pub fn is_full(&self) -> bool {
        self.others.iter().filter(|file| file.document.dirty()).count() >= MOST
    }

    /// Records that a file is now on screen, after `before`.
    fn visited(&mut self, before: u64, id: u64) {
        if self.visits.is_empty() {
            self.visits.push(before);
        }
        self.visits.truncate(self.visit + 1);
        self.visits.push(id);
        let excess = self.visits.len().saturating_sub(VISITS);
        self.visits.drain(..excess);
        self.visit = self.visits.len() - 1;
    }
}

impl State {
    /// Returns the documents of all open files, the one on screen first, then the others, most recent first.
    pub fn documents(&self) -> impl Iterator<Item = &WorkbenchDocument> {
        std::iter::once(&self.document).chain(self.files.others.iter().rev().map(|file| &file.document))
    }

    pub fn document_of(&self, id: u64) -> Option<&WorkbenchDocument> {
        self.documents().find(|document| document.id == id)
    }

    /// Exchanges the file on screen for another file.
    fn exchange(&mut self, other: &mut OpenFile) {
        std::mem::swap(&mut self.document, &mut other.document);
        std::mem::swap(&mut self.prompts.waiting, &mut other.waiting);
        std::mem::swap(&mut self.screen, &mut other.screen);
        std::mem::swap(&mut self.results, &mut other.results);
        std::mem::swap(&mut self.mutants, &mut other.mutants);
        std::mem::swap(&mut self.run, &mut other.run);
        std::mem::swap(&mut self.ladder, &mut other.ladder);
        std::mem::swap(&mut self.rounds, &mut other.rounds);
        std::mem::swap(&mut self.lesson, &mut other.lesson);
        std::mem::swap(&mut self.predict, &mut other.predict);
    }

    /// Changes a file as if it were on screen. Questions that this raises wait until the file is. Nothing happens if the
    /// file is no longer open.
    pub fn in_file(&mut self, id: u64, change: impl FnOnce(&mut State)) {
        if id == self.document.id {
            return change(self);
        }
        let Some(at) = self.files.others.iter().position(|file| file.document.id == id) else { return };
        let mut other = self.files.others.remove(at);
        let overlay = self.prompts.overlay.take();
        self.exchange(&mut other);
        change(self);
        self.exchange(&mut other);
        self.prompts.overlay = overlay;
        self.files.others.insert(at, other);
    }

    /// Puts a file on screen. The previous one stays open, unless nothing was ever in it. The new revision follows the
    /// previous file's, so answers of the engine are not confused.
    pub fn put_on_screen(&mut self, mut file: OpenFile) {
        let before = self.document.id;
        self.files.visited(before, file.document.id);
        self.exchange(&mut file);
        let old = &mut file.document;
        self.document.revision = old.revision;
        self.document.opened = old.revision + 1;
        self.document.clipboard = std::mem::take(&mut old.clipboard);
        self.document.options = old.options;
        self.document.search.is_regex = old.search.is_regex;
        self.screen.take_arrangement(&file.screen);
        self.prompts.close();
        self.race = self.race.of_another_file();
        if !file.document.is_blank() {
            self.files.others.push(file);
        }
        self.files.tidy();
    }

    /// Puts an open file on screen. Returns false if there is no such file.
    pub fn show_file(&mut self, id: u64) -> bool {
        let Some(at) = self.files.others.iter().position(|file| file.document.id == id) else { return false };
        let file = self.files.others.remove(at);
        self.put_on_screen(file);
        true
    }

    /// Puts the file on screen that was there before the current visit, or after it if `ahead`. Returns false if there is
    /// none.
    pub fn revisit(&mut self, ahead: bool) -> bool {
        let mut visit = self.files.visit;
        loop {
            let next = if ahead { visit.checked_add(1) } else { visit.checked_sub(1) };
            let Some(id) = next.and_then(|next| self.files.visits.get(next)).copied() else { return false };
            visit = if ahead { visit + 1 } else { visit - 1 };
            let visits = self.files.visits.clone();
            if id != self.document.id && self.show_file(id) {
                (self.files.visits, self.files.visit) = (visits, visit);
                return true;
            }
        }
    }

    /// Closes the file on screen. The file before it comes back, or an empty text.
    pub fn close_file(&mut self) {
        let closed = self.document.id;
        let last = self.files.others.last().map(|file| file.document.id);
        if !last.is_some_and(|last| self.show_file(last)) {
            let id = self.files.new_id();
            self.put_on_screen(OpenFile::new("", FileInfo::default(), id));
        }
        self.files.others.retain(|file| file.document.id != closed);
    }

    /// Returns the open file that a save under this name would write to, other than the one on screen.
    pub fn other_with_path(&self, path: &Path) -> Option<&WorkbenchDocument> {
        let absolute = |path: &Path| std::path::absolute(path).ok();
        let wanted = absolute(path);
        let has_path = |document: &WorkbenchDocument| {
            document
                .file
                .path
                .as_deref()
                .is_some_and(|own| own == path || (wanted.is_some() && absolute(own) == wanted))
        };
        self.files.others.iter().map(|file| &file.document).find(|document| has_path(document))
    }

    /// Returns the open text of a sample.
    pub fn document_of_sample(&self, name: &str) -> Option<u64> {
        let is_it =
            |document: &&WorkbenchDocument| document.file.sample.is_some_and(|sample| sample.name == name);
        self.documents().find(is_it).map(|document| document.id)
    }

    /// Returns the texts that would be lost now.
    pub fn unsaved_texts(&self) -> impl Iterator<Item = UnsavedText<'_>> {
        let unsaved = self.documents().filter(|document| document.dirty());
        unsaved.map(|document| UnsavedText {
            document: document.id,
            of: document.file.path.as_deref(),
            text: document.buffer.text(),
            on_disk: document.file.on_disk.as_ref(),
        })
    }
}
