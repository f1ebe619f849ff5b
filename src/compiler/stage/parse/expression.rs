//! Expressions: operator-precedence parsing with an explicit stack.
//!
//! The stack holds what lacks its right side: prefix and infix operators, and open bracket groups. Input may
//! be nested to any depth, so nothing here is recursive.

use super::kinds::{self, Set};
use super::structure::begins_another;
use super::{Node, Parser, SyntaxError};
use crate::lang::diagnostic::Code;
use crate::lang::role::Role;
use crate::lang::token::{COMPARISON_STRENGTH, PREFIX_STRENGTH, TokenKind};

/// An entry of the stack.
#[derive(Clone, Copy, Debug)]
pub struct ExpressionFrame {
    what: FrameKind,
    /// The operator, or the head of the group's future node.
    token: u32,
    /// The left operand, or the indexed list.
    left: Node,
    strength: u32,
    /// The last separator in the group; `Error` if there is none yet.
    separator: TokenKind,
    /// Number of children so far.
    count: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FrameKind {
    Prefix,
    Infix,
    Group,
    Call,
    List,
    Index,
}

const NO_NODE: Node = Node { head: 0, lo: 0, hi: 0 };
const NONE_YET: TokenKind = TokenKind::Error;

use TokenKind::*;

/// The tokens that may follow a whole expression in a bracket group after `separator`.
fn ends_of(what: FrameKind, separator: TokenKind) -> Set {
    const PAREN: Set = Set::of(&[RightParen]);
    const BRACKET: Set = Set::of(&[RightBracket]);
    const ARGUMENT: Set = Set::of(&[Comma, RightParen]);
    const ELEMENT: Set = Set::of(&[Comma, RightBracket]);
    const FIRST_ELEMENT: Set = Set::of(&[Comma, Semicolon, RightBracket]);
    const FIRST_BOUND: Set = Set::of(&[DotDot, RightBracket]);
    match (what, separator) {
        (FrameKind::Call, _) => ARGUMENT,
        (FrameKind::List, NONE_YET) => FIRST_ELEMENT,
        (FrameKind::List, Comma) => ELEMENT,
        (FrameKind::Index, NONE_YET) => FIRST_BOUND,
        (FrameKind::List | FrameKind::Index, _) => BRACKET,
        _ => PAREN,
    }
}

impl Parser<'_> {
    /// Parses one expression from `t` on, up to a token in `ends`. `ends_statement` says that a `;` should
    /// follow.
    pub fn expression(
        &mut self,
        t: usize,
        ends: Set,
        ends_statement: bool,
    ) -> Result<(Node, usize), SyntaxError> {
        self.stack.clear();
        let mut t = t;
        loop {
            let mut node;
            (node, t) = self.operand(t)?;
            loop {
                let kind = self.kind(t);
                let strength = kind.infix_strength();
                if strength > 0 {
                    if strength == COMPARISON_STRENGTH {
                        node = self.reduce(node, strength + 1);
                        let nearest = self.stack.last();
                        if nearest.is_some_and(|f| f.what == FrameKind::Infix && f.strength == strength) {
                            return Err(SyntaxError::at(t, Code::ChainedComparison));
                        }
                    }
                    node = self.reduce(node, strength);
                    self.push(FrameKind::Infix, t, node, strength);
                    t += 1;
                    break;
                }
                if kind == LeftBracket {
                    self.bracket(t)?;
                    self.push(FrameKind::Index, t, node, 0);
                    t += 1;
                    break;
                }
                node = self.reduce(node, 1);
                let Some(group) = self.stack.last().copied() else {
                    if ends.has(kind) {
                        self.bracket(t)?;
                        return Ok((node, t));
                    }
                    if ends_statement && self.may_lack_end(t) {
                        self.lacks_end = true;
                        return Ok((node, t));
                    }
                    return Err(self.missing_end(t, ends_statement));
                };
                if !ends_of(group.what, group.separator).has(kind) {
                    return Err(self.unexpected(t));
                }
                self.bracket(t)?;
                self.add_to_group(node);
                t += 1;
                if !matches!(kind, RightParen | RightBracket) {
                    if let Some(group) = self.stack.last_mut() {
                        group.separator = kind;
                    }
                    if !self.closes_early(t) {
                        break;
                    }
                    self.bracket(t)?;
                    t += 1;
                }
                node = self.close_group(t);
            }
        }
    }

    /// Parses an operand up to the end of its primary expression, and pushes prefix operators and openers on
    /// the stack.
    fn operand(&mut self, t: usize) -> Result<(Node, usize), SyntaxError> {
        let mut t = t;
        loop {
            let what = match self.kind(t) {
                Int | Char => return Ok((self.leaf(t, Role::Int), t + 1)),
                True | False => return Ok((self.leaf(t, Role::Bool), t + 1)),
                Str => return Ok((self.leaf(t, Role::Str), t + 1)),
                Question => return Ok((self.leaf(t, Role::Hole), t + 1)),
                Name if self.kind(t + 1) != LeftParen => return Ok((self.leaf(t, Role::Var), t + 1)),
                IntType if self.kind(t + 1) != LeftParen => return Err(self.unexpected(t)),
                Name | IntType => {
                    self.bracket(t + 1)?;
                    FrameKind::Call
                }
                kind if kinds::PREFIXES.has(kind) => FrameKind::Prefix,
                LeftParen => FrameKind::Group,
                LeftBracket => FrameKind::List,
                _ => return Err(self.unexpected(t)),
            };
            self.bracket(t)?;
            self.push(what, t, NO_NODE, if what == FrameKind::Prefix { PREFIX_STRENGTH } else { 0 });
            t += if what == FrameKind::Call { 2 } else { 1 };
            if self.closes_early(t) {
                self.bracket(t)?;
                return Ok((self.close_group(t + 1), t + 1));
            }
        }
    }

    /// Returns whether a call or list ends at `t` instead of an operand: it is empty or has a trailing comma.
    fn closes_early(&self, t: usize) -> bool {
        let Some(group) = self.stack.last() else { return false };
        let closer = match group.what {
            FrameKind::Call => matches!(self.kind(t), RightParen | RightBracket),
            FrameKind::List => {
                matches!(self.kind(t), RightParen | RightBracket) && group.separator != Semicolon
            }
            _ => false,
        };
        closer && matches!(group.separator, NONE_YET | Comma)
    }

    fn push(&mut self, what: FrameKind, t: usize, left: Node, strength: u32) {
        self.stack.push(ExpressionFrame {
            what,
            token: t as u32,
            left,
            strength,
            separator: NONE_YET,
            count: 0,
        });
    }

    fn leaf(&mut self, t: usize, role: Role) -> Node {
        self.node(t, role, t, t + 1)
    }

    /// Completes the operators on top of the stack that bind at least as strongly as `strength`, with `right`
    /// as right operand.
    fn reduce(&mut self, right: Node, strength: u32) -> Node {
        let mut right = right;
        while let Some(frame) = self.stack.last().copied() {
            let token = frame.token as usize;
            right = match frame.what {
                FrameKind::Prefix => {
                    self.adopt(token, right, 0);
                    self.node(token, Role::Unary, token, right.hi as usize)
                }
                FrameKind::Infix if frame.strength >= strength => {
                    self.adopt(token, frame.left, 0);
                    self.adopt(token, right, 1);
                    self.node(token, Role::Binary, frame.left.lo as usize, right.hi as usize)
                }
                _ => return right,
            };
            self.stack.pop();
        }
        right
    }

    fn add_to_group(&mut self, child: Node) {
        let Some(group) = self.stack.last_mut() else { return };
        let slot = group.count + (group.what == FrameKind::Index) as u32;
        let token = group.token as usize;
        group.count += 1;
        self.adopt(token, child, slot);
    }

    /// Converts the group on top of the stack to a node; `hi` is one past its closer.
    fn close_group(&mut self, hi: usize) -> Node {
        let Some(group) = self.stack.pop() else { return NO_NODE };
        let token = group.token as usize;
        let role = match (group.what, group.separator) {
            (FrameKind::Call, _) => Role::Call,
            (FrameKind::List, Semicolon) => Role::Repeat,
            (FrameKind::List, _) => Role::List,
            (FrameKind::Index, NONE_YET) => Role::Index,
            (FrameKind::Index, _) => Role::Slice,
            _ => Role::Group,
        };
        if group.what == FrameKind::Index {
            self.adopt(token, group.left, 0);
            return self.node(token, role, group.left.lo as usize, hi);
        }
        self.node(token, role, token, hi)
    }

    /// Returns the error at `t` after a whole expression that nothing valid follows.
    pub fn missing_end(&self, t: usize, ends_statement: bool) -> SyntaxError {
        if let Err(fault) = self.bracket(t) {
            return fault;
        }
        let kind = self.kind(t);
        let apart = || self.tokens.line[t] > self.tokens.line[t - 1];
        if ends_statement && (t == self.end() || kind == RightBrace || begins_another(kind) || apart()) {
            return SyntaxError::behind(t - 1, Code::MissingSemicolon);
        }
        self.unexpected(t)
    }
}
