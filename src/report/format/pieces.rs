//! The tokens and comments of a text, each with the line ends before it.

use crate::compiler::program::View;
use crate::compiler::variants::Ignored;
use crate::lang::token::TokenKind;

/// The characters that may end a comment's line without being a part of it. All others are text, such as a no-break
/// space.
const BLANKS: [char; 3] = [' ', '\t', '\r'];

#[derive(Clone, Copy, Debug)]
pub struct FormatPiece<'a> {
    pub text: &'a str,
    /// `None` for a comment.
    pub kind: Option<TokenKind>,
    /// Number of line ends between the previous piece and this one.
    pub line_ends: usize,
    /// The line of a token whose changes a comment ignores, or 0. Such a line stays as it is.
    pub ignored: u32,
}

impl FormatPiece<'_> {
    pub fn is(&self, kind: TokenKind) -> bool {
        self.kind == Some(kind)
    }

    pub fn is_comment(&self) -> bool {
        self.kind.is_none()
    }

    /// Width in columns.
    pub fn width(&self) -> usize {
        self.text.chars().count()
    }
}

/// Returns all tokens and comments in source order.
pub fn pieces<'a>(view: View<'a>) -> Vec<FormatPiece<'a>> {
    let mut pieces = Vec::new();
    let ignored: Vec<u32> = Ignored::of(view).lines().collect();
    let ignored = |line: u32| if ignored.binary_search(&line).is_ok() { line } else { 0 };
    let mut end = 0;
    for token in view.all() {
        let Some(span) = view.span(token) else { continue };
        let line_ends = add_comments(&view.source[end..span.start], &mut pieces);
        end = span.end;
        let ignored = ignored(view.line(token));
        pieces.push(FormatPiece { text: view.text(token), kind: Some(view.kind(token)), line_ends, ignored });
    }
    add_comments(&view.source[end..], &mut pieces);
    pieces
}

/// Adds the comments of a text without tokens. Returns the number of line ends after the last one.
fn add_comments<'a>(gap: &'a str, pieces: &mut Vec<FormatPiece<'a>>) -> usize {
    let mut line_ends = 0;
    for (at, line) in gap.split('\n').enumerate() {
        line_ends += usize::from(at > 0);
        if let Some(start) = line.find("//") {
            let text = line[start..].trim_end_matches(BLANKS);
            pieces.push(FormatPiece { text, kind: None, line_ends, ignored: 0 });
            line_ends = 0;
        }
    }
    line_ends
}
