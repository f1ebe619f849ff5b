//! Tests of inference: compares it with a plain implementation, and checks on which inputs a candidate
//! depends.

mod plain;

use super::*;
use crate::compiler::stage::compile;
use crate::lang::index::{Index, RoutineId};
use crate::network::refuted::NOTHING_REFUTED;
use crate::network::sampling::Sampling;
use crate::network::source::{self, Source};
use crate::network::vocabulary::EOS;
use crate::network::weights::{Config, Weights};

const TEXT: &str = "
const LIMIT = 40;
fn helper(xs: [int], n: int) -> [int] { return xs + [n]; }
fn count(xs: [int; 8], limit: int, strict: bool) -> int {
    let n = 0;
    for x in xs {
        if strict && x < limit { n += 1; } else if x <= limit { n += 2; }
    }
    for i in 0..limit % 7 { n = n * 3 + helper(xs, i)[0]; }
    while n > LIMIT { n -= 17; }
    return n + count([1, 2], n, !strict);
}
";

fn source() -> Source {
    source::read(&compile(TEXT).program(), RoutineId::new(1)).unwrap()
}

/// A candidate's number, words, and the bits of the logarithm of its probability.
type Drawn = (u32, Vec<u16>, u32);

/// Returns candidates from a model with random weights, by number, and the number of rows computed.
fn candidates(model: &InferModel, source: &Source, sampling: &Sampling, shared: bool) -> (Vec<Drawn>, u64) {
    let (mut memory, mut decoder) = (EncoderMemory::default(), Decoder::default());
    encode_prompt(model, source, &mut EncoderScratch::default(), &mut memory);
    let numbers = sampling.first..sampling.first + sampling.k;
    let prompts = [Prompt { memory: &memory, tables: &source.tables, refuted: &NOTHING_REFUTED }];
    match shared {
        true => decoder.begin(model, &prompts, numbers),
        false => decoder.begin_unshared(model, &prompts, numbers),
    }
    let mut all = Vec::new();
    while !decoder.is_done() {
        decoder.compute(model, &prompts, sampling);
        decoder.settle(&prompts, &mut |ended| {
            assert_eq!(ended.whole, ended.words.last() == Some(&EOS));
            all.extend(ended.numbers.iter().map(|&n| (n, ended.words.to_vec(), ended.log_p.to_bits())));
        });
    }
    assert_eq!(decoder.nodes(), 0, "the cache is empty after all candidates have ended");
    all.sort();
    (all, decoder.rows_computed())
}

/// Returns weights whose distributions are peaked enough for candidates to share prefixes.
fn model(seed: u32) -> InferModel {
    let mut weights = Weights::random(Config::new(64, 2), seed);
    let embed = crate::network::weights::tensors(&weights.config)[0].len();
    weights.data[..embed].iter_mut().for_each(|x| *x *= 3.0);
    InferModel::new(&weights)
}

#[test]
fn encoder_matches_the_plain_implementation() {
    let source = source();
    let weights = Weights::random(Config::new(96, 2), 5);
    let expected = plain::Plain::new(&weights).encode(&source);
    let mut scratch = EncoderScratch::default();
    let found = encode(&InferModel::new(&weights), &source, &mut scratch);
    assert_eq!(found.len(), expected.len());
    for (found, expected) in found.iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-4, "{found} {expected}");
    }
}

#[test]
fn logits_match_the_plain_implementation() {
    let source = source();
    for (config, seed) in [(Config::new(32, 1), 1), (Config::new(64, 2), 2), (Config::new(96, 3), 3)] {
        let weights = Weights::random(config, seed);
        let (model, plain) = (InferModel::new(&weights), plain::Plain::new(&weights));
        let encoded = plain.encode(&source);
        let (mut memory, mut decoder) = (EncoderMemory::default(), Decoder::default());
        encode_prompt(&model, &source, &mut EncoderScratch::default(), &mut memory);
        let prompts = [Prompt { memory: &memory, tables: &source.tables, refuted: &NOTHING_REFUTED }];
        decoder.begin(&model, &prompts, 0..40);
        let mut compared = 0;
        for position in 0..24 {
            decoder.compute(&model, &prompts, &Sampling::default());
            for (words, logits) in decoder.computed().step_by(1 + position) {
                for (found, expected) in logits.iter().zip(plain.logits(&encoded, &words)) {
                    assert!((found - expected).abs() < 1e-4, "{found} {expected} after {words:?}");
                }
                compared += 1;
            }
            decoder.settle(&prompts, &mut |_| {});
        }
        assert!(compared > 24, "{compared}");
    }
}

#[test]
fn sharing_prefixes_saves_work_and_keeps_the_candidates() {
    let (source, model) = (source(), model(11));
    let sampling = Sampling { k: 60, temperature: 0.8, top_p: 0.95, ..Sampling::default() };
    let (shared, few) = candidates(&model, &source, &sampling, true);
    let (apart, many) = candidates(&model, &source, &sampling, false);
    assert!(shared == apart);
    assert!(few < many, "{few} {many}");
}

#[test]
fn seed_and_number_determine_a_candidate() {
    let (source, model) = (source(), model(12));
    let sampling = |first, k, seed| Sampling { k, first, seed, ..Sampling::default() };
    let (all, _) = candidates(&model, &source, &sampling(0, 64, 7), true);
    for (first, k) in [(0, 1), (0, 16), (3, 1), (40, 24)] {
        let (some, _) = candidates(&model, &source, &sampling(first, k, 7), true);
        assert!(some == all[first as usize..][..k as usize], "{first} {k}");
    }
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    assert!(pool.install(|| candidates(&model, &source, &sampling(0, 64, 7), true)).0 == all);
    let (others, _) = candidates(&model, &source, &sampling(0, 64, 8), true);
    assert!(others[0] == all[0], "the greedy one has no seed");
    assert!(others[1..] != all[1..]);
}

#[test]
fn greedy_candidate_matches_the_plain_implementation() {
    let source = source();
    let weights = Weights::random(Config::new(32, 1), 21);
    let (all, _) =
        candidates(&InferModel::new(&weights), &source, &Sampling { k: 1, ..Sampling::default() }, true);
    let (words, log_p) = plain::Plain::new(&weights).greedy(&source);
    assert_eq!(all[0].1, words);
    assert!((f32::from_bits(all[0].2) - log_p).abs() < 1e-3 * log_p.abs());
}

/// Returns all candidates of functions that are written as one batch, by function and number.
fn together(model: &InferModel, sources: &[Source], sampling: &Sampling) -> (Vec<Vec<Drawn>>, u64) {
    let mut memories = vec![EncoderMemory::default(); sources.len()];
    for (source, memory) in sources.iter().zip(&mut memories) {
        encode_prompt(model, source, &mut EncoderScratch::default(), memory);
    }
    let prompts: Vec<Prompt> = sources
        .iter()
        .zip(&memories)
        .map(|(source, memory)| Prompt { memory, tables: &source.tables, refuted: &NOTHING_REFUTED })
        .collect();
    let mut decoder = Decoder::default();
    decoder.begin(model, &prompts, 0..sampling.k);
    let mut all = vec![Vec::new(); sources.len()];
    while !decoder.is_done() {
        decoder.compute(model, &prompts, sampling);
        decoder.settle(&prompts, &mut |ended| {
            let drawn = |&n: &u32| (n, ended.words.to_vec(), ended.log_p.to_bits());
            all[ended.prompt as usize].extend(ended.numbers.iter().map(drawn));
        });
    }
    assert_eq!(decoder.nodes(), 0, "the cache is empty after all candidates have ended");
    all.iter_mut().for_each(|drawn| drawn.sort());
    (all, decoder.rows_computed())
}

#[test]
fn batched_functions_yield_the_same_candidates_as_single_ones() {
    let model = model(13);
    let compiled = compile(TEXT);
    let read = |function| source::read(&compiled.program(), RoutineId::new(function)).unwrap();
    let sources = [read(1), read(0), read(1), read(0), read(0), read(1)];
    let sampling = Sampling { k: 9, seed: 3, temperature: 0.9, ..Sampling::default() };
    let (all, rows_computed) = together(&model, &sources, &sampling);
    let mut alone = 0;
    for (drawn, source) in all.iter().zip(&sources) {
        let (expected, rows) = candidates(&model, source, &sampling, true);
        assert!(*drawn == expected);
        alone += rows;
    }
    assert_eq!(rows_computed, alone);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    assert!(pool.install(|| together(&model, &sources, &sampling)).0 == all);
    assert_eq!(together(&model, &[], &sampling).1, 0);
}
