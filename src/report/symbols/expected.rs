//! What may begin where a word is typed, judged by the text before it, which need not be complete.

/// The words that may begin at a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Expected {
    Item,
    Statement,
    Expression,
    Type,
    /// An operator; the only one that is a word is `in`.
    Operator,
}

impl Expected {
    /// Judges the text before the word.
    pub fn after(text: &str) -> Expected {
        let (mut depth, mut last, mut before, mut is_new_line) = (0_usize, "", "", true);
        // The open brackets of the line: the `;` in one is that of a list's type.
        let mut open = 0_usize;
        for token in tokens(text) {
            match token {
                "\n" => (is_new_line, open) = (true, 0),
                "[" => open += 1,
                "]" => open = open.saturating_sub(1),
                "{" => depth += 1,
                "}" => depth = depth.saturating_sub(1),
                _ => {}
            }
            if token != "\n" {
                (before, last, is_new_line) = (last, token, false);
            }
        }
        let begins = if depth > 0 { Expected::Statement } else { Expected::Item };
        let is_word =
            |token: &str| token.starts_with(|c: char| c.is_ascii_alphanumeric() || "_\"'".contains(c));
        match last {
            ";" if open > 0 => Expected::Expression,
            "" | "{" | "}" | ";" | "else" => begins,
            ">" if before == "-" => Expected::Type,
            ":" if !before.starts_with('"') => Expected::Type,
            "[" if matches!(before, ":" | ">") => Expected::Type,
            "return" | "if" | "while" | "in" | "test" | "prop" => Expected::Expression,
            // A line before that lacks its end does not go on here.
            _ if (is_word(last) || matches!(last, ")" | "]" | "?")) && is_new_line => begins,
            _ if is_word(last) || matches!(last, ")" | "]" | "?") => Expected::Operator,
            _ => Expected::Expression,
        }
    }

    /// Returns whether a name of the program or of a built-in function may begin here.
    pub fn has_names(self) -> bool {
        matches!(self, Expected::Statement | Expected::Expression)
    }

    /// Returns whether a keyword may begin here.
    pub fn has_keyword(self, keyword: &str) -> bool {
        let keywords: &[&str] = match self {
            Expected::Item => &["fn", "const", "test", "prop"],
            Expected::Statement => &["let", "if", "else", "while", "for", "break", "continue", "return"],
            Expected::Expression => &["true", "false", "int"],
            Expected::Type => &["int", "bool"],
            Expected::Operator => &["in"],
        };
        keywords.contains(&keyword)
    }
}

/// Splits a text into words, strings, line ends and single characters; comments and blanks are left out.
fn tokens(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        loop {
            rest = rest.trim_start_matches([' ', '\t', '\r']);
            match rest.strip_prefix("//") {
                Some(comment) => rest = &comment[comment.find('\n').unwrap_or(comment.len())..],
                None => break,
            }
        }
        let first = rest.chars().next()?;
        let is_word = |c: char| c == '_' || c.is_ascii_alphanumeric();
        let end = match first {
            '"' | '\'' => end_of_string(rest, first),
            c if is_word(c) => rest.find(|c| !is_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        let (token, after) = rest.split_at(end);
        rest = after;
        Some(token)
    })
}

/// Returns the end of a string at the start of a text. One that is not closed ends with its line.
fn end_of_string(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            '\n' => return at,
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            c if c == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_follows_from_the_text_before() {
        use Expected::*;
        for (text, expected) in [
            ("", Item),
            ("// a note: in ", Item),
            ("const N = 2;\n", Item),
            ("fn f(n: ", Type),
            ("fn f(n: [", Type),
            ("fn f(n: [int; ", Expression),
            ("fn f(n: int) -> ", Type),
            ("fn f(n: int) -> int {\n    ", Statement),
            ("fn f(n: int) -> int {\n    let x = 1;\n    ", Statement),
            ("fn f(n: int) -> int {\n    let x = n\n    ", Statement),
            ("fn f(n: int) -> int {\n    let x = ", Expression),
            ("fn f(n: int) -> int {\n    let x = n +\n    ", Expression),
            ("fn f(n: int) -> int {\n    let x: ", Type),
            ("fn f(n: int) -> int {\n    for i ", Operator),
            ("fn f(n: int) -> int {\n    for i in ", Expression),
            ("fn f(n: int) -> int {\n    if n > 0 { return 1; } ", Statement),
            ("fn f(n: int) -> int { return g(n) ", Operator),
            ("fn f(n: int) -> int { return n; }\n", Item),
            ("test ", Expression),
            ("test \"a } in a label\": ", Expression),
            ("test f(1) == ", Expression),
            ("prop a ", Operator),
        ] {
            assert_eq!(Expected::after(text), expected, "{text:?}");
        }
    }
}
