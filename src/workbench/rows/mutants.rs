//! Mutants: every judged mutant with its state, place, edit and killer. Only the rows on screen are worked out, and
//! ids become edits by index arithmetic, so nothing here depends on how many mutants there are.

use ratatui::text::{Line, Span};

use super::super::draw::theme::{Look, Theme};
use super::super::facts::Mutant;
use super::super::state::{Link, State};
use super::super::text::visible;
use crate::engine::MutantStatus;
use crate::lang::NONE;

/// Cells below which a row has no room for the state in words.
const NARROW: usize = 44;

pub fn count(state: &State) -> usize {
    state.listed_mutants().len()
}

fn mutant(state: &State, row: usize) -> Option<(u32, Mutant)> {
    let id = *state.listed_mutants().get(row)?;
    Some((id, state.shown()?.mutant(id)?))
}

pub fn token(state: &State, row: usize) -> Option<u32> {
    mutant(state, row)?.1.edits.first().map(|edit| edit.token)
}

/// First-order ids ascend with their tokens, so the first in an element is found by halving.
pub fn row_of(state: &State, link: Link) -> Option<usize> {
    let ids = state.listed_mutants();
    let first_order = ids.partition_point(|id| *id < state.results.mutants.first_order);
    let site = |row: usize| token(state, row).unwrap_or(NONE);
    let seek = |from: u32| {
        let (mut lo, mut hi) = (0, first_order);
        while lo < hi {
            let middle = (lo + hi) / 2;
            if site(middle) < from { lo = middle + 1 } else { hi = middle }
        }
        (lo < first_order).then_some(lo)
    };
    let itself = seek(link.node).filter(|row| site(*row) == link.node);
    itself.or_else(|| seek(link.lo).filter(|row| site(*row) < link.hi))
}

/// How a state is written.
pub fn state_word(status: MutantStatus) -> (&'static str, &'static str, Look) {
    match status {
        MutantStatus::Pending => ("…", "pending", Look::Dim),
        MutantStatus::Killed => ("✓", "killed", Look::Good),
        MutantStatus::Timeout => ("◷", "timeout", Look::Good),
        MutantStatus::Survived => ("✗", "survived", Look::Bad),
        MutantStatus::Equivalent => ("=", "equivalent", Look::Dim),
        MutantStatus::Duplicate => ("≡", "duplicate", Look::Dim),
        MutantStatus::Invalid => ("∅", "invalid", Look::Dim),
    }
}

pub fn line(state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
    let (Some(shown), Some((id, mutant))) = (state.shown(), mutant(state, row)) else { return Line::default() };
    let Some(verdict) = state.results.mutants.verdicts.get(id as usize).copied() else {
        return Line::default();
    };
    let (glyph, word, look) = state_word(verdict.status);
    // Where there is little room the glyph says it alone, and the status bar the word.
    let word = if width < NARROW { String::new() } else { format!("{word:<10} ") };
    let mut spans = vec![Span::styled(format!("{glyph} {word}"), theme.style(look))];
    for (i, edit) in mutant.edits.iter().enumerate() {
        if i > 0 {
            spans.push(Span::styled(" & ", theme.style(Look::Dim)));
        }
        let (line, column) = shown.place(edit.lo);
        let place = format!("{line}:{column}");
        let written = |text: &str| super::super::draw::fit(&visible(text), 18);
        spans.push(Span::styled(format!("{place:<6} "), theme.style(Look::Dim)));
        spans.push(Span::styled(written(&edit.original), theme.style(Look::Removed)));
        spans.push(Span::styled(" → ", theme.style(Look::Dim)));
        let replacement = if edit.replacement.is_empty() { "(nothing)" } else { &edit.replacement };
        spans.push(Span::styled(written(replacement), theme.style(Look::Added)));
    }
    let by = match verdict.status {
        MutantStatus::Killed | MutantStatus::Timeout if verdict.killer != NONE => {
            let label = shown.labels.get(verdict.killer as usize).map_or("", String::as_str);
            format!("  by {}", visible(label))
        }
        MutantStatus::Duplicate if verdict.twin != NONE => format!("  of #{}", verdict.twin),
        _ => String::new(),
    };
    spans.push(Span::styled(by, theme.style(Look::Dim)));
    spans.push(Span::styled(format!("  #{id} {}", mutant.operator), theme.style(Look::Comment)));
    Line::from(spans)
}
