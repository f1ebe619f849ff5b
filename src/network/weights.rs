//! The model's weights: read from a safetensors file into one flat column of f32.
//!
//! [`tensors`] is the only table of names and shapes; all code that reads, writes, trains or uploads weights
//! uses it. All tensors are in [`Weights::data`] in the table's order, matrices row by row, so a device takes
//! them as one buffer.

mod file;
mod unavailable;

use std::path::Path;
use std::sync::Arc;

use crate::host::files;
use crate::network::vocabulary::WORDS;

pub use file::{read, write};
pub use unavailable::Unavailable;

/// Width of an attention head.
pub const HEAD: usize = 32;
/// The environment variable that selects other weights than the shipped ones.
pub const VARIABLE: &str = "MYRIAD_WEIGHTS";
/// The longest file that is read: 268 million numbers of 32 bits.
pub const LARGEST: u64 = 1 << 30;
/// The shipped weights; an empty file if there are none.
static SHIPPED: &[u8] = include_bytes!("../../assets/neural/weights.safetensors");

/// The model's size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Config {
    /// Width d of the residual stream.
    pub width: usize,
    /// Number of attention heads, of width [`HEAD`] each.
    pub heads: usize,
    /// Number of layers of the encoder, and also of the decoder.
    pub layers: usize,
}

impl Config {
    /// Returns the configuration of this width.
    pub const fn new(width: usize, layers: usize) -> Config {
        Config { width, heads: width / HEAD, layers }
    }
    /// Returns the inner width of the feed-forward.
    pub const fn inner(&self) -> usize {
        4 * self.width
    }
    /// Returns whether the sizes are consistent and within bounds.
    pub fn is_sound(&self) -> bool {
        self.width > 0
            && self.width <= 2_048
            && self.heads.checked_mul(HEAD) == Some(self.width)
            && (1..=32).contains(&self.layers)
    }
    pub fn parameters(&self) -> usize {
        tensors(self).iter().map(Tensor::len).sum()
    }
}

/// The name, shape and offset of a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tensor {
    pub name: String,
    /// Rows (inputs); 1 for a vector.
    pub rows: usize,
    /// Columns (outputs).
    pub columns: usize,
    /// Index of its first element in [`Weights::data`].
    pub offset: usize,
    /// Whether the tensor is a vector in the file.
    pub vector: bool,
}

impl Tensor {
    pub fn len(&self) -> usize {
        self.rows * self.columns
    }
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Returns the tensor's shape in the file.
    pub fn shape(&self) -> Vec<usize> {
        if self.vector { vec![self.columns] } else { vec![self.rows, self.columns] }
    }
}

/// The names of the tensors of an attention, in order.
pub const ATTENTION: [&str; 5] = ["norm", "q", "k", "v", "out"];
/// The names of the tensors of a feed-forward, in order.
pub const FEED: [&str; 3] = ["norm", "up", "down"];

/// Returns all tensors of a model, in the order of [`Weights::data`].
pub fn tensors(config: &Config) -> Vec<Tensor> {
    let (d, inner) = (config.width, config.inner());
    let mut list: Vec<Tensor> = Vec::new();
    let mut add = |name: String, rows: usize, columns: usize, vector: bool| {
        let offset = list.last().map_or(0, |last: &Tensor| last.offset + last.len());
        list.push(Tensor { name, rows, columns, offset, vector });
    };
    add("embed".into(), WORDS, d, false);
    for (feature, rows) in [("type", 5), ("depth", 16), ("statement", 32), ("height", 16)] {
        add(format!("feature.{feature}"), rows, d, false);
    }
    for (stack, attentions) in [("encoder", &["attention"][..]), ("decoder", &["self", "cross"])] {
        for layer in 0..config.layers {
            for attention in attentions {
                for part in ATTENTION {
                    let rows = if part == "norm" { 1 } else { d };
                    add(format!("{stack}.{layer}.{attention}.{part}"), rows, d, part == "norm");
                }
            }
            for (part, rows, columns) in [(FEED[0], 1, d), (FEED[1], d, inner), (FEED[2], inner, d)] {
                add(format!("{stack}.{layer}.feed.{part}"), rows, columns, part == "norm");
            }
        }
        add(format!("{stack}.norm"), 1, d, true);
    }
    list
}

#[derive(Clone, PartialEq)]
pub struct Weights {
    pub config: Config,
    /// Number of training steps made.
    pub steps: u64,
    /// Number of training examples seen.
    pub examples: u64,
    /// All tensors, in the order of [`tensors`].
    pub data: Vec<f32>,
}

impl std::fmt::Debug for Weights {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Weights { config, steps, examples, data } = self;
        write!(f, "Weights({config:?}, {steps} steps, {examples} examples, {} numbers)", data.len())
    }
}

impl Weights {
    /// Returns untrained weights that depend on the seed, for tests and the start of training. Matrices are
    /// uniform with variance 1 / inputs, embeddings with 1 / width; norms are 1.
    pub fn random(config: Config, seed: u32) -> Weights {
        let mut data = Vec::with_capacity(config.parameters());
        for (number, tensor) in tensors(&config).iter().enumerate() {
            let embedding = tensor.name == "embed" || tensor.name.starts_with("feature.");
            let inputs = if embedding { config.width } else { tensor.rows };
            let bound = (3.0 / inputs as f32).sqrt();
            data.extend((0..tensor.len() as u32).map(|i| match tensor.vector {
                true => 1.0,
                false => (2.0 * unit(seed, number as u32, i) - 1.0) * bound,
            }));
        }
        Weights { config, steps: 0, examples: 0, data }
    }

    pub fn get(&self, tensor: &Tensor) -> &[f32] {
        &self.data[tensor.offset..tensor.offset + tensor.len()]
    }
}

/// Returns a pseudo-random number in [0, 1) for each (seed, stream, index).
fn unit(seed: u32, stream: u32, index: u32) -> f32 {
    use crate::compiler::stage::execute::mix;
    (mix(mix(mix(seed).wrapping_add(stream)).wrapping_add(index)) >> 8) as f32 / (1 << 24) as f32
}

/// Returns the weights that are built into the program.
///
/// # Errors
/// If the program has no weights, or they are of another version.
pub fn shipped() -> Result<Weights, Unavailable> {
    if SHIPPED.is_empty() { Err(Unavailable::NoWeights) } else { read(SHIPPED) }
}

/// Reads the weights of a file. Without a path, reads the file that the environment variable names, or else
/// the shipped weights.
///
/// # Errors
/// If the weights cannot be read or are of another version.
pub fn open(path: Option<&Path>) -> Result<Arc<Weights>, Unavailable> {
    let named = std::env::var_os(VARIABLE).filter(|name| !name.is_empty());
    let path = path.or(named.as_deref().map(Path::new));
    let weights = match path {
        Some(path) => {
            let bytes = files::read(path, LARGEST)
                .map_err(|why| Unavailable::ReadError(path.to_owned(), why.to_string()))?;
            read(&bytes)?
        }
        None => shipped()?,
    };
    Ok(Arc::new(weights))
}
