//! Records a run while it is made: 16 bytes per step, the memory at keyframes, and the calls.

use super::buffers::TraceBuffers;
use super::steps::{Call, Steps, TraceStep};
use crate::compiler::stage::execute::{CallEvent, RunObserver, StepState};
use crate::lang::index::{CallId, Index, Position, RoutineId};

/// The number of steps between two keyframes, which bounds the steps repeated to compute a state.
pub const KEYFRAME: usize = 4_096;

pub struct TraceRecorder {
    pub steps: Steps,
    pub calls: Vec<Call>,
    /// The memory at each keyframe, concatenated.
    pub words: Vec<u32>,
    /// The end of each keyframe in `words`.
    pub ends: Vec<u32>,
    /// The active calls, each with the last call that it made.
    open: Vec<(CallId, Option<CallId>)>,
    /// The maximum number of steps: the limit, or the available room if that is less.
    pub(super) fuel: u32,
    /// The call depth at which the run begins.
    bottom: u32,
}

impl TraceRecorder {
    /// Creates a recorder for a run of `routine` with at most `fuel` steps. Reuses `room` if it is large enough. If
    /// memory is short, the fuel is reduced to the steps that can be recorded.
    pub fn new(routine: RoutineId, fuel: u32, bottom: u32, room: TraceBuffers) -> TraceRecorder {
        let steps = Steps::within(room.steps, fuel as usize);
        let fuel = fuel.min(u32::try_from(steps.room()).unwrap_or(u32::MAX));
        let mut recorder = TraceRecorder {
            steps,
            calls: room.calls,
            words: Vec::new(),
            ends: Vec::new(),
            open: Vec::new(),
            fuel,
            bottom,
        };
        recorder.enter(routine);
        recorder
    }

    /// Returns the number of active calls, not counting the run itself.
    pub(super) fn active(&self) -> u16 {
        self.open.len().saturating_sub(1) as u16
    }

    pub(super) fn enter(&mut self, function: RoutineId) {
        let id = CallId::at(self.calls.len());
        let (mut parent, mut previous, mut nth) = (None, None, 0);
        if let Some((caller, last)) = self.open.last_mut() {
            (parent, previous) = (Some(*caller), last.replace(id));
            if let Some(call) = self.calls.get_mut(caller.position()) {
                nth = call.children;
                call.children += 1;
            }
        }
        let start = Position::at(self.steps.len());
        self.calls.push(Call { function, parent, start, end: None, size: 0, children: 0, previous, nth });
        self.open.push((id, None));
    }

    pub(super) fn leave(&mut self, end: Option<Position>) {
        let Some((id, _)) = self.open.pop() else { return };
        let size = self.calls.len() as u32 - id.number();
        if let Some(call) = self.calls.get_mut(id.position()) {
            (call.end, call.size) = (end, size);
        }
    }

    /// Ends the recording. `ended` says whether the run returned a value.
    pub fn finish(&mut self, ended: bool) {
        while !self.open.is_empty() {
            let outermost = self.open.len() == 1;
            self.leave((ended && outermost).then(|| Position::at(self.steps.len())));
        }
    }

    #[cold]
    pub(super) fn keyframe(&mut self, words: &[u32]) {
        self.words.extend_from_slice(words);
        self.ends.push(self.words.len() as u32);
    }
}

impl RunObserver for TraceRecorder {
    const ON: bool = true;
    const STEPS: bool = true;

    fn called(&mut self, call: CallEvent) {
        self.enter(call.function);
    }

    fn returned(&mut self, _: &[u32], _: u32) {
        self.leave(Some(Position::at(self.steps.len())));
    }

    fn step(&mut self, now: StepState) {
        let number = self.fuel.wrapping_sub(now.left + 1) as usize;
        if number.is_multiple_of(KEYFRAME) {
            self.keyframe(now.words());
        }
        let step = TraceStep {
            pc: now.pc as u32,
            top: now.operand(0),
            fp: now.fp as u16,
            sp: now.sp as u16,
            below: now.operand(1).min(u16::MAX.into()) as u16,
            depth: (now.depth as u32).saturating_sub(self.bottom) as u16,
        };
        self.steps.put(number, step);
    }
}
