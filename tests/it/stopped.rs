//! Work that was stopped leaves nothing that is wrong: a text that is typed faster than it is judged.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering::Relaxed};

use crate::common::extent::scaled;
use crate::common::gpu::lend;
use crate::common::rng::Rng;
use crate::common::{called, typed};
use crate::followed::{equal_to_base, proved};
use crate::reuse::{base, edited, mutants, sample};
use myriad::engine::cpu::CpuEngine;
use myriad::engine::{Engine, EngineSettings, Kind};
use myriad::lang::index::{Indices, MutantId};
use myriad::testing::equivalence::Prover;

fn of_threads(threads: usize, reusing: bool) -> CpuEngine {
    let mut engine = CpuEngine::with_threads(threads);
    engine.configure(EngineSettings { reusing, ..engine.settings() });
    engine
}

#[test]
fn verdicts_after_stopped_work_match_fresh_runs() {
    let mut device = lend();
    device.configure(EngineSettings { reusing: true, ..EngineSettings::default() });
    stop(&mut of_threads(2, true), 0..scaled(60));
    stop(&mut *device, 0..scaled(4));
}

/// Stops the judging of each text of some scripts at a random time, but for the last.
fn stop(engine: &mut dyn Engine, seeds: std::ops::Range<u64>) {
    let (mut stopped, mut compared) = (0, 0);
    for seed in seeds {
        let mut rng = Rng::new(seed);
        let mut text = match seed % 3 {
            0 => sample("gcd"),
            1 => sample("bits"),
            _ => typed::program(seed),
        };
        let first = text.clone();
        for turn in 0..8 {
            let source: Arc<str> = text.as_str().into();
            base(engine, &source);
            let asked = AtomicU32::new(rng.below(12) as u32);
            let cancelled = || asked.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err();
            let all = Indices::first(engine.variants().first_order);
            stopped += u32::from(engine.mutants(all, &cancelled, &mut |_| ()).is_err());
            text = if turn % 2 == 1 { first.clone() } else { edited(&text, &first, &mut rng) };
        }
        let source: Arc<str> = first.as_str().into();
        let mut fresh = of_threads(1, false);
        let difference = base(engine, &source).difference_from(&base(&mut fresh, &source));
        assert_eq!(difference, None, "script {seed}, this text:\n{first}");
        let count = engine.variants().first_order.min(if engine.kind() == Kind::Cpu { u32::MAX } else { 60 });
        let (found, expected) = (mutants(engine, count).0, mutants(&mut fresh, count).0);
        let differs = found.iter().zip(&expected).position(|(a, b)| a != b);
        assert_eq!(differs.map(|id| (id, found[id], expected[id])), None, "script {seed}, this text:\n{first}");
        compared += found.len();
    }
    assert!(stopped > 0 && compared > 0, "{stopped} stopped, {compared} verdicts compared");
}

/// A prover that was stopped at any point finds what a new one finds.
#[test]
fn stopped_prover_finds_what_a_new_one_finds() {
    let mut engine = CpuEngine::with_threads(2);
    engine.configure(EngineSettings { holes: true, ..engine.settings() });
    let (mut prover, mut stopped, mut found) = (Prover::default(), 0, 0);
    for seed in 0..scaled(16) {
        let mut rng = Rng::new(seed);
        let first = if seed % 2 == 0 { called::program(seed) } else { typed::program(seed) };
        let mut text = first.clone();
        for turn in 0..6 {
            let (variants, expected) = proved(&mut engine, &text);
            let asked = AtomicU32::new(rng.below(40) as u32);
            let cancelled = || asked.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).is_err();
            let ids = || Indices::first(variants.first_order()).iter();
            stopped += u32::from(prover.examine(&variants, ids(), &cancelled).is_none());
            if turn % 3 == 2 {
                let own = prover.examine(&variants, ids(), &|| false).expect("not cancelled");
                let own: BTreeSet<MutantId> = equal_to_base(own);
                assert_eq!(own, expected, "seed {seed}, turn {turn}:\n{text}");
                found += own.len();
            }
            text = if turn % 2 == 1 { first.clone() } else { edited(&text, &first, &mut rng) };
        }
    }
    assert!(stopped > 0 && found > 0, "{stopped} stopped, {found} found");
}
