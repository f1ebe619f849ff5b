//! The whole network, step by step, against the model's definition.

use std::sync::Arc;

use myriad::engine::gpu::neural::{Inference, NeuralBatch, NeuralModel, Packed};
use myriad::network::layout::{LOGITS, decode, walk};
use myriad::network::sampling::Sampling;
use myriad::network::source::Source;
use myriad::network::vocabulary::{TARGET_MAX, TARGETS};
use myriad::network::weights::{Config, Weights};

use super::reference::Reference;
use super::{device, draws, functions, turn};

/// Maximum difference of logits, relative to the greatest.
const TOLERANCE: f64 = 1e-4;

#[test]
fn device_logits_and_drawn_words_match_the_definition() {
    let _turn = turn();
    let gpu = device();
    let functions = functions();
    let kernels = Arc::new(Inference::new(&gpu).expect("kernels"));
    let (mut words, mut differing, mut worst) = (0, 0, 0.0f64);
    for (config, functions, k, steps) in [
        (Config::new(32, 1), &functions[..6], 5, 24),
        (Config::new(96, 2), &functions[functions.len() - 3..], 3, 16),
    ] {
        let weights = Weights::random(config, 7);
        let model = NeuralModel::new(&gpu, kernels.clone(), Packed::new(&weights)).expect("a model");
        // Two functions at a time, and a single one.
        let memory = model.memory(&gpu, 2 * k + 1, 2).expect("memory");
        for (n, functions) in functions.chunks(2).enumerate() {
            let sources: Vec<&Source> = functions.iter().map(|(_, source)| source).collect();
            let references: Vec<Reference> =
                sources.iter().map(|source| Reference::new(&weights, source)).collect();
            let sampling =
                Sampling { k, seed: 3 + n as u32, temperature: 0.8, top_p: 0.9, ..Default::default() };
            let batch = NeuralBatch { first: 0, each: k, functions: sources.len() as u32, epoch: 1 };
            let all = batch.candidates();
            model.prepare(&gpu, &memory, &sources, &sampling, batch);
            let mut written = vec![Vec::new(); all as usize];
            let mut log_p = vec![0.0; all as usize];
            for step in 0..steps {
                let mut encoder = gpu.encoder();
                let mut pass = encoder.begin_compute_pass(&Default::default());
                if step == 0 {
                    model.encode_begin(&mut pass, &memory, batch);
                }
                drop(pass);
                let read = gpu
                    .read(encoder, &[(&memory.control, 0, u64::from(decode::LIST + all))])
                    .expect("the live candidates");
                let live = read[0][decode::LIVE as usize] as usize;
                let list = read[0][decode::LIST as usize..][..live].to_vec();
                let mut encoder = gpu.encoder();
                let mut pass = encoder.begin_compute_pass(&Default::default());
                model.encode_step(&mut pass, &memory);
                drop(pass);
                let read = gpu
                    .read(
                        encoder,
                        &[
                            (&memory.logits, 0, (live * LOGITS) as u64),
                            (&memory.words, 0, u64::from(all) * TARGET_MAX as u64),
                        ],
                    )
                    .expect("a step");
                for (row, &candidate) in list.iter().enumerate() {
                    let before: &mut Vec<u16> = &mut written[candidate as usize];
                    let (function, number) = ((candidate / k) as usize, candidate % k);
                    let tables = &sources[function].tables;
                    let expected = references[function].logits(before).pop().expect("logits");
                    let scale = expected.iter().fold(0.0f64, |a, b| a.max(b.abs()));
                    for word in 0..TARGETS {
                        let found = f64::from(f32::from_bits(read[0][row * LOGITS + word]));
                        worst = worst.max((found - expected[word]).abs() / scale);
                        assert!(
                            (found - expected[word]).abs() <= TOLERANCE * scale,
                            "{found} and {}",
                            expected[word]
                        );
                    }
                    let word = read[1][candidate as usize * TARGET_MAX + step] as u16;
                    let drawn = draws::draw(&expected, tables, before, &sampling, number);
                    log_p[candidate as usize] += draws::log_p(&expected, tables, before, word);
                    words += 1;
                    differing += (drawn != word) as usize;
                    assert!(number > 0 || drawn == word, "the greedy word is {drawn}, not {word}");
                    before.push(word);
                }
            }
            let words = u64::from(all * walk::WORDS);
            let read = gpu.read(gpu.encoder(), &[(&memory.states, 0, words)]).expect("states");
            for (state, expected) in read[0].chunks_exact(walk::WORDS as usize).zip(&log_p) {
                let found = f64::from(f32::from_bits(state[walk::LOG_P as usize]));
                assert!((found - expected).abs() < 1e-4 * (1.0 + expected.abs()), "{found} and {expected}");
            }
        }
    }
    println!(
        "{words} words, {differing} drawn otherwise; logits differ by at most {worst:.1e} of the greatest"
    );
    assert!(words > 300 && differing * 100 <= words, "{differing} of {words}");
}
