//! Options of `demo`.

use std::ffi::OsString;
use std::path::PathBuf;

#[derive(Debug, clap::Args)]
pub struct DemoArgs {
    /// The tape; `-` is standard input; without it, the first look of the README
    pub tape: Option<OsString>,
    /// Record as asciicast, without a terminal
    #[arg(long, value_name = "OUT")]
    pub cast: Option<PathBuf>,
    /// Draw the last frame, and each still as OUT-NAME.svg, without a terminal
    #[arg(long, value_name = "OUT")]
    pub svg: Option<PathBuf>,
    /// Draw the whole tape as one SVG that plays in a browser, without a terminal
    #[arg(long, value_name = "OUT")]
    pub film: Option<PathBuf>,
    /// Draw each still as a slide, without a terminal: FOLDER/01-NAME.svg, and all in FOLDER/slides.html
    #[arg(long, value_name = "FOLDER")]
    pub slides: Option<PathBuf>,
    /// Only check the tape for mistakes
    #[arg(long, conflicts_with_all = ["cast", "svg", "film", "slides"])]
    pub check: bool,
}
