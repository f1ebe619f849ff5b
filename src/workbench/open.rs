//! The prompt that opens another file: its input, the choices, and the chosen one.

use std::path::Path;
use std::sync::Arc;

use crate::compiler::program::{Facts, Tokens};
use crate::compiler::stage::lex;
use crate::lang::samples::{self, Sample};
use crate::lang::token::TokenKind;
use crate::workbench::field::Field;
use crate::workbench::fuzzy::score;
use crate::workbench::learn::{SHIPPED, Shipped};

/// A place in a text, with line and column counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OpenPlace {
    pub line: usize,
    pub column: usize,
}

impl OpenPlace {
    /// Returns the readings of a name as `FILE:LINE` and `FILE:LINE:COLUMN`. A trailing colon, as compilers
    /// print it, is ignored.
    pub fn readings(name: &str) -> Vec<(&str, OpenPlace)> {
        let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?;
        let behind = |text| -> Option<(&str, usize)> {
            let (file, last) = str::rsplit_once(text, ':')?;
            Some((file, number(last)?)).filter(|_| !file.is_empty())
        };
        let Some((rest, last)) = behind(name.strip_suffix(':').unwrap_or(name)) else { return Vec::new() };
        let mut readings = vec![(rest, OpenPlace { line: last, column: 1 })];
        readings.extend(behind(rest).map(|(file, line)| (file, OpenPlace { line, column: last })));
        readings
    }
}

/// Returns the place of the first name or number in the body of a text's first function, in bytes, or that of its name if it is on
/// one line; `None` without one. A text
/// is opened there, because panels about a line or a function have something to show.
pub fn first_body(text: &str) -> Option<usize> {
    let mut tokens = Tokens::default();
    lex::run(text, &mut tokens, &mut Facts::default(), &mut lex::LexScratch::default());
    let place = |from: usize, kinds: &[TokenKind]| {
        let is = |kind: &u32| kinds.iter().any(|one| *one as u32 == *kind);
        Some(from + tokens.kind.get(from..)?.iter().position(is)?)
    };
    let function = place(0, &[TokenKind::Fn])?;
    let open = place(function, &[TokenKind::LeftBrace])?;
    let first = place(open, &[TokenKind::Name, TokenKind::Int, TokenKind::RightBrace])?;
    let [head, body] = [function, first].map(|token| tokens.lo.get(token).map(|byte| *byte as usize));
    // The body of a function on one line may be out of sight: its name is the place then.
    if !text.get(head?..body?)?.contains('\n') {
        let name = place(function, &[TokenKind::Name])?;
        return tokens.lo.get(name).map(|byte| *byte as usize);
    }
    body
}

/// Returns whether a new program may be started under an unused name. Names without a folder and an extension
/// are commands.
pub fn names_a_file(path: &Path) -> bool {
    path.extension().is_some() || path.components().count() > 1
}

/// Returns whether a file is listed: a program, or rules.
pub fn is_source(name: &str) -> bool {
    [".myr", ".rules"].iter().any(|end| name.ends_with(end))
}

/// A file, sample or lesson to open.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A typed path, optionally followed by a place; a folder continues the prompt inside it.
    Path(String),
    Sample(String),
    /// A shipped lesson, by name.
    Lesson(String),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenEntry {
    pub name: String,
    pub folder: bool,
}

/// More characters than the name and title of a lesson have.
const LONGEST_TITLE: usize = 80;

/// A choice in the prompt. Names are relative to the typed folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// The open file with this number.
    Open {
        id: u64,
        name: String,
        dirty: bool,
    },
    /// A file that was opened lately.
    Recent(String),
    File(String),
    Sample(Sample),
    Lesson(Shipped),
    Folder(String),
    /// A new program with this name.
    New(String),
}

impl Choice {
    /// Returns the text that completes the typed name, and that the typed letters are compared with.
    pub fn name(&self) -> String {
        match self {
            Choice::Open { name, .. } | Choice::Recent(name) | Choice::File(name) | Choice::New(name) => {
                name.clone()
            }
            Choice::Sample(sample) => sample.name.to_string(),
            Choice::Lesson(lesson) => format!("lesson {} {}", lesson.name, lesson.title()),
            Choice::Folder(name) => format!("{name}/"),
        }
    }

    /// Returns how well typed letters match the name. Titles of lessons count as equally long, so that their numbers decide.
    fn score(&self, typed: &str) -> Option<i32> {
        match self {
            Choice::Lesson(_) => score(typed, &format!("{:<LONGEST_TITLE$}", self.name())),
            _ => score(typed, &self.name()),
        }
    }

    /// Returns the part of the name that typed letters complete, if the choice is a name in the typed folder.
    fn completes(&self) -> Option<String> {
        let is_name =
            !matches!(self, Choice::Open { .. } | Choice::Recent(_) | Choice::Lesson(_) | Choice::New(_));
        is_name.then(|| self.name())
    }
}

/// The state of the prompt that opens another file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenView {
    pub field: Field,
    /// The folder of names without a folder, as typed, including the trailing `/`; empty for the working folder.
    pub root: String,
    /// The open files that are not on screen, most recent first, and the files opened lately that are not open.
    pub known: Vec<Choice>,
    /// The folder last listed, as typed, with its entries or the reason why they are unknown.
    pub found: Option<(String, Result<Vec<OpenEntry>, String>)>,
    /// The folder whose listing is requested.
    pub asked: Option<String>,
    /// The index of the selected choice.
    pub chosen: usize,
    /// Why the selected choice was not opened.
    pub problem: Option<String>,
    /// The path whose text is requested for the preview.
    pub previewed: Option<String>,
    /// The path whose text is known, and the text or the reason why it could not be read.
    pub preview: Option<(String, Result<Arc<str>, String>)>,
}

impl OpenView {
    /// Creates the prompt with initial input.
    pub fn new(text: &str) -> OpenView {
        OpenView { field: Field::new(text), ..OpenView::default() }
    }

    /// Splits the input into the folder, including the trailing `/`, and the name in it.
    pub fn parts(&self) -> (&str, &str) {
        let text = &self.field.text;
        text.split_at(text.rfind(std::path::is_separator).map_or(0, |at| at + 1))
    }

    /// Returns the folder whose entries are listed.
    pub fn folder(&self) -> &str {
        match self.parts().0 {
            "" => &self.root,
            folder => folder,
        }
    }

    /// Returns the choices whose names contain the typed letters in order, best first. Without letters, they are: open and
    /// recent files, programs and rules in the folder and below it, folders, samples and lessons. Files other than those in the folder
    /// are listed only if no folder is typed. Hidden entries are listed only if the input begins with a dot.
    pub fn choices(&self) -> Vec<Choice> {
        let (folder, typed) = self.parts();
        let mut all: Vec<Choice> = Vec::new();
        if folder.is_empty() {
            all.extend(self.known.iter().cloned());
        }
        let entries = match &self.found {
            Some((of, Ok(entries))) if of == self.folder() => entries.as_slice(),
            _ => &[],
        };
        let visible = entries.iter().filter(|entry| !entry.name.starts_with('.') || typed.starts_with('.'));
        let (folders, files): (Vec<_>, Vec<_>) = visible.partition(|entry| entry.folder);
        let programs = files.into_iter().filter(|file| is_source(&file.name) || file.name == typed);
        all.extend(programs.map(|file| Choice::File(file.name.clone())));
        all.extend(folders.into_iter().map(|entry| Choice::Folder(entry.name.clone())));
        if folder.is_empty() {
            all.extend(samples::all().into_iter().map(Choice::Sample));
            all.extend(SHIPPED.iter().copied().map(Choice::Lesson));
        }
        if typed.is_empty() {
            return all;
        }
        let scored = all.into_iter().filter_map(|choice| Some((choice.score(typed)?, choice)));
        let mut scored: Vec<(i32, Choice)> = scored.collect();
        // The order above decides between equals.
        scored.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        let mut choices: Vec<Choice> = scored.into_iter().map(|(_, choice)| choice).collect();
        let is_new = names_a_file(Path::new(typed)) && OpenPlace::readings(typed).is_empty();
        if !choices.is_empty() && is_new && !choices.iter().any(|choice| choice.name() == typed) {
            choices.push(Choice::New(typed.to_string()));
        }
        choices
    }

    pub fn path_of(&self, choice: &Choice) -> Option<String> {
        match choice {
            Choice::File(name) | Choice::New(name) => Some(format!("{}{name}", self.folder())),
            Choice::Recent(name) => Some(name.clone()),
            _ => None,
        }
    }

    /// Extends the input to the longest common prefix of all names that begin with it.
    pub fn complete(&mut self) {
        let (folder, typed) = self.parts();
        let begins =
            |name: &String| name.get(..typed.len()).is_some_and(|start| start.eq_ignore_ascii_case(typed));
        let names: Vec<String> = self.choices().iter().filter_map(Choice::completes).filter(begins).collect();
        let Some(first) = names.first() else { return };
        let common = |name: &String| first.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        let mut length = names.iter().map(common).min().unwrap_or(0);
        while !first.is_char_boundary(length) {
            length -= 1;
        }
        if length > typed.len() || (length == typed.len() && names.len() == 1) {
            self.field = Field::new(&format!("{folder}{}", &first[..length]));
            self.chosen = 0;
        }
    }

    /// Receives the contents of a folder.
    pub fn tell(&mut self, folder: String, entries: Result<Vec<OpenEntry>, String>) {
        if self.asked.as_ref() == Some(&folder) {
            self.found = Some((folder, entries));
            self.chosen = 0;
        }
    }
}
