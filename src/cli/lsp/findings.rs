//! What tests and mutants say about a document: code lenses, diagnostics, and the edits that mend or test it.

use std::collections::BTreeMap;
use std::ops::Range;

use serde_json::{Value, json};

use super::document::{Document, compile};
use crate::cli::live::{Survivor, Verdicts};
use crate::compiler::program::{Compiled, View};
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, MutantId, TokenId};
use crate::lang::role::Role;
use crate::lang::verdict::Outcome;
use crate::report::diagnostics::{self, diagnostics as compiler_diagnostics};
use crate::report::places::Lines;
use crate::report::symbols;
use crate::testing::mutation::QuestionAnswer;
use crate::workbench::results::Shown;

/// The maximum number of mutants of a line that are listed.
const LISTED: usize = 5;

// The protocol's numbers of severities.
const ERROR: u32 = 1;
const WARNING: u32 = 2;
const INFORMATION: u32 = 3;
const HINT: u32 = 4;

/// An edit that a client offers to its user.
pub struct Action {
    pub title: String,
    pub changes: Vec<(Range<usize>, String)>,
    /// The bytes that it concerns.
    pub at: Range<usize>,
    /// Whether it is the best one there.
    pub is_preferred: bool,
}

/// Returns a lens for each test, property and function.
pub fn lenses(verdicts: &Verdicts, document: &Document) -> Vec<Value> {
    let (view, positions) = (document.program.view(), &document.positions);
    let lens = |byte: usize, title: String| json!({ "range": positions.range(&(byte..byte)), "command": { "title": title, "command": "" } });
    let mut lenses = Vec::new();
    let outcomes: Vec<String> =
        verdicts.entries(document.revision).map(|(id, result)| verdicts.outcome(id, result)).collect();
    for (place, item) in entries(view).enumerate() {
        let title = outcomes.get(place).map_or("…".to_string(), String::clone);
        lenses.extend(view.span(item).map(|span| lens(span.start, title)));
    }
    let judged = verdicts.shown(document.revision).filter(|_| verdicts.results.mutants.done.is_some());
    let Some(shown) = judged else { return lenses };
    let survivors: Vec<usize> = verdicts.survivors(shown).map(|survivor| survivor.at.start).collect();
    for head in view.nodes().filter(|t| view.is(*t, Role::Fn)) {
        let Some(extent) = view.extent_span(head) else { continue };
        let title = match survivors.iter().filter(|byte| extent.contains(byte)).count() {
            0 => "no mutant survives".to_string(),
            1 => "1 mutant survives".to_string(),
            count => format!("{count} mutants survive"),
        };
        lenses.push(lens(extent.start, title));
    }
    lenses
}

/// Returns the tests and properties in order.
fn entries(view: View<'_>) -> impl Iterator<Item = TokenId> + '_ {
    view.nodes().filter(move |t| matches!(view.role(*t), Role::Test | Role::Prop))
}

/// Returns all diagnostics: the compiler's, holes, failing tests, surviving mutants.
pub fn diagnostics(verdicts: &Verdicts, document: &Document) -> Vec<Value> {
    let of = |span: &Range<usize>, severity, code: &str, message: String| {
        let range = document.positions.range(span);
        json!({ "range": range, "severity": severity, "code": code, "source": "myriad", "message": message })
    };
    let compiled = |found: diagnostics::Diagnostic| {
        let severity = if found.code.is_error() { ERROR } else { WARNING };
        let help = found.help.map_or(String::new(), |help| format!("\n{help}"));
        of(&found.span, severity, found.code.code(), found.message + &help)
    };
    let mut all: Vec<Value> = compiler_diagnostics(&document.program).into_iter().map(compiled).collect();
    let view = document.program.view();
    for hole in view.holes() {
        let message = format!("a hole of type {}", view.ty(hole));
        all.push(of(&view.span(hole).unwrap_or_default(), INFORMATION, "hole", message));
    }
    let items: Vec<TokenId> = entries(view).collect();
    let fails = |outcome: Outcome| outcome.fails() && !outcome.is_unfinished();
    for (id, result) in verdicts.entries(document.revision).filter(|(_, result)| fails(result.outcome)) {
        let span = items.get(id.position()).and_then(|item| view.extent_span(*item)).unwrap_or_default();
        let message = verdicts.outcome(id, result).trim_start_matches("✗ ").to_string();
        all.push(of(&span, WARNING, "test", message));
    }
    let Some(shown) = verdicts.shown(document.revision) else { return all };
    for line in survivors(verdicts, shown, document) {
        all.push(of(&line.at, HINT, "survived", line.message(verdicts)));
    }
    all
}

/// The surviving mutants whose changes begin on one line.
struct SurvivorLine {
    /// The bytes of the changes; of several mutants, those on the line.
    at: Range<usize>,
    survivors: Vec<Survivor>,
}

impl SurvivorLine {
    fn message(&self, verdicts: &Verdicts) -> String {
        if let [survivor] = &self.survivors[..] {
            let suggestion = suggestion(verdicts, survivor.id);
            return format!("{}: no test notices this mutant{suggestion}", survivor.change);
        }
        let changes = self.survivors.iter().take(LISTED);
        let changes = changes.map(|own| format!("\n{}{}", own.change, suggestion(verdicts, own.id)));
        let more = match self.survivors.len().saturating_sub(LISTED) {
            0 => String::new(),
            more => format!("\nand {more} more"),
        };
        format!(
            "no test notices {} mutants on this line:{}{more}",
            self.survivors.len(),
            changes.collect::<String>()
        )
    }
}

/// Returns the survivors of a judged program by line.
fn survivors(verdicts: &Verdicts, shown: &Shown, document: &Document) -> Vec<SurvivorLine> {
    let mut lines: BTreeMap<u32, Vec<Survivor>> = BTreeMap::new();
    for survivor in verdicts.survivors(shown) {
        let line = document.positions.position(survivor.at.start).line;
        lines.entry(line).or_default().push(survivor);
    }
    let at = |survivors: Vec<Survivor>| {
        let start = survivors.iter().map(|own| own.at.start).min().unwrap_or_default();
        let end = survivors.iter().map(|own| own.at.end).max().unwrap_or_default();
        let line = document.positions.lines(&(start..start));
        let end = if survivors.len() == 1 { end } else { end.min(line.end) };
        SurvivorLine { at: start..end, survivors }
    };
    lines.into_values().map(at).collect()
}

/// Returns what is known about a test that would notice a survivor, as the end of a sentence.
fn suggestion(verdicts: &Verdicts, id: MutantId) -> String {
    verdicts.answer(id).map_or(String::new(), |answer| match answer {
        QuestionAnswer::Found(question) => format!("; `{}` would", question.test),
        alike => format!("; {}", alike.text()),
    })
}

/// Returns the edits on offer at a range: fixes of errors, repairs of failing tests, tests that notice survivors.
pub fn actions(verdicts: &Verdicts, document: &Document, range: &Range<usize>) -> Vec<Action> {
    let touches = |at: &Range<usize>| at.start <= range.end && range.start <= at.end;
    let found = compiler_diagnostics(&document.program).into_iter().filter(|found| touches(&found.span));
    let mut actions: Vec<Action> = found.filter_map(|found| fix(&document.program, &found)).collect();
    actions.extend(repairs(verdicts, document));
    actions.extend(tests(verdicts, document));
    actions.retain(|action| touches(&action.at));
    actions
}

/// Returns the tests that would notice survivors, each at the survivors of its line.
fn tests(verdicts: &Verdicts, document: &Document) -> Vec<Action> {
    let mut actions = Vec::new();
    let Some(shown) = verdicts.shown(document.revision) else { return actions };
    for line in survivors(verdicts, shown, document) {
        let sure = line.survivors.iter().filter(|survivor| !shown.fails_in(survivor.id));
        let answers = sure.filter_map(|survivor| verdicts.answer(survivor.id));
        for answer in answers {
            let QuestionAnswer::Found(question) = answer else { continue };
            let end = document.text.trim_end().len();
            actions.push(Action {
                title: format!("Write the test: {}", question.test),
                changes: vec![(end..document.text.len(), format!("\n{}\n", question.test))],
                at: line.at.clone(),
                is_preferred: false,
            });
        }
    }
    actions
}

/// Returns the repairs, best first, each at every failing test and at its own changes. In a text with a `?`, they fill it.
fn repairs(verdicts: &Verdicts, document: &Document) -> Vec<Action> {
    let shown = verdicts.shown(document.revision);
    let Some((shown, repairs)) = shown.zip(verdicts.repairs()) else { return Vec::new() };
    let failing = verdicts.entries(document.revision).filter(|(_, result)| result.outcome.fails());
    let extent = |id| document.program.view().extent_span(shown.compiled.entry(id)?.head());
    let failing: Vec<Range<usize>> = failing.filter_map(|(id, _)| extent(id)).collect();
    let lines = Lines::new(&document.text);
    let mut actions = Vec::new();
    let hole = document.program.view().holes().next().and_then(|hole| document.program.view().span(hole));
    for (rank, repair) in repairs.found.iter().enumerate() {
        let words = repair.changes.iter().map(|change| {
            let old = document.text.get(change.lo..change.hi).unwrap_or("");
            format!("{}: `{old}` → `{}`", lines.line(change.lo), change.replacement)
        });
        let title = match (&hole, &repair.changes[..]) {
            (Some(hole), [filled]) if *hole == (filled.lo..filled.hi) => {
                format!("Fill `?` with `{}`", filled.replacement)
            }
            _ => format!("Repair line {}", words.collect::<Vec<_>>().join(", line ")),
        };
        let changes: Vec<(Range<usize>, String)> =
            repair.changes.iter().map(|change| (change.lo..change.hi, change.replacement.clone())).collect();
        let own = changes.iter().map(|(bytes, _)| match hole {
            // Anywhere on its line.
            Some(_) => document.positions.lines(bytes),
            None => bytes.clone(),
        });
        actions.extend(failing.iter().cloned().chain(own).map(|at| Action {
            title: title.clone(),
            changes: changes.clone(),
            at,
            is_preferred: rank == 0,
        }));
    }
    actions
}

/// Returns the edit that corrects an error or silences a warning, where there is only one and the program that it makes has
/// fewer errors, or the same meaning.
fn fix(program: &Compiled, found: &diagnostics::Diagnostic) -> Option<Action> {
    let start = found.span.start..found.span.start;
    let (title, changes) = match found.code {
        Code::UnusedName => {
            let view = program.view();
            let t = view.all().iter().find(|t| view.span(*t).as_ref() == Some(&found.span))?;
            let name = format!("_{}", view.text(t));
            let places = symbols::rename(program, t, &name).ok()?.places;
            let changes = places.into_iter().map(|place| (place, name.clone())).collect();
            ("Begin the name with `_`".into(), changes)
        }
        Code::MissingSemicolon => ("Insert `;`".into(), vec![(start, ";".to_string())]),
        Code::UnknownVariable | Code::UnknownFunction => {
            let name = found.help.as_ref()?.strip_prefix("did you mean `")?.split('`').next()?;
            (format!("Replace by `{name}`"), vec![(found.span.clone(), name.to_string())])
        }
        _ => return None,
    };
    let mends = !found.code.is_error() || errors(program, &changes) < program.facts.errors;
    mends.then(|| Action { title, changes, at: found.span.clone(), is_preferred: true })
}

/// Returns the number of errors of a program after changes, which are in order.
fn errors(program: &Compiled, changes: &[(Range<usize>, String)]) -> u32 {
    let mut text = program.text.to_string();
    for (bytes, new) in changes.iter().rev() {
        text.replace_range(bytes.clone(), new);
    }
    compile(&text.as_str().into()).facts.errors
}
