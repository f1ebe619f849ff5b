//! What tests and mutants say about a document: code lenses, diagnostics, and the edits that mend or test it.

use std::ops::Range;
use std::time::Duration;

use lsp_types::{CodeLens, Command, Diagnostic, DiagnosticSeverity, NumberOrString};

use super::document::Document;
use crate::engine::EntryResult;
use crate::host::measure::numbers::{grouped, plural};
use crate::lang::diagnostic::Code;
use crate::lang::index::{EntryId, Index, MutantId};
use crate::lang::role::Role;
use crate::lang::verdict::{MutantStatus, Outcome};
use crate::report::diagnostics::{self, diagnostics};
use crate::report::places::Lines;
use crate::session::{Repairs, Survivors, Update};
use crate::testing::mutation::Answer;
use crate::workbench::facts::EntryDetail;
use crate::workbench::results::{Results, Shown};

/// The results of the engine for the newest revision that it has answered.
#[derive(Default)]
pub struct Verdicts {
    results: Results,
}

/// An edit that a client offers to its user.
pub struct Action {
    pub title: String,
    pub changes: Vec<(Range<usize>, String)>,
    /// The bytes that it concerns.
    pub at: Range<usize>,
    /// Whether it is the best one there.
    pub is_preferred: bool,
}

impl Verdicts {
    /// Stores an update about a document. Returns whether lenses and diagnostics may have changed.
    pub fn update(&mut self, document: &Document, update: Update, details: Vec<EntryDetail>) -> bool {
        let results = &mut self.results;
        match update {
            Update::Base { revision, result, .. } => {
                let is_new = results.base(revision, result, &document.text, Duration::ZERO);
                if is_new {
                    results.details = details;
                }
                is_new
            }
            Update::Mutants { revision, total, first_order, part } => {
                results.mutants(revision, total, first_order, part);
                false
            }
            Update::Done { revision, wall, energy, .. } => results.done(revision, wall, energy, Duration::ZERO),
            Update::Proved { revision, proved } => results.proved(revision, proved),
            Update::Found(finding)
                if results.shown().is_some_and(|shown| shown.revision == finding.revision) =>
            {
                results.found(finding);
                true
            }
            _ => false,
        }
    }

    /// Returns the judged program if it is the document's text.
    fn shown(&self, document: &Document) -> Option<&Shown> {
        self.results
            .shown()
            .map(|shown| &**shown)
            .filter(|shown| shown.revision == document.revision && shown.is_good())
    }

    /// Returns the tests and properties with their results.
    fn entries<'a>(&'a self, document: &Document) -> impl Iterator<Item = (EntryId, &'a EntryResult)> {
        let entries = self.shown(document).map_or(&[][..], |_| self.results.entries());
        EntryId::all().zip(entries)
    }

    /// Returns a lens for each test, property and function.
    pub fn lenses(&self, document: &Document) -> Vec<CodeLens> {
        let (view, positions) = (document.program.view(), document.positions());
        let lens = |byte: usize, title: String| CodeLens {
            range: positions.range(&(byte..byte)),
            command: Some(Command::new(title, String::new(), None)),
            data: None,
        };
        let mut lenses = Vec::new();
        let results: Vec<_> = self.entries(document).map(|(id, result)| self.outcome(id, result)).collect();
        let items = view.nodes().filter(|t| matches!(view.role(*t), Role::Test | Role::Prop));
        for (place, item) in items.enumerate() {
            let title = results.get(place).map_or("…".to_string(), String::clone);
            lenses.extend(view.span(item).map(|span| lens(span.start, title)));
        }
        let Some(shown) = self.shown(document).filter(|_| self.results.mutants.done.is_some()) else {
            return lenses;
        };
        let survivors: Vec<usize> = self.survivors(shown).map(|(_, span, _)| span.start).collect();
        for head in view.nodes().filter(|t| view.is(*t, Role::Fn)) {
            let Some(extent) = view.extent_span(head) else { continue };
            let count = survivors.iter().filter(|byte| extent.contains(byte)).count();
            let title = match count {
                0 => "no mutant survives".to_string(),
                1 => "1 mutant survives".to_string(),
                count => format!("{count} mutants survive"),
            };
            lenses.push(lens(extent.start, title));
        }
        lenses
    }

    /// Returns the outcome of a test or property in words.
    fn outcome(&self, id: EntryId, result: &EntryResult) -> String {
        let inputs = match result.inputs {
            1 => String::new(),
            inputs => format!(", {} inputs", grouped(inputs.into())),
        };
        match result.outcome {
            Outcome::Pass => format!("✓ {}{inputs}", plural(result.steps, "step")),
            Outcome::Discarded => "no input meets the condition".into(),
            Outcome::Fail => format!("✗ fails{}", self.values(id)),
            Outcome::Trap(trap) => format!("✗ traps ({}){}", trap.ident(), self.values(id)),
        }
    }

    /// Returns the values of a failing test: both sides of its comparison, and its input.
    fn values(&self, id: EntryId) -> String {
        let Some(detail) = self.results.detail(id) else { return String::new() };
        let mut text = String::new();
        if let (Some(left), Some(right)) = (&detail.left, &detail.right) {
            text = format!(": {left}, not {right}");
        }
        if !detail.counterexample.is_empty() {
            let values: Vec<String> =
                detail.counterexample.iter().map(|(name, value)| format!("{name} = {value}")).collect();
            text += &format!(" with {}", values.join(", "));
        }
        text
    }

    /// Returns the survivors, each with its place and what it replaces by what.
    fn survivors<'a>(
        &'a self,
        shown: &'a Shown,
    ) -> impl Iterator<Item = (MutantId, Range<usize>, String)> + 'a {
        let ids = &self.results.mutants.ids[MutantStatus::Survived as usize];
        ids.iter().filter_map(|id| {
            let site = shown.mutant(*id)?.edits.into_iter().next()?;
            let start = site.lo as usize;
            let change = match (site.original.as_str(), site.replacement.as_str()) {
                (original, "") => format!("`{original}` removed"),
                (original, replacement) => format!("`{original}` → `{replacement}`"),
            };
            Some((*id, start..start + site.original.len(), change))
        })
    }

    /// Returns all diagnostics: the compiler's, failing tests, surviving mutants.
    pub fn diagnostics(&self, document: &Document) -> Vec<Diagnostic> {
        let positions = document.positions();
        let of = |span: &Range<usize>, severity, code: &str, message: String| Diagnostic {
            range: positions.range(span),
            severity: Some(severity),
            code: Some(NumberOrString::String(code.into())),
            source: Some("myriad".into()),
            message,
            ..Diagnostic::default()
        };
        let compiled = |found: diagnostics::Diagnostic| {
            let severity = match found.code.is_error() {
                true => DiagnosticSeverity::ERROR,
                false => DiagnosticSeverity::WARNING,
            };
            let help = found.help.map_or(String::new(), |help| format!("\n{help}"));
            of(&found.span, severity, found.code.code(), found.message + &help)
        };
        let mut all: Vec<Diagnostic> = diagnostics(&document.program).into_iter().map(compiled).collect();
        let Some(shown) = self.shown(document) else { return all };
        let view = document.program.view();
        for (id, result) in self.entries(document).filter(|(_, result)| result.outcome.fails()) {
            let span =
                shown.compiled.entry(id).and_then(|entry| view.extent_span(entry.head())).unwrap_or_default();
            let message = self.outcome(id, result).trim_start_matches("✗ ").to_string();
            all.push(of(&span, DiagnosticSeverity::WARNING, "test", message));
        }
        if self.results.mutants.done.is_some() {
            for (id, span, change) in self.survivors(shown) {
                let message = format!("{change}: no test notices this mutant{}", self.suggestion(id));
                all.push(of(&span, DiagnosticSeverity::HINT, "survived", message));
            }
        }
        all
    }

    /// Returns what is known of a test that would notice a survivor, as the end of a sentence.
    fn suggestion(&self, id: MutantId) -> String {
        let found = self.results.findings.current::<Survivors>();
        found.and_then(|found| found.answers.get(&id)).map_or(String::new(), |answer| match &**answer {
            Answer::Found(question) => format!("; `{}` would", question.test),
            alike => format!("; {}", alike.text()),
        })
    }

    /// Returns the edits on offer: fixes of errors, repairs of failing tests, tests that notice survivors.
    pub fn actions(&self, document: &Document) -> Vec<Action> {
        let mut actions: Vec<Action> = diagnostics(&document.program).iter().filter_map(fix).collect();
        let Some(shown) = self.shown(document) else { return actions };
        let findings = &self.results.findings;
        let lines = Lines::new(&document.text);
        if let Some(repairs) = findings.current::<Repairs>() {
            for (rank, repair) in repairs.found.iter().enumerate() {
                let part = |lo: usize, hi: usize| document.text.get(lo..hi).unwrap_or("");
                let words = repair.changes.iter().map(|change| {
                    format!(
                        "{}: `{}` → `{}`",
                        lines.line(change.lo),
                        part(change.lo, change.hi),
                        change.replacement
                    )
                });
                let title = format!("Repair line {}", words.collect::<Vec<_>>().join(", line "));
                let changes: Vec<_> = repair
                    .changes
                    .iter()
                    .map(|change| (change.lo..change.hi, change.replacement.clone()))
                    .collect();
                let failing = self.entries(document).filter(|(_, result)| result.outcome.fails());
                let places = failing.filter_map(|(id, _)| {
                    document.program.view().extent_span(shown.compiled.entry(id)?.head())
                });
                let places = places.chain(changes.iter().map(|(bytes, _)| bytes.clone()));
                for at in places {
                    let (title, changes) = (title.clone(), changes.clone());
                    actions.push(Action { title, changes, at, is_preferred: rank == 0 });
                }
            }
        }
        if let Some(found) = findings.current::<Survivors>() {
            for (id, at, _) in self.survivors(shown) {
                let Some(Answer::Found(question)) = found.answers.get(&id).map(|answer| &**answer) else {
                    continue;
                };
                let end = document.text.trim_end().len();
                let changes = vec![(end..document.text.len(), format!("\n{}\n", question.test))];
                let title = format!("Write the test: {}", question.test);
                actions.push(Action { title, changes, at, is_preferred: false });
            }
        }
        actions
    }
}

/// Returns the edit that corrects an error, where there is only one.
fn fix(found: &diagnostics::Diagnostic) -> Option<Action> {
    let (title, change) = match found.code {
        Code::MissingSemicolon => ("Insert `;`".into(), (found.span.start..found.span.start, ";".to_string())),
        Code::UnusedName => {
            ("Begin the name with `_`".into(), (found.span.start..found.span.start, "_".to_string()))
        }
        Code::UnknownVariable | Code::UnknownFunction => {
            let name = found.help.as_ref()?.strip_prefix("did you mean `")?.split('`').next()?;
            (format!("Replace by `{name}`"), (found.span.clone(), name.to_string()))
        }
        _ => return None,
    };
    Some(Action { title, changes: vec![change], at: found.span.clone(), is_preferred: true })
}
