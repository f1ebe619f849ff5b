//! The conventional loop compared with the engine.

use std::sync::Arc;
use std::time::Duration;

use myriad::engine::conventional::Conventional;
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, MutantResult};
use myriad::lang::index::{Index, Indices, MutantId};
use myriad::lang::verdict::MutantStatus;

#[test]
fn conventional_loop_verdicts_match_the_engine() {
    let text: Arc<str> = include_str!("../../../samples/gcd.myr").into();
    let mut engine = CpuEngine::with_threads(1);
    let base = engine.base(&text, &|| false).unwrap();
    let mut found = Vec::new();
    engine
        .mutants(Indices::first(40), &|| false, &mut |part: MutantResult| found.extend(part.verdicts))
        .unwrap();
    let mut conventional = Conventional::new(base.compiled, &base.entries);
    for (id, engine) in MutantId::all().zip(&found) {
        let iteration = conventional.iterate(id, &|| false).unwrap();
        match engine.status {
            // The loop runs mutants whose verdict the engine knows without running.
            MutantStatus::Equivalent => assert_eq!(iteration.verdict.status, MutantStatus::Survived),
            MutantStatus::Duplicate => {
                let original = found[engine.original.expect("an original").position()];
                assert_eq!(iteration.verdict.status, original.status, "mutant {id}");
            }
            _ => assert_eq!(iteration.verdict, *engine, "mutant {id}"),
        }
        assert!(iteration.terms.compile > Duration::ZERO);
    }
    assert!(found.len() > 20);
    assert_eq!(conventional.iterate(MutantId::new(u32::MAX), &|| false), None);
}
