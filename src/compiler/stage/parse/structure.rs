//! The structure of the text: statements, bracket partners, regions, nesting.
//!
//! It is found without a grammar, so an error in one statement cannot move the boundaries of another.

use super::kinds::{ASSIGNMENTS, CUTS, GUARDS, ITEMS, STATEMENTS, Set};
use crate::compiler::program::Tokens;
use crate::lang::NONE;
use crate::lang::diagnostic::Code;
use crate::lang::index::{Index, TokenId};
use crate::lang::limits::NESTING;
use crate::lang::token::TokenKind;

/// A statement, the tokens `[s, e)`.
#[derive(Clone, Copy, Debug)]
pub struct Statement {
    pub s: usize,
    pub e: usize,
    /// Whether it has an Error token.
    pub lexical: bool,
    pub assigns: bool,
}

/// A region: from an item keyword up to the next one.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    /// Its statements, as a range of [`Structure::statements`].
    pub first: usize,
    pub end: usize,
    /// One past its last token.
    pub hi: usize,
    /// Whether an unterminated literal in it contains a brace.
    pub swallowed_brace: bool,
}

#[derive(Clone, Debug, Default)]
pub struct Structure {
    /// Every token's kind, then an `Error` for the end of the text. No statement with an Error token is
    /// parsed, so the kind is unambiguous.
    pub kinds: Vec<TokenKind>,
    pub statements: Vec<Statement>,
    pub regions: Vec<Region>,
    /// For each token, the other bracket of its pair, or `NONE`.
    pub partner: Vec<u32>,
    /// If nesting exceeds the limit: the first opener beyond it, and the greatest nesting.
    pub too_deep: Option<(usize, usize)>,
    braces: Vec<TokenId>,
    brackets: Vec<TokenId>,
}

/// The value of an Error token for an unterminated literal that contains a brace.
const SWALLOWED: u32 = Code::Unterminated as u32 | 1 << 16;

impl Structure {
    pub fn build(&mut self, tokens: &Tokens) {
        use TokenKind::*;
        let n = tokens.kind.len();
        self.kinds.clear();
        self.kinds.extend(tokens.kind.iter().map(|kind| TokenKind::from_u32(*kind).unwrap_or(Error)));
        // A sentinel, so that rules may look at the token after the last one.
        self.kinds.push(Error);
        self.statements.clear();
        self.regions.clear();
        self.partner.clear();
        self.partner.resize(n, NONE);
        self.braces.clear();
        self.brackets.clear();
        self.too_deep = None;
        let mut deepest = 0;
        let mut previous = Semicolon;
        // The last token that decides the meaning of an `if`.
        let mut guard = Semicolon;
        let mut behind_end = true;
        let mut current = Statement { s: 0, e: 0, lexical: false, assigns: false };
        // The last start of a statement that is not late.
        let mut start = 0;
        let mut swallowed_brace = false;
        for t in 0..n {
            let kind = self.kinds[t];
            // The `if` of a property's condition is only a separator.
            let cuts = CUTS.has(kind) && !(kind == If && guard == Prop);
            if GUARDS.has(kind) {
                guard = kind;
            }
            let starts = behind_end
                || cuts && kind != LeftBrace && !(kind == If && previous == Else)
                || kind == RightBrace;
            // Round and square brackets match inside of a piece only, so a missing closer does not spoil what
            // follows.
            if cuts {
                self.brackets.clear();
            }
            if starts {
                if t > 0 {
                    self.statements.push(Statement { e: t, ..current });
                }
                current = Statement { s: t, e: t, lexical: false, assigns: false };
                start = t;
                if ITEMS.has(kind) {
                    if t > 0 {
                        self.end_region(t, swallowed_brace);
                    }
                    swallowed_brace = false;
                    // Braces match inside of a region only.
                    self.braces.clear();
                }
            }
            behind_end = false;
            match kind {
                LeftBrace | LeftParen | LeftBracket => {
                    let (stack, ends) =
                        if kind == LeftBrace { (&mut self.braces, true) } else { (&mut self.brackets, false) };
                    stack.push(TokenId::at(t));
                    behind_end = ends;
                    let depth = self.braces.len() + self.brackets.len();
                    if depth > deepest {
                        deepest = depth;
                        if depth > NESTING {
                            let first = self.too_deep.map_or(t, |(first, _)| first);
                            self.too_deep = Some((first, depth));
                        }
                    }
                }
                RightBrace => {
                    let opener = self.braces.pop();
                    self.pair(opener, t);
                    behind_end = true;
                }
                RightParen | RightBracket => {
                    let opener = self.brackets.pop();
                    self.pair(opener, t);
                }
                // Within brackets, as in `[0; 8]`, it separates.
                Semicolon => behind_end = self.brackets.is_empty(),
                Error => {
                    current.lexical = true;
                    swallowed_brace |= tokens.value[t] == SWALLOWED;
                }
                _ if ASSIGNMENTS.has(kind) => {
                    if let Some(target) = self.late_start(tokens, start, t) {
                        self.statements.push(self.stretch(current.s, target));
                        current = self.stretch(target, t);
                    }
                    current.assigns = true;
                }
                _ => {}
            }
            previous = kind;
        }
        if n > 0 {
            self.statements.push(Statement { e: n, ..current });
            self.end_region(n, swallowed_brace);
        }
    }

    /// Returns the start of the assignment whose operator is at `t` if a `;` is missing before it. It must
    /// begin a line in a block, and follow tokens since `start` that can be a whole statement.
    fn late_start(&self, tokens: &Tokens, start: usize, t: usize) -> Option<usize> {
        use TokenKind::*;
        /// Only after these can a statement be complete.
        const ENDED: Set =
            Set::of(&[Int, Char, Str, Name, True, False, RightParen, RightBracket, Break, Continue]);
        const HEADERS: Set = Set::of(&[If, While, For, Else]);
        if self.braces.is_empty() || !self.brackets.is_empty() || HEADERS.has(self.kinds[start]) {
            return None;
        }
        let last = t.checked_sub(1)?;
        let target = match (self.kinds[last], self.partner[last]) {
            (Name, _) => last,
            (RightBracket, opener) if opener != NONE && self.kinds[opener as usize] == LeftBracket => {
                (opener as usize).checked_sub(1).filter(|t| self.kinds[*t] == Name)?
            }
            _ => return None,
        };
        let before = target.checked_sub(1).filter(|_| target > start)?;
        (ENDED.has(self.kinds[before]) && tokens.line[target] > tokens.line[before]).then_some(target)
    }

    /// The tokens [s, e) as a statement.
    fn stretch(&self, s: usize, e: usize) -> Statement {
        let kinds = &self.kinds[s..e];
        let lexical = kinds.contains(&TokenKind::Error);
        Statement { s, e, lexical, assigns: kinds.iter().any(|kind| ASSIGNMENTS.has(*kind)) }
    }

    fn pair(&mut self, opener: Option<TokenId>, closer: usize) {
        if let Some(opener) = opener {
            self.partner[opener.position()] = closer as u32;
            self.partner[closer] = opener.number();
        }
    }

    fn end_region(&mut self, hi: usize, swallowed_brace: bool) {
        let first = self.regions.last().map_or(0, |region| region.end);
        self.regions.push(Region { first, end: self.statements.len(), hi, swallowed_brace });
    }

    /// Returns whether a statement is the header of a block but lacks its `{`.
    pub fn lacks_block(&self, statement: &Statement) -> bool {
        use TokenKind::*;
        matches!(self.kinds[statement.s], If | While | For | Else | Fn)
            && self.kinds[statement.e - 1] != LeftBrace
    }

    /// Returns one past the token that closes the `{` at `t`; if none does, the end of its region.
    pub fn block_end(&self, t: usize, region: &Region) -> u32 {
        match self.partner[t] {
            NONE => region.hi as u32,
            closer => closer + 1,
        }
    }
}

/// Returns whether a keyword begins a statement or item. Before such a keyword, a missing `;` is reported.
pub fn begins_another(kind: TokenKind) -> bool {
    ITEMS.has(kind) || STATEMENTS.has(kind) || kind == TokenKind::Else
}
