//! Caches the program's results on the arguments that mutants of a function are tried on. All mutants are tried on the
//! same arguments, so each call of the program is made once.

use std::collections::HashMap;

use crate::lang::index::{Index, InputId, RoutineId};

/// The maximum number of cached words. Calls beyond this limit are repeated for each mutant.
const MOST: usize = 1 << 22;

/// A call of the program, as indices into a list of words: its arguments, then its value.
#[derive(Clone, Copy)]
pub struct StoredCall {
    pub arguments: usize,
    pub value: usize,
    pub end: usize,
    pub steps: u32,
    /// Whether the call returns a value; otherwise it traps.
    pub gives: bool,
}

/// The size of a [`StoredCall`] in words.
const WORDS: usize = size_of::<StoredCall>() / size_of::<u32>();

#[derive(Clone, Copy)]
pub struct CachedCall<'a> {
    /// Argument words for the machine: a list is its length followed by its elements.
    pub arguments: &'a [u32],
    /// `None` if the call traps.
    pub value: Option<&'a [u32]>,
    pub steps: u32,
}

impl StoredCall {
    pub fn known(self, words: &[u32]) -> CachedCall<'_> {
        let StoredCall { arguments, value, end, steps, gives } = self;
        CachedCall { arguments: &words[arguments..value], value: gives.then_some(&words[value..end]), steps }
    }
}

/// The cached calls of a program's functions.
#[derive(Default)]
pub struct CallCache {
    words: Vec<u32>,
    /// The number of words of cached calls. Words after these belong to one call that is not cached.
    kept: usize,
    /// For each function, the calls in the order of their argument numbers.
    calls: HashMap<RoutineId, Vec<StoredCall>>,
    count: usize,
}

impl CallCache {
    /// Returns the function's call with this number. If it is not cached, `make` makes the call and appends its words.
    pub fn call(
        &mut self,
        function: RoutineId,
        number: InputId,
        make: impl FnOnce(&mut Vec<u32>) -> StoredCall,
    ) -> CachedCall<'_> {
        let CallCache { words, kept, calls, count } = self;
        let calls = calls.entry(function).or_default();
        let call = match calls.get(number.position()) {
            Some(call) => *call,
            None => {
                words.truncate(*kept);
                let call = make(words);
                if number.position() == calls.len() && words.len() + WORDS * *count < MOST {
                    (*kept, *count) = (words.len(), *count + 1);
                    calls.push(call);
                }
                call
            }
        };
        call.known(words)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A call with two argument words, and with a value unless `n` is a multiple of 3.
    fn make(words: &mut Vec<u32>, n: u32) -> StoredCall {
        let arguments = words.len();
        words.extend([n, n + 1]);
        let value = words.len();
        words.extend((!n.is_multiple_of(3)).then_some(2 * n));
        StoredCall { arguments, value, end: words.len(), steps: n, gives: !n.is_multiple_of(3) }
    }

    #[test]
    fn cached_calls_run_once_while_the_cache_has_room() {
        let (mut tried, mut made) = (CallCache::default(), 0);
        let most = (MOST / (WORDS + 2)) as u32;
        for _ in 0..2 {
            for (function, number) in (0..most).map(|n| (n % 2, n / 2)) {
                let n = number + 7 * function;
                let known = tried.call(RoutineId::new(function), InputId::new(number), |words| {
                    made += 1;
                    make(words, n)
                });
                let value = [2 * n];
                assert_eq!((known.arguments, known.steps), (&[n, n + 1][..], n));
                assert_eq!(known.value, (!n.is_multiple_of(3)).then_some(&value[..]));
            }
        }
        assert!(made > most && made < most + most / 4, "{made} of {most}");
        assert!(tried.words.len() + WORDS * tried.count <= MOST + 3);
    }
}
