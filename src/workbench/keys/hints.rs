//! The keys of the focused panel in a few words, for the bottom line.

use crossterm::event::KeyCode;

use super::{Command, Context, KeyRow};
use crate::workbench::key::Key;
use crate::workbench::panels::{Panel, PanelTask};
use crate::workbench::run::RunMove;
use crate::workbench::state::State;

/// Returns the commands that the bottom line and the help name first in a context, each in a word or two, the most useful first.
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
            (Complete, "complete"),
            (WriteTest, "write a test"),
            (Rename, "rename"),
            (Comment, "comment"),
            (GotoLine, "go to a line"),
            (Redo, "redo"),
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
        Context::Of(Panel::COUNTER) => &[(JudgeAll, "all variants")],
        Context::Of(Panel::PAPER) => &[(MoveLever(true), "more"), (MoveLever(false), "less")],
        Context::Panels => &[(Jump, "to the source"), (FilterRows, "filter"), (Escape, "editor"), (Pin, "pin")],
        _ => &[],
    }
}

/// The number of keys of a context that the bottom line names.
const HINTED: usize = 6;

/// Returns the hints for the focused panel, such as `t add test`, the most useful first. Commands that do nothing now
/// are left out, and each key is named once.
pub fn hints(state: &State) -> Vec<String> {
    let contexts = state.contexts();
    let mut keys: Vec<Key> = Vec::new();
    let mut hints = Vec::new();
    for (command, word) in contexts.iter().flat_map(|context| words(*context).iter().take(HINTED)) {
        let binding = contexts.iter().find_map(|context| state.keymap().of_command(*context, *command));
        let Some((binding, key)) = binding.filter(|(_, key)| !keys.contains(key)) else { continue };
        keys.push(key);
        if (binding.disabled)(state).is_none() {
            hints.push(format!("{} {word}", short(key)));
        }
    }
    hints
}

/// The number of keys that the help shows first.
const FIRST: usize = 12;

/// Returns the first dozen keys of the place with the focus: of each of its contexts those of the bottom line, then the others.
pub fn first_rows(state: &State) -> Vec<KeyRow<'_>> {
    let (contexts, keymap) = (state.contexts(), state.keymap());
    let named = |command: Command| contexts.iter().find_map(|context| keymap.row_of(*context, command));
    let mut rows: Vec<KeyRow> = Vec::new();
    for context in &contexts {
        let own = keymap.rows().filter(|row| row.binding.context == *context);
        for row in words(*context).iter().filter_map(|(command, _)| named(*command)).chain(own) {
            if !rows.iter().any(|other| std::ptr::eq(other.binding, row.binding)) {
                rows.push(row);
            }
        }
    }
    rows.truncate(FIRST);
    rows
}

/// Returns whether lists of keys have a row: those of the laboratory only while it is shown.
pub fn is_listed(state: &State, row: &KeyRow) -> bool {
    row.binding.task != PanelTask::Laboratory || state.laboratory
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
    let alt = |key: &Key| key.alt.then_some(Key { alt: false, ..*key });
    let mut rows: Vec<(String, &'static str)> = Vec::new();
    for row in
        state.keymap().rows().filter(|row| contexts.contains(&row.binding.context) && is_listed(state, row))
    {
        let Some(key) = row.keys.iter().find_map(alt) else { continue };
        let words = match row.binding.command {
            Command::Go(panel) => panel.title(),
            _ => row.binding.does,
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
    use crate::workbench::keymap::Keymap;

    /// A hint that names no row of the table would silently be left out.
    #[test]
    fn every_hinted_command_has_a_key() {
        let keys = Keymap::standard();
        for context in Context::ALL {
            let own = [context, Context::Panels, Context::Anywhere];
            for (command, word) in words(context) {
                assert!(
                    own.iter().any(|context| keys.of_command(*context, *command).is_some()),
                    "{word} in {context:?}"
                );
            }
        }
    }
}
