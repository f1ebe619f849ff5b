//! Formats a mutant as a diff.

use std::ops::Range;
use std::sync::Arc;

use similar::{ChangeTag, DiffTag, TextDiff};

use crate::compiler::program::Compiled;
use crate::compiler::variants::Variants;
use crate::lang::index::MutantId;

/// Returns the lines that a mutant changes as a unified diff without context. Only a line feed ends a line.
pub fn difference(variants: &Variants<Arc<Compiled>>, id: MutantId) -> String {
    let text = variants.text();
    let Some(change) = variants.describe(id) else { return String::new() };
    let (Some(before), Some(after)) = (text.get(..change.lo), text.get(change.hi..)) else {
        return String::new();
    };
    // Text outside of these lines is equal and not compared.
    let from = before.rfind('\n').map_or(0, |at| at + 1);
    let to = after.find('\n').map_or(text.len(), |at| change.hi + at + 1);
    let new = [&text[from..change.lo], &change.replacement, &text[change.hi..to]].concat();
    let first = text[..from].bytes().filter(|byte| *byte == b'\n').count();
    let [old, new] =
        [&text[from..to], new.as_str()].map(|lines| lines.split_inclusive('\n').collect::<Vec<&str>>());
    let diff = TextDiff::from_slices(&old, &new);
    let range = |range: &Range<usize>| match range.len() {
        0 => format!("{},0", first + range.start),
        1 => format!("{}", first + range.start + 1),
        len => format!("{},{len}", first + range.start + 1),
    };
    let mut out = String::new();
    for hunk in diff.ops().iter().filter(|hunk| hunk.tag() != DiffTag::Equal) {
        out.push_str(&format!("@@ -{} +{} @@\n", range(&hunk.old_range()), range(&hunk.new_range())));
        for change in diff.iter_changes(hunk) {
            let sign = if change.tag() == ChangeTag::Delete { '-' } else { '+' };
            out.push(sign);
            out.push_str(change.value());
            if !change.value().ends_with('\n') {
                out.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    out
}
