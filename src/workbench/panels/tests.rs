//! The Tests panel: each test and property with its outcome, and the reason for each failure.

use ratatui::text::{Line, Span};

use crate::engine::EntryResult;
use crate::engine::extra_inputs::is_proved;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::index::{EntryId, Index, TokenId};
use crate::lang::trap::Trap;
use crate::lang::verdict::Outcome;
use crate::workbench::marks;
use crate::workbench::panels::{self, List, Panel, repairs};
use crate::workbench::results::Results;
use crate::workbench::results::Shown;
use crate::workbench::state::{Link, State};
use crate::workbench::text::{visible, wrap};
use crate::workbench::theme::{Look, Theme};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum TestPanelRow {
    Entry(EntryId),
    /// The expected and the actual value of a failed comparison.
    Sides(EntryId),
    Counterexample(EntryId),
    Trap(EntryId),
    /// A line of the cause of a trap, by its number.
    Cause(EntryId, usize),
    /// A note that few or no inputs meet the property's condition.
    Condition(EntryId),
    /// The best repair, or what is known of the search.
    Repair,
}

fn rows(state: &State) -> Vec<TestPanelRow> {
    if state.shown().is_none() {
        return Vec::new();
    }
    let mut rows = Vec::new();
    // The row after the first failing test offers a repair. It is there during the search, too, so that no row moves at its end.
    let mut offers = state.results.needs_repair();
    for (entry, result) in EntryId::all().zip(state.results.entries()) {
        rows.push(TestPanelRow::Entry(entry));
        if state.hides_outcome(entry) {
            continue;
        }
        // An unfinished test shows this in its own row, so that no row moves while a line is typed.
        let is_unfinished = result.outcome.is_unfinished();
        if !is_unfinished {
            rows.extend(reasons(state, entry, result));
        }
        if result.outcome != Outcome::Pass
            && (!is_unfinished || !state.results.fails())
            && std::mem::take(&mut offers)
        {
            rows.push(TestPanelRow::Repair);
        }
    }
    rows.extend(offers.then_some(TestPanelRow::Repair));
    rows
}

/// Returns the rows that say why a test ends as it does.
fn reasons(state: &State, entry: EntryId, result: &EntryResult) -> Vec<TestPanelRow> {
    let mut rows = Vec::new();
    if matches!(result.outcome, Outcome::Trap(_)) && result.trap_address.is_some() {
        rows.push(TestPanelRow::Trap(entry));
    }
    if result.discards_many() {
        rows.push(TestPanelRow::Condition(entry));
    }
    let Some(detail) = state.results.detail(entry) else { return rows };
    if let Some(cause) = &detail.cause {
        rows.extend((0..cause_lines(state, cause).len()).map(|line| TestPanelRow::Cause(entry, line)));
    }
    if result.outcome == Outcome::Fail && detail.left.is_some() {
        rows.push(TestPanelRow::Sides(entry));
    }
    if !detail.counterexample.is_empty() {
        rows.push(TestPanelRow::Counterexample(entry));
    }
    rows
}

/// Returns the test or property of the selected row, or else the first.
pub fn chosen(state: &State) -> Option<EntryId> {
    selected(state).or_else(|| state.shown()?.compiled.entries().iter().next())
}

/// Returns the test or property of the selected row.
pub fn selected(state: &State) -> Option<EntryId> {
    rows(state).get(state.list(Panel::TESTS).selected).and_then(|row| match *row {
        TestPanelRow::Entry(entry) | TestPanelRow::Sides(entry) | TestPanelRow::Counterexample(entry) => {
            Some(entry)
        }
        TestPanelRow::Trap(entry) | TestPanelRow::Cause(entry, _) | TestPanelRow::Condition(entry) => {
            Some(entry)
        }
        TestPanelRow::Repair => None,
    })
}

/// Returns the cause of a trap as lines that fit into the panel.
fn cause_lines(state: &State, cause: &str) -> Vec<String> {
    wrap(cause, panels::cells(state, Panel::TESTS).saturating_sub(INDENT).max(1))
}

/// The indent of a reason, in cells.
const INDENT: usize = 4;

/// The cells reserved for a label before discarded inputs are shown.
const LABEL: usize = 12;

/// Hints at the key that shows why, the longest first.
const STEPS: [&str; 3] = ["  alt-u: step by step", "  alt-u: steps", "  alt-u"];

/// Returns the longest hint that fits after a text of `used` cells.
fn hint(used: usize, width: usize) -> &'static str {
    STEPS.into_iter().find(|hint| used + hint.len() <= width).unwrap_or_default()
}

/// Returns the token of `test` or `prop`.
fn item(shown: &Shown, entry: EntryId) -> Option<TokenId> {
    Some(shown.compiled.entry(entry)?.head())
}

pub struct Tests;

impl List for Tests {
    fn count(&self, state: &State) -> usize {
        rows(state).len()
    }

    fn token(&self, state: &State, row: usize) -> Option<TokenId> {
        let shown = state.shown()?;
        match *rows(state).get(row)? {
            TestPanelRow::Trap(entry) | TestPanelRow::Cause(entry, _) => {
                let address = state.results.entries().get(entry.position())?.trap_address?;
                TokenId::of(&shown.compiled.executable.code.token, address)
            }
            TestPanelRow::Entry(entry) | TestPanelRow::Sides(entry) | TestPanelRow::Counterexample(entry) => {
                item(shown, entry)
            }
            TestPanelRow::Condition(entry) => shown.compiled.view().child(item(shown, entry)?, 2),
            TestPanelRow::Repair => panels::token(state, Panel::REPAIRS, 0),
        }
    }

    /// Returns the entry that contains an element.
    fn row_of(&self, state: &State, link: Link) -> Option<usize> {
        let shown = state.shown()?;
        rows(state).iter().position(|row| {
            let TestPanelRow::Entry(entry) = *row else { return false };
            item(shown, entry).is_some_and(|item| shown.extent_tokens(item).contains(link.token))
        })
    }

    fn explains(&self, state: &State, row: usize) -> Vec<String> {
        let entry = match rows(state).get(row).copied() {
            Some(TestPanelRow::Repair) => return repairs::RepairListed.explains(state, 0),
            Some(TestPanelRow::Condition(_)) => return vec![marks::DISCARDED.word.to_string()],
            Some(
                TestPanelRow::Entry(entry) | TestPanelRow::Sides(entry) | TestPanelRow::Counterexample(entry),
            ) => entry,
            Some(TestPanelRow::Trap(entry) | TestPanelRow::Cause(entry, _)) => entry,
            None => return Vec::new(),
        };
        if state.hides_outcome(entry) {
            return vec![marks::HIDDEN.word.to_string()];
        }
        let outcome = state.results.entries().get(entry.position()).map(|result| result.outcome);
        let name = outcome.map(|outcome| match outcome {
            Outcome::Trap(trap) => trap.ident(),
            other => marks::of_outcome(other).word,
        });
        name.map(String::from).into_iter().collect()
    }

    fn line(&self, state: &State, row: usize, width: usize, theme: &Theme) -> Line<'static> {
        let (Some(shown), Some(row)) = (state.shown(), rows(state).get(row).copied()) else {
            return Line::default();
        };
        match row {
            TestPanelRow::Entry(entry) => {
                let result = state.results.entries().get(entry.position()).copied();
                if state.hides_outcome(entry) {
                    return hidden(shown, entry, theme);
                }
                result.map_or(Line::default(), |result| entry_line(state, (entry, result), width, theme))
            }
            TestPanelRow::Sides(entry) => {
                let detail = state.results.detail(entry).unwrap_or_default();
                let mut line = Line::from(vec![
                    Span::styled("    left ", theme.style(Look::Dim)),
                    Span::styled(visible(&detail.left.unwrap_or_default()), theme.style(Look::Bad)),
                    Span::styled("  right ", theme.style(Look::Dim)),
                    Span::styled(visible(&detail.right.unwrap_or_default()), theme.style(Look::Good)),
                ]);
                line.push_span(Span::styled(hint(line.width(), width), theme.style(Look::Dim)));
                line
            }
            TestPanelRow::Counterexample(entry) => {
                let mut spans = vec![Span::styled("    with ", theme.style(Look::Dim))];
                let detail = state.results.detail(entry).unwrap_or_default();
                for (i, (name, value)) in detail.counterexample.iter().enumerate() {
                    let comma = if i > 0 { ", " } else { "" };
                    spans.push(Span::styled(
                        visible(&format!("{comma}{name} = {value}")),
                        theme.style(Look::Number),
                    ));
                }
                Line::from(spans)
            }
            TestPanelRow::Condition(entry) => {
                let met = state
                    .results
                    .entries()
                    .get(entry.position())
                    .map_or(0, |result| result.inputs - result.discarded);
                let said = match met {
                    0 => "    no input meets its condition".to_string(),
                    _ => format!("    only {} met its condition", plural(met.into(), "input")),
                };
                Line::from(Span::styled(said, theme.style(Look::Warning)))
            }
            TestPanelRow::Cause(entry, number) => {
                let cause = state.results.detail(entry).and_then(|detail| detail.cause).unwrap_or_default();
                let line = cause_lines(state, &cause).into_iter().nth(number).unwrap_or_default();
                let text = format!("{:INDENT$}{}", "", visible(&line));
                Line::from(Span::styled(text, theme.style(Look::Bad)))
            }
            TestPanelRow::Repair => {
                let line = repairs::best(&state.results, width, theme);
                let is_old = state.results.has_old_verdicts();
                if is_old { Line::styled(line.to_string(), theme.stale()) } else { line }
            }
            TestPanelRow::Trap(entry) => {
                let place = state.results.entries().get(entry.position()).and_then(|r| {
                    let token = TokenId::of(&shown.compiled.executable.code.token, r.trap_address?)?;
                    Some(shown.place(shown.span(token)?.start as u32))
                });
                let (line, column) = place.unwrap_or((0, 0));
                let mut line =
                    Line::from(Span::styled(format!("    at {line}:{column}"), theme.style(Look::Bad)));
                line.push_span(Span::styled(hint(line.width(), width), theme.style(Look::Dim)));
                line
            }
        }
    }
}

/// Returns the row of a test whose run is being predicted.
fn hidden(shown: &Shown, entry: EntryId, theme: &Theme) -> Line<'static> {
    let (mark, label) = (&marks::HIDDEN, visible(shown.label(entry)));
    Line::from(vec![
        Span::styled(format!("{} ", mark.glyph), theme.style(mark.look)),
        Span::styled(format!("{label}  "), theme.style(Look::Text)),
        Span::styled(mark.word, theme.style(mark.look)),
    ])
}

fn entry_line(
    state: &State,
    (entry, result): (EntryId, EntryResult),
    width: usize,
    theme: &Theme,
) -> Line<'static> {
    let Some(shown) = state.shown() else { return Line::default() };
    let mark = marks::of_outcome(result.outcome);
    let look = mark.look;
    let label = visible(shown.label(entry));
    // A label takes precedence over discarded inputs, and over all steps and inputs.
    let least = label.chars().count().min(LABEL);
    let room = |word: &str, cost: &str| width.saturating_sub(4 + word.chars().count() + cost.chars().count());
    let words = match result.outcome {
        Outcome::Pass => vec![],
        Outcome::Trap(Trap::Hole) => state.results.unfinished(entry),
        Outcome::Trap(trap) => vec![trap.ident().to_string()],
        _ => vec![mark.word.to_string()],
    };
    let words: Vec<String> = words.iter().map(|word| format!("{}  ", visible(word))).collect();
    let word = words.iter().find(|word| room(word, "") >= least).or(words.last());
    let word = word.cloned().unwrap_or_default();
    let costs = costs(result, is_proved(&shown.compiled, entry, &result));
    let ends = !result.outcome.is_unfinished();
    let cost = costs.into_iter().find(|cost| ends && room(&word, cost) >= least).unwrap_or_default();
    let room = room(&word, &cost);
    let label = crate::workbench::text::fit(&label, room);
    Line::from(vec![
        Span::styled(format!("{} ", mark.glyph), theme.style(look)),
        Span::styled(format!("{label:<room$} "), theme.style(Look::Text)),
        Span::styled(word, theme.style(look)),
        Span::styled(cost, theme.style(Look::Dim)),
    ])
}

/// Returns the steps, or for a property its inputs and, in the long form, how many were discarded.
fn costs(result: EntryResult, is_proved: bool) -> [String; 2] {
    let all = if is_proved { "all " } else { "" };
    let inputs = format!("{all}{}", plural(result.inputs.into(), "input"));
    let short = match (result.inputs, result.discarded) {
        (0 | 1, 0) => plural(result.steps, "step"),
        (tried, _) if result.outcome != Outcome::Pass => format!("on input {}", grouped(tried.into())),
        _ => inputs,
    };
    let long = match result.discarded {
        0 => short.clone(),
        discarded => format!("{short}, {} discarded", grouped(discarded.into())),
    };
    [long, short]
}

/// Returns how many entries fail.
pub fn figures(results: &Results) -> Vec<String> {
    let entries = if results.shown().is_some() { results.entries() } else { &[] };
    let [_, short] = counts(entries);
    (!entries.is_empty()).then_some(short).into_iter().collect()
}

/// Returns how many entries fail, or that all pass, and how many are unfinished: in words, and in fewer.
pub fn counts(entries: &[EntryResult]) -> [String; 2] {
    let count = |outcome: Outcome| entries.iter().filter(|entry| entry.outcome == outcome).count() as u64;
    let (passing, unfinished) = (count(Outcome::Pass), count(Outcome::Trap(Trap::Hole)));
    let (all, tests) = (entries.len() as u64, plural(entries.len() as u64, "test"));
    let failing = all - passing - unfinished;
    let open = format!("{} unfinished", grouped(unfinished));
    // In few words, each form is about as long as the others, so that the tabs after it stay.
    let of = |count: u64, verb: &str| format!("{} of {} {verb}", grouped(count), grouped(all));
    match (all, failing, unfinished) {
        (0, ..) => ["no tests".to_string(), "no tests".to_string()],
        (1, 0, 0) => [format!("{tests} passes"), "1 passes".to_string()],
        (_, 0, 0) => [format!("{tests} pass"), format!("{} pass", grouped(all))],
        (_, 0, 1) if passing == 0 => [open, of(1, "waits")],
        (_, 0, _) if passing == 0 => [open, of(unfinished, "wait")],
        (_, 0, _) => [format!("{} pass, {open}", grouped(passing)), of(unfinished, "wait")],
        _ => {
            let verb = if failing == 1 { "fails" } else { "fail" };
            let open = if unfinished > 0 { format!(", {open}") } else { String::new() };
            [format!("{} of {tests} {verb}{open}", grouped(failing)), of(failing, verb)]
        }
    }
}

/// Returns a hint at how tests are written.
pub fn empty(results: &Results) -> &'static str {
    match results.shown() {
        Some(shown) if shown.compiled.facts.functions > 0 => {
            "no tests: alt-t writes one of the function under the cursor, with the value that it returns now"
        }
        _ => "no tests: write `fn twice(n: int) -> int { return n * 2; } test twice(4) == 8;`",
    }
}
