//! What is asked of batches.

use std::ffi::OsString;

use super::values::seconds;
use crate::host::measure::share::Percent;
use crate::report::shard::Shard;

#[derive(Debug, clap::Args)]
pub struct BatchArgs {
    /// Candidates, one JSON object a line: `{"id": …, "source": …}`; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: OsString,
    /// The program that a line's `function` belongs to, and that sources are near to
    #[arg(long, value_name = "FILE")]
    pub base: Option<OsString>,
    /// Tests that are added to every candidate
    #[arg(long, value_name = "FILE")]
    pub tests: Option<OsString>,
    /// End with a record of pass@k for these k, over the lines' groups
    #[arg(long, value_name = "K", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub pass_at: Vec<u64>,
    /// Use so many threads of the processor; as many as the machine runs at once if not given
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    pub threads: Option<u16>,
    /// At most so long; the lines judged by then, or at an interrupt, are followed by a record that marks them as partial
    #[arg(long, value_name = "LIMIT", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Judge only every N-th line, from the I-th on; `myriad merge` puts the shards together
    #[arg(long, value_name = "I/N", conflicts_with = "pass_at")]
    pub shard: Option<Shard>,
}

#[derive(Debug, clap::Args)]
pub struct MergeArgs {
    /// What each shard printed, in any order
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<OsString>,
    /// For records of a batch: end with a record of pass@k for these k
    #[arg(long, value_name = "K", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub pass_at: Vec<u64>,
    /// For mutants: exit with 1 where a score is lower, in percent
    #[arg(long, value_name = "P")]
    pub min_score: Option<Percent>,
}
