//! The shipped lessons: each can be completed, starts with something to do, and is correct about keys and
//! panels.

use std::path::Path;
use std::sync::Arc;

use super::judged;
use myriad::workbench::key::Key;
use myriad::workbench::keys::TABLE;
use myriad::workbench::learn::judge::JudgeState;
use myriad::workbench::learn::{Lesson, SHIPPED};
use myriad::workbench::panels::Panel;

fn all() -> impl Iterator<Item = (String, Lesson)> {
    SHIPPED.iter().map(|shipped| {
        let lesson = Lesson::read(shipped.text).unwrap_or_else(|faults| panic!("{}: {faults:?}", shipped.name));
        (format!("{:02}-{}.myr", shipped.number, shipped.name), lesson)
    })
}

#[test]
fn eighteen_shipped_lessons_have_files_and_solutions() {
    let numbers: Vec<u32> = SHIPPED.iter().map(|shipped| shipped.number).collect();
    assert_eq!(numbers, (1..=18).collect::<Vec<_>>());
    let files = |folder: &str| {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
        let names =
            std::fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
        let mut names: Vec<_> = names.map(|name| name.to_string_lossy().into_owned()).collect();
        names.sort();
        names
    };
    let names: Vec<String> = all().map(|(name, _)| name).collect();
    assert_eq!(files("assets/learn"), names, "every file is a lesson");
    assert_eq!(files("tests/learn"), names, "every lesson has a solution");
}

#[test]
fn shipped_lessons_begin_unsolved_and_have_a_valid_solution() {
    for (name, lesson) in all() {
        let start = judged(&lesson, &lesson.code);
        assert!(!start.is_done(), "{name} begins done");
        assert!(start.gone.is_empty(), "{name}: {start:?}");
        assert!(
            start.standings.iter().all(|standing| standing.state != JudgeState::Unknown),
            "{name}: {start:?}"
        );
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/learn").join(&name);
        let solution: Arc<str> = std::fs::read_to_string(path).expect("a solution").into();
        let done = judged(&lesson, &solution);
        assert!(done.is_done(), "{name}: {done:?}");
    }
}

/// A lesson's description of a key begins like that in the table of keys.
#[test]
fn lesson_keys_match_the_key_table() {
    for (name, lesson) in all() {
        assert!(!lesson.keys.is_empty(), "{name} names no key");
        for told in &lesson.keys {
            let key = Key::parse(&told.key).or_else(|| Key::parse(&told.key.to_lowercase()));
            let key = key.unwrap_or_else(|| panic!("{name}: no key {}", told.key));
            assert_eq!(key.to_string(), told.key, "{name}: as the workbench shows it");
            let known = TABLE.iter().any(|binding| {
                binding.keys.iter().any(|name| Key::parse(name) == Some(key))
                    && binding.does.starts_with(&told.does)
            });
            assert!(known, "{name}: {} does not `{}`", told.key, told.does);
        }
        let names_a_panel = lesson.keys.iter().any(|told| {
            Panel::all().any(|panel| panel != Panel::EDITOR && panel.row().keys.contains(&told.key.as_str()))
                || ["F8", "F12"].contains(&told.key.as_str())
        });
        assert!(names_a_panel, "{name} leads to no panel");
    }
}

/// Keys in sentences are also listed, and are named with the right panel.
#[test]
fn keys_in_lesson_text_are_listed_and_open_the_named_panel() {
    for (name, lesson) in all() {
        let sentences = lesson.teaches.iter().chain(&lesson.hints);
        for sentence in sentences {
            for word in sentence.split(|c: char| c.is_whitespace() || "(),.;:`".contains(c)) {
                let is_key = ["alt-", "ctrl-"].iter().any(|start| word.starts_with(start))
                    || (word.starts_with('F')
                        && word.len() > 1
                        && word[1..].bytes().all(|b| b.is_ascii_digit()));
                let listed = lesson.keys.iter().any(|told| told.key == word);
                assert!(!is_key || listed, "{name}: `{word}` is not among its keys");
            }
            for (at, _) in sentence.match_indices(" panel (") {
                let title = sentence[..at].rsplit(' ').next().unwrap_or("");
                let key = sentence[at + " panel (".len()..].split([')', ' ', ',']).next().unwrap_or("");
                let panel = Panel::all().find(|panel| panel.title() == title);
                let panel = panel.unwrap_or_else(|| panic!("{name}: no panel {title}"));
                assert!(panel.row().keys.contains(&key), "{name}: {title} is not at {key}");
            }
        }
    }
}

/// Lessons are read in a narrow panel, so they must be short.
#[test]
fn shipped_lessons_are_short() {
    for (name, lesson) in all() {
        let words: usize = lesson.teaches.iter().map(|text| text.split_whitespace().count()).sum();
        assert!((40..=170).contains(&words), "{name}: {words} words");
        assert!(lesson.title.chars().count() <= 40 && lesson.aims.len() <= 6, "{name}");
        assert!(lesson.code.lines().all(|line| line.chars().count() <= 100), "{name}");
        for hint in &lesson.hints {
            assert!(hint.split_whitespace().count() <= 60, "{name}: {hint}");
        }
    }
}
