//! The grammar for tree-sitter: its words and operators are those of the compiler, its queries name what it has, and it accepts
//! the programs that the compiler parses. A small recognizer in JavaScript replaces tree-sitter's own tool.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

use crate::common::cases::programs;
use crate::common::compile::compile;
use crate::common::extent::skip;
use myriad::lang::token::spellings;

const GRAMMAR: &str = "assets/tree-sitter/grammar.js";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Returns what the recognizer reports on some programs; `None` without Node.js.
fn checked(files: &[String]) -> Option<Value> {
    let mut call = Command::new("node");
    call.current_dir(root()).arg("tests/tree-sitter/check.mjs").arg(GRAMMAR).args(files);
    let Ok(done) = call.output() else {
        skip("Node.js is not installed: the grammar is not evaluated");
        return None;
    };
    let said = String::from_utf8_lossy(&done.stderr);
    assert!(done.status.success(), "{said}");
    Some(serde_json::from_slice(&done.stdout).expect("a document"))
}

#[test]
fn grammar_has_the_words_and_operators_of_the_compiler() {
    let Some(document) = checked(&[]) else { return };
    let strings = |value: &Value| -> BTreeSet<String> {
        value.as_array().unwrap().iter().map(|own| own.as_str().unwrap().to_string()).collect()
    };
    let own: BTreeSet<String> = spellings().map(|(spelling, _)| spelling.to_string()).collect();
    assert_eq!(strings(&document["literals"]), own);
    // The queries name only rules and literals of the grammar.
    let rules = strings(&document["rules"]);
    let query = std::fs::read_to_string(root().join("assets/tree-sitter/queries/highlights.scm")).unwrap();
    let code: String =
        query.lines().filter(|line| !line.trim_start().starts_with(';')).map(|l| format!("{l}\n")).collect();
    let code: String = code.lines().filter(|line| !line.contains("(#")).map(|l| format!("{l}\n")).collect();
    let mut named = 0;
    for name in code.split('(').skip(1) {
        let name: String = name.chars().take_while(|c| c.is_ascii_lowercase() || *c == '_').collect();
        if !name.is_empty() {
            assert!(rules.contains(&name), "highlights.scm names {name}");
            named += 1;
        }
    }
    assert!(named > 12, "{named}");
    let quoted: BTreeSet<String> = code.split('"').skip(1).step_by(2).map(String::from).collect();
    let missing: Vec<&String> = own
        .iter()
        .filter(|text| !quoted.contains(*text) && !matches!(text.as_str(), "true" | "false"))
        .collect();
    assert!(missing.is_empty() && quoted.is_subset(&own), "without a colour: {missing:?}");
}

#[test]
fn grammar_accepts_the_programs_that_the_compiler_parses() {
    let all =
        programs(&["samples", "assets/learn", "assets/neural/written", "tests/conformance", "tests/cases"]);
    let names: Vec<String> = all.iter().map(|(path, _)| path.clone()).collect();
    let Some(document) = checked(&names) else { return };
    let refused: BTreeSet<&str> =
        document["refused"].as_array().unwrap().iter().map(|own| own["file"].as_str().unwrap()).collect();
    let mut both = (0, 0);
    for (path, text) in &all {
        let program = compile(text);
        let view = program.view();
        let broken =
            view.all().iter().any(|t| view.lexical_error(t).is_some() || view.syntax_error(t).is_some());
        // The compiler refuses comparisons that chain and numbers that are too large by rules of their own.
        let is_refused = refused.contains(path.as_str());
        assert!(broken || !is_refused, "{path} is refused");
        if broken { both.0 += usize::from(is_refused) } else { both.1 += 1 }
    }
    assert!(both.0 >= 2 && both.1 >= 50, "{both:?}");
}
