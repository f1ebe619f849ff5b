//! Options of the neural compiler and its training.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;

use super::values::{confidence, minutes, nucleus, risk, seconds, temperature};

/// The heading of [`SamplingArgs`] in help.
const DRAWING: &str = "Draw candidates";

/// How candidates are drawn and compared.
#[derive(Clone, Debug, clap::Args)]
pub struct SamplingArgs {
    /// Number of candidates drawn, in addition to the most likely one; by default 1000, with `--eval` 100
    #[arg(short, help_heading = DRAWING, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub k: Option<u32>,
    /// Sampling temperature: above 1 candidates differ more, below 1 less
    #[arg(long, help_heading = DRAWING, value_name = "T", default_value_t = 1.0, value_parser = temperature)]
    pub temperature: f32,
    /// Draw only among the most likely words whose probabilities add up to this
    #[arg(long, help_heading = DRAWING, value_name = "P", default_value_t = 1.0, value_parser = nucleus)]
    pub top_p: f32,
    /// Seed; with k, it determines which candidates are drawn
    #[arg(long, help_heading = DRAWING, value_name = "SEED", default_value_t = 1)]
    pub seed: u32,
    /// The error rate that random inputs must exclude
    #[arg(long, help_heading = DRAWING, value_name = "R", default_value_t = 0.001, value_parser = risk)]
    pub risk: f64,
    /// The confidence with which it must exclude that rate
    #[arg(long, help_heading = DRAWING, value_name = "C", default_value_t = 0.95, value_parser = confidence)]
    pub confidence: f64,
    /// Use these weights instead of the built-in ones
    #[arg(long, help_heading = DRAWING, value_name = "FILE")]
    pub weights: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct NeuralArgs {
    /// Programs; `-` is standard input
    #[arg(required_unless_present = "eval", conflicts_with = "eval", value_name = "FILE")]
    pub files: Vec<OsString>,
    /// Only this function
    #[arg(long, value_name = "F", conflicts_with = "eval")]
    pub function: Option<String>,
    #[command(flatten)]
    pub drawing: SamplingArgs,
    /// Evidence that a candidate needs; by default `proved`
    #[arg(long, value_enum, value_name = "EVIDENCE", conflicts_with = "eval")]
    pub evidence: Option<EvidenceChoice>,
    /// Time limit in seconds; the results until then are printed as partial
    #[arg(long, value_name = "LIMIT", value_parser = seconds, conflicts_with = "eval")]
    pub seconds: Option<f64>,
    /// Measure the model on functions that it was not trained on
    #[arg(long, help_heading = "Measure the network")]
    pub eval: bool,
    /// With `--eval`: compare draws with feedback with plain draws
    #[arg(long, help_heading = "Measure the network", requires = "eval")]
    pub feedback: bool,
    /// With `--eval`: number of generated functions; by default 2000
    #[arg(long, help_heading = "Measure the network", value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub functions: Option<u32>,
}

/// The backend that training computes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TrainDevice {
    #[default]
    Cpu,
    Wgpu,
}

#[derive(Debug, clap::Args)]
pub struct TrainArgs {
    /// The folder for checkpoint, weights and log
    #[arg(long, value_name = "DIR", default_value = "training")]
    pub out: PathBuf,
    /// Resume from the folder's checkpoint
    #[arg(long)]
    pub resume: bool,
    /// Stop after this step, counted from the beginning of training
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// Stop after this many minutes
    #[arg(long, value_name = "M", value_parser = minutes)]
    pub minutes: Option<f64>,
    /// Width of the model, a multiple of 32
    #[arg(long, value_name = "N")]
    pub width: Option<usize>,
    /// Number of encoder layers, and of decoder layers
    #[arg(long, value_name = "N")]
    pub layers: Option<usize>,
    /// Number of words in a batch, padding included
    #[arg(long, value_name = "N")]
    pub batch: Option<usize>,
    /// Learn from execution after every N-th step (0: never); by default at the end of the curriculum
    #[arg(long, value_name = "N")]
    pub practice: Option<u64>,
    /// Seed of the initial weights and the examples
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// The backend to compute on
    #[arg(long, value_enum, default_value_t, value_name = "DEVICE")]
    pub device: TrainDevice,
    /// Train a tiny model, to test the setup
    #[arg(long)]
    pub smoke: bool,
    /// Show the log of the folder as curves, without training
    #[arg(long)]
    pub plot: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EvidenceChoice {
    /// Agrees with the traditional compiler's code on all inputs
    Proved,
    /// Proved, or no difference on inputs that take all branches (formerly `verified`)
    #[value(alias = "verified")]
    Tested,
    /// The file's tests pass
    Tests,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_old_name_of_tested_is_accepted() {
        assert_eq!(EvidenceChoice::from_str("verified", false), Ok(EvidenceChoice::Tested));
        assert!(EvidenceChoice::from_str("sure", false).is_err());
    }
}
