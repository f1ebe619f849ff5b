//! Bases that were put aside, so that batches with several bases compile and run each once.

use super::tester::TestCache;
use super::visits::CallProfile;
use super::{Base, CpuEngine, FIRST_CHUNK};
use crate::engine::Seen;

/// Limits: the size of all bases with their results, in bytes, and their number.
const BYTES: u64 = 512 << 20;
const BASES: usize = 1_024;

/// A base and the results for programs near it.
struct Shelved {
    base: Base,
    tester: Option<TestCache>,
    bytes: u64,
}

/// The bases, the least recently used first.
#[derive(Default)]
pub struct Shelf {
    bases: Vec<Shelved>,
    bytes: u64,
}

impl CpuEngine {
    /// See [`crate::engine::ProgramTester::shelve`].
    pub(super) fn put_aside(&mut self) -> Option<u64> {
        let base = self.base.take()?;
        let tester = self.tester.take().filter(|tester| tester.number == base.number);
        let bytes = base.bytes() + tester.as_ref().map_or(0, TestCache::bytes);
        let (number, shelf) = (base.number, &mut self.shelf);
        shelf.bytes += bytes;
        shelf.bases.push(Shelved { base, tester, bytes });
        let mut dropped = 0;
        let mut left = shelf.bytes;
        while left > BYTES || shelf.bases.len() - dropped > BASES {
            left -= shelf.bases[dropped].bytes;
            dropped += 1;
        }
        shelf.bases.drain(..dropped);
        shelf.bytes = left;
        Some(number)
    }

    /// See [`crate::engine::ProgramTester::recall`].
    pub(super) fn take_back(&mut self, number: u64) -> bool {
        let shelf = &mut self.shelf;
        let Some(place) = shelf.bases.iter().position(|shelved| shelved.base.number == number) else {
            return false;
        };
        let Shelved { base, tester, bytes } = shelf.bases.remove(place);
        shelf.bytes -= bytes;
        (self.base, self.tester) = (Some(base), tester);
        (self.seen, self.size) = (Seen::default(), FIRST_CHUNK);
        true
    }
}

impl Base {
    /// Returns the size in bytes, of the parts that grow with the program.
    fn bytes(&self) -> u64 {
        let Base { compiled, segments, visits, .. } = self;
        let columns = compiled.tokens.bytes() + compiled.tree.bytes() + compiled.checked.bytes();
        let code = compiled.lowered.bytes() + compiled.ir.bytes() + compiled.executable.bytes();
        columns + code + segments.bytes() + visits.get().map_or(0, CallProfile::bytes)
    }
}
