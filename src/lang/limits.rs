//! The language's limits. Passing one is a diagnostic that names the limit and the count.

/// Bytes of source text.
pub const SOURCE_BYTES: usize = 64 * 1024;
/// Tokens of a program; comments do not count.
pub const TOKENS: usize = 8_192;
/// Brackets of any kind open at once.
pub const NESTING: usize = 64;
/// `let` and loop variables of one function.
pub const LOCALS: usize = 64;
/// Parameters of one function.
pub const PARAMS: usize = 16;
/// Functions of a program.
pub const FUNCTIONS: usize = 256;
/// Tests and properties of a program, together.
pub const TESTS: usize = 256;
/// The largest list, and so the largest capacity.
pub const CAPACITY: u32 = 64;
/// The capacity of `[int]` and the least that a literal gives an untyped `let`.
pub const DEFAULT_CAPACITY: u32 = 16;

/// Nested calls below a test's own expression.
pub const CALL_DEPTH: u32 = 128;
/// Words of frames and operands.
pub const STACK_WORDS: u32 = 4_096;
/// Bytecode instructions that one test, or one input of a property, may execute.
pub const STEPS: u32 = 1_000_000;
/// Inputs on which a property is checked when its domain is larger by more than an eighth.
pub const SAMPLES: u32 = 1_024;
/// The most inputs that a property may have, and the largest domain whose size is known exactly.
pub const INPUTS: u32 = 65_536;
/// Inputs that the workbench goes on to while nobody types.
pub const FURTHER_SAMPLES: u32 = 10_000;
