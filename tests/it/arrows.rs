//! The rooms of the program (`ARCHITECTURE.md`, "The map") and the arrows between them: a room imports those that
//! stand above it in `ROOMS`, and nothing else. Tests inside a file may use anything.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// All rooms, from what knows nothing of the others to what people meet.
const ROOMS: &[&str] = &[
    "files",
    "samples",
    "lang",
    "measure",
    "program",
    "stage",
    "neural",
    "layout",
    "variants",
    "engine",
    "corpus",
    "synthesis",
    "hybrid",
    "noise",
    "training",
    "report",
    "export",
    "race",
    "paper",
    "session",
    "config",
    "workbench",
    "cli",
];

#[test]
fn arrows_go_up_the_list_only() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut offences = BTreeSet::new();
    for file in sources(&src) {
        let path = file.strip_prefix(&src).unwrap().to_string_lossy().replace('\\', "/");
        let room = path.split('/').next().unwrap().trim_end_matches(".rs").to_string();
        if room == "lib" || room == "main" {
            continue;
        }
        let place = |room: &str| ROOMS.iter().position(|known| *known == room);
        let here = place(&room).unwrap_or_else(|| panic!("{path}: `{room}` is no room of the list"));
        for used in rooms_used(&without_tests(&fs::read_to_string(&file).unwrap())) {
            if used != room && place(&used).is_none_or(|there| there >= here) {
                offences.insert(format!("{path}: {room} uses {used}"));
            }
        }
    }
    let offences: Vec<_> = offences.into_iter().collect();
    assert!(offences.is_empty(), "{} arrows go down:\n{}", offences.len(), offences.join("\n"));
}

/// All Rust files below a folder that are built into the program.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().to_string();
        if path.is_dir() && name != "tests" {
            found.extend(sources(&path));
        } else if name.ends_with(".rs") && name != "tests.rs" {
            found.push(path);
        }
    }
    found
}

/// A file's text without comments and without what only its tests have.
fn without_tests(text: &str) -> String {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let code = code.join("\n");
    code.split("#[cfg(test)]\nmod tests {").next().unwrap_or("").to_string()
}

/// The rooms that a text names by `crate::room`, alone or in a group.
fn rooms_used(code: &str) -> BTreeSet<String> {
    let name = |rest: &str| rest.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect::<String>();
    let mut used = BTreeSet::new();
    for (at, _) in code.match_indices("crate::") {
        let rest = &code[at + "crate::".len()..];
        assert!(!rest.starts_with('{'), "name rooms one by one: `use crate::{{…}}` is not read here");
        used.insert(name(rest));
    }
    // Macros are in no room.
    used.remove("");
    used
}
