//! The Mutants panel: every judged mutant with its status, place, edits and killer; first- and second-order mutants
//! are listed separately. Only the rows on screen are computed, and ids are mapped to edits by index
//! arithmetic, so the cost does not depend on the number of mutants.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::host::measure::numbers::grouped;
use crate::lang::index::{Index, Indices, MutantId, TokenId};
use crate::lang::verdict::{MutantStatus, Verdict};
use crate::session::{Changes, Survivors};
use crate::testing::mutation::{KillReason, QuestionAnswer};
use crate::workbench::facts::FactMutant;
use crate::workbench::marks;
use crate::workbench::panels::List;
use crate::workbench::results::Shown;
use crate::workbench::state::{Link, MutantFilter, State};
use crate::workbench::text::{fit, visible};
use crate::workbench::theme::{Look, Theme};

/// The word before the score.
pub const SCORE: &str = "score ";
/// The word after the number of survivors.
pub const SURVIVED: &str = " survived";

/// The row width below which the status is only a glyph, in cells.
const NARROW: usize = 44;
/// The width of a place in aligned rows, and the maximum width of an edit's original text and replacement.
const PLACE: usize = 6;
const WRITTEN: usize = 18;

pub struct Mutants;

impl List for Mutants {
    fn count(&self, state: &State) -> usize {
        state.listed_mutants().len()
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        of_row(state, row)?.1.edits.first().map(|edit| edit.token)
    }

    /// Ids of first-order mutants ascend with their tokens, so after the survivors the first mutant in an element
    /// is found by binary search. Second-order mutants are not sorted by token.
    fn row_of(&self, state: &State, link: Link) -> Option<usize> {
        if state.mutants.filter == MutantFilter::Pairs {
            return None;
        }
        let listed = state.listed_mutants();
        let (ranked, count) = (listed.ranked(), listed.len());
        let site = |row: usize| self.token(state, row);
        let is_in =
            |row: &usize, tokens: Indices<TokenId>| site(*row).is_some_and(|site| tokens.contains(site));
        let survivor = |tokens| (0..ranked).find(|row| is_in(row, tokens));
        let seek = |from: TokenId| {
            let (mut lo, mut hi) = (ranked, count);
            while lo < hi {
                let middle = (lo + hi) / 2;
                if site(middle).is_some_and(|site| site < from) { lo = middle + 1 } else { hi = middle }
            }
            (lo < count).then_some(lo)
        };
        // The others are far below the survivors, which are the ones to look at.
        let others = |tokens: Indices<TokenId>| seek(tokens.start()).filter(|row| is_in(row, tokens));
        let of =
            |tokens: Indices<TokenId>| survivor(tokens).or_else(|| (ranked == 0).then(|| others(tokens))?);
        // The mutants inside of a statement are not the statement's.
        let is_whole = state.shown().is_some_and(|shown| shown.compiled.view().role(link.node).is_expression());
        of(link.node.into()).or_else(|| is_whole.then(|| of(link.tokens))?)
    }

    fn explains(&self, state: &State, row: usize) -> Vec<String> {
        let Some((id, changes)) = of_row(state, row) else { return Vec::new() };
        let status = state.results.mutants.verdicts.get(id.position()).map(|verdict| verdict.status.name());
        let status = if state.hides_verdict(id) { Some(marks::HIDDEN.word) } else { status };
        status.into_iter().chain(changes.operator.split('+')).map(String::from).collect()
    }

    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
        let (Some(shown), Some((id, changes))) = (state.results.judged.as_ref(), of_row(state, row)) else {
            return Line::default();
        };
        let Some(verdict) = state.results.mutants.verdicts.get(id.position()).copied() else {
            return Line::default();
        };
        let found = &state.results.mutants.examined;
        let hides = state.hides_verdict(id);
        let (mark, word) = match hides {
            true => (&marks::HIDDEN, marks::HIDDEN.word),
            false => (marks::of_status(verdict.status), word(id, verdict, found)),
        };
        // In a narrow row only the glyph is shown; the status bar shows the word.
        let word = if width < NARROW { String::new() } else { format!("{word:<10} ") };
        let status = format!("{} {word}", mark.glyph);
        let room = width.saturating_sub(status.width());
        let mut spans = vec![Span::styled(status, theme.style(mark.look))];
        spans.extend(edits(shown, &changes, room, theme));
        if hides {
            spans.push(Span::styled(format!("  #{id} {}", changes.operator), theme.style(Look::Comment)));
            return Line::from(spans);
        }
        let note = match verdict.status {
            MutantStatus::Survived => survivor_note(state, id, found),
            MutantStatus::Equivalent if state.results.mutants.proved.equal.contains_key(&id) => {
                Some("  no test can notice it".to_string())
            }
            _ => None,
        };
        let note = note.unwrap_or_else(|| noticed_by(shown, verdict));
        spans.push(Span::styled(note, theme.style(Look::Dim)));
        spans.push(Span::styled(format!("  #{id} {}", changes.operator), theme.style(Look::Comment)));
        Line::from(spans)
    }
}

/// Returns the test that would notice a survivor, or that none was found, or why it survives.
fn survivor_note(state: &State, id: MutantId, found: &Survivors) -> Option<String> {
    let fails = state.results.judged.as_ref().is_some_and(|shown| shown.fails_in(id));
    match (found.answer(id), state.unproved(id)) {
        // A test of what the program returns may ask for the fault.
        _ if fails => found.why.get(&id).map(|why| format!("  {}", short(state, why))),
        (Some(QuestionAnswer::Found(question)), _) => Some(format!("  add {}", visible(&question.test))),
        (_, Some((_, Some(test)))) => Some(format!("  add {}", visible(test))),
        (Some(QuestionAnswer::Alike { .. }), _) => Some("  no test found".to_string()),
        (None, _) => found.why.get(&id).map(|why| format!("  {}", short(state, why))),
    }
}

/// Returns why a mutant survives, in a few words. A test that does not pass may run its code, but judges nothing.
fn short(state: &State, why: &KillReason) -> String {
    match why.reached {
        0 if state.results.tests_mark() != &marks::PASSES => "no passing test runs it".to_string(),
        _ => why.short(),
    }
}

fn of_row(state: &State, row: usize) -> Option<(MutantId, FactMutant)> {
    let id = state.listed_mutants().get(row)?;
    Some((id, state.results.judged.as_ref()?.mutant(id)?))
}

/// Returns each edit with its place. If there are two, both are cut as necessary to fit into `room` cells.
pub fn edits(shown: &Shown, mutant: &FactMutant, room: usize, theme: &Theme) -> Vec<Span<'static>> {
    const ARROW: &str = " → ";
    const AND: &str = " & ";
    let several = mutant.edits.len() > 1;
    let place = |lo: u32| {
        let (line, column) = shown.place(lo);
        let place = format!("{line}:{column}");
        // A single edit is aligned with the rows around it.
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
    // Find the maximum length of all texts that fits. A single edit is cut by the panel's edge instead.
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

/// Returns the test that noticed a mutant, or the mutant that it duplicates.
fn noticed_by(shown: &Shown, verdict: Verdict) -> String {
    match verdict {
        Verdict { killer: Some(killer), .. } => format!("  by {}", visible(shown.label(killer))),
        Verdict { original: Some(original), .. } => format!("  of #{original}"),
        _ => String::new(),
    }
}

/// Returns which mutants are listed, unless these are all of the first order.
pub fn listed(state: &State) -> Option<String> {
    let other = Some(state.mutants.filter).filter(|filter| *filter != MutantFilter::Singles);
    other.map(|filter| format!("listed: {}", filter.word()))
}

/// Returns the counts and the score. Parts that come and go are before them, so that they keep their place at the row's end.
pub fn figures(state: &State) -> Vec<String> {
    let mutants = &state.results.mutants;
    if mutants.total == 0 {
        return Vec::new();
    }
    let singles = mutants.first_order_text();
    if state.predict.is_some() {
        return vec![format!("{singles}, to guess")];
    }
    let pairs = mutants.second_order_text().filter(|_| state.mutants.filter == MutantFilter::Pairs);
    let changes = state.results.findings.current::<Changes>().filter(|changes| !changes.is_empty());
    let (marks, changes) = (changes.map(changes_marks), changes.map(changes_text));
    let unfinished = mutants.tally.first_order.unfinished;
    let unfinished = (unfinished > 0).then(|| format!("{} unfinished", grouped(unfinished.into())));
    let (scores, survived) = state.results.scores();
    let scores = scores.map(|scores| scores.map(|score| format!("{SCORE}{score}")));
    let [in_full, score] = scores.map_or([None, None], |scores| scores.map(Some));
    let survived_of = format!("{} of {singles}", grouped(survived.into()));
    let survived = Some(format!("{}{SURVIVED}", grouped(survived.into())));
    let singles = Some(singles);
    let row = |parts: &[&Option<String>]| {
        let parts = parts.iter().copied().flatten().filter(|part| !part.is_empty());
        parts.map(String::as_str).collect::<Vec<_>>().join(" · ")
    };
    vec![
        row(&[&pairs, &unfinished, &changes, &singles, &in_full, &survived]),
        row(&[&pairs, &unfinished, &changes, &singles, &score, &survived]),
        row(&[&pairs, &marks, &singles, &score, &survived]),
        row(&[&pairs, &marks, &singles, &score]),
        row(&[&pairs, &marks, &score]),
        row(&[&pairs, &singles, &score]),
        row(&[&survived]),
        survived_of,
        row(&[&singles]),
    ]
}

/// Describes the verdicts that the last edit changed.
fn changes_text(changes: &Changes) -> String {
    let counts = [
        (changes.noticed.len(), "newly noticed"),
        (changes.survive.len(), "newly survive"),
        (changes.fresh.len(), "new survive"),
    ];
    let told: Vec<String> = { counts.iter() }
        .filter(|(count, _)| *count > 0)
        .map(|(count, what)| format!("{} {what}", grouped(*count as u64)))
        .collect();
    told.join(", ")
}

/// Likewise in few cells.
fn changes_marks(changes: &Changes) -> String {
    let survive = changes.survive.len() + changes.fresh.len();
    let counts = [(changes.noticed.len(), &marks::NEWLY_NOTICED), (survive, &marks::NEWLY_SURVIVES)];
    let told = counts.iter().filter(|(count, _)| *count > 0);
    told.map(|(count, mark)| format!("{}{count}", mark.glyph)).collect::<Vec<_>>().join(" ")
}

/// Returns why the list is empty.
pub fn empty(state: &State) -> &'static str {
    match state.mutants.filter {
        _ if !state.results.judged.as_ref().is_some_and(|shown| shown.has_passing()) => {
            "no test passes, so none can judge a mutant"
        }
        MutantFilter::Singles => "no mutants yet",
        MutantFilter::Changed => "the last edit changed no verdict; f for the next",
        MutantFilter::Status(_) => "none with this status; f for the next",
        MutantFilter::Pairs if state.results.mutants.second_order_wanted() > 0 => {
            "no second-order mutant is judged yet"
        }
        MutantFilter::Pairs => {
            "no second-order mutants: they are judged if first-order ones leave room in the budget"
        }
    }
}

/// The word for a mutant that would run forever.
pub const NEVER_ENDS: &str = "never ends";

pub fn word(id: MutantId, verdict: Verdict, found: &Survivors) -> &'static str {
    let endless = verdict.status == MutantStatus::Timeout && found.never_end.contains(&id);
    if endless { NEVER_ENDS } else { marks::of_status(verdict.status).word }
}
