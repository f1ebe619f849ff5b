//! Mutants: every judged mutant with its state, place, edits and killer; single changes and pairs are lists of their own.
//! Only the rows on screen are worked out, and ids become edits by index arithmetic, so nothing here depends on how many
//! mutants there are.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::super::draw::fit;
use super::super::draw::theme::{Look, Theme};
use super::super::facts::Mutant;
use super::super::marks;
use super::super::results::Shown;
use super::super::state::{Link, MutantFilter, State};
use super::super::text::visible;
use crate::lang::NONE;
use crate::lang::verdict::{MutantStatus, Verdict};

/// Cells below which a row has no room for the state in words.
const NARROW: usize = 44;
/// Cells that a place takes where rows are aligned, and at most what an edit replaces, and what it puts there.
const PLACE: usize = 6;
const WRITTEN: usize = 18;

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

/// What is said while nothing is listed.
pub fn empty_text(state: &State) -> &'static str {
    match state.filter {
        MutantFilter::Singles => "no mutants yet",
        MutantFilter::Status(_) => "none in this state; f for the next",
        MutantFilter::Pairs if state.results.mutants.pairs_wanted() > 0 => "no pair is judged yet",
        MutantFilter::Pairs => "no pairs: they are judged where single changes leave room in the budget",
    }
}

/// Ids of single changes ascend with their tokens, so the first in an element is found by halving. Pairs do not.
pub fn row_of(state: &State, link: Link) -> Option<usize> {
    if state.filter == MutantFilter::Pairs {
        return None;
    }
    let count = count(state);
    let site = |row: usize| token(state, row).unwrap_or(NONE);
    let seek = |from: u32| {
        let (mut lo, mut hi) = (0, count);
        while lo < hi {
            let middle = (lo + hi) / 2;
            if site(middle) < from { lo = middle + 1 } else { hi = middle }
        }
        (lo < count).then_some(lo)
    };
    let itself = seek(link.node).filter(|row| site(*row) == link.node);
    itself.or_else(|| seek(link.lo).filter(|row| site(*row) < link.hi))
}

pub fn line(state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
    let (Some(shown), Some((id, mutant))) = (state.shown(), mutant(state, row)) else { return Line::default() };
    let Some(verdict) = state.results.mutants.verdicts.get(id as usize).copied() else {
        return Line::default();
    };
    let mark = marks::of_status(verdict.status);
    // Where there is little room the glyph says it alone, and the status bar the word.
    let word = if width < NARROW { String::new() } else { format!("{:<10} ", mark.word) };
    let state = format!("{} {word}", mark.glyph);
    let room = width.saturating_sub(state.width());
    let mut spans = vec![Span::styled(state, theme.style(mark.look))];
    spans.extend(edits(shown, &mutant, room, theme));
    spans.push(Span::styled(noticed_by(shown, verdict), theme.style(Look::Dim)));
    spans.push(Span::styled(format!("  #{id} {}", mutant.operator), theme.style(Look::Comment)));
    Line::from(spans)
}

/// Each edit with its place. Both of a pair show, as far as so many cells have room for anything of them.
fn edits(shown: &Shown, mutant: &Mutant, room: usize, theme: &Theme) -> Vec<Span<'static>> {
    const ARROW: &str = " → ";
    const AND: &str = " & ";
    let several = mutant.edits.len() > 1;
    let place = |lo: u32| {
        let (line, column) = shown.place(lo);
        let place = format!("{line}:{column}");
        // Alone it is aligned with the rows above and below.
        if several { format!("{place} ") } else { format!("{place:<PLACE$} ") }
    };
    let written = |text: &str| match text {
        "" => "(nothing)".to_string(),
        text => visible(text),
    };
    let parts: Vec<[String; 3]> = mutant
        .edits
        .iter()
        .map(|edit| [place(edit.lo), written(&edit.original), written(&edit.replacement)])
        .collect();
    let texts = || parts.iter().flat_map(|[_, original, replacement]| [original.width(), replacement.width()]);
    let fixed: usize = parts.iter().map(|[place, ..]| place.width() + ARROW.width()).sum::<usize>()
        + parts.len().saturating_sub(1) * AND.width();
    // The longest that all of their texts may be; one edit alone is cut by the panel's edge.
    let fits = |most: &usize| fixed + texts().map(|width| width.min(*most)).sum::<usize>() <= room;
    let most = if several { (1..=WRITTEN).rev().find(fits).unwrap_or(1) } else { WRITTEN };
    let mut spans = Vec::new();
    for (i, [place, original, replacement]) in parts.iter().enumerate() {
        if i > 0 {
            spans.push(Span::styled(AND, theme.style(Look::Dim)));
        }
        spans.push(Span::styled(place.clone(), theme.style(Look::Dim)));
        spans.push(Span::styled(fit(original, most), theme.style(Look::Removed)));
        spans.push(Span::styled(ARROW, theme.style(Look::Dim)));
        spans.push(Span::styled(fit(replacement, most), theme.style(Look::Added)));
    }
    spans
}

/// The test that noticed it, or the mutant that it is the same as.
fn noticed_by(shown: &Shown, verdict: Verdict) -> String {
    match verdict.status {
        MutantStatus::Killed | MutantStatus::Timeout if verdict.killer != NONE => {
            let label = shown.labels.get(verdict.killer as usize).map_or("", String::as_str);
            format!("  by {}", visible(label))
        }
        MutantStatus::Duplicate if verdict.twin != NONE => format!("  of #{}", verdict.twin),
        _ => String::new(),
    }
}
