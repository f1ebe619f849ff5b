//! Answers of a mutant's own calls, compared with the base's.

/// The answers for each of the two functions that a mutant may change.
#[derive(Default)]
pub struct CallAnswers {
    pub first: Vec<CallAnswer>,
    pub second: Vec<CallAnswer>,
}

#[derive(Clone, Copy, Debug)]
pub enum CallAnswer {
    Unknown,
    /// The base's value, in this number of steps.
    Same(u32),
    Other,
}
