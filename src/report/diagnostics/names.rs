//! Which declared name somebody may have meant.

/// A name of fewer characters has no neighbour: nearly all short names are near to each other.
const SHORTEST: usize = 3;
/// The greatest distance of a slip.
const FARTHEST: usize = 3;

/// The candidate nearest to `name`, if it is near enough to be a slip; of several one with the same letters.
///
/// One edit in three characters is allowed, and three at most. Names of fewer than three characters are never suggested, nor is
/// anything suggested for them.
pub fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let length = name.chars().count();
    let allowed = (length / SHORTEST).min(FARTHEST);
    let letters = |word: &[char]| {
        let mut letters = word.to_vec();
        letters.sort_unstable();
        letters
    };
    if allowed == 0 {
        return None;
    }
    let mut own: Option<(Vec<char>, Vec<char>)> = None;
    let mut nearest: Option<(usize, bool, &str)> = None;
    for candidate in candidates {
        let other = candidate.chars().take(length + allowed + 1).count();
        if other < SHORTEST || other.abs_diff(length) > allowed {
            continue;
        }
        let (own, sorted) = own.get_or_insert_with(|| {
            let own: Vec<char> = name.chars().collect();
            let sorted = letters(&own);
            (own, sorted)
        });
        let other: Vec<char> = candidate.chars().collect();
        let distance = distance(own, &other, allowed);
        let found = (distance, letters(&other) != *sorted, *candidate);
        if (1..=allowed).contains(&distance) && nearest.is_none_or(|nearest| found < nearest) {
            nearest = Some(found);
        }
    }
    nearest.map(|(.., candidate)| candidate)
}

/// The number of characters to insert, delete, replace or swap with their neighbour ("optimal string alignment"), if it is at most
/// `most`; else a greater number. One row at a time, and of a row only what can be that near.
fn distance(a: &[char], b: &[char], most: usize) -> usize {
    let far = most + 1;
    let mut before = vec![far; b.len() + 1];
    let mut row: Vec<usize> = (0..=b.len()).map(|j| j.min(far)).collect();
    let mut next = vec![far; b.len() + 1];
    for (i, x) in a.iter().enumerate() {
        let columns = i.saturating_sub(most)..b.len().min(i + most + 1);
        if columns.start > 0 {
            next[columns.start] = far;
        } else {
            next[0] = (i + 1).min(far);
        }
        for j in columns.clone() {
            let y = b[j];
            let mut least = (row[j] + usize::from(*x != y)).min(row[j + 1] + 1).min(next[j] + 1);
            if i > 0 && j > 0 && *x == b[j - 1] && a[i - 1] == y {
                least = least.min(before[j - 1] + 1);
            }
            next[j + 1] = least.min(far);
        }
        if let Some(beyond) = next.get_mut(columns.end + 1) {
            *beyond = far;
        }
        std::mem::swap(&mut before, &mut row);
        std::mem::swap(&mut row, &mut next);
    }
    row[b.len()]
}
