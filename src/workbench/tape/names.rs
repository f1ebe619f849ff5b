//! Names of keys in tapes.

use super::commands::{FOREIGN_COMMANDS, TABLE};
use super::line::{Fault, TapeWord};
use crate::report::names::nearest;
use crate::workbench::key::Key;
use crate::workbench::keys;

/// Key names of other programs, with the names used here.
const ALIASES: &[(&str, &str)] = &[
    ("escape", "esc"),
    ("return", "enter"),
    ("del", "delete"),
    ("ins", "insert"),
    ("pgup", "pageup"),
    ("pgdown", "pagedown"),
    ("pgdn", "pagedown"),
];

/// Returns the key with this name, in the syntax of the key table or of vhs.
fn key_named(name: &str) -> Option<Key> {
    let (mut rest, mut ctrl, mut alt, mut shift) = (name, false, false, false);
    loop {
        let behind = |modifier: &str| {
            let (head, tail) = rest.split_at_checked(modifier.len())?;
            let tail = tail.strip_prefix(['+', '-'])?;
            (head.eq_ignore_ascii_case(modifier) && !tail.is_empty()).then_some(tail)
        };
        if let Some(tail) = behind("ctrl") {
            (rest, ctrl) = (tail, true);
        } else if let Some(tail) = behind("alt") {
            (rest, alt) = (tail, true);
        } else if let Some(tail) = behind("shift") {
            (rest, shift) = (tail, true);
        } else {
            break;
        }
    }
    let single = rest.chars().count() == 1;
    let named = match rest.to_ascii_lowercase() {
        lower if !single => {
            ALIASES.iter().find(|(alias, _)| *alias == lower).map_or(lower, |(_, own)| own.to_string())
        }
        // `alt-W` of the key table is alt with shift; `Alt+W` of vhs is without.
        lower if ctrl || alt && name.to_ascii_lowercase().contains("alt+") => lower,
        _ if shift => rest.to_ascii_uppercase(),
        // Any other letter keeps its case.
        _ => rest.to_string(),
    };
    let bare = Key::parse(&named)?;
    Some(Key { ctrl, alt, shift: shift && (!single || ctrl || alt), ..bare })
}

pub fn key(word: &TapeWord, name: &str) -> Result<Key, Fault> {
    if !word.quoted
        && let Some(key) = key_named(name)
    {
        return Ok(key);
    }
    let message = format!("there is no command and no key `{name}`");
    let help = match FOREIGN_COMMANDS.iter().find(|(other, _)| *other == name) {
        _ if word.quoted => "a text is typed by `Type \"…\"`".to_string(),
        Some((_, instead)) => (*instead).to_string(),
        None => match meant(name) {
            Some(meant) => format!("did you mean `{meant}`?"),
            None => "docs/demo.md lists the commands, and docs/keys.md the keys".to_string(),
        },
    };
    Err(Fault::new(word.span.clone(), &message, &help))
}

/// Returns the command or key that was probably meant.
fn meant(name: &str) -> Option<String> {
    let commands: Vec<&str> = TABLE.iter().map(|row| row.word).filter(|word| !word.is_empty()).collect();
    if let Some(command) = nearest_word(name, &commands) {
        return Some(command);
    }
    let of_keys: Vec<&str> = keys::TABLE.iter().flat_map(|binding| binding.keys).copied().collect();
    nearest_word(&name.replace('+', "-"), &of_keys)
}

/// Returns the most similar of some words, ignoring case.
pub fn nearest_word(name: &str, all: &[&str]) -> Option<String> {
    let lower: Vec<String> = all.iter().map(|word| word.to_ascii_lowercase()).collect();
    let name = name.to_ascii_lowercase();
    let same = lower.iter().position(|word| *word == name);
    let near = || {
        let words: Vec<&str> = lower.iter().map(String::as_str).collect();
        let found = nearest(&name, &words)?;
        lower.iter().position(|word| word == found)
    };
    same.or_else(near).map(|at| all[at].to_string())
}
