//! `myriad train`: weights for neural compilation, made from nothing. It needs a build with the feature `train`.

#[cfg(feature = "train")]
mod plot;
#[cfg(feature = "train")]
mod running;

use super::args::{Common, TrainArgs};
use super::exit::{Exit, Failure};

/// Trains, or shows how a training went.
#[cfg(feature = "train")]
pub fn train(common: Common, args: &TrainArgs) -> Result<Exit, Failure> {
    running::train(common, args)
}

/// Says which build can train.
#[cfg(not(feature = "train"))]
pub fn train(_: Common, _: &TrainArgs) -> Result<Exit, Failure> {
    Err(Failure {
        exit: Exit::Engine,
        message: "this build cannot train".into(),
        help: "build one that can: `cargo build --release --features train` (CPU), or `train-wgpu` for any adapter".into(),
    })
}
