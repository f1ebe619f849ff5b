//! The rooms inside of rooms (`ARCHITECTURE.md`, "The map"): such a room imports only rooms that precede it in its
//! list. Tests inside a file may use anything. A room of the map itself is a crate, so Cargo checks its imports.

mod circles;

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The rooms inside of rooms, from basic to user-facing.
const ROOMS: &[(&[&str], &[&str])] = &[
    (&["host"], &["files", "start", "measure"]),
    (&["compiler"], &["program", "stage", "layout", "rounds", "variants", "export"]),
    (
        &["testing"],
        &[
            "decide",
            "equivalence",
            "mutation",
            "prove",
            "rules",
            "noise",
            "batch",
            "merge",
            "trace",
            "probes",
            "stand_ins",
        ],
    ),
    (&["learned"], &["synthesis", "hybrid", "training", "improve"]),
    (
        &["workbench"],
        &[
            "block",
            "learn",
            "text",
            "key",
            "keymap",
            "theme",
            "echo",
            "field",
            "complete",
            "fuzzy",
            "marks",
            "explained",
            "listing",
            "facts",
            "highlight",
            "modal",
            "example",
            "open",
            "suggested",
            "unsaved",
            "welcome",
            "lesson",
            "tour",
            "paper",
            "predict",
            "race",
            "rounds",
            "run",
            "values",
            "results",
            "ladder",
            "state",
            "event",
            "burst",
            "outcomes",
            "unfinished",
            "panels",
            "keys",
            "paint",
            "update",
            "config",
            "tape",
            "edge",
            "demo",
        ],
    ),
];

#[test]
fn rooms_import_only_the_rooms_before_them() {
    for (parent, rooms) in ROOMS {
        one_way(parent, rooms);
    }
}

/// Checks that the rooms below a module import only rooms that precede them.
fn one_way(parent: &[&str], rooms: &[&str]) {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let place = |room: &str| rooms.iter().position(|known| *known == room);
    let (mut offences, mut met) = (BTreeSet::new(), BTreeSet::new());
    for file in sources(&parent.iter().fold(src.clone(), |folder, room| folder.join(room))) {
        let module = module_of(file.strip_prefix(&src).unwrap());
        // The files of the module itself belong to no room.
        let Some(room) = module.get(parent.len()) else { continue };
        let here = place(room).unwrap_or_else(|| panic!("{}: `{room}` is no room of the list", file.display()));
        met.insert(room.clone());
        for used in paths(&without_tests(&fs::read_to_string(&file).unwrap()), &module) {
            let Some(used) = used.strip_prefix_rooms(parent).filter(|used| used != room) else { continue };
            if place(&used).is_none_or(|there| there >= here) {
                offences.insert(format!("{}: {room} uses {used}", file.strip_prefix(&src).unwrap().display()));
            }
        }
    }
    assert_eq!(met.len(), rooms.len(), "a room of the list is gone: {met:?}");
    let offences: Vec<_> = offences.into_iter().collect();
    assert!(offences.is_empty(), "{} arrows go the other way:\n{}", offences.len(), offences.join("\n"));
}

/// Returns the module path of a file: `stage/lex/mod.rs` is stage, lex.
fn module_of(file: &Path) -> Vec<String> {
    let mut module: Vec<String> =
        file.with_extension("").iter().map(|part| part.to_string_lossy().to_string()).collect();
    if module.last().is_some_and(|name| name == "mod" || name == "lib") {
        module.pop();
    }
    module
}

/// Returns all Rust files below a folder, except tests.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let stem = path.file_stem().unwrap().to_string_lossy().to_string();
        if path.is_dir() && stem != "tests" {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") && stem != "tests" {
            found.push(path);
        }
    }
    found
}

/// Returns a file's text without comments and without its test module at the end.
fn without_tests(text: &str) -> String {
    let code: Vec<&str> = text.lines().map(|line| line.split("//").next().unwrap_or("")).collect();
    let is_module =
        |pair: &[&str]| pair[0] == "#[cfg(test)]" && pair[1].starts_with("mod ") && pair[1].ends_with('{');
    let end = code.windows(2).position(is_module).unwrap_or(code.len());
    code[..end].join("\n")
}

/// A module path from the crate root.
struct Used(Vec<String>);

impl Used {
    /// Returns the room below `parent` that the path leads to, if any.
    fn strip_prefix_rooms(&self, parent: &[&str]) -> Option<String> {
        let (above, below) = self.0.split_at_checked(parent.len())?;
        (above == parent).then(|| below.first().cloned()).flatten()
    }
}

/// Returns the paths in a module's text, from `crate::…` or `super::…`; for a group, its common prefix.
fn paths(code: &str, module: &[String]) -> Vec<Used> {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut found = Vec::new();
    for (at, root) in code.match_indices("crate::").chain(code.match_indices("super::")) {
        let before = code[..at].chars().next_back();
        if before.is_some_and(|c| is_word(c) || c == ':') {
            continue;
        }
        let mut path = if root == "crate::" { Vec::new() } else { module[..module.len().max(1) - 1].to_vec() };
        let mut rest = &code[at + root.len()..];
        while let Some(behind) = rest.strip_prefix("super::") {
            path.pop();
            rest = behind;
        }
        assert!(
            !rest.starts_with('{') || !path.is_empty(),
            "name rooms one by one: `use crate::{{…}}` is not read"
        );
        // A room is at most two modules below the root.
        for name in rest.split("::").take(2) {
            let word: String = name.chars().take_while(|c| is_word(*c)).collect();
            if word.is_empty() || !word.starts_with(|c: char| c.is_ascii_lowercase()) {
                break;
            }
            let whole = word.len() == name.len();
            path.push(word);
            if !whole {
                break;
            }
        }
        found.push(Used(path));
    }
    found
}
