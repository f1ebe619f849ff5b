//! The function under the cursor, for panels about one function.

use crate::lang::index::RoutineId;
use crate::session::job::JobResult;
use crate::workbench::panels;
use crate::workbench::panels::page::{NEEDS_NO_ERRORS, Page};
use crate::workbench::state::State;
use crate::workbench::theme::Look;

/// Writes the page of such a panel. `say` receives the function's name and the newest finding about it.
pub fn lines<T: JobResult>(state: &State, page: &mut Page, say: impl FnOnce(&str, Option<&T>, &mut Page)) {
    if state.outside_functions() {
        page.prose(Look::Dim, "the cursor is not in a function");
    } else if state.shown().is_some_and(|shown| shown.has_errors()) {
        page.prose(Look::Dim, NEEDS_NO_ERRORS);
    } else if let (Some(function), Some(shown)) = (state.engine.looked.function, state.shown()) {
        say(&shown.function_name(function), state.results.findings.of_function(function), page);
    }
}

impl State {
    /// Returns the function that contains the cursor, from its `fn` to its closing brace; in a list, the
    /// function of the selected row.
    pub fn function_under_cursor(&self) -> Option<RoutineId> {
        let shown = self.shown()?;
        if let Some(token) = panels::token(self, self.screen.focus, self.list(self.screen.focus).selected) {
            return shown.function_of(token);
        }
        self.function_of_editor()
    }

    /// Returns the function that contains the editor's cursor.
    pub fn function_of_editor(&self) -> Option<RoutineId> {
        let shown = self.shown()?;
        let byte = self.document.buffer.byte_of(self.document.buffer.head());
        let drift = self.results.shown_drift;
        match drift.back(byte) {
            Some(byte) => shown.function_at(byte),
            // A new piece of text belongs to the function around it.
            None => shown.function_around(drift.replaced()),
        }
    }

    /// Returns whether the program has functions and the cursor is in none of them.
    fn outside_functions(&self) -> bool {
        self.shown().is_some_and(|shown| shown.is_lowered() && shown.compiled.facts.functions > 0)
            && self.function_under_cursor().is_none()
    }
}
