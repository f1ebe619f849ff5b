//! The encoder's features of a token: its depth, statement and height.

use crate::compiler::program::Program;
use crate::lang::index::{Indices, TokenId};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

pub const MAX_DEPTH: u32 = 15;
pub const MAX_STATEMENT: u32 = 31;
pub const MAX_HEIGHT: u32 = 15;

/// Depth and statement of every token of a function.
pub struct Features {
    first: TokenId,
    depth: Vec<u8>,
    statement: Vec<u8>,
}

impl Features {
    pub fn new(program: &Program, tokens: Indices<TokenId>) -> Self {
        let first = tokens.start();
        let mut statement = vec![0u32; tokens.len() as usize];
        for token in tokens {
            if begins_statement(program.role(token)) {
                statement[(program.extent(token).start() - first) as usize] += 1;
            }
        }
        let (mut open, mut begun) = (0u32, 0);
        let mut depth = Vec::with_capacity(statement.len());
        for token in tokens {
            use TokenKind::*;
            if matches!(program.kind(token), RightParen | RightBracket | RightBrace) {
                open = open.saturating_sub(1);
            }
            depth.push(open.min(MAX_DEPTH) as u8);
            if matches!(program.kind(token), LeftParen | LeftBracket | LeftBrace) {
                open += 1;
            }
            begun += statement[(token - first) as usize];
            statement[(token - first) as usize] = begun;
        }
        let statement = statement.into_iter().map(|n| n.min(MAX_STATEMENT) as u8).collect();
        Features { first, depth, statement }
    }

    /// Returns depth, statement and height of a token.
    pub fn at(&self, program: &Program, token: TokenId) -> [u8; 3] {
        let above = std::iter::successors(program.parent(token), |node| program.parent(*node));
        let expressions = above.take_while(|node| program.role(*node).is_expression());
        let height = expressions.take(MAX_HEIGHT as usize).count();
        let at = (token - self.first) as usize;
        [self.depth[at], self.statement[at], height as u8]
    }
}

fn begins_statement(role: Role) -> bool {
    use Role::*;
    matches!(role, Let | Assign | If | While | For | Break | Continue | Return)
}
