//! Top-down access to the checked tree: the children of a node, and which expressions need C statements.

use std::ops::Deref;

use crate::compiler::program::{Children, Compiled, Program};
use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::{NONE, arithmetic};

/// The most tokens of an expression that is written in one statement: C compilers limit the nesting of
/// brackets.
const LONGEST: usize = 100;

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
        for t in 0..nodes.len() {
            sum += u32::from(nodes.is_statement(t));
            nodes.statements.push(sum);
        }
        nodes
    }

    /// The declaration that a name refers to, or `NONE`.
    pub fn declaration(&self, t: u32) -> u32 {
        self.program.declaration(t).unwrap_or(NONE)
    }

    /// One past the last token of a node.
    pub fn end(&self, t: u32) -> u32 {
        self.extent(t).end
    }

    /// The children of a node, ordered by slot and then by position.
    pub fn children(&self, node: u32) -> impl DoubleEndedIterator<Item = u32> + '_ {
        self.children.of(node)
    }

    /// The first child in a slot.
    pub fn child(&self, node: u32, slot: u32) -> Option<u32> {
        self.children.at(node, slot)
    }

    /// The parameters of a function, or the binders of a property.
    pub fn parameters(&self, item: u32) -> impl Iterator<Item = u32> + '_ {
        self.children(item).filter(|t| matches!(self.role(*t), Role::Param | Role::Binder))
    }

    /// Returns whether an expression cannot be one C expression, because statements must fix the order of
    /// what may trap.
    pub fn needs_statements(&self, t: u32) -> bool {
        let extent = self.extent(t);
        self.is_long(t) || self.statements[extent.end as usize] > self.statements[extent.start as usize]
    }

    /// Returns whether an expression is too long for one C expression.
    pub fn is_long(&self, t: u32) -> bool {
        self.extent(t).len() > LONGEST
    }

    /// Returns whether this node itself is written as a statement: it may trap, or creates a list.
    pub fn is_statement(&self, t: u32) -> bool {
        match self.role(t) {
            Role::Call => self.declaration(t) != NONE,
            Role::Index | Role::Slice | Role::List | Role::Repeat | Role::Str => true,
            Role::Binary => match Op::from_infix(self.kind(t)) {
                Some(op) if arithmetic::may_trap(op as u32) => {
                    let safe = |c: u32| arithmetic::binary(op as u32, 0, self.value(c)).is_ok();
                    !self.child(t, 1).is_some_and(|c| self.role(c) == Role::Int && safe(c))
                }
                _ => self.ty(t).is_list(),
            },
            _ => false,
        }
    }

    /// Returns the words that the variables of a routine take in its frame.
    pub fn frame(&self, item: u32) -> u32 {
        let words = |t: u32| match self.role(t) {
            Role::Param | Role::Binder | Role::LetName => self.ty(t).words(),
            // The variable, the counter and the end; over a list also the list's elements.
            Role::LoopVar => {
                let over = self.parent(t).and_then(|head| self.child(head, 1));
                3 + over.map_or(0, |list| self.ty(list).capacity())
            }
            _ => 0,
        };
        (item..self.end(item)).map(words).sum()
    }
}
