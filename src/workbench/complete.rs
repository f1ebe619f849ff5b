//! The list that completes a word: names in scope, built-ins and keywords.

use std::collections::HashSet;

use crate::compiler::program::View;
use crate::lang::token::spellings;
use crate::report::symbols::{self, Expected};

/// The maximum number of rows on screen.
pub const ROWS: usize = 6;

/// The number of characters of a word at which the list opens.
pub const LEAST: usize = 2;

/// A spelling that the word may become.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CompleteCandidate {
    pub name: String,
    /// The declaration, with its type; empty for a keyword.
    pub detail: String,
}

/// The open list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Completion {
    /// The position at which the word starts, in characters.
    pub start: usize,
    /// The word as typed.
    pub typed: String,
    /// All candidates at this place, nearest first.
    all: Vec<CompleteCandidate>,
    /// The candidates that the typed word begins, as indices.
    fitting: Vec<usize>,
    /// The chosen one, as an index of `fitting`; it replaces the word on screen. At first none is chosen, so that
    /// enter starts a new line.
    pub chosen: Option<usize>,
    /// Whether the list has handled the last key, and therefore stays open.
    pub stays: bool,
}

impl Completion {
    pub fn new(start: usize, typed: &str, all: Vec<CompleteCandidate>) -> Completion {
        let mut list =
            Completion { start, typed: String::new(), all, fitting: Vec::new(), chosen: None, stays: false };
        list.type_on(typed);
        list
    }

    /// Continues with another typed word at the same place.
    pub fn type_on(&mut self, typed: &str) {
        self.typed = typed.to_string();
        self.chosen = None;
        let wanted = typed.to_lowercase();
        let fits = |own: &CompleteCandidate| own.name != typed && own.name.to_lowercase().starts_with(&wanted);
        self.fitting = (0..self.all.len()).filter(|index| fits(&self.all[*index])).collect();
    }

    pub fn is_empty(&self) -> bool {
        self.fitting.is_empty()
    }

    /// Returns the candidates that fit, nearest first.
    pub fn candidates(&self) -> impl ExactSizeIterator<Item = &CompleteCandidate> {
        self.fitting.iter().map(|index| &self.all[*index])
    }

    /// Chooses the next candidate, or the previous one, from the first to the last and around. Returns its name.
    pub fn choose(&mut self, is_next: bool) -> Option<&str> {
        let last = self.fitting.len().checked_sub(1)?;
        let chosen = match (self.chosen, is_next) {
            (None, true) => 0,
            (Some(own), true) if own >= last => 0,
            (Some(own), true) => own + 1,
            (None | Some(0), false) => last,
            (Some(own), false) => own - 1,
        };
        self.chosen = Some(chosen);
        Some(&self.all[self.fitting[chosen]].name)
    }
}

/// Collects the names in scope at a byte of each program, nearest first, then built-ins and keywords, if they may stand there.
/// A name of an earlier program hides the same name of a later one.
pub fn candidates<'a>(
    expected: Expected,
    programs: impl IntoIterator<Item = (View<'a>, usize)>,
) -> Vec<CompleteCandidate> {
    let mut seen = HashSet::new();
    let mut all = Vec::new();
    let mut add = |name: &str, detail: String| {
        if seen.insert(name.to_string()) {
            all.push(CompleteCandidate { name: name.to_string(), detail });
        }
    };
    for (view, byte) in programs.into_iter().filter(|_| expected.has_names()) {
        for declared in symbols::in_scope(view, byte) {
            add(view.text(declared), symbols::signature(view, declared).unwrap_or_default());
        }
    }
    for builtin in symbols::builtins().filter(|_| expected.has_names()) {
        add(builtin.name, builtin.signature.to_string());
    }
    for (spelling, _) in spellings().filter(|(spelling, _)| expected.has_keyword(spelling)) {
        add(spelling, String::new());
    }
    all
}
