//! Visits: which inputs of the oracles enter a function on the base, and with which calls.
//!
//! Functions are pure: a call's value depends only on its arguments. Therefore a mutant of one function ends
//! like the base on every input that does not enter the function (selection, as in coverage-based test
//! selection). It also ends like the base on every input whose outer calls of the function all return the
//! base's values (differential calls). In neither case does the input have to run.

mod call_index;
mod end;
mod footprint;
mod recorder;
mod share;
mod verdict;

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

use rayon::prelude::*;

use super::pool::{Pool, Worker};
use crate::compiler::program::Compiled;
use crate::compiler::stage::Stage;
use crate::engine::memory::words;
use crate::engine::oracles::Oracle;
use crate::lang::index::{Index, InputId};
use call_index::CallIndex;
pub use end::Passing;
use footprint::Params;
use recorder::Recorded;
pub use recorder::{EntryCalls, Room};
pub use share::VisitQueue;
pub use verdict::VisitTask;

/// Whether a base's visits have been recorded.
pub enum Visits {
    /// With the calls of the entries that were recorded when they ran for their results.
    Unrecorded(Vec<Option<EntryCalls>>),
    /// There are too many to keep.
    TooMany,
    Recorded(CallProfile),
}

impl Visits {
    pub fn get(&self) -> Option<&CallProfile> {
        match self {
            Visits::Recorded(profile) => Some(profile),
            Visits::Unrecorded(_) | Visits::TooMany => None,
        }
    }
}

impl Default for Visits {
    fn default() -> Visits {
        Visits::Unrecorded(Vec::new())
    }
}

/// The visits of every function of a base.
pub struct CallProfile {
    functions: Vec<FunctionProfile>,
}

/// The visits of the oracles' inputs to one function.
#[derive(Default)]
struct FunctionProfile {
    /// The inputs that enter it, in judging order.
    visits: Vec<Visit>,
    uses: Vec<Use>,
    calls: Vec<VisitCall>,
    /// Arguments, footprints and results of the calls.
    words: Vec<u32>,
    params: Params,
    /// The highest memory address at which its frame began, and the highest number of calls active then,
    /// including its own.
    origin: u32,
    depth: u32,
}

/// An input of an oracle that enters the function.
#[derive(Clone, Debug)]
struct Visit {
    /// Index among the oracles.
    oracle: u32,
    input: InputId,
    /// Steps of the whole run.
    steps: u32,
    /// Its outer calls of the function; empty if there are too many to keep.
    uses: Range<u32>,
}

/// A call made by an input, with its number of occurrences.
#[derive(Clone, Copy)]
struct Use {
    call: u32,
    times: u32,
}

/// Outer calls of the function with the same footprint.
struct VisitCall {
    /// The arguments of one of the calls.
    arguments: Range<u32>,
    /// The footprint. An empty range means that it consists of all arguments.
    footprint: Range<u32>,
    /// The returned value: a word, or the elements of a list.
    result: Range<u32>,
    steps: u32,
    hash: u64,
    /// Whether all of the calls have the same arguments.
    alike: bool,
}

impl CallProfile {
    /// Runs the oracles of the base with this number once more and records their visits, except for entries
    /// whose calls are known. Returns `None` if stopped, or if there are too many visits to keep.
    pub fn record(
        pool: &Pool,
        (base, number): (&Compiled, u64),
        oracles: &[Oracle],
        mut known: Vec<Option<EntryCalls>>,
        stop: &AtomicBool,
    ) -> Option<CallProfile> {
        let (program, functions) = (&base.executable, base.facts.functions);
        let room = Room::new(oracles.iter().map(|oracle| &oracle.domain));
        let known: Vec<Option<EntryCalls>> =
            oracles.iter().map(|oracle| known.get_mut(oracle.entry.position())?.take()).collect();
        let record = |(oracle, known): (&Oracle, Option<EntryCalls>)| {
            if known.is_some() {
                return known;
            }
            let Worker { compiler, mount, .. } = &mut *pool.worker();
            let from = Instant::now();
            mount.hold(program, number);
            let recorder = room.recorder(program, functions, &oracle.domain);
            let (domain, machine) = (&oracle.domain, &mut mount.machine);
            let (_, recorded) = recorder.entry(machine, program, (domain, oracle.fuel), stop);
            compiler.record_time(Stage::Execute, from);
            recorded
        };
        let recorded: Vec<Option<EntryCalls>> =
            oracles.par_iter().zip(known).with_max_len(1).map(record).collect();
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let mut by_function: Vec<Vec<Recorded>> = (0..functions).map(|_| Vec::new()).collect();
        for recorded in recorded {
            by_function.iter_mut().zip(recorded?).for_each(|(all, own)| all.push(own));
        }
        let merge = |recorded: Vec<Recorded>| {
            let (mut visited, mut known) = (FunctionProfile::default(), CallIndex::default());
            (0..).zip(recorded).for_each(|(oracle, recorded)| visited.add(oracle, recorded, &mut known));
            visited
        };
        Some(CallProfile { functions: by_function.into_par_iter().with_max_len(1).map(merge).collect() })
    }

    /// Returns the allocated size in bytes.
    pub fn bytes(&self) -> u64 {
        let of = |visited: &FunctionProfile| {
            let visits = visited.visits.capacity() * size_of::<Visit>();
            let calls = visited.calls.capacity() * size_of::<VisitCall>();
            let uses = visited.uses.capacity() * size_of::<Use>();
            (visits + calls + uses) as u64 + words(&visited.words)
        };
        self.functions.iter().map(of).sum()
    }
}

impl VisitCall {
    /// Whether the call has this footprint. The call's ranges refer to `words`.
    fn is(&self, words: &[u32], arguments: &[u32], footprint: &[u32]) -> bool {
        match (self.footprint.is_empty(), footprint.is_empty()) {
            (true, true) => self.has(words, arguments),
            (false, false) => {
                words.get(self.footprint.start as usize..self.footprint.end as usize) == Some(footprint)
            }
            _ => false,
        }
    }

    /// Whether the call has these arguments.
    fn has(&self, words: &[u32], arguments: &[u32]) -> bool {
        words.get(self.arguments.start as usize..self.arguments.end as usize) == Some(arguments)
    }
}

impl FunctionProfile {
    fn words(&self, range: &Range<u32>) -> &[u32] {
        &self.words[range.start as usize..range.end as usize]
    }

    /// Adds an oracle's record of the function. Calls recorded before are merged.
    fn add(&mut self, oracle: u32, recorded: Recorded, known: &mut CallIndex) {
        (self.origin, self.depth) = (self.origin.max(recorded.origin), self.depth.max(recorded.depth));
        let mut places = Vec::with_capacity(recorded.calls.len());
        for call in &recorded.calls {
            let [arguments, footprint] = [&call.arguments, &call.footprint].map(|range| recorded.words(range));
            let found = known.find(call.hash, |place| {
                self.calls.get(place as usize).is_some_and(|own| own.is(&self.words, arguments, footprint))
            });
            if let Some(own) = found.and_then(|place| self.calls.get_mut(place as usize))
                && !footprint.is_empty()
            {
                own.alike &= call.alike && own.has(&self.words, arguments);
            }
            let place = found.unwrap_or_else(|| {
                let mut copied = |from: &Range<u32>| {
                    let start = self.words.len() as u32;
                    self.words.extend_from_slice(recorded.words(from));
                    start..self.words.len() as u32
                };
                let [arguments, footprint, result] =
                    [&call.arguments, &call.footprint, &call.result].map(&mut copied);
                self.calls.push(VisitCall { arguments, footprint, result, ..*call });
                known.add(call.hash)
            });
            places.push(place);
        }
        let first = self.uses.len() as u32;
        self.uses.extend(recorded.uses.iter().map(|own| Use { call: places[own.call as usize], ..*own }));
        let moved =
            |visit: Visit| Visit { oracle, uses: visit.uses.start + first..visit.uses.end + first, ..visit };
        self.visits.extend(recorded.visits.into_iter().map(moved));
        self.params = recorded.params;
    }
}
