//! What the shaders of the neural path share with the host: parameters, places in buffers, and the word table.

use bytemuck::{Pod, Zeroable};

use crate::compiler::layout::numbers::numbers;
use crate::compiler::layout::records::record;
use crate::compiler::layout::{lookup, screaming};
use crate::lang::limits;
use crate::network::assembler::OPERANDS;
use crate::network::inputs::{self, Arguments};
use crate::network::source::{Looping, Tables};
use crate::network::vocabulary::{
    BOS, CALLEES, CONSTANTS, COUNTS, Family, LABELS, LITERALS, PLAIN, SOURCE_MAX, TARGET_MAX, TARGETS,
    VARIABLES,
};

/// Words that have a bit for each target word.
pub const PERMIT_WORDS: usize = TARGETS.div_ceil(32);

/// Columns of a function as the model reads it: its words, and four features of each.
pub const SOURCE_COLUMNS: usize = 5;

/// Columns of the matrix that makes logits: the target words, up to a multiple of a tile.
pub const LOGITS: usize = TARGETS.next_multiple_of(32);

numbers! {
    /// Places in the buffer that decoding counts in.
    decode "DECODE" {
        /// Candidates that are still being written.
        LIVE = 0,
        /// Words that each of them has.
        POSITION = 1,
        /// Words of the function.
        SOURCE = 2,
        /// Number of the batch.
        EPOCH = 3,
        /// The function that the encoder reads, and how many candidates are written for each.
        FUNCTION = 4,
        EACH = 5,
        /// What the host reads while candidates are written.
        HEAD = 8,
        /// Of each function of the batch its words.
        LENGTHS = 8,
        /// Functions of a batch, at most.
        FUNCTIONS = 64,
        /// The list of live candidates, in order: those of a function stand in a row.
        LIST = LENGTHS + FUNCTIONS,
    }

    /// A function as the model reads it: a column of words and one of each feature, then how many words and parameters it has.
    sheet "SHEET" {
        LENGTH = super::SOURCE_COLUMNS as u32 * super::SOURCE_MAX as u32,
        PARAMS = LENGTH + 1,
        WORDS = PARAMS + 1,
    }

    /// What a row of attention sees: all words of the function that the encoder reads, a candidate's positions up to its own, or
    /// all words of a candidate's function.
    sees "SEES" {
        WITHIN = 0,
        BEFORE = 1,
        ACROSS = 2,
    }

    /// Sizes of a decoding step's dispatches: rows of the buffer of indirect arguments.
    size "SIZE" {
        /// A workgroup for each row.
        ROW = 0,
        /// For each row and head.
        HEAD = 1,
        /// For each tile of a product with as many columns as the model is wide.
        WIDTH = 2,
        /// … twice as many.
        DOUBLE = 3,
        /// … three times as many.
        TRIPLE = 4,
        /// … four times as many.
        FEED = 5,
        /// … as there are logits.
        LOGITS = 6,
        COUNT = 7,
        /// Of a row: workgroups in each dimension.
        WORDS = 3,
    }

    /// Places in the state of a candidate's walk; see `shaders/neural/walk.wgsl`.
    walk "WALK" {
        /// How it stands: a `PHASE_*`.
        PHASE = 0,
        /// Operands, and which of them are lists.
        DEPTH = 1,
        LISTS = 2,
        /// Variables surely stored; from bit 16 on loops surely begun.
        VARIABLES = 3,
        /// Whether control can come here.
        REACHED = 4,
        /// 1 + v behind the beginning of v's loop, 17 + v behind a label behind that, else 0.
        LAST = 5,
        /// The next new label, and how many are awaited.
        FRESH = 6,
        AWAITED = 7,
        /// Words written.
        LENGTH = 8,
        /// Bits of the sum of their log-probabilities.
        LOG_P = 9,
        /// Four words for each label.
        LABELS = 12,
        WORDS = LABELS + 4 * super::LABELS,
    }

    /// How a candidate's walk stands: at work, ended validly, ended otherwise.
    walk_phase "PHASE" {
        WRITING = 0,
        VALID = 1,
        BROKEN = 2,
    }

    /// Places in the tables of a function: what its slots stand for.
    places "TABLES" {
        /// How many variables, constants and callees there are.
        VARIABLES = 0,
        CONSTANTS = 1,
        CALLEES = 2,
        /// Of each variable: its place in the frame, its capacity, its loop (`LOOPING_*`, plus the capacity of a list gone through).
        PLACE = 4,
        CAPACITY = PLACE + super::VARIABLES,
        LOOPING = CAPACITY + super::VARIABLES,
        CONSTANT = LOOPING + super::VARIABLES,
        /// Of each callee: its number, how many parameters, which of them are lists, the capacity that it returns.
        CALLEE = CONSTANT + super::CONSTANTS,
        WORDS = CALLEE + 4 * super::CALLEES,
    }

    /// What a variable counts or goes through.
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

    /// Kinds of words there.
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
        /// How that one ended: an `OUTCOME_*`, a pass if all pass or it was not run.
        OUTCOME = 2,
        /// Of a duplicate the candidate of least number with the same code, else `NONE`.
        ORIGINAL = 3,
        /// Steps of its runs up to the first that fails: sums of their low bits and of the others, neither carried.
        STEPS_LOW = 4,
        STEPS_HIGH = 5,
        /// Words written, and the bits of their log-probability.
        LENGTH = 6,
        LOG_P = 7,
        /// Words of the whole program, 0 if it is not valid.
        CODE = 8,
        EPOCH = 9,
        WORDS = 10,
        /// How many bits are low.
        STEPS_BITS = 10,
    }

    /// Words of the record of a candidate that was compared with the base.
    agreement "AGREEMENT" {
        /// The first job on which it disagrees, or `NONE`.
        DIFFERS = 0,
        /// Jobs up to there on which the base did not exhaust its resources, and those of them on which it trapped.
        COMPARED = 1,
        TRAPPING = 2,
        /// Steps of its own and of the base where both gave the same value.
        STEPS = 3,
        BASE_STEPS = 4,
        EPOCH = 5,
        WORDS = 6,
    }

    /// Columns of how the base ended on an input.
    ended "ENDED" {
        TRAP = 0,
        /// Of a list its length.
        VALUE = 1,
        /// The elements of a list, a column each.
        ELEMENTS = 2,
    }

    /// Of a code that is spliced in: where it begins in the list of codes, and its length.
    spliced "SPLICED" {
        BEGIN = 0,
        LENGTH = 1,
        WORDS = 2,
    }

    /// Words of a parameter's row, for the shader that writes inputs.
    argument "ARGUMENT" {
        /// As in `neural::inputs::Parameter`.
        SLOT = 0,
        CAPACITY = 1,
        BOOLS = 2,
        /// Where all inputs are tried: how many values it has, and how many inputs pass before it takes the next.
        SIZE = 3,
        WEIGHT = 4,
        WORDS = 5,
    }
}

// A thread for each element of a list.
const _: () = assert!(limits::CAPACITY <= crate::compiler::layout::WORKGROUP);

record! {
    /// A product of matrices (binding 0 of `project`). Places in the weights count floats.
    pub struct ProjectParams {
        /// Columns of x, columns of y; multiples of 32.
        inputs, outputs,
        /// Where the matrix begins in the weights.
        matrix,
        /// Where norm's gain begins there; `NONE`: x is taken as it is.
        gain,
        /// Not 0: negative results become 0.
        relu,
        /// Not 0: results are added to y.
        add,
        /// Rows of y for each function that the encoder reads; 0: each begins at the first.
        room,
        spare,
    }
}

record! {
    /// Attention, and the turning of queries and keys before it (binding 0 of `attend` and `turn`).
    pub struct AttendParams {
        width,
        /// Floats from one row of queries to the next.
        query_stride,
        /// Floats from one row of keys to the next, likewise of values.
        stride,
        /// Where in its row the first head's key begins, and its value.
        keys, values,
        /// What a row sees: a `SEES_*`.
        sees,
        /// Rows of keys of each candidate or function; 0: all share them.
        room,
        /// Where the table of cosines and sines begins in the weights.
        rotations,
    }
}

record! {
    /// A batch of candidates of one or several functions (binding 0 of most shaders of the path).
    pub struct BatchParams {
        candidates,
        /// Candidates of each function, and the number of the first: candidate c is number `first + c % each` of function `c / each`.
        each, first,
        seed,
        /// Bits of the floats.
        temperature, nucleus,
        epoch,
        width,
        /// Columns of a row of logits.
        logits,
        /// Where tables of vectors begin in the weights.
        embed, types, depths, statements, heights,
        spare0, spare1,
    }
}

record! {
    /// Candidates that become programs (binding 0 of `assemble` and `report`).
    pub struct AssembleParams {
        /// Programs in the batch; the first is candidate `first`.
        programs, first,
        /// The function that they stand for.
        function,
        /// Strides of the base's arena, and of the candidates'.
        base_token_capacity, base_code_capacity, token_capacity, code_capacity,
        /// Jobs of each program.
        jobs,
    }
}

record! {
    /// Random inputs of a function (binding 0 of `inputs`).
    pub struct InputParams {
        seed,
        /// The first input, and how many.
        first, jobs,
        parameters, constants,
        /// Not 0: all inputs that there are, in order; 0: drawn ones.
        exhaustive,
        spare0, spare1,
    }
}

/// Constants, records and lookup functions for the shaders of the neural path.
pub fn prelude() -> String {
    let mut text = String::new();
    let mut constant = |name: &str, value: u32| text += &format!("const {name} = {value}u;\n");
    for (name, value) in NUMBERS {
        constant(name, *value);
    }
    for (name, value) in [
        ("WHOLE", inputs::WHOLE),
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

/// Words of a lexicon.
pub fn lexicon_words() -> u64 {
    TARGETS as u64 * u64::from(lexicon::WORDS)
}

/// What the shader that writes inputs knows of a function: a row of each parameter, then the constants.
pub fn argument_words(arguments: &Arguments) -> Vec<u32> {
    let mut words = vec![0; argument::WORDS as usize * arguments.parameters.len()];
    let mut weight = 1u32;
    for (row, parameter) in words.chunks_exact_mut(argument::WORDS as usize).zip(&arguments.parameters).rev() {
        let size = parameter.size().unwrap_or(1);
        row[argument::SLOT as usize] = parameter.slot;
        row[argument::CAPACITY as usize] = parameter.capacity;
        row[argument::BOOLS as usize] = u32::from(parameter.bools);
        row[argument::SIZE as usize] = size;
        row[argument::WEIGHT as usize] = weight;
        // Where not all inputs are tried nobody asks for it.
        weight = weight.saturating_mul(size);
    }
    words.extend(&arguments.constants);
    words
}

/// A function's tables as the shaders read them.
pub fn table_words(tables: &Tables) -> Vec<u32> {
    let mut words = vec![0; places::WORDS as usize];
    let mut set = |place: u32, index: usize, value: u32| words[place as usize + index] = value;
    set(places::VARIABLES, 0, tables.variables.len() as u32);
    set(places::CONSTANTS, 0, tables.constants.len() as u32);
    set(places::CALLEES, 0, tables.callees.len() as u32);
    for (i, variable) in tables.variables.iter().enumerate().take(VARIABLES as usize) {
        set(places::PLACE, i, variable.place);
        set(places::CAPACITY, i, variable.capacity);
        let looping = match variable.looping {
            Looping::No => looping::NO,
            Looping::Range => looping::RANGE,
            Looping::List { capacity } => looping::LIST + capacity,
        };
        set(places::LOOPING, i, looping);
    }
    for (i, constant) in tables.constants.iter().enumerate().take(CONSTANTS as usize) {
        set(places::CONSTANT, i, *constant as u32);
    }
    for (i, callee) in tables.callees.iter().enumerate().take(CALLEES as usize) {
        for (k, value) in [callee.function, callee.params, callee.lists, callee.result].into_iter().enumerate()
        {
            set(places::CALLEE, 4 * i + k, value);
        }
    }
    words
}
