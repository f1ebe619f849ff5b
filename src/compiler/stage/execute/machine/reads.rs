//! Records which elements of their list parameters calls read, if a witness requires it.
//!
//! Only lists passed by reference are tracked by element. A call may change other lists, so these count as
//! read completely.

use super::Callee;
use crate::lang::limits::{CALL_DEPTH, PARAMS};

/// The most frames that can be active.
const FRAMES: usize = CALL_DEPTH as usize + 1;

/// For each parameter, a bit set of the elements read; 0 for an int or bool.
pub type Reads = [u64; PARAMS];

/// The set of all elements.
pub const ALL: u64 = u64::MAX;

#[derive(Clone, Copy, Debug)]
struct ReadFrame {
    reads: Reads,
    /// Bit set of the parameters that are references passed on by the caller, and for each the caller's
    /// parameter.
    passed: u16,
    of: [u8; PARAMS],
}

/// The reads in all active frames, indexed by call depth.
#[derive(Clone, Debug)]
pub(super) struct ReadTracker {
    frames: Box<[ReadFrame; FRAMES]>,
}

impl Default for ReadTracker {
    fn default() -> ReadTracker {
        ReadTracker { frames: Box::new([ReadFrame { reads: [0; PARAMS], passed: 0, of: [0; PARAMS] }; FRAMES]) }
    }
}

impl ReadTracker {
    /// Allocated bytes.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.frames) as u64
    }

    /// Returns the reads of the frame at a depth.
    pub fn of(&self, depth: usize) -> &Reads {
        &self.frames[depth.min(FRAMES - 1)].reads
    }

    fn frame(&mut self, depth: usize) -> &mut ReadFrame {
        &mut self.frames[depth.min(FRAMES - 1)]
    }

    /// Opens a frame. `references` is the bit set of its parameters that are references.
    pub fn open(&mut self, depth: usize, references: u16, callee: &Callee) {
        let ReadFrame { reads, passed, .. } = self.frame(depth);
        *passed = 0;
        for (param, capacity) in callee.places().iter().enumerate() {
            reads[param] = if *capacity == 0 || references >> param & 1 != 0 { 0 } else { ALL };
        }
    }

    /// Records that a frame passes one of its references on to a parameter of the frame above it. `copied`
    /// means that the list was copied, so all of it was read.
    pub fn pass(&mut self, depth: usize, reference: u8, (param, copied): (usize, bool)) {
        let callee = self.frame(depth + 1);
        callee.passed |= 1 << (param % PARAMS);
        callee.of[param % PARAMS] = reference;
        if copied {
            self.read_all(depth, reference);
        }
    }

    /// Records that an element of a frame's reference is read.
    pub fn read(&mut self, depth: usize, reference: u8, index: u32) {
        self.frame(depth).reads[usize::from(reference) % PARAMS] |= 1u64.wrapping_shl(index);
    }

    /// Records that all elements of a frame's reference are read.
    pub fn read_all(&mut self, depth: usize, reference: u8) {
        self.frame(depth).reads[usize::from(reference) % PARAMS] = ALL;
    }

    /// Records that everything in some frames is read.
    pub fn read_everything(&mut self, depths: std::ops::RangeInclusive<usize>) {
        depths.for_each(|depth| self.frame(depth).reads = [ALL; PARAMS]);
    }

    /// Closes a frame, and adds its reads of passed-on references to the caller's.
    pub fn close(&mut self, depth: usize) {
        let Some(caller) = depth.checked_sub(1) else { return };
        let mut passed = self.frame(depth).passed;
        while passed != 0 {
            let ReadFrame { reads, of, .. } = self.frame(depth);
            let param = passed.trailing_zeros() as usize % PARAMS;
            let (read, reference) = (reads[param], usize::from(of[param]));
            self.frame(caller).reads[reference % PARAMS] |= read;
            passed &= passed - 1;
        }
    }
}
