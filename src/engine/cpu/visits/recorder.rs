//! Runs an oracle on the base and notes what it does with each function.

use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Call, Known, Use, Visit};
use crate::engine::oracles::Oracle;
use crate::program::Executable;
use crate::stage::execute::{Called, Machine, Start, Witness};

/// Different calls of one function that are kept of one input.
const CROWD: usize = 256;

/// What one oracle does with one function.
#[derive(Default)]
pub struct Recorded {
    pub visits: Vec<Visit>,
    pub uses: Vec<Use>,
    pub calls: Vec<Call>,
    pub words: Vec<u32>,
    pub known: Known,
    pub origin: u32,
    pub depth: u32,
    /// Calls of it that are active.
    active: u32,
    /// Of each call where its use stands, if that is of the input that runs.
    used: Vec<u32>,
    /// The input that runs enters it: its first use, and whether there are too many.
    entered: Option<(u32, bool)>,
}

/// A call that has not ended.
struct Open {
    function: u32,
    /// Its place among the calls where it is to be noted.
    call: Option<u32>,
    left: u32,
}

/// Notes the calls of one oracle's runs.
pub struct Recorder {
    functions: Vec<Recorded>,
    open: Vec<Open>,
    arguments: Vec<u32>,
    /// What may still be kept.
    room: usize,
}

impl Recorder {
    pub fn new(functions: u32, room: usize) -> Recorder {
        let functions = (0..functions).map(|_| Recorded::default()).collect();
        Recorder { functions, open: Vec::new(), arguments: Vec::new(), room }
    }

    /// Runs all inputs of an oracle. `None` if that was stopped, or if there is too much to be kept.
    pub fn oracle(
        mut self,
        machine: &mut Machine,
        program: &Executable,
        oracle: &Oracle,
        stop: &AtomicBool,
    ) -> Option<Vec<Recorded>> {
        machine.load(program);
        for input in 0..oracle.domain.inputs() {
            if stop.load(Ordering::Relaxed) {
                return None;
            }
            oracle.domain.write(input, machine.frame());
            let start = Start { routine: oracle.routine, fuel: oracle.fuel, depth: 0, origin: 0 };
            let record = machine.run_before(program, start, &mut self);
            for function in &mut self.functions {
                self.room = self.room.checked_sub(function.close(input, record.steps))?;
            }
        }
        Some(self.functions)
    }
}

impl Recorded {
    pub fn words(&self, range: &Range<u32>) -> &[u32] {
        &self.words[range.start as usize..range.end as usize]
    }

    /// Ends the visit of an input, if it is one, and tells how much more is kept.
    fn close(&mut self, input: u32, steps: u32) -> usize {
        let Some((first, crowded)) = self.entered.take() else { return 0 };
        for own in &self.uses[first as usize..] {
            self.used[own.call as usize] = u32::MAX;
        }
        if crowded {
            self.uses.truncate(first as usize);
        }
        let uses = first..self.uses.len() as u32;
        let kept = 1 + uses.len();
        self.visits.push(Visit { oracle: 0, input, steps, uses });
        kept
    }
}

impl Witness for Recorder {
    const ON: bool = true;

    fn called(&mut self, call: Called) {
        let Recorder { functions, open, arguments, room } = self;
        let mut next = Open { function: call.function, call: None, left: call.left };
        let Some(function) = functions.get_mut(call.function as usize) else { return open.push(next) };
        function.active += 1;
        let (first, crowded) = *function.entered.get_or_insert((function.uses.len() as u32, false));
        if function.active == 1 && !crowded {
            (function.origin, function.depth) =
                (function.origin.max(call.origin), function.depth.max(call.depth));
            arguments.clear();
            call.arguments(arguments);
            let found = match function.known.get(arguments) {
                Some(found) => *found,
                None => {
                    let new = function.calls.len() as u32;
                    let start = function.words.len() as u32;
                    function.words.extend_from_slice(arguments);
                    let end = function.words.len() as u32;
                    function.calls.push(Call { arguments: start..end, result: end..end, steps: 0 });
                    function.used.push(u32::MAX);
                    function.known.insert(arguments.clone(), new);
                    *room = room.saturating_sub(2 + arguments.len());
                    next.call = Some(new);
                    new
                }
            };
            let used = &mut function.used[found as usize];
            if let Some(own) = function.uses.get_mut(*used as usize) {
                own.times += 1;
            } else if function.uses.len() - first as usize == CROWD || *room == 0 {
                function.entered = Some((first, true));
            } else {
                *used = function.uses.len() as u32;
                function.uses.push(Use { call: found, times: 1 });
            }
        }
        open.push(next);
    }

    fn returned(&mut self, result: &[u32], left: u32) {
        let Some(Open { function, call, left: before }) = self.open.pop() else { return };
        let Some(function) = self.functions.get_mut(function as usize) else { return };
        function.active -= 1;
        if let Some(call) = call.and_then(|call| function.calls.get_mut(call as usize)) {
            let start = function.words.len() as u32;
            function.words.extend_from_slice(result);
            call.result = start..function.words.len() as u32;
            call.steps = before - left;
            self.room = self.room.saturating_sub(result.len());
        }
    }
}
