//! The language's cases in `tests/conformance` and `tests/cases`, judged by their `//~` comments.
//!
//! A test line passes unless it ends in `//~ fail` or `//~ trap NAME`. `//~ E0401` at the end of a line expects
//! exactly that error on that line; several codes expect several errors. A file without any `//~ E` must
//! compile.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use myriad::compiler::program::Compiled;
use myriad::compiler::stage::{check, lex, parse};
use myriad::report::diagnostics::diagnostics;

/// Returns names and texts of all case files.
fn cases() -> Vec<(String, String)> {
    let mut cases = vec![];
    for folder in ["tests/conformance", "tests/cases"] {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        for entry in folder.read_dir().expect("the folder of cases") {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "myr") {
                let text = std::fs::read_to_string(&path).expect("a readable case");
                cases.push((path.display().to_string(), text));
            }
        }
    }
    cases.sort();
    assert!(cases.len() >= 17, "cases are missing");
    cases
}

/// Returns the errors that a case expects, as (line from 1, code), in order and with repetitions.
fn expected_errors(text: &str) -> Vec<(usize, String)> {
    let mut expected = vec![];
    for (number, line) in text.lines().enumerate() {
        let Some((_, comment)) = line.split_once("//~") else { continue };
        let codes = comment.split_whitespace().filter(|word| word.starts_with('E') && word.len() == 5);
        expected.extend(codes.map(|code| (number + 1, code.to_string())));
    }
    expected.sort();
    expected
}

/// Runs lex, parse and check on a text.
fn checked(text: &str) -> Compiled {
    let mut program = Compiled { text: Arc::from(text), ..Compiled::default() };
    let Compiled { tokens, tree, checked, facts, .. } = &mut program;
    lex::run(text, tokens, facts, &mut lex::LexScratch::default());
    if !facts.stopped() {
        parse::run(tokens, tree, facts, &mut parse::ParseScratch::default());
    }
    if !facts.stopped() {
        check::run(tokens, tree, checked, facts, &mut check::CheckScratch::default());
    }
    program
}

#[test]
fn conformance_cases_have_the_expected_errors() {
    let mut wrong = BTreeSet::new();
    for (name, text) in cases() {
        let program = checked(&text);
        let told = diagnostics(&program);
        let mut found: Vec<_> = told
            .iter()
            .filter(|d| d.code.is_error())
            .map(|d| (d.start.line as usize, d.code.code().to_string()))
            .collect();
        found.sort();
        // Several errors of the stages may be one mistake.
        assert!(found.len() <= program.facts.errors as usize, "{name}: the count of errors");
        let expected = expected_errors(&text);
        if found != expected {
            let missing: Vec<_> = expected.iter().filter(|e| !found.contains(e)).collect();
            let surplus: Vec<_> = found.iter().filter(|f| !expected.contains(f)).collect();
            wrong.insert(format!(
                "{name}: missing {missing:?}, surplus {surplus:?}\n  found    {found:?}\n  expected {expected:?}"
            ));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}
