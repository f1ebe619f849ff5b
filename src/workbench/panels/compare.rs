//! The Compare panel: how the pinned panel differs from what it shows now. A panel is pinned as text, so anything can be
//! compared: code after two passes, two mutants, two revisions, two files.

use ratatui::text::Line;
use similar::{Algorithm, ChangeTag, capture_diff_slices};

use crate::workbench::panels::page::Page;
use crate::workbench::panels::{self, Panel};
use crate::workbench::state::State;
use crate::workbench::text::visible;
use crate::workbench::theme::{Look, Theme};

/// The number of equal lines shown before and after a difference.
const CONTEXT: usize = 2;

/// Returns what a panel shows, in one line: its title, the file and its revision, and the mutant if the panel is about one.
pub fn title(state: &State, panel: Panel) -> String {
    let own = panel.row().tab.and_then(|tab| tab(state).into_iter().next());
    let own = own.unwrap_or_else(|| panel.title().to_string());
    let mutant = match panel == Panel::MUTANT {
        true => state.chosen_mutant().map_or(String::new(), |(id, _)| format!(" #{id}")),
        false => String::new(),
    };
    format!("{own}{mutant}, {} rev {}", state.document.file.name(), state.document.revision)
}

pub fn lines(state: &State, width: usize, theme: &Theme) -> Vec<Line<'static>> {
    let Some(pinned) = &state.pinned else { return Vec::new() };
    let mut page = Page::new(width, theme);
    let now = panels::text_lines(state, pinned.panel);
    page.row([(Look::Removed, "- ".to_string()), (Look::Text, visible(&pinned.title))]);
    page.row([(Look::Added, "+ ".to_string()), (Look::Text, visible(&title(state, pinned.panel)))]);
    page.blank();
    let operations = capture_diff_slices(Algorithm::Myers, &pinned.lines, &now);
    let changes: Vec<(ChangeTag, String)> = operations
        .iter()
        .flat_map(|operation| operation.iter_changes(&pinned.lines, &now))
        .map(|change| (change.tag(), change.value()))
        .collect();
    if changes.iter().all(|(tag, _)| *tag == ChangeTag::Equal) {
        page.prose(Look::Good, "both are equal");
        return page.into_lines();
    }
    let near = |at: usize| {
        let (from, to) = (at.saturating_sub(CONTEXT), (at + CONTEXT + 1).min(changes.len()));
        changes[from..to].iter().any(|(tag, _)| *tag != ChangeTag::Equal)
    };
    let mut skipped = false;
    for (at, (tag, text)) in changes.iter().enumerate() {
        if !near(at) {
            if !skipped {
                page.prose(Look::Dim, "…");
            }
            skipped = true;
            continue;
        }
        skipped = false;
        let (mark, look) = match tag {
            ChangeTag::Delete => ("- ", Look::Removed),
            ChangeTag::Insert => ("+ ", Look::Added),
            ChangeTag::Equal => ("  ", Look::Dim),
        };
        page.row([(look, mark.to_string()), (look, visible(text))]);
    }
    page.into_lines()
}
