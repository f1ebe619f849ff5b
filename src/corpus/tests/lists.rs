//! The lengths of list literals that the network refuses are those that the corpus lacks.

use std::collections::BTreeMap;

use super::rarity::level;
use crate::compiler::stage::Compiler;
use crate::corpus::generate;
use crate::lang::index::{Index, RoutineId};
use crate::lang::role::Role;
use crate::network::source::list_literal;
use crate::network::vocabulary::{ELEMENTS, is_taught};

/// Number of programs, with all levels in turn.
const PROGRAMS: u64 = 30_000;

#[test]
fn taught_lengths_of_list_literals_are_those_of_the_corpus() {
    let mut counts: BTreeMap<(u32, bool), u64> = BTreeMap::new();
    let (mut compiler, mut has_string) = (Compiler::default(), false);
    for index in 0..PROGRAMS {
        let generated = generate(1, index, level(index));
        compiler.compile(&generated.source);
        if !compiler.compiles() {
            continue;
        }
        has_string |= generated.source.contains("\"abcdefghij\"");
        let program = compiler.program(&generated.source);
        let Some(function) = program.function(RoutineId::at(generated.function)) else { continue };
        let tokens = program.extent(function.head());
        for list in tokens.iter().filter(|t| program.is_node(*t) && program.role(*t) == Role::List) {
            let (elements, is_indexed) = list_literal(&program, list);
            *counts.entry((elements, is_indexed)).or_default() += 1;
        }
    }
    for (length, count) in &counts {
        assert!(is_taught(length.0, length.1), "the corpus has {count} literals of {length:?}");
    }
    let taught = (0..=ELEMENTS).filter(|n| is_taught(*n, true));
    let missing: Vec<u32> =
        taught.filter(|n| ![true, false].iter().any(|indexed| counts.contains_key(&(*n, *indexed)))).collect();
    // The corpus has a string of ten codes, which is built by the same word.
    assert!(missing == [10] && has_string, "{missing:?} {counts:?}");
}
