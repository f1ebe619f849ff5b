//! The tests suggested for survivors: a list to keep, drop or correct before they are added.

use crate::workbench::field::Field;

/// The comment after an added test whose value nobody confirmed.
pub const UNCONFIRMED: &str = "// unconfirmed";

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Suggestion {
    /// The call as source text.
    pub call: String,
    /// The expected value as source text.
    pub value: String,
    pub is_bool: bool,
    /// Whether it will be added.
    pub kept: bool,
    /// Whether the user confirmed or typed the value.
    pub confirmed: bool,
    pub mutants: u32,
}

impl Suggestion {
    /// Takes a test apart: `test f(1) == 2;`, `test f(1);` or `test !f(1);`.
    pub fn of(test: &str) -> Option<Suggestion> {
        let body = test.trim().strip_prefix("test ")?.strip_suffix(';')?;
        let (call, value, is_bool) = match (comparison(body), body.strip_prefix('!')) {
            (Some(at), _) => (&body[..at], &body[at + EQUALS.len()..], false),
            (None, Some(call)) => (call, "false", true),
            (None, None) => (body, "true", true),
        };
        let (call, value) = (call.to_string(), value.to_string());
        Some(Suggestion { call, value, is_bool, kept: true, confirmed: false, mutants: 1 })
    }

    /// Returns the test without a comment.
    pub fn test(&self) -> String {
        let Suggestion { call, value, .. } = self;
        match (self.is_bool, &**value) {
            (true, "true") => format!("test {call};"),
            (true, _) => format!("test !{call};"),
            (false, value) => format!("test {call} == {value};"),
        }
    }

    /// Returns the test as it is added.
    pub fn line(&self) -> String {
        let comment = if self.confirmed { String::new() } else { format!(" {UNCONFIRMED}") };
        format!("{}{comment}", self.test())
    }

    /// Takes the value that the user typed. Returns false if it cannot be one.
    pub fn correct(&mut self, value: &str) -> bool {
        let value = value.trim();
        let fits = match self.is_bool {
            true => matches!(value, "true" | "false"),
            false => !value.is_empty() && !value.contains(';') && !value.contains("//"),
        };
        if fits {
            (self.value, self.confirmed, self.kept) = (value.into(), true, true);
        }
        fits
    }
}

const EQUALS: &str = " == ";

/// Returns the place of the last ` == ` outside of strings.
fn comparison(text: &str) -> Option<usize> {
    let (mut quoted, mut escaped) = (None, false);
    let mut last = None;
    for (at, c) in text.char_indices() {
        match quoted {
            Some(_) if escaped => escaped = false,
            Some(_) if c == '\\' => escaped = true,
            Some(quote) if c == quote => quoted = None,
            Some(_) => {}
            None if matches!(c, '"' | '\'') => quoted = Some(c),
            None if text[at..].starts_with(EQUALS) => last = Some(at),
            None => {}
        }
    }
    last
}

/// The state of the list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SuggestedView {
    /// The revision of the text for which the tests are suggested.
    pub revision: u64,
    pub rows: Vec<Suggestion>,
    pub chosen: usize,
    /// The value that is being typed for the chosen test.
    pub field: Option<Field>,
    /// Whether the last input cannot be a value.
    pub refused: bool,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn test_is_taken_apart_and_put_together_again() {
        for test in
            ["test f(3) == [1, 2];", "test !f(\"a == b\");", "test f(0);", "test f(\" == \") == \"x == \\\"\";"]
        {
            let suggestion = Suggestion::of(test).expect("a test");
            assert_eq!(suggestion.test(), test);
            assert_eq!(suggestion.line(), format!("{test} // unconfirmed"));
        }
        assert_eq!(Suggestion::of("prop n in 0..3 => true;"), None);
    }

    #[test]
    fn typed_value_replaces_the_programs_and_confirms_it() {
        let mut number = Suggestion::of("test f(3) == 4;").expect("a test");
        assert!(!number.correct(" ") && !number.correct("1; test true"));
        assert!(number.correct(" 5 "));
        assert_eq!(number.line(), "test f(3) == 5;");
        let mut truth = Suggestion::of("test f(3);").expect("a test");
        assert!(!truth.correct("3") && truth.correct("false"));
        assert_eq!(truth.line(), "test !f(3);");
    }
}
