//! The steps of a run, in room that is made once.

use std::ops::Deref;

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

/// Steps in their order. The room is words of zeros at first, which take no memory before somebody writes to them; so a step is written to its
/// place, and nothing grows while a run is made.
#[derive(Debug, Default)]
pub struct Steps {
    room: Vec<[u32; size_of::<Step>() / size_of::<u32>()]>,
    len: usize,
}

impl Steps {
    /// Room for so many steps, in that of others if there is enough.
    pub fn within(other: Steps, most: usize) -> Steps {
        let enough = other.room.len() >= most;
        let room = if enough { other.room } else { vec![Default::default(); most] };
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

impl Deref for Steps {
    type Target = [Step];

    fn deref(&self) -> &[Step] {
        bytemuck::cast_slice(&self.room[..self.len])
    }
}
