//! Records of words: the parameters of a dispatch, and a program of a batch.

use bytemuck::{Pod, Zeroable};

use crate::compiler::program::Facts;
use crate::lang::diagnostic::Code;

/// Declares a record of words with the same layout in Rust and WGSL.
#[macro_export]
macro_rules! record {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$fmeta:meta])* $field:ident,)* }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
        pub struct $name { $($(#[$fmeta])* pub $field: u32,)* }

        impl $name {
            /// Names of the fields, in order. Each field is one word.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($field),)*];
            /// The record's declaration in WGSL.
            pub(crate) fn wgsl() -> String {
                let mut text = format!("struct {} {{\n", stringify!($name));
                for field in Self::FIELDS {
                    text += &format!("    {field}: u32,\n");
                }
                text + "}\n"
            }
        }
    };
}
pub use record;

record! {
    /// Parameters of a dispatch of a compile stage (binding 0, uniform).
    pub struct Params {
        /// Programs in the batch.
        programs,
        /// Number of the batch; the records that a device writes carry it.
        epoch,
        /// Room for the tokens of all programs: the stride of token columns.
        token_capacity,
        /// Room for instructions: the stride of IR columns.
        ir_capacity,
        /// Room for words of bytecode: the stride of code columns.
        code_capacity,
        /// The number of the optimization level.
        level,
        /// Reserved; keeps the record a multiple of 16 bytes.
        spare0, spare1,
    }
}

record! {
    /// One program of a batch (binding 1): its first row and number of rows in each index space, and its
    /// [`Facts`]. The host fills in bases and room; stages fill in counts and facts.
    pub struct Program {
        /// First byte of its text, a multiple of 4.
        text_base,
        /// Bytes of text.
        text_len,
        /// First row in the index space of tokens (tree, checked, routines, binders, token scratch).
        token_base,
        /// Number of rows that it may use there.
        token_room,
        /// First row in the index space of instructions.
        ir_base, ir_room,
        /// First row in the index space of bytecode words.
        code_base, code_room,
        /// Number of tokens.
        tokens,
        /// Instructions before optimize.
        lowered,
        /// Instructions after optimize.
        ir,
        /// Words of bytecode.
        code,
        /// Functions, tests and properties.
        routines,
        /// Binders of all properties.
        binders,
        /// As in [`Facts`].
        fatal, fatal_token, fatal_count, errors, holes, functions, names,
        /// For a mutant: the functions in which it differs from the base, as a bit set of function numbers
        /// modulo 32.
        changed,
        /// For a text tested together with others: the row of its head in the table of entries, the rows of
        /// entries that follow, the first word of its binders' rows, and of its jobs' records.
        entry_base, entry_room, domains, records,
        /// Id of the variant; `NONE` for a text.
        variant,
        /// Not 0 if edits overlap or exceed a limit. Stages skip such a program.
        invalid,
        /// Not 0 for a mutant whose verdict is already known. It is not run.
        known,
    }
}

record! {
    /// Parameters of a dispatch of execute (binding 0, uniform).
    pub struct ExecuteParams {
        /// A `MODE_*`: which programs are executed.
        mode,
        /// Programs in the batch.
        programs,
        /// Strides of the code arena.
        token_capacity, code_capacity,
        /// Threads among which memory is interleaved.
        threads,
        /// Words of memory per thread, a power of two.
        words,
        /// Call records per thread.
        calls,
        /// Loop iterations that a thread may execute in this dispatch.
        budget,
        /// Slots per program. Slot q runs jobs q, q + lanes, q + 2 lanes …; but the slots of a mutant share
        /// its jobs, and each takes the next one.
        lanes,
        /// A `TIER_*`: small memory for all slots, or full memory for those that overflowed.
        tier,
        /// Call depth at the start of a run.
        initial_depth,
        /// Inputs that a property is checked on if its domain is larger.
        samples,
        /// Number of the batch; records carry it.
        epoch,
        /// All slots.
        slots,
        /// Not 0: record the steps of each job of a mutant.
        counted,
        /// Under noise, the first job; of mutants, the number of jobs that each mutant's first slot runs before others
        /// are activated. Under noise and on random inputs, the number of jobs.
        first, jobs,
        /// Repetitions of each test.
        repetitions,
        /// Seed of the faults, and the threshold: a step is struck if its random word is below it.
        seed, threshold,
        /// On random inputs: the function, the slots of the base's runs, and the greatest length of the
        /// returned list.
        function, base_slots, elements,
        /// Adjacent jobs of one test that never wait for each other.
        lanes_in_flight,
        /// Not 0: run mutants on every input, even if the result is already known.
        exact,
        /// Threads that share the adapter's bound on loop iterations. If fewer are active, each may execute
        /// more iterations. 1 if each thread has its own bound.
        budget_threads,
        /// For patches: number of entries that are asked; 0 if the entries that a mutant passes are not
        /// recorded.
        recorded_entries,
        /// Not 0: ask each entry independently of the others.
        each_entry,
        /// Not 0: a list variable never changes while an operand loaded from it is on the stack. This holds
        /// for compiled code, but not for all code that a network may write.
        lists_by_reference,
        /// Offset in `best` of the counters of the jobs that each mutant's slots have taken.
        next,
        /// Slots of each mutant that are active from the start; the others are activated later.
        initially_active,
        /// The last address of the base's code; 0 unless the programs are mutants of one base.
        base_last,
    }
}

record! {
    /// Parameters of a dispatch of judge (binding 0, uniform).
    pub struct JudgeParams {
        /// Programs in the batch.
        programs,
        /// Strides of the code arena.
        token_capacity, code_capacity,
        /// Number of the batch; verdicts carry it.
        epoch,
        /// Row of the batch's first program in the directory. The base has row 0, mutant i row i + 1.
        first,
        /// Number of slots of the hash table, a power of two, less one.
        mask,
        /// Words that fit in the archive of bytecode.
        archive_room,
        /// Slots of execute that run each new program at first; 0 if no program is run.
        lanes,
    }
}

record! {
    /// Parameters of a dispatch of mutate (binding 0, uniform).
    pub struct MutateParams {
        /// Stride of the base's token columns.
        base_capacity,
        /// Parts whose edits are computed.
        parts,
        /// Stride of the base's lowered columns.
        ir_capacity,
        spare0,
    }
}

record! {
    /// Parameters of dispatches of vary, segment and splice (binding 0, uniform).
    pub struct SpliceParams {
        /// Parts of the batch.
        parts,
        /// The base: its strides, tokens, words of bytecode, routines, functions and binders, and its `Facts::names`.
        base_token_capacity, base_code_capacity,
        base_tokens, base_code, base_routines, base_functions, base_binders, base_names,
        /// Strides of the parts' arena.
        part_token_capacity, part_ir_capacity, part_code_capacity,
        /// Strides of the mutants' arena.
        token_capacity, code_capacity,
        spare0, spare1,
    }
}

record! {
    /// Parameters of a dispatch of the router (binding 0, uniform).
    pub struct RouterParams {
        /// Strides of the base's columns.
        token_capacity, code_capacity,
        /// The function of the first workgroup.
        first,
        /// Number of the batch; records carry it.
        epoch,
    }
}

record! {
    /// Parameters of the search for an expression (binding 0, uniform).
    pub struct FillParams {
        /// Rows that are kept: the stride of columns.
        rows,
        /// Inputs with a required result.
        required,
        /// The input at which whole expressions are compared.
        sharpest,
        /// The least number of known bits with which an operand is compared instead.
        least,
        /// Workgroups of `scan`, and how many of them are a row of the dispatch.
        groups, row,
        /// Hits for which there is room.
        room,
        /// Number of the batch; the counters carry it.
        epoch,
    }
}

impl Program {
    /// The facts that stages have set.
    pub fn facts(&self) -> Facts {
        Facts {
            fatal: self.fatal,
            fatal_token: self.fatal_token,
            fatal_count: self.fatal_count,
            errors: self.errors,
            holes: self.holes,
            functions: self.functions,
            names: self.names,
        }
    }
    /// Returns whether lex stopped compilation, so that there is no tree, not even an empty one.
    pub fn stopped_before_tree(&self) -> bool {
        self.fatal == Code::SourceTooLong as u32 || self.fatal == Code::TooManyTokens as u32
    }
    /// Sets the facts as if earlier stages had computed them.
    pub fn set_facts(&mut self, facts: &Facts) {
        self.fatal = facts.fatal;
        self.fatal_token = facts.fatal_token;
        self.fatal_count = facts.fatal_count;
        self.errors = facts.errors;
        self.holes = facts.holes;
        self.functions = facts.functions;
        self.names = facts.names;
    }
}
