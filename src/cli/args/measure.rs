//! What is asked of those who measure: model, race, noise.

use std::ffi::OsString;
use std::path::PathBuf;

use super::Files;
use super::values::{bound, confidence, contestant, rate, seconds};
use crate::paper::race::Contestant;
use crate::testing::noise::REPETITIONS;

#[derive(Debug, clap::Args)]
pub struct ModelArgs {
    /// A program; the gcd sample if none is given; `-` is standard input
    pub file: Option<OsString>,
    /// Programs compiled and candidates drawn; 1000 if not given, as in the paper
    #[arg(short, value_name = "K", value_parser = clap::value_parser!(u32).range(1..=65_536))]
    pub k: Option<u32>,
    /// Only this equation; may be given several times
    #[arg(long, value_name = "N", value_delimiter = ',', value_parser = clap::value_parser!(u8).range(1..=16))]
    pub equation: Vec<u8>,
    /// Advise for who needs a proof
    #[arg(long)]
    pub guarantee: bool,
    /// Other weights than those of this build
    #[arg(long, value_name = "FILE")]
    pub weights: Option<PathBuf>,
}

#[derive(Debug, clap::Args)]
pub struct RaceArgs {
    /// The program; `-` is standard input
    pub file: OsString,
    /// How many variants race: single changes first, then pairs
    #[arg(short, value_name = "K", default_value_t = 1_000, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
    pub k: u32,
    /// Decides what the neural network draws; which variants race is decided by the program and k
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u32,
    /// Who races; all that can if not given
    #[arg(long, value_delimiter = ',', value_name = "NAMES", value_parser = contestant)]
    pub contestants: Vec<Contestant>,
    /// How often each judges all variants, if its share of the time allows; figures are of the repetition in the middle
    #[arg(long, value_name = "N", default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1_000))]
    pub repetitions: u32,
    /// Write the table for spreadsheets
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Draw it
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// For all contestants together; who is too slow for its share is cut off
    #[arg(long, value_name = "LIMIT", default_value_t = 45.0, value_parser = seconds)]
    pub seconds: f64,
    /// Let a program that imitates a GPU race as one, as `--engine gpu` does
    #[arg(long)]
    pub software: bool,
}

#[derive(Debug, clap::Args)]
pub struct NoiseArgs {
    #[command(flatten)]
    pub files: Files,
    /// Only the test or property with this index, counted from 0
    #[arg(long, value_name = "INDEX")]
    pub test: Option<u32>,
    /// The part of steps that go wrong
    #[arg(long, value_name = "R", default_value_t = 0.001, value_parser = rate)]
    pub rate: f64,
    /// At most so long for each file; what is there by then, or at an interrupt, is printed and marked as partial
    #[arg(long, value_name = "LIMIT", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// How often each test is run
    #[arg(short, value_name = "K", default_value_t = 1000, value_parser = clap::value_parser!(u32).range(1..=i64::from(REPETITIONS)))]
    pub k: u32,
    /// Decides, with the rate, which steps are struck and how
    #[arg(long, value_name = "SEED", default_value_t = 1)]
    pub seed: u32,
    /// The error rate that a majority vote is to come below
    #[arg(long, value_name = "P", default_value_t = 0.001, value_parser = bound)]
    pub bound: f64,
    /// How surely the true rates lie within the intervals
    #[arg(long, value_name = "C", default_value_t = 0.95, value_parser = confidence)]
    pub confidence: f64,
}
