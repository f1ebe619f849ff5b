//! A function's normal form as a number: what tells functions apart that differ in more than names.
//!
//! The normal form is the source's words (`neural::source`): names are slots, constants other than -1 to 2 are copy slots. Functions of equal
//! numbers are taken to be the same when training data is kept apart from evaluation sets; among millions of functions a chance collision of
//! 64 bits is less likely than one in a million.

use crate::network::source::Source;

/// The number of a function's normal form (FNV-1a, Fowler, Noll, Vo, over the words, with a final mix).
pub fn of(source: &Source) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325u64;
    for word in &source.words {
        hash = (hash ^ u64::from(*word)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash ^= hash >> 32;
    hash.wrapping_mul(0xd6e8_feb8_6659_fd93) ^ hash >> 29
}
