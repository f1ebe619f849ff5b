//! Top-down access to the checked tree: the children of a node, and which expressions need C statements.

use std::ops::Deref;

use crate::compiler::program::{Children, Compiled, Program};
use crate::lang::arithmetic;
use crate::lang::index::{Index, TokenId};
use crate::lang::opcode::Op;
use crate::lang::role::Role;

/// The most tokens of an expression that is written in one statement: C compilers limit the nesting of
/// brackets.
const LONGEST: u32 = 100;

pub struct Nodes<'a> {
    pub program: Program<'a>,
    children: Children,
    /// For each token, the number of nodes before it that are written as statements.
    statements: Vec<u32>,
}

impl<'a> Deref for Nodes<'a> {
    type Target = Program<'a>;

    fn deref(&self) -> &Program<'a> {
        &self.program
    }
}

impl<'a> Nodes<'a> {
    /// Builds the nodes of a program without errors.
    pub fn new(program: &'a Compiled) -> Nodes<'a> {
        let children = program.view().children();
        let mut nodes = Nodes { program: program.program(), children, statements: vec![0] };
        let mut sum = 0;
        for t in nodes.all() {
            sum += u32::from(nodes.is_statement(t));
            nodes.statements.push(sum);
        }
        nodes
    }

    /// The children of a node, ordered by slot and then by position.
    pub fn children(&self, node: TokenId) -> impl DoubleEndedIterator<Item = TokenId> + '_ {
        self.children.of(node)
    }

    /// The first child in a slot.
    pub fn child(&self, node: TokenId, slot: u32) -> Option<TokenId> {
        self.children.at(node, slot)
    }

    /// The parameters of a function, or the binders of a property.
    pub fn parameters(&self, item: TokenId) -> impl Iterator<Item = TokenId> + '_ {
        self.children(item).filter(|t| matches!(self.role(*t), Role::Param | Role::Binder))
    }

    /// Returns whether an expression cannot be one C expression, because statements must fix the order of
    /// what may trap.
    pub fn needs_statements(&self, t: TokenId) -> bool {
        let extent = self.extent(t);
        self.is_long(t) || self.statements[extent.end().position()] > self.statements[extent.start().position()]
    }

    /// Returns whether an expression is too long for one C expression.
    pub fn is_long(&self, t: TokenId) -> bool {
        self.extent(t).len() > LONGEST
    }

    /// Returns whether this node itself is written as a statement: it may trap, or creates a list.
    pub fn is_statement(&self, t: TokenId) -> bool {
        match self.role(t) {
            Role::Call => self.declaration(t).is_some(),
            Role::Index | Role::Slice | Role::List | Role::Repeat | Role::Str => true,
            Role::Binary => match Op::from_infix(self.kind(t)) {
                Some(op) if arithmetic::may_trap(op as u32) => {
                    let safe = |c: TokenId| arithmetic::binary(op as u32, 0, self.value(c)).is_ok();
                    !self.child(t, 1).is_some_and(|c| self.role(c) == Role::Int && safe(c))
                }
                _ => self.ty(t).is_list(),
            },
            _ => false,
        }
    }

    /// Returns the words that the variables of a routine take in its frame.
    pub fn frame(&self, item: TokenId) -> u32 {
        let words = |t: TokenId| match self.role(t) {
            Role::Param | Role::Binder | Role::LetName => self.ty(t).words(),
            // The variable, the counter and the end; over a list also the list's elements.
            Role::LoopVar => {
                let over = self.parent(t).and_then(|head| self.child(head, 1));
                3 + over.map_or(0, |list| self.ty(list).capacity())
            }
            _ => 0,
        };
        self.extent(item).iter().map(words).sum()
    }
}
