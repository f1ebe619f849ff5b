//! The breakpoints of runs.

use super::RunView;
use crate::session::Breakpoint;

impl RunView {
    pub fn breakpoint(&self, line: u32) -> Option<&Breakpoint> {
        self.breakpoints.iter().find(|breakpoint| breakpoint.line == line)
    }

    /// Sets or removes a breakpoint on a line, from 1. Returns whether it is set.
    pub fn toggle_breakpoint(&mut self, line: u32) -> bool {
        let before = self.breakpoints.len();
        self.breakpoints.retain(|breakpoint| breakpoint.line != line);
        let set = self.breakpoints.len() == before;
        if set {
            self.breakpoints.push(Breakpoint { line, condition: None });
        }
        set
    }

    /// Sets a breakpoint with a condition; an empty condition always holds.
    pub fn set_condition(&mut self, line: u32, text: &str) {
        self.breakpoints.retain(|breakpoint| breakpoint.line != line);
        let condition = Some(text.trim().to_string()).filter(|text| !text.is_empty());
        self.breakpoints.push(Breakpoint { line, condition });
    }

    /// Moves breakpoints with their lines when the text changes. `line_of` returns the line of a byte of the text before.
    /// Returns whether any moved.
    pub fn carry_breakpoints(&mut self, before: &str, line_of: impl Fn(usize) -> u32) -> bool {
        let starts: Vec<usize> =
            std::iter::once(0).chain(before.match_indices('\n').map(|(at, _)| at + 1)).collect();
        let old = self.breakpoints.clone();
        for breakpoint in &mut self.breakpoints {
            let start = starts.get(breakpoint.line as usize - 1).copied().unwrap_or(before.len());
            // Follow the line's first non-blank character, so that text inserted or broken off before it
            // moves the breakpoint.
            let line = before[start..].lines().next().unwrap_or("");
            breakpoint.line = line_of(start + line.len() - line.trim_start().len());
        }
        self.breakpoints.dedup_by_key(|breakpoint| breakpoint.line);
        self.breakpoints != old
    }
}
