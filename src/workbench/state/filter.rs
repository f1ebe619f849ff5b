//! The filter of a list panel. Rows are compared in slices, so that a long list delays no key.

/// The number of rows compared at once.
const SLICE: usize = 300;

/// A filter, and the rows that pass it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// The query in lower case; a row passes if it contains all words of it. A number begins where one begins in the row, so
    /// `2:` is a place on line 2 and not on line 12.
    query: String,
    /// The rows that passed when all were compared last, ascending.
    rows: Vec<usize>,
    /// The next row to compare, and the rows that have passed so far, while rows are being compared.
    scan: Option<(usize, Vec<usize>)>,
}

impl Filter {
    pub fn new(query: &str) -> Filter {
        Filter { query: query.to_lowercase(), ..Filter::default() }
    }

    pub fn query(&self) -> &str {
        &self.query
    }

    /// Returns the rows that pass, ascending. While rows are being compared, those known so far.
    pub fn rows(&self) -> &[usize] {
        match &self.scan {
            Some((_, found)) if found.len() > self.rows.len() => found,
            _ => &self.rows,
        }
    }

    /// Compares the rows again, from the first one, because the list may have changed.
    pub fn restart(&mut self) {
        self.scan = Some((0, Vec::new()));
    }

    /// Returns whether rows remain to be compared.
    pub fn is_scanning(&self) -> bool {
        self.scan.is_some()
    }

    /// Compares some rows of a list of `count` rows, whose first `head` rows always pass.
    pub fn compare(&mut self, count: usize, head: usize, text: impl Fn(usize) -> String) {
        let Some((next, mut found)) = self.scan.take() else { return };
        let end = (next + SLICE).min(count);
        let passes = |row: &usize| {
            let text = text(*row).to_lowercase();
            *row < head || self.query.split_whitespace().all(|word| contains(&text, word))
        };
        found.extend((next..end).filter(passes));
        if end >= count {
            self.rows = found;
        } else {
            self.scan = Some((end, found));
        }
    }
}

/// Returns whether a text contains a word; if that begins with a digit, not after another digit.
fn contains(text: &str, word: &str) -> bool {
    let begins = |(at, _): (usize, &str)| {
        !word.starts_with(|c: char| c.is_ascii_digit()) || !text[..at].ends_with(|c: char| c.is_ascii_digit())
    };
    text.match_indices(word).any(begins)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn number_in_a_filter_begins_where_a_number_begins() {
        for (text, word, passes) in [
            ("✗ 2:5 < → <=", "2:", true),
            ("✗ 12:5 < → <=", "2:", false),
            ("✗ 12:5 & 2:9", "2:", true),
            ("✗ 12:5 < → <=", "12", true),
            ("xs2", "s2", true),
            ("row 111", "11", true),
        ] {
            assert_eq!(contains(text, word), passes, "{word} in {text}");
        }
    }

    #[test]
    fn long_list_is_filtered_in_slices() {
        let text = |row: usize| format!("Row {row}");
        let mut filter = Filter::new("ROW 5");
        let count = 2 * SLICE + 1;
        filter.restart();
        filter.compare(count, 1, text);
        assert!(filter.is_scanning());
        let first = filter.rows().len();
        assert!(first > 1 && filter.rows()[..2] == [0, 5]);
        while filter.is_scanning() {
            filter.compare(count, 1, text);
        }
        let all = filter.rows().to_vec();
        assert!(all.len() > first && all.iter().skip(1).all(|row| row.to_string().starts_with('5')));
        // A new comparison shows the old rows until it has finished.
        filter.restart();
        filter.compare(count, 1, text);
        assert_eq!(filter.rows(), all);
    }
}
