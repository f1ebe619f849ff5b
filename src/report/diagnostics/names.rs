//! Which declared name somebody may have meant.

/// The candidate nearest to `name` by edit distance, if it is near enough to be a slip; of several one with the same letters.
pub fn nearest<'a>(name: &str, candidates: &[&'a str]) -> Option<&'a str> {
    let allowed = 1 + name.len() / 4;
    let letters = |word: &str| {
        let mut letters = word.as_bytes().to_vec();
        letters.sort_unstable();
        letters
    };
    let own = letters(name);
    candidates
        .iter()
        .map(|candidate| {
            (distance(name.as_bytes(), candidate.as_bytes()), letters(candidate) != own, *candidate)
        })
        .filter(|(distance, ..)| (1..=allowed).contains(distance))
        .min()
        .map(|(.., candidate)| candidate)
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
