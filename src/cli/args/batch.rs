//! Options of `batch` and `merge`.

use std::ffi::OsString;

use super::values::seconds;
use crate::host::measure::share::Percent;
use crate::report::shard::Shard;

#[derive(Debug, clap::Args)]
pub struct BatchArgs {
    /// Candidates, one JSON object per line: `{"id": …, "source": …}`; `-` is standard input
    #[arg(value_name = "FILE", default_value = "-")]
    pub file: OsString,
    /// The program that a line's `function` is inserted into, and that sources are compared with
    #[arg(long, value_name = "FILE")]
    pub base: Option<OsString>,
    /// A folder with a base for each group: GROUP.myr; a line may have its own, in the field `base`
    #[arg(long, value_name = "FOLDER", conflicts_with = "base")]
    pub bases: Option<OsString>,
    /// Tests that are added to every candidate; or a folder with tests for each group: GROUP.myr
    #[arg(long, value_name = "FILE")]
    pub tests: Option<OsString>,
    /// Write the records to OUT, after those of a call that ended early
    #[arg(long, value_name = "OUT")]
    pub resume: Option<OsString>,
    /// Add a final record of pass@k for these k, over the groups of lines
    #[arg(long, value_name = "K", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub pass_at: Vec<u64>,
    /// Number of CPU threads; by default the number of hardware threads
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=1_024))]
    pub threads: Option<u16>,
    /// Time limit in seconds; the results until then are printed as partial
    #[arg(long, value_name = "LIMIT", value_parser = seconds)]
    pub seconds: Option<f64>,
    /// Judge only every N-th line, starting with the I-th; `myriad merge` merges the shards
    #[arg(long, value_name = "I/N", conflicts_with = "pass_at")]
    pub shard: Option<Shard>,
}

#[derive(Debug, clap::Args)]
pub struct MergeArgs {
    /// Output files of the shards, in any order
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<OsString>,
    /// For batches: add a final record of pass@k for these k
    #[arg(long, value_name = "K", value_delimiter = ',', value_parser = clap::value_parser!(u64).range(1..=1_000_000_000))]
    pub pass_at: Vec<u64>,
    /// For mutants: exit with 1 if a score is below this percentage
    #[arg(long, value_name = "P")]
    pub min_score: Option<Percent>,
}
