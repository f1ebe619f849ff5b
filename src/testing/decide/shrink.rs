//! Shrinks arguments that distinguish two codes: first shorter lists, then numbers nearer to 0, while the results still
//! differ. (Greedy, as in QuickCheck.)

use super::calls::Given;
use crate::lang::ty::{KIND_INT, KIND_INT_LIST, Type};

/// The maximum number of candidates to try.
const TRIES: u32 = 2_000;

/// Returns the smallest arguments found and the results for them. `differ` returns the results if they differ. Returns
/// `None` if those for `given` do not.
pub fn shrink<T>(
    mut differ: impl FnMut(&Given) -> Option<T>,
    types: &[Type],
    given: Given,
) -> Option<(Given, T)> {
    let mut best = (differ(&given)?, given);
    let mut tries = TRIES;
    'smaller: loop {
        for candidate in smaller(&best.1, types) {
            let Some(left) = tries.checked_sub(1) else { break 'smaller };
            tries = left;
            if let Some(both) = differ(&candidate) {
                best = (both, candidate);
                continue 'smaller;
            }
        }
        break;
    }
    Some((best.1, best.0))
}

/// Returns arguments that are one step smaller, in order of decreasing reduction.
fn smaller(given: &Given, types: &[Type]) -> Vec<Given> {
    let mut found = Vec::new();
    for (place, ty) in types.iter().enumerate().take(given.len()) {
        let with = |words: Vec<u32>| {
            let mut next = given.clone();
            next[place] = words;
            next
        };
        let words = &given[place];
        if ty.is_list() && !words.is_empty() {
            found.push(with(Vec::new()));
            let half = words.len() / 2;
            if half > 0 {
                found.push(with(words[..half].to_vec()));
                found.push(with(words[half..].to_vec()));
            }
            for gone in 0..words.len() {
                let mut rest = words.clone();
                rest.remove(gone);
                found.push(with(rest));
            }
        }
        let ints = matches!(ty.kind(), KIND_INT | KIND_INT_LIST);
        for (element, word) in words.iter().enumerate() {
            let n = *word as i32;
            let nearer = match ints {
                true => vec![0, n / 2, n - n.signum(), n.wrapping_abs()],
                false => vec![0],
            };
            for m in nearer.into_iter().filter(|m| nearer_than(*m, n)) {
                let mut changed = words.clone();
                changed[element] = m as u32;
                found.push(with(changed));
            }
        }
    }
    found
}

/// Returns whether `a` is simpler than `b`: nearer to 0, or equally near and not negative.
fn nearer_than(a: i32, b: i32) -> bool {
    (a.unsigned_abs(), a < 0) < (b.unsigned_abs(), b < 0)
}
