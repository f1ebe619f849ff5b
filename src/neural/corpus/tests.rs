//! What is asked of the corpus: programs that compile, differ, and mostly run.

use std::collections::HashMap;

use super::*;
use crate::engine::cpu::Compiler;

/// Fifty programs of a thousand may be rejected at the most.
#[test]
fn nearly_all_programs_compile() {
    let mut compiler = Compiler::default();
    for level in [Level::Simple, Level::Medium, Level::Full] {
        let mut rejected = HashMap::<u32, Vec<String>>::new();
        for index in 0..1_000 {
            let Generated { source, .. } = generate(1, index, level);
            compiler.text(&source);
            if !compiler.compiles() {
                let code = compiler.checked.error.iter().copied().find(|e| *e != 0).unwrap_or(0);
                rejected.entry(code).or_default().push(source);
            }
        }
        let count: usize = rejected.values().map(Vec::len).sum();
        assert!(count <= 20, "{level:?}: {count} rejected, such as {:?}", rejected.values().next());
    }
}
