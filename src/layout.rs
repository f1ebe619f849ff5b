//! The records that engine and shaders share, and the WGSL prelude generated from them.
//!
//! Every number that a shader needs (token kinds, roles, opcodes, traps, diagnostics, limits, column indices) is
//! stated once in `lang` and `stage`; [`prelude`] turns it into WGSL constants and small lookup functions that are put
//! in front of every shader. So the two sides cannot drift. `docs/shaders.md` tells how shaders use it.

mod language;
pub mod neural;
mod punctuation;
pub mod scratch;

use bytemuck::{Pod, Zeroable};

use crate::lang::NONE;
use crate::lang::diagnostic::Code;
use crate::lang::role::Role;
use crate::lang::token::TokenKind;
use crate::program::{self, Binders, Bytecode, Checked, Facts, Ir, Routines, Tokens, Tree};
use crate::stage::execute::KEPT;
use crate::stage::optimize::{PASSES, ROUNDS};
use crate::stage::route::constructs::construct;
use crate::stage::route::features::{self, FEATURES, Feature};

/// Threads of a workgroup; a workgroup works on one program.
pub const WORKGROUP: u32 = 64;

/// Words of a row in execute's table of entries, and in its table of binders.
pub const ENTRY_WORDS: u32 = 16;
pub const BINDER_WORDS: u32 = 8;
/// Words of the record of a repetition under noise.
pub const NOISE_WORDS: u32 = 5 + KEPT as u32;
/// Words of a slot's state in execute.
pub const STATE_WORDS: u32 = 8;
/// Threads that have all of a run's memory, for runs that overflow the small one.
pub const LARGE_THREADS: u32 = 512;
/// Words that judge and execute count in: their places in the control buffer.
pub mod control {
    /// Words of the archive in use.
    pub const ARCHIVE: u32 = 0;
    /// Programs to be run.
    pub const PROGRAMS: u32 = 1;
    /// Slots in use.
    pub const SLOTS: u32 = 2;
    /// Slots that the last slice left at work.
    pub const ACTIVE: u32 = 3;
    /// Slots that overflowed small memory, and those of them that are done.
    pub const SPILLED: u32 = 4;
    pub const RESUMED: u32 = 5;
    /// First-order mutants of the base.
    pub const SITES: u32 = 6;
    /// Loop iterations of all slots at work since the base's runs were begun, modulo 2³².
    pub const SPENT: u32 = 7;
    pub const WORDS: u32 = 8;
}

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
            fn wgsl() -> String {
                let mut text = format!("struct {} {{\n", stringify!($name));
                for field in Self::FIELDS {
                    text += &format!("    {field}: u32,\n");
                }
                text + "}\n"
            }
        }
    };
}
use record;

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
        /// Hash of the bytecode, by judge.
        hash_low, hash_high,
        /// Id of the variant; `NONE` for a text.
        variant,
        /// Not 0 where edits overlap or pass a limit: no stage works on such a program.
        invalid,
    }
}

record! {
    /// What a dispatch of execute is about (its binding 0, uniform).
    pub struct ExecuteParams {
        /// Where jobs are of tests and properties, 0: the base's; 1: mutants'; 2: one call of a function.
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
        /// Slots for each program: slot q runs jobs q, q + lanes, q + 2 lanes …
        lanes,
        /// 0: small memory for all; 1: full memory for slots that overflowed.
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
        /// Slots of execute for each program.
        lanes,
        /// Not 0 if programs that are new are to be run.
        execute,
        spare0, spare1, spare2,
    }
}

record! {
    /// What a dispatch of mutate is about (its binding 0, uniform).
    pub struct MutateParams {
        /// Stride of the base's token columns.
        base_capacity,
        /// Stride of the mutants' token columns.
        token_capacity,
        /// Id of the first mutant of the batch.
        first,
        spare,
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

/// `FnName` and `fnName` become `FN_NAME`.
fn screaming(name: &str) -> String {
    let mut out = String::new();
    for (i, c) in name.char_indices() {
        if c.is_ascii_uppercase() && i > 0 {
            out.push('_');
        }
        out.push(c.to_ascii_uppercase());
    }
    out
}

/// A WGSL function that is `value` of the thing with this number, and 0 of any other, without a branch.
fn lookup<T: Copy>(name: &str, all: &[T], value: impl Fn(T) -> u32) -> String {
    let mut text = format!("fn {name}(n: u32) -> u32 {{\n    var r = 0u;\n");
    for (from, len, value) in runs(all, value) {
        if value != 0 {
            text += &format!("    r = select(r, {value}u, n - {from}u < {len}u);\n");
        }
    }
    text + "    return r;\n}\n"
}

/// A WGSL function that says whether something holds of the thing with this number.
fn predicate<T: Copy>(name: &str, all: &[T], holds: impl Fn(T) -> bool) -> String {
    let runs = runs(all, holds).into_iter().filter(|(.., holds)| *holds);
    let ranges: Vec<String> = runs.map(|(from, len, _)| format!("n - {from}u < {len}u")).collect();
    format!("fn {name}(n: u32) -> bool {{ return {}; }}\n", ranges.join(" || "))
}

/// Where runs of equal values begin, how long they are, and their value.
fn runs<T: Copy, V: PartialEq>(all: &[T], value: impl Fn(T) -> V) -> Vec<(usize, usize, V)> {
    let mut runs: Vec<(usize, usize, V)> = Vec::new();
    for (place, item) in all.iter().enumerate() {
        let value = value(*item);
        match runs.last_mut() {
            Some((_, len, last)) if *last == value => *len += 1,
            _ => runs.push((place, 1, value)),
        }
    }
    runs
}

/// The part of this name that is generated: see `docs/shaders.md`.
pub fn part(name: &str) -> Option<String> {
    match name.strip_prefix("layout/")? {
        "neural" => Some(neural::prelude()),
        "passes" => Some(passes()),
        name => scratch::wgsl(name.strip_prefix("scratch/")?),
    }
}

/// The optimizer's passes, and the function that makes a round but for the last of them.
fn passes() -> String {
    let imports = PASSES.iter().map(|pass| format!("#import optimize/{}\n", pass.name));
    let calls = PASSES[..PASSES.len() - 1].iter().map(|pass| format!("    {}();\n", pass.name));
    imports.collect::<String>()
        + &format!("const ROUNDS = {ROUNDS}u;\nfn rewrite() {{\n{}}}\n", calls.collect::<String>())
}

/// What stands in front of every shader.
pub fn prelude() -> String {
    let mut text = String::from("// Generated by src/layout.rs from the tables of src/lang and src/stage.\n");
    let mut constant = |name: String, value: u32| text += &format!("const {name} = {value}u;\n");

    constant("NONE".into(), NONE);
    constant("WORKGROUP".into(), WORKGROUP);
    constant("TOKEN_SCRATCH".into(), scratch::TOKEN_SCRATCH);
    constant("IR_SCRATCH".into(), scratch::IR_SCRATCH);
    for (name, value) in [
        ("ERROR_BEHIND", program::ERROR_BEHIND),
        ("STMT_INDEX", program::STMT_INDEX),
        ("STMT_MUTED", program::STMT_MUTED),
        ("STMT_LEXICAL", program::STMT_LEXICAL),
        ("STMT_SYNTAX", program::STMT_SYNTAX),
        ("ENTRY_WORDS", ENTRY_WORDS),
        ("BINDER_WORDS", BINDER_WORDS),
        ("NOISE_WORDS", NOISE_WORDS),
        ("LARGE_THREADS", LARGE_THREADS),
        ("CONTROL_ARCHIVE", control::ARCHIVE),
        ("CONTROL_PROGRAMS", control::PROGRAMS),
        ("CONTROL_SLOTS", control::SLOTS),
        ("CONTROL_ACTIVE", control::ACTIVE),
        ("CONTROL_SPILLED", control::SPILLED),
        ("CONTROL_RESUMED", control::RESUMED),
        ("CONTROL_SITES", control::SITES),
        ("CONTROL_SPENT", control::SPENT),
        ("FEATURES", FEATURES as u32),
        ("FEATURE_MOST", features::MOST),
        ("CONSTRUCT_BINARY", construct(Role::Binary, TokenKind::Error) as u32),
        ("CONSTRUCT_UNARY", construct(Role::Unary, TokenKind::Error) as u32),
        ("CONSTRUCT_ASSIGN", construct(Role::Assign, TokenKind::Error) as u32),
    ] {
        constant(name.into(), value);
    }
    for feature in Feature::ALL {
        constant(format!("FEATURE_{}", screaming(feature.ident())), *feature as u32);
    }
    for (record, columns) in COLUMNS {
        for (index, column) in columns.iter().enumerate() {
            constant(format!("{record}_{}", column.to_ascii_uppercase()), index as u32);
        }
        constant(format!("{record}_COLUMNS"), columns.len() as u32);
    }

    text += &Params::wgsl();
    text += &Program::wgsl();
    text += &ExecuteParams::wgsl();
    text += &JudgeParams::wgsl();
    text += &MutateParams::wgsl();
    text += &RouterParams::wgsl();
    text += &language::wgsl();
    text
}

/// The records of columns, by the prefix of their constants.
const COLUMNS: &[(&str, &[&str])] = &[
    ("TOKENS", Tokens::COLUMNS),
    ("TREE", Tree::COLUMNS),
    ("CHECKED", Checked::COLUMNS),
    ("IR", Ir::COLUMNS),
    ("ROUTINES", Routines::COLUMNS),
    ("BINDERS", Binders::COLUMNS),
    ("CODE", Bytecode::COLUMNS),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// Sizes and offsets of a record in WGSL, by naga's own layouter.
    fn wgsl_offsets(name: &str) -> (u32, Vec<(String, u32)>) {
        let module = naga::front::wgsl::parse_str(&prelude()).expect("the prelude is valid WGSL");
        let (_, ty) = module.types.iter().find(|(_, t)| t.name.as_deref() == Some(name)).expect(name);
        let naga::TypeInner::Struct { members, span } = &ty.inner else { panic!("{name} is no struct") };
        (*span, members.iter().map(|m| (m.name.clone().unwrap_or_default(), m.offset)).collect())
    }

    fn check(name: &str, size: usize, fields: &[&str]) {
        let (span, members) = wgsl_offsets(name);
        assert_eq!(span as usize, size, "{name}");
        let expected: Vec<_> = fields.iter().enumerate().map(|(i, f)| (f.to_string(), 4 * i as u32)).collect();
        assert_eq!(members, expected, "{name}");
    }

    #[test]
    fn records_are_laid_out_alike_in_rust_and_wgsl() {
        check("Params", size_of::<Params>(), Params::FIELDS);
        check("Program", size_of::<Program>(), Program::FIELDS);
        check("ExecuteParams", size_of::<ExecuteParams>(), ExecuteParams::FIELDS);
        assert_eq!(size_of::<ExecuteParams>() % 16, 0, "a uniform record is a multiple of 16 bytes");
        check("JudgeParams", size_of::<JudgeParams>(), JudgeParams::FIELDS);
        assert_eq!(size_of::<JudgeParams>() % 16, 0, "a uniform record is a multiple of 16 bytes");
        check("MutateParams", size_of::<MutateParams>(), MutateParams::FIELDS);
        assert_eq!(size_of::<MutateParams>() % 16, 0, "a uniform record is a multiple of 16 bytes");
        check("RouterParams", size_of::<RouterParams>(), RouterParams::FIELDS);
        assert_eq!(size_of::<RouterParams>() % 16, 0, "a uniform record is a multiple of 16 bytes");
        assert_eq!(size_of::<Params>() % 16, 0, "a uniform record is a multiple of 16 bytes");
    }

    #[test]
    fn names_are_screamed() {
        assert_eq!(screaming("LoadConstWide"), "LOAD_CONST_WIDE");
    }
}
