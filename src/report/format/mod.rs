//! The standard layout of a program (`docs/fmt.md`). Only spaces, tabs and line ends change, and within a statement the
//! author's line ends stay wherever a line may end.

mod pieces;

use std::ops::Range;

use crate::compiler::program::{Checked, Facts, Tokens, Tree, View};
use crate::compiler::stage::{lex, parse};
use crate::lang::token::TokenKind::{self, *};
use pieces::{FormatPiece, pieces};

/// Number of spaces per level.
const INDENT: usize = 4;
/// A block stays on one line only if the line has at most this number of columns.
const WIDTH: usize = 100;
const BYTE_ORDER_MARK: char = '\u{feff}';

/// Returns a text in the standard layout, or `None` if it has lexical or syntax errors. It need not compile.
pub fn format(text: &str) -> Option<String> {
    let (mut tokens, mut tree, mut facts) = (Tokens::default(), Tree::default(), Facts::default());
    lex::run(text, &mut tokens, &mut facts, &mut lex::LexScratch::default());
    if !facts.stopped() {
        parse::run(&tokens, &mut tree, &mut facts, &mut parse::ParseScratch::default());
    }
    if facts.stopped() || facts.errors > 0 {
        return None;
    }
    let checked = Checked::default();
    let pieces = pieces(View { source: text, tokens: &tokens, tree: &tree, checked: &checked });
    let mut laid_out = Layout { pieces: &pieces, ..Layout::default() }.all();
    if text.split('\n').next().is_some_and(|line| line.ends_with('\r')) {
        laid_out = laid_out.replace('\n', "\r\n");
    }
    if text.starts_with(BYTE_ORDER_MARK) {
        laid_out.insert(0, BYTE_ORDER_MARK);
    }
    // Whatever goes wrong above, no character of the author is lost.
    has_same_ink(text, &laid_out).then_some(laid_out)
}

/// Returns whether two texts differ in spaces, tabs and line ends only.
fn has_same_ink(one: &str, other: &str) -> bool {
    let ink = |text| str::chars(text).filter(|c| !matches!(c, ' ' | '\t' | '\n' | '\r'));
    ink(one).eq(ink(other))
}

/// The white space between two pieces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gap {
    Nothing,
    Space,
    Line,
    /// A line end and an empty line.
    EmptyLine,
}

/// Lays out pieces from first to last.
#[derive(Default)]
struct Layout<'a> {
    pieces: &'a [FormatPiece<'a>],
    text: String,
    /// Where the current line starts in the text, in bytes.
    line_start: usize,
    /// For each open `(` and `[`, the number of spaces before the line that it is on.
    brackets: Vec<usize>,
    /// Number of open `{`.
    blocks: usize,
}

impl Layout<'_> {
    fn all(mut self) -> String {
        // The end of the statement on one line, with its blocks, that the current piece belongs to.
        let mut one_line_end = 0;
        let mut starts_statement = true;
        for at in 0..self.pieces.len() {
            let piece = self.pieces[at];
            let is_inside = !starts_statement;
            let is_flat = at < one_line_end;
            if starts_statement && !piece.is_comment() && !piece.is(Else) {
                one_line_end = one_line_end.max(self.one_line(at).end);
            }
            match self.gap(at, is_flat, is_inside) {
                Gap::Nothing => {}
                Gap::Space => self.text.push(' '),
                gap => {
                    let indent = self.indent(piece, is_inside);
                    self.text.push_str(if gap == Gap::EmptyLine { "\n\n" } else { "\n" });
                    self.line_start = self.text.len();
                    self.text.extend(std::iter::repeat_n(' ', indent));
                }
            }
            self.text.push_str(piece.text);
            self.nest(piece);
            let ends =
                piece.is(Semicolon) && self.brackets.is_empty() || piece.is(LeftBrace) || piece.is(RightBrace);
            starts_statement = ends || starts_statement && piece.is_comment();
        }
        if !self.text.is_empty() {
            self.text.push('\n');
        }
        self.text
    }

    /// Returns the pieces of the statement that starts at `start`, up to the end of its last block, if they stay on one
    /// line: they are on one line, no longer than [`WIDTH`], and no block has a comment, a block or two statements.
    fn one_line(&self, start: usize) -> Range<usize> {
        let nothing = start..start;
        let (mut depth, mut statements, mut brackets, mut end) = (0, 0, 0, start);
        let mut width = self.blocks * INDENT;
        for (at, piece) in self.pieces.iter().enumerate().skip(start) {
            let is_behind = end == at && at > start && !piece.is(Else);
            if is_behind || at > start && piece.line_ends > 0 || piece.is_comment() {
                break;
            }
            width += piece.width() + usize::from(at > start && self.spacing(at) == Gap::Space);
            match piece.kind {
                Some(LeftParen | LeftBracket) => brackets += 1,
                Some(RightParen | RightBracket) => brackets -= 1,
                Some(LeftBrace) => (depth, statements) = (depth + 1, 0),
                Some(RightBrace) => {
                    depth -= 1;
                    end = at + 1;
                }
                Some(Semicolon) if brackets == 0 && depth == 0 => return nothing,
                Some(Semicolon) if brackets == 0 => statements += 1,
                _ => {}
            }
            if !(0..=1).contains(&depth) || statements > 1 || width > WIDTH {
                return nothing;
            }
        }
        // A chain of `if` and `else` is on one line as a whole or not at all.
        let goes_on = self.pieces.get(end).is_some_and(|next| next.is(Else));
        if depth == 0 && !goes_on { start..end } else { nothing }
    }

    /// Returns the white space before a piece. `is_flat`: the piece stays on its line. `is_inside`: it is not the first of a statement.
    fn gap(&self, at: usize, is_flat: bool, is_inside: bool) -> Gap {
        let Some(before) = at.checked_sub(1).map(|before| self.pieces[before]) else { return Gap::Nothing };
        let piece = self.pieces[at];
        let line = if piece.line_ends > 1 && !is_inside { Gap::EmptyLine } else { Gap::Line };
        let opens = before.is(LeftBrace);
        match () {
            () if piece.is_comment() && piece.line_ends == 0 => Gap::Space,
            // An ignored line neither loses tokens nor gets more.
            () if piece.ignored != before.ignored && piece.line_ends > 0 => line,
            () if opens && piece.is(RightBrace) => Gap::Nothing,
            () if piece.ignored > 0 && piece.line_ends == 0 => self.spacing(at),
            () if is_flat => self.spacing(at),
            () if before.is(RightBrace) && piece.is(Else) => Gap::Space,
            () if opens || piece.is(RightBrace) => Gap::Line,
            () if piece.is_comment() || before.is_comment() || !is_inside => line,
            () if piece.line_ends > 0 && may_end_line(before, piece) => Gap::Line,
            () => self.spacing(at),
        }
    }

    /// Returns a space or nothing: what separates a piece from the previous one on the same line.
    fn spacing(&self, at: usize) -> Gap {
        let (before, piece) = (self.pieces[at - 1], self.pieces[at]);
        let (Some(before), Some(kind)) = (before.kind, piece.kind) else { return Gap::Space };
        let joins = matches!(before, LeftParen | LeftBracket | DotDot | DotDotEqual)
            || matches!(kind, RightParen | RightBracket | Comma | Semicolon | Colon | DotDot | DotDotEqual)
            || self.is_prefix(at - 1)
            || kind == LeftParen && (before.ends_operand() || matches!(before, IntType | BoolType))
            || kind == LeftBracket && before.ends_operand()
            || before == LeftBrace && kind == RightBrace;
        if joins { Gap::Nothing } else { Gap::Space }
    }

    /// Returns whether a piece is a prefix operator.
    fn is_prefix(&self, at: usize) -> bool {
        let follows =
            at.checked_sub(1).and_then(|before| self.pieces[before].kind).is_some_and(TokenKind::ends_operand);
        self.pieces[at].kind.is_some_and(TokenKind::is_prefix) && !follows
    }

    /// Returns the number of spaces before a piece that begins a line.
    fn indent(&self, piece: FormatPiece, is_inside: bool) -> usize {
        let closes = matches!(piece.kind, Some(RightParen | RightBracket));
        match self.brackets.last() {
            Some(indent) if closes => *indent,
            Some(indent) => indent + INDENT,
            None => {
                (self.blocks + usize::from(is_inside) - usize::from(piece.is(RightBrace) && self.blocks > 0))
                    * INDENT
            }
        }
    }

    /// Keeps track of the open brackets.
    fn nest(&mut self, piece: FormatPiece) {
        match piece.kind {
            Some(LeftParen | LeftBracket) => {
                let line = &self.text[self.line_start..];
                self.brackets.push(line.len() - line.trim_start_matches(' ').len());
            }
            Some(RightParen | RightBracket) => _ = self.brackets.pop(),
            Some(LeftBrace) => self.blocks += 1,
            Some(RightBrace) => self.blocks = self.blocks.saturating_sub(1),
            _ => {}
        }
    }
}

/// Returns whether a line of a statement may end between two of its pieces: after an opening bracket, a comma, `=`, `=>` or an
/// operator, and before a closing bracket, `=>` or an operator.
fn may_end_line(before: FormatPiece, piece: FormatPiece) -> bool {
    let is_infix = |kind: TokenKind| kind.infix_strength() > 0;
    let after = |kind| {
        matches!(kind, LeftParen | LeftBracket | Comma | FatArrow) || is_infix(kind) || kind.is_assignment()
    };
    let ahead = |kind| matches!(kind, RightParen | RightBracket | FatArrow) || is_infix(kind);
    before.kind.is_some_and(after) || piece.kind.is_some_and(ahead)
}
