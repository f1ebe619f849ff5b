//! What tests and mutants say about a document: code lenses, diagnostics, and the edits that mend or test it.

use std::ops::Range;

use lsp_types::{CodeLens, Command, Diagnostic, DiagnosticSeverity, NumberOrString};

use super::document::Document;
use crate::cli::live::Verdicts;
use crate::compiler::program::Compiled;
use crate::compiler::stage::Compiler;
use crate::lang::diagnostic::Code;
use crate::lang::index::MutantId;
use crate::lang::level::OptLevel;
use crate::lang::role::Role;
use crate::report::diagnostics::{self, diagnostics as compiler_diagnostics};
use crate::report::places::Lines;
use crate::report::symbols;
use crate::testing::mutation::Answer;

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
pub fn lenses(verdicts: &Verdicts, document: &Document) -> Vec<CodeLens> {
    let (view, positions) = (document.program.view(), document.positions());
    let lens = |byte: usize, title: String| CodeLens {
        range: positions.range(&(byte..byte)),
        command: Some(Command::new(title, String::new(), None)),
        data: None,
    };
    let mut lenses = Vec::new();
    let outcomes: Vec<String> =
        verdicts.entries(document.revision).map(|(id, result)| verdicts.outcome(id, result)).collect();
    let items = view.nodes().filter(|t| matches!(view.role(*t), Role::Test | Role::Prop));
    for (place, item) in items.enumerate() {
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

/// Returns all diagnostics: the compiler's, failing tests, surviving mutants.
pub fn diagnostics(verdicts: &Verdicts, document: &Document) -> Vec<Diagnostic> {
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
    let mut all: Vec<Diagnostic> = compiler_diagnostics(&document.program).into_iter().map(compiled).collect();
    let Some(shown) = verdicts.shown(document.revision) else { return all };
    for (id, result) in verdicts.entries(document.revision).filter(|(_, result)| result.outcome.fails()) {
        let entry = shown.compiled.entry(id);
        let span =
            entry.and_then(|entry| document.program.view().extent_span(entry.head())).unwrap_or_default();
        let message = verdicts.outcome(id, result).trim_start_matches("✗ ").to_string();
        all.push(of(&span, DiagnosticSeverity::WARNING, "test", message));
    }
    for survivor in verdicts.survivors(shown) {
        let suggestion = suggestion(verdicts, survivor.id);
        let message = format!("{}: no test notices this mutant{suggestion}", survivor.change);
        all.push(of(&survivor.at, DiagnosticSeverity::HINT, "survived", message));
    }
    all
}

/// Returns what is known about a test that would notice a survivor, as the end of a sentence.
fn suggestion(verdicts: &Verdicts, id: MutantId) -> String {
    verdicts.answer(id).map_or(String::new(), |answer| match answer {
        Answer::Found(question) => format!("; `{}` would", question.test),
        alike => format!("; {}", alike.text()),
    })
}

/// Returns the edits on offer: fixes of errors, repairs of failing tests, tests that notice survivors.
pub fn actions(verdicts: &Verdicts, document: &Document) -> Vec<Action> {
    let found = compiler_diagnostics(&document.program);
    let mut actions: Vec<Action> = { found.iter() }.filter_map(|found| fix(&document.program, found)).collect();
    actions.extend(repairs(verdicts, document));
    let Some(shown) = verdicts.shown(document.revision) else { return actions };
    for survivor in verdicts.survivors(shown) {
        let Some(Answer::Found(question)) = verdicts.answer(survivor.id) else { continue };
        let end = document.text.trim_end().len();
        actions.push(Action {
            title: format!("Write the test: {}", question.test),
            changes: vec![(end..document.text.len(), format!("\n{}\n", question.test))],
            at: survivor.at,
            is_preferred: false,
        });
    }
    actions
}

/// Returns the repairs, best first, each at every failing test and at its own changes.
fn repairs(verdicts: &Verdicts, document: &Document) -> Vec<Action> {
    let shown = verdicts.shown(document.revision);
    let Some((shown, repairs)) = shown.zip(verdicts.repairs()) else { return Vec::new() };
    let failing = verdicts.entries(document.revision).filter(|(_, result)| result.outcome.fails());
    let extent = |id| document.program.view().extent_span(shown.compiled.entry(id)?.head());
    let failing: Vec<Range<usize>> = failing.filter_map(|(id, _)| extent(id)).collect();
    let lines = Lines::new(&document.text);
    let mut actions = Vec::new();
    for (rank, repair) in repairs.found.iter().enumerate() {
        let words = repair.changes.iter().map(|change| {
            let old = document.text.get(change.lo..change.hi).unwrap_or("");
            format!("{}: `{old}` → `{}`", lines.line(change.lo), change.replacement)
        });
        let title = format!("Repair line {}", words.collect::<Vec<_>>().join(", line "));
        let changes: Vec<(Range<usize>, String)> =
            repair.changes.iter().map(|change| (change.lo..change.hi, change.replacement.clone())).collect();
        let own = changes.iter().map(|(bytes, _)| bytes.clone());
        actions.extend(failing.iter().cloned().chain(own).map(|at| Action {
            title: title.clone(),
            changes: changes.clone(),
            at,
            is_preferred: rank == 0,
        }));
    }
    actions
}

/// Returns the edit that corrects an error, or that says that a name is meant to be unused, where there is only one and
/// it does so without another error. An unused name is renamed wherever it occurs, so the program does what it did.
fn fix(program: &Compiled, found: &diagnostics::Diagnostic) -> Option<Action> {
    let action = |title: String, changes| Action { title, changes, at: found.span.clone(), is_preferred: true };
    let (title, change) = match found.code {
        Code::UnusedName => {
            let view = program.view();
            let name = view.all().iter().find(|t| view.span(*t).as_ref() == Some(&found.span))?;
            let unused = format!("_{}", view.text(name));
            let renamed = symbols::rename(program, name, &unused).ok()?;
            let changes = renamed.places.into_iter().map(|place| (place, unused.clone())).collect();
            return Some(action(format!("Rename to `{unused}`"), changes));
        }
        Code::MissingSemicolon => ("Insert `;`".into(), (found.span.start..found.span.start, ";".to_string())),
        Code::UnknownVariable | Code::UnknownFunction => {
            let name = found.help.as_ref()?.strip_prefix("did you mean `")?.split('`').next()?;
            (format!("Replace by `{name}`"), (found.span.clone(), name.to_string()))
        }
        _ => return None,
    };
    let mut text = program.text.to_string();
    text.replace_range(change.0.clone(), &change.1);
    let mut compiler = Compiler::at(OptLevel::default());
    compiler.compile(&text);
    let mended = compiler.compiled(&text.as_str().into()).facts.errors < program.facts.errors;
    mended.then(|| action(title, vec![change]))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::corpus::{Level, generate};
    use crate::lang::token::TokenKind;

    fn compiled(text: &str) -> Compiled {
        let mut compiler = Compiler::at(OptLevel::default());
        compiler.compile(text);
        compiler.compiled(&Arc::from(text))
    }

    fn applied(text: &str, action: &Action) -> Compiled {
        let mut text = text.to_string();
        for (bytes, new) in action.changes.iter().rev() {
            text.replace_range(bytes.clone(), new);
        }
        compiled(&text)
    }

    /// Breaks one token: leaves out a `;`, or a letter of a name; or declares a name that nobody uses.
    fn broken(text: &str) -> Vec<String> {
        let program = compiled(text);
        let view = program.view();
        let mut texts = Vec::new();
        let mut replace = |bytes: Range<usize>, new: &str| {
            texts.push(format!("{}{new}{}", &text[..bytes.start], &text[bytes.end..]));
        };
        for t in view.all().iter() {
            let Some(span) = view.span(t) else { continue };
            match view.kind(t) {
                TokenKind::Semicolon => replace(span, ""),
                TokenKind::Name if view.text(t).len() > 3 => replace(span.start..span.start + 1, ""),
                TokenKind::Name if !view.role(t).declares() => {
                    replace(span, &format!("_{}", view.text(t)));
                }
                TokenKind::LeftBrace => {
                    let end = span.end;
                    for name in ["x", "t", "a"] {
                        replace(end..end, &format!(" let {name} = 1; let _{name} = 2; "));
                        replace(end..end, &format!(" let {name} = 1; "));
                    }
                }
                _ => {}
            }
        }
        texts
    }

    #[test]
    fn applied_fixes_keep_their_promise() {
        let mut tried = [0, 0];
        for index in 0..40 {
            for text in broken(&generate(7, index, Level::Medium).source) {
                let program = compiled(&text);
                for found in compiler_diagnostics(&program) {
                    let Some(action) = fix(&program, &found) else { continue };
                    let fixed = applied(&text, &action);
                    if found.code == Code::UnusedName {
                        assert_eq!(fixed.executable, program.executable, "{}\n{text}", action.title);
                        assert_eq!(fixed.facts.errors, program.facts.errors, "{}\n{text}", action.title);
                        let left = compiler_diagnostics(&fixed);
                        assert!(left.len() < compiler_diagnostics(&program).len(), "{}\n{text}", action.title);
                        tried[0] += 1;
                    } else {
                        assert!(fixed.facts.errors < program.facts.errors, "{}\n{text}", action.title);
                        tried[1] += 1;
                    }
                }
            }
        }
        assert!(tried.iter().all(|tried| *tried > 200), "{tried:?}");
    }

    /// The prefix would hide a parameter, or a name that is declared already.
    #[test]
    fn unused_name_has_no_fix_where_a_rename_is_refused() {
        for text in [
            "fn f(_x: int) -> int { { let x = 1; return _x; } } test f(7) == 7;",
            "fn f() -> int { let x = 1; let _x = 2; return _x; } test f() == 2;",
        ] {
            let program = compiled(text);
            assert_eq!(program.facts.errors, 0);
            let found = compiler_diagnostics(&program);
            assert!(found.iter().any(|found| found.code == Code::UnusedName), "{text}");
            assert!(found.iter().all(|found| fix(&program, found).is_none()), "{text}");
        }
        // A variable that is only written is renamed at each place.
        let text = "fn f() -> int { let x = 1; x = 2; return 3; } test f() == 3;";
        let program = compiled(text);
        let found = compiler_diagnostics(&program);
        let action = found.iter().find_map(|found| fix(&program, found)).expect("a fix");
        assert_eq!((action.changes.len(), applied(text, &action).facts.errors), (2, 0));
    }
}
