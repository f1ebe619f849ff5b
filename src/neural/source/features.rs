//! What the encoder is told of a token beside its word: how deep it lies, and where.

use std::ops::Range;

use super::Program;
use crate::lang::NONE;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

pub const MAX_DEPTH: u32 = 15;
pub const MAX_STATEMENT: u32 = 31;
pub const MAX_HEIGHT: u32 = 15;

/// Depth and statement of every token of a function.
pub struct Features {
    first: usize,
    depth: Vec<u8>,
    statement: Vec<u8>,
}

impl Features {
    pub fn new(program: &Program, tokens: Range<usize>) -> Self {
        let first = tokens.start;
        let mut statement = vec![0u32; tokens.len()];
        for token in tokens.clone() {
            if begins_statement(program.role(token)) {
                statement[program.input.tree.lo[token] as usize - first] += 1;
            }
        }
        let (mut open, mut begun) = (0u32, 0);
        let mut depth = Vec::with_capacity(tokens.len());
        for token in tokens {
            use TokenKind::*;
            if matches!(program.kind(token), RightParen | RightBracket | RightBrace) {
                open = open.saturating_sub(1);
            }
            depth.push(open.min(MAX_DEPTH) as u8);
            if matches!(program.kind(token), LeftParen | LeftBracket | LeftBrace) {
                open += 1;
            }
            begun += statement[token - first];
            statement[token - first] = begun;
        }
        let statement = statement.into_iter().map(|n| n.min(MAX_STATEMENT) as u8).collect();
        Features { first, depth, statement }
    }

    /// Depth, statement and height of a token.
    pub fn at(&self, program: &Program, token: usize) -> [u8; 3] {
        let tree = program.input.tree;
        let mut height = 0;
        let mut node = tree.parent[token];
        while height < MAX_HEIGHT && node != NONE && program.role(node as usize).is_expression() {
            height += 1;
            node = tree.parent[node as usize];
        }
        let at = token - self.first;
        [self.depth[at], self.statement[at], height as u8]
    }
}

fn begins_statement(role: Role) -> bool {
    use Role::*;
    matches!(role, Let | Assign | If | While | For | Break | Continue | Return)
}
