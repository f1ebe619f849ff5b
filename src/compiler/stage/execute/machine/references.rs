//! Lists that a call passes by reference.
//!
//! The register form does not copy a list for a parameter that its function only reads: the elements stay in the variable of the
//! caller, which cannot change before the call returns. The length stands in the parameter's own place as always, and beside the word
//! there is noted where the elements begin. The stack machine knows nothing of this, so where it takes over the elements are brought to
//! where it expects them.

use super::lists::shift;
use super::{Callee, MASK, Memory};

impl Memory {
    /// Of a frame whose arguments all stand in their own places: these of its parameters refer to what stands there.
    #[inline(never)]
    pub fn refer_in_place(&mut self, references: u16, fp: usize, callee: &Callee) {
        for own in places(references, fp, callee) {
            self.elements[own & MASK] = (own + 1) as u16;
        }
    }

    /// Brings the elements that these parameters of a frame refer to into the frame.
    #[inline(never)]
    pub fn bring(&mut self, references: u16, fp: usize, callee: &Callee) {
        for own in places(references, fp, callee) {
            let (from, length) = (usize::from(self.elements[own & MASK]), self.words[own & MASK]);
            if from != own + 1 {
                shift(&mut self.words, from, own + 1, length as usize);
            }
        }
    }
}

/// Where these parameters of a frame have their own places.
fn places(references: u16, fp: usize, callee: &Callee) -> impl Iterator<Item = usize> {
    let mut own = fp;
    callee.places().iter().enumerate().filter_map(move |(param, capacity)| {
        let place = own;
        own += 1 + usize::from(*capacity);
        (references >> param & 1 != 0).then_some(place)
    })
}
