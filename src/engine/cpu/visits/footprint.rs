//! Footprints: the data that a call's value depends on.
//!
//! A call's value depends on its arguments, but for lists only on the lengths and on the elements read by the
//! call or by nested calls. Calls with equal footprints therefore return the same value in the same number of
//! steps. This also holds on a mutant that reads nothing else. (Memoization by what is read instead of by all
//! arguments: Acar, Blelloch, Harper, *Selective Memoization*, 2003.)

use crate::compiler::program::Routine;
use crate::compiler::stage::execute::Reads;

/// Which parameters of a function are lists.
#[derive(Clone, Debug, Default)]
pub struct Params {
    lists: Vec<bool>,
}

impl Params {
    pub fn new(routine: Routine) -> Params {
        Params { lists: (0..routine.params()).map(|param| routine.capacity(param) > 0).collect() }
    }

    /// Appends the footprint of a call: for each list two words that mark the elements read; then each int or
    /// bool, and each list's length and read elements. Appends nothing if the call reads all of its lists:
    /// then the arguments are the footprint.
    pub fn footprint(&self, arguments: &[u32], reads: &Reads, out: &mut Vec<u32>) {
        let read = |param: usize| reads.get(param).copied().unwrap_or(u64::MAX);
        let mut all = true;
        self.each(arguments, |param, elements| {
            all &= elements.is_none_or(|elements| read(param) | beyond(elements.len()) == u64::MAX);
        });
        if all {
            return;
        }
        self.each(arguments, |param, elements| {
            if let Some(elements) = elements {
                let seen = read(param) | beyond(elements.len());
                out.extend([seen as u32, (seen >> 32) as u32]);
            }
        });
        let mut at = 0;
        self.each(arguments, |param, elements| {
            out.extend(arguments.get(at));
            at += 1;
            let Some(elements) = elements else { return };
            at += elements.len();
            let mut rest = read(param) & !beyond(elements.len());
            while rest != 0 {
                out.extend(elements.get(rest.trailing_zeros() as usize));
                rest &= rest - 1;
            }
        });
    }

    /// Whether a call has read only elements that are in a footprint of the same lengths.
    pub fn covers(&self, footprint: &[u32], reads: &Reads) -> bool {
        let lists = (0..).zip(&self.lists).filter(|(_, list)| **list).map(|(param, _): (usize, _)| param);
        let (seen, _) = footprint.as_chunks::<2>();
        lists.zip(seen).all(|(param, [low, high])| {
            let read = reads.get(param).copied().unwrap_or(u64::MAX);
            read & !(u64::from(*low) | u64::from(*high) << 32) == 0
        })
    }

    /// Visits each argument; for a list, with its elements.
    fn each<'a>(&self, arguments: &'a [u32], mut see: impl FnMut(usize, Option<&'a [u32]>)) {
        let mut rest = arguments;
        for (param, list) in self.lists.iter().enumerate() {
            let Some((first, behind)) = rest.split_first() else { return };
            let (elements, behind) =
                behind.split_at(if *list { (*first as usize).min(behind.len()) } else { 0 });
            see(param, list.then_some(elements));
            rest = behind;
        }
    }
}

/// Returns the bits from `length` on.
fn beyond(length: usize) -> u64 {
    u64::MAX.checked_shl(length as u32).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lang::limits::PARAMS;

    fn reads(of: &[u64]) -> Reads {
        let mut reads = [0; PARAMS];
        reads[..of.len()].copy_from_slice(of);
        reads
    }

    #[test]
    fn footprint_contains_only_the_data_read() {
        let params = Params { lists: vec![true, false, true] };
        let footprint = |arguments: &[u32], of: &[u64]| {
            let mut words = Vec::new();
            params.footprint(arguments, &reads(of), &mut words);
            words
        };
        let arguments = [3, 10, 11, 12, 7, 2, 20, 21];
        assert_eq!(footprint(&arguments, &[0b101, 0, 0]), [!0 << 3 | 0b101, !0, !0 << 2, !0, 3, 10, 12, 7, 2]);
        // Reading a whole list yields the same footprint whether its bits or all bits are set.
        assert_eq!(footprint(&arguments, &[7, 0, 1]), footprint(&arguments, &[u64::MAX, 0, 1]));
        assert!(
            footprint(&arguments, &[7, 0, 3]).is_empty() && footprint(&arguments, &[u64::MAX; 3]).is_empty()
        );
        // Unread elements may differ; lengths, ints and read elements may not.
        let like = |other: &[u32]| footprint(other, &[0b101, 0, 0]) == footprint(&arguments, &[0b101, 0, 0]);
        assert!(like(&[3, 10, 99, 12, 7, 2, 0, 0]));
        assert!(!like(&[3, 10, 99, 13, 7, 2, 0, 0]) && !like(&[3, 10, 11, 12, 8, 2, 20, 21]));
        assert!(!like(&[4, 10, 11, 12, 0, 7, 2, 20, 21]));
    }

    #[test]
    fn footprint_does_not_cover_additional_reads() {
        let params = Params { lists: vec![false, true] };
        let mut words = Vec::new();
        params.footprint(
            &[5, 64].into_iter().chain(0..64).collect::<Vec<u32>>(),
            &reads(&[0, 1 << 63 | 1]),
            &mut words,
        );
        assert!(params.covers(&words, &reads(&[0, 1])) && params.covers(&words, &reads(&[0, 1 << 63])));
        assert!(!params.covers(&words, &reads(&[0, 2])) && !params.covers(&words, &reads(&[0, u64::MAX])));
        // If a footprint contains a whole list, every element may have been read.
        let params = Params { lists: vec![true, true] };
        words.clear();
        params.footprint(&[1, 4, 2, 5, 6], &reads(&[1, 1]), &mut words);
        assert!(params.covers(&words, &reads(&[u64::MAX, 1])) && !params.covers(&words, &reads(&[1, 3])));
        assert!(params.covers(&[], &reads(&[u64::MAX, u64::MAX])));
    }
}
