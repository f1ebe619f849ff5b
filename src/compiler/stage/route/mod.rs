//! route: features of a function and the score that the hybrid compiler's router goes by.

pub mod constructs;
pub mod features;
pub mod score;
