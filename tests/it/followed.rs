//! What is followed from one text to the next is true of the next.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::common::cases::programs;
use crate::common::extent::{one_in, scaled};
use crate::common::rng::Rng;
use crate::common::{called, typed};
use crate::reuse::{broken_by, edited};
use myriad::compiler::program::Compiled;
use myriad::compiler::variants::Variants;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, EngineSettings};
use myriad::lang::index::{Indices, MutantId};
use myriad::session::Follow;
use myriad::testing::equivalence::{Equality, Prover};

/// A text's first-order mutants, and those that a new prover finds equal to the program.
pub fn proved(engine: &mut CpuEngine, text: &str) -> (Variants<Arc<Compiled>>, BTreeSet<MutantId>) {
    let base = engine.base(&text.into(), &|| false).expect("a base").compiled;
    let variants = Variants::new(base);
    let ids = Indices::first(variants.first_order());
    let found = Prover::default().examine(&variants, ids.iter(), &|| false).expect("not cancelled");
    (variants, equal_to_base(found))
}

pub fn equal_to_base(found: impl IntoIterator<Item = (MutantId, Equality)>) -> BTreeSet<MutantId> {
    let equal = found.into_iter().filter(|(_, equality)| matches!(equality, Equality::Base(_)));
    equal.map(|(id, _)| id).collect()
}

/// A proof about a function that an edit cannot affect is found again by a new prover, also in a text with errors.
#[test]
fn new_prover_finds_every_proof_that_an_edit_leaves() {
    let mut engine = CpuEngine::with_threads(2);
    engine.configure(EngineSettings { holes: true, ..engine.settings() });
    let samples = one_in(4, programs(&["samples"])).into_iter().map(|(_, text)| text);
    let random = (0..scaled(8)).flat_map(|seed| [typed::program(seed), called::program(seed)]);
    let (mut left, mut dropped) = (0, 0);
    for (seed, mut text) in samples.chain(random).enumerate() {
        let mut rng = Rng::new(seed as u64);
        let (mut before, mut equal) = proved(&mut engine, &text);
        let mut last = text.clone();
        for turn in 0..4 {
            let next = if turn % 2 == 1 { broken_by(&text, &mut rng) } else { edited(&text, &last, &mut rng) };
            let (after, again) = proved(&mut engine, &next);
            let follow = Follow::new(&before, &after);
            let untouched = follow.untouched();
            for id in &equal {
                let Some(id) = follow.mutant(*id) else { continue };
                if follow.function(id).is_some_and(|own| untouched.contains(own)) {
                    let change = after.describe(id).expect("a mutant");
                    let found = again.contains(&id);
                    assert!(
                        found,
                        "{id}: {} → {}\nin\n{text}\nthen\n{next}",
                        change.original, change.replacement
                    );
                    left += 1;
                } else {
                    dropped += 1;
                }
            }
            if turn % 2 == 0 {
                last = std::mem::replace(&mut text, next);
                (before, equal) = (after, again);
            }
        }
    }
    println!("{left} proofs left, {dropped} dropped");
    assert!(left > dropped && dropped > 0, "{left} proofs left, {dropped} dropped");
}
