//! Parses the header of a lesson: the comments at the top of a file, split into fields. `//! goal: tests pass`
//! is a field. A line indented by two spaces continues the field above; an empty `//!` starts a new paragraph
//! of it.

use std::ops::Range;

/// Prefix of each line of the header.
const MARK: &str = "//!";

/// A mistake in a lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatFault {
    /// Byte range in the file.
    pub span: Range<usize>,
    pub message: String,
    pub help: Option<String>,
}

impl FormatFault {
    pub fn new(span: Range<usize>, message: impl Into<String>) -> FormatFault {
        FormatFault { span, message: message.into(), help: None }
    }

    pub fn help(self, help: impl Into<String>) -> FormatFault {
        FormatFault { help: Some(help.into()), ..self }
    }
}

/// A field of the header.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field<'a> {
    pub name: &'a str,
    /// Byte range of its name.
    pub span: Range<usize>,
    /// The text after the colon and the lines that continue it; an empty line separates paragraphs.
    pub lines: Vec<HeaderLine<'a>>,
}

/// A line of a field, with its byte offset in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HeaderLine<'a> {
    pub text: &'a str,
    pub at: usize,
}

impl HeaderLine<'_> {
    pub fn span(&self) -> Range<usize> {
        self.at..self.at + self.text.len()
    }
}

impl Field<'_> {
    /// Returns the byte range of its first line's text, or of its name if that line is empty.
    pub fn value_span(&self) -> Range<usize> {
        self.lines.first().filter(|piece| !piece.text.is_empty()).map_or(self.span.clone(), HeaderLine::span)
    }

    /// Returns its text, split into paragraphs.
    pub fn paragraphs(&self) -> Vec<String> {
        let paragraphs = self.lines.split(|piece| piece.text.is_empty());
        let joined =
            paragraphs.map(|pieces| pieces.iter().map(|piece| piece.text).collect::<Vec<_>>().join(" "));
        joined.filter(|text| !text.is_empty()).collect()
    }
}

/// A file, split into header and program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LessonFile<'a> {
    pub fields: Vec<Field<'a>>,
    pub faults: Vec<FormatFault>,
    /// The text after the header and the blank lines that follow it.
    pub code: &'a str,
}

/// Splits a file into the fields of its header and the program.
pub fn split_header(text: &str) -> LessonFile<'_> {
    let mut file = LessonFile::default();
    // A byte order mark is skipped.
    let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
    let mut header = true;
    for whole in text[at..].split_inclusive('\n') {
        let line = whole.trim_end();
        match line.strip_prefix(MARK) {
            Some(rest) if header => line_of(rest, at + MARK.len(), &mut file),
            _ if line.is_empty() => header = false,
            _ => break,
        }
        at += whole.len();
    }
    file.code = &text[at..];
    file
}

/// Parses a line of the header; `rest`, its text after the mark, begins at byte `at`.
fn line_of<'a>(rest: &'a str, at: usize, file: &mut LessonFile<'a>) {
    let text = rest.trim_start();
    let indent = rest.len() - text.len();
    let piece = HeaderLine { text, at: at + indent };
    if text.is_empty() || indent >= 2 {
        match file.fields.last_mut() {
            Some(field) => field.lines.push(piece),
            None if text.is_empty() => {}
            None => file
                .faults
                .push(FormatFault::new(piece.span(), "this continues a field, but there is no field above")),
        }
        return;
    }
    let Some((name, value)) = text.split_once(':') else {
        let fault = FormatFault::new(piece.span(), "this is not a field");
        return file
            .faults
            .push(fault.help("a field is `//! NAME: TEXT`; two spaces after `//!` continue the field above"));
    };
    let trimmed = value.trim_start();
    let first = HeaderLine { text: trimmed, at: piece.at + text.len() - trimmed.len() };
    file.fields.push(Field { name, span: piece.at..piece.at + name.len(), lines: vec![first] });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lesson_header_is_split_into_fields_with_spans() {
        let text = "\u{feff}//! lesson: Two words\r\n//! teaches: One\n//!   and more.\n//!\n//!   Another.\n\n\nfn f()\n//! no: field\n";
        let file = split_header(text);
        assert_eq!(file.faults, []);
        assert_eq!(file.code, "fn f()\n//! no: field\n");
        let names: Vec<&str> = file.fields.iter().map(|field| field.name).collect();
        assert_eq!(names, ["lesson", "teaches"]);
        assert_eq!(file.fields[1].paragraphs(), ["One and more.", "Another."]);
        for piece in file.fields.iter().flat_map(|field| &field.lines) {
            assert_eq!(&text[piece.span()], piece.text);
        }
        assert_eq!(&text[file.fields[1].span.clone()], "teaches");
    }

    #[test]
    fn header_line_without_a_field_is_a_fault() {
        for (text, at) in
            [("//! lesson: A\n//! goal tests pass\n", "goal tests pass"), ("//!   more\n", "more")]
        {
            let faults = split_header(text).faults;
            assert_eq!(faults.len(), 1, "{text}");
            assert_eq!(&text[faults[0].span.clone()], at);
        }
    }
}
