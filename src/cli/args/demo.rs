//! What is asked of a show.

use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct DemoArgs {
    /// The tape; `-` is standard input
    pub tape: OsString,
    /// Record it as asciicast, without a terminal
    #[arg(long, value_name = "OUT")]
    pub cast: Option<PathBuf>,
    /// Draw its last frame, and each still beside it as OUT-NAME.svg, without a terminal
    #[arg(long, value_name = "OUT")]
    pub svg: Option<PathBuf>,
    /// Only say what is wrong with the tape
    #[arg(long, conflicts_with_all = ["cast", "svg"])]
    pub check: bool,
}
