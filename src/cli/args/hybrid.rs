//! What is asked of the hybrid compiler and its router.

use std::ffi::OsString;

use clap::ValueEnum;

use super::Drawing;
use super::values::theta;

/// How the hybrid compiler decides.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct Routing {
    /// What the hybrid's final result needs; if not given the configuration's (`proved`), with `--eval` `verified`
    #[arg(long, value_enum, value_name = "EVIDENCE")]
    pub evidence: Option<EvidenceChoice>,
    /// Send functions with a score below this through the neural path; tuned to measured costs if not given
    #[arg(long, value_name = "X", allow_hyphen_values = true, value_parser = theta)]
    pub theta: Option<f64>,
    /// What the tuned threshold makes least; the configuration's (`time`) if not given
    #[arg(long, value_enum, value_name = "WHAT")]
    pub objective: Option<ObjectiveChoice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum EvidenceChoice {
    /// The traditional compiler's code, or what agrees with it on all inputs
    Proved,
    /// That, or a bounded error rate
    Verified,
    /// That the file's tests pass: the paper's algorithm to the letter
    Tests,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ObjectiveChoice {
    Time,
    Energy,
}

#[derive(Debug, clap::Args)]
pub struct RouterArgs {
    /// Programs; `-` is standard input
    #[arg(
        required_unless_present_any = ["eval", "fit", "reset"],
        conflicts_with_all = ["eval", "fit", "reset"],
        value_name = "FILE"
    )]
    pub files: Vec<OsString>,
    #[command(flatten)]
    pub routing: Routing,
    #[command(flatten)]
    pub drawing: Drawing,
    /// Measure prediction, equation 14 and times on functions that the router was not fitted to
    #[arg(long, conflicts_with_all = ["fit", "reset"])]
    pub eval: bool,
    /// Fit the coefficients anew to functions of the corpus, and print them
    #[arg(long, conflicts_with = "reset")]
    pub fit: bool,
    /// With `--eval` and `--fit`: how many generated functions; 400 and 2000 if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub functions: Option<u32>,
    /// Delete what was learned from your own compilations
    #[arg(long)]
    pub reset: bool,
}
