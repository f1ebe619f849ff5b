//! The command `:s`: replaces matches in lines. Patterns and replacements are read as vi's.

/// Lines that a command begins with, from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LineRange {
    Current,
    All,
    /// From one line to another; `None` is the cursor's line, `usize::MAX` the last.
    Between(Option<usize>, Option<usize>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Substitution {
    pub range: LineRange,
    /// A regular expression, as this program writes them.
    pub pattern: String,
    /// The replacement, in which `${1}` is a group.
    pub with: String,
    /// All matches of a line, not only the first.
    pub is_global: bool,
    pub is_blind: bool,
}

impl Substitution {
    /// Reads a command; `None` if it is another one.
    ///
    /// # Errors
    /// Says what is wrong with it.
    pub fn read(text: &str) -> Option<Result<Substitution, &'static str>> {
        let (range, rest) = read_range(text)?;
        let rest = rest.strip_prefix("substitute").or(rest.strip_prefix('s'))?;
        let sign = rest.chars().next().filter(|c| c.is_ascii_punctuation() && !"\"|\\&".contains(*c))?;
        let mut parts = split(&rest[1..], sign).into_iter();
        let (pattern, with, flags) =
            (parts.next()?, parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
        if parts.next().is_some() || !flags.chars().all(|c| "gi".contains(c)) {
            return Some(Err("not a substitution: :s/PATTERN/TEXT/, then g for all in a line, i for any case"));
        }
        Some(Ok(Substitution {
            range,
            pattern: pattern_of(&pattern),
            with: replacement_of(&with),
            is_global: flags.contains('g'),
            is_blind: flags.contains('i'),
        }))
    }

    /// Returns the lines, from 0, of a text whose cursor and last line are these.
    pub fn lines(&self, cursor: usize, last: usize) -> std::ops::RangeInclusive<usize> {
        let (a, b) = match self.range {
            LineRange::Current => (cursor, cursor),
            LineRange::All => (0, last),
            LineRange::Between(a, b) => (a.unwrap_or(cursor).min(last), b.unwrap_or(cursor).min(last)),
        };
        a.min(b)..=a.max(b)
    }
}

/// Reads the lines at the start of a command; returns the rest.
fn read_range(text: &str) -> Option<(LineRange, &str)> {
    if let Some(rest) = text.strip_prefix('%') {
        return Some((LineRange::All, rest));
    }
    let (first, rest) = read_line(text);
    match rest.strip_prefix(',') {
        Some(rest) => {
            let (last, rest) = read_line(rest);
            Some((LineRange::Between(first, last), rest))
        }
        None if rest.len() == text.len() => Some((LineRange::Current, rest)),
        None => Some((LineRange::Between(first, first), rest)),
    }
}

/// Reads a line: a number, `.` or `$`. `None` is the cursor's line.
fn read_line(text: &str) -> (Option<usize>, &str) {
    if let Some(rest) = text.strip_prefix('.') {
        return (None, rest);
    }
    if let Some(rest) = text.strip_prefix('$') {
        return (Some(usize::MAX), rest);
    }
    let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
    let number = (digits > 0).then(|| text[..digits].parse::<usize>().unwrap_or(usize::MAX).saturating_sub(1));
    (number, &text[digits..])
}

/// Splits at a sign, unless a backslash precedes it.
fn split(text: &str, sign: char) -> Vec<String> {
    let mut parts = vec![String::new()];
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        let last = parts.last_mut().expect("a part");
        match c {
            '\\' => match chars.next() {
                Some(next) if next == sign => last.push(next),
                Some(next) => last.extend(['\\', next]),
                None => last.push('\\'),
            },
            c if c == sign => parts.push(String::new()),
            c => last.push(c),
        }
    }
    parts
}

/// Returns vi's pattern as this program's: where one writes `\(`, the other writes `(`.
fn pattern_of(vi: &str) -> String {
    let mut out = String::new();
    let mut chars = vi.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('v') => {
                    out.extend(chars.by_ref());
                }
                Some('<' | '>') => out.push_str("\\b"),
                Some('=') => out.push('?'),
                Some('{') => {
                    out.push('{');
                    out.extend(chars.by_ref().take_while(|c| *c != '}'));
                    out.push('}');
                }
                Some(c @ ('(' | ')' | '|' | '+' | '?')) => out.push(c),
                Some(c) => out.extend(['\\', c]),
                None => out.push_str("\\\\"),
            },
            '[' => {
                out.push('[');
                out.extend(chars.by_ref().take_while(|c| *c != ']'));
                out.push(']');
            }
            '(' | ')' | '|' | '+' | '?' | '{' | '}' => out.extend(['\\', c]),
            '*' if out.is_empty() => out.push_str("\\*"),
            c => out.push(c),
        }
    }
    out
}

/// Returns vi's replacement as this program's.
fn replacement_of(vi: &str) -> String {
    let mut out = String::new();
    let mut chars = vi.chars();
    while let Some(c) = chars.next() {
        match c {
            '&' => out.push_str("${0}"),
            '$' => out.push_str("$$"),
            '\\' => match chars.next() {
                Some(digit @ '0'..='9') => out.push_str(&format!("${{{digit}}}")),
                Some('r' | 'n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(c) => out.push(c),
                None => out.push('\\'),
            },
            c => out.push(c),
        }
    }
    out
}
