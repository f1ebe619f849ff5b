//! The keys in use, by the rows of the table of keys.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::workbench::key::Key;

/// The keys in use. Each key invokes at most one row in a context.
#[derive(Debug, PartialEq)]
pub struct Keymap {
    /// The keys of each row of the table; the first one is named in hints. Empty if the user wants no key.
    pub(super) rows: Vec<Vec<Key>>,
    /// The row of a key in a context, by the context's number.
    pub(super) index: HashMap<(usize, Key), usize>,
    /// The names of default keys that no longer invoke their command, each with the name of a key that does.
    pub(super) moved: Vec<(String, String)>,
}

impl Keymap {
    /// Returns a text in which the keys in use replace the default keys that it names.
    pub fn spelled<'a>(&self, text: &'a str) -> Cow<'a, str> {
        if self.moved.is_empty() {
            return Cow::Borrowed(text);
        }
        let mut spelled = String::with_capacity(text.len());
        for piece in text.split_inclusive([' ', '(', ')', '\n']) {
            let word = piece.trim_end_matches([' ', '(', ')', ',', ';', ':', '.', '\n']);
            let new = self.moved.iter().find(|(old, _)| old == word).map(|(_, new)| new.as_str());
            spelled.push_str(new.unwrap_or(word));
            spelled.push_str(&piece[word.len()..]);
        }
        Cow::Owned(spelled)
    }
}
