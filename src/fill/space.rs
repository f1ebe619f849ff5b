//! The leaves and operations of expressions.

use crate::fill::operation::Operation;
use crate::lang::ty::Type;

/// The maximum number of inputs: traps of a row are the bits of a word of 64.
pub const MAX_INPUTS: usize = 64;

/// A variable, a constant, or any other operand whose values are known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Leaf {
    /// As it is written.
    pub text: String,
    /// Int or bool.
    pub ty: Type,
    /// Its value for each input; for a constant all are equal.
    pub values: Vec<u32>,
    pub is_constant: bool,
}

#[derive(Clone, Debug)]
pub struct Space {
    /// Ints first; among them variables before constants.
    pub leaves: Vec<Leaf>,
    /// A part of [`crate::fill::operation::OPERATIONS`], in its order.
    pub operations: Vec<Operation>,
    /// Number of inputs whose result is required.
    pub required: usize,
    /// Number of all inputs: those without a required result only distinguish expressions.
    pub inputs: usize,
}

impl Space {
    /// Makes a space. Leaves with equal values are one, the first.
    pub fn new(leaves: Vec<Leaf>, operations: Vec<Operation>, required: usize, inputs: usize) -> Space {
        let mut own: Vec<Leaf> = Vec::new();
        for leaf in leaves {
            if !own.iter().any(|other| other.ty == leaf.ty && other.values == leaf.values) {
                own.push(leaf);
            }
        }
        own.sort_by_key(|leaf| (leaf.ty != Type::INT, leaf.is_constant));
        Space { leaves: own, operations, required, inputs: inputs.min(MAX_INPUTS) }
    }
}
