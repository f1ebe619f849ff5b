//! Hashes a function's normal form, which is the same for functions that differ only in names.
//!
//! The normal form is the source's words (`network::source`): names are slots, and constants other than -1 to
//! 2 are copy slots. Functions with equal hashes are considered the same when training data is separated from
//! evaluation sets. Among millions of functions, a given function collides by chance with a probability below
//! one in a million.

use crate::network::source::Source;

/// Returns the hash of a function's normal form (FNV-1a, Fowler, Noll, Vo, over the words, with a final mix).
pub fn of(source: &Source) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for word in &source.words {
        hash = (hash ^ u64::from(*word)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash ^= hash >> 32;
    hash.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ hash >> 29
}
