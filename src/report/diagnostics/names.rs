//! Which declared name somebody may have meant.

/// The candidate nearest to `name` by edit distance, if it is near enough to be a slip.
pub fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let allowed = 1 + name.len() / 4;
    candidates
        .iter()
        .map(|candidate| (distance(name.as_bytes(), candidate.as_bytes()), *candidate))
        .filter(|(distance, _)| (1..=allowed).contains(distance))
        .min()
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, one row at a time.
fn distance(a: &[u8], b: &[u8]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let changed = diagonal + usize::from(x != y);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}
