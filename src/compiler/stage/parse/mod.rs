//! parse: builds the syntax tree of the tokens. A node of the tree is its head token.
//!
//! The GPU twin is `shaders/parse.wgsl`. This one has two steps. `structure` divides the text into statements
//! by local rules, which work for any input. Then each statement is parsed on its own, from left to right, up
//! to its first error. For a statement with an error, only the rows that its surroundings need are kept
//! (`broken`). `docs/stages/parse.md` has the exact rules.
//!
//! A chain of thousands of operators is legal, so nothing here recurses per level.

mod broken;
mod expression;
mod kinds;
mod statement;
mod structure;

use crate::compiler::program::{
    ERROR_BEHIND, Facts, STMT_INDEX, STMT_LEXICAL, STMT_MUTED, STMT_SYNTAX, STMT_UNCLOSED, Tokens, Tree,
};
use crate::lang::NONE;
use crate::lang::diagnostic::Code;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use structure::{Region, Statement, Structure};

/// Scratch memory, kept between programs.
#[derive(Clone, Debug, Default)]
pub struct ParseScratch {
    structure: Structure,
    stack: Vec<expression::ExpressionFrame>,
    blocks: Vec<OpenBlock>,
    ifs: Vec<Chain>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct SyntaxError {
    t: usize,
    code: Code,
    behind: bool,
}

impl SyntaxError {
    fn at(t: usize, code: Code) -> SyntaxError {
        SyntaxError { t, code, behind: false }
    }
    fn behind(t: usize, code: Code) -> SyntaxError {
        SyntaxError { t, code, behind: true }
    }
    fn word(self) -> u32 {
        self.code as u32 | if self.behind { ERROR_BEHIND } else { 0 }
    }
}

/// A subtree: its head and its extent in tokens.
#[derive(Clone, Copy, Debug)]
struct Node {
    head: u32,
    lo: u32,
    hi: u32,
}

#[derive(Clone, Copy, Debug)]
struct OpenBlock {
    opener: u32,
    /// Index in `ifs` of the If whose condition precedes the block, or `NONE`.
    first_of: u32,
}

/// Facts about a statement's region.
struct ParsePlace {
    is_item: bool,
    /// The item's block is never closed, which is an error of the item.
    is_open: bool,
    /// The statement follows the `{` of such a block, so its errors are not reported.
    is_muted: bool,
    /// A brace is known to be missing, so errors elsewhere that this may cause are not reported.
    brace_missing: bool,
}

/// An If, and the If that determines its extent.
#[derive(Clone, Copy, Debug)]
struct Chain {
    head: u32,
    /// Index in `ifs` of the If after its `else`, or `NONE`.
    next: u32,
}

/// Parses one statement. Rows are written as nodes are found, and cleared if an error follows.
struct Parser<'a> {
    tokens: &'a Tokens,
    kinds: &'a [TokenKind],
    partner: &'a [u32],
    tree: &'a mut Tree,
    stack: &'a mut Vec<expression::ExpressionFrame>,
    s: usize,
    e: usize,
    /// Whether the statement would be complete with a `;` at its end.
    lacks_end: bool,
}

impl Parser<'_> {
    /// The kind of token `t`, which may be one past the statement's last token; `Error` at the end of the
    /// text.
    fn kind(&self, t: usize) -> TokenKind {
        self.kinds.get(t).copied().unwrap_or(TokenKind::Error)
    }

    /// Number of tokens of the program.
    fn end(&self) -> usize {
        self.partner.len()
    }

    fn node(&mut self, t: usize, role: Role, lo: usize, hi: usize) -> Node {
        let node = Node { head: t as u32, lo: lo as u32, hi: hi as u32 };
        self.tree.role[t] = role as u32;
        self.tree.lo[t] = node.lo;
        self.tree.hi[t] = node.hi;
        node
    }

    fn adopt(&mut self, parent: usize, child: Node, slot: u32) {
        self.tree.parent[child.head as usize] = parent as u32;
        self.tree.slot[child.head as usize] = slot;
    }

    /// Checks a bracket: an opener must have a closer, and a closer an opener of its kind.
    fn bracket(&self, t: usize) -> Result<(), SyntaxError> {
        let kind = self.kind(t);
        let wrong = |code| Err(SyntaxError::at(t, code));
        match kind {
            TokenKind::LeftParen | TokenKind::LeftBracket if self.partner[t] == NONE => {
                wrong(Code::NeverClosed)
            }
            TokenKind::RightParen | TokenKind::RightBracket => {
                let opener = match kind {
                    TokenKind::RightParen => TokenKind::LeftParen,
                    _ => TokenKind::LeftBracket,
                };
                match self.partner[t] {
                    NONE => wrong(Code::NeverOpened),
                    partner if self.kind(partner as usize) != opener => wrong(Code::NeverOpened),
                    _ => Ok(()),
                }
            }
            _ => Ok(()),
        }
    }

    /// Returns the error for an unexpected token. `t` may be the next statement's first token, or the end of
    /// the text.
    fn unexpected(&self, t: usize) -> SyntaxError {
        if t >= self.end() {
            return SyntaxError::behind(self.end() - 1, Code::UnexpectedToken);
        }
        self.bracket(t).err().unwrap_or(SyntaxError::at(t, Code::UnexpectedToken))
    }
}

/// Parses the tokens of a program. Overwrites `out` and completes `facts`.
pub fn run(tokens: &Tokens, out: &mut Tree, facts: &mut Facts, scratch: &mut ParseScratch) {
    let n = tokens.kind.len();
    out.reset(n, 0);
    out.parent.fill(NONE);
    let ParseScratch { structure, stack, blocks, ifs } = scratch;
    structure.build(tokens);
    if let Some((first, deepest)) = structure.too_deep {
        facts.fatal = Code::NestingTooDeep as u32;
        facts.fatal_token = first as u32;
        facts.fatal_count = deepest as u32;
        facts.errors = 1;
        return;
    }
    ifs.clear();
    let mut parse =
        Parse { tokens, structure, tree: out, stack, blocks, ifs, pending: None, misplaced_else: false };
    let mut function_open = false;
    for region in &structure.regions {
        parse.region(region, &mut function_open);
    }
    parse.flush_pending(n);
    parse.close_chains();
    let lexical = tokens.kind.iter().zip(&out.stmt);
    let lexical = lexical.filter(|(kind, stmt)| **kind == TokenKind::Error as u32 && **stmt & STMT_MUTED == 0);
    facts.errors = (lexical.count() + out.error.iter().filter(|error| **error != 0).count()) as u32;
}

struct Parse<'a> {
    tokens: &'a Tokens,
    structure: &'a Structure,
    tree: &'a mut Tree,
    stack: &'a mut Vec<expression::ExpressionFrame>,
    blocks: &'a mut Vec<OpenBlock>,
    ifs: &'a mut Vec<Chain>,
    /// An error that the previous statement found at the first token of the current one.
    pending: Option<SyntaxError>,
    /// Whether the region has an `else` that is an error.
    misplaced_else: bool,
}

impl Parse<'_> {
    fn region(&mut self, region: &Region, function_open: &mut bool) {
        let structure = self.structure;
        let statements = &structure.statements[region.first..region.end];
        let Some(item) = statements.first() else { return };
        let kind = structure.kinds[item.s];
        let ends_in_brace = structure.kinds[item.e - 1] == TokenKind::LeftBrace;
        let closer = structure.partner[item.e - 1];
        // Number of statements of the item itself. The rest of the region is stray, or muted if it is open.
        let mut judged = statements.len();
        let mut open = false;
        if !kinds::ITEMS.has(kind) {
            judged = 0;
        } else if kind == TokenKind::Fn && ends_in_brace {
            if closer != NONE {
                judged = statements.iter().position(|st| st.s > closer as usize).unwrap_or(judged);
            } else if !region.swallowed_brace {
                (judged, open) = (1, true);
            }
        } else {
            judged = 1;
        }
        let is_stray = judged == 0 || (!open && (kind == TokenKind::Fn || !ends_in_brace));
        let brace_missing =
            region.swallowed_brace || statements[..judged].iter().any(|st| structure.lacks_block(st));
        self.blocks.clear();
        self.misplaced_else = false;
        let mut ended_if = NONE;
        let stray = if open { statements.len() } else { judged };
        for (i, statement) in statements[..stray].iter().enumerate() {
            let (is_open, is_muted) = (open && i < judged, i >= judged);
            let place = ParsePlace { is_item: i == 0, is_open, is_muted, brace_missing };
            ended_if = self.statement(statement, region, ended_if, &place);
        }
        for (i, statement) in statements[stray..].iter().enumerate() {
            let reports = i == 0
                && is_stray
                && !statement.lexical
                && !brace_missing
                && !self.misplaced_else
                && !*function_open;
            let code = match structure.kinds[statement.s] {
                TokenKind::RightBrace => Code::NeverOpened,
                _ => Code::UnexpectedToken,
            };
            self.flush_pending(statement.s);
            if reports {
                self.tree.error[statement.s] = code as u32;
            }
            self.mark(statement, STMT_SYNTAX);
        }
        if kind == TokenKind::Fn {
            *function_open = open;
        }
    }

    /// Records the error that the statement before `t` found at `t`. Errors recorded there later replace it.
    fn flush_pending(&mut self, t: usize) {
        if let Some(fault) = self.pending.take()
            && t < self.tree.error.len()
        {
            self.tree.error[t] = fault.word();
        }
    }

    fn mark(&mut self, statement: &Statement, flags: u32) {
        let lexical = if statement.lexical { STMT_LEXICAL } else { 0 };
        self.tree.stmt[statement.s..statement.e].fill(statement.s as u32 | flags | lexical);
    }

    /// Parses one statement that is not stray. `ended_if` is the index in `ifs` of the If whose block ends
    /// just before the statement, or `NONE`. Returns that index for the next statement.
    fn statement(&mut self, statement: &Statement, region: &Region, ended_if: u32, place: &ParsePlace) -> u32 {
        let structure = self.structure;
        let Statement { s, e, lexical, assigns } = *statement;
        let kind = structure.kinds[s];
        self.flush_pending(s);
        let muted = if place.is_muted { STMT_MUTED } else { 0 };
        if kind == TokenKind::RightBrace {
            self.mark(statement, muted);
            return self.blocks.pop().map_or(NONE, |block| block.first_of);
        }
        let (mut fault, mut flags) = (None, muted);
        let mut head = s;
        if !lexical && kind != TokenKind::LeftBrace {
            let read =
                if kind == TokenKind::Else && ended_if == NONE && !place.brace_missing && !self.excuses_else(s)
                {
                    self.misplaced_else = true;
                    Err(SyntaxError::at(s, Code::UnexpectedToken))
                } else {
                    let mut parser = self.parser(s, e);
                    let read = parser.statement(assigns);
                    read.map(|node| (node, parser.lacks_end))
                };
            match read {
                Ok((node, lacks_end)) => {
                    head = node;
                    if lacks_end {
                        fault = Some(SyntaxError::behind(e - 1, Code::MissingSemicolon));
                        flags = STMT_MUTED;
                    } else if place.is_open {
                        self.record(SyntaxError::at(e - 1, Code::NeverClosed), e);
                        flags = STMT_MUTED;
                    }
                }
                Err(found) => (fault, flags) = (Some(found), muted | STMT_SYNTAX),
            }
        }
        if lexical || flags & STMT_SYNTAX != 0 {
            head = self.parser(s, e).reduce_broken();
        }
        if let Some(fault) = fault.filter(|_| !place.is_muted) {
            self.record(fault, e);
        }
        if structure.kinds[e - 1] == TokenKind::LeftBrace && structure.partner[e - 1] == NONE {
            flags |= STMT_UNCLOSED;
        }
        self.mark(statement, flags);
        self.attach(statement, region, ended_if, head, place.is_item);
        NONE
    }

    /// Returns whether the `else` at `t` follows the block of a statement that takes no block. Then that
    /// statement has the error, not the `else`.
    fn excuses_else(&self, t: usize) -> bool {
        let kinds = &self.structure.kinds;
        if t == 0 || kinds[t - 1] != TokenKind::RightBrace {
            return false;
        }
        let opener = self.structure.partner[t - 1] as usize;
        let Some(stmt) = self.tree.stmt.get(opener) else { return false };
        let first = (*stmt & STMT_INDEX) as usize;
        match kinds[first] {
            TokenKind::LeftBrace | TokenKind::While | TokenKind::For | TokenKind::Fn => false,
            TokenKind::Else => kinds[first + 1] != TokenKind::LeftBrace,
            _ => true,
        }
    }

    /// Records an error. If it is at the next statement, it is kept pending until that statement is parsed.
    fn record(&mut self, fault: SyntaxError, e: usize) {
        if fault.t >= e {
            self.pending = Some(fault);
        } else {
            self.tree.error[fault.t] = fault.word();
        }
    }

    /// Connects a statement to its surroundings: its node's parent, its block, an `else` to its `if`.
    fn attach(&mut self, statement: &Statement, region: &Region, ended_if: u32, head: usize, is_item: bool) {
        let structure = self.structure;
        let Statement { s, e, .. } = *statement;
        let around = self.blocks.last().map_or(NONE, |block| block.opener);
        let is_else = structure.kinds[s] == TokenKind::Else;
        let before = self.ifs.get(ended_if as usize).map(|chain| chain.head).filter(|_| is_else);
        let (parent, slot) = before.map_or((around, 0), |before| (before, 2));
        let has_head =
            structure.kinds[head] != TokenKind::LeftBrace && structure.kinds[head] != TokenKind::Else;
        if has_head && !is_item {
            self.tree.parent[head] = parent;
            self.tree.slot[head] = slot;
        }
        let mut chain = NONE;
        if structure.kinds[head] == TokenKind::If {
            chain = self.ifs.len() as u32;
            self.ifs.push(Chain { head: head as u32, next: NONE });
            if before.is_some() {
                self.ifs[ended_if as usize].next = chain;
            }
        }
        let opener = e - 1;
        if structure.kinds[opener] != TokenKind::LeftBrace {
            return;
        }
        let hi = structure.block_end(opener, region);
        let (owner, slot) = match structure.kinds[head] {
            TokenKind::If | TokenKind::While => (head as u32, 1),
            TokenKind::For => (head as u32, 3),
            TokenKind::Fn => (head as u32, 2),
            TokenKind::Else => (parent, slot),
            _ => (around, 0),
        };
        self.parser(s, e).node(opener, Role::Block, opener, hi as usize);
        self.tree.parent[opener] = owner;
        self.tree.slot[opener] = slot;
        if owner != around {
            self.tree.hi[owner as usize] = hi;
        }
        self.blocks.push(OpenBlock { opener: opener as u32, first_of: chain });
    }

    /// Extends each If to the end of the If after its `else`.
    fn close_chains(&mut self) {
        for chain in self.ifs.iter().rev() {
            if let Some(next) = self.ifs.get(chain.next as usize) {
                self.tree.hi[chain.head as usize] = self.tree.hi[next.head as usize];
            }
        }
    }

    fn parser(&mut self, s: usize, e: usize) -> Parser<'_> {
        Parser {
            tokens: self.tokens,
            kinds: &self.structure.kinds,
            partner: &self.structure.partner,
            tree: self.tree,
            stack: self.stack,
            s,
            e,
            lacks_end: false,
        }
    }
}
