//! The walk on the device against the assembler, on random walks: which words are allowed, and which programs
//! are valid.

use std::sync::Arc;

use myriad::engine::gpu::device::Gpu;
use myriad::engine::gpu::neural::{Inference, ModelMemory, NeuralBatch, NeuralModel, Packed};
use myriad::network::assembler::AssemblerState;
use myriad::network::layout::{LOGITS, PERMIT_WORDS, decode, walk, walk_phase};
use myriad::network::sampling::Sampling;
use myriad::network::source::Source;
use myriad::network::vocabulary::{Family, TARGET_MAX, TARGETS};
use myriad::network::weights::{Config, Weights};

use super::{device, functions, turn};
use crate::common::extent::exhaustive;
use crate::common::rng::Rng;

/// Number of candidates that walk at once, half of them for each of two functions.
const WALKS: u32 = 48;
const EACH: u32 = WALKS / 2;

/// Bias of a word, chosen so that walks are long and have many matching labels.
fn welcome(word: u16) -> f32 {
    match Family::of(word) {
        Some((Family::Plain, 29)) => -2.0,
        Some((Family::Jump, _)) => -1.5,
        Some((Family::Label | Family::For, _)) => 2.5,
        Some((Family::Range | Family::RangeInclusive | Family::Each, _)) => 2.0,
        Some((Family::Eos, _)) => 1.0,
        Some((Family::Build, n)) if n > 3 => -3.0,
        _ => 0.0,
    }
}

fn step(gpu: &Gpu, model: &NeuralModel, memory: &ModelMemory, rng: &mut Rng) -> Vec<Vec<u32>> {
    let rows = memory.capacity as usize;
    let logits: Vec<f32> = (0..rows * LOGITS)
        .map(|i| rng.below(4_000) as f32 / 500.0 + welcome((i % LOGITS) as u16) * 2.0)
        .collect();
    gpu.queue.write_buffer(&memory.logits, 0, bytemuck::cast_slice(&logits));
    let mut encoder = gpu.encoder();
    encoder.clear_buffer(&memory.permits, 0, None);
    let mut pass = encoder.begin_compute_pass(&Default::default());
    model.encode_permits(&mut pass, memory);
    drop(pass);
    let before = gpu
        .read(encoder, &[(&memory.permits, 0, (rows * PERMIT_WORDS) as u64), control(memory)])
        .expect("permits");
    let mut encoder = gpu.encoder();
    let mut pass = encoder.begin_compute_pass(&Default::default());
    model.encode_draw(&mut pass, memory);
    drop(pass);
    let after = gpu.read(encoder, &[(&memory.words, 0, (rows * TARGET_MAX) as u64)]).expect("words");
    [before, after].concat()
}

fn control(memory: &ModelMemory) -> (&wgpu::Buffer, u64, u64) {
    (&memory.control, 0, u64::from(decode::LIST + memory.capacity))
}

/// Walks for two functions; returns the numbers of words, labels and valid programs.
fn compare(
    gpu: &Gpu,
    model: &NeuralModel,
    memory: &ModelMemory,
    sources: [&Source; 2],
    seed: u64,
) -> (usize, usize, usize) {
    let mut rng = Rng::new(seed);
    let sampling = Sampling { k: WALKS, seed: seed as u32, ..Default::default() };
    let batch = NeuralBatch { first: 1, each: EACH, functions: 2, epoch: 1 };
    model.prepare(gpu, memory, &sources, &sampling, batch);
    let mut encoder = gpu.encoder();
    let mut pass = encoder.begin_compute_pass(&Default::default());
    model.encode_begin(&mut pass, memory, batch);
    drop(pass);
    gpu.finish(encoder).expect("begun");
    let of = |candidate: u32| &sources[(candidate / EACH) as usize].tables;
    let mut states: Vec<AssemblerState> =
        (0..WALKS).map(|candidate| AssemblerState::new(of(candidate))).collect();
    let mut broken = [false; WALKS as usize];
    let mut length = [0; WALKS as usize];
    let (mut words, mut labels) = (0, 0);
    for at in 0..TARGET_MAX {
        let read = step(gpu, model, memory, &mut rng);
        let [permits, control, written] = &read[..] else { panic!("{} parts", read.len()) };
        let live = control[decode::LIVE as usize] as usize;
        assert_eq!(control[decode::POSITION as usize] as usize, at);
        let alive: Vec<u32> =
            (0..WALKS).filter(|&c| !states[c as usize].ended && !broken[c as usize]).collect();
        assert_eq!(control[decode::LIST as usize..][..live], alive);
        for (row, &candidate) in alive.iter().enumerate() {
            let state = &mut states[candidate as usize];
            let mut any = false;
            for word in 0..TARGETS as u16 {
                let found = permits[row * PERMIT_WORDS + word as usize / 32] >> (word % 32) & 1 != 0;
                let expected = state.allowed(of(candidate), word);
                assert_eq!(
                    expected,
                    found,
                    "{} ({word}) behind {at} words: {state:?}",
                    Family::of(word).unwrap().0.text()
                );
                any |= expected;
            }
            if !any {
                broken[candidate as usize] = true;
                continue;
            }
            let word = written[candidate as usize * TARGET_MAX + at] as u16;
            assert!(state.step(of(candidate), word), "{word} is not allowed");
            length[candidate as usize] = at as u32 + 1;
            words += 1;
            labels += matches!(Family::of(word), Some((Family::Label, _))) as usize;
        }
        if alive.is_empty() {
            break;
        }
    }
    let read = gpu
        .read(gpu.encoder(), &[(&memory.states, 0, u64::from(WALKS * walk::WORDS)), control(memory)])
        .expect("states");
    assert_eq!(read[1][decode::LIVE as usize], 0, "candidates that never end");
    let mut valid = 0;
    for (state, (row, length)) in states.iter().zip(read[0].chunks_exact(walk::WORDS as usize).zip(length)) {
        let phase = if state.ended { walk_phase::VALID } else { walk_phase::BROKEN };
        assert_eq!((row[walk::PHASE as usize], row[walk::LENGTH as usize]), (phase, length));
        valid += state.ended as usize;
    }
    (words, labels, valid)
}

#[test]
fn allowed_words_and_validity_match_the_assembler() {
    let _turn = turn();
    let gpu = device();
    let kernels = Arc::new(Inference::new(&gpu).expect("kernels"));
    let packed = Packed::new(&Weights::random(Config::new(32, 1), 1));
    let model = NeuralModel::new(&gpu, kernels, packed).expect("a model");
    let memory = model.memory(&gpu, WALKS, 2).expect("memory");
    let mut sums = (0, 0, 0);
    let functions = functions();
    // The two with the largest tables, unless the run is exhaustive.
    let first = if exhaustive() { 0 } else { functions.len() - 2 };
    let functions = &functions[first..];
    let walked = functions.len() as u32 * WALKS;
    for seed in 0..functions.len() {
        let source = |n: usize| &functions[n % functions.len()].1;
        let (words, labels, valid) =
            compare(&gpu, &model, &memory, [source(seed), source(seed + 1)], seed as u64 + 1);
        sums = (sums.0 + words, sums.1 + labels, sums.2 + valid);
    }
    println!("{walked} walks, {} words, {} labels, {} valid", sums.0, sums.1, sums.2);
    assert!(sums.0 > 5_000 && sums.1 > 250 && sums.2 > 2, "{sums:?}");
}
