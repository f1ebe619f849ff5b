//! The steps of a run, in a buffer that is allocated once.

use std::ops::Deref;

use bytemuck::allocation::try_zeroed_slice_box;

use crate::lang::index::{Address, CallId, Index, Position, RoutineId};

/// The machine's state immediately before a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct TraceStep {
    /// Address of the instruction.
    pub pc: u32,
    /// The topmost word of memory.
    pub top: u32,
    /// The index in memory at which the frame begins.
    pub fp: u16,
    /// The number of words of all frames and operands.
    pub sp: u16,
    /// The word below the topmost one, saturated to 16 bits. This suffices for the index of an element.
    pub below: u16,
    /// The number of active calls.
    pub depth: u16,
}

const _: () = assert!(size_of::<TraceStep>() == 16);

impl TraceStep {
    pub fn address(&self) -> Address {
        Address::new(self.pc)
    }
}

type Words = [u32; size_of::<TraceStep>() / size_of::<u32>()];

/// The size in bytes of the smallest page of any system.
const PAGE: usize = 4_096;

/// The steps in order. The buffer is zeroed memory, which takes no physical memory before its first use. Each step is
/// written to its place, so nothing grows during a run.
#[derive(Debug, Default)]
pub struct Steps {
    room: Vec<Words>,
    len: usize,
}

impl Steps {
    /// Returns a buffer for `most` steps, or fewer if memory is short. Reuses the buffer of `other` if it is large
    /// enough.
    pub fn within(other: Steps, most: usize) -> Steps {
        let enough = other.room.len() >= most;
        let room = if enough { other.room } else { zeros(most) };
        Steps { room, len: 0 }
    }

    /// Returns a buffer for `most` steps, or fewer if memory is short. Writes to each page once.
    pub fn ready(most: usize) -> Steps {
        let mut room = zeros(most);
        // The black box keeps the compiler from removing writes of zeros over zeros.
        for page in std::hint::black_box(&mut room[..]).chunks_mut(PAGE / size_of::<Words>()) {
            page[0] = Words::default();
        }
        Steps { room, len: 0 }
    }

    /// Writes the step with a number, which becomes the last one. Does nothing if there is no room.
    pub fn put(&mut self, number: usize, step: TraceStep) {
        if let Some(place) = self.room.get_mut(number) {
            *bytemuck::cast_mut(place) = step;
            self.len = number + 1;
        }
    }

    /// Returns the capacity in steps.
    pub fn room(&self) -> usize {
        self.room.len()
    }

    /// Returns a copy of the steps without spare capacity.
    pub fn fitted(&self) -> Steps {
        Steps { room: self.room[..self.len].to_vec(), len: self.len }
    }
}

/// Returns `most` zeroed steps. If the system refuses this much memory, tries half, and so on.
fn zeros(most: usize) -> Vec<Words> {
    let halves = std::iter::successors(Some(most), |count| Some(count / 2));
    let room = halves.take_while(|count| *count > 0).find_map(|count| try_zeroed_slice_box(count).ok());
    room.map_or_else(Vec::new, Vec::from)
}

impl Deref for Steps {
    type Target = [TraceStep];

    fn deref(&self) -> &[TraceStep] {
        bytemuck::cast_slice(&self.room[..self.len])
    }
}

/// A call in a run. The first call is the run itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Call {
    pub function: RoutineId,
    pub parent: Option<CallId>,
    /// The first step of the call. The step before it is the `CALL`.
    pub start: Position,
    /// The step after the last one, in the caller; `None` if the call did not end.
    pub end: Option<Position>,
    /// The number of calls within, at any depth and including this one. The caller's next call has this distance in the
    /// list.
    pub size: u32,
    /// The number of calls that it made directly.
    pub children: u32,
    /// The caller's previous call, and the number of calls that the caller made before.
    pub previous: Option<CallId>,
    pub nth: u32,
}

impl Call {
    pub fn ends_by(&self, position: Position) -> bool {
        self.end.is_some_and(|end| end <= position)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Requests more steps than any memory holds. The buffer is smaller, and the program does not abort.
    #[test]
    fn step_buffer_shrinks_if_memory_is_refused() {
        let steps = Steps::within(Steps::default(), 1 << 46);
        assert!((1..1 << 46).contains(&steps.room()), "{}", steps.room());
    }

    /// A buffer of less than a page or of many pages holds its number of steps and returns them unchanged.
    #[test]
    fn step_buffer_holds_its_requested_number_of_steps() {
        for most in [0, 1, 255, 256, 257, 300_000] {
            for empty in [Steps::ready(most), Steps::within(Steps::default(), most)] {
                let mut steps = Steps::within(empty, most);
                assert_eq!((steps.room(), steps.len()), (most, 0));
                let step =
                    |number: usize| TraceStep { pc: number as u32, top: 7, fp: 1, sp: 2, below: 3, depth: 4 };
                for number in 0..=most {
                    steps.put(number, step(number));
                }
                assert!(steps.iter().enumerate().all(|(number, own)| *own == step(number)));
                assert_eq!(steps.len(), most, "there is no room for one more");
            }
        }
    }
}
