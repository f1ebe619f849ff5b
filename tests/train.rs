//! Training, in a target of its own: so the feature does not compile all other tests again.
#![cfg(feature = "train")]

#[path = "it/common/extent.rs"]
mod extent;
#[path = "it/train.rs"]
mod train;
