//! Lists passed by reference to a call.
//!
//! The register form does not copy a list for a parameter that its function only reads. The elements stay in
//! the caller's variable, which cannot change before the call returns. The parameter's own place holds the
//! length as usual; `Memory::elements` holds the index of the elements. The stack machine does not support
//! references, so the elements are copied into the frame before it takes over.

use super::lists::shift;
use super::{Callee, ExecuteMemory, MASK};

impl ExecuteMemory {
    /// Makes list parameters whose elements are in their own places refer to these.
    #[inline(never)]
    pub fn reference_own_places(&mut self, references: u16, fp: usize, callee: &Callee) {
        for own in places(references, fp, callee) {
            self.elements[own & MASK] = (own + 1) as u16;
        }
    }

    /// Copies the referenced elements of these parameters into the frame.
    #[inline(never)]
    pub fn copy_references(&mut self, references: u16, fp: usize, callee: &Callee) {
        for own in places(references, fp, callee) {
            let (from, length) = (usize::from(self.elements[own & MASK]), self.words[own & MASK]);
            if from != own + 1 {
                shift(&mut self.words, from, own + 1, length as usize);
            }
        }
    }
}

/// The indices of these parameters' own places in a frame.
fn places(references: u16, fp: usize, callee: &Callee) -> impl Iterator<Item = usize> {
    let mut own = fp;
    callee.places().iter().enumerate().filter_map(move |(param, capacity)| {
        let place = own;
        own += 1 + usize::from(*capacity);
        (references >> param & 1 != 0).then_some(place)
    })
}
