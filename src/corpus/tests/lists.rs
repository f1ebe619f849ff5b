//! The lengths of list literals that the network refuses are those that the corpus has not.

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
    let mut compiler = Compiler::default();
    for index in 0..PROGRAMS {
        let generated = generate(1, index, level(index));
        compiler.compile(&generated.source);
        if !compiler.compiles() {
            continue;
        }
        let program = compiler.program(&generated.source);
        let Some(function) = program.function(RoutineId::at(generated.function)) else { continue };
        let tokens = program.extent(function.head());
        for list in tokens.iter().filter(|t| program.is_node(*t) && program.role(*t) == Role::List) {
            let (elements, is_indexed) = list_literal(&program, list);
            *counts.entry((elements, is_indexed)).or_default() += 1;
        }
    }
    let taught = |indexed: bool| {
        (0..=ELEMENTS).map(move |n| (n, indexed)).filter(|(n, indexed)| is_taught(*n, *indexed))
    };
    println!("{counts:?}");
    for (length, count) in &counts {
        assert!(is_taught(length.0, length.1), "the corpus has {count} literals of {length:?}");
    }
    for length in taught(true).chain(taught(false)) {
        assert!(
            counts.contains_key(&(length.0, true)) || counts.contains_key(&(length.0, false)),
            "{length:?}: {counts:?}"
        );
    }
}
