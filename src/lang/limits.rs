//! The language's limits. A program that exceeds one gets a diagnostic that names the limit and the count.

/// Bytes of source text.
pub const SOURCE_BYTES: usize = 64 * 1024;
/// Tokens of a program, not counting comments.
pub const TOKENS: usize = 8_192;
/// Brackets of any kind that may be open at once.
pub const NESTING: usize = 64;
/// `let` and loop variables of one function.
pub const LOCALS: usize = 64;
/// Parameters of one function.
pub const PARAMS: usize = 16;
/// Functions of a program.
pub const FUNCTIONS: usize = 256;
/// Tests and properties of a program, counted together.
pub const TESTS: usize = 256;
/// The greatest capacity of a list.
pub const CAPACITY: u32 = 64;
/// The capacity of `[int]`, and the least capacity of an untyped `let` whose value is a list literal.
pub const DEFAULT_CAPACITY: u32 = 16;

/// Nested calls, counted from a test's own expression.
pub const CALL_DEPTH: u32 = 128;
/// Words of memory for frames and operands.
pub const STACK_WORDS: u32 = 4_096;
/// Bytecode instructions that one test, or one input of a property, may execute.
pub const STEPS: u32 = 1_000_000;
/// Inputs that a property is checked on if its domain has more than 9/8 of this number.
pub const SAMPLES: u32 = 1_024;
/// The most inputs that a property may have; domain sizes above this number are not computed exactly.
pub const INPUTS: u32 = 65_536;
/// A property of the base with at most [`INPUTS`] combinations of values is tried on all of them while the sum of its steps
/// is below this number.
pub const WHOLE_STEPS: u64 = 4_000_000;
/// Inputs per property that the workbench checks while it is idle.
pub const IDLE_SAMPLES: u32 = 10_000;
