//! Interning: a name's id is fixed by the first token that bears it.

use crate::lang::limits::TOKENS;
use crate::lang::token::{BUILTINS, FIRST_NAME};

const SLOTS: usize = 1 << 14;

/// An open-addressing table from a name's text to its id. Slots of earlier programs are told by their epoch, so
/// that a new program costs nothing to start.
#[derive(Clone, Debug, Default)]
pub struct Names {
    slots: Vec<Slot>,
    texts: Vec<u8>,
    epoch: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct Slot {
    epoch: u32,
    hash: u32,
    /// Where the text lies in `texts`.
    at: u32,
    len: u32,
    id: u32,
}

impl Names {
    /// Forgets all names but the built-in functions.
    pub fn start(&mut self) {
        if self.slots.is_empty() || self.epoch == u32::MAX {
            self.slots.clear();
            self.slots.resize(SLOTS, Slot::default());
            self.epoch = 0;
        }
        self.epoch += 1;
        self.texts.clear();
        for (id, name) in BUILTINS.iter().enumerate() {
            self.intern(name.as_bytes(), id as u32);
        }
    }

    /// The id of a name that token number `index` bears. Beyond the limit on tokens the ids are never seen.
    pub fn id(&mut self, text: &[u8], index: usize) -> u32 {
        if index > TOKENS {
            return 0;
        }
        self.intern(text, FIRST_NAME + index as u32)
    }

    fn intern(&mut self, text: &[u8], fresh: u32) -> u32 {
        let hash =
            text.iter().fold(0x811c_9dc5u32, |hash, byte| (hash ^ *byte as u32).wrapping_mul(0x0100_0193));
        let mut at = (hash ^ hash >> 15) as usize % SLOTS;
        // A program has fewer names than slots: 8,193 tokens at most bear one that is kept.
        loop {
            let slot = self.slots[at];
            if slot.epoch != self.epoch {
                break;
            }
            let known = &self.texts[slot.at as usize..][..slot.len as usize];
            if slot.hash == hash && known == text {
                return slot.id;
            }
            at = (at + 1) % SLOTS;
        }
        let (start, len) = (self.texts.len() as u32, text.len() as u32);
        self.texts.extend_from_slice(text);
        self.slots[at] = Slot { epoch: self.epoch, hash, at: start, len, id: fresh };
        fresh
    }
}
