//! Names: their declarations, their types, and renaming.

use std::sync::Arc;

use crate::compiler::program::Compiled;
use crate::compiler::stage::Compiler;
use crate::host::measure::numbers::plural;
use crate::lang::level::OptLevel;
use crate::lang::role::Role;
use crate::report::symbols;
use crate::workbench::field::Field;
use crate::workbench::panels::Panel;
use crate::workbench::state::{Ask, Overlay, State, Tone};
use crate::workbench::text::Selection;

/// The maximum length of an expression that is repeated with its type, in characters.
const EXPRESSION: usize = 24;

impl State {
    /// Returns what the name or expression under the editor's cursor is: its declaration, or its type. `None` unless the
    /// text compiles.
    pub fn described(&self) -> Option<String> {
        let shown = self.shown().filter(|shown| !shown.has_errors() && self.screen.focus == Panel::EDITOR)?;
        let (view, link) = (shown.compiled.view(), self.screen.followed?);
        if let Some(declared) = symbols::declaration(view, link.token) {
            return symbols::signature(view, declared);
        }
        if view.is(link.token, Role::Call) {
            return symbols::builtin(view.text(link.token)).map(|builtin| builtin.signature.to_string());
        }
        if !view.role(link.token).is_expression() {
            return None;
        }
        let text = view.source.get(view.extent_span(link.token)?)?;
        let is_short = text.chars().count() <= EXPRESSION && !text.contains('\n');
        let text = if is_short { text } else { view.text(link.token) };
        Some(format!("{text}: {}", view.ty(link.token)))
    }

    /// Says in the status bar what is under the cursor, with the comment above its declaration.
    pub(super) fn describe(&mut self) {
        let Some(text) = self.described() else {
            return self.say(Tone::Plain, "no name or expression with a type is under the cursor");
        };
        let comment = self.shown().zip(self.screen.followed).and_then(|(shown, link)| {
            let view = shown.compiled.view();
            let comment = symbols::comment(view, symbols::declaration(view, link.token)?);
            Some(comment.split_whitespace().collect::<Vec<_>>().join(" ")).filter(|comment| !comment.is_empty())
        });
        self.say(Tone::Plain, comment.map_or(text.clone(), |comment| format!("{text} · {comment}")));
    }

    /// Goes from a name's use to its declaration.
    pub(super) fn goto_definition(&mut self) {
        let target = self.link().and_then(|link| {
            let shown = self.shown()?;
            let span = shown.span(shown.compiled.view().declaration(link.node)?)?;
            Some(self.results.shown_drift.forward(span.start))
        });
        match target {
            Some(byte) => {
                self.document.buffer.leave();
                self.document.buffer.select(Selection::at(self.document.buffer.position_of_byte(byte)))
            }
            None => self.say(Tone::Bad, "no declaration is known for the name under the cursor"),
        }
    }

    /// Opens the prompt for the new spelling of the name under the cursor.
    pub(super) fn ask_for_name(&mut self) {
        match self.document.buffer.word_around(self.document.buffer.head()) {
            Some(word) => {
                let name = self.document.buffer.slice(word.range());
                self.prompts.overlay = Some(Overlay::Ask(Ask::Rename(name.clone()), Field::new(&name)));
            }
            None => self.say(Tone::Bad, "no name is under the cursor"),
        }
    }

    /// Renames the name under the cursor, as one undo step.
    pub(super) fn rename(&mut self, spelling: &str) {
        let spelling = spelling.trim();
        let program = self.current_program();
        let buffer = &self.document.buffer;
        let here = buffer.word_around(buffer.head()).map_or(buffer.head(), |word| word.range().start);
        let token = program.view().token_at(buffer.byte_of(here));
        let renamed = match token {
            Some(token) => symbols::rename(&program, token, spelling),
            None => Err("no name of this program is under the cursor".to_string()),
        };
        match renamed {
            Ok(renamed) => {
                let places = renamed.places.iter();
                let edits: Vec<_> = places
                    .map(|place| buffer.position_of_byte(place.start)..buffer.position_of_byte(place.end))
                    .map(|range| (range, spelling.to_string()))
                    .collect();
                let count = plural(edits.len() as u64, "place");
                self.document.buffer.change_all(edits);
                self.say(Tone::Good, format!("renamed in {count}; ctrl-u takes it back"));
            }
            Err(why) => self.say(Tone::Bad, format!("not renamed: {why}")),
        }
    }

    /// Returns the program of the text on screen; compiles it if its answer has not arrived.
    fn current_program(&self) -> Arc<Compiled> {
        let text = self.document.buffer.text();
        match self.results.latest.as_ref().filter(|latest| latest.compiled.text == *text) {
            Some(latest) => latest.compiled.clone(),
            None => {
                let mut compiler = Compiler::at(OptLevel::default());
                compiler.compile(text);
                Arc::new(compiler.compiled(text))
            }
        }
    }
}
