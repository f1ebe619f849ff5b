//! The records that engine and shaders share, and the WGSL prelude generated from them.
//!
//! Every number that a shader needs (token kinds, roles, opcodes, traps, diagnostics, limits, column indices) is
//! stated once in `lang` and `stage`; [`prelude`] turns it into WGSL constants and small lookup functions that are put
//! in front of every shader. So the two sides cannot drift. `docs/shaders.md` tells how shaders use it.

pub mod neural;
pub mod numbers;
mod records;

use crate::lang::diagnostic::Code;
use crate::lang::opcode::{Op, Shape};
use crate::lang::role::Role;
use crate::lang::token::{self, TokenKind};
use crate::lang::trap::Trap;
use crate::lang::verdict::MutantStatus;
use crate::lang::{NONE, fault, limits, ty};
use crate::program::{self, Binders, Bytecode, Checked, Ir, Routines, Tokens, Tree};
use crate::stage::route::constructs::construct;
use crate::stage::route::features::{self, FEATURES, Feature};

pub use records::*;

/// Threads of a workgroup; a workgroup works on one program.
pub const WORKGROUP: u32 = 64;
/// Scratch words per token of room.
pub const TOKEN_SCRATCH: u32 = 24;
/// Scratch words per instruction of room.
pub const IR_SCRATCH: u32 = 16;

/// Threads that have all of a run's memory, for runs that overflow the small one.
pub const LARGE_THREADS: u32 = 512;

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
        ("EXPOSED_OPERANDS", fault::OPERANDS),
        ("EXPOSED_VARIABLE", fault::VARIABLE),
        ("EXPOSED_ELEMENTS", fault::ELEMENTS),
        ("EXPOSED_LOST", fault::LOST),
        ("EXPOSED_PERTURBED", fault::PERTURBED),
        ("EXPOSED_GROWTH", fault::GROWTH_SHIFT),
        ("LARGE_THREADS", LARGE_THREADS),
        ("FEATURES", FEATURES as u32),
        ("FEATURE_MOST", features::MOST),
        ("CONSTRUCT_BINARY", construct(Role::Binary, TokenKind::Error) as u32),
        ("CONSTRUCT_UNARY", construct(Role::Unary, TokenKind::Error) as u32),
        ("CONSTRUCT_ASSIGN", construct(Role::Assign, TokenKind::Error) as u32),
        ("STATUS_PENDING", MutantStatus::Pending as u32),
        ("STATUS_KILLED", MutantStatus::Killed as u32),
        ("STATUS_TIMEOUT", MutantStatus::Timeout as u32),
        ("STATUS_SURVIVED", MutantStatus::Survived as u32),
        ("STATUS_EQUIVALENT", MutantStatus::Equivalent as u32),
        ("STATUS_DUPLICATE", MutantStatus::Duplicate as u32),
        ("STATUS_INVALID", MutantStatus::Invalid as u32),
    ] {
        constant(name.into(), value);
    }
    for (name, value) in numbers::NUMBERS {
        constant((*name).into(), *value);
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
