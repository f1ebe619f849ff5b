//! Expressions that were found.

use std::cmp::Ordering;

use crate::fill::operation::{Meaning, Word};
use crate::fill::rows::{Node, Rank, Rows};
use crate::fill::space::Space;
use crate::lang::opcode::OperandSource;
use crate::lang::token::{BUILTINS, PREFIX_STRENGTH, TokenKind};
use crate::lang::ty::Type;

/// An expression: a kept one, or an operation on two others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Tree {
    Kept(Rank),
    /// A unary operation has its operand on the right; the left tree is rank 0 and counts for nothing.
    Apply {
        operation: u8,
        size: usize,
        operands: Box<[Tree; 2]>,
    },
}

impl Tree {
    pub fn size(&self, rows: &Rows) -> usize {
        match self {
            Tree::Kept(rank) => rows.size_of(*rank),
            Tree::Apply { size, .. } => *size,
        }
    }

    /// The operation's index and the operands; `None` for a leaf.
    fn operands(&self, rows: &Rows) -> Option<(u8, [Tree; 2])> {
        match self {
            Tree::Apply { operation, operands, .. } => Some((*operation, (**operands).clone())),
            Tree::Kept(rank) => match rows.nodes[*rank as usize] {
                Node::Leaf(_) => None,
                Node::Apply { operation, left, right } => {
                    Some((operation, [Tree::Kept(left), Tree::Kept(right)]))
                }
            },
        }
    }

    /// The order of candidates: size, operation, left operand, right operand.
    pub fn order(&self, other: &Tree, rows: &Rows) -> Ordering {
        if let (Tree::Kept(own), Tree::Kept(other)) = (self, other) {
            return own.cmp(other);
        }
        self.size(rows).cmp(&other.size(rows)).then_with(|| match (self.operands(rows), other.operands(rows)) {
            (Some((own, [left, right])), Some((of, [other_left, other_right]))) => own
                .cmp(&of)
                .then_with(|| left.order(&other_left, rows))
                .then_with(|| right.order(&other_right, rows)),
            _ => Ordering::Equal,
        })
    }

    /// Its value for an input.
    pub fn value(&self, space: &Space, rows: &Rows, input: usize) -> Word {
        match self {
            Tree::Kept(rank) => {
                let traps = rows.traps[*rank as usize] >> input & 1 == 1;
                (!traps).then(|| rows.columns[input][*rank as usize])
            }
            Tree::Apply { operation, operands, .. } => {
                let [left, right] = operands.each_ref().map(|operand| operand.value(space, rows, input));
                space.value(space.operations[*operation as usize], left, right, input)
            }
        }
    }

    /// Whether it uses no variable.
    pub fn is_constant(&self, space: &Space, rows: &Rows) -> bool {
        match self.operands(rows) {
            Some((operation, [left, right])) => {
                let operation = space.operations[operation as usize];
                let reads = matches!(operation.meaning, Meaning::Element { .. });
                let is_left = operation.is_unary() || left.is_constant(space, rows);
                !reads && is_left && right.is_constant(space, rows)
            }
            None => match self {
                Tree::Kept(rank) => space.leaves[*rank as usize].is_constant,
                Tree::Apply { .. } => false,
            },
        }
    }

    /// The expression as it is written, with the parentheses that it needs. A part without a variable is written as its
    /// value.
    pub fn parts(&self, space: &Space, rows: &Rows) -> Vec<Part> {
        let mut parts = Vec::new();
        self.write(space, rows, 0, &mut parts);
        parts
    }

    /// The source text.
    pub fn text(&self, space: &Space, rows: &Rows) -> String {
        let text = |part: &Part| match *part {
            Part::Sign(TokenKind::Comma) => ", ".to_string(),
            Part::Sign(kind) => kind.spelling().unwrap_or_default().to_string(),
            Part::Infix(kind) => format!(" {} ", kind.spelling().unwrap_or_default()),
            Part::Number(number) => number.to_string(),
            Part::BuiltIn(name) => BUILTINS[name as usize].to_string(),
            Part::Leaf(leaf) => space.leaves[leaf as usize].text.clone(),
            Part::List(list) => space.lists[list as usize].text.clone(),
            Part::Function(function) => space.functions[function as usize].text.clone(),
        };
        self.parts(space, rows).iter().map(text).collect()
    }

    fn write(&self, space: &Space, rows: &Rows, strength: u32, parts: &mut Vec<Part>) {
        use TokenKind::{Comma, LeftParen, Minus, RightParen};
        let is_constant = self.is_constant(space, rows);
        if is_constant
            && self.is_int(space, rows)
            && let Some(value) = self.value(space, rows, 0)
        {
            let is_negative = (value as i32) < 0;
            let sign = is_negative.then_some(Part::Sign(Minus));
            let own = sign.into_iter().chain([Part::Number((value as i32).unsigned_abs())]);
            return grouped(is_negative && strength > 0, parts, |parts| parts.extend(own));
        }
        let Some((operation, [left, right])) = self.operands(rows) else {
            if let Tree::Kept(leaf) = self {
                parts.push(Part::Leaf(*leaf));
            }
            return;
        };
        let operation = space.operations[operation as usize];
        if let Some(kind) = operation.infix() {
            let own = kind.infix_strength();
            // A sum with a negative constant is written as a difference, and the other way round.
            let (opposite, sides) = match kind {
                TokenKind::Plus => (Minus, &[(&left, &right), (&right, &left)][..]),
                _ => (TokenKind::Plus, &[(&left, &right)][..]),
            };
            let is_sum = matches!(kind, TokenKind::Plus | Minus);
            let negated = |(of, by): &(&Tree, &Tree)| Some(((*of).clone(), by.opposite(space, rows)?));
            if let Some((of, by)) = sides.iter().filter(|_| is_sum).find_map(negated) {
                return grouped(own < strength, parts, |parts| {
                    of.write(space, rows, own, parts);
                    parts.extend([Part::Infix(opposite), Part::Number(by)]);
                });
            }
            return grouped(own < strength, parts, |parts| {
                // Operators of one strength group to the left; comparisons do not chain.
                left.write(space, rows, own + u32::from(kind.is_comparison()), parts);
                parts.push(Part::Infix(kind));
                right.write(space, rows, own + 1, parts);
            });
        }
        let called = |name: Part, operands: &[&Tree], parts: &mut Vec<Part>| {
            parts.extend([name, Part::Sign(LeftParen)]);
            for (at, operand) in operands.iter().enumerate() {
                parts.extend((at > 0).then_some(Part::Sign(Comma)));
                operand.write(space, rows, 0, parts);
            }
            parts.push(Part::Sign(RightParen));
        };
        match operation.meaning {
            Meaning::ToInt => called(Part::Sign(TokenKind::IntType), &[&right], parts),
            Meaning::Unary(op) | Meaning::Binary(op) => match op.source() {
                OperandSource::Prefix(kind) => grouped(strength > PREFIX_STRENGTH, parts, |parts| {
                    parts.push(Part::Sign(kind));
                    right.write(space, rows, PREFIX_STRENGTH, parts);
                }),
                OperandSource::Builtin(name) if operation.is_unary() => {
                    called(Part::BuiltIn(name), &[&right], parts);
                }
                OperandSource::Builtin(name) => called(Part::BuiltIn(name), &[&left, &right], parts),
                _ => {}
            },
            Meaning::Logical { .. } => {}
            Meaning::Call { function, is_unary: true, .. } => {
                called(Part::Function(function), &[&right], parts)
            }
            Meaning::Call { function, .. } => called(Part::Function(function), &[&left, &right], parts),
            Meaning::Element { list } => {
                parts.extend([Part::List(list), Part::Sign(TokenKind::LeftBracket)]);
                right.write(space, rows, 0, parts);
                parts.push(Part::Sign(TokenKind::RightBracket));
            }
        }
    }

    /// The magnitude of a negative constant.
    fn opposite(&self, space: &Space, rows: &Rows) -> Option<u32> {
        let value = self.value(space, rows, 0).filter(|_| self.is_constant(space, rows))? as i32;
        (i32::MIN < value && value < 0).then_some(value.unsigned_abs())
    }

    fn is_int(&self, space: &Space, rows: &Rows) -> bool {
        match self.operands(rows) {
            Some((operation, _)) => space.operations[operation as usize].result == Type::INT,
            None => matches!(self, Tree::Kept(leaf) if space.leaves[*leaf as usize].ty == Type::INT),
        }
    }
}

/// A piece of an expression as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// A bracket, a comma, a prefix operator or `int`.
    Sign(TokenKind),
    Infix(TokenKind),
    Number(u32),
    /// A built-in function, by its name id.
    BuiltIn(u32),
    /// The index of a leaf of the space, of a list, of a function.
    Leaf(u32),
    List(u8),
    Function(u8),
}

fn grouped(holds: bool, parts: &mut Vec<Part>, write: impl FnOnce(&mut Vec<Part>)) {
    parts.extend(holds.then_some(Part::Sign(TokenKind::LeftParen)));
    write(parts);
    parts.extend(holds.then_some(Part::Sign(TokenKind::RightParen)));
}
