//! The inputs of a property: all of a small domain, a fixed draw from a larger one.
//!
//! Each input is a pure function of its index, so that every engine, in any order, checks the same ones.

use crate::program::{Binders, Routines};

/// Sizes are computed up to this, so that a product of two fits a word.
pub const SIZE_CAP: u32 = 65_535;
/// The fixed seed of sampled inputs.
const SEED: u32 = 0x6d79_7269;

/// A 32-bit finalizer (Chris Wellons, "lowbias32").
pub fn mix(mut x: u32) -> u32 {
    x ^= x >> 16;
    x = x.wrapping_mul(0x7feb_352d);
    x ^= x >> 15;
    x = x.wrapping_mul(0x846c_a68b);
    x ^ (x >> 16)
}

/// The random word of an input's binder and element.
pub fn draw(input: u32, binder: u32, element: u32) -> u32 {
    mix(mix(mix(SEED.wrapping_add(input)).wrapping_add(binder)).wrapping_add(element))
}

/// What a binder draws from, and where its value stands in the frame.
#[derive(Clone, Copy, Debug)]
struct Binder {
    lo: u32,
    /// How many ints there are between the bounds.
    range: u32,
    /// Whether a list is drawn; else an int.
    list: bool,
    /// The greatest length of a list.
    max_len: u32,
    /// How many values there are, up to [`SIZE_CAP`].
    size: u32,
    slot: usize,
}

/// The inputs of one test or property.
#[derive(Clone, Debug)]
pub struct Domain {
    binders: Vec<Binder>,
    inputs: u32,
    exhaustive: bool,
}

impl Domain {
    /// The domain of a routine (for a test: one input without values), drawn from at most `samples` times.
    pub fn new(routines: &Routines, binders: &Binders, routine: usize, samples: u32) -> Domain {
        let samples = samples.min(SIZE_CAP - 1);
        let caps = [&routines.caps0, &routines.caps1, &routines.caps2, &routines.caps3];
        let first = routines.binders[routine] as usize;
        let mut slot = 0;
        let mut size = 1u32;
        let list: Vec<Binder> = (0..routines.params[routine] as usize)
            .map(|b| {
                let row = first + b;
                // A property may have more binders than there are capacities in its row.
                let capacity = match caps.get(b / 4) {
                    Some(column) => column[routine] >> (b % 4 * 8) & 0xff,
                    None => binders.max_len[row],
                };
                let (lo, hi) = (binders.lo[row], binders.hi[row]);
                let binder = Binder::new(lo, hi, capacity > 0, binders.max_len[row], slot);
                slot += 1 + capacity as usize;
                size = capped(size * binder.size);
                binder
            })
            .collect();
        let exhaustive = size <= samples;
        Domain { binders: list, inputs: if exhaustive { size } else { samples }, exhaustive }
    }

    /// How many inputs there are.
    pub fn inputs(&self) -> u32 {
        self.inputs
    }

    /// Whether every value of the domain is an input.
    pub fn exhaustive(&self) -> bool {
        self.exhaustive
    }

    /// Where the value of a binder stands in the frame, and whether it is a list.
    pub fn place(&self, binder: usize) -> Option<(usize, bool)> {
        self.binders.get(binder).map(|b| (b.slot, b.list))
    }

    /// Writes an input's values to the start of a frame. Those that do not fit are left out: a run with such a frame
    /// traps before it reads any.
    pub fn write(&self, input: u32, frame: &mut [u32]) {
        if self.exhaustive {
            let mut rest = input;
            for binder in self.binders.iter().rev() {
                if binder.fits(frame) {
                    binder.write_nth(rest % binder.size, frame);
                }
                rest /= binder.size;
            }
        } else {
            for (b, binder) in self.binders.iter().enumerate() {
                if binder.fits(frame) {
                    binder.write_drawn(input, b as u32, frame);
                }
            }
        }
    }
}

impl Binder {
    fn new(lo: u32, hi: u32, list: bool, max_len: u32, slot: usize) -> Binder {
        let range = if (hi as i32) > (lo as i32) { hi.wrapping_sub(lo) } else { 0 };
        let step = capped(range);
        let size = if !list {
            step
        } else {
            let (mut power, mut sum) = (1, 1);
            for _ in 0..max_len {
                power = capped(power * step);
                sum = capped(sum + power);
            }
            sum
        };
        Binder { lo, range, list, max_len, size, slot }
    }

    fn fits(&self, frame: &[u32]) -> bool {
        self.slot + (self.max_len as usize) < frame.len()
    }

    /// The value of this index among all, in order.
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

    fn write_drawn(&self, input: u32, b: u32, frame: &mut [u32]) {
        if !self.list {
            frame[self.slot] = self.number(input, b, 0);
            return;
        }
        let length = if self.range == 0 { 0 } else { draw(input, b, 0) % (self.max_len + 1) };
        frame[self.slot] = length;
        for element in 0..length {
            frame[self.slot + 1 + element as usize] = self.number(input, b, 1 + element);
        }
    }

    /// A number between the bounds: one time in eight one of those where programs tend to break.
    fn number(&self, input: u32, b: u32, element: u32) -> u32 {
        let h = draw(input, b, element);
        if h & 7 == 0 {
            let last = self.lo.wrapping_add(self.range).wrapping_sub(1);
            let corner = [self.lo, last, 0, 1, u32::MAX][(h >> 3) as usize % 5];
            if corner.wrapping_sub(self.lo) < self.range {
                return corner;
            }
        }
        self.lo.wrapping_add(mix(h.wrapping_add(0x9e37_79b9)) % self.range)
    }
}

fn capped(n: u32) -> u32 {
    n.min(SIZE_CAP)
}
