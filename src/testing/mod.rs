//! What running programs says about them and about their tests: deciding inputs, mutation testing and repair, recorded runs, noise,
//! and the judging of other people's programs.

pub mod batch;
pub mod decide;
pub mod merge;
pub mod mutation;
pub mod noise;
pub mod trace;
