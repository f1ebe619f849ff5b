//! Data that the neural shaders share with the host: parameters, offsets in buffers, and the word table.

use bytemuck::{Pod, Zeroable};

use crate::compiler::layout::numbers::numbers;
use crate::compiler::layout::records::record;
use crate::compiler::layout::{lookup, screaming};
use crate::lang::index::Index;
use crate::lang::limits;
use crate::network::assembler::OPERANDS;
use crate::network::inputs::{self, Arguments};
use crate::network::source::{LoopKind, Tables};
use crate::network::vocabulary::{
    BOS, CALLEES, CONSTANTS, COUNTS, Family, LABELS, LITERALS, PLAIN, SOURCE_MAX, TARGET_MAX, TARGETS,
    VARIABLES,
};

/// Number of words of a bit set with one bit per target word.
pub const PERMIT_WORDS: usize = TARGETS.div_ceil(32);

/// Columns of a function as the model reads it: its words, and four features per word.
pub const SOURCE_COLUMNS: usize = 5;

/// Columns of the matrix that computes logits: the number of target words, rounded up to a multiple of a
/// tile.
pub const LOGITS: usize = TARGETS.next_multiple_of(32);

numbers! {
    /// Offsets in the control buffer of decoding.
    decode "DECODE" {
        /// Number of candidates that are still being written.
        LIVE = 0,
        /// Number of words that each of them has.
        POSITION = 1,
        /// Number of words of the function.
        SOURCE = 2,
        /// The epoch of the batch.
        EPOCH = 3,
        /// The function that the encoder reads, and the number of candidates for each function.
        FUNCTION = 4,
        EACH = 5,
        /// Number of words that the host reads during decoding.
        HEAD = 8,
        /// The number of words of each function of the batch.
        LENGTHS = 8,
        /// The maximum number of functions in a batch.
        FUNCTIONS = 64,
        /// The list of live candidates, in order. Candidates of one function are adjacent.
        LIST = LENGTHS + FUNCTIONS,
    }

    /// A function as the model reads it: a column of words, one column per feature, the number of words and
    /// the number of parameters.
    sheet "SHEET" {
        LENGTH = super::SOURCE_COLUMNS as u32 * super::SOURCE_MAX as u32,
        PARAMS = LENGTH + 1,
        WORDS = PARAMS + 1,
    }

    /// The keys that a row of attention sees: all words of the function that the encoder reads, a candidate's
    /// positions up to its own, or all words of a candidate's function.
    sees "SEES" {
        WITHIN = 0,
        BEFORE = 1,
        ACROSS = 2,
    }

    /// Dispatches of a decoding step: rows of the buffer of indirect arguments. Each has a workgroup for …
    size "SIZE" {
        /// … each row.
        ROW = 0,
        /// … each row and head.
        HEAD = 1,
        /// … each tile of a matrix product with as many columns as the model is wide.
        WIDTH = 2,
        /// … each tile of one with twice as many columns.
        DOUBLE = 3,
        /// … each tile of one with three times as many columns.
        TRIPLE = 4,
        /// … each tile of one with four times as many columns.
        FEED = 5,
        /// … each tile of one with a column for each logit.
        LOGITS = 6,
        COUNT = 7,
        /// Words per row: the number of workgroups in each dimension.
        WORDS = 3,
    }

    /// Offsets in the state of a candidate's walk; see `shaders/neural/walk.wgsl`.
    walk "WALK" {
        /// The phase of the walk: a `PHASE_*`.
        PHASE = 0,
        /// Number of operands, and which of them are lists.
        DEPTH = 1,
        LISTS = 2,
        /// Variables that are stored on every path; from bit 16 on, loops that have begun on every path.
        VARIABLES = 3,
        /// Whether control can reach this place.
        REACHED = 4,
        /// 1 + v after the beginning of v's loop, 17 + v after a label that follows it, else 0.
        LAST = 5,
        /// The next new label, and the number of awaited labels.
        FRESH = 6,
        AWAITED = 7,
        /// Number of words written.
        LENGTH = 8,
        /// The sum of their log-probabilities, as the bits of a float.
        LOG_P = 9,
        /// The place of the words so far in the tree of refuted prefixes, or `NONE` if none begins with them.
        NODE = 10,
        /// Four words for each label.
        LABELS = 12,
        WORDS = LABELS + 4 * super::LABELS,
    }

    /// The phase of a candidate's walk: active, ended validly, or ended invalidly.
    walk_phase "PHASE" {
        WRITING = 0,
        VALID = 1,
        BROKEN = 2,
    }

    /// Offsets in the tables of a function, which define its variables, constants and callees.
    places "TABLES" {
        /// Numbers of variables, constants and callees.
        VARIABLES = 0,
        CONSTANTS = 1,
        CALLEES = 2,
        /// For each variable: its offset in the frame, its capacity, and its loop (`LOOPING_*`, plus the
        /// capacity of the list that the loop iterates over).
        PLACE = 4,
        CAPACITY = PLACE + super::VARIABLES,
        LOOPING = CAPACITY + super::VARIABLES,
        CONSTANT = LOOPING + super::VARIABLES,
        /// For each callee: its index, the number of its parameters, which of them are lists, and the
        /// capacity of its result.
        CALLEE = CONSTANT + super::CONSTANTS,
        WORDS = CALLEE + 4 * super::CALLEES,
    }

    /// The kind of loop of a variable.
    looping "LOOPING" {
        NO = 0,
        RANGE = 1,
        LIST = 2,
    }

    /// Words of a row of the lexicon; see `shaders/neural/lexicon.wgsl`.
    lexicon "LEXICON" {
        KIND = 0,
        POPS = 1,
        TAKEN = 2,
        PUSHES = 3,
        READS = 4,
        SETS = 5,
        INDEX = 6,
        LENGTH = 7,
        FIRST = 8,
        SECOND = 9,
        WORDS = 10,
    }

    /// Kinds of words in the lexicon.
    kind "KIND" {
        ABSENT = 0,
        END = 1,
        LABEL = 2,
        PLAIN = 3,
        RETURN = 4,
        BEGIN = 5,
        FOR = 6,
        JUMP = 7,
        BRANCH = 8,
        KEEPING = 9,
    }

    /// Words of a candidate's record.
    report "REPORT" {
        /// A `STATUS_*`.
        STATUS = 0,
        /// The test or property that it does not pass, or `NONE`.
        ENTRY = 1,
        /// The outcome of that entry: an `OUTCOME_*`; a pass if all pass or it was not run.
        OUTCOME = 2,
        /// For a duplicate, the candidate of least number with the same code, else `NONE`.
        ORIGINAL = 3,
        /// Steps of its runs up to the first that fails: the sum of their low bits and that of their other
        /// bits, without carry.
        STEPS_LOW = 4,
        STEPS_HIGH = 5,
        /// Number of words written, and the bits of their log-probability.
        LENGTH = 6,
        LOG_P = 7,
        /// Words of the whole program; 0 if it is not valid.
        CODE = 8,
        EPOCH = 9,
        WORDS = 10,
        /// Number of low bits.
        STEPS_BITS = 10,
    }

    /// Words of the record of a candidate that was compared with the base.
    agreement "AGREEMENT" {
        /// The first job on which it disagrees, or `NONE`.
        DIFFERS = 0,
        /// Jobs up to that one on which the base did not exhaust its resources, and the number of those on
        /// which it trapped.
        COMPARED = 1,
        TRAPPING = 2,
        /// Steps of the candidate and of the base on jobs where both returned the same value.
        STEPS = 3,
        BASE_STEPS = 4,
        EPOCH = 5,
        WORDS = 6,
    }

    /// Columns that record how the base ended on an input.
    ended "ENDED" {
        TRAP = 0,
        /// The value; for a list its length.
        VALUE = 1,
        /// The elements of a list, one column each.
        ELEMENTS = 2,
    }

    /// For a spliced code: its offset in the list of codes, and its length.
    spliced "SPLICED" {
        BEGIN = 0,
        LENGTH = 1,
        WORDS = 2,
    }

    /// Words of a parameter's row in the shader that writes inputs.
    argument "ARGUMENT" {
        /// As in `neural::inputs::Parameter`.
        SLOT = 0,
        CAPACITY = 1,
        BOOLS = 2,
        /// If all inputs are enumerated: the number of the parameter's values, and the number of consecutive
        /// inputs with the same value.
        SIZE = 3,
        WEIGHT = 4,
        WORDS = 5,
    }
}

// The shader uses one thread for each element of a list.
const _: () = assert!(limits::CAPACITY <= crate::compiler::layout::WORKGROUP);

record! {
    /// A matrix product (binding 0 of `project`). Offsets in the weights count floats.
    pub struct ProjectParams {
        /// Columns of x, columns of y; multiples of 32.
        inputs, outputs,
        /// Offset of the matrix in the weights.
        matrix,
        /// Offset of norm's gain in the weights; `NONE`: x is not normalised.
        gain,
        /// Not 0: negative results become 0.
        relu,
        /// Not 0: results are added to y.
        add,
        /// The distance in rows of y from one function to the next; 0 if all functions begin at row 0.
        room,
        spare,
    }
}

record! {
    /// Attention, and the rotation of queries and keys before it (binding 0 of `attend` and `turn`).
    pub struct AttendParams {
        width,
        /// Floats between the starts of two rows of queries.
        query_stride,
        /// Floats between the starts of two rows of keys, and likewise of values.
        stride,
        /// Offsets of the first head's key and value in a row.
        keys, values,
        /// The keys that a row sees: a `SEES_*`.
        key_range,
        /// Rows of keys per candidate or function; 0: all share the same keys.
        room,
        /// Offset of the table of cosines and sines in the weights.
        rotations,
    }
}

record! {
    /// A batch of candidates of one or several functions (binding 0 of most neural shaders).
    pub struct BatchParams {
        candidates,
        /// Candidates per function, and the number of the first: candidate c is number `first + c % each` of
        /// function `c / each`.
        each, first,
        seed,
        /// Bits of the floats.
        temperature, nucleus,
        epoch,
        width,
        /// Columns of a row of logits.
        logits,
        /// Offsets of the embedding tables in the weights.
        embed, types, depths, statements, heights,
        spare0, spare1,
    }
}

record! {
    /// Candidates that are turned into programs (binding 0 of `assemble` and `report`).
    pub struct AssembleParams {
        /// Number of programs in the batch; program 0 is candidate `first`.
        programs, first,
        /// The function that the candidates replace.
        function,
        /// Capacities of the base's arena, and of the candidates' arena.
        base_token_capacity, base_code_capacity, token_capacity, code_capacity,
        /// Number of jobs per program.
        jobs,
    }
}

record! {
    /// Random inputs of a function (binding 0 of `inputs`).
    pub struct InputParams {
        seed,
        /// The first input, and the number of inputs.
        first, jobs,
        parameters, constants,
        /// Not 0: enumerate all inputs in order; 0: draw inputs.
        exhaustive,
        spare0, spare1,
    }
}

/// Returns the constants, records and lookup functions of the neural shaders, as WGSL.
pub fn prelude() -> String {
    let mut text = String::new();
    let mut constant = |name: &str, value: u32| text += &format!("const {name} = {value}u;\n");
    for (name, value) in NUMBERS {
        constant(name, *value);
    }
    for (name, value) in [
        ("WHOLE", inputs::PER_INPUT),
        ("INPUT_FUEL", inputs::FUEL),
        ("PERMIT_WORDS", PERMIT_WORDS as u32),
        ("SOURCE_MAX", SOURCE_MAX as u32),
        ("TARGET_MAX", TARGET_MAX as u32),
        ("TARGETS", TARGETS as u32),
        ("VARIABLES", VARIABLES),
        ("CONSTANTS", CONSTANTS),
        ("LABELS", LABELS),
        ("OPERANDS", OPERANDS),
        ("WORD_BOS", BOS as u32),
    ] {
        constant(name, value);
    }
    for family in Family::ALL {
        constant(&format!("FAMILY_{}", screaming(family.ident())), *family as u32);
    }
    for record in [
        ProjectParams::wgsl(),
        AttendParams::wgsl(),
        BatchParams::wgsl(),
        AssembleParams::wgsl(),
        InputParams::wgsl(),
    ] {
        text += &record;
    }
    let words: Vec<u16> = (0..TARGETS as u16).collect();
    text += &lookup("word_family", &words, |word| Family::of(word).map_or(0, |(family, _)| family as u32));
    text += &lookup("family_first", Family::ALL, |family| family.word(0) as u32);
    text += &lookup("plain_op", &PLAIN, |op| op as u32);
    text += &lookup("literal_value", &LITERALS, |literal| literal as u32);
    text += &lookup("repeat_count", &COUNTS, |count| count);
    text
}

/// Returns the number of words of a lexicon.
pub fn lexicon_words() -> u64 {
    TARGETS as u64 * u64::from(lexicon::WORDS)
}

/// Returns the description of a function for the shader that writes inputs: a row per parameter, then the
/// constants.
pub fn argument_words(arguments: &Arguments) -> Vec<u32> {
    let mut words = vec![0; argument::WORDS as usize * arguments.parameters.len()];
    let mut weight = 1u32;
    for (row, parameter) in words.chunks_exact_mut(argument::WORDS as usize).zip(&arguments.parameters).rev() {
        let size = parameter.size().unwrap_or(1);
        row[argument::SLOT as usize] = parameter.slot.number();
        row[argument::CAPACITY as usize] = parameter.capacity;
        row[argument::BOOLS as usize] = u32::from(parameter.bools);
        row[argument::SIZE as usize] = size;
        row[argument::WEIGHT as usize] = weight;
        // If not all inputs are enumerated, the weight is not used.
        weight = weight.saturating_mul(size);
    }
    words.extend(&arguments.constants);
    words
}

/// Returns a function's tables in the layout of the shaders.
pub fn table_words(tables: &Tables) -> Vec<u32> {
    let mut words = vec![0; places::WORDS as usize];
    let mut set = |place: u32, index: usize, value: u32| words[place as usize + index] = value;
    set(places::VARIABLES, 0, tables.variables.len() as u32);
    set(places::CONSTANTS, 0, tables.constants.len() as u32);
    set(places::CALLEES, 0, tables.callees.len() as u32);
    for (i, variable) in tables.variables.iter().enumerate().take(VARIABLES as usize) {
        set(places::PLACE, i, variable.place.number());
        set(places::CAPACITY, i, variable.capacity);
        let looping = match variable.looping {
            LoopKind::No => looping::NO,
            LoopKind::Range => looping::RANGE,
            LoopKind::List { capacity } => looping::LIST + capacity,
        };
        set(places::LOOPING, i, looping);
    }
    for (i, constant) in tables.constants.iter().enumerate().take(CONSTANTS as usize) {
        set(places::CONSTANT, i, *constant as u32);
    }
    for (i, callee) in tables.callees.iter().enumerate().take(CALLEES as usize) {
        for (k, value) in
            [callee.function.number(), callee.params, callee.lists, callee.result].into_iter().enumerate()
        {
            set(places::CALLEE, 4 * i + k, value);
        }
    }
    words
}
