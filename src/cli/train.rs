//! `myriad train`: trains weights for neural compilation from scratch. Needs a build with the feature `train`.

#[cfg(feature = "train")]
mod plot;
#[cfg(feature = "train")]
mod running;

use super::args::{Common, TrainArgs};
use super::exit::{Exit, Failure};

/// Trains, or shows the log of a training.
#[cfg(feature = "train")]
pub fn train(common: Common, args: &TrainArgs) -> Result<Exit, Failure> {
    running::train(common, args)
}

/// Reports that this build cannot train.
#[cfg(not(feature = "train"))]
pub fn train(_: Common, _: &TrainArgs) -> Result<Exit, Failure> {
    Err(Failure {
        exit: Exit::Engine,
        message: "this build cannot train".into(),
        help: "build one that can: `cargo build --release --features train` (CPU), or `train-wgpu` for any adapter".into(),
    })
}
