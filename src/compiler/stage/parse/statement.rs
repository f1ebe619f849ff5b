//! Statements and items: fixed forms around expressions, parsed from left to right up to the first error.

use super::kinds::{ASSIGNMENTS, OPERANDS, SEMICOLON, Set};
use super::{Node, Parser, SyntaxError};
use crate::lang::diagnostic::Code;
use crate::lang::role::Role;
use crate::lang::token::TokenKind::{self, *};

const BLOCK: Set = Set::of(&[LeftBrace]);

impl Parser<'_> {
    /// Parses the statement [s, e), whose first token is neither `{` nor `}`, and fills its rows, except for
    /// the connections to its surroundings. Returns its head; for `else {` that is the `else`, which is not a
    /// node.
    pub fn statement(&mut self, assigns: bool) -> Result<usize, SyntaxError> {
        let s = self.s;
        let node = match self.kind(s) {
            Let => self.let_(),
            If => self.header(s, Role::If),
            While => self.header(s, Role::While),
            For => self.for_(),
            Else => match self.kind(s + 1) {
                LeftBrace => return Ok(s),
                If => self.header(s + 1, Role::If),
                _ => return Err(self.unexpected(s + 1)),
            },
            Break => self.ends_at(s + 1).map(|_| self.statement_node(s, Role::Break)),
            Continue => self.ends_at(s + 1).map(|_| self.statement_node(s, Role::Continue)),
            Return => self.value(s, s + 1, 0).map(|_| self.statement_node(s, Role::Return)),
            Fn => self.fn_(),
            Const => self.const_(),
            Test => self.test(),
            Prop => self.prop(),
            kind => {
                self.bracket(s)?;
                if !OPERANDS.has(kind) {
                    return Err(SyntaxError::at(s, Code::UnexpectedToken));
                }
                if !assigns {
                    return Err(SyntaxError::at(s, Code::ExpressionStatement));
                }
                self.assignment()
            }
        };
        node.map(|node| node.head as usize)
    }

    /// Creates the node of a statement that ends with a `;`, or should.
    fn statement_node(&mut self, t: usize, role: Role) -> Node {
        self.node(t, role, self.s, self.e - usize::from(!self.lacks_end))
    }

    fn expect(&self, t: usize, kind: TokenKind) -> Result<usize, SyntaxError> {
        if self.kind(t) != kind {
            return Err(self.unexpected(t));
        }
        self.bracket(t)?;
        Ok(t + 1)
    }

    /// Expects a `;` at `t`; any other token is reported as a missing `;` where possible.
    fn ends_at(&mut self, t: usize) -> Result<(), SyntaxError> {
        let is_end = self.kind(t) == Semicolon;
        self.lacks_end |= !is_end && self.may_lack_end(t);
        if is_end || self.lacks_end { Ok(()) } else { Err(self.missing_end(t, true)) }
    }

    /// Whether the statement has its meaning if the `;` expected at `t` is missing. A test or property waits for it.
    pub fn may_lack_end(&self, t: usize) -> bool {
        t == self.e && !matches!(self.kind(self.s), Test | Prop)
    }

    /// Parses `NAME`, declared by `head`.
    fn declared(&mut self, t: usize, role: Role, head: usize, slot: u32) -> Result<usize, SyntaxError> {
        let next = self.expect(t, Name)?;
        let name = self.node(t, role, t, next);
        self.adopt(head, name, slot);
        Ok(next)
    }

    /// Parses `EXPR ;` from `t` on, as a child of `head`.
    fn value(&mut self, head: usize, t: usize, slot: u32) -> Result<Node, SyntaxError> {
        let (node, _) = self.expression(t, SEMICOLON, true)?;
        self.adopt(head, node, slot);
        Ok(node)
    }

    /// Parses `if EXPR {` or `while EXPR {`.
    fn header(&mut self, head: usize, role: Role) -> Result<Node, SyntaxError> {
        let (condition, _) = self.expression(head + 1, BLOCK, false)?;
        self.adopt(head, condition, 0);
        Ok(self.node(head, role, head, self.e))
    }

    fn let_(&mut self) -> Result<Node, SyntaxError> {
        let s = self.s;
        let mut t = self.declared(s + 1, Role::LetName, s, 0)?;
        if self.kind(t) == Colon {
            t = self.ty(t + 1, s, 1)?;
        }
        t = self.expect(t, Equal)?;
        self.value(s, t, 2)?;
        Ok(self.statement_node(s, Role::Let))
    }

    fn const_(&mut self) -> Result<Node, SyntaxError> {
        let s = self.s;
        let t = self.declared(s + 1, Role::ConstName, s, 0)?;
        let t = self.expect(t, Equal)?;
        self.value(s, t, 1)?;
        Ok(self.statement_node(s, Role::Const))
    }

    fn for_(&mut self) -> Result<Node, SyntaxError> {
        const FIRST: Set = Set::of(&[DotDot, DotDotEqual, LeftBrace]);
        let s = self.s;
        let t = self.declared(s + 1, Role::LoopVar, s, 0)?;
        let t = self.expect(t, In)?;
        let (first, t) = self.expression(t, FIRST, false)?;
        self.adopt(s, first, 1);
        if self.kind(t) != LeftBrace {
            let (bound, _) = self.expression(t + 1, BLOCK, false)?;
            self.adopt(s, bound, 2);
        }
        Ok(self.node(s, Role::For, s, self.e))
    }

    fn fn_(&mut self) -> Result<Node, SyntaxError> {
        let s = self.s;
        let t = self.declared(s + 1, Role::FnName, s, 0)?;
        let mut t = self.expect(t, LeftParen)?;
        let mut count = 0;
        while self.kind(t) != RightParen {
            let name = t;
            t = self.declared(name, Role::Param, s, 3 + count)?;
            t = self.expect(t, Colon)?;
            t = self.ty(t, name, 0)?;
            self.tree.hi[name] = t as u32;
            count += 1;
            if self.kind(t) == RightParen {
                break;
            }
            t = self.expect(t, Comma)?;
        }
        t = self.expect(t, RightParen)?;
        t = self.expect(t, Arrow)?;
        t = self.ty(t, s, 1)?;
        self.expect(t, LeftBrace)?;
        Ok(self.node(s, Role::Fn, s, self.e))
    }

    fn test(&mut self) -> Result<Node, SyntaxError> {
        let s = self.s;
        let mut t = s + 1;
        if self.kind(t) == Str && self.kind(t + 1) == Colon {
            t = self.label(t)? + 1;
        }
        self.value(s, t, 1)?;
        Ok(self.statement_node(s, Role::Test))
    }

    fn label(&mut self, t: usize) -> Result<usize, SyntaxError> {
        let label = self.node(t, Role::Label, t, t + 1);
        self.adopt(self.s, label, 0);
        Ok(t + 1)
    }

    fn prop(&mut self) -> Result<Node, SyntaxError> {
        const ARROW: Set = Set::of(&[FatArrow]);
        let s = self.s;
        let mut t = s + 1;
        if self.kind(t) == Str {
            t = self.label(t)?;
            t = self.expect(t, Colon)?;
        }
        let mut count = 0;
        loop {
            t = self.binder(t, 3 + count)?;
            count += 1;
            if self.kind(t) != Comma {
                break;
            }
            t += 1;
        }
        if self.kind(t) == If {
            let (condition, arrow) = self.expression(t + 1, ARROW, false)?;
            self.adopt(s, condition, 2);
            t = arrow;
        }
        self.value(s, t + 1, 1)?;
        Ok(self.statement_node(s, Role::Prop))
    }

    /// Parses `NAME in LO..HI` or `NAME in [LO..HI; N]`. Returns the position after it.
    fn binder(&mut self, name: usize, slot: u32) -> Result<usize, SyntaxError> {
        const RANGE: Set = Set::of(&[DotDot]);
        const NEXT: Set = Set::of(&[Comma, If, FatArrow]);
        const CLOSER: Set = Set::of(&[RightBracket]);
        let t = self.declared(name, Role::Binder, self.s, slot)?;
        let mut t = self.expect(t, In)?;
        let is_list = self.kind(t) == LeftBracket;
        if is_list {
            t = self.expect(t, LeftBracket)?;
        }
        let (lower, t) = self.expression(t, RANGE, false)?;
        self.adopt(name, lower, 0);
        let (upper, mut t) = self.expression(t + 1, if is_list { SEMICOLON } else { NEXT }, false)?;
        self.adopt(name, upper, 1);
        if is_list {
            let (length, closer) = self.expression(t + 1, CLOSER, false)?;
            self.adopt(name, length, 2);
            t = closer + 1;
            if !NEXT.has(self.kind(t)) {
                return Err(self.unexpected(t));
            }
        }
        self.tree.hi[name] = t as u32;
        Ok(t)
    }

    /// Parses a type at `t`, as a child of `parent`.
    fn ty(&mut self, t: usize, parent: usize, slot: u32) -> Result<usize, SyntaxError> {
        const CLOSER: Set = Set::of(&[RightBracket]);
        let mut next = t + 1;
        let role = match self.kind(t) {
            IntType => Role::TypeInt,
            BoolType => Role::TypeBool,
            LeftBracket => {
                self.bracket(t)?;
                if !matches!(self.kind(next), IntType | BoolType) {
                    return Err(self.unexpected(next));
                }
                next += 1;
                if self.kind(next) == Semicolon {
                    let (capacity, closer) = self.expression(next + 1, CLOSER, false)?;
                    self.adopt(t, capacity, 0);
                    next = closer;
                }
                next = self.expect(next, RightBracket)?;
                Role::TypeList
            }
            _ => return Err(self.unexpected(t)),
        };
        let node = self.node(t, role, t, next);
        self.adopt(parent, node, slot);
        Ok(next)
    }

    /// Parses `TARGET op EXPR ;`.
    fn assignment(&mut self) -> Result<Node, SyntaxError> {
        let (target, t) = self.expression(self.s, ASSIGNMENTS, false)?;
        // The head of an Index is its `[`. It is the second token only if the target has a single pair of
        // brackets.
        let head = target.head as usize;
        let is_place = match Role::from_u32(self.tree.role[head]) {
            Some(Role::Var) => true,
            Some(Role::Index) => head == self.s + 1 && self.kind(self.s) == Name,
            _ => false,
        };
        if !is_place {
            return Err(SyntaxError::at(t, Code::UnexpectedToken));
        }
        self.adopt(t, target, 0);
        self.value(t, t + 1, 1)?;
        Ok(self.statement_node(t, Role::Assign))
    }
}
