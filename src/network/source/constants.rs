//! Folds the constant expressions of a function, so that each becomes one word.

use std::cmp::Reverse;

use crate::compiler::program::Program;
use crate::lang::arithmetic;
use crate::lang::index::{Indices, TokenId};
use crate::lang::opcode::{Class, Op};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::lang::ty::Type;

/// The outermost constant expressions of a function.
pub struct Folded {
    first: TokenId,
    /// For the first token of each expression: its value, its type and the token after it.
    begins: Vec<Option<(i32, Type, TokenId)>>,
}

impl Folded {
    /// Returns the constant expression that begins at a token.
    pub fn of(&self, token: TokenId) -> Option<(i32, Type, TokenId)> {
        self.begins[(token - self.first) as usize]
    }
}

/// Folds the constant expressions among `tokens`: literals and named constants under operators and built-in
/// functions that do not trap. (`&&` and `||` are control flow and are not folded.)
pub fn fold(program: &Program, tokens: Indices<TokenId>) -> Folded {
    let first = tokens.start();
    let place = |token: TokenId| (token - first) as usize;
    let mut nodes: Vec<TokenId> = tokens.iter().filter(|&t| program.role(t).is_expression()).collect();
    // Sort children before parents: they end no later, and if they end together, the inner one begins later.
    nodes.sort_by_key(|&t| (program.extent(t).end(), Reverse(program.extent(t).start())));
    let mut operands = vec![[None; 2]; tokens.len() as usize];
    let mut begins = vec![None; tokens.len() as usize];
    for node in nodes {
        let Some(value) = value(program, node, operands[place(node)]) else { continue };
        let extent = program.extent(node);
        // An enclosing expression that begins at the same token comes later and overwrites this entry.
        begins[place(extent.start())] = Some((value as i32, program.ty(node), extent.end()));
        let parent = program.parent(node).filter(|parent| tokens.contains(*parent));
        if let (Some(parent), slot @ 0..2) = (parent, program.slot(node)) {
            operands[place(parent)][slot as usize] = Some(value);
        }
    }
    Folded { first, begins }
}

/// Returns the value of a node whose operands have these values, if it is constant.
fn value(program: &Program, node: TokenId, [a, b]: [Option<u32>; 2]) -> Option<u32> {
    let kind = program.kind(node);
    match program.role(node) {
        Role::Int => Some(program.value(node)),
        Role::Bool => Some((kind == TokenKind::True) as u32),
        Role::Var => {
            let declaration = program.declaration(node)?;
            program.is(declaration, Role::ConstName).then(|| program.constant(declaration))
        }
        Role::Group => a,
        Role::Unary => evaluate(Op::from_prefix(kind)?, a?, b),
        Role::Binary => evaluate(Op::from_infix(kind)?, a?, b),
        Role::Call if kind == TokenKind::IntType => a,
        Role::Call if program.declaration(node).is_none() => {
            evaluate(Op::from_builtin(program.value(node))?, a?, b)
        }
        _ => None,
    }
}

/// Returns the value of an operation on ints and bools, or `None` if it traps.
fn evaluate(op: Op, a: u32, b: Option<u32>) -> Option<u32> {
    match op.class() {
        Class::Unary => Some(arithmetic::unary(op as u32, a)),
        Class::Binary => arithmetic::binary(op as u32, a, b?).ok(),
        _ => None,
    }
}
