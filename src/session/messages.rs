//! Requests of the interface, and the updates that answer them.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::job::{Finding, VisibleJobs};
use super::proved::Proved;
use super::request::RunRequest;
use super::roster::Device;
use crate::compiler::program::Compiled;
use crate::engine::choose::Preference;
use crate::engine::{BaseResult, Kind, MutantResult};
use crate::host::measure::energy::Energy;
use crate::lang::index::EntryId;
use crate::lang::level::LevelChoice;

/// A request of the interface to the engine threads. A newer edit supersedes older ones.
#[derive(Clone, Debug)]
pub enum Request {
    Edit(Edit),
    /// Use this engine from now on.
    Use(Preference),
    /// Optimize bases to this level from now on.
    Optimize(LevelChoice),
    /// From now on, judge all variants of every text, or as many as the budget says.
    JudgeAll(bool),
    /// From now on, run the jobs that this needs whenever no other request is pending.
    Look(VisibleJobs),
    /// From now on, record this run of every text while its panel is open.
    Run(Arc<RunRequest>),
    Quit,
}

#[derive(Clone, Debug)]
pub struct Edit {
    pub revision: u64,
    pub text: Arc<str>,
    /// When the user made the edit; latencies are measured from here.
    pub at: Instant,
    /// The program in which the rules of the text fire, if it is another file.
    pub fires_in: Option<PathBuf>,
}

/// An update that the engine threads send to the interface.
#[derive(Clone, Debug)]
pub enum Update {
    /// Results of the base program. Always the first update of a revision.
    Base { revision: u64, at: Instant, result: BaseResult },
    /// Verdicts on some of the mutants. `total` is the number of mutants that will be judged for this revision,
    /// `first_order` the number of its first-order mutants.
    Mutants { revision: u64, total: u32, first_order: u32, part: MutantResult },
    /// All mutants of the revision have been judged. `energy` is that of the base and the mutants together.
    Done { revision: u64, at: Instant, wall: Duration, energy: Energy },
    /// Some survivors of the revision equal the program or an earlier mutant. Follows `Done`, if there are any.
    Proved { revision: u64, proved: Arc<Proved> },
    /// The base takes long: `entry`, the first test or property that has not ended, has run on `inputs` of its
    /// inputs.
    Running { revision: u64, compiled: Arc<Compiled>, entry: EntryId, inputs: u32, taken: Duration },
    /// The result of an idle job.
    Found(Finding),
    /// The engine that serves and why; shown in the status bar. `meter` describes what measures its energy, or
    /// why nothing does. `device` is the state of the GPU engine, whichever engine serves; `preparing` is the progress of
    /// what it prepares, or empty.
    Engine { kind: Kind, description: String, reason: String, meter: String, device: Device, preparing: String },
    /// A message that the user must see: a lost device, an engine that cannot start.
    Notice(String),
}

impl Update {
    /// Returns when the edit that this update answers was made, if it answers one.
    pub fn at(&self) -> Option<Instant> {
        match self {
            Update::Base { at, .. } | Update::Done { at, .. } => Some(*at),
            _ => None,
        }
    }
}
