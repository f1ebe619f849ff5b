//! What calls read of their lists, for a witness that asks for it.
//!
//! Only lists that are passed by reference are looked at so closely, since a call may change others; of those all counts as read.

use super::Callee;
use crate::lang::limits::{CALL_DEPTH, PARAMS};

/// Frames that may be open.
const FRAMES: usize = CALL_DEPTH as usize + 1;

/// Which elements of each parameter were read, by its place; of an int or bool none.
pub type Reads = [u64; PARAMS];

/// All elements.
pub const ALL: u64 = u64::MAX;

#[derive(Clone, Copy, Debug)]
struct Frame {
    reads: Reads,
    /// Which parameters are references of the caller, and which of its parameters each of them is.
    passed: u16,
    of: [u8; PARAMS],
}

/// What was read in the frames that are open, by the number of calls that are active.
#[derive(Clone, Debug)]
pub(super) struct Readings {
    frames: Box<[Frame; FRAMES]>,
}

impl Default for Readings {
    fn default() -> Readings {
        Readings { frames: Box::new([Frame { reads: [0; PARAMS], passed: 0, of: [0; PARAMS] }; FRAMES]) }
    }
}

impl Readings {
    /// Bytes that they take, as allocated.
    pub fn bytes(&self) -> u64 {
        size_of_val(&*self.frames) as u64
    }

    /// What a frame has read.
    pub fn of(&self, depth: usize) -> &Reads {
        &self.frames[depth.min(FRAMES - 1)].reads
    }

    fn frame(&mut self, depth: usize) -> &mut Frame {
        &mut self.frames[depth.min(FRAMES - 1)]
    }

    /// A frame is opened, some of whose parameters are references.
    pub fn open(&mut self, depth: usize, references: u16, callee: &Callee) {
        let Frame { reads, passed, .. } = self.frame(depth);
        *passed = 0;
        for (param, capacity) in callee.places().iter().enumerate() {
            reads[param] = if *capacity == 0 || references >> param & 1 != 0 { 0 } else { ALL };
        }
    }

    /// A frame passes one of its references on, as a parameter of the frame that was opened above it; this one may copy it.
    pub fn pass(&mut self, depth: usize, reference: u8, (param, copied): (usize, bool)) {
        let callee = self.frame(depth + 1);
        callee.passed |= 1 << (param % PARAMS);
        callee.of[param % PARAMS] = reference;
        if copied {
            self.read_all(depth, reference);
        }
    }

    /// An element of a frame's reference is read.
    pub fn read(&mut self, depth: usize, reference: u8, index: u32) {
        self.frame(depth).reads[usize::from(reference) % PARAMS] |= 1u64.wrapping_shl(index);
    }

    /// A frame's reference is read as a whole.
    pub fn read_all(&mut self, depth: usize, reference: u8) {
        self.frame(depth).reads[usize::from(reference) % PARAMS] = ALL;
    }

    /// Whatever frames hold counts as read.
    pub fn read_everything(&mut self, depths: std::ops::RangeInclusive<usize>) {
        depths.for_each(|depth| self.frame(depth).reads = [ALL; PARAMS]);
    }

    /// A frame returns: what it has read of the caller's references the caller has read.
    pub fn close(&mut self, depth: usize) {
        let Some(caller) = depth.checked_sub(1) else { return };
        let mut passed = self.frame(depth).passed;
        while passed != 0 {
            let Frame { reads, of, .. } = self.frame(depth);
            let param = passed.trailing_zeros() as usize % PARAMS;
            let (read, reference) = (reads[param], usize::from(of[param]));
            self.frame(caller).reads[reference % PARAMS] |= read;
            passed &= passed - 1;
        }
    }
}
