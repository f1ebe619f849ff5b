//! The language's cases: `tests/conformance` and `tests/cases`, judged by their `//~` comments.
//!
//! A test line passes unless it ends in `//~ fail` or `//~ trap NAME`. `//~ E0401` at the end of a line expects
//! exactly that error on that line (several codes: several errors). A file without any `//~ E` must compile.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;

use myriad::engine::Compiled;
use myriad::report::diagnostics::diagnostics;
use myriad::stage::{lex, parse};

/// Every case file: its name and text.
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

/// The errors that a case expects, as (line from 1, code); in order, repeated where expected more than once.
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

/// Codes of the stages that find errors before check.
fn is_syntax(code: &str) -> bool {
    code < "E03" || ("E0601".."E0604").contains(&code)
}

#[test]
fn lexical_and_syntax_errors_are_those_expected() {
    let mut wrong = BTreeSet::new();
    for (name, text) in cases() {
        let mut program = Compiled { text: Arc::from(text.as_str()), ..Compiled::default() };
        lex::run(&text, &mut program.tokens, &mut program.facts, &mut lex::Scratch::default());
        if !program.facts.stopped() {
            parse::run(&program.tokens, &mut program.tree, &mut program.facts, &mut parse::Scratch::default());
        }
        let mut found: Vec<_> =
            diagnostics(&program).iter().map(|d| (d.start.line as usize, d.code.code().to_string())).collect();
        found.retain(|(_, code)| is_syntax(code));
        found.sort();
        let mut expected = expected_errors(&text);
        expected.retain(|(_, code)| is_syntax(code));
        if found != expected {
            wrong.insert(format!("{name}:\n  found    {found:?}\n  expected {expected:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.into_iter().collect::<Vec<_>>().join("\n"));
}
