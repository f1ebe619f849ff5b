//! The Repairs panel: changes after which every test passes, the best first, with one row per change. The best
//! one is followed by the question that distinguishes the first repairs, and its answers. Enter applies the chosen
//! repair, or adds the chosen answer as a test. Expressions for a `?` are listed likewise.

use std::collections::BTreeMap;

use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use crate::host::measure::Kind;
use crate::host::measure::numbers::{grouped, plural, rounded};
use crate::lang::index::TokenId;
use crate::report::visible::on_one_line;
use crate::session::{Filling, Repairs};
use crate::testing::mutation::repair::{Change, Repair, RepairQuestion, Rule};
use crate::workbench::panels::{List, Panel};
use crate::workbench::results::Results;
use crate::workbench::state::State;
use crate::workbench::suggested::Suggestion;
use crate::workbench::text::{fit, visible};
use crate::workbench::theme::{Look, Theme};

const LISTED: usize = 8;
/// The bytes from which on the unchanged beginning of a line is left out.
const LONG_BEGINNING: usize = 16;
/// The cells below which a change is its replacement only.
const LITTLE: usize = 16;
/// Why enter applies nothing on a row that is neither.
pub const CHOOSE: &str = "choose a repair, or one of the answers";

pub struct RepairListed;

enum RepairRow<'a> {
    /// A repair's rank from 1, the index of the change in it, and both.
    Change(usize, usize, &'a Repair, &'a Change),
    Question(&'a RepairQuestion),
    /// A test and the ranks of the repairs that pass it.
    Answer(&'a str, &'a [usize]),
    /// The ranks of repairs for which the call traps.
    Traps(&'a [usize]),
    Judge(String),
}

impl List for RepairListed {
    fn count(&self, state: &State) -> usize {
        rows(&state.results).len()
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        match rows(&state.results).get(row)? {
            RepairRow::Change(.., change) => state.results.judged.as_ref()?.token_at(change.lo),
            _ => None,
        }
    }

    fn explains(&self, state: &State, row: usize) -> Vec<String> {
        match rows(&state.results).get(row) {
            Some(RepairRow::Change(.., change)) => vec![change.rule.name().to_string()],
            _ => Vec::new(),
        }
    }

    fn explains_node(&self) -> bool {
        false
    }

    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
        match rows(&state.results).get(row) {
            Some(RepairRow::Change(rank, place, repair, change)) => {
                change_line(&state.results, (*rank, *place), (repair, change), width, theme)
            }
            Some(RepairRow::Question(question)) => {
                let call = visible(&question.call);
                let asks = format!(" ?  what should {call} return?");
                let long = format!("{asks} the answer becomes a test");
                let fitting = [long, asks].into_iter().find(|said| said.width() <= width);
                let said = fitting.unwrap_or_else(|| format!(" ?  {call} == ?"));
                Line::from(Span::styled(said, theme.style(Look::Heading)))
            }
            Some(RepairRow::Answer(test, ranks)) => answer_line(test, &by(&state.results, ranks), width, theme),
            Some(RepairRow::Traps(ranks)) => {
                let text = format!("    a trap{}", by(&state.results, ranks));
                Line::from(Span::styled(text, theme.style(Look::Dim)))
            }
            Some(RepairRow::Judge(said)) => {
                // A clause that does not fit is left out; the status bar has it.
                let ends = said.match_indices([':', ',']).map(|(end, _)| &said[..end]).rev();
                let said = std::iter::once(&**said).chain(ends).find(|said| said.width() <= width);
                Line::from(Span::styled(said.unwrap_or_default().to_string(), theme.style(Look::Dim)))
            }
            None => Line::default(),
        }
    }
}

fn change_line(
    results: &Results,
    (rank, place): (usize, usize),
    (repair, change): (&Repair, &Change),
    width: usize,
    theme: &Theme,
) -> Line<'static> {
    let first = place == 0;
    let rank = if first { format!("{rank:>2}. ") } else { "  & ".to_string() };
    let mark = match (&repair.other_use, repair.other_callers.first()) {
        (Some(other), _) => Some(format!("  ! changes {}", visible(&other.call))),
        (None, Some(caller)) => Some(format!("  ! also called by {}", visible(caller))),
        (None, None) => None,
    };
    let mark = mark.filter(|_| first).unwrap_or_default();
    // The change takes precedence; the status bar shows the whole row.
    let fits = rank.width() + width_of(results, change) + mark.width() <= width;
    let mark = if fits || mark.is_empty() { mark } else { "  !".to_string() };
    let room = width.saturating_sub(rank.width() + mark.width());
    let mut spans = vec![Span::styled(rank, theme.style(Look::Text))];
    spans.extend(spans_of(results, change, room, theme));
    if let Some(size) = repair.size().filter(|_| first) {
        spans.push(Span::styled(format!("  size {size}"), theme.style(Look::Comment)));
    }
    spans.push(Span::styled(mark, theme.style(Look::Warning)));
    if let Some(others) = repair.likeness().filter(|_| first) {
        spans.push(Span::styled(format!("  {others}"), theme.style(Look::Dim)));
    }
    Line::from(spans)
}

/// Returns all rows. The question follows the best repair, so that its answers are on a small screen, too. It comes first
/// where the tests say little of what fills a `?`.
fn rows(results: &Results) -> Vec<RepairRow<'_>> {
    let all: Vec<_> = changes(results).collect();
    let first = all.iter().take_while(|(rank, ..)| *rank == 1).count();
    let of = |(rank, place, repair, change)| RepairRow::Change(rank, place, repair, change);
    let evidence = results.findings.current::<Repairs>().and_then(|repairs| repairs.evidence);
    let evidence = evidence.filter(|_| !all.is_empty());
    let mut rows: Vec<RepairRow> =
        evidence.iter().map(|evidence| RepairRow::Judge(format!(" {}", evidence.text()))).collect();
    let best = || all[..first].iter().copied().map(of);
    rows.extend(best().filter(|_| evidence.is_none()));
    if let Some(question) = answers(results) {
        rows.push(RepairRow::Question(question));
        rows.extend(question.answers.iter().map(|(test, ranks)| RepairRow::Answer(test, ranks)));
        rows.extend((!question.traps.is_empty()).then_some(RepairRow::Traps(&question.traps)));
    }
    rows.extend(best().filter(|_| evidence.is_some()));
    rows.extend(all[first..].iter().copied().map(of));
    rows.extend(judge(results).map(RepairRow::Judge));
    rows.extend(filling(results).map(|filling| RepairRow::Judge(format!(" {}", progress(filling)))));
    rows
}

fn filling(results: &Results) -> Option<&Filling> {
    results.findings.current::<Repairs>()?.filling.as_ref()
}

/// Describes how far the search for what fills a `?` is.
fn progress(filling: &Filling) -> String {
    let rate = if filling.rate > 0.0 { rounded(filling.rate) } else { "–".into() };
    format!("size {} · {} tried · {rate}/s", filling.size, rounded(filling.tried as f64))
}

/// Returns the changes of all repairs: the repair's rank from 1, and the change's index in it.
fn changes(results: &Results) -> impl Iterator<Item = (usize, usize, &Repair, &Change)> {
    let found = results.findings.current::<Repairs>().map_or(&[][..], |repairs| &repairs.found);
    (1..).zip(found).take(LISTED).flat_map(|(rank, repair)| {
        repair.changes.iter().enumerate().map(move |(place, change)| (rank, place, repair, change))
    })
}

/// Returns the line about a sole repair, or about the engine that judged the candidates, if a device did or failed to.
fn judge(results: &Results) -> Option<String> {
    let repairs = results.findings.current::<Repairs>().filter(|repairs| !repairs.found.is_empty())?;
    let searched = plural(repairs.searched, "candidate");
    if let ([sole], true) = (&repairs.found[..], repairs.done) {
        return Some(format!(" {}", sole.plausible()));
    }
    match (&repairs.instead, repairs.by) {
        (Some(error), _) => Some(format!(" {searched} judged by the CPU, not by the GPU: {error}")),
        (None, Kind::Gpu) => Some(format!(" {searched} judged by the GPU")),
        (None, Kind::Cpu) => None,
    }
}

fn answers(results: &Results) -> Option<&RepairQuestion> {
    results.findings.current::<Repairs>()?.question.as_deref()
}

/// Names the repairs, or the expressions for a `?`, that have these ranks.
fn by(results: &Results, ranks: &[usize]) -> String {
    let what = if filling(results).is_some() { "expression" } else { "repair" };
    let ranks: Vec<String> = ranks.iter().map(usize::to_string).collect();
    format!("  by {what} {}", ranks.join(", "))
}

/// Returns the line of an answer: the test, or only the value if that is too long.
fn answer_line(test: &str, by: &str, width: usize, theme: &Theme) -> Line<'static> {
    let long = format!("    {}", visible(test));
    let value = Suggestion::of(test).map(|test| format!("    == {}", visible(&test.value)));
    let text = value.filter(|_| long.width() + by.width() > width).unwrap_or(long);
    Line::from(vec![
        Span::styled(text, theme.style(Look::Added)),
        Span::styled(by.to_string(), theme.style(Look::Dim)),
    ])
}

const ARROW: &str = " → ";

/// Returns a change's place, original text and replacement.
fn words(results: &Results, change: &Change) -> Option<[String; 3]> {
    let shown = results.judged.as_ref()?;
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
    let rule = if change.rule == Rule::Hole { String::new() } else { format!("  {}", change.rule.name()) };
    vec![
        Span::styled(place, theme.style(Look::Dim)),
        Span::styled(fit(&original, one), theme.style(Look::Removed)),
        Span::styled(ARROW, theme.style(Look::Dim)),
        Span::styled(fit(&replacement, other), theme.style(Look::Added)),
        Span::styled(rule, theme.style(Look::Comment)),
    ]
}

/// Returns a line's new text; a long beginning that is the old one, too, is left out.
fn without_beginning(old: &str, new: &str) -> String {
    let (old, new) = (old.trim_start(), on_one_line(new.trim()));
    let same: usize =
        old.chars().zip(new.chars()).take_while(|(one, other)| one == other).map(|(c, _)| c.len_utf8()).sum();
    match new[..same].rfind(' ') {
        Some(blank) if blank >= LONG_BEGINNING => format!("…{}", &new[blank..]),
        _ => new,
    }
}

/// Divides `room` between the original text and the replacement. The editor shows the original, so it gets a
/// third, or nothing of little room; unused cells go to the other.
fn shared(room: usize, [original, replacement]: [usize; 2]) -> [usize; 2] {
    if room < LITTLE && original + replacement > room {
        return [0, replacement.min(room)];
    }
    let first = original.min((room / 3).max(room.saturating_sub(replacement)));
    [first, replacement.min(room - first)]
}

/// Returns the number of repairs found, or that they are searched for.
pub fn figures(results: &Results) -> Vec<String> {
    let figures = match results.findings.current::<Repairs>() {
        Some(repairs) if !repairs.found.is_empty() => Some(repairs.found.len().to_string()),
        Some(repairs) if !repairs.done => Some("…".to_string()),
        _ => None,
    };
    figures.into_iter().collect()
}

/// Returns why the list is empty.
pub fn empty(results: &Results) -> &'static str {
    match results.findings.current::<Repairs>() {
        _ if results.shown.as_ref().is_some_and(|shown| !shown.compiled.facts.compiles()) => {
            "repairs come when the text compiles"
        }
        _ if !results.needs_repair() => "every test passes: there is nothing to repair",
        Some(Repairs { done: true, filling: Some(_), .. }) => {
            "no expression was found with which every test passes"
        }
        Some(repairs) if repairs.done => "no small change was found after which every test passes",
        _ => "searching for a repair",
    }
}

/// Returns the best repair in one line, or what is known of the search, for panels that show failures.
pub fn best(results: &Results, width: usize, theme: &Theme) -> Line<'static> {
    let repairs = results.findings.current::<Repairs>();
    let found = repairs.and_then(|repairs| repairs.found.first());
    let Some((repair, change)) = found.and_then(|repair| Some((repair, repair.changes.first()?))) else {
        let text = match repairs.filter(|repairs| !repairs.done) {
            Some(Repairs { filling: Some(filling), .. }) => {
                format!("searching for an expression: {}", progress(filling))
            }
            Some(Repairs { searched, .. }) if *searched > 0 => {
                format!("searching for a repair: {} candidates so far", grouped(*searched))
            }
            _ => empty(results).to_string(),
        };
        return Line::styled(format!("  {text}"), theme.style(Look::Dim));
    };
    let more = match repair.changes.len() {
        1 if repairs.is_some_and(|repairs| repairs.filling.is_some()) => "an expression (alt-m): ".to_string(),
        1 => "a repair (alt-m): ".to_string(),
        n => format!("a repair by {n} changes (alt-m): "),
    };
    let room = width.saturating_sub(2 + more.width());
    let (more, room) = match (width_of(results, change) <= room, repair.changes.len()) {
        (true, _) => (more, room),
        (false, 1) => ("alt-m: ".to_string(), width.saturating_sub(2 + "alt-m: ".width())),
        (false, n) => {
            let said = format!("  alt-m: a repair by {n} changes");
            return Line::styled(said, theme.style(Look::Good));
        }
    };
    let mut spans =
        vec![Span::styled("  ", theme.style(Look::Dim)), Span::styled(more, theme.style(Look::Good))];
    spans.extend(spans_of(results, change, room, theme));
    Line::from(spans)
}

/// The action of the chosen row.
pub enum Chosen<'a> {
    Repair(&'a Repair),
    /// Adds this test.
    Answer(&'a str),
}

impl State {
    /// Returns the chosen repair or answer, or why the row has neither.
    pub fn chosen_repair(&self) -> Result<Chosen<'_>, &'static str> {
        if !self.is_text_judged() {
            return Err("the text on screen is not judged yet");
        }
        let row = self.list(Panel::REPAIRS).selected;
        match rows(&self.results).get(row) {
            Some(RepairRow::Change(_, _, repair, _)) => Ok(Chosen::Repair(repair)),
            Some(RepairRow::Answer(test, _)) => Ok(Chosen::Answer(test)),
            Some(_) => Err(CHOOSE),
            None => Err(empty(&self.results)),
        }
    }

    /// Returns what the chosen repair makes of lines, by the last line of each group, counted from 0; nothing unless the
    /// list has the focus.
    pub fn repaired_lines(&self) -> BTreeMap<usize, String> {
        let has_focus = self.screen.focus == Panel::REPAIRS;
        let Some(Ok(Chosen::Repair(repair))) = has_focus.then(|| self.chosen_repair()) else {
            return BTreeMap::new();
        };
        let buffer = &self.document.buffer;
        let groups = repair.lines(buffer.text()).into_iter();
        groups
            .map(|(lines, text)| (lines.end - 1, without_beginning(&buffer.line_text(lines.start), &text)))
            .collect()
    }

    /// Returns whether the chosen row is the question.
    pub fn asks_here(&self) -> bool {
        let row = self.list(Panel::REPAIRS).selected;
        matches!(rows(&self.results).get(row), Some(RepairRow::Question(_)))
    }
}
