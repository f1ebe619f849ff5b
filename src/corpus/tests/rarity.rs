//! The rarity of constructs, a table of the compiler, is that of the corpus.

use crate::compiler::stage::Compiler;
use crate::compiler::stage::route::constructs::{CONSTRUCTS, construct};
use crate::corpus::{Level, generate};
use crate::lang::role::Role;
use crate::lang::token::TokenKind;

/// Seed of the corpus stream from which the table was computed.
const SEED: u64 = 0x636f_6e73_7472_7563;
/// Number of programs of that stream, with all levels in turn.
const PROGRAMS: u64 = 4_000;

/// The level of program `index`.
pub fn level(index: u64) -> Level {
    [Level::Simple, Level::Medium, Level::Full][(index % 3) as usize]
}

/// The kind of a construct that is not an operator.
const ANY: TokenKind = TokenKind::Error;

/// Computes the rows of the table from the corpus, formatted as there.
fn made() -> Vec<String> {
    let mut counts = vec![0u64; CONSTRUCTS];
    let mut compiler = Compiler::default();
    for index in 0..PROGRAMS {
        compiler.compile(&generate(SEED, index, level(index)).source);
        if !compiler.compiles() {
            continue;
        }
        for &head in &compiler.back.executable.routines.token[..compiler.facts.functions as usize] {
            for token in head as usize..compiler.tree.hi[head as usize] as usize {
                let role = Role::from_u32(compiler.tree.role[token]).unwrap_or(Role::None);
                let kind = TokenKind::from_u32(compiler.tokens.kind[token]).unwrap_or(ANY);
                counts[construct(role, kind)] += u64::from(role != Role::None);
            }
        }
    }
    let total: u64 = counts.iter().sum();
    let surprise = |count: u64| (16.0 * (total as f64 / count as f64).log2()).round().min(254.0);
    let mut rows = Vec::new();
    for role in Role::ALL {
        let kinds = if construct(*role, TokenKind::Plus) == *role as usize { &[ANY] } else { TokenKind::ALL };
        for kind in kinds {
            let count = counts[construct(*role, *kind)];
            let of = if *kind == ANY { "ANY".into() } else { format!("TokenKind::{}", kind.ident()) };
            if count > 0 {
                rows.push(format!("    (Role::{}, {of}, {}),", role.ident(), surprise(count)));
            }
        }
    }
    rows
}

#[test]
fn rarity_table_matches_the_corpus() {
    let rows = made();
    let text = include_str!("../../compiler/stage/route/constructs.rs");
    let stands = text.split("const TABLE").nth(1).and_then(|rest| rest.split("];").next()).unwrap();
    let stands: Vec<&str> = stands.lines().skip(1).filter(|line| !line.is_empty()).collect();
    assert!(rows == stands, "the corpus has changed; the table is now\n{}", rows.join("\n"));
}
