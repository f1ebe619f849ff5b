//! The function under the cursor, for panels about one function.

use ratatui::text::Line;

use crate::lang::index::RoutineId;
use crate::session::job::JobResult;
use crate::workbench::panels;
use crate::workbench::panels::page::Page;
use crate::workbench::results::Results;
use crate::workbench::state::{EngineInfo, State};
use crate::workbench::theme::{Look, Theme};

/// Builds the page of such a panel. `outside` says whether the cursor is outside of all functions. `say` receives the function's name and the newest finding about it.
pub fn lines<T: JobResult>(
    results: &Results,
    engine: &EngineInfo,
    outside: bool,
    width: usize,
    theme: &Theme,
    say: impl FnOnce(&str, Option<&T>, &mut Page),
) -> Vec<Line<'static>> {
    let mut page = Page::new(width, theme);
    if outside {
        page.prose(Look::Dim, "the cursor is not in a function");
    } else if let (Some(function), Some(shown)) = (engine.looked.function, results.shown()) {
        let found = results.findings.of_function(function);
        say(&shown.function_name(function), found, &mut page);
    }
    page.into_lines()
}

impl State {
    /// Returns the function that contains the cursor, from its `fn` to its closing brace; in a list, the
    /// function of the selected row.
    pub fn function_under_cursor(&self) -> Option<RoutineId> {
        let shown = self.shown()?;
        if let Some(token) = panels::token(self, self.screen.focus, self.list(self.screen.focus).selected) {
            return shown.function_of(token);
        }
        let byte = self.document.buffer.byte_of(self.document.buffer.head());
        let drift = self.results.shown_drift;
        match drift.back(byte) {
            Some(byte) => shown.function_at(byte),
            // A new piece of text belongs to the function around it.
            None => shown.function_around(drift.replaced()),
        }
    }

    /// Returns whether the program has functions and the cursor is in none of them.
    pub(super) fn outside_functions(&self) -> bool {
        self.shown().is_some_and(|shown| shown.is_good() && shown.compiled.facts.functions > 0)
            && self.function_under_cursor().is_none()
    }
}
