//! The leaves and operations of expressions.

use crate::fill::backward::{self, Bits};
pub use crate::fill::blocks::Call;
use crate::fill::blocks::{Known, Step, Table};
use crate::fill::operation::{Meaning, Operation, Word};
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
    pub values: Vec<Word>,
    pub is_constant: bool,
}

/// A list whose elements are expressions.
#[derive(Clone, Debug)]
pub struct List {
    pub text: String,
    /// The type of an element.
    pub ty: Type,
    /// Its elements for each input.
    pub values: Vec<Vec<u32>>,
}

/// A pure function of one or two ints, or of one or two bools.
#[derive(Clone, Debug)]
pub struct Function {
    pub text: String,
    pub operand: Type,
    pub is_unary: bool,
    pub result: Type,
    /// The size of the largest calls.
    pub largest: u8,
    pub call: Call,
}

#[derive(Clone, Debug)]
pub struct Space {
    /// Ints first; among them variables before constants.
    pub leaves: Vec<Leaf>,
    /// A part of [`crate::fill::operation::OPERATIONS`], in its order; elements and calls follow those with their type.
    pub operations: Vec<Operation>,
    pub lists: Vec<List>,
    pub functions: Vec<Function>,
    /// Number of inputs whose result is required.
    pub required: usize,
    /// Number of inputs at which the expression is evaluated in any case, so that none may trap there.
    pub evaluated: usize,
    /// Number of all inputs: those without a required result only distinguish expressions.
    pub inputs: usize,
}

impl Space {
    /// Makes a space. Leaves with equal values are one, the first; those that trap for all inputs are left out.
    pub fn new(leaves: Vec<Leaf>, operations: Vec<Operation>, required: usize, inputs: usize) -> Space {
        let mut own: Vec<Leaf> = Vec::new();
        for leaf in leaves.into_iter().filter(|leaf| leaf.values.iter().any(Option::is_some)) {
            if !own.iter().any(|other| other.ty == leaf.ty && other.values == leaf.values) {
                own.push(leaf);
            }
        }
        own.sort_by_key(|leaf| (leaf.ty != Type::INT, leaf.is_constant));
        let (lists, functions) = (Vec::new(), Vec::new());
        let inputs = inputs.min(MAX_INPUTS);
        Space { leaves: own, operations, lists, functions, required, evaluated: 0, inputs }
    }

    /// Adds the elements of lists and the calls of functions.
    pub fn with(mut self, lists: Vec<List>, functions: Vec<Function>) -> Space {
        let element = |(list, own): (u8, &List)| Operation {
            meaning: Meaning::Element { list },
            operand: Type::INT,
            result: own.ty,
        };
        let call = |(function, own): (u8, &Function)| {
            let Function { is_unary, largest, operand, result, .. } = *own;
            Operation { meaning: Meaning::Call { function, is_unary, largest }, operand, result }
        };
        self.operations.extend((0..).zip(&lists).map(element));
        self.operations.extend((0..).zip(&functions).map(call));
        self.operations.sort_by_key(|operation| operation.result != Type::INT);
        Space { lists, functions, ..self }
    }

    /// The value of an operation for an input.
    pub fn value(&self, operation: Operation, left: Word, right: Word, input: usize) -> Word {
        match operation.meaning {
            Meaning::Element { list } => {
                let index = right?;
                self.lists[list as usize].values[input].get(index as usize).copied()
            }
            Meaning::Call { function, is_unary, .. } => {
                let left = if is_unary { 0 } else { left? };
                (self.functions[function as usize].call.0)(&[[left, right?]]).first().copied().flatten()
            }
            _ => operation.value(left, right),
        }
    }

    /// For an input: what is known of an operand where the other one and a part of the result are, as
    /// [`backward::operand`].
    pub fn operand(
        &self,
        operation: Operation,
        side: Known,
        known: u32,
        result: Bits,
        input: usize,
    ) -> Option<Bits> {
        match operation.meaning {
            Meaning::Element { list } if result.mask != 0 => {
                let fitting = (0..).zip(&self.lists[list as usize].values[input]);
                let indices =
                    fitting.filter(|(_, word)| result.fit(**word)).map(|(index, _): (u32, _)| [index; 2]);
                let [and, or] = indices.reduce(|[and, or], [index, _]| [and & index, or | index])?;
                Some(Bits { mask: !(and ^ or), value: and })
            }
            _ => backward::operand(operation, side, known, result),
        }
    }

    /// An operation that is applied to other operands, for an input.
    pub fn step(&self, operation: Operation, side: Known, known: u32, input: usize) -> Step<'_> {
        let table = match operation.meaning {
            Meaning::Element { list } => Table::List(&self.lists[list as usize].values[input]),
            Meaning::Call { function, .. } => Table::Call(&self.functions[function as usize].call),
            _ => Table::None,
        };
        Step { operation, side, known, table }
    }
}
