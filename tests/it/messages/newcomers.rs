//! Mistakes of newcomers from other languages: each file of `tests/cases/newcomers` has one, and its second line states the
//! one message about it, as `//~ LINE: message (help)`. `MYRIAD_BLESS=1` writes these lines.

use std::path::Path;

use myriad::report::diagnostics::diagnostics;

use crate::common::cases::programs;
use crate::common::compile::compile;

const FOLDER: &str = "tests/cases/newcomers";

/// Returns all diagnostics of a program, as `LINE: message (help)`, joined by ` | `.
fn said(text: &str) -> String {
    let found = diagnostics(&compile(text));
    let shown = found.iter().map(|own| {
        let help = own.help.as_ref().map_or(String::new(), |help| format!(" ({help})"));
        format!("{}: {}{help}", own.start.line, own.message)
    });
    shown.collect::<Vec<_>>().join(" | ")
}

#[test]
fn each_mistake_of_a_newcomer_has_one_message_on_its_line() {
    let cases = programs(&[FOLDER]);
    assert!(cases.len() >= 60, "{} cases", cases.len());
    for language in ["C", "Java", "JavaScript", "Python", "Rust"] {
        let own = cases.iter().filter(|(_, text)| text.starts_with(&format!("// {language}: "))).count();
        assert!(own >= 8, "{own} cases of {language}");
    }
    let mut wrong = Vec::new();
    for (path, text) in cases {
        let said = said(&text);
        let mut lines: Vec<&str> = text.lines().collect();
        let stated = lines[1].strip_prefix("//~ ").unwrap_or_else(|| panic!("{path}: no message is stated"));
        // More than one message would be joined by this sign.
        assert!(!said.contains(" | ") && !said.is_empty(), "{path}: {said}");
        if std::env::var_os("MYRIAD_BLESS").is_some() {
            let line = format!("//~ {said}");
            lines[1] = &line;
            std::fs::write(Path::new(&path), lines.join("\n") + "\n").expect("the case can be written");
        } else if said != stated {
            wrong.push(format!("{path}\n  states {stated}\n  but is {said}"));
        }
        assert!(
            said.contains('(') || said.contains("never closed") || said.contains("missing"),
            "{path}: no help: {said}"
        );
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
