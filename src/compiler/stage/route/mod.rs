//! route: the features of a function, and the score on which the hybrid compiler's router decides.

pub mod constructs;
pub mod features;
pub mod score;
