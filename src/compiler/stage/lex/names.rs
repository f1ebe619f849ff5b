//! Interning of names. A name's id is determined by the first token with that name.

use crate::lang::limits::TOKENS;
use crate::lang::token::{BUILTINS, FIRST_NAME};

const SLOTS: usize = 1 << 14;

/// An open-addressing hash table from a name's text to its id. A slot is valid if it has the current epoch,
/// so the table need not be cleared for each program.
#[derive(Clone, Debug, Default)]
pub struct LexNames {
    slots: Vec<NameSlot>,
    texts: Vec<u8>,
    epoch: u32,
}

#[derive(Clone, Copy, Debug, Default)]
struct NameSlot {
    epoch: u32,
    hash: u32,
    /// Offset of the text in `texts`.
    at: u32,
    len: u32,
    id: u32,
}

impl LexNames {
    /// Removes all names but the built-in functions.
    pub fn start(&mut self) {
        if self.slots.is_empty() || self.epoch == u32::MAX {
            self.slots.clear();
            self.slots.resize(SLOTS, NameSlot::default());
            self.epoch = 0;
        }
        self.epoch += 1;
        self.texts.clear();
        for (id, name) in BUILTINS.iter().enumerate() {
            self.intern(name.as_bytes(), id as u32);
        }
    }

    /// Returns the id of the name at token number `index`. Tokens beyond the limit are not kept, so their
    /// names get no id.
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
        // The table never fills up: at most 8,193 tokens have a name that is kept.
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
        self.slots[at] = NameSlot { epoch: self.epoch, hash, at: start, len, id: fresh };
        fresh
    }
}
