//! The table of keys with the user's changes.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::{Binding, Command, Context, TABLE, shown};
use crate::workbench::fuzzy::{contains_words, score};
use crate::workbench::key::Key;
use crate::workbench::keymap::Keymap;
use crate::workbench::state::State;

/// A row of the table, with the keys in use.
#[derive(Clone, Copy)]
pub struct KeyRow<'a> {
    pub binding: &'static Binding,
    pub keys: &'a [Key],
}

/// The keys that the user chose for a row of the table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rebinding {
    pub row: usize,
    /// They replace the default keys; empty for no key.
    pub keys: Vec<Key>,
}

impl Keymap {
    pub fn standard() -> &'static Keymap {
        static STANDARD: LazyLock<Keymap> = LazyLock::new(|| Keymap::new(&[]));
        &STANDARD
    }

    /// Applies changes to the default keys. Where two rows of a context have the same key, the first row keeps it;
    /// [`Keymap::conflict`] finds such rows.
    pub fn new(changes: &[Rebinding]) -> Keymap {
        let mut rows: Vec<Vec<Key>> = TABLE.iter().map(Binding::default_keys).collect();
        for change in changes {
            if let Some(row) = rows.get_mut(change.row) {
                row.clone_from(&change.keys);
            }
        }
        let mut index = HashMap::new();
        let mut moved: Vec<(String, String)> = Vec::new();
        for (number, (binding, keys)) in TABLE.iter().zip(&rows).enumerate() {
            for key in keys {
                index.entry((binding.context.number(), *key)).or_insert(number);
            }
            let Some(new) = keys.first() else { continue };
            let gone = binding.default_keys().into_iter().filter(|key| !keys.contains(key));
            // A letter in a message is rarely a key.
            for old in gone.filter(|key| key.typed().is_none()).map(|key| key.to_string()) {
                if !moved.iter().any(|(other, _)| *other == old) {
                    moved.push((old, new.to_string()));
                }
            }
        }
        Keymap { rows, index, moved }
    }

    /// Returns the rows in the order of the table.
    pub fn rows(&self) -> impl Iterator<Item = KeyRow<'_>> {
        TABLE.iter().zip(&self.rows).map(|(binding, keys)| KeyRow { binding, keys })
    }

    /// Returns the indices of two rows of the same context that have the same key, and the key.
    pub fn conflict(&self) -> Option<(usize, usize, Key)> {
        let mut keys = self
            .rows()
            .enumerate()
            .flat_map(|(number, row)| row.keys.iter().map(move |key| (number, row.binding.context, *key)));
        keys.find_map(|(number, context, key)| {
            let first = *self.index.get(&(context.number(), key))?;
            (first != number).then_some((first, number, key))
        })
    }

    pub fn binding(&self, context: Context, key: Key) -> Option<&'static Binding> {
        self.index.get(&(context.number(), key)).map(|row| &TABLE[*row])
    }

    pub fn invokes(&self, context: Context, key: Key, command: Command) -> bool {
        self.binding(context, key).is_some_and(|binding| binding.command == command)
    }

    /// Returns the row of a command in a context, and the first of its keys.
    pub fn of_command(&self, context: Context, command: Command) -> Option<(&'static Binding, Key)> {
        let row = self.row_of(context, command)?;
        Some((row.binding, *row.keys.first()?))
    }

    pub fn row_of(&self, context: Context, command: Command) -> Option<KeyRow<'_>> {
        self.rows().find(|row| row.binding.context == context && row.binding.command == command)
    }

    /// Returns the rows that contain all words of a filter, by task and context, then those with a name that is like it.
    pub fn matching(&self, filter: &str) -> Vec<KeyRow<'_>> {
        let fits = |row: &KeyRow| {
            let binding = row.binding;
            let text = format!("{} {} {}", shown(row.keys), binding.does, binding.heading());
            // The name in the configuration, and its words.
            let name = binding.action();
            let names = [&name, &name.replace('_', "-"), &name.replace('_', " ")].map(String::as_str).join(" ");
            contains_words(filter, &format!("{text} {names}"))
        };
        let mut rows: Vec<KeyRow> = self.rows().filter(fits).collect();
        // A description that is typed in full is the wanted one.
        let is_other = |row: &KeyRow| row.binding.does != filter.trim();
        rows.sort_by_key(|row| (is_other(row), row.binding.task, row.binding.context.number()));
        // After them the names that have the letters in order.
        let like = |row: &KeyRow| score(filter, &row.binding.action().replace('_', " "));
        let mut alike: Vec<(i32, KeyRow)> =
            self.rows().filter(|row| !fits(row)).filter_map(|row| Some((like(&row)?, row))).collect();
        alike.sort_by_key(|(score, _)| std::cmp::Reverse(*score));
        rows.extend(alike.into_iter().map(|(_, row)| row));
        rows
    }
}

impl State {
    pub fn keymap(&self) -> &Keymap {
        match &self.keys {
            Some(own) => own,
            None => Keymap::standard(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(context: Context, name: &str) -> usize {
        TABLE.iter().position(|row| row.context == context && row.action() == name).expect("a row")
    }

    #[test]
    fn rebinding_replaces_all_keys_of_its_command() {
        let key = |name| Key::parse(name).expect("a key");
        let change = Rebinding { row: row(Context::Anywhere, "save"), keys: vec![key("f8"), key("ctrl-y")] };
        let keys = Keymap::new(&[change]);
        // The first row keeps a key that two rows have.
        assert!(keys.invokes(Context::Anywhere, key("f8"), Command::NextProblem));
        let (one, other, at) = keys.conflict().expect("a conflict");
        assert_eq!((TABLE[one].name, TABLE[other].name, at), ("next_problem", "save", key("f8")));
        assert!(keys.invokes(Context::Anywhere, key("ctrl-y"), Command::Save));
        assert!(keys.binding(Context::Anywhere, key("ctrl-s")).is_none());
        assert!(Keymap::standard().conflict().is_none());
    }

    #[test]
    fn command_is_found_by_its_name_in_the_configuration() {
        for name in ["next_status", "next-status", "Next status", "go_to_definition"] {
            let found = Keymap::standard().matching(name);
            let action = name.to_lowercase().replace(['-', ' '], "_");
            assert!(found.iter().any(|row| row.binding.action() == action), "{name}");
        }
    }

    #[test]
    fn command_is_found_by_letters_of_its_name_in_order() {
        let first = |filter: &str| Keymap::standard().matching(filter).first().map(|row| row.binding.action());
        assert_eq!(first("gtdf").as_deref(), Some("go_to_definition"));
        assert_eq!(first("rnme").as_deref(), Some("rename"));
        assert_eq!(first("zzz"), None);
    }

    #[test]
    fn messages_name_the_keys_in_use() {
        let undo = row(Context::Editor, "undo");
        let keys = Keymap::new(&[Rebinding { row: undo, keys: vec![Key::parse("alt-u").expect("a key")] }]);
        let text = "formatted; ctrl-u takes it back (ctrl-u), ctrl-up.";
        assert_eq!(keys.spelled(text), "formatted; alt-u takes it back (alt-u), ctrl-up.");
        let none = Keymap::new(&[Rebinding { row: undo, keys: vec![] }]);
        assert_eq!(none.spelled(text), text);
        assert_eq!(Keymap::standard().spelled(text), text);
    }
}
