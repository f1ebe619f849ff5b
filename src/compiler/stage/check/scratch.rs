//! Scratch memory of check, kept between programs.

use crate::lang::NONE;

/// Flag in [`Scratch::flags`]: the node's extent contains an error.
pub const HAS_ERROR: u8 = 1;
/// Flag in [`Scratch::flags`]: a list literal without elements, or a group around one.
pub const BARE: u8 = 2;
/// Flag in [`Scratch::flags`]: control does not continue after this statement.
pub const ENDS: u8 = 4;
/// Flag in [`Scratch::flags`]: a loop with a `break` of its own that can run.
pub const HAS_BREAK: u8 = 8;
/// Flag in [`Scratch::flags`]: a constant's name whose value is known.
pub const VALUED: u8 = 16;
/// Flag in [`Scratch::flags`]: an item keyword whose region has a broken statement.
pub const BROKEN_REGION: u8 = 32;

/// A block, function or property that is currently open.
#[derive(Clone, Copy, Debug)]
pub struct Frame {
    /// The token that identifies its scope.
    pub scope: u32,
    /// Number of local names visible when it was opened.
    pub names: u32,
    /// The While or For whose body it is, or `NONE`.
    pub looping: u32,
    /// Whether it is a function's: loops outside of it do not count.
    pub function: bool,
    /// Whether control cannot reach the current position of the walk in it.
    pub ended: bool,
    pub dead: Dead,
}

/// Progress of finding a block's unreachable code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dead {
    /// No `return`, `break` or `continue` yet.
    No,
    /// The next statement is the first unreachable one.
    Next,
    /// The unreachable code has been found.
    Reported,
}

/// A visible local name, and the local that it hides.
#[derive(Clone, Copy, Debug)]
pub struct Local {
    pub token: u32,
    pub name: u32,
    pub scope: u32,
    /// Index of the local that had the name before, or `NONE`.
    pub hides: u32,
}

/// A function's parameters and locals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signature {
    /// Index of its first parameter in [`Scratch::params`].
    pub first: u32,
    /// Number of its parameters.
    pub params: u32,
    /// Number of its `let` and loop variables.
    pub locals: u32,
}

/// The result of evaluating a node of a constant expression.
#[derive(Clone, Copy, Debug, Default)]
pub struct Value {
    pub value: u32,
    /// The operator of the first division that traps, or `NONE`.
    pub trap: u32,
}

impl Value {
    pub fn known(value: u32) -> Value {
        Value { value, trap: NONE }
    }
}

/// The buffers of a run.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// For each token: its first child, and the next child of its parent, both in token order.
    pub first_child: Vec<u32>,
    pub next_sibling: Vec<u32>,
    /// For each token: the nodes whose extent ends with it, inner first, as a chain through `next_ending`.
    pub ending: Vec<u32>,
    pub next_ending: Vec<u32>,
    pub flags: Vec<u8>,
    /// For each token: the number of constant expressions that contain it; empty if there are none.
    pub constant_depth: Vec<u32>,
    /// For each name: the index in `locals` of its current meaning, or `NONE`.
    pub local: Vec<u32>,
    /// For each name: the name token of the constant, and of the function, that it means, or `NONE`.
    pub constant: Vec<u32>,
    pub function: Vec<u32>,
    pub locals: Vec<Local>,
    pub frames: Vec<Frame>,
    /// All Param nodes in token order.
    pub params: Vec<u32>,
    /// By `fn` token.
    pub signatures: Vec<Signature>,
    /// The Const nodes, and the Fn nodes.
    pub constants: Vec<u32>,
    pub functions: Vec<u32>,
    /// Number of tests and properties, and the first one beyond the limit.
    pub tests: u32,
    pub excess_test: u32,
    /// Result types of the functions as the first pass computed them.
    pub results: Vec<u32>,
    /// For each token: its value while a constant expression is evaluated.
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
