//! The keys of the focused panel in a few words, for the bottom line.

use crossterm::event::KeyCode;

use super::{Binding, Command, Context, TABLE};
use crate::workbench::key::Key;
use crate::workbench::panels::Panel;
use crate::workbench::run::RunMove;
use crate::workbench::state::State;

/// Returns the commands that the bottom line names in a context, each in a word or two, the most useful first.
fn words(context: Context) -> &'static [(Command, &'static str)] {
    use Command::*;
    match context {
        Context::Editor => &[
            (Prefix, "panels"),
            (Save, "save"),
            (Open, "open"),
            (Undo, "undo"),
            (Find, "search"),
            (GotoDefinition, "definition"),
        ],
        Context::Of(Panel::MUTANTS) => {
            &[(AddTest, "add test"), (Go(Panel::MUTANT), "why"), (NextFilter, "status")]
        }
        Context::Of(Panel::MUTANT) => &[(AddTest, "add test"), (ShowProof, "proof")],
        Context::Of(Panel::MATRIX) => &[(RemoveTests, "remove spare tests")],
        Context::Of(Panel::REPAIRS) => &[(ApplyRepair, "apply")],
        Context::Of(Panel::DIAGNOSTICS) => &[(Explain, "explain")],
        Context::Of(Panel::IR) => &[(NextPass, "next pass"), (PreviousPass, "back"), (Reasons, "why")],
        Context::Of(Panel::RUN) => &[
            (MoveInRun(RunMove::Forward), "step"),
            (MoveInRun(RunMove::Back), "back"),
            (MoveInRun(RunMove::Maker), "where from"),
            (CompareRuns, "compare"),
        ],
        Context::Of(Panel::LADDER) => &[(MoveInLadder(true), "next phase")],
        Context::Of(Panel::ROUNDS) => &[
            (MoveInRounds(crate::workbench::rounds::RoundMove::Forward), "round"),
            (MoveInRounds(crate::workbench::rounds::RoundMove::NextStage), "stage"),
        ],
        Context::Of(Panel::LESSON) => &[(NextHint, "hint"), (NextLesson, "next")],
        Context::Of(Panel::PAPER) => &[(MoveLever(true), "more"), (MoveLever(false), "less")],
        Context::Panels => &[(Jump, "to the source"), (FilterRows, "filter"), (Escape, "editor"), (Pin, "pin")],
        _ => &[],
    }
}

/// Returns the hints for the focused panel, such as `t add test`, the most useful first. Commands that do nothing now
/// are left out, and each key is named once.
pub fn hints(state: &State) -> Vec<String> {
    let contexts = state.contexts();
    let mut keys: Vec<Key> = Vec::new();
    let mut hints = Vec::new();
    for (command, word) in contexts.iter().flat_map(|context| words(*context)) {
        let binding = contexts.iter().find_map(|context| binding_of(*context, *command));
        let Some((binding, key)) = binding.filter(|(_, key)| !keys.contains(key)) else { continue };
        keys.push(key);
        if (binding.disabled)(state).is_none() {
            hints.push(format!("{} {word}", short(key)));
        }
    }
    hints
}

/// Returns the row of a command in a context, and its first key.
fn binding_of(context: Context, command: Command) -> Option<(&'static Binding, Key)> {
    let row = TABLE.iter().find(|row| row.context == context && row.command == command)?;
    Some((row, Key::parse(row.keys.first()?)?))
}

/// Returns a key's name; arrows are glyphs.
fn short(key: Key) -> String {
    let arrow = match key.code {
        KeyCode::Left => "←",
        KeyCode::Right => "→",
        KeyCode::Up => "↑",
        KeyCode::Down => "↓",
        _ => return key.to_string(),
    };
    if key == (Key { code: key.code, ctrl: false, alt: false, shift: false }) {
        arrow.to_string()
    } else {
        key.to_string()
    }
}

/// Returns the commands that a key after the prefix invokes now, in the order of the table: the key, and the command in
/// words.
pub fn after_prefix(state: &State) -> Vec<(String, &'static str)> {
    let contexts = state.contexts();
    let alt = |name: &str| Key::parse(name).filter(|key| key.alt).map(|key| Key { alt: false, ..key });
    let mut rows: Vec<(String, &'static str)> = Vec::new();
    for row in TABLE.iter().filter(|row| contexts.contains(&row.context)) {
        let Some(key) = row.keys.iter().find_map(|name| alt(name)) else { continue };
        let words = match row.command {
            Command::Go(panel) => panel.title(),
            _ => row.does,
        };
        let key = short(key);
        if !rows.iter().any(|(other, _)| *other == key) {
            rows.push((key, words));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A hint that names no row of the table would silently be left out.
    #[test]
    fn every_hinted_command_has_a_key() {
        for context in Context::ALL {
            let own = [context, Context::Panels, Context::Anywhere];
            for (command, word) in words(context) {
                assert!(
                    own.iter().any(|context| binding_of(*context, *command).is_some()),
                    "{word} in {context:?}"
                );
            }
        }
    }
}
