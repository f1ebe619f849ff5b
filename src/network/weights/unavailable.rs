//! Why there are no weights to work with.

use std::fmt;
use std::path::PathBuf;

/// Why the neural path is not available; everything else is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// This program was built without weights.
    NoWeights,
    Unreadable(PathBuf, String),
    /// Not a whole safetensors file.
    Corrupt(String),
    /// Its checksum is not that of its contents.
    Damaged,
    /// A safetensors file of something else: its metadata lack or contradict this entry.
    Format(&'static str),
    /// Trained for another instruction set.
    Isa {
        weights: u32,
        program: u32,
    },
    /// Trained with another table of words.
    Vocabulary {
        weights: u32,
        program: u32,
    },
    /// Sizes that no model has.
    Config {
        width: usize,
        heads: usize,
        layers: usize,
    },
    Missing(String),
    Shape {
        tensor: String,
        found: Vec<usize>,
        expected: Vec<usize>,
    },
    /// Numbers of a type other than f32 and f16.
    Numbers {
        tensor: String,
        found: String,
    },
    /// A number that is infinite or none.
    NotFinite(String),
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unavailable::NoWeights => f.write_str("no weights are shipped with this build"),
            Unavailable::Unreadable(path, why) => {
                write!(f, "the weights {} cannot be read: {why}", path.display())
            }
            Unavailable::Corrupt(what) => write!(f, "the weights are corrupt: {what}"),
            Unavailable::Damaged => {
                f.write_str("the weights are damaged: their checksum is not that of the file's contents")
            }
            Unavailable::Format(entry) => {
                write!(
                    f,
                    "this is no file of weights for Myriad: the entry `{entry}` is missing or says otherwise"
                )
            }
            Unavailable::Isa { weights, program } => {
                write!(f, "the weights are for instruction set {weights}, this program has {program}")
            }
            Unavailable::Vocabulary { weights, program } => {
                write!(f, "the weights are for vocabulary {weights}, this program has {program}")
            }
            Unavailable::Config { width, heads, layers } => {
                write!(
                    f,
                    "the weights say width {width}, {heads} heads and {layers} layers, which no model has"
                )
            }
            Unavailable::Missing(tensor) => write!(f, "the weights lack `{tensor}`"),
            Unavailable::Shape { tensor, found, expected } => {
                write!(f, "`{tensor}` of the weights has the shape {found:?}, not {expected:?}")
            }
            Unavailable::Numbers { tensor, found } => {
                write!(f, "`{tensor}` of the weights holds {found} numbers; f32 and f16 can be read")
            }
            Unavailable::NotFinite(tensor) => {
                write!(f, "`{tensor}` of the weights holds a number that is not finite")
            }
        }
    }
}

impl std::error::Error for Unavailable {}
