//! Questions that nobody asked for wait until somebody does: a line says so, typing goes on, and a chord opens them. Nothing that
//! is typed answers one, and no answer destroys a text.

use std::path::PathBuf;
use std::sync::Arc;

use crate::host::measure::numbers::plural;
use crate::workbench::open::Target;
use crate::workbench::state::State;
use crate::workbench::unsaved::Unsaved;

/// The file changed on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub theirs: Arc<str>,
    pub bom: bool,
}

/// What waits for an answer, the most urgent first.
#[derive(Clone, Debug, Default)]
pub struct Waiting {
    pub conflict: Option<Conflict>,
    /// Saving under a name that is taken.
    pub exists: Option<PathBuf>,
    /// What was to be opened, while the text on screen changed.
    pub leave: Option<Target>,
    /// What earlier runs left.
    pub unsaved: Vec<Unsaved>,
    /// And so many older texts.
    pub more: usize,
    /// Whether these have been looked at: then they are not spoken of again.
    pub looked: bool,
}

impl State {
    /// Whether nothing waits but texts that earlier runs left.
    pub fn only_unsaved_waits(&self) -> bool {
        let Waiting { conflict, exists, leave, unsaved, looked, .. } = &self.waiting;
        conflict.is_none() && exists.is_none() && leave.is_none() && !unsaved.is_empty() && !looked
    }

    /// The line about what waits, if anything does.
    pub fn banner(&self) -> Option<String> {
        let (name, waiting) = (self.file.name(), &self.waiting);
        let said = if waiting.conflict.is_some() {
            format!("{name} changed outside too: alt-a decides")
        } else if let Some(path) = &waiting.exists {
            format!("not saved, {} exists: alt-a decides", path.display())
        } else if waiting.leave.is_some() {
            format!("{name} is not saved, so it stays: alt-a decides")
        } else if !waiting.unsaved.is_empty() && !waiting.looked {
            let texts = plural((waiting.unsaved.len() + waiting.more) as u64, "unsaved text");
            format!("{texts} of a run before this one: alt-a looks")
        } else if let Some(why) = &self.unkept {
            format!("unsaved text is not kept: {why}")
        } else {
            return None;
        };
        Some(said)
    }
}
