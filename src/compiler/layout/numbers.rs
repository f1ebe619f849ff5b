//! Numbers that host and shaders know by name: modes, phases and outcomes, places in records and buffers.

use crate::compiler::stage::execute::KEPT;
use crate::compiler::stage::mutate::PIECES;
use crate::compiler::stage::route::features::FEATURES;
use crate::lang::limits;
use crate::lang::mutation::caps;

/// Declares such numbers: a module of constants, which in WGSL have the prefix before their names.
macro_rules! numbers {
    ($($(#[$meta:meta])* $module:ident $prefix:literal {
        $($(#[$doc:meta])* $name:ident = $value:expr,)*
    })*) => {
        $($(#[$meta])* pub mod $module {
            $($(#[$doc])* pub const $name: u32 = $value;)*
        })*

        /// All of them, by their names in WGSL.
        pub const NUMBERS: &[(&str, u32)] =
            &[$($((concat!($prefix, "_", stringify!($name)), $module::$name),)*)*];
    };
}
pub(crate) use numbers;

numbers! {
    /// Words that judge and execute count in: their places in the control buffer.
    control "CONTROL" {
        /// Words of the archive in use.
        ARCHIVE = 0,
        /// Programs to be run.
        PROGRAMS = 1,
        /// Slots in use.
        SLOTS = 2,
        /// Slots that the last slice left at work.
        ACTIVE = 3,
        /// Slots that overflowed small memory, and those of them that are done.
        SPILLED = 4,
        RESUMED = 5,
        /// Slices of the slots in small memory since they were put to work, and the threads of the last one.
        SLICES = 6,
        THREADS = 7,
        /// First-order mutants of the base.
        SITES = 8,
        /// Loop iterations of all slots at work since the base's runs were begun, modulo 2³².
        SPENT = 9,
        WORDS = 10,
    }

    /// Where jobs of tests and properties are.
    mode "MODE" {
        BASE = 0,
        MUTANTS = 1,
        /// One call of a function, which is under way from the start.
        CALL = 2,
        /// As on the base, of many programs that have nothing to do with each other.
        TEXTS = 3,
    }

    /// Memory of a thread: as most runs need it, and all that a run may have.
    tier "TIER" {
        SMALL = 0,
        LARGE = 1,
    }

    /// What a slot of execute does next.
    phase "PHASE" {
        NEW = 0,
        /// The job is to be begun.
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
        /// The functions that the run has entered, a bit each as in `Program::changed`.
        ENTERED = 8,
        /// Of a mutant's first slot: how many of its slots have been put to work; 0 for those that are from the start.
        AWAKE = 9,
        WORDS = 10,
        /// Behind the states of all slots: a list of those that overflowed, then how far each thread is in its part of that; then
        /// two lists of the slots at work, one that a slice reads, and one that it writes.
        SPILLED = 10,
        LISTS = 3,
    }

    /// Words of a step that is noted. The last two have two halves: where the frame begins and the stack ends; the word below the top, and
    /// the depth of calls.
    step "STEP" {
        ADDRESS = 0,
        TOP = 1,
        STACK = 2,
        BELOW = 3,
        WORDS = 4,
    }

    /// How a run stands that is noted.
    noted "NOTED" {
        EPOCH = 0,
        /// Whether it goes on.
        RUNS = 1,
        TRAP = 2,
        VALUE = 3,
        ADDRESS = 4,
        STEPS = 5,
        /// Words of its memory, and calls that are active.
        TOP = 6,
        DEPTH = 7,
        WORDS = 8,
    }

    /// A job and its outcome in one word.
    mark "MARK" {
        /// The job stands above these bits.
        BITS = 8,
        OUTCOME = 255,
    }

    /// The trial of scans: values of each thread, and the places of what scans return for each value.
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
        /// Jobs of the base, and of a mutant.
        JOBS = 1,
        MUTANT_JOBS = 2,
        EPOCH = 3,
    }

    /// A row of that table: a test or property. The head is as long.
    entry "ENTRY" {
        ROUTINE = 0,
        /// Its first binder's row, and how many it has.
        BINDER = 1,
        BINDERS = 2,
        INPUTS = 3,
        EXHAUSTIVE = 4,
        /// Its first job on the base.
        JOB = 5,
        /// What is asked of mutants: row n has the first job of the n-th oracle, in `ORDER` which entry that is, and in `FROM` the first of
        /// its inputs.
        MUTANT_JOB = 6,
        /// Of a run of a mutant; 0 for what is not asked of them.
        FUEL = 7,
        /// An `OUTCOME_*`.
        OUTCOME = 8,
        STEPS = 9,
        COSTLIEST = 10,
        RUNS = 11,
        FAILING = 12,
        ADDRESS = 13,
        /// Its first job that has not ended and matters, or `NONE`.
        LEAST = 14,
        ORDER = 15,
        /// Inputs that did not meet its condition.
        DISCARDED = 16,
        FROM = 17,
        /// Not 0 where it is known how it ends: it has no inputs then. Only the host sets it.
        KEPT = 18,
        /// Of a domain that is sampled: its tuples of codes, those with a special code, and those of special codes alone.
        TUPLES = 19,
        SPECIAL = 20,
        SMALL = 21,
        WORDS = 22,
        /// Words of the head and the rows of all entries that there may be; the binders' rows stand behind them.
        TABLE = (1 + super::limits::TESTS as u32) * WORDS,
        /// Behind those: for each job of the base which functions it enters. Binders come one to four tokens, at least.
        VISITS = TABLE + super::binder::WORDS * super::limits::TOKENS as u32 / 4,
    }

    /// A binder's row.
    binder "BINDER" {
        LO = 0,
        RANGE = 1,
        MAX_LEN = 2,
        SIZE = 3,
        SLOT = 4,
        /// Of a list; 0 for an int.
        CAPACITY = 5,
        /// Of a domain that is sampled: its codes, and how many of them are special.
        CODES = 6,
        SPECIAL = 7,
        WORDS = 8,
    }

    /// The record of a job of the base.
    job "JOB" {
        /// The batch above the outcome, `OUTCOME_DISCARDED` among them.
        MARK = 0,
        STEPS = 1,
        ADDRESS = 2,
        WORDS = 3,
    }

    /// The record of a call.
    call "CALL" {
        TRAP = 0,
        /// Of a list its length.
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

    /// The record of a text that was tested: how all of its entries ended.
    sum "SUM" {
        /// Not 0 if it compiles.
        COMPILES = 0,
        TESTS = 1,
        PASSED = 2,
        /// Of the first entry that does not pass.
        OUTCOME = 3,
        /// In two words, as 256 entries may take more than one can hold.
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
        /// Where the first faults struck.
        STRUCK = 5,
        WORDS = STRUCK + super::KEPT as u32,
    }

    /// The edits of a part, the one that stands before the other first. Without a second one that is an edit of nothing.
    edits "EDITS" {
        LO = 0,
        HI = 1,
        /// What is put in, piece by piece (`PUT_*`).
        PUT = 2,
        /// Where the second begins.
        SECOND = PUT + super::put::WORDS * super::put::MOST,
        /// By how many tokens both together make the program longer, modulo 2³².
        GROWTH = 2 * SECOND,
        /// Not 0 where they overlap.
        INVALID = GROWTH + 1,
        WORDS = INVALID + 1,
    }

    /// A piece of what an edit puts in: how many tokens above the kind of a new one, with its value behind it; of a copy `COPY` in the
    /// place of the kind, with the first token behind it.
    put "PUT" {
        BITS = 16,
        KIND = 0xffff,
        COPY = 0xffff,
        WORDS = 2,
        /// Pieces of an edit; those that are not in use have no tokens.
        MOST = super::PIECES as u32,
    }

    /// What mutate knows of a token of the base: its columns.
    site "SITES" {
        /// Edits of the tokens before it; there is one more row.
        FIRST = 0,
        /// The head of its child 0.
        CHILD = 1,
        /// How many blocks of functions begin less those that end there; above 16 bits the same of constant expressions.
        CHANGE = 2,
        /// The argument of a call, or the statement of a block, that begins there.
        ARGUMENT = 3,
        /// One more than the last name of a function, parameter or local that is declared there or before; 0 if there is none.
        NAME = 4,
        /// One more than the last `fn` there or before.
        FUNCTION = 5,
        WORDS = 6,
    }

    /// What bounds the edits of the repair group.
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
    }

    /// What a function's part is.
    part "PART" {
        /// Its rows in the table, and how many there are.
        ROWS = 0,
        LENGTH = 1,
        /// Where the function begins among them.
        AT = 2,
        /// The function's tokens in the base, from and to.
        LO = 3,
        HI = 4,
        /// Where the table has the numbers of the part's functions.
        FUNCTIONS = 5,
        /// The function's words in the base's bytecode: the first, and how many.
        ADDRESS = 6,
        SIZE = 7,
        WORDS = 8,
        /// In a row: the kind of a token above its number; `OWN` for that of the base.
        KIND_BITS = 16,
        TOKEN = 0xffff,
        OWN = 0xffff,
    }

    /// Of a word of bytecode: how it holds an address. The table of parts begins with those of the base's words.
    mark_of_word "HOLDS" {
        NO_ADDRESS = 0,
        IN_OPERAND = 1,
        ADDRESS = 2,
    }

    /// A part of a batch: which function, the numbers of its edits (the second may be `NONE`; both are for edits that the host writes), and
    /// where the segment begins that comes of it.
    order "ORDER" {
        FUNCTION = 0,
        FIRST = 1,
        SECOND = 2,
        SEGMENT = 3,
        WORDS = 4,
    }

    /// What a mutant is made of: where the segments begin, each with its function. The second may be `NONE`.
    made "MADE" {
        FIRST = 0,
        FIRST_FUNCTION = 1,
        SECOND = 2,
        SECOND_FUNCTION = 3,
        WORDS = 4,
    }

    /// A segment: the new code of a function.
    segment "SEGMENT" {
        /// Words of code; 0 where it does not compile.
        SIZE = 0,
        FRAME = 1,
        /// By how many tokens its edits make the program longer.
        GROWTH = 2,
        /// The words, with addresses that count from 0 and the base's numbers of functions; behind them as many marks (`HOLDS_*`).
        CODE = 3,
    }

    /// A row of judge's directory: the base's, or that of mutant i, which is row i + 1.
    row "ROW" {
        /// In the archive; `NONE` if there was no room.
        OFFSET = 0,
        /// 0 for an invalid program.
        LENGTH = 1,
        HASH_LOW = 2,
        HASH_HIGH = 3,
        /// Of the table.
        SLOT = 4,
        WORDS = 8,
    }

    /// Words that a routine adds to the sequence of words that a program is.
    sequence "SEQUENCE" {
        ROUTINE = 8,
    }

    /// Features and score of a function.
    scored "SCORED" {
        SCORE = super::FEATURES as u32,
        EPOCH = SCORE + 1,
        WORDS = EPOCH + 1,
    }

    /// Rounds told: the head of the words behind the scratch.
    told "TOLD" {
        /// Rounds that were made, kept or not.
        ROUNDS = 0,
        /// Rounds that were kept, and their words.
        KEPT = 1,
        USED = 2,
        /// The first round that is to be kept.
        FIRST = 3,
        /// Words that there is room for.
        ROOM = 4,
        /// Words of a state.
        SIZE = 5,
        /// The pieces that a state is of, as rows of a table behind whose last one stands one without rows.
        TABLE = 8,
        /// The first round: the number of its site, then its words.
        WORDS = TABLE + 8 * super::piece::WORDS,
    }

    /// Columns in one arena, one beside the other.
    piece "PIECE" {
        ARENA = 0,
        FIRST = 1,
        /// From column to column.
        STRIDE = 2,
        COLUMNS = 3,
        ROWS = 4,
        WORDS = 5,
    }

    /// The arena of a piece.
    told_of "TOLD_OF" {
        TOKENS = 0,
        TREE = 1,
        CHECKED = 2,
        IR = 3,
        CODE = 4,
        SCRATCH = 5,
    }
}
