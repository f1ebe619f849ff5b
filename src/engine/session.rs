//! The workbench's side of the engines: requests carry a revision, updates answer with it, stale work is dropped.

use std::sync::Arc;

use super::{BaseResult, Kind, MutantResult};

/// What the interface asks of the engine thread. Newer edits supersede older ones.
#[derive(Clone, Debug)]
pub enum Request {
    /// The text as of a revision.
    Edit {
        revision: u64,
        text: Arc<str>,
    },
    /// Use this engine from now on (`None`: choose automatically).
    Use(Option<Kind>),
    Quit,
}

/// What the engine thread tells the interface.
#[derive(Clone, Debug)]
pub enum Update {
    /// The base's own panels: always first for a revision.
    Base { revision: u64, result: BaseResult },
    /// A part of the mutants' verdicts. `total` is how many this revision will judge in all, `first_order` how many
    /// first-order mutants it has.
    Mutants { revision: u64, total: u32, first_order: u32, part: MutantResult },
    /// All mutants of the revision are judged.
    Done { revision: u64, wall: std::time::Duration },
    /// The other engine has judged `checked` mutants again; `difference` says where it disagrees.
    CrossCheck { revision: u64, checked: u32, other: String, difference: Option<String> },
    /// Which engine runs and why; shown in the status bar.
    Engine { kind: Kind, description: String, reason: String },
    /// Something the user must know: a lost device, an engine that cannot start.
    Notice(String),
}
