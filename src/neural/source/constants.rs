//! Constant expressions of a function, folded, so that each reads as one word.

use std::cmp::Reverse;
use std::ops::Range;

use super::Program;
use crate::lang::opcode::{Class, Op};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;
use crate::lang::{NONE, arithmetic};

/// The constant expressions of a function that are not part of a greater one.
pub struct Folded {
    first: usize,
    /// For the first token of each: its value, type and the token behind it.
    begins: Vec<Option<(i32, Type, usize)>>,
}

impl Folded {
    /// The constant expression that begins at a token.
    pub fn of(&self, token: usize) -> Option<(i32, Type, usize)> {
        self.begins[token - self.first]
    }
}

/// Folds the constant expressions among `tokens`: literals and named constants under operators and built-in functions,
/// where they do not trap. (`&&` and `||` are control flow, and stay.)
pub fn fold(program: &Program, tokens: Range<usize>) -> Folded {
    let tree = program.input.tree;
    let first = tokens.start;
    let mut nodes: Vec<usize> = tokens.clone().filter(|&t| program.role(t).is_expression()).collect();
    // Children before parents: they end no later, and of those that end together the inner one begins later.
    nodes.sort_by_key(|&t| (tree.hi[t], Reverse(tree.lo[t])));
    let mut operands = vec![[None; 2]; tokens.len()];
    let mut begins = vec![None; tokens.len()];
    for node in nodes {
        let Some(value) = value(program, node, operands[node - first]) else { continue };
        let lo = tree.lo[node] as usize;
        // An enclosing expression that begins at the same token comes later and takes the place.
        begins[lo - first] = Some((value as i32, program.ty(node), tree.hi[node] as usize));
        let (parent, slot) = (tree.parent[node] as usize, tree.slot[node] as usize);
        if tokens.contains(&parent) && slot < 2 {
            operands[parent - first][slot] = Some(value);
        }
    }
    Folded { first, begins }
}

/// The value of a node whose operands have these values, if it has one.
fn value(program: &Program, node: usize, [a, b]: [Option<u32>; 2]) -> Option<u32> {
    let input = program.input;
    let kind = program.kind(node);
    match program.role(node) {
        Role::Int => Some(input.tokens.value[node]),
        Role::Bool => Some((kind == TokenKind::True) as u32),
        Role::Var => {
            let decl = input.checked.decl[node];
            let constant = decl != NONE && program.role(decl as usize) == Role::ConstName;
            constant.then(|| input.checked.constant[decl as usize])
        }
        Role::Group => a,
        Role::Unary => evaluate(Op::of_prefix(kind)?, a?, b),
        Role::Binary => evaluate(Op::of_infix(kind)?, a?, b),
        Role::Call if kind == TokenKind::IntType => a,
        Role::Call if input.checked.decl[node] == NONE => {
            evaluate(Op::of_builtin(input.tokens.value[node])?, a?, b)
        }
        _ => None,
    }
}

/// The value of an operation on ints and bools, if it does not trap.
fn evaluate(op: Op, a: u32, b: Option<u32>) -> Option<u32> {
    match op.class() {
        Class::Unary => Some(arithmetic::unary(op as u32, a)),
        Class::Binary => arithmetic::binary(op as u32, a, b?).ok(),
        _ => None,
    }
}
