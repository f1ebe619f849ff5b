//! Each kernel of the network against a plain loop.

use myriad::engine::gpu::{shaders, trial};
use myriad::lang::NONE;
use myriad::network::layout::{AttendParams, BatchParams, ProjectParams, decode, sees, sheet};
use myriad::network::vocabulary::{BOS, SOURCE_MAX, TARGET_MAX};

use super::{device, reference, turn};
use crate::common::rng::Rng;

fn numbers(rng: &mut Rng, count: usize) -> Vec<f32> {
    (0..count).map(|_| rng.below(2_001) as f32 / 1_000.0 - 1.0).collect()
}
fn bits(numbers: &[f32]) -> Vec<u32> {
    numbers.iter().map(|x| x.to_bits()).collect()
}
fn floats(words: &[u32]) -> Vec<f32> {
    words.iter().map(|&x| f32::from_bits(x)).collect()
}
fn record<T: bytemuck::Pod>(record: T) -> Vec<u32> {
    bytemuck::cast_slice(&[record]).to_vec()
}
/// Number of candidates of each function.
const EACH: u32 = 2;

/// Returns the control words of a step for these candidates at this position, where the encoder reads the
/// second function.
fn control(position: u32, source: u32, list: &[u32]) -> Vec<u32> {
    let mut words = vec![0; decode::LIST as usize];
    words[decode::LIVE as usize] = list.len() as u32;
    words[decode::POSITION as usize] = position;
    words[decode::SOURCE as usize] = source;
    words[decode::FUNCTION as usize] = 1;
    words[decode::EACH as usize] = EACH;
    words[decode::LENGTHS as usize] = source;
    words[decode::LENGTHS as usize + 1] = SOURCE_MAX as u32 + 1 - source;
    words.extend(list);
    words
}
fn close(expected: &[f64], found: &[f32], what: &str) {
    assert_eq!(expected.len(), found.len(), "{what}");
    for (i, (a, b)) in expected.iter().zip(found).enumerate() {
        assert!((a - f64::from(*b)).abs() < 2e-5 * (1.0 + a.abs()), "{what}: {a} and {b} at {i}");
    }
}

#[test]
fn fused_matrix_product_equals_reference() {
    let _turn = turn();
    let (gpu, mut rng) = (device(), Rng::new(1));
    for (rows, inputs, outputs, gain, relu, sum) in [
        (1, 32, 32, false, false, false),
        (33, 64, 96, true, false, false),
        (70, 96, 384, true, true, false),
        (31, 256, 64, false, false, true),
        (64, 64, 416, true, false, true),
    ] {
        // The kernel writes the second of two functions; the rows of the first are unchanged.
        let (x, before) = (numbers(&mut rng, rows * inputs), numbers(&mut rng, 2 * rows * outputs));
        // Unrelated numbers precede the gain and the matrix.
        let weights = numbers(&mut rng, 8 + inputs + inputs * outputs);
        let params = ProjectParams {
            inputs: inputs as u32,
            outputs: outputs as u32,
            matrix: (8 + inputs) as u32,
            gain: if gain { 8 } else { NONE },
            relu: relu as u32,
            add: sum as u32,
            room: rows as u32,
            ..Default::default()
        };
        let list: Vec<u32> = (0..rows as u32).collect();
        let buffers = [record(params), control(0, 0, &list), bits(&weights), bits(&x), bits(&before)];
        let groups = [rows.div_ceil(32) as u32, outputs as u32 / 32];
        let left = trial::run(&gpu, &shaders::PROJECT, "project", &buffers, groups).expect("a product");
        let mut expected = Vec::new();
        for r in 0..rows {
            let row = &x[r * inputs..][..inputs];
            let squares: f64 = row.iter().map(|&x| f64::from(x).powi(2)).sum();
            let scale = if gain { 1.0 / (squares / inputs as f64 + 1e-5).sqrt() } else { 1.0 };
            for c in 0..outputs {
                let term = |k: usize| {
                    let g = if gain { f64::from(weights[8 + k]) * scale } else { 1.0 };
                    f64::from(row[k]) * g * f64::from(weights[8 + inputs + k * outputs + c])
                };
                let mut y: f64 = (0..inputs).map(term).sum();
                if relu {
                    y = y.max(0.0);
                }
                expected.push(y + if sum { f64::from(before[(rows + r) * outputs + c]) } else { 0.0 });
            }
        }
        let (first, second) = left[4].split_at(rows * outputs);
        assert!(*first == bits(&before)[..rows * outputs]);
        close(&expected, &floats(second), &format!("{rows} × {inputs} × {outputs}"));
    }
}

fn rows(numbers: &[f32], stride: usize, first: usize, width: usize) -> Vec<Vec<f64>> {
    let row = |row: &[f32]| row[first..first + width].iter().map(|&x| f64::from(x)).collect();
    numbers.chunks_exact(stride).map(row).collect()
}

#[test]
fn rotated_queries_and_cached_keys_equal_reference() {
    let _turn = turn();
    let (gpu, mut rng) = (device(), Rng::new(2));
    let width = 64;
    let (mut table, half) = (vec![0.0f32; SOURCE_MAX * 32], 16);
    for p in 0..SOURCE_MAX {
        for j in 0..half {
            let angle = p as f64 * 10_000f64.powf(-(j as f64) / 16.0);
            table[p * 32 + j] = angle.cos() as f32;
            table[p * 32 + half + j] = angle.sin() as f32;
        }
    }
    // In the decoder, rows are candidates 2, 5 and 6 at position 11; in the encoder, the first three positions.
    for (room, list, position) in [(TARGET_MAX, [2, 5, 6], 11), (0, [0, 1, 2], 0)] {
        let qkv = numbers(&mut rng, 3 * 3 * width);
        let params = AttendParams {
            width: width as u32,
            query_stride: 3 * width as u32,
            stride: width as u32,
            key_range: if room > 0 { sees::BEFORE } else { sees::WITHIN },
            room: room as u32,
            ..Default::default()
        };
        let cache = vec![0; 7 * TARGET_MAX.max(1) * width];
        let buffers =
            [record(params), control(position, 3, &list), bits(&table), bits(&qkv), cache.clone(), cache];
        let left = trial::run(&gpu, &shaders::TURN, "turn", &buffers, [3, 1]).expect("turned");
        let (found, keys, values) = (floats(&left[3]), floats(&left[4]), floats(&left[5]));
        for r in 0..3 {
            let at = if room > 0 { position as usize } else { r };
            let kept = if room > 0 { list[r] as usize * room + at } else { r };
            let mut q = rows(&qkv, 3 * width, 0, width)[r].clone();
            let mut k = rows(&qkv, 3 * width, width, width)[r].clone();
            reference::rotate(&mut q, at);
            reference::rotate(&mut k, at);
            close(&q, &found[r * 3 * width..][..width], "queries");
            close(&k, &keys[kept * width..][..width], "keys");
            close(&rows(&qkv, 3 * width, 2 * width, width)[r], &values[kept * width..][..width], "values");
        }
    }
}

#[test]
fn masked_attention_equals_reference() {
    let _turn = turn();
    let (gpu, mut rng) = (device(), Rng::new(3));
    let width = 64;
    // The decoder's self-attention: three candidates, each with its own keys, up to the position.
    for position in [0u32, 1, 70, 191] {
        let (room, list) = (TARGET_MAX, [1u32, 2, 4]);
        let queries = numbers(&mut rng, 3 * 3 * width);
        let (keys, values) = (numbers(&mut rng, 5 * room * width), numbers(&mut rng, 5 * room * width));
        let params = AttendParams {
            width: width as u32,
            query_stride: 3 * width as u32,
            stride: width as u32,
            key_range: sees::BEFORE,
            room: room as u32,
            ..Default::default()
        };
        let buffers = [
            record(params),
            control(position, 9, &list),
            bits(&queries),
            bits(&keys),
            bits(&values),
            vec![0; 3 * width],
        ];
        let left = trial::run(&gpu, &shaders::ATTEND, "attend", &buffers, [3, 2]).expect("attention");
        for (r, candidate) in list.iter().enumerate() {
            let own =
                |all: &[f32]| rows(&all[*candidate as usize * room * width..][..room * width], width, 0, width);
            let query = vec![rows(&queries, 3 * width, 0, width)[r].clone()];
            let expected = reference::attend(&query, &own(&keys), &own(&values), |_| position as usize + 1);
            close(&expected[0], &floats(&left[5])[r * width..][..width], &format!("position {position}"));
        }
    }
    // Cross-attention, of each candidate to its function, and attention within the encoder: rows see all of a
    // function's words; keys and values are adjacent.
    for (source, sees) in [1usize, 64, 65, 256].into_iter().flat_map(|n| [(n, sees::WITHIN), (n, sees::ACROSS)])
    {
        let queries = numbers(&mut rng, 2 * width);
        let both = numbers(&mut rng, 2 * SOURCE_MAX * 2 * width);
        let room = if sees == sees::ACROSS { SOURCE_MAX } else { 0 };
        let params = AttendParams {
            width: width as u32,
            query_stride: width as u32,
            stride: 2 * width as u32,
            values: width as u32,
            key_range: sees,
            room: room as u32,
            ..Default::default()
        };
        let buffers = [
            record(params),
            control(7, source as u32, &[0, 3]),
            bits(&queries),
            bits(&both),
            bits(&both),
            vec![0; 2 * width],
        ];
        let left = trial::run(&gpu, &shaders::ATTEND, "attend", &buffers, [2, 2]).expect("attention");
        // Candidates 0 and 3 belong to the first and the second function.
        for (r, (function, words)) in [(0, source), (1, SOURCE_MAX + 1 - source)].into_iter().enumerate() {
            let (function, words) = if room == 0 { (0, source) } else { (function, words) };
            let both = &both[function * room * 2 * width..][..SOURCE_MAX * 2 * width];
            let query = vec![rows(&queries, width, 0, width)[r].clone()];
            let (keys, values) = (rows(both, 2 * width, 0, width), rows(both, 2 * width, width, width));
            let expected = reference::attend(&query, &keys, &values, |_| words);
            close(&expected[0], &floats(&left[5])[r * width..][..width], &format!("{words} words"));
        }
    }
}

#[test]
fn embedding_vectors_equal_reference() {
    let _turn = turn();
    let (gpu, mut rng) = (device(), Rng::new(4));
    let width = 96u32;
    let weights = numbers(&mut rng, 64 * width as usize);
    let table = |row: u32| row * width;
    let params = BatchParams {
        width,
        embed: table(0),
        types: table(20),
        depths: table(25),
        statements: table(41),
        heights: table(48),
        ..Default::default()
    };
    let mut source = vec![0; 2 * sheet::WORDS as usize];
    let columns = [[7, 19, 3], [4, 0, 1], [15, 2, 0], [6, 5, 1], [15, 1, 9]];
    for (c, column) in columns.iter().enumerate() {
        source[sheet::WORDS as usize + c * SOURCE_MAX..][..3].copy_from_slice(column);
    }
    let mut words = vec![0; 4 * TARGET_MAX];
    words[2 * TARGET_MAX + 4] = 11;
    let x = vec![0; 3 * width as usize];
    let all = |position, list: &[u32]| {
        [record(params), control(position, 3, list), bits(&weights), source.clone(), words.clone(), x.clone()]
    };
    let vector = |row: u32| weights[table(row) as usize..][..width as usize].iter().map(|&x| f64::from(x));
    let left = trial::run(&gpu, &shaders::EMBED, "embed_source", &all(0, &[0, 1, 2]), [3, 1]).expect("vectors");
    for r in 0..3 {
        let mut expected = vec![0.0; width as usize];
        for (first, column) in [0, 20, 25, 41, 48].into_iter().zip(columns) {
            expected.iter_mut().zip(vector(first + column[r])).for_each(|(x, y)| *x += y);
        }
        close(&expected, &floats(&left[5])[r * width as usize..][..width as usize], "source");
    }
    for (position, word) in [(0, u32::from(BOS)), (5, 11)] {
        let left =
            trial::run(&gpu, &shaders::EMBED, "embed_target", &all(position, &[2]), [1, 1]).expect("vectors");
        close(&vector(word).collect::<Vec<_>>(), &floats(&left[5])[..width as usize], "target");
    }
}
