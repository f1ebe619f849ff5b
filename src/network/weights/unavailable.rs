//! The reasons why weights are unavailable.

use std::fmt;
use std::path::PathBuf;

/// The reason why neural compilation is unavailable; all other functions still work.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unavailable {
    /// This program was built without weights.
    NoWeights,
    ReadError(PathBuf, String),
    /// The file is not a complete safetensors file.
    Corrupt(String),
    /// The checksum does not match the contents.
    Damaged,
    /// A safetensors file that is not Myriad's: its metadata lack this entry or have another value for it.
    Format(&'static str),
    /// Trained for another instruction set.
    Isa {
        weights: u32,
        program: u32,
    },
    /// Trained with another vocabulary.
    Vocabulary {
        weights: u32,
        program: u32,
    },
    /// Sizes that are not valid for a model.
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
    /// A number that is infinite or NaN.
    NotFinite(String),
}

impl fmt::Display for Unavailable {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Unavailable::NoWeights => f.write_str("no weights are shipped with this build"),
            Unavailable::ReadError(path, why) => {
                write!(f, "the weights {} cannot be read: {why}", path.display())
            }
            Unavailable::Corrupt(what) => write!(f, "the weights are corrupt: {what}"),
            Unavailable::Damaged => {
                f.write_str("the weights are damaged: the checksum does not match the file's contents")
            }
            Unavailable::Format(entry) => {
                write!(f, "this is not a file of weights for Myriad: its entry `{entry}` is missing or wrong")
            }
            Unavailable::Isa { weights, program } => {
                write!(
                    f,
                    "the weights are for instruction set {weights}, this program's networks know {program}"
                )
            }
            Unavailable::Vocabulary { weights, program } => {
                write!(f, "the weights are for vocabulary {weights}, this program has {program}")
            }
            Unavailable::Config { width, heads, layers } => {
                write!(f, "the weights have an invalid size: width {width}, {heads} heads and {layers} layers")
            }
            Unavailable::Missing(tensor) => write!(f, "the weights lack `{tensor}`"),
            Unavailable::Shape { tensor, found, expected } => {
                write!(f, "`{tensor}` of the weights has the shape {found:?}, not {expected:?}")
            }
            Unavailable::Numbers { tensor, found } => {
                write!(f, "`{tensor}` of the weights has numbers of type {found}; only f32 and f16 can be read")
            }
            Unavailable::NotFinite(tensor) => {
                write!(f, "`{tensor}` of the weights has a number that is not finite")
            }
        }
    }
}

impl std::error::Error for Unavailable {}
