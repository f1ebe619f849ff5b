//! Packs the weights into one buffer of floats, with the offsets of its parts.
//!
//! Matrices that apply to the same rows are stored side by side as one: queries, keys and values of an
//! attention, and keys and values of the encoder's output. The embedding is stored twice: the second copy is
//! transposed for the logits and padded with zeros to whole tiles. Cosines and sines of the rotary positions
//! are computed on the host, because a shader's own are only accurate to about 2⁻¹¹.

use std::collections::HashMap;

use crate::network::layout::LOGITS;
use crate::network::vocabulary::{SOURCE_MAX, TARGETS};
use crate::network::weights::{HEAD, Tensor, Weights, tensors};

/// The packed weights; offsets count floats.
pub struct Packed {
    pub floats: Vec<f32>,
    pub width: u32,
    pub embed: u32,
    /// The embeddings of the source's features.
    pub types: u32,
    pub depths: u32,
    pub statements: u32,
    pub heights: u32,
    /// [SOURCE_MAX, 32]: 16 cosines and 16 sines of each position.
    pub rotations: u32,
    pub encoder: Vec<EncoderLayer>,
    pub encoder_norm: u32,
    pub decoder: Vec<DecoderLayer>,
    pub decoder_norm: u32,
    /// [width, LOGITS].
    pub logits: u32,
}

/// An attention: its norm's gain and its matrices.
pub struct Attention {
    pub norm: u32,
    /// [width, 3 width]; for a cross-attention only the queries', [width, width].
    pub queries: u32,
    pub out: u32,
}

pub struct Feed {
    pub norm: u32,
    /// [width, 4 width].
    pub up: u32,
    /// [4 width, width].
    pub down: u32,
}

pub struct EncoderLayer {
    pub attention: Attention,
    pub feed: Feed,
}

pub struct DecoderLayer {
    pub own: Attention,
    pub cross: Attention,
    /// [width, 2 width]: keys and values of the encoder's output.
    pub cross_keys: u32,
    pub feed: Feed,
}

impl Packed {
    /// Lays out a model's weights.
    pub fn new(weights: &Weights) -> Packed {
        let (d, layers) = (weights.config.width, weights.config.layers);
        let tensors: HashMap<String, Tensor> =
            tensors(&weights.config).into_iter().map(|tensor| (tensor.name.clone(), tensor)).collect();
        let find = |name: &str| weights.get(&tensors[name]);
        let mut floats = Vec::new();
        let mut put = |part: &[f32]| {
            let at = floats.len() as u32;
            floats.extend_from_slice(part);
            // Shaders read four floats at a time.
            floats.resize(floats.len().next_multiple_of(4), 0.0);
            at
        };
        // Concatenates matrices [rows, d] by row.
        let beside = |prefix: &str, names: &[&str]| -> Vec<f32> {
            let parts: Vec<&[f32]> = names.iter().map(|name| find(&format!("{prefix}.{name}"))).collect();
            let row = |row: usize| parts.iter().flat_map(move |part| &part[row * d..][..d]);
            (0..d).flat_map(row).copied().collect()
        };
        let embed = find("embed");
        let turned = (0..d)
            .flat_map(|i| (0..LOGITS).map(move |word| if word < TARGETS { embed[word * d + i] } else { 0.0 }));
        let turned: Vec<f32> = turned.collect();

        let embed = put(embed);
        let types = put(find("feature.type"));
        let depths = put(find("feature.depth"));
        let statements = put(find("feature.statement"));
        let heights = put(find("feature.height"));
        let rotations = put(&rotations());
        let logits = put(&turned);
        let feed = |prefix: String, put: &mut dyn FnMut(&[f32]) -> u32| {
            let mut tensor = |name| put(find(&format!("{prefix}.{name}")));
            Feed { norm: tensor("norm"), up: tensor("up"), down: tensor("down") }
        };
        let attention = |prefix: String, names: &[&str], put: &mut dyn FnMut(&[f32]) -> u32| Attention {
            norm: put(find(&format!("{prefix}.norm"))),
            queries: put(&beside(&prefix, names)),
            out: put(find(&format!("{prefix}.out"))),
        };
        let mut encoder = Vec::new();
        let mut decoder = Vec::new();
        for i in 0..layers {
            encoder.push(EncoderLayer {
                attention: attention(format!("encoder.{i}.attention"), &["q", "k", "v"], &mut put),
                feed: feed(format!("encoder.{i}.feed"), &mut put),
            });
            decoder.push(DecoderLayer {
                own: attention(format!("decoder.{i}.self"), &["q", "k", "v"], &mut put),
                cross: attention(format!("decoder.{i}.cross"), &["q"], &mut put),
                cross_keys: put(&beside(&format!("decoder.{i}.cross"), &["k", "v"])),
                feed: feed(format!("decoder.{i}.feed"), &mut put),
            });
        }
        let encoder_norm = put(find("encoder.norm"));
        let decoder_norm = put(find("decoder.norm"));
        Packed {
            floats,
            width: d as u32,
            embed,
            types,
            depths,
            statements,
            heights,
            rotations,
            encoder,
            encoder_norm,
            decoder,
            decoder_norm,
            logits,
        }
    }
}

/// Returns the cosines and sines of position · 10000^(−j/16).
fn rotations() -> Vec<f32> {
    let half = HEAD / 2;
    let angle = |position: usize, j: usize| position as f64 * 10000f64.powf(-(j as f64) / half as f64);
    (0..SOURCE_MAX)
        .flat_map(|p| {
            let cosines = (0..half).map(move |j| angle(p, j).cos() as f32);
            cosines.chain((0..half).map(move |j| angle(p, j).sin() as f32))
        })
        .collect()
}
