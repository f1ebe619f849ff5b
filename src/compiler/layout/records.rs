//! Records of words: what all of a dispatch share, and a program of a batch.

use bytemuck::{Pod, Zeroable};

use crate::compiler::program::Facts;
use crate::lang::diagnostic::Code;

/// Declares a record of words, the same in Rust and WGSL.
macro_rules! record {
    ($(#[$meta:meta])* pub struct $name:ident { $($(#[$fmeta:meta])* $field:ident,)* }) => {
        $(#[$meta])*
        #[repr(C)]
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
        pub struct $name { $($(#[$fmeta])* pub $field: u32,)* }

        impl $name {
            /// Names of the fields, in order; each is one word.
            pub const FIELDS: &'static [&'static str] = &[$(stringify!($field),)*];
            /// The record in WGSL.
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
pub(crate) use record;

record! {
    /// What all programs of a dispatch share (binding 0, uniform).
    pub struct Params {
        /// Programs in the batch.
        programs,
        /// Number of the batch; records that a device wrote carry it.
        epoch,
        /// Room for tokens of all programs together: the stride of token columns.
        token_capacity,
        /// Room for instructions: the stride of IR columns.
        ir_capacity,
        /// Room for words of bytecode: the stride of code columns.
        code_capacity,
        /// Reserved; keeps the record a multiple of 16 bytes.
        spare0, spare1, spare2,
    }
}

record! {
    /// One program of a batch (binding 1): where its rows begin in each index space, how many there are, and its
    /// [`Facts`]. The host fills in bases and room; stages fill in counts and facts.
    pub struct Program {
        /// First byte of its text, a multiple of 4.
        text_base,
        /// Bytes of text.
        text_len,
        /// First row in the index space of tokens (tree, checked, routines, binders, token scratch).
        token_base,
        /// Rows it may use there.
        token_room,
        /// First row in the index space of instructions.
        ir_base, ir_room,
        /// First row in the index space of bytecode words.
        code_base, code_room,
        /// Number of tokens.
        tokens,
        /// Instructions as lowered.
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
        fatal, fatal_token, fatal_count, errors, functions, names,
        /// Of a mutant a bit for each function in which it differs from the base, by the function's number modulo 32.
        changed,
        /// Of a text that is tested beside others: the row of its head in the table of entries, rows of entries behind that, the first word
        /// of its binders' rows, and of its jobs' records.
        entry_base, entry_room, domains, records,
        /// Id of the variant; `NONE` for a text.
        variant,
        /// Not 0 where edits overlap or pass a limit: no stage works on such a program.
        invalid,
        /// Of a mutant not 0 where it is known how it ends: it is not run.
        known,
    }
}

record! {
    /// What a dispatch of execute is about (its binding 0, uniform).
    pub struct ExecuteParams {
        /// Where jobs are of tests and properties: a `MODE_*`.
        mode,
        /// Programs in the batch.
        programs,
        /// Strides of the code arena.
        token_capacity, code_capacity,
        /// Threads that memory is interleaved for.
        threads,
        /// Words of memory of a thread, a power of two.
        words,
        /// Call records of a thread.
        calls,
        /// Loop iterations that a thread may make in this dispatch.
        budget,
        /// Slots for each program: slot q runs jobs q, q + lanes, q + 2 lanes …; those of a mutant share its jobs, each taking the next.
        lanes,
        /// A `TIER_*`: small memory for all slots, or full memory for those that overflowed.
        tier,
        /// Calls that count as active when a run begins.
        bottom,
        /// Inputs on which a property is checked when its domain is larger.
        samples,
        /// Number of the batch; records carry it.
        epoch,
        /// All slots: programs * lanes.
        slots,
        /// Not 0: the steps of each job of a mutant are kept.
        counted,
        /// Under noise: the first job. There and on random inputs: how many there are.
        first, jobs,
        /// Repetitions of each test.
        repetitions,
        /// What faults are drawn from, and below which random word a step is struck.
        seed, threshold,
        /// On random inputs: the function, the slots of the base's runs, and the most elements of the list that it returns.
        function, base_slots, elements,
        /// Jobs of one test side by side that never wait for one another.
        abreast,
        /// Not 0: mutants run on every input, also where it is known without how it ends.
        exact,
        /// Threads that share an adapter's bound of loop iterations: where fewer are at work, each may make more of them. 1 where each has its own.
        sharing,
        /// Of patches: how many entries are asked, 0 where nobody wants to know which of them a mutant passes.
        asked,
        /// Not 0: each entry is asked by itself, whatever the others say.
        each,
        /// Not 0: programs are such that a list variable keeps its value while an operand that was loaded from it stands on the stack. So it is
        /// with what is compiled, not with all that a network may write.
        steady,
        /// Where in `best` the jobs are counted that each mutant's slots have taken.
        next,
        /// Slots of each mutant that are at work from the start; the others are woken.
        awake,
        /// Reserved; it keeps the record a multiple of 16 bytes.
        spare0,
    }
}

record! {
    /// What a dispatch of judge is about (its binding 0, uniform).
    pub struct JudgeParams {
        /// Programs in the batch.
        programs,
        /// Strides of the code arena.
        token_capacity, code_capacity,
        /// Number of the batch; verdicts carry it.
        epoch,
        /// Row of the batch's first program in the directory; the base has row 0, mutant i row i + 1.
        first,
        /// Slots of the hash table less one; a power of two of them.
        mask,
        /// Words that the archive of bytecode has room for.
        archive_room,
        /// Slots of execute in which each program that is new is run at first; 0 if none is to be run.
        lanes,
    }
}

record! {
    /// What a dispatch of mutate is about (its binding 0, uniform).
    pub struct MutateParams {
        /// Stride of the base's token columns.
        base_capacity,
        /// Parts whose edits are looked for.
        parts,
        spare0, spare1,
    }
}

record! {
    /// What dispatches of vary, segment and splice are about (their binding 0, uniform).
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
    /// What a dispatch of router is about (its binding 0, uniform).
    pub struct RouterParams {
        /// Strides of the base's columns.
        token_capacity, code_capacity,
        /// The function of the first workgroup.
        first,
        /// Number of the batch; records carry it.
        epoch,
    }
}

impl Program {
    /// The facts that stages left.
    pub fn facts(&self) -> Facts {
        Facts {
            fatal: self.fatal,
            fatal_token: self.fatal_token,
            fatal_count: self.fatal_count,
            errors: self.errors,
            functions: self.functions,
            names: self.names,
        }
    }
    /// Whether lex stopped compilation, so that there is no tree, not even an empty one.
    pub fn stopped_before_tree(&self) -> bool {
        self.fatal == Code::SourceTooLong as u32 || self.fatal == Code::TooManyTokens as u32
    }
    /// Presets the facts, as if stages before had left them.
    pub fn set_facts(&mut self, facts: &Facts) {
        self.fatal = facts.fatal;
        self.fatal_token = facts.fatal_token;
        self.fatal_count = facts.fatal_count;
        self.errors = facts.errors;
        self.functions = facts.functions;
        self.names = facts.names;
    }
}
