//! Scratch memory of check, kept between programs.

use crate::lang::NONE;
use crate::lang::index::TokenId;

/// Flag in [`CheckScratch::flags`]: the node's extent contains an error.
pub const HAS_ERROR: u8 = 1;
/// Flag in [`CheckScratch::flags`]: a list literal without elements or a `?`, or a group around one.
pub const BARE: u8 = 2;
/// Flag in [`CheckScratch::flags`]: control does not continue after this statement.
pub const DIVERGES: u8 = 4;
/// Flag in [`CheckScratch::flags`]: a loop with a `break` of its own that can run.
pub const HAS_BREAK: u8 = 8;
/// Flag in [`CheckScratch::flags`]: a constant's name whose value is known.
pub const VALUED: u8 = 16;
/// Flag in [`CheckScratch::flags`]: an item keyword whose region has a broken statement.
pub const BROKEN_REGION: u8 = 32;

/// A block, function or property that is currently open.
#[derive(Clone, Copy, Debug)]
pub struct CheckFrame {
    /// The token that identifies its scope.
    pub scope: TokenId,
    /// Number of local names visible when it was opened.
    pub names: u32,
    /// The While or For whose body it is, if any.
    pub loop_head: Option<TokenId>,
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
    pub token: TokenId,
    pub name: u32,
    pub scope: TokenId,
    /// Index of the local that had the name before, or `NONE`.
    pub hides: u32,
}

/// A function's parameters and locals.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signature {
    /// Index of its first parameter in [`CheckScratch::params`].
    pub first: u32,
    pub params: u32,
    /// Number of its `let` and loop variables.
    pub locals: u32,
}

/// The result of evaluating a node of a constant expression.
#[derive(Clone, Copy, Debug, Default)]
pub struct CheckValue {
    pub value: u32,
    /// The operator of the first division that traps.
    pub trap: Option<TokenId>,
}

impl CheckValue {
    pub fn known(value: u32) -> CheckValue {
        CheckValue { value, trap: None }
    }
}

/// The buffers of a run.
#[derive(Clone, Debug, Default)]
pub struct CheckScratch {
    /// For each token: its first child, and the next child of its parent, both in token order.
    pub first_child: Vec<Option<TokenId>>,
    pub next_sibling: Vec<Option<TokenId>>,
    /// For each token: the nodes whose extent ends with it, inner first, as a chain through `next_ending`.
    pub ending: Vec<Option<TokenId>>,
    pub next_ending: Vec<Option<TokenId>>,
    pub flags: Vec<u8>,
    /// For each token: the number of constant expressions that contain it; empty if there are none.
    pub constant_depth: Vec<u32>,
    /// For each name: the index in `locals` of its current meaning, or `NONE`.
    pub local: Vec<u32>,
    /// For each name: the name token of the constant, and of the function, that it means.
    pub constant: Vec<Option<TokenId>>,
    pub function: Vec<Option<TokenId>>,
    pub locals: Vec<Local>,
    pub frames: Vec<CheckFrame>,
    /// All Param nodes in token order.
    pub params: Vec<TokenId>,
    /// By `fn` token.
    pub signatures: Vec<Signature>,
    /// The Const nodes, and the Fn nodes.
    pub constants: Vec<TokenId>,
    pub functions: Vec<TokenId>,
    /// Number of tests and properties, and the first one beyond the limit.
    pub tests: u32,
    pub excess_test: TokenId,
    /// Result types of the functions as the first pass computed them.
    pub results: Vec<u32>,
    /// For each token: its value while a constant expression is evaluated.
    pub values: Vec<CheckValue>,
}

pub(super) fn fill<T: Clone>(column: &mut Vec<T>, len: usize, value: T) {
    column.clear();
    column.resize(len, value);
}

impl CheckScratch {
    pub(super) fn reset(&mut self, tokens: usize, names: usize) {
        fill(&mut self.first_child, tokens, None);
        fill(&mut self.next_sibling, tokens, None);
        fill(&mut self.ending, tokens, None);
        fill(&mut self.next_ending, tokens, None);
        fill(&mut self.flags, tokens, 0);
        fill(&mut self.local, names, NONE);
        fill(&mut self.constant, names, None);
        fill(&mut self.function, names, None);
        self.signatures.resize(tokens, Signature::default()); // read only where written in the same run
        self.values.resize(tokens, CheckValue::default()); // likewise
        self.constant_depth.clear();
        self.locals.clear();
        self.frames.clear();
        self.params.clear();
        self.constants.clear();
        self.functions.clear();
        self.tests = 0;
    }
}
