//! The inputs of a property: all values of a small domain, or a fixed sample of a larger one.
//!
//! Each input is a pure function of its index, so all engines check the same inputs in any order. All inputs
//! of a domain differ.

mod sample;

use super::machine::{Machine, Record, RunObserver, Start};
use crate::compiler::program::{Binders, Executable, Routines};
use crate::lang::index::{Index, Indices, InputId, RoutineId};
use crate::lang::limits;
use sample::InputSample;

/// Sizes above this number count as this number.
const SIZE_CAP: u32 = limits::INPUTS + 1;

/// The most words of a frame that are prepared.
const MOST_PREPARED: usize = 16;

/// A 32-bit finalizer (Chris Wellons, "lowbias32").
pub fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// Size of the largest domain that is tried completely; larger ones are sampled `samples` times. The limit is
/// `samples` and an eighth: the few extra inputs cost little.
pub const fn max_exhaustive_size(samples: u32) -> u32 {
    let most = samples.saturating_add(samples / 8);
    if most < limits::INPUTS { most } else { limits::INPUTS }
}

/// The values of a binder, and the offset of its value in the frame.
#[derive(Clone, Debug)]
struct Binder {
    lo: u32,
    /// Number of ints between the bounds.
    range: u32,
    /// Whether it is a list and not an int.
    list: bool,
    /// The greatest length of a list.
    max_len: u32,
    /// Number of values, at most [`SIZE_CAP`].
    size: u32,
    slot: usize,
}

/// The inputs of a test or property.
#[derive(Clone, Debug)]
pub struct Domain {
    pub routine: RoutineId,
    binders: Vec<Binder>,
    inputs: u32,
    /// `None` if every value of the domain is an input.
    sample: Option<InputSample>,
    /// The first words of the frame for each input, once prepared.
    prepared: Vec<u32>,
    /// Words of the frame that an input takes.
    words: usize,
}

impl Domain {
    /// Creates the domain of a routine, with `samples` inputs if it is large. A test has one input without
    /// values.
    pub fn new(routines: &Routines, binders: &Binders, routine: RoutineId, samples: u32) -> Domain {
        let samples = samples.min(limits::INPUTS);
        let (list, words, size) = Domain::binders(routines, binders, routine);
        let sample = (size > max_exhaustive_size(samples)).then(|| InputSample::new(&list));
        let inputs = if sample.is_none() { size } else { samples };
        Domain { routine, binders: list, inputs, sample, prepared: Vec::new(), words }
    }

    /// Returns the number of values of a routine's domain, at most [`limits::INPUTS`] and one more.
    pub fn size(routines: &Routines, binders: &Binders, routine: RoutineId) -> u32 {
        Domain::binders(routines, binders, routine).2
    }

    /// Returns the binders of a routine, the words that they take and the number of their values.
    fn binders(routines: &Routines, binders: &Binders, routine: RoutineId) -> (Vec<Binder>, usize, u32) {
        let first = routines.binders[routine.position()] as usize;
        let (mut slot, mut size) = (0, 1);
        let mut list = Vec::new();
        for row in first..first + routines.params[routine.position()] as usize {
            let binder = Binder::new(binders, row, slot);
            slot += 1 + binders.capacity(row) as usize;
            size = times(size, binder.size);
            list.push(binder);
        }
        (list, slot, size)
    }

    /// Precomputes the frames of all inputs if they are small, to speed up repeated calls of [`Self::write`].
    pub fn prepare(&mut self) {
        if self.prepared.is_empty() && self.words <= MOST_PREPARED {
            let mut prepared = vec![0; self.words * self.inputs as usize];
            for (input, frame) in InputId::all().zip(prepared.chunks_exact_mut(self.words.max(1))) {
                self.write(input, frame);
            }
            self.prepared = prepared;
        }
    }

    /// Returns the inputs, which all differ.
    pub fn inputs(&self) -> Indices<InputId> {
        Indices::first(self.inputs)
    }

    /// Returns whether every value of the domain is an input.
    pub fn exhaustive(&self) -> bool {
        self.sample.is_none()
    }

    /// Returns the offset of a binder's value in the frame, and whether it is a list.
    pub fn place(&self, binder: usize) -> Option<(usize, bool)> {
        self.binders.get(binder).map(|b| (b.slot, b.list))
    }

    /// Runs the test or property on an input, on a machine that has loaded the program.
    pub fn run(&self, machine: &mut Machine, program: &Executable, input: InputId, fuel: u32) -> Record {
        self.write(input, machine.frame());
        machine.run(program, self.routine, fuel, 0)
    }

    /// Like [`Self::run`], but reports to an observer.
    pub fn observe(
        &self,
        machine: &mut Machine,
        program: &Executable,
        (input, fuel): (InputId, u32),
        observer: &mut impl RunObserver,
    ) -> Record {
        self.write(input, machine.frame());
        machine.run_before(program, Start { routine: self.routine, fuel, depth: 0, origin: 0 }, observer)
    }

    /// Writes an input's values to the start of a frame. Values that do not fit are omitted: a run with such
    /// a frame traps before it reads them.
    pub fn write(&self, input: InputId, frame: &mut [u32]) {
        let from = self.words * input.position();
        if let Some(words) = self.prepared.get(from..from + self.words)
            && let Some(frame) = frame.get_mut(..self.words)
        {
            return frame.copy_from_slice(words);
        }
        if let Some(sample) = &self.sample {
            return sample.write(&self.binders, input, frame);
        }
        let mut rest = input.number();
        for binder in self.binders.iter().rev() {
            if binder.fits(frame) {
                binder.write_nth(rest % binder.size, frame);
            }
            rest /= binder.size;
        }
    }
}

impl Binder {
    fn new(binders: &Binders, row: usize, slot: usize) -> Binder {
        let (lo, hi, longest) = (binders.lo[row], binders.hi[row], binders.longest(row));
        let (list, max_len) = (longest.is_some(), longest.unwrap_or(0));
        let range = if (hi as i32) > (lo as i32) { hi.wrapping_sub(lo) } else { 0 };
        let step = range.min(SIZE_CAP);
        let size = if !list {
            step
        } else {
            let (mut power, mut sum) = (1, 1);
            for _ in 0..max_len {
                power = times(power, step);
                sum = (sum + power).min(SIZE_CAP);
            }
            sum
        };
        Binder { lo, range, list, max_len, size, slot }
    }

    fn fits(&self, frame: &[u32]) -> bool {
        self.slot + (self.max_len as usize) < frame.len()
    }

    /// Writes the value with this index among all values of the binder, in order.
    fn write_nth(&self, mut index: u32, frame: &mut [u32]) {
        if !self.list {
            frame[self.slot] = self.lo.wrapping_add(index);
            return;
        }
        let (mut length, mut count) = (0, 1);
        while index >= count {
            index -= count;
            length += 1;
            count *= self.range;
        }
        frame[self.slot] = length;
        for element in (0..length as usize).rev() {
            frame[self.slot + 1 + element] = self.lo.wrapping_add(index % self.range);
            index /= self.range;
        }
    }
}

/// The product of two sizes, at most [`SIZE_CAP`].
fn times(a: u32, b: u32) -> u32 {
    a.saturating_mul(b).min(SIZE_CAP)
}
