//! Numbers that host and shaders share: modes, phases, outcomes, and offsets in records and buffers.

use crate::compiler::stage::execute::KEPT;
use crate::compiler::stage::mutate::PIECES;
use crate::compiler::stage::route::features::FEATURES;
use crate::lang::NONE;
use crate::lang::limits;
use crate::lang::mutation::caps;

/// Declares modules of such numbers. In WGSL each name is prefixed with its module's prefix.
#[macro_export]
macro_rules! numbers {
    ($($(#[$meta:meta])* $module:ident $prefix:literal {
        $($(#[$doc:meta])* $name:ident = $value:expr,)*
    })*) => {
        $($(#[$meta])* pub mod $module {
            $($(#[$doc])* pub const $name: u32 = $value;)*
        })*

        /// All numbers with their WGSL names.
        pub const NUMBERS: &[(&str, u32)] =
            &[$($((concat!($prefix, "_", stringify!($name)), $module::$name),)*)*];
    };
}
pub use numbers;

numbers! {
    /// Counters of judge and execute: their offsets in the control buffer.
    control "CONTROL" {
        /// Words of the archive in use.
        ARCHIVE = 0,
        /// Programs to run.
        PROGRAMS = 1,
        /// Slots in use.
        SLOTS = 2,
        /// Units with slots still active after the last slice.
        ACTIVE = 3,
        /// Slots that overflowed small memory, and how many of them are done.
        SPILLED = 4,
        RESUMED = 5,
        /// Slices of the slots in small memory since they were activated, and the threads of the last slice.
        SLICES = 6,
        THREADS = 7,
        /// Loop iterations of all active slots since the runs of the base began, modulo 2³².
        ITERATIONS = 8,
        /// The number of the last slice, which never repeats. After all counters: for each unit the slice that listed it
        /// as active.
        STAMP = 9,
        WORDS = 10,
    }

    /// Where the turns of executed instructions are recorded, if they are: after all other words of `state`, once
    /// for each tier. First comes 1 in n groups of `GROUP` threads that are recorded, then the number of steps of each
    /// thread, then `STEPS` turns of each recorded thread.
    counted "COUNTED" {
        GROUP = 32,
        /// Recorded groups at most, and steps of each thread.
        GROUPS = 32,
        STEPS = 2_048,
        /// Threads of a dispatch at most.
        THREADS = 1 << 17,
        EVERY = 0,
        MADE = 1,
        ADDRESSES = MADE + THREADS,
        WORDS = ADDRESSES + GROUPS * GROUP * STEPS,
    }

    /// Which programs a dispatch executes.
    mode "MODE" {
        BASE = 0,
        MUTANTS = 1,
        /// One call of a function. Its slot is active from the start.
        CALL = 2,
        /// Like `BASE`, for many unrelated programs.
        TEXTS = 3,
    }

    /// Memory of a thread: the amount that most runs need, or the full amount.
    tier "TIER" {
        SMALL = 0,
        LARGE = 1,
    }

    /// The next action of a slot of execute.
    phase "PHASE" {
        NEW = 0,
        /// Start its job.
        NEXT = 1,
        RUN = 2,
        DONE = 3,
    }

    /// Words of a slot's state.
    state "STATE" {
        PHASE = 0,
        JOB = 1,
        PC = 2,
        FP = 3,
        SP = 4,
        DEPTH = 5,
        STEPS = 6,
        TIER = 7,
        /// The functions that the run has entered, as a bit set like `Program::changed`.
        ENTERED = 8,
        /// In a mutant's first slot: how many of its slots have been activated; 0 until slots beyond the
        /// initial ones are.
        ACTIVE_SLOTS = 9,
        WORDS = 10,
        /// After the states of all slots: a list of the slots that overflowed, each thread's progress in its
        /// share of that list, and two lists of active units, one read and one written by a slice.
        SPILLED = 10,
        LISTS = 3,
    }

    /// Words of a recorded step. The last two are split in halves: start of the frame and top of the stack;
    /// the word below the top, and the call depth.
    step "STEP" {
        ADDRESS = 0,
        TOP = 1,
        STACK = 2,
        BELOW = 3,
        WORDS = 4,
    }

    /// State of a recorded run after its last recorded step.
    run_state "RUN_STATE" {
        EPOCH = 0,
        /// Whether the run continues.
        RUNS = 1,
        TRAP = 2,
        VALUE = 3,
        ADDRESS = 4,
        STEPS = 5,
        /// Words of its memory, and number of active calls.
        TOP = 6,
        DEPTH = 7,
        WORDS = 8,
    }

    /// A job and its outcome, packed in one word.
    mark "MARK" {
        /// Bits of the outcome; the job is above them.
        BITS = 8,
        OUTCOME = 255,
        /// Only of a mutant: a run of it reaches a hole, and no job decides it.
        UNFINISHED = super::NONE - 1,
    }

    /// Which inputs run on mutants.
    exact "EXACT" {
        /// Those that enter a changed function.
        CHANGED = 0,
        ALL = 1,
        /// Those that enter any function; so not those that reach a hole of the base.
        ENTERING = 2,
    }

    /// The self-test of scans: values per thread, and the offset of each scan's result for a value.
    scans "SCANS" {
        ROUNDS = 4,
        SUM = 0,
        TOTAL = 1,
        GREATEST = 2,
        BEFORE = 3,
        REDUCED_SUM = 4,
        REDUCED_MAX = 5,
        ANY = 6,
        FROM = 7,
        WORDS = 8,
    }

    /// The head of execute's table of entries.
    head "HEAD" {
        COUNT = 0,
        /// Number of jobs of the base, and of a mutant.
        JOBS = 1,
        MUTANT_JOBS = 2,
        EPOCH = 3,
        /// Not 0: mutants run the jobs of an entry in the order after the words at `ENTRY_ENTERED`.
        ARRANGED = 4,
    }

    /// A row of that table: a test or property. The head takes as many words as a row.
    entry "ENTRY" {
        ROUTINE = 0,
        /// Row of its first binder, and number of binders.
        BINDER = 1,
        BINDERS = 2,
        INPUTS = 3,
        EXHAUSTIVE = 4,
        /// Its first job on the base.
        JOB = 5,
        /// The request for mutants, one row per oracle: in row n `MUTANT_JOB` is the first job of the n-th
        /// oracle, `ORDER` its entry, and `FROM` its first input.
        MUTANT_JOB = 6,
        /// Fuel of a mutant's run; 0 if mutants do not run this entry.
        FUEL = 7,
        /// An `OUTCOME_*`.
        OUTCOME = 8,
        STEPS = 9,
        COSTLIEST = 10,
        RUNS = 11,
        FAILING = 12,
        ADDRESS = 13,
        /// Its first job that has not ended and still matters, or `NONE`.
        FIRST_OPEN = 14,
        ORDER = 15,
        /// Inputs that did not meet its condition.
        DISCARDED = 16,
        FROM = 17,
        /// Not 0 if its result is already known; it then has no inputs. Only the host sets it.
        KEPT = 18,
        /// For a sampled domain: the number of its tuples of codes, of those with a special code, and of
        /// those with special codes only.
        TUPLES = 19,
        SPECIAL = 20,
        SMALL = 21,
        /// Inputs that reach a hole.
        UNFINISHED = 22,
        WORDS = 23,
        /// Words of the head and the rows of as many entries as a program may have. The binders' rows follow.
        TABLE = (1 + super::limits::TESTS as u32) * WORDS,
        /// Offset of the words after the binders' rows: for each job of the base, the functions that it
        /// enters. As many words for the order of a mutant's jobs follow. A binder takes at least four tokens, which
        /// bounds the number of its rows.
        ENTERED = TABLE + super::binder::WORDS * super::limits::TOKENS as u32 / 4,
    }

    /// A binder's row.
    binder "BINDER" {
        LO = 0,
        RANGE = 1,
        MAX_LEN = 2,
        SIZE = 3,
        SLOT = 4,
        /// Capacity of a list; 0 for an int.
        CAPACITY = 5,
        /// For a sampled domain: the number of its codes, and of its special codes.
        CODES = 6,
        SPECIAL = 7,
        WORDS = 8,
    }

    /// The record of a job of the base.
    job "JOB" {
        /// The batch number above the outcome, which may be `OUTCOME_DISCARDED`.
        MARK = 0,
        STEPS = 1,
        ADDRESS = 2,
        WORDS = 3,
    }

    /// The record of a call.
    call "CALL" {
        TRAP = 0,
        /// The value; for a list its length.
        VALUE = 1,
        STEPS = 2,
        ADDRESS = 3,
        EPOCH = 4,
        WORDS = 5,
    }

    /// The record of a mutant or candidate that was run.
    verdict "VERDICT" {
        /// A `STATUS_*`.
        STATUS = 0,
        KILLER = 1,
        ORIGINAL = 2,
        EPOCH = 3,
        WORDS = 4,
    }

    /// The record of a text that was tested: a summary of all its entries.
    sum "SUM" {
        /// Not 0 if it compiles.
        COMPILES = 0,
        TESTS = 1,
        PASSED = 2,
        /// Outcome of the first entry that does not pass.
        OUTCOME = 3,
        /// Two words, as the steps of 256 entries may not fit in one.
        STEPS_LOW = 4,
        STEPS_HIGH = 5,
        EPOCH = 6,
        WORDS = 7,
    }

    /// The record of a repetition under noise.
    noisy "NOISY" {
        /// An `OUTCOME_*`, or `NONE` if it was not run.
        OUTCOME = 0,
        STEPS = 1,
        ADDRESS = 2,
        FAULTS = 3,
        EPOCH = 4,
        /// Addresses at which the first faults struck.
        STRUCK = 5,
        WORDS = STRUCK + super::KEPT as u32,
    }

    /// The edits of a part, in the order of their tokens. If there is only one edit, the second is empty.
    edits "EDITS" {
        LO = 0,
        HI = 1,
        /// The inserted pieces (`PUT_*`).
        PUT = 2,
        /// Offset of the second edit.
        SECOND = PUT + super::put::WORDS * super::put::MOST,
        /// Tokens that both edits together add to the program, modulo 2³².
        GROWTH = 2 * SECOND,
        /// Not 0 if the edits overlap.
        INVALID = GROWTH + 1,
        WORDS = INVALID + 1,
    }

    /// A piece of an edit's insertion. The first word has the number of tokens in the upper half, and below
    /// it the kind of a new token or `COPY`. The second word is the new token's value, or the first token of
    /// the copy.
    put "PUT" {
        BITS = 16,
        KIND = 0xffff,
        COPY = 0xffff,
        WORDS = 2,
        /// Pieces of an edit; unused ones have no tokens.
        MOST = super::PIECES as u32,
    }

    /// Columns of mutate, one row per token of the base.
    site "SITES" {
        /// Edits of the tokens before this one; the column has one row more than tokens.
        FIRST = 0,
        /// The head of its child 0.
        CHILD = 1,
        /// The number of functions' blocks that begin here, minus the number that end here. The upper 16 bits
        /// have the same for constant expressions.
        CHANGE = 2,
        /// The argument of a call, or the statement of a block, that begins here.
        ARGUMENT = 3,
        /// 1 + the last name of a function, parameter or local declared here or before; 0 if there is none.
        NAME = 4,
        /// 1 + the last `fn` here or before.
        FUNCTION = 5,
        /// The number of `?` before this token. This column, too, has one more row.
        HOLES = 6,
        WORDS = 7,
    }

    /// Bounds on the edits of the repair group.
    cap "CAP" {
        VARIABLES = super::caps::VARIABLES,
        CALLEES = super::caps::CALLEES,
        WINDOW = super::caps::WINDOW,
        EXPRESSIONS = super::caps::EXPRESSIONS,
        LONGEST = super::caps::LONGEST,
        STATEMENT = super::caps::STATEMENT,
        CONDITIONS = super::caps::CONDITIONS,
        TERMS = super::caps::TERMS,
        TRUTHS = super::caps::TRUTHS,
        EXCHANGES = super::caps::EXCHANGES,
        FILLS = super::caps::FILLS,
        NUMBERS = super::caps::NUMBERS,
        PLACES = super::caps::PLACES,
        SOURCES = super::caps::SOURCES,
        NAMES = super::caps::NAMES,
        OTHERS = super::caps::OTHERS,
        OCCURRENCES = super::caps::OCCURRENCES,
    }

    /// A row of the table of functions: the part of a function.
    part "PART" {
        /// Its first row in the table, and its number of rows.
        ROWS = 0,
        LENGTH = 1,
        /// Offset of the function itself in these rows.
        AT = 2,
        /// The function's tokens in the base: first, and one past the last.
        LO = 3,
        HI = 4,
        /// Where the table lists the numbers of the part's functions.
        FUNCTIONS = 5,
        /// The function's code in the base's bytecode: address and number of words.
        ADDRESS = 6,
        SIZE = 7,
        WORDS = 8,
        /// Fields of a row: the lower half is the token's number, the upper half its kind. The kind `OWN` is
        /// that of the token in the base.
        KIND_BITS = 16,
        TOKEN = 0xffff,
        OWN = 0xffff,
    }

    /// Whether a word of bytecode holds an address, and where. The table of parts begins with the marks of
    /// the base's words.
    address_mark "HOLDS" {
        NO_ADDRESS = 0,
        IN_OPERAND = 1,
        ADDRESS = 2,
    }

    /// A part of a batch: the function, the numbers of its edits, and the offset of the resulting segment.
    /// The second edit may be `NONE`; both are `NONE` if the host writes the edits.
    order "ORDER" {
        FUNCTION = 0,
        FIRST = 1,
        SECOND = 2,
        SEGMENT = 3,
        WORDS = 4,
    }

    /// The segments that make up a mutant: the offset and function of each. The second offset may be `NONE`.
    made "MADE" {
        FIRST = 0,
        FIRST_FUNCTION = 1,
        SECOND = 2,
        SECOND_FUNCTION = 3,
        WORDS = 4,
    }

    /// A segment: the new code of a function.
    segment "SEGMENT" {
        /// Words of code; 0 if the part does not compile.
        SIZE = 0,
        FRAME = 1,
        /// Tokens that its edits add to the program.
        GROWTH = 2,
        /// The words, with addresses relative to the segment and function numbers of the base; then a mark
        /// (`HOLDS_*`) for each word.
        CODE = 3,
    }

    /// A row of judge's directory. Row 0 is the base's, row i + 1 mutant i's.
    row "ROW" {
        /// Offset in the archive; `NONE` if the archive was full.
        OFFSET = 0,
        /// 0 for an invalid program.
        LENGTH = 1,
        HASH_LOW = 2,
        HASH_HIGH = 3,
        /// Slot in the hash table.
        SLOT = 4,
        WORDS = 8,
    }

    /// The sequence of words that judge hashes: words that each routine adds to the bytecode.
    sequence "SEQUENCE" {
        ROUTINE = 8,
    }

    /// Features and score of a function.
    scored "SCORED" {
        SCORE = super::FEATURES as u32,
        EPOCH = SCORE + 1,
        WORDS = EPOCH + 1,
    }

    /// Recorded rounds: the head of the words that follow the scratch.
    round_trace "ROUND_TRACE" {
        /// Number of rounds executed, recorded or not.
        ROUNDS = 0,
        /// Number of rounds recorded, and of words that they take.
        KEPT = 1,
        USED = 2,
        /// The first round to record.
        FIRST = 3,
        /// Capacity in words.
        ROOM = 4,
        /// Words of a state.
        SIZE = 5,
        /// The most rounds that a dispatch records.
        MOST = 6,
        /// The pieces of a state: a table that ends with a piece of no rows.
        TABLE = 8,
        /// Offset of the first recorded round: the number of its site, then its words.
        WORDS = TABLE + 8 * super::piece::WORDS,
    }

    /// Columns in one arena at a constant stride.
    piece "PIECE" {
        ARENA = 0,
        FIRST = 1,
        /// Words from one column to the next.
        STRIDE = 2,
        COLUMNS = 3,
        ROWS = 4,
        WORDS = 5,
    }

    /// The arena of a piece.
    traced_arena "TRACED_ARENA" {
        TOKENS = 0,
        TREE = 1,
        CHECKED = 2,
        IR = 3,
        CODE = 4,
        SCRATCH = 5,
    }

    /// An operation of the search for an expression, as a word: its opcode or one of these numbers, and flags.
    fill_code "FILL" {
        /// `&&`, `||` and `int`.
        AND = 256,
        OR = 257,
        TO_INT = 258,
        NUMBER = 511,
        /// Its operands are bools.
        BOOLS = 512,
        /// The known operand is on the right.
        RIGHT = 1024,
        /// It has one operand.
        UNARY = 2048,
    }

    /// A piece of that search: words of its record.
    fill_piece "FILL_PIECE" {
        CODE = 0,
        /// The first known operand, and their number.
        KNOWN = 1,
        COUNT = 2,
        /// The ranks that the other operand may have.
        OTHERS = 3,
        END = 4,
        /// 1 if the other operand begins with the known one.
        SYMMETRIC = 5,
        /// Offset of what is required of its value: a mask and a value for each input.
        TARGET = 6,
        /// Its first step, its first workgroup, and the number of tiles of other operands of a workgroup.
        STEPS = 7,
        GROUP = 8,
        TILES = 9,
        /// The operations around it: their number, then the code and the known operand of each, the innermost first.
        AROUND = 10,
        CODES = 11,
        WORDS = CODES + 2 * AROUND_MOST,
        AROUND_MOST = 3,
        /// The maximum number of known operands.
        KNOWN_MOST = 256,
    }

    /// Counters of that search: offsets in their buffer, and words for each piece.
    fill_count "FILL_COUNT" {
        HITS = 0,
        /// Candidates tried, in two words.
        TRIED = 1,
        EPOCH = 3,
        PIECES = 4,
        /// Steps that compare an operand; all of them; and 1 if there were too many hits.
        DIRECT = 0,
        STEPS = 1,
        OVERFLOWED = 2,
        WORDS = 3,
    }
}
