//! Runs an entry of the base and records its calls of each function.

use super::call_index::{CallIndex, hash};
use super::footprint::Params;
use super::{Use, Visit, VisitCall};
use crate::compiler::program::{Executable, Watch};
use crate::compiler::stage::execute::{self, CallEvent, Domain, Machine, Reads, RunObserver, Tally};
use crate::lang::index::{Index, Indices, InputId, RoutineId};
use crate::lang::limits::PARAMS;
use std::ops::Range;

/// Limits for a base: visits; and uses of calls plus words of arguments and results. Beyond the first, no
/// visits are kept and every mutant runs on every input. An input with too many calls is run.
const MOST_VISITS: usize = 1 << 21;
const MOST_WORDS: usize = 1 << 21;
/// The maximum of distinct calls of one function that are kept for one input. If some inputs of an oracle
/// make more, the others most likely do too: after [`CROWDED`] such inputs no calls are recorded.
const CROWD: usize = 256;
const CROWDED: u32 = 2;
/// The fraction of an oracle's space that one function may take. A function with many calls thus leaves space
/// for its callers, which have few and long calls.
const SHARE: usize = 4;

pub type EntryCalls = Vec<Recorded>;

/// The space for the calls of all entries.
#[derive(Clone, Copy)]
pub struct Room {
    /// Visits of one entry.
    visits: usize,
    /// Uses and words for one input. A test has one input, so it makes few calls compared with a property.
    words: usize,
}

impl Room {
    pub fn new<'a>(domains: impl ExactSizeIterator<Item = &'a Domain>) -> Room {
        let visits = MOST_VISITS / domains.len().max(1);
        let inputs: usize = domains.map(|domain| domain.inputs().len() as usize).sum();
        Room { visits, words: MOST_WORDS / inputs.max(1) }
    }

    pub fn recorder(self, program: &Executable, functions: u32, domain: &Domain) -> VisitRecorder {
        VisitRecorder::new(program, functions, self.visits, self.words * domain.inputs().len() as usize)
    }
}

/// An entry's record of one function.
#[derive(Default)]
pub struct Recorded {
    pub(super) visits: Vec<Visit>,
    pub(super) uses: Vec<Use>,
    pub(super) calls: Vec<VisitCall>,
    pub(super) words: Vec<u32>,
    pub(super) known: CallIndex,
    pub(super) params: Params,
    pub(super) origin: u32,
    pub(super) depth: u32,
    /// The number of its active calls.
    active: u32,
    /// For each call the index of its use by the current input, or `u32::MAX`.
    used: Vec<u32>,
    /// Set if the current input enters the function.
    entered: Option<Entered>,
    /// The number of inputs that made too many calls of it.
    crowded: u32,
}

/// The lengths of the tables when an input entered a function.
#[derive(Clone, Copy)]
struct Entered {
    uses: u32,
    calls: u32,
    words: u32,
    /// Whether the input makes too many calls of it.
    crowded: bool,
}

/// An active call.
struct Open {
    function: RoutineId,
    /// The start of its arguments, if it is recorded.
    arguments: Option<usize>,
    left: u32,
}

/// A finished call, to be recorded.
#[derive(Clone, Copy)]
struct Ended<'a> {
    arguments: &'a [u32],
    footprint: &'a [u32],
    result: &'a [u32],
    steps: u32,
}

/// Records the calls in one entry's runs.
pub struct VisitRecorder {
    functions: Vec<Recorded>,
    open: Vec<Open>,
    /// The arguments of active calls; the footprint and the reads of the call that is ending.
    arguments: Vec<u32>,
    footprint: Vec<u32>,
    reads: Reads,
    /// The remaining space: visits, and uses and words of calls.
    visits: usize,
    room: usize,
    /// The limit of `room` for one function.
    share: usize,
}

impl VisitRecorder {
    fn new(program: &Executable, functions: u32, visits: usize, room: usize) -> VisitRecorder {
        let of = |function| {
            let params = program.routine(function).map(Params::new).unwrap_or_default();
            Recorded { params, ..Recorded::default() }
        };
        let (arguments, footprint, reads) = (Vec::new(), Vec::new(), [0; PARAMS]);
        let functions = Indices::first(functions).iter().map(of).collect();
        VisitRecorder {
            functions,
            open: Vec::new(),
            arguments,
            footprint,
            reads,
            visits,
            room,
            share: room / SHARE,
        }
    }

    /// Runs an entry like [`execute::entry`], on a machine that has loaded the program. Returns no calls if there
    /// are too many visits.
    pub fn entry(
        self,
        machine: &mut Machine,
        program: &Executable,
        (domain, fuel): (&Domain, u32),
        watch: &dyn Watch,
    ) -> (Tally, Option<EntryCalls>) {
        let mut recording = Some(self);
        let tally = execute::tally(domain, watch, |input| {
            let Some(recorder) = &mut recording else { return domain.run(machine, program, input, fuel) };
            let record = domain.observe(machine, program, (input, fuel), recorder);
            if recorder.close(input, record.steps).is_none() {
                recording = None;
            }
            record
        });
        (tally, recording.map(|recorder| recorder.functions))
    }

    /// Ends the run of an input. Returns `None` if there are too many visits.
    fn close(&mut self, input: InputId, steps: u32) -> Option<()> {
        // Calls that are still active after a trap have no known result.
        for open in self.open.drain(..) {
            let function = self.functions.get_mut(open.function.position());
            if let Some(entered) = function.and_then(|function| function.entered.as_mut()) {
                entered.crowded = true;
            }
        }
        self.arguments.clear();
        for function in self.functions.iter_mut().filter(|function| function.entered.is_some()) {
            self.visits = self.visits.checked_sub(1)?;
            self.room += function.close(input, steps);
        }
        Some(())
    }
}

impl Recorded {
    pub fn words(&self, range: &Range<u32>) -> &[u32] {
        &self.words[range.start as usize..range.end as usize]
    }

    /// Returns the space used by its calls.
    fn kept(&self) -> usize {
        self.words.len() + self.uses.len() + 2 * self.calls.len()
    }

    /// Ends the visit of an input and returns the space that becomes free. Calls of an input that makes too
    /// many are dropped.
    fn close(&mut self, input: InputId, steps: u32) -> usize {
        let Some(entered) = self.entered.take() else { return 0 };
        self.active = 0;
        let before = self.kept();
        for own in &self.uses[entered.uses as usize..] {
            self.used[own.call as usize] = u32::MAX;
        }
        if entered.crowded {
            self.crowded += 1;
            self.uses.truncate(entered.uses as usize);
            for call in self.calls.drain(entered.calls as usize..).rev() {
                self.known.take_back(call.hash);
            }
            self.words.truncate(entered.words as usize);
            self.used.truncate(entered.calls as usize);
        }
        let uses = entered.uses..self.uses.len() as u32;
        self.visits.push(Visit { oracle: 0, input, steps, uses });
        before - self.kept()
    }

    /// Records an outer call, unless the limits are reached.
    fn note(&mut self, call: Ended, entered: Entered, room: &mut usize, share: usize) {
        let Ended { arguments, footprint, result, steps } = call;
        let hash = hash(if footprint.is_empty() { arguments } else { footprint });
        let found = self.known.find(hash, |call| {
            self.calls.get(call as usize).is_some_and(|call| call.is(&self.words, arguments, footprint))
        });
        if let Some(call) = found.and_then(|call| self.calls.get_mut(call as usize))
            && !footprint.is_empty()
        {
            call.alike &= call.has(&self.words, arguments);
        }
        let used = found.and_then(|call| self.used.get(call as usize)).copied().unwrap_or(u32::MAX);
        if let Some(own) = self.uses.get_mut(used as usize) {
            own.times += 1;
            return;
        }
        let words = arguments.len() + footprint.len() + result.len();
        let more = if found.is_some() { 1 } else { 3 + words };
        let most = self.uses.len() - entered.uses as usize == CROWD || self.kept() + more > share;
        let Some(left) = room.checked_sub(more).filter(|_| !most) else {
            self.entered = Some(Entered { crowded: true, ..entered });
            return;
        };
        *room = left;
        let call = found.unwrap_or_else(|| {
            let mut copied = |from: &[u32]| {
                let start = self.words.len() as u32;
                self.words.extend_from_slice(from);
                start..self.words.len() as u32
            };
            let [arguments, footprint, result] = [arguments, footprint, result].map(&mut copied);
            self.calls.push(VisitCall { arguments, footprint, result, steps, hash, alike: true });
            self.used.push(u32::MAX);
            self.known.add(hash)
        });
        self.used[call as usize] = self.uses.len() as u32;
        self.uses.push(Use { call, times: 1 });
    }
}

impl RunObserver for VisitRecorder {
    const ON: bool = true;
    const READS: bool = true;

    fn called(&mut self, call: CallEvent) {
        let VisitRecorder { functions, open, arguments, .. } = self;
        let mut next = Open { function: call.function, arguments: None, left: call.left };
        let Some(function) = functions.get_mut(call.function.position()) else { return open.push(next) };
        function.active += 1;
        let (uses, calls, words) = (function.uses.len(), function.calls.len(), function.words.len());
        let entered = *function.entered.get_or_insert(Entered {
            uses: uses as u32,
            calls: calls as u32,
            words: words as u32,
            crowded: function.crowded >= CROWDED,
        });
        if function.active == 1 && !entered.crowded {
            (function.origin, function.depth) =
                (function.origin.max(call.origin), function.depth.max(call.depth));
            next.arguments = Some(arguments.len());
            call.arguments(arguments);
        }
        open.push(next);
    }

    fn read(&mut self, reads: &Reads) {
        self.reads = *reads;
    }

    fn returned(&mut self, result: &[u32], left: u32) {
        let VisitRecorder { functions, open, arguments, footprint, reads, room, share, .. } = self;
        let Some(Open { function, arguments: begin, left: before }) = open.pop() else { return };
        let Some(function) = functions.get_mut(function.position()) else { return };
        function.active -= 1;
        let Some(begin) = begin else { return };
        // The limit may have been reached since the call began.
        if let Some(entered) = function.entered.filter(|entered| !entered.crowded) {
            let arguments = arguments.get(begin..).unwrap_or_default();
            footprint.clear();
            function.params.footprint(arguments, reads, footprint);
            let call = Ended { arguments, footprint, result, steps: before - left };
            function.note(call, entered, room, *share);
        }
        arguments.truncate(begin);
    }
}
