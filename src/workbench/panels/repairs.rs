//! The Repairs panel: changes after which every test passes, the best first, with one row per change. They
//! are followed by the answers to the question that distinguishes the first repairs. Enter applies the chosen
//! repair, or adds the chosen answer as a test.

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::host::measure::Kind;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::TokenId;
use crate::report::visible::on_one_line;
use crate::session::Repairs;
use crate::testing::mutation::repair::{Change, Question, Repair};
use crate::workbench::panels::{List, Panel};
use crate::workbench::results::Results;
use crate::workbench::state::State;
use crate::workbench::text::{fit, visible};
use crate::workbench::theme::{Look, Theme};

/// The maximum number of repairs listed.
const LISTED: usize = 8;

pub struct Listed;

impl List for Listed {
    fn count(&self, state: &State) -> usize {
        asked_rows(&state.results) + usize::from(judge(&state.results).is_some())
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        let (.., change) = rows(&state.results).nth(row)?;
        state.shown()?.token_at(change.lo)
    }

    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
        let Some((rank, place, repair, change)) = rows(&state.results).nth(row) else {
            return match judge(&state.results).filter(|_| row == asked_rows(&state.results)) {
                Some(said) => Line::from(Span::styled(said, theme.style(Look::Dim))),
                None => answer_line(&state.results, row, theme).unwrap_or_default(),
            };
        };
        let rank = if place == 0 { format!("{rank:>2}. ") } else { "  & ".to_string() };
        let mark = repair.other_use.as_ref().filter(|_| place == 0);
        let mark = mark.map(|other| format!("  ! changes {}", visible(&other.call))).unwrap_or_default();
        let room = width.saturating_sub(rank.width() + mark.width());
        let mut spans = vec![Span::styled(rank, theme.style(Look::Text))];
        spans.extend(spans_of(&state.results, change, room, theme));
        spans.push(Span::styled(mark, theme.style(Look::Warning)));
        if place == 0 && repair.alike > 0 {
            let others = format!("  {} like it", plural(repair.alike.into(), "other"));
            spans.push(Span::styled(others, theme.style(Look::Dim)));
        }
        Line::from(spans)
    }
}

/// Returns the changes of all repairs: the repair's rank from 1, and the change's index in it.
fn rows(results: &Results) -> impl Iterator<Item = (usize, usize, &Repair, &Change)> {
    let found = results.findings.current::<Repairs>().map_or(&[][..], |repairs| &repairs.found);
    (1..).zip(found).take(LISTED).flat_map(|(rank, repair)| {
        repair.changes.iter().enumerate().map(move |(place, change)| (rank, place, repair, change))
    })
}

/// Returns the number of rows for changes, the question and its answers.
fn asked_rows(results: &Results) -> usize {
    rows(results).count() + answers(results).map_or(0, |question| 1 + question.answers.len())
}

/// Returns the line about a sole repair, or about the engine that judged the candidates, if a device did or failed to.
fn judge(results: &Results) -> Option<String> {
    let repairs = results.findings.current::<Repairs>().filter(|repairs| !repairs.found.is_empty())?;
    let searched = plural(repairs.searched, "candidate");
    if let ([sole], true) = (&repairs.found[..], repairs.done) {
        let others = if sole.alike > 0 { "all others behave like it" } else { "no other was found" };
        return Some(format!(" plausible, not proved right: every test passes, and {others}"));
    }
    match (&repairs.instead, repairs.by) {
        (Some(error), _) => Some(format!(" {searched} judged by the CPU, not by the GPU: {error}")),
        (None, Kind::Gpu) => Some(format!(" {searched} judged by the GPU")),
        (None, Kind::Cpu) => None,
    }
}

/// Returns the question, if it has answers.
fn answers(results: &Results) -> Option<&Question> {
    results.findings.current::<Repairs>()?.question.as_deref()
}

/// Returns the row of the question, or of one of its answers.
fn answer_line(results: &Results, row: usize, theme: &Theme) -> Option<Line<'static>> {
    let question = answers(results)?;
    let Some(place) = row.checked_sub(rows(results).count() + 1) else {
        let asks =
            format!(" ?  what should {} return? enter adds the answer as a test", visible(&question.call));
        return Some(Line::from(Span::styled(asks, theme.style(Look::Heading))));
    };
    let (test, ranks) = question.answers.get(place)?;
    let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
    Some(Line::from(vec![
        Span::styled(format!("    {}", visible(test)), theme.style(Look::Added)),
        Span::styled(format!("  by repair {}", ranks.join(", ")), theme.style(Look::Dim)),
    ]))
}

const ARROW: &str = " → ";

/// Returns a change's place, original text and replacement.
fn words(results: &Results, change: &Change) -> Option<[String; 3]> {
    let shown = results.shown()?;
    let (line, column) = shown.place(change.lo as u32);
    let original = on_one_line(shown.compiled.text.get(change.lo..change.hi).unwrap_or(""));
    Some([format!("{:<6} ", format!("{line}:{column}")), original, on_one_line(&change.replacement)])
}

/// Returns the width of an uncut change, in cells.
fn width_of(results: &Results, change: &Change) -> usize {
    words(results, change)
        .map_or(0, |words| words.iter().map(|word| word.width()).sum::<usize>() + ARROW.width())
}

/// Returns a change's spans; original text and replacement are cut to fit into `room` cells.
fn spans_of(results: &Results, change: &Change, room: usize, theme: &Theme) -> Vec<Span<'static>> {
    let Some([place, original, replacement]) = words(results, change) else { return Vec::new() };
    let room = room.saturating_sub(place.width() + ARROW.width());
    let [one, other] = shared(room, [original.width(), replacement.width()]);
    vec![
        Span::styled(place, theme.style(Look::Dim)),
        Span::styled(fit(&original, one), theme.style(Look::Removed)),
        Span::styled(ARROW, theme.style(Look::Dim)),
        Span::styled(fit(&replacement, other), theme.style(Look::Added)),
        Span::styled(format!("  {}", change.rule.name()), theme.style(Look::Comment)),
    ]
}

/// Divides `room` between the original text and the replacement. The editor shows the original, so it gets a
/// third; unused cells go to the other.
fn shared(room: usize, [original, replacement]: [usize; 2]) -> [usize; 2] {
    let first = original.min((room / 3).max(room.saturating_sub(replacement)));
    [first, replacement.min(room - first)]
}

/// Returns titles with the number of repairs.
pub fn tab(results: &Results) -> Vec<String> {
    let panel = Panel::REPAIRS;
    let title = match results.findings.current::<Repairs>() {
        Some(repairs) if !repairs.found.is_empty() => {
            Some(format!("{} {}", panel.title(), repairs.found.len()))
        }
        Some(repairs) if !repairs.done => Some(format!("{} …", panel.title())),
        _ => None,
    };
    title.into_iter().chain(panel.titles()).collect()
}

/// Returns why the list is empty.
pub fn empty(results: &Results) -> &'static str {
    let fails = results.shown().is_some_and(|shown| shown.entries.iter().any(|e| e.outcome.fails()));
    match results.findings.current::<Repairs>() {
        _ if !fails => "every test passes: there is nothing to repair",
        Some(repairs) if repairs.done => "no small change was found after which every test passes",
        _ => "searching",
    }
}

/// Returns the best repair in one line, for panels that show failures.
pub fn best(results: &Results, width: usize, theme: &Theme) -> Option<Line<'static>> {
    let repairs = results.findings.current::<Repairs>()?;
    let mut spans = vec![Span::styled("  ", theme.style(Look::Dim))];
    match (repairs.found.first(), repairs.done) {
        (Some(repair), _) => {
            let more = match repair.changes.len() {
                1 => "a repair (alt-m): ".to_string(),
                n => format!("a repair by {n} changes (alt-m): "),
            };
            let change = repair.changes.first()?;
            let room = width.saturating_sub(2 + more.width());
            let (more, room) = match width_of(results, change) <= room {
                true => (more, room),
                false => ("alt-m: ".to_string(), width.saturating_sub(2 + "alt-m: ".width())),
            };
            spans.push(Span::styled(more, theme.style(Look::Good)));
            spans.extend(spans_of(results, change, room, theme));
        }
        (None, false) => {
            let searched = format!("searching for a repair: {} candidates so far", grouped(repairs.searched));
            spans.push(Span::styled(searched, theme.style(Look::Dim)));
        }
        (None, true) => return None,
    }
    Some(Line::from(spans))
}

/// The action of the chosen row.
pub enum Chosen<'a> {
    Repair(&'a Repair),
    /// Adds this test.
    Answer(&'a str),
}

impl State {
    /// Returns the chosen repair or answer, or why there is none.
    pub fn chosen_repair(&self) -> Result<Chosen<'_>, &'static str> {
        let current = self.shown().is_some_and(|shown| shown.revision == self.document.revision);
        if !current {
            return Err("the text on screen is not judged yet");
        }
        let row = self.list(Panel::REPAIRS).selected;
        if let Some((_, _, repair, _)) = rows(&self.results).nth(row) {
            return Ok(Chosen::Repair(repair));
        }
        let question = answers(&self.results).ok_or_else(|| empty(&self.results))?;
        let answer =
            row.checked_sub(rows(&self.results).count() + 1).and_then(|place| question.answers.get(place));
        answer.map(|(test, _)| Chosen::Answer(test)).ok_or("choose a repair, or one of the answers")
    }
}
