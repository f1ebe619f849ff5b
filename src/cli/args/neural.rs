//! What is asked of the neural compiler, and of its training.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::ValueEnum;

use super::values::{confidence, minutes, nucleus, risk, seconds, temperature};

/// How candidates are drawn and verified.
#[derive(Clone, Debug, clap::Args)]
pub struct Drawing {
    /// Candidates drawn, beside the likeliest one; 1000 if not given, 100 with `--eval`
    #[arg(short, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub k: Option<u32>,
    /// Above 1 candidates differ more, below 1 less
    #[arg(long, value_name = "T", default_value_t = 1.0, value_parser = temperature)]
    pub temperature: f32,
    /// Draw among the likeliest words alone, whose probabilities add up to this
    #[arg(long, value_name = "P", default_value_t = 1.0, value_parser = nucleus)]
    pub top_p: f32,
    /// Decides, with k, which candidates are drawn
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u32,
    /// The error rate that verification is to exclude
    #[arg(long, value_name = "R", default_value_t = 0.001, value_parser = risk)]
    pub risk: f64,
    /// How surely it is to exclude it
    #[arg(long, value_name = "C", default_value_t = 0.95, value_parser = confidence)]
    pub confidence: f64,
    /// Other weights than those of this build
    #[arg(long, value_name = "FILE")]
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
    pub drawing: Drawing,
    /// At most so long for each file; what is there by then, or at an interrupt, is printed and marked as partial
    #[arg(long, value_name = "LIMIT", value_parser = seconds, conflicts_with = "eval")]
    pub seconds: Option<f64>,
    /// Measure the model on functions that it was never trained on: generated ones, and ones that people wrote
    #[arg(long)]
    pub eval: bool,
    /// With `--eval`: how many generated functions; 2000 if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(0..=100_000))]
    pub functions: Option<u32>,
}

/// What training computes on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum TrainDevice {
    #[default]
    Cpu,
    Wgpu,
}

#[derive(Debug, clap::Args)]
pub struct TrainArgs {
    /// The folder of checkpoint, weights and log
    #[arg(long, value_name = "DIR", default_value = "training")]
    pub out: PathBuf,
    /// Go on with the folder's checkpoint
    #[arg(long)]
    pub resume: bool,
    /// End with this step, counted from the beginning of training
    #[arg(long, value_name = "N")]
    pub steps: Option<u64>,
    /// End after so many minutes
    #[arg(long, value_name = "M", value_parser = minutes)]
    pub minutes: Option<f64>,
    /// Width of the model, a multiple of 32
    #[arg(long, value_name = "N")]
    pub width: Option<usize>,
    /// Layers of the encoder, and as many of the decoder
    #[arg(long, value_name = "N")]
    pub layers: Option<usize>,
    /// Words of a batch, filling included
    #[arg(long, value_name = "N")]
    pub batch: Option<usize>,
    /// Learn from execution after every N-th step (0: never); if not given, at the end of the curriculum
    #[arg(long, value_name = "N")]
    pub practice: Option<u64>,
    /// Decides the first weights and the examples
    #[arg(long, value_name = "S", default_value_t = 1)]
    pub seed: u64,
    /// What computes
    #[arg(long, value_enum, default_value_t, value_name = "DEVICE")]
    pub device: TrainDevice,
    /// A tiny model on simple functions for a few hundred steps: to see that training works
    #[arg(long)]
    pub smoke: bool,
    /// Show the log of the folder as curves, and train nothing
    #[arg(long)]
    pub plot: bool,
}
