//! Wraps and truncates text to a width in cells.

use unicode_width::UnicodeWidthStr;

use crate::workbench::text::glyphs;

/// Wraps words into lines of at most `cells` cells; only a single wide glyph may exceed that. Nothing is cut:
/// a word longer than a line continues on the next. The last line gets a second word if the line before can
/// spare one.
pub fn wrap(text: &str, cells: usize) -> Vec<String> {
    let mut lines: Vec<Vec<String>> = vec![Vec::new()];
    let mut used = 0;
    for word in words(text).iter().flat_map(|word| pieces(word, cells)) {
        let width = word.width();
        match lines.last_mut() {
            Some(line) if line.is_empty() || used + 1 + width <= cells => {
                used += width + usize::from(!line.is_empty());
                line.push(word);
            }
            _ => {
                used = width;
                lines.push(vec![word]);
            }
        }
    }
    if let [.., before, last] = &mut lines[..]
        && last.len() == 1
        && before.len() > 2
        && let Some(word) = before.pop_if(|word| word.width() + 1 + used <= cells)
    {
        last.insert(0, word);
    }
    lines.iter().map(|line| line.join(" ")).collect()
}

/// Splits a text into words. A number and a following unit of one or two characters count as one word.
fn words(text: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match words.last_mut() {
            Some(number)
                if number.ends_with(|c: char| c.is_ascii_digit())
                    && (1..=2).contains(&word.trim_end_matches([',', '.', ';', ':', ')']).chars().count()) =>
            {
                number.push(' ');
                number.push_str(word);
            }
            _ => words.push(word.to_string()),
        }
    }
    words
}

/// Splits a word into pieces that fit.
fn pieces(word: &str, cells: usize) -> Vec<String> {
    if word.width() <= cells {
        return vec![word.to_string()];
    }
    let mut pieces = vec![String::new()];
    let mut used = 0;
    for glyph in glyphs(word) {
        if used > 0 && used + glyph.width > cells {
            pieces.push(String::new());
            used = 0;
        }
        used += glyph.width;
        if let Some(piece) = pieces.last_mut() {
            piece.push_str(&glyph.shown);
        }
    }
    pieces
}

/// Returns the text truncated to `cells` cells, with `…` if something is missing.
pub fn fit(text: &str, cells: usize) -> String {
    let width: usize = glyphs(text).map(|g| g.width).sum();
    if width <= cells {
        return text.to_string();
    }
    let mut out = String::new();
    let mut used = 0;
    for glyph in glyphs(text) {
        if used + glyph.width + 1 > cells {
            break;
        }
        used += glyph.width;
        out.push_str(&glyph.shown);
    }
    if cells > 0 {
        out.push('…');
    }
    out
}

/// Pads each text to the width of its column, with a blank between columns. If `room` cells do not suffice, padding is left out,
/// first that of the first columns.
pub fn columns(texts: &[(&str, usize)], room: usize) -> Vec<String> {
    let blanks = |(text, width): &(&str, usize)| width.saturating_sub(text.width());
    let needed: usize = texts.iter().map(|column| column.0.width() + blanks(column) + 1).sum();
    let mut excess = needed.saturating_sub(1).saturating_sub(room);
    let padded = texts.iter().enumerate().map(|(number, column)| {
        let left_out = blanks(column).min(excess);
        excess -= left_out;
        let between = usize::from(number + 1 < texts.len());
        format!("{}{}", column.0, " ".repeat(blanks(column) - left_out + between))
    });
    padded.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_lose_blanks_where_texts_would_be_cut() {
        for (room, row) in [(11, "ab   c   de"), (10, "ab  c   de"), (7, "ab c de"), (3, "ab c de")] {
            assert_eq!(columns(&[("ab", 4), ("c", 3), ("de", 0)], room).concat(), row, "{room}");
        }
    }

    #[test]
    fn lines_wrap_between_words_and_within_long_words() {
        for (text, cells, lines) in [
            ("", 5, &[""][..]),
            ("one two three", 13, &["one two three"]),
            ("one two three", 9, &["one two", "three"]),
            ("one two six three", 12, &["one two", "six three"]),
            ("one two three", 12, &["one two", "three"]),
            ("abcdefgh ij", 3, &["abc", "def", "gh", "ij"]),
            ("日本語", 3, &["日", "本", "語"]),
            ("ab", 0, &["a", "b"]),
            ("it took 12 ms.", 10, &["it took", "12 ms."]),
            ("it took long, 12 ms (so)", 19, &["it took long,", "12 ms (so)"]),
        ] {
            assert_eq!(wrap(text, cells), lines, "{text:?} in {cells}");
        }
    }
}
