//! Comments, pages and texts on screen are plain English: the patterns that CONTRIBUTING.md lists are rare.
//!
//! The count is a guard and not the goal. A sentence that has no pattern can still be hard to read.

use std::fs;
use std::path::{Path, PathBuf};

use regex_lite::Regex;

/// Patterns that are allowed in a thousand lines of prose.
const ALLOWED: f64 = 6.0;

/// A pattern's name, and its regular expression.
const PATTERNS: [(&str, &str); 10] = [
    ("What … as a subject", r"(?:^|[.;:!] +)What [a-z]+ [^?]*$"),
    ("stands", r"\b(?i:stands?|stood|standing)\b"),
    ("behind", r"\b(?i:behind)\b"),
    (
        "is none, is no X",
        r"\b(?:is|are|was|were) none\b|\b(?:it|that|this|which|and|[a-z]+s) (?:is|are|was|were) no [a-z]+",
    ),
    ("so many, so long", r"\b(?i:so (?:many|long|much))\b"),
    ("Of X, …", r"(?:^|[.;:] +)Of [^.,;]{1,40}, "),
    ("gives", r"\b(?i:gives?|gave)\b"),
    ("is said, is told, tells", r"\b(?:is|are|was|were|be|been) (?:said|told)\b|\b[Tt]ells?\b"),
    ("beside", r"\b(?i:beside)\b"),
    (
        "is to be, comes to, as far as, by itself, anew",
        r"\b(?:is|are|was|were) to be\b|\bc[oa]mes? to\b|\bas far as\b|\bby (?:itself|themselves)\b|\banother one\b|\banew\b",
    ),
];

/// Exceptions: a part of a line, and why it stays.
const EXCEPTIONS: [(&str, &str); 2] = [
    ("| stands |", "CONTRIBUTING.md quotes the patterns"),
    ("tand-in", "a stand-in is what a program with errors is compared with"),
];

/// The lines of prose of a file, with their numbers: comments, and texts of more than one word; of pages all but code.
fn prose(path: &Path, text: &str) -> Vec<(usize, String)> {
    let page = path.extension().is_some_and(|extension| extension == "md");
    let quoted = Regex::new(r#""((?:[^"\\]|\\.)*)""#).expect("a regular expression");
    let code = Regex::new("`[^`]*`").expect("a regular expression");
    let (mut found, mut fenced) = (Vec::new(), false);
    for (number, line) in text.lines().enumerate() {
        let mut add = |text: &str| found.push((number + 1, code.replace_all(text, "`x`").into_owned()));
        if page {
            fenced ^= line.starts_with("```");
            if !fenced {
                add(line);
            }
        } else if let Some((_, comment)) = line.split_once("//").filter(|(code, _)| code.trim().is_empty()) {
            add(comment.trim_start_matches(['/', '!', ' ']));
        } else {
            let texts = quoted.captures_iter(line).filter_map(|found| found.get(1));
            texts.filter(|text| text.as_str().contains(' ')).for_each(|text| add(text.as_str()));
        }
    }
    found
}

fn files(path: &Path, found: &mut Vec<PathBuf>) {
    if path.is_dir() {
        let entries = fs::read_dir(path).expect("a folder").map(|entry| entry.expect("an entry").path());
        entries.filter(|path| !path.ends_with("node_modules")).for_each(|path| files(&path, found));
    } else if path
        .extension()
        .is_some_and(|extension| ["rs", "wgsl", "md"].iter().any(|known| extension == *known))
    {
        found.push(path.into());
    }
}

#[test]
fn the_patterns_of_the_style_guide_are_rare() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let patterns = PATTERNS.map(|(name, pattern)| (name, Regex::new(pattern).expect("a regular expression")));
    let mut found = Vec::new();
    for place in [
        "src",
        "shaders",
        "docs",
        "tests/it",
        "tests/terminal",
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
    ] {
        files(&root.join(place), &mut found);
    }
    // This file quotes all of them.
    found.retain(|path| !path.ends_with("tests/it/prose.rs"));
    let (mut lines, mut hits) = (0, Vec::new());
    for path in &found {
        for (number, line) in prose(path, &fs::read_to_string(path).expect("a text")) {
            lines += 1;
            if EXCEPTIONS.iter().any(|(part, _)| line.contains(part)) {
                continue;
            }
            for (name, pattern) in &patterns {
                if pattern.is_match(&line) {
                    hits.push(format!(
                        "{}:{number}: [{name}] {line}",
                        path.strip_prefix(root).unwrap_or(path).display()
                    ));
                }
            }
        }
    }
    let rate = hits.len() as f64 * 1e3 / lines as f64;
    println!("{} patterns in {lines} lines: {rate:.1} in a thousand", hits.len());
    assert!(rate <= ALLOWED, "{rate:.1} patterns in a thousand lines of prose:\n{}", hits.join("\n"));
}
