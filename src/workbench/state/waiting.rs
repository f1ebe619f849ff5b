//! Pending questions. A question that the user did not ask for waits until a chord opens it. Meanwhile a line
//! announces it, and typing goes on. No typed text answers a question, and no answer destroys a text.

use std::path::PathBuf;
use std::sync::Arc;

use crate::host::measure::numbers::plural;
use crate::workbench::state::State;
use crate::workbench::unsaved::{Base, Unsaved};

/// The file changed on both sides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub theirs: Arc<str>,
    pub bom: bool,
}

/// The pending questions, the most urgent first.
#[derive(Clone, Debug, Default)]
pub struct PendingQuestions {
    pub conflict: Option<Conflict>,
    /// Saving under a name that is taken.
    pub exists: Option<PathBuf>,
    /// Unsaved texts of earlier runs.
    pub unsaved: Vec<Unsaved>,
    /// The number of older texts that are not listed.
    pub more: usize,
    /// Whether the list has been opened; it is not announced again.
    pub looked: bool,
    /// Whether they are texts of the file itself.
    pub are_own: bool,
}

impl PendingQuestions {
    /// Returns whether a question about the file itself is pending.
    pub fn is_urgent(&self) -> bool {
        self.conflict.is_some() || self.exists.is_some()
    }
}

impl State {
    /// Returns whether only unsaved texts of earlier runs are pending.
    pub fn only_unsaved_waits(&self) -> bool {
        let PendingQuestions { conflict, exists, unsaved, looked, .. } = &self.prompts.waiting;
        conflict.is_none() && exists.is_none() && !unsaved.is_empty() && !looked
    }

    /// Returns the line that announces the most urgent question, if any.
    pub fn banner(&self) -> Option<String> {
        let (name, waiting) = (self.document.file.name(), &self.prompts.waiting);
        let said = if waiting.conflict.is_some() {
            format!("{name} was also changed by another program: alt-a decides")
        } else if let Some(path) = &waiting.exists {
            format!("not saved, {} exists: alt-a decides", path.display())
        } else if !waiting.unsaved.is_empty() && !waiting.looked {
            let texts = plural((waiting.unsaved.len() + waiting.more) as u64, "unsaved text");
            let on_disk = Base::of(self.document.file.on_disk.as_deref());
            let is_changed = |unsaved: &Unsaved| unsaved.base.as_ref().is_some_and(|base| *base != on_disk);
            match waiting.are_own {
                true if waiting.unsaved.iter().all(is_changed) => {
                    format!("{texts} of {name}, which has changed since: alt-a lists them")
                }
                true => format!("{texts} of {name}: alt-a lists them"),
                false => format!("{texts} of earlier runs: alt-a lists them"),
            }
        } else if let Some(other) = self.files.others.iter().find(|file| file.waiting.is_urgent()) {
            format!("{} has a question: ctrl-o, enter shows it", other.document.file.name())
        } else if let Some(why) = &self.prompts.journal_error {
            format!("unsaved text is not kept: {why}")
        } else if let Some(fault) = &self.prompts.config_error {
            fault.clone()
        } else {
            return None;
        };
        Some(self.spelled(&said).into_owned())
    }
}
