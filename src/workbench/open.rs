//! Opening another file: what is typed, what there is, and which of it is meant.

use std::path::Path;

use crate::lang::samples::{self, Sample};
use crate::workbench::field::Field;

/// A place in a text as people count: from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    /// What a name means as `FILE:LINE` and as `FILE:LINE:COLUMN`; a colon behind it, as compilers write one, is no matter.
    pub fn readings(name: &str) -> Vec<(&str, Place)> {
        let number = |text: &str| text.bytes().all(|b| b.is_ascii_digit()).then(|| text.parse().ok())?;
        let behind = |text| -> Option<(&str, usize)> {
            let (file, last) = str::rsplit_once(text, ':')?;
            Some((file, number(last)?)).filter(|_| !file.is_empty())
        };
        let Some((rest, last)) = behind(name.strip_suffix(':').unwrap_or(name)) else { return Vec::new() };
        let mut readings = vec![(rest, Place { line: last, column: 1 })];
        readings.extend(behind(rest).map(|(file, line)| (file, Place { line, column: last })));
        readings
    }
}

/// Whether a new program may be begun under a name that nothing has: commands have no folder and no extension.
pub fn names_a_file(path: &Path) -> bool {
    path.extension().is_some() || path.components().count() > 1
}

/// What is to be opened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// What somebody typed: a path, with a place behind it or without; a folder is one to go on in.
    Path(String),
    Sample(String),
    /// A lesson that ships, by its name.
    Lesson(String),
}

/// Something in a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub folder: bool,
}

/// What there is to choose, with its name behind what is typed of the folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    File(String),
    Sample(Sample),
    Folder(String),
}

impl Choice {
    /// What completes the name that is typed.
    pub fn name(&self) -> String {
        match self {
            Choice::File(name) => name.clone(),
            Choice::Sample(sample) => sample.name.to_string(),
            Choice::Folder(name) => format!("{name}/"),
        }
    }
}

/// The prompt for another file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenView {
    pub field: Field,
    /// The folder that was looked into last, as typed, and what is in it or why nothing is known of it.
    pub found: Option<(String, Result<Vec<Entry>, String>)>,
    /// The folder that is asked for.
    pub asked: Option<String>,
    /// Which of the choices is chosen.
    pub chosen: usize,
    /// Why what was chosen was not opened.
    pub problem: Option<String>,
}

impl OpenView {
    /// The prompt with something typed already.
    pub fn new(text: &str) -> OpenView {
        OpenView { field: Field::new(text), ..OpenView::default() }
    }

    /// What is typed of the folder, with the `/` behind it, and of the name in it.
    pub fn parts(&self) -> (&str, &str) {
        let text = &self.field.text;
        text.split_at(text.rfind(std::path::is_separator).map_or(0, |at| at + 1))
    }

    /// What there is that begins as typed: programs, then samples where no folder is typed, then folders. What is hidden
    /// only shows to those who type its dot.
    pub fn choices(&self) -> Vec<Choice> {
        let (folder, typed) = self.parts();
        let begins = |name: &str| {
            let start = name.get(..typed.len());
            start.is_some_and(|start| start.eq_ignore_ascii_case(typed))
                && (!name.starts_with('.') || typed.starts_with('.'))
        };
        let entries = match &self.found {
            Some((of, Ok(entries))) if of == folder => entries.as_slice(),
            _ => &[],
        };
        let there = entries.iter().filter(|entry| begins(&entry.name));
        let (folders, files): (Vec<_>, Vec<_>) = there.partition(|entry| entry.folder);
        let programs = files.into_iter().filter(|file| file.name.ends_with(".myr") || file.name == typed);
        let mut choices: Vec<Choice> = programs.map(|file| Choice::File(file.name.clone())).collect();
        if folder.is_empty() {
            choices.extend(samples::all().into_iter().filter(|s| begins(s.name)).map(Choice::Sample));
        }
        choices.extend(folders.into_iter().map(|entry| Choice::Folder(entry.name.clone())));
        choices
    }

    /// Types as much of the name as all choices have in common.
    pub fn complete(&mut self) {
        let names: Vec<String> = self.choices().iter().map(Choice::name).collect();
        let Some(first) = names.first() else { return };
        let common = |name: &String| first.bytes().zip(name.bytes()).take_while(|(a, b)| a == b).count();
        let mut length = names.iter().map(common).min().unwrap_or(0);
        while !first.is_char_boundary(length) {
            length -= 1;
        }
        let (folder, typed) = self.parts();
        if length > typed.len() || (length == typed.len() && names.len() == 1) {
            self.field = Field::new(&format!("{folder}{}", &first[..length]));
            self.chosen = 0;
        }
    }

    /// What was in a folder is known now.
    pub fn tell(&mut self, folder: String, entries: Result<Vec<Entry>, String>) {
        if self.asked.as_ref() == Some(&folder) {
            self.found = Some((folder, entries));
            self.chosen = 0;
        }
    }
}
