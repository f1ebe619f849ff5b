//! Fuzzy matching of names: the letters of a query appear in a name, in order. A crate such as `nucleo-matcher` would be
//! faster on a million names; it has a licence (MPL-2.0) that no other dependency of the program has, and a list here has
//! some thousand names.

/// Returns whether a text contains all words of a filter. Upper and lower case are the same.
pub fn contains_words(filter: &str, text: &str) -> bool {
    let text = text.to_lowercase();
    filter.to_lowercase().split_whitespace().all(|word| text.contains(word))
}

/// Points for each matched letter.
const LETTER: i32 = 10;
/// Additional points for a letter after another matched one, at the start of a word, and at the start of the file's name.
const RUN: i32 = 12;
const WORD: i32 = 9;
const NAME: i32 = 14;
/// Points lost for a gap, and for each letter of the name that the query leaves over.
const GAP: i32 = 4;
const REST: i32 = 1;

/// The maximum numbers of letters that are compared.
const QUERY: usize = 64;
const TEXT: usize = 256;

/// Returns how well a query matches a name: more is better; `None` if it does not. Upper and lower case are the same, and
/// blanks in the query are skipped.
pub fn score(query: &str, name: &str) -> Option<i32> {
    let fold = |text: &str, most: usize| -> Vec<char> {
        text.chars().flat_map(char::to_lowercase).take(most).collect()
    };
    let query: Vec<char> = fold(query, QUERY).into_iter().filter(|c| !c.is_whitespace()).collect();
    let text = fold(name, TEXT);
    if query.len() > text.len() {
        return None;
    }
    // A folder's own name ends with a slash.
    let base = text[..text.len().saturating_sub(1)].iter().rposition(|c| *c == '/').map_or(0, |at| at + 1);
    let bonus = |at: usize| match at {
        at if at == base => NAME,
        0 => WORD,
        at if !text[at - 1].is_alphanumeric() => WORD,
        _ => 0,
    };
    // The best score with the last letter so far at each place.
    let mut last: Vec<Option<i32>> = Vec::new();
    for (number, wanted) in query.iter().enumerate() {
        let mut next = vec![None; text.len()];
        // The best score of the letters before, if a gap follows them.
        let mut apart: Option<i32> = (number == 0).then_some(0);
        for (at, found) in text.iter().enumerate() {
            if let Some(before) = at.checked_sub(2).and_then(|before| *last.get(before)?) {
                apart = apart.max(Some(before - GAP));
            }
            let adjoining = at.checked_sub(1).and_then(|before| *last.get(before)?).map(|before| before + RUN);
            if found == wanted {
                next[at] = apart.max(adjoining).map(|before| before + LETTER + bonus(at));
            }
        }
        last = next;
    }
    let best = if query.is_empty() { Some(0) } else { last.into_iter().flatten().max() };
    best.map(|best| best - REST * (text.len() - query.len()) as i32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_must_appear_in_order() {
        assert!(score("gcd", "samples/gcd.myr").is_some() && score("GCD", "gcd").is_some());
        assert!(score("s gc", "samples/gcd.myr").is_some());
        assert_eq!(score("dcg", "gcd"), None);
        assert_eq!(score("gcdd", "gcd"), None);
        assert!(score("", "anything").is_some());
    }

    #[test]
    fn names_words_and_runs_come_first() {
        let order = |query: &str, names: &[&str]| {
            let scores: Vec<_> = names.iter().map(|name| score(query, name).expect("it matches")).collect();
            assert!(scores.is_sorted_by(|a, b| a > b), "{query}: {names:?} {scores:?}");
        };
        order("gcd", &["gcd.myr", "samples/gcd.myr", "gold/code.myr"]);
        order("ab", &["ab.myr", "a_b.myr", "cacb.myr"]);
        order("weak", &["weak.myr", "old/weak.myr", "old/w/e/a/k.myr"]);
    }

    /// The best way to match is found, not the first.
    #[test]
    fn later_occurrence_wins_if_it_is_better() {
        assert!(score("abc", "axbxcx/abc") > score("abc", "axbxcx/xbc-a-b-c"));
    }
}
