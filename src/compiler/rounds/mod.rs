//! Rounds of the device's stages: the contents of the columns after each round, as its shader left them.
//!
//! A *round* is the work of all threads of a shader between two barriers. A [`Recording`] holds the words
//! that each round changed, and keyframes. The columns after any round are computed from these, so rounds can
//! be stepped in both directions. A round of a scan instead leaves words in the threads' private memory: one
//! row per thread.
//!
//! The sentence that describes a round is a comment in the shader before the barrier that ends the round
//! ([`RoundSite`]).

mod recording;
mod words;

pub use recording::{Lanes, Recording, RecordingColumn, RecordingRound, RoundChange, Rows, StageRounds};
pub use words::{format_state_function, read};

/// A place in a shader where a round is recorded, with the sentence that describes the round.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoundSite {
    /// The file in `shaders/`, without its extension.
    pub file: String,
    /// Line number, from 1.
    pub line: u32,
    pub sentence: String,
    /// The lines before it, from the previous barrier or the beginning of the function on.
    pub code: Vec<String>,
    pub kind: SiteKind,
    /// The entry point that ends here, if one does.
    pub ends: Option<String>,
}

/// The data that is recorded at a site.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SiteKind {
    /// The columns. The string is the shader's own measure of the parallel work in the round (`n`, `n/2^k`,
    /// `log n` …).
    Columns(String),
    /// A number from each thread.
    Numbers,
    /// A function from lexer states to lexer states, from each thread.
    Functions,
}
