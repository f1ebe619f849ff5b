//! The checked tree from the top down: the children of a node, and which expressions need statements of C.

use crate::lang::opcode::Op;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;
use crate::lang::{NONE, arithmetic};
use crate::program::Compiled;

/// An expression of more tokens is written in several statements: C compilers bound how deep brackets nest.
const LONGEST: u32 = 100;

pub struct Nodes<'a> {
    pub program: &'a Compiled,
    /// Parent, slot and token of every node that has a parent, in this order.
    links: Vec<(u32, u32, u32)>,
    /// Number of nodes among the tokens before each one that are written as statements.
    statements: Vec<u32>,
}

impl<'a> Nodes<'a> {
    /// The nodes of a program without errors.
    pub fn new(program: &'a Compiled) -> Nodes<'a> {
        let tree = &program.tree;
        let count = tree.role.len() as u32;
        let is_child =
            |t: &u32| tree.role[*t as usize] != Role::None as u32 && tree.parent[*t as usize] != NONE;
        let link = |t: u32| (tree.parent[t as usize], tree.slot[t as usize], t);
        let mut links: Vec<_> = (0..count).filter(is_child).map(link).collect();
        links.sort_unstable();
        let mut nodes = Nodes { program, links, statements: vec![0] };
        let mut sum = 0;
        for t in 0..count {
            sum += u32::from(nodes.is_statement(t));
            nodes.statements.push(sum);
        }
        nodes
    }

    pub fn len(&self) -> u32 {
        self.program.tree.role.len() as u32
    }

    pub fn role(&self, t: u32) -> Role {
        Role::from_u32(self.program.tree.role[t as usize]).unwrap_or(Role::None)
    }

    pub fn kind(&self, t: u32) -> TokenKind {
        let kind = self.program.tokens.kind.get(t as usize).copied();
        kind.and_then(TokenKind::from_u32).unwrap_or(TokenKind::Error)
    }

    /// What the token says: the value of a literal, the id of a name.
    pub fn value(&self, t: u32) -> u32 {
        self.program.tokens.value[t as usize]
    }

    pub fn ty(&self, t: u32) -> Type {
        Type(self.program.checked.ty[t as usize])
    }

    pub fn constant(&self, t: u32) -> u32 {
        self.program.checked.constant[t as usize]
    }

    /// The declaration that a name refers to, or `NONE`.
    pub fn declaration(&self, t: u32) -> u32 {
        self.program.checked.decl[t as usize]
    }

    /// The token's bytes.
    pub fn text(&self, t: u32) -> &'a str {
        let (lo, hi) = (self.program.tokens.lo[t as usize], self.program.tokens.hi[t as usize]);
        self.program.text.get(lo as usize..hi as usize).unwrap_or("")
    }

    pub fn line(&self, t: u32) -> u32 {
        self.program.tokens.line[t as usize] + 1
    }

    /// One past the last token of a node.
    pub fn end(&self, t: u32) -> u32 {
        self.program.tree.hi[t as usize]
    }

    /// The children of a node, by slot and then by place.
    pub fn children(&self, node: u32) -> impl DoubleEndedIterator<Item = u32> + '_ {
        let first = self.links.partition_point(|link| link.0 < node);
        let count = self.links[first..].partition_point(|link| link.0 == node);
        self.links[first..first + count].iter().map(|link| link.2)
    }

    /// The first child in a slot.
    pub fn child(&self, node: u32, slot: u32) -> Option<u32> {
        let at = self.links.partition_point(|link| (link.0, link.1) < (node, slot));
        self.links.get(at).filter(|link| (link.0, link.1) == (node, slot)).map(|link| link.2)
    }

    /// Parameters of a function, binders of a property.
    pub fn parameters(&self, item: u32) -> impl Iterator<Item = u32> + '_ {
        self.children(item).filter(|t| matches!(self.role(*t), Role::Param | Role::Binder))
    }

    /// Whether an expression cannot be one expression of C: what may trap keeps its order only as a statement.
    pub fn needs_statements(&self, t: u32) -> bool {
        let (lo, hi) = (self.program.tree.lo[t as usize], self.end(t));
        self.is_long(t) || self.statements[hi as usize] > self.statements[lo as usize]
    }

    /// Whether so much is computed in one expression that it is cut.
    pub fn is_long(&self, t: u32) -> bool {
        self.end(t) - self.program.tree.lo[t as usize] > LONGEST
    }

    /// Whether this node alone is written as a statement: it may trap, or makes a list.
    pub fn is_statement(&self, t: u32) -> bool {
        match self.role(t) {
            Role::Call => self.declaration(t) != NONE,
            Role::Index | Role::Slice | Role::List | Role::Repeat | Role::Str => true,
            Role::Binary => match Op::of_infix(self.kind(t)) {
                Some(op) if arithmetic::may_trap(op as u32) => {
                    let safe = |c: u32| arithmetic::binary(op as u32, 0, self.value(c)).is_ok();
                    !self.child(t, 1).is_some_and(|c| self.role(c) == Role::Int && safe(c))
                }
                _ => self.ty(t).is_list(),
            },
            _ => false,
        }
    }

    /// Words that the variables of a routine take, from its item on to the next one.
    pub fn frame(&self, item: u32) -> u32 {
        let words = |t: u32| match self.role(t) {
            Role::Param | Role::Binder | Role::LetName => self.ty(t).words(),
            // The variable, the counter and the end; and the list's elements.
            Role::LoopVar => {
                let over = self.child(self.program.tree.parent[t as usize], 1);
                3 + over.map_or(0, |list| self.ty(list).capacity())
            }
            _ => 0,
        };
        (item..self.end(item)).map(words).sum()
    }
}
