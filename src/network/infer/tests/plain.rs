//! The model as specified in `docs/neural.md`, in plain loops without cache, batches or lanes.

use std::collections::HashMap;

use crate::network::assembler::AssemblerState;
use crate::network::source::Source;
use crate::network::vocabulary::{BOS, EOS, TARGET_MAX, TARGETS};
use crate::network::weights::{HEAD, Weights, tensors};

type PlainRows = Vec<Vec<f32>>;

pub struct Plain {
    tensors: HashMap<String, PlainRows>,
    layers: usize,
}

impl Plain {
    pub fn new(weights: &Weights) -> Plain {
        let rows = |t| weights.get(t).chunks(t.columns).map(<[f32]>::to_vec).collect();
        let tensors = tensors(&weights.config).iter().map(|t| (t.name.clone(), rows(t))).collect();
        Plain { tensors, layers: weights.config.layers }
    }

    fn of(&self, name: &str) -> &PlainRows {
        &self.tensors[name]
    }

    fn times(&self, x: &PlainRows, name: &str) -> PlainRows {
        let w = self.of(name);
        x.iter()
            .map(|x| (0..w[0].len()).map(|j| x.iter().zip(w).map(|(x, w)| x * w[j]).sum()).collect())
            .collect()
    }

    fn norm(&self, x: &PlainRows, name: &str) -> PlainRows {
        let gain = &self.of(name)[0];
        let row = |x: &Vec<f32>| {
            let mean = x.iter().map(|x| x * x).sum::<f32>() / x.len() as f32;
            x.iter().zip(gain).map(|(x, g)| x / (mean + 1e-5).sqrt() * g).collect()
        };
        x.iter().map(row).collect()
    }

    fn attend(&self, name: &str, h: &PlainRows, others: &PlainRows, turned: bool, causal: bool) -> PlainRows {
        let part = |part: &str| format!("{name}.{part}");
        let (mut q, mut k) = (self.times(h, &part("q")), self.times(others, &part("k")));
        let v = self.times(others, &part("v"));
        if turned {
            turn(&mut q);
            turn(&mut k);
        }
        let mut out = vec![vec![0.0; v[0].len()]; q.len()];
        for i in 0..q.len() {
            let seen = if causal { i + 1 } else { k.len() };
            for head in (0..v[0].len()).step_by(HEAD) {
                let score = |j: usize| {
                    (head..head + HEAD).map(|c| q[i][c] * k[j][c]).sum::<f32>() / (HEAD as f32).sqrt()
                };
                let scores: Vec<f32> = (0..seen).map(score).collect();
                let greatest = scores.iter().copied().fold(f32::MIN, f32::max);
                let weights: Vec<f32> = scores.iter().map(|s| (s - greatest).exp()).collect();
                let total: f32 = weights.iter().sum();
                for c in head..head + HEAD {
                    out[i][c] = (0..seen).map(|j| weights[j] / total * v[j][c]).sum();
                }
            }
        }
        self.times(&out, &part("out"))
    }

    fn feed(&self, name: &str, x: &mut PlainRows) {
        let h = self.norm(x, &format!("{name}.norm"));
        let mut inner = self.times(&h, &format!("{name}.up"));
        inner.iter_mut().flatten().for_each(|x| *x = x.max(0.0));
        add(x, &self.times(&inner, &format!("{name}.down")));
    }

    pub fn encode(&self, source: &Source) -> Vec<f32> {
        let mut x = PlainRows::new();
        for i in 0..source.words.len() {
            let mut row = self.of("embed")[source.words[i] as usize].clone();
            let features = [
                ("type", source.ty[i]),
                ("depth", source.depth[i]),
                ("statement", source.statement[i]),
                ("height", source.height[i]),
            ];
            for (name, value) in features {
                let table = self.of(&format!("feature.{name}"));
                row.iter_mut().zip(&table[value as usize]).for_each(|(x, y)| *x += y);
            }
            x.push(row);
        }
        for layer in 0..self.layers {
            let name = format!("encoder.{layer}.attention");
            let h = self.norm(&x, &format!("{name}.norm"));
            add(&mut x, &self.attend(&name, &h, &h, true, false));
            self.feed(&format!("encoder.{layer}.feed"), &mut x);
        }
        self.norm(&x, "encoder.norm").concat()
    }

    /// Returns the logits after `<bos>` and some words.
    pub fn logits(&self, encoded: &[f32], words: &[u16]) -> Vec<f32> {
        let embed = self.of("embed");
        let encoded: PlainRows = encoded.chunks(embed[0].len()).map(<[f32]>::to_vec).collect();
        let mut x: PlainRows = words.iter().map(|&word| embed[word as usize].clone()).collect();
        for layer in 0..self.layers {
            let name = format!("decoder.{layer}.self");
            let h = self.norm(&x, &format!("{name}.norm"));
            add(&mut x, &self.attend(&name, &h, &h, true, true));
            let name = format!("decoder.{layer}.cross");
            let h = self.norm(&x, &format!("{name}.norm"));
            add(&mut x, &self.attend(&name, &h, &encoded, false, false));
            self.feed(&format!("decoder.{layer}.feed"), &mut x);
        }
        let last = self.norm(&x, "decoder.norm").pop().unwrap();
        embed[..TARGETS].iter().map(|row| row.iter().zip(&last).map(|(a, b)| a * b).sum()).collect()
    }

    /// Returns the greedy candidate and the natural logarithm of its probability.
    pub fn greedy(&self, source: &Source) -> (Vec<u16>, f32) {
        let encoded = self.encode(source);
        let (mut words, mut state, mut log_p) = (vec![BOS], AssemblerState::new(&source.tables), 0.0);
        while words.len() <= TARGET_MAX && words.last() != Some(&EOS) {
            let logits = self.logits(&encoded, &words);
            let allowed: Vec<u16> =
                (0..TARGETS as u16).filter(|&word| state.allowed(&source.tables, word)).collect();
            let total: f32 = allowed.iter().map(|&word| logits[word as usize].exp()).sum();
            let mut best = allowed[0];
            for &word in &allowed {
                if logits[word as usize] > logits[best as usize] {
                    best = word;
                }
            }
            log_p += logits[best as usize] - total.ln();
            state.step(&source.tables, best);
            words.push(best);
        }
        (words[1..].to_vec(), log_p)
    }
}

fn add(x: &mut PlainRows, y: &PlainRows) {
    x.iter_mut().flatten().zip(y.iter().flatten()).for_each(|(x, y)| *x += y);
}

fn turn(rows: &mut PlainRows) {
    for (position, row) in rows.iter_mut().enumerate() {
        for head in row.chunks_mut(HEAD) {
            for j in 0..16 {
                let angle = position as f32 * 10_000f32.powf(-(j as f32) / 16.0);
                let (a, b) = (head[j], head[j + 16]);
                head[j] = a * angle.cos() - b * angle.sin();
                head[j + 16] = b * angle.cos() + a * angle.sin();
            }
        }
    }
}
