//! The shipped weights on both engines: the most likely candidate of a function is the same, word for word.

use crate::common::extent::skip_unless_thorough;
use std::sync::Arc;

use myriad::compiler::program::Compiled;
use myriad::engine::Engine;
use myriad::engine::cpu::CpuEngine;
use myriad::network::sampling::{Candidate, Sampling};
use myriad::network::source::Source;
use myriad::network::weights;

use super::{functions, turn};

/// Returns the first candidate of a round; candidate number 0 is greedy.
fn greedy(engine: &mut dyn Engine, source: &Source) -> Candidate {
    let sampling = Sampling { k: 1, first: 0, ..Default::default() };
    let sampled =
        engine.sampler().and_then(|sampler| sampler.sample(source, &sampling, &|| false, &mut |_| {}));
    sampled.expect("a round").candidates.remove(0)
}

/// Compares both engines on functions; returns the number of words.
fn compare(functions: &[(Compiled, Source)]) -> usize {
    let weights = Arc::new(weights::shipped().expect("weights that fit this build"));
    let mut cpu = CpuEngine::new();
    let mut gpu = crate::common::gpu::lend();
    for engine in [&mut cpu as &mut dyn Engine, &mut *gpu] {
        engine.sampler().and_then(|sampler| sampler.weights(&weights)).expect("weights");
    }
    let mut words = 0;
    for (compiled, source) in functions {
        let name = compiled.function_name(source.tables.callees[0].function);
        for engine in [&mut cpu as &mut dyn Engine, &mut *gpu] {
            engine.base(&compiled.text, &|| false).expect("a base");
        }
        let (expected, found) = (greedy(&mut cpu, source), greedy(&mut *gpu, source));
        assert_eq!(expected.words, found.words, "{name}");
        assert_eq!(expected.code, found.code, "{name}");
        assert_eq!(
            (expected.status, expected.differing, expected.passed, expected.steps),
            (found.status, found.differing, found.passed, found.steps),
            "{name}"
        );
        // Logits differ by rounding only, and ln p of a word by about as much.
        let tolerance = 1e-3 * expected.words.len() as f32;
        assert!((expected.log_p - found.log_p).abs() < tolerance, "{name}: {} {}", expected.log_p, found.log_p);
        words += expected.words.len();
    }
    words
}

#[test]
fn engines_agree_on_greedy_candidates_of_short_functions() {
    if skip_unless_thorough() {
        return;
    }
    let _turn = turn();
    let mut short = functions();
    short.sort_by_key(|(_, source)| source.words.len());
    // A software adapter takes about a tenth of a second per word.
    short.truncate(3);
    assert!(compare(&short) > 12);
}

/// Likewise for every function of the samples and for one that uses all of the language; takes minutes on a
/// software adapter: `cargo test --release --test it neural_gpu::greedy -- --ignored --nocapture`.
#[test]
#[ignore = "takes minutes on a software adapter"]
fn engines_agree_on_greedy_candidates_of_every_sample() {
    let _turn = turn();
    let all = functions();
    println!("{} functions, {} words", all.len(), compare(&all));
}
