//! Options of the hybrid compiler and its router.

use std::ffi::OsString;

use clap::ValueEnum;

use super::neural::{EvidenceChoice, SamplingArgs};
use super::values::theta;

/// Routing options.
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct HybridRouting {
    /// Evidence that the final result needs; by default the configuration's (`proved`)
    #[arg(long, help_heading = "Routing", value_enum, value_name = "EVIDENCE")]
    pub evidence: Option<EvidenceChoice>,
    /// Rule of the router: `cost` takes the way with the least cost, `paper` is the threshold of algorithm 3; by
    /// default the configuration's (`cost`)
    #[arg(long, help_heading = "Routing", value_enum, value_name = "RULE")]
    pub route: Option<RouteChoice>,
    /// Send functions with a lower score through the neural path; by default tuned to measured costs
    #[arg(long, help_heading = "Routing", value_name = "X", allow_hyphen_values = true, value_parser = theta)]
    pub theta: Option<f64>,
    /// The cost that the tuned threshold minimizes; by default the configuration's (`time`)
    #[arg(long, help_heading = "Routing", value_enum, value_name = "WHAT")]
    pub objective: Option<ObjectiveChoice>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ObjectiveChoice {
    Time,
    Energy,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum RouteChoice {
    Cost,
    Paper,
}

#[derive(Debug, clap::Args)]
pub struct RouterArgs {
    /// Programs; `-` is standard input
    #[arg(
        required_unless_present_any = ["fit", "reset"],
        conflicts_with_all = ["fit", "reset"],
        value_name = "FILE"
    )]
    pub files: Vec<OsString>,
    #[command(flatten)]
    pub routing: HybridRouting,
    #[command(flatten)]
    pub drawing: SamplingArgs,
    /// Fit the coefficients again to functions of the corpus, and print them
    #[arg(long, conflicts_with = "reset")]
    pub fit: bool,
    /// Number of generated functions of `--fit`; by default 2000
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(2..=100_000))]
    pub functions: Option<u32>,
    /// Delete the history of your own compilations
    #[arg(long)]
    pub reset: bool,
}
