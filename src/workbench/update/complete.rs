//! Completing the word before the cursor. The list opens while a word is typed; only tab, shift-tab, and enter once a row is
//! chosen, act on it. Every other key does what it always does.

use crossterm::event::KeyCode;

use crate::report::symbols::Expected;
use crate::workbench::complete::{Completion, LEAST, candidates};
use crate::workbench::event::Event;
use crate::workbench::key::Key;
use crate::workbench::panels::Panel;
use crate::workbench::state::{State, Tone};
use crate::workbench::text::EditKind;

/// Keywords after which a new name follows.
const DECLARING: [&str; 4] = ["let", "fn", "const", "for"];

impl State {
    /// Handles a key of the open list. Returns whether the key was one.
    pub(super) fn complete_key(&mut self, key: Key) -> bool {
        let is_in_editor = self.prompts.overlay.is_none() && self.screen.focus == Panel::EDITOR;
        let Some(mut list) = self.prompts.completion.take().filter(|_| is_in_editor) else { return false };
        self.status.message = None;
        match key {
            Key { code: KeyCode::Tab, ctrl: false, alt: false, shift } => {
                self.put(&mut list, |list| list.choose(!shift).map(String::from));
                list.stays = true;
                self.prompts.completion = Some(list);
                true
            }
            Key { code: KeyCode::Enter, ctrl: false, alt: false, shift: false } => list.chosen.is_some(),
            Key { code: KeyCode::Esc, .. } => {
                if list.chosen.is_some() {
                    self.put(&mut list, |list| Some(list.typed.clone()));
                }
                true
            }
            _ => {
                self.prompts.completion = Some(list);
                false
            }
        }
    }

    /// Replaces the word by another spelling. Trying several is one undo step.
    fn put(&mut self, list: &mut Completion, word: impl Fn(&mut Completion) -> Option<String>) {
        let buffer = &mut self.document.buffer;
        if list.chosen.is_some() {
            buffer.undo();
        }
        let Some(word) = word(list) else { return };
        if word != list.typed {
            let end = list.start + list.typed.chars().count();
            buffer.close_step();
            buffer.replace(list.start..end, &word, EditKind::Other);
        }
    }

    /// Opens, narrows or closes the list after an event.
    pub(super) fn follow_completion(&mut self, event: CompletionEvent, head_before: usize) {
        let is_kept = match event {
            CompletionEvent::Typed
                if self.prompts.completion.is_some() || self.document.options.suggest_names =>
            {
                return self.offer_completion(LEAST);
            }
            CompletionEvent::Typed => false,
            CompletionEvent::Erased if self.prompts.completion.is_some() => return self.offer_completion(1),
            CompletionEvent::Erased => false,
            CompletionEvent::Other => self.document.buffer.head() == head_before,
            CompletionEvent::Key => {
                self.prompts.completion.as_mut().is_some_and(|list| std::mem::take(&mut list.stays))
            }
        };
        if !is_kept {
            self.prompts.completion = None;
        }
    }

    /// Opens the list on request.
    pub(super) fn ask_for_completion(&mut self) {
        self.offer_completion(0);
        if self.prompts.completion.is_none() {
            self.say(Tone::Plain, "no name or keyword begins with this word");
        }
    }

    /// Opens or narrows the list if the cursor follows a word of at least `least` characters in code, and something fits.
    fn offer_completion(&mut self, least: usize) {
        let open = self.prompts.completion.take();
        let buffer = &self.document.buffer;
        let head = buffer.head();
        if self.screen.focus != Panel::EDITOR || !buffer.others().is_empty() || !buffer.selection().is_empty() {
            return;
        }
        let line = buffer.slice(buffer.line_start(buffer.line_of(head))..head);
        let word: String = line.chars().rev().take_while(|c| *c == '_' || c.is_ascii_alphanumeric()).collect();
        let word: String = word.chars().rev().collect();
        let before = line.strip_suffix(&word).unwrap_or(&line);
        let is_word = !word.starts_with(|c: char| c.is_ascii_digit()) && word.len() >= least;
        let follows_word = buffer.char_at(head).is_some_and(|c| c == '_' || c.is_alphanumeric());
        if !is_word
            || follows_word
            || !is_code(before)
            || before.split_whitespace().last().is_some_and(is_declaring)
        {
            return;
        }
        let start = head - word.chars().count();
        let mut list = match open {
            Some(mut open) if open.start == start => {
                open.type_on(&word);
                open
            }
            _ => Completion::new(start, &word, self.candidates_at(start)),
        };
        list.chosen = None;
        self.prompts.completion = Some(list).filter(|list| !list.is_empty());
    }

    fn candidates_at(&self, start: usize) -> Vec<crate::workbench::complete::CompleteCandidate> {
        let byte = self.document.buffer.byte_of(start);
        let results = &self.results;
        let latest = results.latest.iter().map(|own| (own, results.latest_drift));
        let shown = results.shown.iter().map(|own| (own, results.shown_drift));
        let expected = Expected::after(&self.document.buffer.text()[..byte]);
        candidates(
            expected,
            latest.chain(shown).map(|(own, drift)| (own.compiled.view(), drift.back_or_start(byte))),
        )
    }
}

fn is_declaring(word: &str) -> bool {
    DECLARING.contains(&word)
}

/// Returns whether the place after the start of a line is neither in a comment nor in a string.
fn is_code(line: &str) -> bool {
    let mut quote = None;
    let mut chars = line.chars().peekable();
    while let Some(c) = chars.next() {
        match (quote, c) {
            (None, '/') if chars.peek() == Some(&'/') => return false,
            (None, '"' | '\'') => quote = Some(c),
            (Some(_), '\\') => drop(chars.next()),
            (Some(open), c) if c == open => quote = None,
            _ => {}
        }
    }
    quote.is_none()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CompletionEvent {
    /// A key typed a character into the text.
    Typed,
    /// Backspace.
    Erased,
    /// Another key, the mouse, or a paste.
    Key,
    /// News from a thread.
    Other,
}

impl CompletionEvent {
    pub fn of(event: &Event) -> CompletionEvent {
        match event {
            Event::Key(Key { code: KeyCode::Backspace, ctrl: false, alt: false, .. }) => {
                CompletionEvent::Erased
            }
            Event::Key(key) if key.typed().is_some() => CompletionEvent::Typed,
            Event::Key(_) | Event::Mouse { .. } | Event::Paste(_) | Event::Burst { .. } => CompletionEvent::Key,
            _ => CompletionEvent::Other,
        }
    }
}
