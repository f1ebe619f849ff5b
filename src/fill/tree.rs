//! Expressions that were found.

use std::cmp::Ordering;

use crate::fill::operation::{Meaning, Word};
use crate::fill::rows::{Node, Rank, Rows};
use crate::fill::space::Space;
use crate::lang::opcode::{Op, OperandSource};
use crate::lang::token::{BUILTINS, PREFIX_STRENGTH, TokenKind};

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
    fn parts(&self, rows: &Rows) -> Option<(u8, [Tree; 2])> {
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
        self.size(rows).cmp(&other.size(rows)).then_with(|| match (self.parts(rows), other.parts(rows)) {
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
                space.operations[*operation as usize].value(left, right)
            }
        }
    }

    /// Whether it uses no variable.
    fn is_constant(&self, space: &Space, rows: &Rows) -> bool {
        match self.parts(rows) {
            Some((operation, [left, right])) => {
                let unary = space.operations[operation as usize].is_unary();
                (unary || left.is_constant(space, rows)) && right.is_constant(space, rows)
            }
            None => match self {
                Tree::Kept(rank) => space.leaves[*rank as usize].is_constant,
                Tree::Apply { .. } => false,
            },
        }
    }

    /// The source text, with the parentheses that it needs. What has no variable is written as its value.
    pub fn text(&self, space: &Space, rows: &Rows) -> String {
        self.written(space, rows, 0)
    }

    fn written(&self, space: &Space, rows: &Rows, strength: u32) -> String {
        let Some((operation, [left, right])) = self.parts(rows) else {
            return match self {
                Tree::Kept(rank) => {
                    let text = &space.leaves[*rank as usize].text;
                    if text.starts_with('-') && strength > 0 { format!("({text})") } else { text.clone() }
                }
                Tree::Apply { .. } => String::new(),
            };
        };
        let operation = space.operations[operation as usize];
        if operation.result == crate::lang::ty::Type::INT
            && self.is_constant(space, rows)
            && let Some(value) = self.value(space, rows, 0)
        {
            let value = value as i32;
            return if value < 0 && strength > 0 { format!("({value})") } else { value.to_string() };
        }
        let of = |operand: &Tree, strength| operand.written(space, rows, strength);
        if let Some(kind) = operation.infix() {
            let own = kind.infix_strength();
            // Operators of one strength group to the left; comparisons do not chain.
            let least = own + u32::from(kind.is_comparison());
            let text =
                format!("{} {} {}", of(&left, least), kind.spelling().unwrap_or_default(), of(&right, own + 1));
            return if own < strength { format!("({text})") } else { text };
        }
        let prefix = |kind: TokenKind| {
            let text = format!("{}{}", kind.spelling().unwrap_or_default(), of(&right, PREFIX_STRENGTH));
            if strength > PREFIX_STRENGTH { format!("({text})") } else { text }
        };
        match operation.meaning {
            Meaning::ToInt => format!("int({})", of(&right, 0)),
            Meaning::Unary(op) => match op.source() {
                OperandSource::Prefix(kind) => prefix(kind),
                _ => format!("{}({})", name(op), of(&right, 0)),
            },
            Meaning::Binary(op) => format!("{}({}, {})", name(op), of(&left, 0), of(&right, 0)),
            Meaning::Logical { .. } => String::new(),
        }
    }
}

fn name(op: Op) -> &'static str {
    match op.source() {
        OperandSource::Builtin(name) => BUILTINS[name as usize],
        _ => op.name(),
    }
}
