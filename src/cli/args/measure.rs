//! Options of `model`, `race` and `noise`.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Files;
use super::values::{bound, confidence, contestant, rate, seconds};
use crate::paper::race::Contestant;
use crate::testing::noise::REPETITIONS;

#[derive(Debug, clap::Args)]
pub struct ModelArgs {
    /// A program; the gcd sample by default; `-` is standard input
    pub file: Option<OsString>,
    /// Number of programs compiled and of candidates drawn; by default 1000, as in the paper
    #[arg(short, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub k: Option<u32>,
    /// Only this equation; may be given several times
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=16))]
    pub equation: Vec<u8>,
    /// Advise users who need a proof
    #[arg(long)]
    pub guarantee: bool,
    /// Use these weights instead of the built-in ones
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct RaceArgs {
    /// The program; `-` is standard input
    pub file: OsString,
    /// Number of variants: first-order mutants first, then second-order ones
    #[arg(short, value_name = "K", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub k: u32,
    /// Seed of the neural network's draws
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u32,
    /// The contestants; by default all that are available
    #[arg(long, value_delimiter = ',', value_name = "NAMES", value_parser = contestant)]
    pub contestants: Vec<Contestant>,
    /// How often each contestant judges all variants, if its share of the time allows
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub repetitions: u32,
    /// Write the table as CSV
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw the result as SVG
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Time limit for all contestants together
    #[arg(long, value_name = "LIMIT", default_value_t = 45.0, value_parser = seconds)]
    pub seconds: f64,
    /// Let a software adapter race as a GPU
    #[arg(long)]
    pub software: bool,
}

#[derive(Debug, clap::Args)]
pub struct NoiseArgs {
    #[command(flatten)]
    pub files: Files,
    /// Only the test or property with this index, from 0
    #[arg(long, value_name = "INDEX")]
    pub test: Option<u32>,
    /// The fraction of steps that go wrong
    #[arg(long, value_name = "R", default_value_t = 0.001, value_parser = rate)]
    pub rate: f64,
    /// Time limit in seconds; the results until then are printed as partial
    #[arg(long, value_name = "LIMIT", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// How often to run each test
    #[arg(short, value_name = "K", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=i64::from(REPETITIONS)))]
    pub k: u32,
    /// Seed of the faults
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u32,
    /// The error rate that a majority vote must stay below
    #[arg(long, value_name = "P", default_value_t = 0.001, value_parser = bound)]
    pub bound: f64,
    /// Confidence level of the intervals
    #[arg(long, value_name = "C", default_value_t = 0.95, value_parser = confidence)]
    pub confidence: f64,
}
