//! How a device sees a program: what stands in the columns after each round of each stage, as its shader left it.
//!
//! A *round* is what all threads of a shader do between two barriers. A [`Recording`] has the words that each round has changed; the
//! columns after any round follow from these and from keyframes, so a round is a position that goes both ways. Rounds of a scan
//! leave words in the threads' own memory instead: a row for each thread.
//!
//! The sentence of a round stands in the shader, before the barrier that ends it: it is read off there ([`Site`]).

mod recording;
mod words;

pub use recording::{Change, Column, Lanes, Recording, Round, Rows, StageRounds};
pub use words::{read, state_function};

/// Where a shader tells of a round, and what it says there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Site {
    /// The file in `shaders/`, without its ending.
    pub file: String,
    /// From 1.
    pub line: u32,
    pub sentence: String,
    /// The lines before it, from the barrier before or the beginning of the function on.
    pub code: Vec<String>,
    pub kind: SiteKind,
    /// The entry point that ends there, if one does.
    pub ends: Option<String>,
}

/// What is told at a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// The columns; how many things the threads have shared out in this round, as the shader says it (`n`, `n/2^k`, `log n` …).
    Columns(String),
    /// A number of each thread.
    Numbers,
    /// A function of each thread, from states of the lexer to states.
    Functions,
}
