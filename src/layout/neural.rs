//! What the shaders of the neural path share with the host: parameters, places in buffers, and the word table.

use bytemuck::{Pod, Zeroable};

use super::{lookup, record, screaming};
use crate::lang::limits;
use crate::neural::assembler::OPERANDS;
use crate::neural::inputs::{self, Arguments};
use crate::neural::source::{Looping, Tables};
use crate::neural::vocabulary::{
    BOS, CALLEES, CONSTANTS, COUNTS, Family, LABELS, LITERALS, PLAIN, SOURCE_MAX, TARGET_MAX, TARGETS,
    VARIABLES,
};

/// Places in the buffer that decoding counts in.
pub mod decode {
    /// Candidates that are still being written.
    pub const LIVE: u32 = 0;
    /// Words that each of them has.
    pub const POSITION: u32 = 1;
    /// Words of the function.
    pub const SOURCE: u32 = 2;
    /// Number of the batch.
    pub const EPOCH: u32 = 3;
    /// The list of live candidates, in order.
    pub const LIST: u32 = 8;
}

/// Sizes of a decoding step's dispatches: rows of the buffer of indirect arguments, three words each.
pub mod size {
    /// A workgroup for each row.
    pub const ROW: u32 = 0;
    /// For each row and head.
    pub const HEAD: u32 = 1;
    /// For each tile of a product with as many columns as the model is wide.
    pub const WIDTH: u32 = 2;
    /// … twice as many.
    pub const DOUBLE: u32 = 3;
    /// … three times as many.
    pub const TRIPLE: u32 = 4;
    /// … four times as many.
    pub const FEED: u32 = 5;
    /// … as there are logits.
    pub const LOGITS: u32 = 6;
    pub const COUNT: u32 = 7;
}

/// Words that have a bit for each target word.
pub const PERMIT_WORDS: usize = TARGETS.div_ceil(32);

/// Places in the state of a candidate's walk; see `shaders/neural/walk.wgsl`.
pub mod walk {
    /// How it stands: a `PHASE_*`.
    pub const PHASE: u32 = 0;
    /// Operands, and which of them are lists.
    pub const DEPTH: u32 = 1;
    pub const LISTS: u32 = 2;
    /// Variables surely stored; from bit 16 on loops surely begun.
    pub const VARIABLES: u32 = 3;
    /// Whether control can come here.
    pub const REACHED: u32 = 4;
    /// 1 + v behind the beginning of v's loop, 17 + v behind a label behind that, else 0.
    pub const LAST: u32 = 5;
    /// The next new label, and how many are awaited.
    pub const FRESH: u32 = 6;
    pub const AWAITED: u32 = 7;
    /// Words written.
    pub const LENGTH: u32 = 8;
    /// Bits of the sum of their log-probabilities.
    pub const LOG_P: u32 = 9;
    /// Four words for each label.
    pub const LABELS: u32 = 12;
    pub const WORDS: u32 = LABELS + 4 * crate::neural::vocabulary::LABELS;

    /// Phases: at work, ended validly, ended otherwise.
    pub const WRITING: u32 = 0;
    pub const VALID: u32 = 1;
    pub const BROKEN: u32 = 2;
}

/// Places in the tables of a function: what its slots stand for.
pub mod places {
    use crate::neural::vocabulary::{CALLEES, CONSTANTS, VARIABLES};

    /// How many variables, constants and callees there are.
    pub const VARIABLE_COUNT: u32 = 0;
    pub const CONSTANT_COUNT: u32 = 1;
    pub const CALLEE_COUNT: u32 = 2;
    /// Of each variable: its place in the frame, its capacity, its loop (`LOOPING_*`, plus the capacity of a list gone through).
    pub const PLACE: u32 = 4;
    pub const CAPACITY: u32 = PLACE + VARIABLES;
    pub const LOOPING: u32 = CAPACITY + VARIABLES;
    pub const CONSTANT: u32 = LOOPING + VARIABLES;
    /// Of each callee: its number, how many parameters, which of them are lists, the capacity that it returns.
    pub const CALLEE: u32 = CONSTANT + CONSTANTS;
    pub const WORDS: u32 = CALLEE + 4 * CALLEES;

    pub const LOOPING_NO: u32 = 0;
    pub const LOOPING_RANGE: u32 = 1;
    pub const LOOPING_LIST: u32 = 2;
}

/// Words of a row of the lexicon, by name; see `shaders/neural/lexicon.wgsl`.
const LEXICON: &[&str] =
    &["KIND", "POPS", "TAKEN", "PUSHES", "READS", "SETS", "INDEX", "LENGTH", "FIRST", "SECOND"];
/// Kinds of words there.
const KINDS: &[&str] =
    &["ABSENT", "END", "LABEL", "PLAIN", "RETURN", "BEGIN", "FOR", "JUMP", "BRANCH", "KEEPING"];

/// Words of a candidate's record.
pub mod report {
    /// A `MutantStatus`.
    pub const STATUS: u32 = 0;
    /// The test or property that it does not pass, or `NONE`.
    pub const ENTRY: u32 = 1;
    /// How that one ended: 1 with a wrong value, 2 + t with trap t; 0 if all pass or it was not run.
    pub const OUTCOME: u32 = 2;
    /// Of a duplicate the candidate of least number with the same code, else `NONE`.
    pub const TWIN: u32 = 3;
    /// Steps of its runs up to the first that fails: below 1,024, and in 1,024s, neither carried.
    pub const STEPS_LOW: u32 = 4;
    pub const STEPS_HIGH: u32 = 5;
    /// Words written, and the bits of their log-probability.
    pub const LENGTH: u32 = 6;
    pub const LOG_P: u32 = 7;
    /// Words of the whole program, 0 if it is not valid.
    pub const CODE: u32 = 8;
    pub const EPOCH: u32 = 9;
    pub const WORDS: u32 = 10;
}

/// Words of the record of a candidate that was compared with the base.
pub mod agreement {
    /// The first job on which it disagrees, or `NONE`.
    pub const DIFFERS: u32 = 0;
    /// Jobs up to there on which the base did not exhaust its resources, and those of them on which it trapped.
    pub const COMPARED: u32 = 1;
    pub const TRAPPING: u32 = 2;
    /// Steps of its own and of the base where both gave the same value.
    pub const STEPS: u32 = 3;
    pub const BASE_STEPS: u32 = 4;
    pub const EPOCH: u32 = 5;
    pub const WORDS: u32 = 6;
}

/// Words of a parameter's row, for the shader that writes inputs.
pub mod argument {
    /// As in `neural::inputs::Parameter`.
    pub const SLOT: u32 = 0;
    pub const CAPACITY: u32 = 1;
    pub const BOOLS: u32 = 2;
    /// Where all inputs are tried: how many values it has, and how many inputs pass before it takes the next.
    pub const SIZE: u32 = 3;
    pub const WEIGHT: u32 = 4;
    pub const WORDS: u32 = 5;
}

// A thread for each element of a list.
const _: () = assert!(limits::CAPACITY <= super::WORKGROUP);

/// Columns of the matrix that makes logits: the target words, up to a multiple of a tile.
pub const LOGITS: usize = TARGETS.next_multiple_of(32);

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
        spare0, spare1,
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
        /// Not 0: a row sees the positions up to its own; 0: all words of the function.
        causal,
        /// Rows of keys of each candidate; 0: all share them.
        room,
        /// Where the table of cosines and sines begins in the weights.
        rotations,
    }
}

record! {
    /// A batch of candidates of one function (binding 0 of most shaders of the path).
    pub struct BatchParams {
        candidates,
        /// Number of the batch's first candidate.
        first,
        seed,
        /// Bits of the floats.
        temperature, nucleus,
        epoch,
        width,
        /// Columns of a row of logits.
        logits,
        /// Where tables of vectors begin in the weights.
        embed, types, depths, statements, heights,
        /// Words of the function, and its parameters.
        source, params,
        spare,
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
    for (name, value) in [
        ("DECODE_LIVE", decode::LIVE),
        ("DECODE_POSITION", decode::POSITION),
        ("DECODE_SOURCE", decode::SOURCE),
        ("DECODE_EPOCH", decode::EPOCH),
        ("DECODE_LIST", decode::LIST),
        ("SIZE_ROW", size::ROW),
        ("SIZE_HEAD", size::HEAD),
        ("SIZE_WIDTH", size::WIDTH),
        ("SIZE_DOUBLE", size::DOUBLE),
        ("SIZE_TRIPLE", size::TRIPLE),
        ("SIZE_FEED", size::FEED),
        ("SIZE_LOGITS", size::LOGITS),
        ("WALK_PHASE", walk::PHASE),
        ("WALK_DEPTH", walk::DEPTH),
        ("WALK_LISTS", walk::LISTS),
        ("WALK_VARIABLES", walk::VARIABLES),
        ("WALK_REACHED", walk::REACHED),
        ("WALK_LAST", walk::LAST),
        ("WALK_FRESH", walk::FRESH),
        ("WALK_AWAITED", walk::AWAITED),
        ("WALK_LENGTH", walk::LENGTH),
        ("WALK_LOG_P", walk::LOG_P),
        ("WALK_LABELS", walk::LABELS),
        ("WALK_WORDS", walk::WORDS),
        ("PHASE_WRITING", walk::WRITING),
        ("PHASE_VALID", walk::VALID),
        ("PHASE_BROKEN", walk::BROKEN),
        ("TABLES_VARIABLES", places::VARIABLE_COUNT),
        ("TABLES_CONSTANTS", places::CONSTANT_COUNT),
        ("TABLES_CALLEES", places::CALLEE_COUNT),
        ("TABLES_PLACE", places::PLACE),
        ("TABLES_CAPACITY", places::CAPACITY),
        ("TABLES_LOOPING", places::LOOPING),
        ("TABLES_CONSTANT", places::CONSTANT),
        ("TABLES_CALLEE", places::CALLEE),
        ("LOOPING_RANGE", places::LOOPING_RANGE),
        ("LOOPING_LIST", places::LOOPING_LIST),
        ("REPORT_STATUS", report::STATUS),
        ("REPORT_ENTRY", report::ENTRY),
        ("REPORT_OUTCOME", report::OUTCOME),
        ("REPORT_TWIN", report::TWIN),
        ("REPORT_STEPS_LOW", report::STEPS_LOW),
        ("REPORT_STEPS_HIGH", report::STEPS_HIGH),
        ("REPORT_LENGTH", report::LENGTH),
        ("REPORT_LOG_P", report::LOG_P),
        ("REPORT_CODE", report::CODE),
        ("REPORT_EPOCH", report::EPOCH),
        ("REPORT_WORDS", report::WORDS),
        ("AGREEMENT_DIFFERS", agreement::DIFFERS),
        ("AGREEMENT_COMPARED", agreement::COMPARED),
        ("AGREEMENT_TRAPPING", agreement::TRAPPING),
        ("AGREEMENT_STEPS", agreement::STEPS),
        ("AGREEMENT_BASE_STEPS", agreement::BASE_STEPS),
        ("AGREEMENT_EPOCH", agreement::EPOCH),
        ("AGREEMENT_WORDS", agreement::WORDS),
        ("ARGUMENT_SLOT", argument::SLOT),
        ("ARGUMENT_CAPACITY", argument::CAPACITY),
        ("ARGUMENT_BOOLS", argument::BOOLS),
        ("ARGUMENT_SIZE", argument::SIZE),
        ("ARGUMENT_WEIGHT", argument::WEIGHT),
        ("ARGUMENT_WORDS", argument::WORDS),
        ("WHOLE", inputs::WHOLE),
        ("INPUT_FUEL", inputs::FUEL),
        ("LEXICON_WORDS", LEXICON.len() as u32),
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
    for (prefix, names) in [("LEXICON", LEXICON), ("KIND", KINDS)] {
        for (value, name) in names.iter().enumerate() {
            constant(&format!("{prefix}_{name}"), value as u32);
        }
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
    (TARGETS * LEXICON.len()) as u64
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
    set(places::VARIABLE_COUNT, 0, tables.variables.len() as u32);
    set(places::CONSTANT_COUNT, 0, tables.constants.len() as u32);
    set(places::CALLEE_COUNT, 0, tables.callees.len() as u32);
    for (i, variable) in tables.variables.iter().enumerate().take(VARIABLES as usize) {
        set(places::PLACE, i, variable.place);
        set(places::CAPACITY, i, variable.capacity);
        let looping = match variable.looping {
            Looping::No => places::LOOPING_NO,
            Looping::Range => places::LOOPING_RANGE,
            Looping::List { capacity } => places::LOOPING_LIST + capacity,
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
