//! What a run of check needs beside its inputs and outputs; it keeps its capacity from one program to the next.

use crate::lang::NONE;

/// In [`Scratch::flags`]: an error stands in the node's extent.
pub const DIRTY: u8 = 1;
/// In [`Scratch::flags`]: a list literal without elements, or a group around one.
pub const BARE: u8 = 2;
/// In [`Scratch::flags`]: control does not go past this statement.
pub const ENDS: u8 = 4;
/// In [`Scratch::flags`]: a loop with a `break` of its own that can run.
pub const BROKEN_OUT: u8 = 8;
/// In [`Scratch::flags`]: a constant's name whose value is known.
pub const VALUED: u8 = 16;
/// In [`Scratch::flags`]: an item keyword in whose region a statement is broken.
pub const BROKEN_REGION: u8 = 32;

/// A block, function or property that is open where the walk stands.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The token that stands for its scope.
    pub scope: u32,
    /// How many local names were visible when it was opened.
    pub names: u32,
    /// The While or For whose body it is, or `NONE`.
    pub looping: u32,
    /// It is a function's: no loop outside of it counts.
    pub function: bool,
    /// Control cannot pass what has been walked of it.
    pub ended: bool,
    pub dead: Dead,
}

/// Where a block stands with its code that can never run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dead {
    /// No `return`, `break` or `continue` yet.
    No,
    /// The next statement is the first that can never run.
    Next,
    /// It has been found.
    Reported,
}

/// A local name in sight, and what it hides.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    pub token: u32,
    pub name: u32,
    pub scope: u32,
    /// Index of the local that had the name before, or `NONE`.
    pub hides: u32,
}

/// What a function has.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signature {
    /// Index of its first parameter in [`Scratch::params`].
    pub first: u32,
    /// Number of its parameters.
    pub params: u32,
    /// Number of its `let` and loop variables.
    pub locals: u32,
}

/// What a node of a constant expression evaluates to.
#[derive(Clone, Copy, Debug, Default)]
pub struct Value {
    pub value: u32,
    /// The division that traps first, or `NONE`.
    pub trap: u32,
}

impl Value {
    pub fn known(value: u32) -> Value {
        Value { value, trap: NONE }
    }
}

/// Buffers of a run.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// Per token: its first child, and the next child of its parent, both in token order.
    pub first_child: Vec<u32>,
    pub next_sibling: Vec<u32>,
    /// Per token: the nodes whose extent ends with it, inner first, as a chain through `next_ending`.
    pub ending: Vec<u32>,
    pub next_ending: Vec<u32>,
    pub flags: Vec<u8>,
    /// Per token: how many constant expressions it stands in; empty if there are none.
    pub constant_depth: Vec<u32>,
    /// Per name: the index in `locals` of what it means now, or `NONE`.
    pub local: Vec<u32>,
    /// Per name: the token of the constant, of the function, that counts, or `NONE`.
    pub constant: Vec<u32>,
    pub function: Vec<u32>,
    pub locals: Vec<Local>,
    pub frames: Vec<Frame>,
    /// All Param nodes in token order.
    pub params: Vec<u32>,
    /// Per `fn` token.
    pub signatures: Vec<Signature>,
    /// The Const and Fn nodes.
    pub constants: Vec<u32>,
    pub functions: Vec<u32>,
    /// Number of tests and properties, and the first too many.
    pub tests: u32,
    pub excess_test: u32,
    /// Return types of the functions as a first pass found them.
    pub results: Vec<u32>,
    /// Per token: values while a constant expression is evaluated.
    pub values: Vec<Value>,
}

pub(super) fn fill<T: Clone>(column: &mut Vec<T>, len: usize, value: T) {
    column.clear();
    column.resize(len, value);
}

impl Scratch {
    pub(super) fn reset(&mut self, tokens: usize, names: usize) {
        fill(&mut self.first_child, tokens, NONE);
        fill(&mut self.next_sibling, tokens, NONE);
        fill(&mut self.ending, tokens, NONE);
        fill(&mut self.next_ending, tokens, NONE);
        fill(&mut self.flags, tokens, 0);
        fill(&mut self.local, names, NONE);
        fill(&mut self.constant, names, NONE);
        fill(&mut self.function, names, NONE);
        self.signatures.resize(tokens, Signature::default()); // read only where written in the same run
        self.values.resize(tokens, Value::default()); // likewise
        self.constant_depth.clear();
        self.locals.clear();
        self.frames.clear();
        self.params.clear();
        self.constants.clear();
        self.functions.clear();
        self.tests = 0;
    }
}
