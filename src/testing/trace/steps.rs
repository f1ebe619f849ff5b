//! The steps of a run, in room that is made once.

use std::ops::Deref;

use bytemuck::allocation::try_zeroed_slice_box;

/// A step as it is about to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, bytemuck::Pod, bytemuck::Zeroable)]
#[repr(C)]
pub struct Step {
    /// Address of the instruction.
    pub pc: u32,
    /// The topmost word of the memory.
    pub top: u32,
    /// Where the frame begins in the memory.
    pub fp: u16,
    /// Words of all frames and operands.
    pub sp: u16,
    /// The word below the topmost one, as far as 16 bits hold it: enough for the index of an element.
    pub below: u16,
    /// Calls that are active.
    pub depth: u16,
}

const _: () = assert!(size_of::<Step>() == 16);

/// The words of a step.
type Words = [u32; size_of::<Step>() / size_of::<u32>()];

/// Bytes of the smallest pages that there are.
const PAGE: usize = 4_096;

/// Steps in their order. The room is words of zeros at first, which take no memory before somebody writes to them; so a step is written to its
/// place, and nothing grows while a run is made.
#[derive(Debug, Default)]
pub struct Steps {
    room: Vec<Words>,
    len: usize,
}

impl Steps {
    /// Room for `most` steps, or for fewer where memory is short. The room of `other` is used if it is large enough.
    pub fn within(other: Steps, most: usize) -> Steps {
        let enough = other.room.len() >= most;
        let room = if enough { other.room } else { zeros(most) };
        Steps { room, len: 0 }
    }

    /// Room for `most` steps, or for fewer where memory is short. Each of its pages is written to once.
    pub fn ready(most: usize) -> Steps {
        let mut room = zeros(most);
        // Zeros over zeros are left out where the compiler knows that they are.
        for page in std::hint::black_box(&mut room[..]).chunks_mut(PAGE / size_of::<Words>()) {
            page[0] = Words::default();
        }
        Steps { room, len: 0 }
    }

    /// Writes the step with a number, which is the last one then; none for which there is no room.
    pub fn put(&mut self, number: usize, step: Step) {
        if let Some(place) = self.room.get_mut(number) {
            *bytemuck::cast_mut(place) = step;
            self.len = number + 1;
        }
    }

    /// How many there is room for.
    pub fn room(&self) -> usize {
        self.room.len()
    }

    /// The same steps in no more room than they need.
    pub fn fitted(&self) -> Steps {
        Steps { room: self.room[..self.len].to_vec(), len: self.len }
    }
}

/// `most` zeroed steps; where the system refuses that much memory, half as many, and so on.
fn zeros(most: usize) -> Vec<Words> {
    let halves = std::iter::successors(Some(most), |count| Some(count / 2));
    let room = halves.take_while(|count| *count > 0).find_map(|count| try_zeroed_slice_box(count).ok());
    room.map_or_else(Vec::new, Vec::from)
}

impl Deref for Steps {
    type Target = [Step];

    fn deref(&self) -> &[Step] {
        bytemuck::cast_slice(&self.room[..self.len])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// More steps than any memory holds: the room is smaller, and nothing is aborted.
    #[test]
    fn room_shrinks_where_memory_is_refused() {
        let steps = Steps::within(Steps::default(), 1 << 46);
        assert!((1..1 << 46).contains(&steps.room()), "{}", steps.room());
    }

    /// Whatever room there is, of less than a page or of many, it holds as many steps and gives them back.
    #[test]
    fn room_made_ready_is_room() {
        for most in [0, 1, 255, 256, 257, 300_000] {
            for empty in [Steps::ready(most), Steps::within(Steps::default(), most)] {
                let mut steps = Steps::within(empty, most);
                assert_eq!((steps.room(), steps.len()), (most, 0));
                let step = |number: usize| Step { pc: number as u32, top: 7, fp: 1, sp: 2, below: 3, depth: 4 };
                for number in 0..=most {
                    steps.put(number, step(number));
                }
                assert!(steps.iter().enumerate().all(|(number, own)| *own == step(number)));
                assert_eq!(steps.len(), most, "there is no room for one more");
            }
        }
    }
}
