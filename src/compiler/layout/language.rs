//! Facts of the language as WGSL: constants, and functions on token kinds, roles and operations.

use super::{lookup, predicate, punctuation, screaming};
use crate::lang::diagnostic::Code;
use crate::lang::mutation::FAMILIES;
use crate::lang::opcode::{Class, Op, Shape};
use crate::lang::role::Role;
use crate::lang::token::{self, TokenKind};
use crate::lang::trap::Trap;
use crate::lang::verdict::{self, MutantStatus};
use crate::lang::{exposure, limits, ty};

/// Generates the constants and functions.
pub fn wgsl() -> String {
    [constants(), spelled(), of_kinds(), of_operations(), families(), punctuation::wgsl()].concat()
}

fn constants() -> String {
    let mut text = String::new();
    let mut constant = |name: String, value: u32| text += &format!("const {name} = {value}u;\n");
    let mut numbered = |prefix: &str, all: Vec<&str>| {
        for (value, name) in all.into_iter().enumerate() {
            constant(format!("{prefix}_{}", screaming(name)), value as u32);
        }
    };
    numbered("TOKEN", TokenKind::ALL.iter().map(|kind| kind.ident()).collect());
    numbered("ROLE", Role::ALL.iter().map(|role| role.ident()).collect());
    numbered("OP", Op::ALL.iter().map(|op| op.ident()).collect());
    numbered("TRAP", Trap::ALL.iter().map(|trap| trap.ident()).collect());
    numbered("CODE", Code::ALL.iter().map(|code| code.ident()).collect());
    numbered("STATUS", MutantStatus::ALL.iter().map(|status| status.ident()).collect());
    for (name, value) in [
        ("OUTCOME_PASS", verdict::OUTCOME_PASS),
        ("OUTCOME_FAIL", verdict::OUTCOME_FAIL),
        ("OUTCOME_TRAP", verdict::OUTCOME_TRAP),
        ("OUTCOME_DISCARDED", verdict::OUTCOME_DISCARDED),
        ("DISCARDED", verdict::DISCARDED),
        ("TYPE_UNKNOWN", ty::KIND_UNKNOWN),
        ("TYPE_INT", ty::KIND_INT),
        ("TYPE_BOOL", ty::KIND_BOOL),
        ("TYPE_INT_LIST", ty::KIND_INT_LIST),
        ("TYPE_BOOL_LIST", ty::KIND_BOOL_LIST),
        ("SHAPE_WIDE", Shape::Wide as u32),
        ("SHAPE_SLOT_CAPACITY", Shape::SlotCapacity as u32),
        ("SHAPE_SLOT_TARGET", Shape::SlotTarget as u32),
        ("SHAPE_TARGET", Shape::Target as u32),
        ("SHAPE_FUNCTION", Shape::Function as u32),
        ("NAME_LEN", token::NAME_LEN),
        ("NAME_ABS", token::NAME_ABS),
        ("NAME_MIN", token::NAME_MIN),
        ("NAME_MAX", token::NAME_MAX),
        ("FIRST_NAME", token::FIRST_NAME),
        ("PREFIX_STRENGTH", token::PREFIX_STRENGTH),
        ("POSTFIX_STRENGTH", token::POSTFIX_STRENGTH),
        ("COMPARISON_STRENGTH", token::COMPARISON_STRENGTH),
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
        ("LIMIT_INPUTS", limits::INPUTS),
        ("EXPOSED_OPERANDS", exposure::OPERANDS),
        ("EXPOSED_VARIABLE", exposure::VARIABLE),
        ("EXPOSED_ELEMENTS", exposure::ELEMENTS),
        ("EXPOSED_LOST", exposure::LOST),
        ("EXPOSED_PERTURBED", exposure::PERTURBED),
        ("EXPOSED_GROWTH", exposure::GROWTH_SHIFT),
    ] {
        constant(name.into(), value);
    }
    text
}

/// Packs a spelling of at most eight bytes into two words, the first byte lowest.
fn packed(text: &str) -> (u32, u32) {
    let all = text.bytes().rev().fold(0u64, |word, byte| word << 8 | byte as u64);
    (all as u32, (all >> 32) as u32)
}

/// Generates a function from a packed spelling to its number, or `NONE` if the spelling is not in `all`.
fn by_spelling(name: &str, all: impl Iterator<Item = (&'static str, u32)>) -> String {
    let mut text = format!("fn {name}(word: vec2<u32>) -> u32 {{\n    var r = NONE;\n");
    for (spelling, number) in all {
        let (low, high) = packed(spelling);
        text +=
            &format!("    r = select(r, {number}u, word.x == {low}u && word.y == {high}u); // {spelling}\n");
    }
    text + "    return r;\n}\n"
}

fn spelled() -> String {
    let of = |words: bool| {
        let fits = move |(text, _): &(&str, TokenKind)| text.as_bytes()[0].is_ascii_alphabetic() == words;
        token::spellings().filter(fits).map(|(text, kind)| (text, kind as u32))
    };
    let builtins = token::BUILTINS.iter().zip(0..).map(|(name, id)| (*name, id));
    by_spelling("keyword_kind", of(true))
        + &by_spelling("punctuation_kind", of(false))
        + &by_spelling("builtin_name", builtins)
}

fn of_kinds() -> String {
    let is = |name: &str, holds: fn(TokenKind) -> bool| predicate(name, TokenKind::ALL, holds);
    let role = |name: &str, holds: fn(Role) -> bool| predicate(name, Role::ALL, holds);
    let number = |name: &str, value: fn(TokenKind) -> u32| lookup(name, TokenKind::ALL, value);
    [
        is("assigns", TokenKind::is_assignment),
        is("begins_item", TokenKind::begins_item),
        is("begins_statement", TokenKind::begins_statement),
        is("is_prefix", TokenKind::is_prefix),
        is("is_logical", TokenKind::is_logical),
        is("is_equality", TokenKind::is_equality),
        is("is_comparison", TokenKind::is_comparison),
        role("is_expression", Role::is_expression),
        role("declares", Role::declares),
        number("infix_strength", TokenKind::infix_strength),
        number("compound_operator", |kind| kind.compound_operator().map_or(0, |kind| kind as u32)),
        number("infix_op", |kind| Op::from_infix(kind).map_or(0, |op| op as u32)),
        number("list_infix_op", |kind| Op::from_list_infix(kind).map_or(0, |op| op as u32)),
        number("prefix_op", |kind| Op::from_prefix(kind).map_or(0, |op| op as u32)),
    ]
    .concat()
}

fn of_operations() -> String {
    let is = |name: &str, holds: fn(Op) -> bool| predicate(name, Op::ALL, holds);
    let number = |name: &str, value: fn(Op) -> u32| lookup(name, Op::ALL, value);
    let names: Vec<u32> = (0..token::FIRST_NAME).collect();
    [
        is("is_load", |op| op.class() == Class::Load),
        is("is_unary", |op| op.class() == Class::Unary),
        is("is_binary", |op| op.class() == Class::Binary),
        is("computes_list", |op| op.class() == Class::List),
        is("is_store", |op| op.class() == Class::Store),
        is("is_jump", |op| matches!(op.class(), Class::Jump | Class::Branch { .. })),
        is("is_loop", |op| op.class() == Class::Loop),
        is("falls_through", |op| !matches!(op.class(), Class::Jump | Class::Return | Class::Stop)),
        is("commutes", Op::commutes),
        is("has_slot", |op| matches!(op.shape(), Shape::Slot | Shape::SlotCapacity | Shape::SlotTarget)),
        number("opposite", |op| op.opposite().map_or(0, |op| op as u32)),
        // For a conditional jump: 1, plus 2 if it jumps on true, plus 4 if it keeps the value when it jumps.
        number("condition", |op| {
            op.condition().map_or(0, |(on, keeps)| 1 | (on as u32) << 1 | (keeps as u32) << 2)
        }),
        number("op_shape", |op| op.shape() as u32),
        number("op_words", |op| op.shape().words()),
        number("op_exposure", |op| op.exposure().word()),
        number("op_takes", |op| op.effect().takes),
        number("op_taken_lists", |op| op.effect().taken_lists),
        number("op_leaves", |op| op.effect().leaves),
        number("op_left_lists", |op| op.effect().left_lists),
        lookup("builtin_op", &names, |name| Op::from_builtin(name).map_or(0, |op| op as u32)),
    ]
    .concat()
}

/// Generates functions on the families of tokens that mutation exchanges: a token's family number (from 1),
/// the family's size, and its members, indexed by `8 * number + rank`.
fn families() -> String {
    // For each family, then for its compound assignments if any: `Family::int` and the tokens.
    let of = |assignments| FAMILIES.iter().map(move |f| (f.int, f.tokens(assignments).collect::<Vec<_>>()));
    let all: Vec<_> = of(false).chain(of(true)).filter(|(_, tokens)| !tokens.is_empty()).collect();
    let number = |kind: TokenKind, int: bool| {
        let fits = |wanted: Option<bool>| wanted.is_none_or(|wanted| wanted == int);
        let found = all.iter().position(|(wanted, tokens)| fits(*wanted) && tokens.contains(&kind));
        found.map_or(0, |i| i as u32 + 1)
    };
    let numbers: Vec<usize> = (0..=all.len()).collect();
    let places: Vec<usize> = (0..8 * numbers.len()).collect();
    let tokens = |n: usize| n.checked_sub(1).map_or(&[][..], |i| &all[i].1);
    lookup("int_family", TokenKind::ALL, |kind| number(kind, true))
        + &lookup("other_family", TokenKind::ALL, |kind| number(kind, false))
        + &lookup("family_size", &numbers, |n| tokens(n).len() as u32)
        + &lookup("family_member", &places, |n| tokens(n / 8).get(n % 8).map_or(0, |kind| *kind as u32))
}
