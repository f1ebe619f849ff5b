//! Suggests declared names for misspelt ones.

/// Minimum length of a name for suggestions: nearly all short names are similar to each other.
const SHORTEST: usize = 3;
/// Maximum edit distance of a suggestion.
const MAX_DISTANCE: usize = 3;

/// Returns the candidate nearest to `name`, if it is near enough to be a typo. Among equally near ones, prefers
/// one with the same letters.
///
/// One edit per three characters is allowed, and at most three. Names of fewer than three characters have no
/// suggestions and are never suggested.
pub fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let length = name.chars().count();
    let allowed = (length / SHORTEST).min(MAX_DISTANCE);
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

/// Returns the optimal string alignment distance: the number of characters to insert, delete, replace or swap
/// with their neighbour. Distances above `most` are returned as some greater number. Only the cells of a row
/// that can be within the limit are computed.
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
