//! The prompt that opens another file: its input, the choices, and the chosen one.

use std::path::Path;

use crate::lang::samples::{self, Sample};
use crate::workbench::field::Field;

/// A place in a text, with line and column counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    pub line: usize,
    pub column: usize,
}

impl Place {
    /// Returns the readings of a name as `FILE:LINE` and `FILE:LINE:COLUMN`. A trailing colon, as compilers
    /// print it, is ignored.
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

/// Returns whether a new program may be started under an unused name. Names without a folder and an extension
/// are commands.
pub fn names_a_file(path: &Path) -> bool {
    path.extension().is_some() || path.components().count() > 1
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

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub name: String,
    pub folder: bool,
}

/// A choice in the prompt. Names are relative to the typed folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    File(String),
    Sample(Sample),
    Folder(String),
}

impl Choice {
    /// Returns the text that completes the typed name.
    pub fn name(&self) -> String {
        match self {
            Choice::File(name) => name.clone(),
            Choice::Sample(sample) => sample.name.to_string(),
            Choice::Folder(name) => format!("{name}/"),
        }
    }
}

/// The state of the prompt that opens another file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OpenView {
    pub field: Field,
    /// The folder last listed, as typed, with its entries or the reason why they are unknown.
    pub found: Option<(String, Result<Vec<Entry>, String>)>,
    /// The folder whose listing is requested.
    pub asked: Option<String>,
    /// The index of the selected choice.
    pub chosen: usize,
    /// Why the selected choice was not opened.
    pub problem: Option<String>,
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

    /// Returns the choices that begin with the input: programs, then samples if no folder is typed, then
    /// folders. Hidden entries are included only if the input begins with a dot.
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

    /// Extends the input to the longest common prefix of all choices.
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

    /// Receives the contents of a folder.
    pub fn tell(&mut self, folder: String, entries: Result<Vec<Entry>, String>) {
        if self.asked.as_ref() == Some(&folder) {
            self.found = Some((folder, entries));
            self.chosen = 0;
        }
    }
}
