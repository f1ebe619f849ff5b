//! The records that engine and shaders share, and the WGSL prelude generated from them.
//!
//! Every number that a shader needs (token kinds, roles, opcodes, traps, diagnostics, limits, column indices) is
//! stated once in `lang` and `stage`; [`prelude`] turns it into WGSL constants and small lookup functions that are put
//! in front of every shader. So the two sides cannot drift. `docs/shaders.md` tells how shaders use it.

pub mod neural;

use bytemuck::{Pod, Zeroable};

use crate::lang::diagnostic::Code;
use crate::lang::opcode::{Op, Shape};
use crate::lang::role::Role;
use crate::lang::token::{self, TokenKind};
use crate::lang::trap::Trap;
use crate::lang::verdict::MutantStatus;
use crate::lang::{NONE, fault, limits, ty};
use crate::program::{self, Binders, Bytecode, Checked, Facts, Ir, Routines, Tokens, Tree};
use crate::stage::execute::KEPT;
use crate::stage::route::constructs::construct;
use crate::stage::route::features::{self, FEATURES, Feature};

/// Threads of a workgroup; a workgroup works on one program.
pub const WORKGROUP: u32 = 64;
/// Scratch words per token of room.
pub const TOKEN_SCRATCH: u32 = 24;
/// Scratch words per instruction of room.
pub const IR_SCRATCH: u32 = 16;

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

/// A WGSL function from words to words that is `value` on `0..count` and 0 elsewhere, without a branch.
fn lookup(name: &str, count: usize, value: impl Fn(u32) -> u32) -> String {
    let mut text = format!("fn {name}(n: u32) -> u32 {{\n    var r = 0u;\n");
    let mut from = 0u32;
    while (from as usize) < count {
        let v = value(from);
        let mut to = from + 1;
        while (to as usize) < count && value(to) == v {
            to += 1;
        }
        if v != 0 {
            text += &format!("    r = select(r, {v}u, n - {from}u < {}u);\n", to - from);
        }
        from = to;
    }
    text + "    return r;\n}\n"
}

/// A spelling of at most eight bytes as two words, first byte lowest.
fn packed(text: &str) -> (u32, u32) {
    let all = text.bytes().rev().fold(0u64, |word, byte| word << 8 | byte as u64);
    (all as u32, (all >> 32) as u32)
}

/// A WGSL function from a packed spelling to its token kind, `NONE` where it is none of those kept.
fn spellings(name: &str, keep: impl Fn(&str) -> bool) -> String {
    let mut text = format!("fn {name}(word: vec2<u32>) -> u32 {{\n    var r = NONE;\n");
    for (spelling, kind) in token::SPELLINGS.iter().filter(|(text, _)| keep(text)) {
        let (low, high) = packed(spelling);
        text += &format!(
            "    r = select(r, {}u, word.x == {low}u && word.y == {high}u); // {spelling}\n",
            *kind as u32
        );
    }
    text + "    return r;\n}\n"
}

/// A WGSL function from a packed spelling to the name id of a built-in, `NONE` where it is none.
fn builtins() -> String {
    let mut text = String::from("fn builtin_name(word: vec2<u32>) -> u32 {\n    var r = NONE;\n");
    for (id, spelling) in token::BUILTINS.iter().enumerate() {
        let (low, high) = packed(spelling);
        text += &format!("    r = select(r, {id}u, word.x == {low}u && word.y == {high}u); // {spelling}\n");
    }
    text + "    return r;\n}\n"
}

/// WGSL functions over the families of tokens that mutation exchanges: number (from 1), size, and member by
/// `8 * number + rank`.
fn families() -> String {
    use crate::lang::mutation::*;
    // Whether a family is for operators whose first operand is an int, or for those where it is none.
    let all = [
        (ARITHMETIC, true, false),
        (ARITHMETIC_ASSIGN, true, false),
        (RELATIONAL, true, false),
        (EQUALITY, false, true),
        (LOGICAL, true, true),
        (BITWISE, true, true),
        (SHIFTS, true, true),
        (BITWISE_ASSIGN, true, true),
        (SHIFTS_ASSIGN, true, true),
    ];
    let kinds = TokenKind::ALL.len();
    let number = |n: u32, applies: &dyn Fn(bool, bool) -> bool| {
        let kind = TokenKind::ALL[n as usize];
        let found = all.iter().position(|(family, int, other)| applies(*int, *other) && family.contains(&kind));
        found.map_or(0, |i| i as u32 + 1)
    };
    let member = |n: u32| {
        let family = (n / 8).checked_sub(1).and_then(|i| all.get(i as usize));
        family.and_then(|(family, ..)| family.get(n as usize % 8)).map_or(0, |kind| *kind as u32)
    };
    lookup("int_family", kinds, |n| number(n, &|int, _| int))
        + &lookup("other_family", kinds, |n| number(n, &|_, other| other))
        + &lookup("family_size", all.len() + 1, |n| match n {
            0 => 0,
            n => all[n as usize - 1].0.len() as u32,
        })
        + &lookup("family_member", 8 * (all.len() + 1), member)
}

/// What stands in front of every shader.
pub fn prelude() -> String {
    let mut text = String::from("// Generated by src/layout.rs from the tables of src/lang and src/stage.\n");
    let mut constant = |name: String, value: u32| text += &format!("const {name} = {value}u;\n");

    constant("NONE".into(), NONE);
    constant("WORKGROUP".into(), WORKGROUP);
    constant("TOKEN_SCRATCH".into(), TOKEN_SCRATCH);
    constant("IR_SCRATCH".into(), IR_SCRATCH);
    for kind in TokenKind::ALL {
        constant(format!("TOKEN_{}", screaming(kind.ident())), *kind as u32);
    }
    for role in Role::ALL {
        constant(format!("ROLE_{}", screaming(role.ident())), *role as u32);
    }
    for op in Op::ALL {
        constant(format!("OP_{}", screaming(op.ident())), *op as u32);
    }
    for trap in Trap::ALL {
        constant(format!("TRAP_{}", screaming(trap.ident())), *trap as u32);
    }
    for code in Code::ALL {
        constant(format!("CODE_{}", screaming(code.ident())), *code as u32);
    }
    for (name, value) in [
        ("TYPE_UNKNOWN", ty::KIND_UNKNOWN),
        ("TYPE_INT", ty::KIND_INT),
        ("TYPE_BOOL", ty::KIND_BOOL),
        ("TYPE_INT_LIST", ty::KIND_INT_LIST),
        ("TYPE_BOOL_LIST", ty::KIND_BOOL_LIST),
        ("SHAPE_WIDE", Shape::Wide as u32),
        ("SHAPE_SLOT_CAPACITY", Shape::SlotCapacity as u32),
        ("SHAPE_SLOT_TARGET", Shape::SlotTarget as u32),
        ("SHAPE_TARGET", Shape::Target as u32),
        ("NAME_LEN", token::NAME_LEN),
        ("NAME_ABS", token::NAME_ABS),
        ("NAME_MIN", token::NAME_MIN),
        ("NAME_MAX", token::NAME_MAX),
        ("FIRST_NAME", token::FIRST_NAME),
        ("PREFIX_STRENGTH", token::PREFIX_STRENGTH),
        ("POSTFIX_STRENGTH", token::POSTFIX_STRENGTH),
        ("COMPARISON_STRENGTH", token::COMPARISON_STRENGTH),
        ("ERROR_BEHIND", program::ERROR_BEHIND),
        ("STMT_INDEX", program::STMT_INDEX),
        ("STMT_MUTED", program::STMT_MUTED),
        ("STMT_LEXICAL", program::STMT_LEXICAL),
        ("STMT_SYNTAX", program::STMT_SYNTAX),
        ("LIMIT_SOURCE_BYTES", limits::SOURCE_BYTES as u32),
        ("LIMIT_TOKENS", limits::TOKENS as u32),
        ("LIMIT_NESTING", limits::NESTING as u32),
        ("LIMIT_LOCALS", limits::LOCALS as u32),
        ("LIMIT_PARAMS", limits::PARAMS as u32),
        ("LIMIT_FUNCTIONS", limits::FUNCTIONS as u32),
        ("LIMIT_TESTS", limits::TESTS as u32),
        ("LIMIT_CAPACITY", limits::CAPACITY),
        ("DEFAULT_CAPACITY", limits::DEFAULT_CAPACITY),
        ("LIMIT_CALL_DEPTH", limits::CALL_DEPTH),
        ("LIMIT_STACK_WORDS", limits::STACK_WORDS),
        ("LIMIT_STEPS", limits::STEPS),
        ("LIMIT_SAMPLES", limits::SAMPLES),
        ("ENTRY_WORDS", ENTRY_WORDS),
        ("BINDER_WORDS", BINDER_WORDS),
        ("NOISE_WORDS", NOISE_WORDS),
        ("EXPOSED_OPERANDS", fault::OPERANDS),
        ("EXPOSED_VARIABLE", fault::VARIABLE),
        ("EXPOSED_ELEMENTS", fault::ELEMENTS),
        ("EXPOSED_LOST", fault::LOST),
        ("EXPOSED_PERTURBED", fault::PERTURBED),
        ("EXPOSED_GROWTH", fault::GROWTH_SHIFT),
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
        ("VERDICT_PENDING", MutantStatus::Pending as u32),
        ("VERDICT_KILLED", MutantStatus::Killed as u32),
        ("VERDICT_TIMEOUT", MutantStatus::Timeout as u32),
        ("VERDICT_SURVIVED", MutantStatus::Survived as u32),
        ("VERDICT_EQUIVALENT", MutantStatus::Equivalent as u32),
        ("VERDICT_DUPLICATE", MutantStatus::Duplicate as u32),
        ("VERDICT_INVALID", MutantStatus::Invalid as u32),
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
    let kinds = TokenKind::ALL.len();
    let kind = |n: u32| TokenKind::from_u32(n).unwrap_or(TokenKind::Error);
    let role = |n: u32| Role::from_u32(n).unwrap_or(Role::None);
    let op = |n: u32| Op::from_u32(n).unwrap_or(Op::Nop);
    text += &spellings("keyword_kind", |text| text.as_bytes()[0].is_ascii_alphabetic());
    text += &spellings("punctuation_kind", |text| !text.as_bytes()[0].is_ascii_alphabetic());
    text += &builtins();
    text += &lookup("infix_strength", kinds, |n| kind(n).infix_strength());
    text += &lookup("compound_operator", kinds, |n| kind(n).compound_operator().map_or(0, |k| k as u32));
    text += &lookup("assigns", kinds, |n| kind(n).is_assignment() as u32);
    text += &lookup("begins_item", kinds, |n| kind(n).begins_item() as u32);
    text += &lookup("begins_statement", kinds, |n| kind(n).begins_statement() as u32);
    text += &lookup("is_expression", Role::ALL.len(), |n| role(n).is_expression() as u32);
    text += &lookup("declares", Role::ALL.len(), |n| role(n).declares() as u32);
    text += &lookup("infix_op", kinds, |n| Op::of_infix(kind(n)).map_or(0, |op| op as u32));
    text += &lookup("op_shape", Op::ALL.len(), |n| op(n).shape() as u32);
    text += &families();
    text += &lookup("op_words", Op::ALL.len(), |n| op(n).shape().words());
    text += &lookup("op_exposure", Op::ALL.len(), |n| op(n).exposure().word());
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
