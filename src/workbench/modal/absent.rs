//! Commands of vi and helix that are absent: the messages, and the keys that are swallowed with them, so that none acts as a
//! command of its own. The table of keys has a row for each.

/// The message for commands that are absent.
pub const ABSENT: &str = "no such command; docs/keys-modal.md lists all, F1 the other keys";

/// The message while a text is swallowed.
pub const UNUSED: &str = "no such command: its text up to enter is not used; esc ends it";

/// The keys of a command after those of its row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rest {
    Keys(usize),
    /// A text that enter ends.
    Line,
}
