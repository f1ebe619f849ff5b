//! Paths in comments and pages exist, and no file of code is long.

use std::fs;
use std::path::{Path, PathBuf};

/// Folders that paths begin with.
const ROOTS: [&str; 5] = ["src/", "shaders/", "docs/", "tests/", "assets/"];

#[test]
fn paths_in_comments_and_pages_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut files: Vec<PathBuf> =
        ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|page| root.join(page)).into();
    ["src", "shaders", "docs", "tests"].iter().for_each(|folder| texts(&root.join(folder), &mut files));
    let (mut named, mut missing) = (0, Vec::new());
    for file in &files {
        for (line, text) in fs::read_to_string(file).unwrap().lines().enumerate() {
            let page = file.extension().is_some_and(|extension| extension == "md");
            let comment = if page { Some(text) } else { text.split_once("//").map(|(_, comment)| comment) };
            for path in comment.map_or(vec![], paths) {
                named += 1;
                // Capital letters are placeholders.
                let any = path.chars().any(|c| c.is_ascii_uppercase()) && !path.ends_with(".md");
                if !any && !root.join(&path).exists() {
                    missing.push(format!("{}:{}: {path}", file.display(), line + 1));
                }
            }
        }
    }
    assert!(named > 30, "only {named} paths are read");
    assert!(missing.is_empty(), "{}", missing.join("\n"));
}

/// A file is one idea: only tables may be long.
#[test]
fn files_have_at_most_450_lines() {
    const TABLES: [&str; 2] = ["src/compiler/layout/numbers.rs", "src/workbench/keys.rs"];
    let mut files = Vec::new();
    for folder in ["src", "shaders", "tests/it", "tests/terminal"] {
        texts(Path::new(folder), &mut files);
    }
    let is_code = |file: &&PathBuf| file.extension().is_some_and(|name| name == "rs" || name == "wgsl");
    let mut long = Vec::new();
    for file in files.iter().filter(is_code) {
        let lines = fs::read_to_string(file).unwrap().lines().count();
        if lines > 450 && !TABLES.iter().any(|table| file == Path::new(table)) {
            long.push(format!("{}: {lines}", file.display()));
        }
    }
    assert!(long.is_empty(), "split these files by idea: {long:#?}");
}

/// Collects all source and text files below a folder.
fn texts(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let is_text = path.extension().is_some_and(|e| ["rs", "wgsl", "md"].iter().any(|known| e == *known));
        match path.is_dir() {
            true => texts(&path, found),
            false if is_text => found.push(path),
            false => {}
        }
    }
}

/// Returns the words of a line that look like paths of this project.
fn paths(line: &str) -> Vec<String> {
    let is_path = |c: char| c.is_alphanumeric() || "/._-".contains(c);
    let words = line.split(|c| !is_path(c));
    let paths = words.filter(|word| ROOTS.iter().any(|root| word.starts_with(root) && word.len() > root.len()));
    paths.map(|word| word.trim_end_matches(['.', '/']).to_string()).collect()
}
