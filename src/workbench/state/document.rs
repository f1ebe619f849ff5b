//! The text on screen, and its file.

use std::path::PathBuf;
use std::sync::Arc;

use crate::lang::samples::Sample;
use crate::testing::rules::as_program;
use crate::workbench::learn::Course;
use crate::workbench::modal::KeySet;
use crate::workbench::text::{Buffer, Finder, TextMatch};
use crate::workbench::unsaved::Unsaved;

/// The number of the file that is on screen at the start.
pub const FIRST_ID: u64 = 1;

/// The program that an empty text shows and `tab` takes: its test notices less than it could.
pub const EXAMPLE: &str = "fn sq(n: int) -> int { return n * n; }\n\ntest sq(2) == 4;\n";

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

    /// Returns whether the text has rules, one a line, and no program.
    pub fn is_rules(&self) -> bool {
        self.path.as_ref().and_then(|path| path.extension()).is_some_and(|extension| extension == "rules")
    }

    /// Returns the program in which the rules of this file fire: the file of the same name.
    pub fn fires_in(&self) -> Option<PathBuf> {
        self.path.as_ref().filter(|_| self.is_rules()).map(|path| path.with_extension("myr"))
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
struct Adopted {
    unsaved: Unsaved,
    /// The length of the undo history after it was taken over; a shorter history means that this was undone.
    steps: usize,
}

/// The text on screen, and its file.
#[derive(Debug)]
pub struct WorkbenchDocument {
    /// The number of the open file; no two are equal.
    pub id: u64,
    pub buffer: Buffer,
    pub file: FileInfo,
    /// Raised by each edit.
    pub revision: u64,
    /// The revision at which the file came on screen.
    pub opened: u64,
    /// The user wants to quit without saving this text; forgotten when quitting is cancelled.
    pub discarded: bool,
    pub search: TextSearch,
    pub options: EditorOptions,
    /// Whether no key was pressed since the text was opened without a program.
    pub offers_example: bool,
    /// The internal clipboard, used when no other is available.
    pub clipboard: String,
    /// The unsaved text of an earlier run that was taken over.
    adopted: Option<Adopted>,
}

/// The user's choices for the editor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EditorOptions {
    /// Whether a save first writes the text in the standard layout.
    pub format_on_save: bool,
    /// Whether an opening bracket is closed automatically.
    pub close_brackets: bool,
    /// Whether the list of names opens while a word is typed.
    pub suggest_names: bool,
    /// Whether lines that are wider than the editor continue on the next row.
    pub soft_wrap: bool,
    /// Whether the lines show their values in the run of a test.
    pub values: bool,
    /// The keys of the editor.
    pub key_set: KeySet,
}

impl Default for EditorOptions {
    fn default() -> EditorOptions {
        EditorOptions {
            format_on_save: false,
            close_brackets: false,
            suggest_names: false,
            soft_wrap: false,
            values: true,
            key_set: KeySet::default(),
        }
    }
}

#[derive(Debug, Default)]
pub struct TextSearch {
    pub finder: Finder,
    /// Whether queries are regular expressions.
    pub is_regex: bool,
    pub found: Option<TextMatch>,
}

impl WorkbenchDocument {
    pub fn new(text: &str, file: FileInfo) -> WorkbenchDocument {
        WorkbenchDocument {
            id: FIRST_ID,
            buffer: Buffer::new(text),
            file,
            revision: 1,
            opened: 1,
            discarded: false,
            search: TextSearch::default(),
            options: EditorOptions::default(),
            offers_example: text.is_empty(),
            clipboard: String::new(),
            adopted: None,
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

    /// Returns whether nothing was opened or typed: an empty text without a file.
    pub fn is_blank(&self) -> bool {
        self.file.path.is_none() && self.file.sample.is_none() && !self.dirty()
    }

    /// Returns the text that the engine compiles. Rules are comments of an empty program.
    pub fn program(&self) -> Arc<str> {
        let text = self.buffer.text();
        if self.file.is_rules() { as_program(text).into() } else { text.clone() }
    }

    /// Returns the example that is shown in place of a program. It is not part of the text.
    pub fn example(&self) -> Option<&'static str> {
        (self.offers_example && self.buffer.text().is_empty() && !self.file.is_rules()).then_some(EXAMPLE)
    }

    /// Takes over an unsaved text as one undoable step. It stays in the journal until the file holds it.
    pub fn adopt(&mut self, unsaved: Unsaved) {
        self.buffer.reload(&unsaved.text);
        self.adopted = Some(Adopted { unsaved, steps: self.buffer.steps() });
    }

    /// Returns the adopted text once it is undone: a later save does not contain it.
    pub fn take_undone_adoption(&mut self) -> Option<Unsaved> {
        let steps = self.buffer.steps();
        self.adopted.take_if(|adopted| steps < adopted.steps).map(|adopted| adopted.unsaved)
    }

    /// Returns the journal entry of the adopted text, if the user discards the text on screen.
    pub fn discard(&mut self) -> Option<PathBuf> {
        self.discarded = true;
        self.adopted.as_ref().map(|adopted| adopted.unsaved.entry.clone())
    }

    /// Returns the journal entry that a save of the current text makes redundant. An earlier save may finish now, and
    /// makes none redundant.
    pub fn adopted_and_saved(&mut self) -> Option<PathBuf> {
        if self.dirty() { None } else { self.adopted.take().map(|adopted| adopted.unsaved.entry) }
    }
}
