//! Matches the instructions of two programs, where the second is the first with some tokens changed.
//!
//! An instruction is identified by its source token, its operation, and the number of equal instructions from that
//! token before it. Code that a change only moves therefore keeps its identity. Instructions without a counterpart are
//! those that it changed.

use std::collections::HashMap;

use crate::compiler::program::{Executable, Instructions};
use crate::compiler::stage::mutate::Edit;
use crate::lang::NONE;
use crate::lang::index::{Index, TokenId};
use crate::lang::opcode::{Op, Shape};

/// A token of the first program, an operation, and its operand, or 0 if that does not count.
type InstructionMatchKey = (TokenId, u32, u32);

/// Numbers the instructions that two programs have in common. Returns the numbers by address; words that are not the start
/// of an instruction, and instructions without a counterpart, have [`NONE`]. `token` maps the second program's tokens to
/// those of the first. With `operands`, equal instructions have equal operands, but for addresses and slots.
pub fn matched(
    [one, other]: [&Executable; 2],
    token: impl Fn(TokenId) -> Option<TokenId>,
    operands: bool,
) -> [Vec<u32>; 2] {
    let mut known: HashMap<(InstructionMatchKey, u32), u32> = HashMap::new();
    let mut numbers = [one, other].map(|program| vec![NONE; program.code.word.len()]);
    for (at, key, nth) in keys(one, Some, operands) {
        let number = known.len() as u32;
        known.insert((key, nth), number);
        numbers[0][at] = number;
    }
    let mut met = vec![false; known.len()];
    for (at, key, nth) in keys(other, token, operands) {
        if let Some(number) = known.get(&(key, nth)) {
            numbers[1][at] = *number;
            met[*number as usize] = true;
        }
    }
    for number in &mut numbers[0] {
        if met.get(*number as usize) == Some(&false) {
            *number = NONE;
        }
    }
    numbers
}

/// Returns the instructions of a program: address, key, and the number of earlier instructions with the same key.
fn keys(
    program: &Executable,
    token: impl Fn(TokenId) -> Option<TokenId>,
    operands: bool,
) -> Vec<(usize, InstructionMatchKey, u32)> {
    let mut met: HashMap<InstructionMatchKey, u32> = HashMap::new();
    let mut found = Vec::new();
    for instruction in Instructions::of(&program.code.word) {
        let own = program.code.token.get(instruction.at).copied().and_then(TokenId::from_word);
        let Some(token) = own.and_then(&token) else { continue };
        let said = match instruction.op.shape() {
            Shape::Value | Shape::Wide | Shape::Function | Shape::Count if operands => instruction.operand,
            _ => 0,
        };
        // A constant that needs two words is the same instruction as one that needs one.
        let op = if instruction.op == Op::LoadConstWide { Op::LoadConst } else { instruction.op };
        let key = (token, op as u32, said);
        let nth = met.entry(key).or_default();
        found.push((instruction.at, key, *nth));
        *nth += 1;
    }
    found
}

/// Returns the base's token for a mutant's token, or `None` if the token does not replace exactly one token.
pub fn in_base(edits: &[Edit], token: TokenId) -> Option<TokenId> {
    let mut edits: Vec<&Edit> = edits.iter().collect();
    edits.sort_by_key(|edit| edit.lo);
    // The index in the base, adjusted for the edits seen so far.
    let mut at = token;
    for edit in edits {
        let new = edit.inserted_tokens();
        if at < edit.lo {
            break;
        }
        if at < edit.lo + new {
            // A one-for-one replacement keeps its token; its operation shows whether it differs. A copied token is
            // evaluated elsewhere.
            return (edit.hi == edit.lo + 1 && edit.new_token().is_some()).then_some(at);
        }
        at = at - new + (edit.hi - edit.lo);
    }
    Some(at)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compiler::stage::mutate::Piece;
    use crate::lang::index::Indices;
    use crate::lang::mutation::Operator;
    use crate::lang::token::TokenKind;

    #[test]
    fn tokens_after_an_edit_map_to_tokens_of_the_base() {
        let edit = |lo, hi, pieces: &[Piece]| {
            Edit::new(Operator::Deletion, TokenId::new(lo), Indices::numbered(lo..hi), pieces)
        };
        let new = [Piece::sign(TokenKind::Minus)];
        let of = |edits: &[Edit], tokens: &[u32]| -> Vec<Option<u32>> {
            { tokens.iter() }.map(|token| in_base(edits, TokenId::new(*token)).map(TokenId::number)).collect()
        };
        // Tokens 3..6 are deleted; one token is inserted before token 2; tokens 3..6 become one token.
        assert_eq!(of(&[edit(3, 6, &[])], &[2, 3, 4]), [Some(2), Some(6), Some(7)]);
        assert_eq!(of(&[edit(2, 2, &new)], &[1, 2, 3]), [Some(1), None, Some(2)]);
        assert_eq!(of(&[edit(3, 6, &new)], &[2, 3, 4]), [Some(2), None, Some(6)]);
        assert_eq!(of(&[edit(3, 4, &new)], &[2, 3, 4]), [Some(2), Some(3), Some(4)]);
        // A copied token is not a token of the base, but the token after it is.
        let copy = |token| Piece::Copy(TokenId::new(token).into());
        let swapped = [5, 4, 3].map(copy);
        assert_eq!(of(&[edit(3, 6, &swapped)], &[2, 3, 4, 5, 6]), [Some(2), None, None, None, Some(6)]);
        assert_eq!(of(&[edit(3, 4, &[copy(1)])], &[2, 3, 4]), [Some(2), None, Some(4)]);
        // Two edits at once, in either order.
        let both = [edit(8, 9, &new), edit(3, 6, &[])];
        assert_eq!(of(&both, &[2, 3, 5, 6]), [Some(2), Some(6), Some(8), Some(9)]);
    }
}
