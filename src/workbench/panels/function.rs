//! The function under the cursor, for panels about one.

use crate::workbench::panels;
use crate::workbench::state::State;

/// What is said of no function.
pub const NO_FUNCTION: &str = "the cursor is in no function";

impl State {
    /// The function that the cursor is in, from its `fn` to its closing brace, whatever stands there; where a list has the
    /// focus, that of the selected row.
    pub fn function_under_cursor(&self) -> Option<u32> {
        let shown = self.shown()?;
        if let Some(token) = panels::token(self, self.focus, self.list(self.focus).selected) {
            return shown.function_of(token);
        }
        let byte = self.buffer.byte_of(self.buffer.head());
        let drift = self.results.shown_drift;
        match drift.back(byte) {
            Some(byte) => shown.function_at(byte),
            // What is new belongs to what it was written into.
            None => shown.function_around(drift.replaced()),
        }
    }

    /// Whether there are functions, and the cursor is in none of them.
    pub fn outside_functions(&self) -> bool {
        self.shown().is_some_and(|shown| shown.is_good() && shown.compiled.facts.functions > 0)
            && self.function_under_cursor().is_none()
    }

    /// The function that the engine was asked to look at, and its name.
    pub fn looked_at(&self) -> Option<(u32, String)> {
        let function = self.looked.function?;
        Some((function, self.shown()?.function_name(function)))
    }
}
