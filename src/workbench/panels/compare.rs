//! The Compare panel: how the pinned panel differs from what it shows now. A panel is pinned as text, so anything can be
//! compared: code after two passes, two mutants, two revisions, two files. Addresses and places in the source do not count,
//! so an inserted instruction is one difference.

use crate::report::align::{Aligned, Comparable, align, changes};
use crate::workbench::panels::page::Page;
use crate::workbench::panels::{self, Panel};
use crate::workbench::state::State;
use crate::workbench::text::visible;
use crate::workbench::theme::Look;

/// The number of equal lines shown before and after a difference.
const CONTEXT: usize = 2;

/// Returns what a panel shows, in one line: its title, the file and its revision, and the mutant if the panel is about one.
pub fn title(state: &State, panel: Panel) -> String {
    let figures = (panel.row().figures)(state).into_iter().next();
    let mutant = match panel == Panel::MUTANT {
        true => state.chosen_mutant().map(|(id, _)| format!("#{id}")),
        false => Some(state.own_title(panel)).filter(|own| !own.is_empty()),
    };
    let own = [Some(panel.title().to_string()), figures, mutant].into_iter().flatten().collect::<Vec<_>>();
    format!("{}, {} rev {}", own.join(" "), state.document.file.name(), state.document.revision)
}

pub fn lines(state: &State, page: &mut Page) {
    let Some(pinned) = &state.pinned else { return };
    let now = panels::comparable_lines(state, pinned.panel);
    page.row([(Look::Removed, format!("- {}", visible(&pinned.title)))]);
    page.row([(Look::Added, format!("+ {}", visible(&title(state, pinned.panel))))]);
    page.blank();
    let of = |lines: &[(String, Comparable)]| lines.iter().map(|(_, own)| own.clone()).collect::<Vec<_>>();
    let changes = changes(&align(&of(&pinned.lines), &of(&now)), CONTEXT);
    if changes.is_empty() {
        return page.prose(Look::Good, "both are equal");
    }
    for change in changes {
        let (mark, look, text) = match change {
            Some(Aligned::Removed(row)) => ("- ", Look::Removed, &pinned.lines[row].0),
            Some(Aligned::Added(row)) => ("+ ", Look::Added, &now[row].0),
            Some(Aligned::Equal(_, row)) => ("  ", Look::Dim, &now[row].0),
            None => {
                page.prose(Look::Dim, "…");
                continue;
            }
        };
        // One part, so that the mark stays with the text where that wraps.
        page.row([(look, format!("{mark}{}", visible(text)))]);
    }
}
