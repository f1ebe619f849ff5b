//! The model as defined in `docs/neural.md`, in plain loops of f64.

use std::collections::HashMap;

use myriad::network::source::Source;
use myriad::network::vocabulary::{BOS, TARGETS};
use myriad::network::weights::{HEAD, Weights, tensors};

type Rows = Vec<Vec<f64>>;

pub struct Reference {
    width: usize,
    layers: usize,
    /// Tensors by name, as rows.
    tensors: HashMap<String, Rows>,
    /// The encoder's output.
    read: Rows,
}

fn norm(x: &[f64], gain: &[f64]) -> Vec<f64> {
    let scale = 1.0 / (x.iter().map(|x| x * x).sum::<f64>() / x.len() as f64 + 1e-5).sqrt();
    x.iter().zip(gain).map(|(x, g)| x * scale * g).collect()
}

fn times(x: &[f64], matrix: &Rows) -> Vec<f64> {
    let columns = matrix[0].len();
    (0..columns).map(|c| x.iter().zip(matrix).map(|(x, row)| x * row[c]).sum()).collect()
}

fn add(x: &mut [f64], y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += y);
}

pub fn rotate(x: &mut [f64], position: usize) {
    for head in x.chunks_exact_mut(HEAD) {
        for j in 0..HEAD / 2 {
            let angle = position as f64 * 10_000f64.powf(-(j as f64) / 16.0);
            let (low, high) = (head[j], head[j + 16]);
            head[j] = low * angle.cos() - high * angle.sin();
            head[j + 16] = high * angle.cos() + low * angle.sin();
        }
    }
}

/// Returns the attention of each query over the first `seen(row)` keys and values.
pub fn attend(queries: &Rows, keys: &Rows, values: &Rows, seen: impl Fn(usize) -> usize) -> Rows {
    let mix = |row: usize, query: &Vec<f64>| {
        let mut out = vec![0.0; query.len()];
        for h in (0..query.len()).step_by(HEAD) {
            let score = |key: &Vec<f64>| {
                let dot: f64 = query[h..h + HEAD].iter().zip(&key[h..h + HEAD]).map(|(q, k)| q * k).sum();
                (dot / (HEAD as f64).sqrt()).exp()
            };
            let scores: Vec<f64> = keys[..seen(row)].iter().map(score).collect();
            let total: f64 = scores.iter().sum();
            for (score, value) in scores.iter().zip(values) {
                for i in h..h + HEAD {
                    out[i] += score / total * value[i];
                }
            }
        }
        out
    };
    queries.iter().enumerate().map(|(row, query)| mix(row, query)).collect()
}

impl Reference {
    pub fn new(weights: &Weights, source: &Source) -> Reference {
        let rows = |tensor: &myriad::network::weights::Tensor| {
            let numbers: Vec<f64> = weights.get(tensor).iter().map(|&x| f64::from(x)).collect();
            numbers.chunks_exact(tensor.columns).map(<[f64]>::to_vec).collect()
        };
        let tensors =
            tensors(&weights.config).iter().map(|tensor| (tensor.name.clone(), rows(tensor))).collect();
        let mut model =
            Reference { width: weights.config.width, layers: weights.config.layers, tensors, read: Vec::new() };
        model.read = model.encode(source);
        model
    }

    fn get(&self, prefix: &str, name: &str) -> &Rows {
        &self.tensors[&format!("{prefix}.{name}")]
    }

    fn attention(&self, prefix: &str, x: &mut Rows, others: Option<&Rows>, causal: bool) {
        let gain = &self.get(prefix, "norm")[0];
        let normed: Rows = x.iter().map(|x| norm(x, gain)).collect();
        let project = |rows: &Rows, name: &str| -> Rows {
            rows.iter().map(|x| times(x, self.get(prefix, name))).collect()
        };
        let read = others.unwrap_or(&normed);
        let (mut q, mut k, v) = (project(&normed, "q"), project(read, "k"), project(read, "v"));
        if others.is_none() {
            q.iter_mut().enumerate().for_each(|(p, q)| rotate(q, p));
            k.iter_mut().enumerate().for_each(|(p, k)| rotate(k, p));
        }
        let seen = |row: usize| if causal { row + 1 } else { k.len() };
        for (x, mixed) in x.iter_mut().zip(attend(&q, &k, &v, seen)) {
            add(x, &times(&mixed, self.get(prefix, "out")));
        }
    }

    fn feed(&self, prefix: &str, x: &mut Rows) {
        for x in x {
            let mut hidden = times(&norm(x, &self.get(prefix, "norm")[0]), self.get(prefix, "up"));
            hidden.iter_mut().for_each(|h| *h = h.max(0.0));
            add(x, &times(&hidden, self.get(prefix, "down")));
        }
    }

    fn encode(&self, source: &Source) -> Rows {
        let mut x: Rows = (0..source.words.len())
            .map(|i| {
                let mut x = self.tensors["embed"][source.words[i] as usize].clone();
                add(&mut x, &self.tensors["feature.type"][source.ty[i] as usize]);
                add(&mut x, &self.tensors["feature.depth"][source.depth[i] as usize]);
                add(&mut x, &self.tensors["feature.statement"][source.statement[i] as usize]);
                add(&mut x, &self.tensors["feature.height"][source.height[i] as usize]);
                x
            })
            .collect();
        for i in 0..self.layers {
            self.attention(&format!("encoder.{i}.attention"), &mut x, None, false);
            self.feed(&format!("encoder.{i}.feed"), &mut x);
        }
        x.iter().map(|x| norm(x, &self.tensors["encoder.norm"][0])).collect()
    }

    /// Returns the logits after `<bos>` and after each of the words.
    pub fn logits(&self, words: &[u16]) -> Rows {
        let with_begin = [&[BOS], words].concat();
        let mut x: Rows = with_begin.iter().map(|&word| self.tensors["embed"][word as usize].clone()).collect();
        for i in 0..self.layers {
            self.attention(&format!("decoder.{i}.self"), &mut x, None, true);
            self.attention(&format!("decoder.{i}.cross"), &mut x, Some(&self.read), false);
            self.feed(&format!("decoder.{i}.feed"), &mut x);
        }
        let logit = |x: &Vec<f64>| {
            let x = norm(x, &self.tensors["decoder.norm"][0]);
            let dot = |row: &Vec<f64>| row.iter().zip(&x).map(|(w, x)| w * x).sum();
            self.tensors["embed"][..TARGETS].iter().map(dot).collect()
        };
        assert!(self.width == x[0].len());
        x.iter().map(logit).collect()
    }
}
