//! The last program in which each failing test passed. Comparing its run with the failing one shows the
//! effect of the last edits.

use std::collections::HashMap;
use std::sync::Arc;

use crate::compiler::program::Compiled;
use crate::lang::index::{EntryId, Index};
use crate::testing::trace::entry_label;
use crate::workbench::results::Shown;
use crate::workbench::text::common_prefix_and_suffix;

/// Maps the label of each failing test to the last program in which it passed.
#[derive(Clone, Debug, Default)]
pub struct LastPassing(HashMap<String, Arc<Compiled>>);

impl LastPassing {
    /// Updates the map when `now` replaces `before`.
    pub fn follow(&mut self, before: Option<&Shown>, now: &Shown) {
        let mut known = std::mem::take(&mut self.0);
        if !now.entries.iter().any(|entry| entry.outcome.fails()) {
            return;
        }
        let mut passed: HashMap<String, Arc<Compiled>> = HashMap::new();
        if let Some(before) = before {
            for (id, entry) in EntryId::all().zip(&before.entries) {
                if !entry.outcome.fails() {
                    passed.insert(entry_label(&before.compiled, id), before.compiled.clone());
                }
            }
        }
        for (id, entry) in EntryId::all().zip(&now.entries) {
            let label = entry_label(&now.compiled, id);
            if entry.outcome.fails()
                && let Some(program) = passed.remove(&label).or_else(|| known.remove(&label))
            {
                self.0.insert(label, program);
            }
        }
    }

    /// Returns the last program in which a test passed that fails now.
    pub fn of(&self, label: &str) -> Option<&Arc<Compiled>> {
        self.0.get(label)
    }
}

/// The maximum length of each side of a change, in characters.
const LONGEST: usize = 40;

/// Describes the change between two texts, in whole words: `line 4: 0..len(xs) { → 0..len(xs) - 1 {`.
pub fn change(old: &str, new: &str) -> String {
    let (prefix, suffix) = common_prefix_and_suffix(old, new);
    let line = new[..prefix].matches('\n').count() + 1;
    let from = old[..prefix].trim_end_matches(' ').rfind(char::is_whitespace).map_or(0, |at| at + 1);
    let behind = &old[old.len() - suffix..];
    let more = behind.find(char::is_whitespace).unwrap_or(behind.len());
    let side = |text: &str| {
        let piece = text.get(from..text.len() - suffix + more).unwrap_or_default();
        let words = piece.split_whitespace().collect::<Vec<_>>().join(" ");
        match words.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &words[..end]),
            None if words.is_empty() => "(nothing)".to_string(),
            None => words,
        }
    };
    format!("line {line}: {} → {}", side(old), side(new))
}

#[cfg(test)]
mod tests {
    use super::change;

    #[test]
    fn text_change_is_described_by_whole_words() {
        assert_eq!(change("a\nb c(d)\n", "a\nb c(d - 1)\n"), "line 2: c(d) → c(d - 1)");
        assert_eq!(change("a b", "a b c"), "line 1: b → b c");
        assert_eq!(change("a\nb\nc", "a\nc"), "line 2: b c → c");
        assert_eq!(change("for i in 0..n {", "for i in 0..n - 1 {"), "line 1: 0..n { → 0..n - 1 {");
        assert_eq!(change("é", "é"), "line 1: é → é");
    }
}
